"""Changes, proposals and versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from oldsoul.errors import OldsoulError
from oldsoul.lazy import lazy
from oldsoul.values.changes import Add, Replace
from oldsoul.values.frozen import frozen
from oldsoul.views.shape import (
    ChangeNumber,
    EntryId,
    Next,
    Path,
    Reference,
    Shown,
    Time,
    Version,
    copied,
    example,
    one_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oldsoul.app import Agent
    from oldsoul.app.services.files import Version as SoulVersion
    from oldsoul.ledger import BlameLine, Outcome, Proposal
    from oldsoul.values.changes import Evidence
    from oldsoul.values.history import Change
    from oldsoul.values.names import Name

    Preview = Mapping[Name, tuple[bytes | None, bytes | None]]

(seals,) = lazy("oldsoul.app.home", "seals")
(versions,) = lazy("oldsoul.app", "versions")


@frozen
class EvidenceShown(Shown):
    """What a change or a proposal rests on."""

    ref: Reference
    """Where it is found: a message, or a line of a file."""
    origin: Annotated[str, example("operator")]
    """Who caused it."""
    audience: Annotated[str, example("owner")]
    """Who may see it."""
    quote: str
    """The words, where they may be kept."""


def evidence(of: Sequence[Evidence]) -> tuple[EvidenceShown, ...]:
    """What a change or a proposal rests on, each with where it comes from, who caused it and who may see it."""
    return tuple(copied(EvidenceShown, each, ref=seals.reference(each.ref)) for each in of)


@frozen
class EffectShown(Shown):
    """What a change did to one file."""

    path: Path
    """The file."""
    before: Version
    """Its version before."""
    after: Version
    """Its version after."""
    entries: tuple[EntryId, ...]
    """The entries that it concerns."""


@frozen
class ChangeShown(Shown):
    """A change in the history."""

    change: ChangeNumber
    """Its number."""
    at: Time
    """When it was made."""
    author: Annotated[str, example("operator:acct:owner")]
    """Who made it."""
    reason: str
    """Why it was made."""
    files: tuple[EffectShown, ...]
    """The files it changed."""
    evidence: tuple[EvidenceShown, ...]
    """What it rests on."""
    notes: dict[str, str]
    """Further facts: the change it undoes, who approved it."""


def change(of: Change) -> ChangeShown:
    """A change: its number, time, author and reason; the files it changed; what it rests on."""
    files = [copied(EffectShown, each, path=each.name.path) for each in of.effects]
    return copied(ChangeShown, of, change=seals.change(of.id), files=files, evidence=evidence(of.evidence))


@frozen
class ChangeTold(ChangeShown):
    """A change, and what it did in a line for each entry."""

    what: tuple[str, ...]
    """`+` added, `-` removed, `~` changed or moved."""


def change_told(of: Change, what: Sequence[str]) -> ChangeTold:
    """A change, and what it did in a line for each entry."""
    return copied(ChangeTold, change(of), what=what)


@frozen
class ChangeList(Shown):
    """A page of changes, the newest first."""

    changes: tuple[ChangeTold, ...]
    """The changes."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class FileDiff(Shown):
    """What a change did to one file."""

    path: Path
    """The file."""
    diff: str
    """Its lines that changed."""


@frozen
class ChangeWhole(ChangeShown):
    """A change with its diff."""

    diff: str
    """What it did to all files."""
    diffs: tuple[FileDiff, ...]
    """The same, file by file."""


def change_whole(agent: Agent, of: Change) -> ChangeWhole:
    """A change and what it did, as one diff and file by file."""
    diffs = [FileDiff(effect.name.path, agent.files.diff(of.id, effect.name.path)) for effect in of.effects]
    return copied(ChangeWhole, change(of), diff=agent.files.diff(of.id), diffs=diffs)


@frozen
class Undone(ChangeWhole):
    """The change that undid another."""

    undone: ChangeNumber
    """The change that was undone."""


def undone(agent: Agent, of: Change, number: int) -> Undone:
    """The change that undid another, and what it did."""
    return copied(Undone, change_whole(agent, of), undone=seals.change(number))


@frozen
class BlamedLine(Shown):
    """A line of a file and the change that wrote it; nothing of a change where history does not go back so far."""

    line: int
    """Its number, from 1."""
    text: str
    """What it says."""
    change: ChangeNumber | None
    """The change that wrote it."""
    at: Time | None
    """When."""
    author: str | None
    """Who made the change."""
    reason: str | None
    """Why."""
    evidence: tuple[EvidenceShown, ...]
    """What the change rests on."""


def blamed(of: BlameLine) -> BlamedLine:
    """A line of a document and the change that wrote it; nothing of a change where none did."""
    if of.change is None:
        return BlamedLine(of.line, of.text, None, None, None, None, ())
    return copied(BlamedLine, change(of.change), line=of.line, text=of.text)


@frozen
class Blamed(Shown):
    """The lines of a file."""

    path: Path
    """The file."""
    lines: tuple[BlamedLine, ...]
    """Its lines."""


@frozen
class VersionShown(Shown):
    """A version of SOUL.md."""

    version: ChangeNumber
    """The number of the change that made it."""
    at: Time
    """When."""
    author: str
    """Who made it."""
    approved_by: str
    """Who approved it, where it was proposed."""
    reason: str
    """Why it was made."""
    tokens: int
    """How many tokens it has."""
    snapshot: str
    """The file that has the version before it; empty when there is none."""
    hash: Version
    """What changes when its text does."""


