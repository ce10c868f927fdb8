"""One change taken back, with the later ones left as they are; and which of those have to be taken back first."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oldsoul.documents import parse, render
from oldsoul.errors import Conflict, TooLarge
from oldsoul.rules.merge import merge
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Effect, Snapshot, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oldsoul.rules.merge import Clash
    from oldsoul.values.history import Change
    from oldsoul.values.names import Name

    Content = Callable[[str], bytes | None]

_MOST = 50
"""A change on which more than so many rest is not looked into any further."""
_SHOWN = 80


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
    def of(cls, effect: Effect, standing: Snapshot, content: Content) -> Undone:
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
        raise Conflict(f"{effect.name.path} was deleted since")
    data, clashes = _merged(effect.name, after, standing.data, before)
    if clashes:
        what = "; ".join(clash.what for clash in clashes[:3])
        raise Conflict(f"later changes to {effect.name.path} touch the same place ({what})")
    return data


def _merged(name: Name, after: bytes | None, standing: bytes, before: bytes | None) -> tuple[bytes, tuple[Clash, ...]]:
    """What stands, without what lies between two versions; and where that cannot be told apart."""
    base, ours, theirs = (parse(d or b"", is_log=name.is_log) for d in (after, standing, before))
    merged = merge(base, ours, theirs, prefer="ours")
    return render(merged.document), merged.clashes


class Resting:
    """Finds what rests on a change: the later ones that have to be taken back before it can be.

    It tries them out on documents in memory, so that what it says can be done as it is said.
    """

    def __init__(
        self,
        standing: Callable[[Name], bytes | None],
        later: Callable[[Name, int], Iterator[Change]],
        content: Content,
        effects: Callable[[Change], Sequence[Effect]],
    ) -> None:
        self._standing = standing
        self._later = later
        self._content = content
        self._effects = effects

    def on(self, change: Change) -> list[Change]:
        """What to take back before a change, in this order; nothing where that cannot be found out."""
        order = self._needed(change, {}, []) or self._all(change)
        if not self._can_be_done([*order, change]):
            return []
        for one in list(order):  # what a later one brought back need not be gone through again
            fewer = [other for other in order if other is not one]
            if self._can_be_done([*fewer, change]):
                order = fewer
        return order

    def _needed(self, change: Change, there: dict[Name, bytes | None], order: list[Change]) -> list[Change] | None:
        """What is to be taken back until this one can be, on top of what was; None where nothing helps."""
        for effect in self._effects(change):
            while (clashes := self._taken(effect, there)[1]) is None or clashes:
                one = self._newest(effect, change, there, order)
                if one is None or len(order) >= _MOST or self._needed(one, there, order) is None:
                    return None
                order.append(one)
                for further in self._effects(one):
                    there[further.name] = self._taken(further, there)[0]
        return order

    def _all(self, change: Change) -> list[Change]:
        """All that came later in the same documents, the newest first."""
        names = [effect.name for effect in self._effects(change)]
        every = {one.id: one for name in names for one in islice(self._later(name, change.id), _MOST)}
        return [every[number] for number in sorted(every, reverse=True)]

    def _newest(
        self, effect: Effect, change: Change, there: Mapping[Name, bytes | None], order: Sequence[Change]
    ) -> Change | None:
        """The last change that stands in the way of an effect's undoing."""
        standing, before, after = self._held(effect.name, there), *map(self._content, (effect.before, effect.after))
        in_the_way = self._taken(effect, there)[1]
        lines = {*(standing or b"").splitlines()} - {*(before or b"").splitlines()}
        lines |= {*(before or b"").splitlines()} ^ {*(after or b"").splitlines()}
        told = [line for line in lines if line.strip()]
        later = [one for one in self._later(effect.name, change.id) if one not in order]
        likely = [one for one in later if self._touches(one, effect.name, told)]
        for one in (*likely, *later[:_MOST]):
            own = next(each for each in one.effects if each.name == effect.name)
            without = {**there, effect.name: self._taken(own, there)[0]}
            if self._taken(effect, without)[1] != in_the_way:
                return one
        return None

    def _touches(self, change: Change, name: Name, lines: Sequence[bytes]) -> bool:
        """Whether a change did something to one of these lines; soon seen, but a line may have been another before."""
        own = next(each for each in change.effects if each.name == name)
        was, became = self._content(own.before) or b"", self._content(own.after) or b""
        return any(was.count(line) != became.count(line) for line in lines)

    def _can_be_done(self, order: Sequence[Change]) -> bool:
        """Whether changes can be taken back in this order, and something is left of the last one to take back."""
        there: dict[Name, bytes | None] = {}
        changed = False
        for change in order:
            changed = False
            for effect in self._effects(change):
                data, clashes = self._taken(effect, there)
                if clashes is None or clashes:
                    return False
                changed |= data != self._held(effect.name, there)
                there[effect.name] = data
        return changed

    def _taken(
        self, effect: Effect, there: Mapping[Name, bytes | None]
    ) -> tuple[bytes | None, tuple[Clash, ...] | None]:
        """A document without an effect, and what clashes; None for that where the document is gone."""
        standing = self._held(effect.name, there)
        before = self._content(effect.before)
        if version_of(standing) == effect.after:
            return before, ()
        if standing is None:
            return None, None
        return _merged(effect.name, self._content(effect.after), standing, before)

    def _held(self, name: Name, there: Mapping[Name, bytes | None]) -> bytes | None:
        return there[name] if name in there else self._standing(name)


def to_do_first(order: Sequence[Change]) -> str:
    """Which changes to undo first, in words: each with its number and why it was made."""
    if not order:
        return "undo those first"
    told = ", ".join(f"{one.id} ({_in_a_line(one.reason)})" for one in order)
    return f"undo {'this' if len(order) == 1 else 'these, in this order,'} first: {told}"


def _in_a_line(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1].rstrip()}…"


def _new_entries(name: Name, standing: bytes | None, data: bytes | None) -> list[str]:
    """Ids of the entries that come back or change."""
    there = {(e.id, e.text) for e in parse(standing or b"", is_log=name.is_log).entries}
    return [e.id for e in parse(data or b"", is_log=name.is_log).entries if (e.id, e.text) not in there]
