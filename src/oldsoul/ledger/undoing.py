"""One change taken back, with the later ones left as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.documents import parse, render
from oldsoul.errors import Conflict, TooLarge
from oldsoul.rules.merge import merge
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Effect, Snapshot, version_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.values.names import Name


@frozen
class Undone:
    """One document without what a change did to it."""

    name: Name
    """the document"""
    data: bytes | None
    """its bytes then"""
    effect: Effect
    """from what stands to those"""
    restores: bool
    """whether this is just what stood before the change"""

    @classmethod
    def of(cls, effect: Effect, standing: Snapshot, content: Callable[[str], bytes | None]) -> Undone:
        """The document as it stands, without one effect; `Conflict` when later changes are in the way."""
        before = content(effect.before)
        restores = standing.version == effect.after
        data = before if restores else _without(effect, standing, content(effect.after), before)
        entries = tuple(_new_entries(effect.name, standing.data, data))
        return cls(effect.name, data, Effect(effect.name, standing.version, version_of(data), entries), restores)

    def check_size(self, limit: int) -> None:
        """`TooLarge` when it has grown over its limit since; what stood there once may stand there again."""
        if not self.restores and len(self.data or b"") > limit:
            raise TooLarge(self.name.path, len(self.data or b""), limit)


def _without(effect: Effect, standing: Snapshot, after: bytes | None, before: bytes | None) -> bytes:
    if standing.data is None:
        raise Conflict(f"{effect.name.path} was deleted since; undo that first")
    base, ours, theirs = (parse(d or b"", is_log=effect.name.is_log) for d in (after, standing.data, before))
    merged = merge(base, ours, theirs, prefer="ours")
    if merged.clashes:
        what = "; ".join(clash.what for clash in merged.clashes[:3])
        raise Conflict(f"later changes to {effect.name.path} touch the same place ({what}); undo those first")
    return render(merged.document)


def _new_entries(name: Name, standing: bytes | None, data: bytes | None) -> list[str]:
    """Ids of the entries that come back or change."""
    there = {(e.id, e.text) for e in parse(standing or b"", is_log=name.is_log).entries}
    return [e.id for e in parse(data or b"", is_log=name.is_log).entries if (e.id, e.text) not in there]
