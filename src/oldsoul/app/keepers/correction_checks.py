"""Corrections as checks: each names a question that must find the right value and must not assert the wrong one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.home.index_upkeep import FAILURES
from oldsoul.documents import parse
from oldsoul.documents.model import folded
from oldsoul.errors import OldsoulError
from oldsoul.judging.corrections.corrections import Correction, blocks, fields_of, in_force, is_overtaken, read, written
from oldsoul.judging.corrections.hidden import against, cut, is_against
from oldsoul.judging.corrections.values import holds
from oldsoul.keepers.validate_recall import AUTHOR
from oldsoul.language.sentences import sentences
from oldsoul.ledger.copies import is_record
from oldsoul.ledger.forgetting import ForgetPlan
from oldsoul.rules.audience import audience_of
from oldsoul.rules.policy import is_correction
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, ChangeSet, Evidence, Replace
from oldsoul.values.history import Change
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin
from oldsoul.values.recall import MEMORY
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry
    from oldsoul.driver import Report


_MOST = 200
"""How many corrections are checked, the newest first."""
_REMEMBERED = 64
"""So many logs of corrections are not read again while they stay as they are."""
_HITS, _LOOKED_AT = 6, 50
"""Among so many hits the right value must be, and among so many the wrong one must not."""
_LOOKED_BACK = 10_000
_KEPT = (Kind.MEMORY, Kind.ROOM, Kind.USER, Kind.SOUL)
"""Where what was corrected must not be said again. What tells of a conversation, and what is a person's own, tells it as it was."""


class Checked(NamedTuple):
    """What asking for one correction came to."""

    correction: Correction
    """which"""
    problem: str
    """what is wrong; empty when it holds"""


def standing(agent: AgentWorkspace) -> list[Correction]:
    """The corrections that hold, those in the archive too, the oldest first."""
    return [one for _, data in _logs(agent) for one in _read(data)]


def _documents(agent: AgentWorkspace) -> list[tuple[Name, Document]]:
    return [(name, _parsed(data)) for name, data in _logs(agent)]


def logs_of(agent: AgentWorkspace) -> list[Name]:
    """The names of the logs of corrections, the archive's first."""
    archived = agent.home.world.store.names(agent.id, "Archive/Corrections")
    return [name for name in (*archived, Name(agent.id, "CORRECTIONS.md")) if is_correction(name)]


def _logs(agent: AgentWorkspace) -> list[tuple[Name, bytes]]:
    """The logs of corrections as they stand; asked for with every change, so that no other folder is looked through."""
    found = [(name, agent.read(name).data) for name in logs_of(agent)]
    return [(name, data) for name, data in found if data is not None]


@lru_cache(maxsize=_REMEMBERED)
def _parsed(data: bytes) -> Document:
    return parse(data, is_log=True)


@lru_cache(maxsize=_REMEMBERED)
def _read(data: bytes) -> tuple[Correction, ...]:
    return tuple(in_force([read(entry) for entry in blocks(_parsed(data))]))


def checked(agent: AgentWorkspace) -> list[Checked]:
    """Ask what each correction is about, as the operator would; says what does not hold."""
    known = [one for one in standing(agent)[-_MOST:] if one.old and one.new and not one.again]
    return [
        Checked(one, _problem(agent, one))
        for place, one in enumerate(known)
        if not is_overtaken(one, known[place + 1 :])
    ]


def _problem(agent: AgentWorkspace, correction: Correction) -> str:
    question = correction.question or correction.means
    session = Session.dm(agent.home.people.operators[0])
    try:
        found = agent.recall(question, session=session, limit=_LOOKED_AT, minimum=0.0, counted=False)
    except OldsoulError as error:
        return f"memory could not be searched: {error}"
    texts = [(hit.chunk.entry == correction.id or hit.chunk.correction, hit.chunk.text) for hit in found.hits]
    wrong = next((text for own, text in texts if not own and cut(correction, text) != text), "")
    if wrong:
        return f"the wrong value {correction.old!r} is still found: {wrong[:120]}"
    if not any(holds(text, correction.new) for _, text in texts[:_HITS]):
        return f"the right value {correction.new!r} is not found"
    return ""


def objection(agent: AgentWorkspace, change_set: ChangeSet) -> str:
    """What is wrong with a change that would say again what the operator corrected."""
    made = [o for o in change_set.operations if isinstance(o, Add | Replace) and o.name.kind in _KEPT]
    if not made:
        return ""
    known = [one for one in standing(agent) if one.old and not one.again]
    for operation in made:
        title = operation.title if isinstance(operation, Add) else ""
        found = against(_known_at(operation.name, known), f"{title} {operation.text}") if known else None
        if found is not None:
            return _says_again(operation.name, found)
    return ""


def _known_at(name: Name, known: Sequence[Correction]) -> list[Correction]:
    """The corrections that count where a document is read: in a room those that were made there.

    What was corrected alone counts there no more than it is shown. Else what a room's memory refuses would tell it.
    """
    return [one for one in known if name.kind is not Kind.ROOM or one.place == str(audience_of(name))]