def version(of: SoulVersion) -> VersionShown:
    """A version of SOUL.md: the change that made it, its tokens, and the snapshot of what stood before it."""
    return copied(VersionShown, of, version=seals.change(of.change), hash=of.version)


@frozen
class VersionList(Shown):
    """The versions of SOUL.md, the newest first."""

    versions: tuple[VersionShown, ...]
    """The versions."""


@frozen
class Compared(Shown):
    """The difference between two versions."""

    first: Annotated[str, example("3")]
    """The one."""
    second: Annotated[str, example("now")]
    """The other."""
    diff: str
    """The lines that differ."""


@frozen
class RolledBack(ChangeShown):
    """The change that restored a version."""

    version: str
    """The version that was restored."""
    snapshot: str
    """The file that has the text before."""
    diff: str
    """What it did to SOUL.md."""


def rolled_back(of: Change, version: str, diff: str) -> RolledBack:
    """The change that restored a version, and what it did."""
    return copied(RolledBack, change(of), version=version, snapshot=of.notes.get("snapshot", ""), diff=diff)


@frozen
class ProposalShown(Shown):
    """A change that was proposed."""

    id: Annotated[str, example("p4k2x9")]
    """Its id."""
    at: Time
    """When it was proposed."""
    state: Annotated[str, one_of("open", "approved", "rejected", "expired")]
    """Whether it was decided."""
    author: Annotated[str, example("keeper:soul-keeper")]
    """Who asks for it."""
    reason: str
    """Why."""
    files: tuple[Path, ...]
    """The files it would change."""
    words: tuple[str, ...]
    """The words it would write."""
    evidence: tuple[EvidenceShown, ...]
    """What it rests on."""
    warnings: tuple[str, ...]
    """What to consider before approving."""
    note: str
    """Why it was rejected or expired, or the change it became."""


def proposal(of: Proposal) -> ProposalShown:
    """A change that was proposed: who asks for it, why, its files, the words it would write, what it rests on."""
    asked = of.change_set
    return copied(
        ProposalShown,
        of,
        author=asked.author,
        reason=asked.reason,
        files=[name.path for name in asked.names],
        words=_words(of),
        evidence=evidence(asked.evidence),
    )


def _words(of: Proposal) -> tuple[str, ...]:
    """The words it would write; those of logs, which tell of it, only where there are no others."""
    made = [one for one in of.change_set.operations if isinstance(one, Add | Replace) and one.text.strip()]
    told = [one for one in made if not one.name.is_log] or made
    return tuple(" ".join(one.text.split()) for one in told)


@frozen
class ProposalList(Shown):
    """A page of proposals, the oldest first."""

    proposals: tuple[ProposalShown, ...]
    """The proposals."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class ProposalTried(ProposalShown):
    """A proposal, and what approving it would change now."""

    diff: str
    """What approving it would change."""
    problem: str
    """Why it cannot be applied now; empty when it can."""


@frozen
class FilePreview(Shown):
    """One file as approving a proposal would leave it."""

    path: Path
    """The file."""
    version: Version
    """The version that stands now; give it as one of `bases` to approve only what you saw."""
    text: str | None
    """The text after approval; null when the file would be removed."""


@frozen
class ProposalWhole(ProposalTried):
    """A proposal, and what approving it would do now."""

    previews: tuple[FilePreview, ...]
    """The files as it would leave them."""


def proposal_tried(agent: Agent, of: Proposal) -> ProposalTried:
    """A proposal with what approving it would change now."""
    return _tried(of, *_preview(agent, of))


def proposal_whole(agent: Agent, of: Proposal) -> ProposalWhole:
    """A proposal with what approving it would change now, and the files as it would leave them."""
    preview, problem = _preview(agent, of)
    previews = [
        FilePreview(name.path, agent.files.read(name.path).version, None if after is None else text_of(after))
        for name, (_, after) in preview.items()
    ]
    return copied(ProposalWhole, _tried(of, preview, problem), previews=previews)


def _preview(agent: Agent, of: Proposal) -> tuple[Preview, str]:
    """The files before and after, and why it cannot be applied."""
    if of.state == "open":
        try:
            return agent.review.preview(of.id), ""
        except OldsoulError as error:
            return {}, str(error)
    return {}, ""


def _tried(of: Proposal, preview: Preview, problem: str) -> ProposalTried:
    parts = (versions.difference(name.path, before, after) for name, (before, after) in preview.items())
    return copied(ProposalTried, proposal(of), diff="\n".join(part for part in parts if part), problem=problem)


@frozen
class Decided(Shown):
    """A proposal that was approved or rejected."""

    id: str
    """Its id."""
    state: str
    """What it is now."""
    change: ChangeNumber | None
    """The change it became; null where it was rejected."""
    files: tuple[Path, ...]
    """The files it changed."""
    masked: int
    """How many secrets were masked."""
    warnings: tuple[str, ...]
    """What else is to be known."""


def approved(proposal_id: str, outcome: Outcome) -> Decided:
    """A proposal that was done: the change, and the files it changed."""
    made = outcome.change
    return copied(
        Decided,
        outcome,
        id=proposal_id,
        state="approved",
        change=seals.change(made.id) if made else None,
        files=[effect.name.path for effect in made.effects] if made else (),
    )


def rejected(of: Proposal) -> Decided:
    """A proposal that was closed and not done."""
    return Decided(of.id, str(of.state), None, (), 0, ())