def objection_to_texts(agent: AgentWorkspace, texts: Mapping[Name, bytes]) -> str:
    """What is wrong with documents as somebody would have them, where they say again what the operator corrected.

    What stands already is not held against them: only entries in which a sentence is new are looked at.
    """
    known = (
        [one for one in standing(agent) if one.old and not one.again]
        if any(name.kind in _KEPT for name in texts)
        else []
    )
    for name, data in texts.items() if known else ():
        if name.kind not in _KEPT:
            continue
        stood = {folded(s) for entry in _told(agent, name, agent.read(name).data or b"") for s in sentences(entry)}
        for entry in _told(agent, name, data):
            fresh = " ".join(s for s in sentences(entry) if folded(s) not in stood)
            against_it = (one for one in known if fresh and holds(fresh, one.old) and is_against(one, entry))
            if (found := next(against_it, None)) is not None:
                return _says_again(name, found)
    return ""


def _told(agent: AgentWorkspace, name: Name, data: bytes) -> list[str]:
    """What the entries of a document say, without bookkeeping and without the old values below them."""
    return [entry.body for entry in parse(agent.plain(name.path, data).encode(), is_log=name.is_log).entries]


def _says_again(name: Name, found: Correction) -> str:
    return f"{name.path} would repeat what was corrected on {found.day} ({found.id})"


def changes_of(agent: AgentWorkspace, correction: str) -> list[Change]:
    """The changes that a correction made, the newest first; none when there is no such correction."""
    source = next((one.source for one in standing(agent) if one.id == correction), "")
    number = source.removeprefix("m:")
    if not number:
        return []
    begins = (f"correction:{number}", f"corrected:{number}:", f"embedded:{correction}")
    found = agent.home.world.store.changes(agent.id, limit=_LOOKED_BACK)
    return [
        change for change in found if change.effects and change.key.startswith(begins) and _is_of(change.key, number)
    ]


def _is_of(key: str, number: str) -> bool:
    """Whether a key is of this message, and not of one whose number begins alike."""
    return key.startswith("embedded:") or key.split(":")[1] == number


def blocks_about(agent: AgentWorkspace, going: ForgetPlan) -> list[tuple[Name, str]]:
    """The blocks of the keepers' logs that are about an entry in any of its versions: what corrected it, what it clashed with."""
    ids = {entry.id for _, entry in going.lives}
    logs = [name for name in agent.home.world.store.names(agent.id) if name.is_log]
    found = ((name, block) for name in logs for block in parse(agent.read(name).data or b"", is_log=True).entries)
    return [
        (name, block.id)
        for name, block in found
        if is_record(name, block)
        and block.id not in ids
        and (_names(block, ids) or (is_correction(name) and _corrected(read(block), going)))
    ]


def corrected_with(agent: AgentWorkspace, going: ForgetPlan) -> frozenset[str]:
    """The messages that the corrections of an entry replaced: they said what it said."""
    about = {block for _, block in blocks_about(agent, going)}
    made = (read(block) for _, document in _documents(agent) for block in blocks(document) if block.id in about)
    return frozenset(message for one in made for message in one.supersedes)


def _names(block: Entry, ids: set[str]) -> bool:
    told = f"{block.fields.get('supersedes', '')},{block.fields.get('between', '')}"
    return not ids.isdisjoint(told.split(","))


def _corrected(one: Correction, going: ForgetPlan) -> bool:
    """Whether a correction rests on what an entry was taken from, and is about what it says or said."""
    if going.gone.sources.isdisjoint({one.source, *one.supersedes}):
        return False
    values = [value for value in (one.old, one.new) if value]
    if any(holds(entry.body, value) for _, entry in going.lives for value in values):
        return True
    return going.gone.copies.are_in(one.correct) or going.gone.copies.are_in(one.means)


def changes_breaking(agent: AgentWorkspace, broken: frozenset[str], made: Sequence[Report]) -> list[Change]:
    """The changes of these runs that say what corrections call wrong, as they were made; what was only repeated is none."""
    known = [one for one in standing(agent) if one.id in broken]
    found: list[Change] = []
    for step in (step for report in made for step in report.steps):
        change = step.outcome.change if step.outcome and not step.outcome.repeated else None
        made_of = [o for o in step.change_set.operations if isinstance(o, Add | Replace)]
        says_so = any(against(_known_at(o.name, known), o.text) for o in made_of)
        if change is not None and change.effects and says_so:
            found.append(change)
    return found


def mark_embedded(agent: AgentWorkspace) -> int:
    """Have the index hold the corrections that it may lack, and note of each that it does; says of how many."""
    memory = agent.settings.memory
    if not (memory.enabled and memory.search.enabled and MEMORY in memory.search.sources):
        return 0
    done = 0
    for name, data in _logs(agent):
        waiting = [entry for entry in blocks(_parsed(data)) if not read(entry).embedded and fields_of(entry)]
        held = _held(agent, name, data) if waiting else frozenset()
        for entry in (one for one in waiting if one.id in held):
            told = [
                (label, "true" if label.casefold() == "re-embedded" else value) for label, value in fields_of(entry)
            ]
            source = entry.fields.get("src", "") or f"{name.path}#{entry.id}"
            evidence = (Evidence(source, Origin.OPERATOR, OWNER),)
            change = Replace(name, entry.id, written(told))
            made = ChangeSet((change,), AUTHOR, "the index has it", f"embedded:{entry.id}", evidence)
            agent.home.ledger.apply(made)
            done += 1
    return done


def _held(agent: AgentWorkspace, name: Name, data: bytes) -> frozenset[str]:
    """The entries of a log of corrections that are in the index now; everything else in it stays as it is."""
    try:
        filed = agent.recaller.filed(name, data)
        agent.recaller.take(filed)
    except FAILURES:
        return frozenset()  # it is looked at again with the next run
    return frozenset(chunk.entry for chunk in filed.chunks)
