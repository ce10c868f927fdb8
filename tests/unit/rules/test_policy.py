"""What may be done at once, what waits, what never happens: DESIGN's table, held against every combination."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import pytest

from oldsoul.rules.policy import Growth, Verdict, confidence_cap, decide, strictest
from oldsoul.values.changes import Add, Author, Delete, Move, Operation, Put, Remove, Replace, Role, SetField, Tick
from oldsoul.values.names import Kind, Name
from oldsoul.values.origin import Origin

AUTO, ASK, NEVER = Verdict.AUTO, Verdict.ASK, Verdict.NEVER
ONE_OF = {
    Kind.SOUL: "SOUL.md",
    Kind.AGENTS: "AGENTS.md",
    Kind.USER: "USER.md",
    Kind.MEMORY: "MEMORY.md",
    Kind.TOOLS: "TOOLS.md",
    Kind.IDENTITY: "IDENTITY.md",
    Kind.HEARTBEAT: "HEARTBEAT.md",
    Kind.BOOTSTRAP: "BOOTSTRAP.md",
    Kind.BOOT: "BOOT.md",
    Kind.CONFIG: "CONFIG.md",
    Kind.CORRECTIONS: "CORRECTIONS.md",
    Kind.CONFLICTS: "CONFLICTS.md",
    Kind.CHANGELOG: "CHANGELOG.md",
    Kind.COMPACTION_LOG: "COMPACTION_LOG.md",
    Kind.DAILY: "memory/2026-02-04.md",
    Kind.SESSION: "memory/2026-02-04/x.md",
    Kind.LONGTERM: "memory/_longterms/acct_7/_index.md",
    Kind.PROFILE: "memory/_longterms/acct_7/profile.md",
    Kind.ROOM: "rooms/r1.md",
    Kind.SKILL: "skills/x/SKILL.md",
    Kind.KEEPER: "agents/memory-miner/SOUL.md",
    Kind.SOUL_HISTORY: "SOUL_HISTORY/x.md",
    Kind.ARCHIVE: "Archive/Memory/2026-01.md",
    Kind.OTHER: "own.md",
}
ARCHIVED_CORRECTION = Name("main", "Archive/Corrections/2026-01.md")
ARCHIVE = Name("main", "Archive/Memory/2026-01.md")
SELF_KEPT = {
    *(Kind.DAILY, Kind.SESSION, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG, Kind.ROOM, Kind.LONGTERM),
    *(Kind.PROFILE, Kind.ARCHIVE, Kind.SOUL_HISTORY),
}
AUTHORS = [Author(role) for role in Role] + [Author(Role.KEEPER, "soul-keeper")]
ENTRY = "0123456789"


def name_of(kind: Kind) -> Name:
    return Name("_shared", "X.md") if kind is Kind.SHARED else Name("main", ONE_OF[kind])


def operations(name: Name) -> dict[str, Operation]:
    return {
        "add": Add(name, "x"),
        "add a correction": Add(name, "x", tag="correction"),
        "replace": Replace(name, ENTRY, "x"),
        "remove": Remove(name, ENTRY),
        "merge": Remove(name, ENTRY, into="1123456789"),
        "tick": Tick(name, ENTRY, done=True),
        "set seen": SetField(name, "seen", "2026-02-04", ENTRY),
        "set origin": SetField(name, "origin", "agent", ENTRY),
        "set summary": SetField(name, "summary", "x"),
        "move within": Move(name, ENTRY, "Notes"),
        "put": Put(name, b"x"),
        "delete": Delete(name),
    }


class Case(NamedTuple):
    """One row of the table's input."""

    kind: Kind
    what: str
    author: Author
    target: Origin
    origin: Origin
    growth: Growth
    exists: bool

    @property
    def by_operators_word(self) -> bool:
        return self.origin is Origin.OPERATOR


def expected(case: Case) -> Verdict:
    """DESIGN §6, word by word, with §5's rules on corrections and on what the operator stated."""
    if case.kind is Kind.OTHER:
        return NEVER  # files we do not know are never written
    if case.author.role is Role.OPERATOR:
        return AUTO
    if case.what == "put":  # `ensure` may create a missing file; whole texts are for people
        return AUTO if case.author.role is Role.SYSTEM and not case.exists else NEVER
    takes_trust = case.what == "set origin" and case.origin.rank > case.target.rank
    return max(by_kind(case), ASK if takes_trust else AUTO, key=lambda verdict: verdict.rank)


def by_kind(case: Case) -> Verdict:
    if case.kind is Kind.CORRECTIONS:
        return of_corrections(case)
    if case.what == "add a correction" and not case.by_operators_word:
        return NEVER
    if case.kind in SELF_KEPT:
        return of_self_kept(case)
    if case.kind is Kind.MEMORY:
        return of_memory(case)
    if case.kind in (Kind.SOUL, Kind.AGENTS, Kind.USER) and case.origin is Origin.UNTRUSTED:
        return NEVER
    grows = case.kind is Kind.SOUL and case.growth == "auto" and case.author == Author(Role.KEEPER, "soul-keeper")
    return AUTO if grows and case.by_operators_word and case.what != "delete" else ASK


def of_corrections(case: Case) -> Verdict:
    """Only the operator can cause a correction, or take one back."""
    if case.what == "delete":
        return NEVER
    if case.by_operators_word or case.what in ("tick", "set seen", "set origin", "set summary", "move within"):
        return AUTO
    return ASK if case.what in ("remove", "merge") else NEVER


def of_self_kept(case: Case) -> Verdict:
    by_us = case.author.role in (Role.KEEPER, Role.SYSTEM)
    if case.what == "delete":  # pruning removes daily and session files once they are archived
        thinned = case.author.role is Role.SYSTEM and case.kind is Kind.SOUL_HISTORY  # history keeps the bytes
        return AUTO if thinned or (by_us and case.kind in (Kind.DAILY, Kind.SESSION)) else ASK
    if case.kind is Kind.DAILY and case.what in ("replace", "remove", "merge", "tick"):  # a diary is only written on
        return NEVER
    stronger = case.target is Origin.OPERATOR and not case.by_operators_word  # which the weaker never changes
    return ASK if stronger and not by_us and case.what in ("replace", "remove", "merge") else AUTO


def of_memory(case: Case) -> Verdict:
    """Auto for additions, merges, and replacements the operator caused or of what is not operator-stated; else ask."""
    if case.what == "delete":
        return NEVER
    if case.what == "remove":
        return ASK
    if case.what in ("replace", "merge"):
        free = case.target is not Origin.OPERATOR and case.origin.rank <= case.target.rank
        return AUTO if case.by_operators_word or free else ASK
    return AUTO


@pytest.mark.parametrize("kind", Kind)
def test_every_combination_has_the_verdict_the_design_gives(kind: Kind) -> None:
    name = name_of(kind)
    growths: tuple[Growth, ...] = ("ask", "auto")
    for (what, operation), author, target, origin, growth, exists in product(
        operations(name).items(), AUTHORS, Origin, Origin, growths, (True, False)
    ):
        got = decide(operation, author, target, origin, growth, exists=exists)
        case = Case(kind, what, author, target, origin, growth, exists)
        assert got is expected(case), case


@pytest.mark.parametrize("kind", Kind)
def test_an_archived_correction_is_as_safe_as_a_standing_one(kind: Kind) -> None:
    for author, target, origin in product(AUTHORS, Origin, Origin):
        add = decide(Add(ARCHIVED_CORRECTION, "x"), author, target, origin, "auto", exists=True)
        into = decide(Move(name_of(kind), ENTRY, to=ARCHIVED_CORRECTION), author, target, origin, "auto", exists=True)
        by_operator = author.role is Role.OPERATOR
        if not by_operator and origin is not Origin.OPERATOR:
            assert add is NEVER
        if not by_operator and kind is not Kind.CORRECTIONS and target.weaker(origin) is not Origin.OPERATOR:
            assert into is NEVER


MOVES = [
    # from, to, verdict for a keeper on a participant's word, on the operator's, with an untrusted entry
    (Kind.MEMORY, Kind.ARCHIVE, AUTO, AUTO, AUTO),
    (Kind.MEMORY, Kind.DAILY, ASK, ASK, ASK),
    (Kind.MEMORY, Kind.SOUL, ASK, ASK, NEVER),
    (Kind.DAILY, Kind.ARCHIVE, AUTO, AUTO, AUTO),
    (Kind.DAILY, Kind.MEMORY, AUTO, AUTO, AUTO),
    (Kind.DAILY, Kind.SOUL, ASK, ASK, NEVER),
    (Kind.DAILY, Kind.AGENTS, ASK, ASK, NEVER),
    (Kind.DAILY, Kind.USER, ASK, ASK, NEVER),
    (Kind.DAILY, Kind.SKILL, ASK, ASK, ASK),
    (Kind.DAILY, Kind.CORRECTIONS, NEVER, AUTO, NEVER),
    (Kind.CORRECTIONS, Kind.ARCHIVE, ASK, AUTO, ASK),
    (Kind.CORRECTIONS, Kind.DAILY, ASK, AUTO, ASK),
    (Kind.ROOM, Kind.OTHER, NEVER, NEVER, NEVER),
    (Kind.OTHER, Kind.ROOM, NEVER, NEVER, NEVER),
    (Kind.SOUL, Kind.ARCHIVE, ASK, ASK, ASK),
    (Kind.ARCHIVE, Kind.MEMORY, AUTO, AUTO, AUTO),
]


@pytest.mark.parametrize(("source", "to", "guest", "operator", "untrusted"), MOVES)
def test_an_entry_moves_when_one_document_lets_it_go_and_the_other_lets_it_in(
    source: Kind, to: Kind, guest: Verdict, operator: Verdict, untrusted: Verdict
) -> None:
    keeper = Author(Role.KEEPER, "memory-compactor")
    move = Move(name_of(source), ENTRY, to=name_of(to))
    assert decide(move, keeper, Origin.OPERATOR, Origin.PARTICIPANT, "ask", exists=True) is guest
    assert decide(move, keeper, Origin.OPERATOR, Origin.OPERATOR, "ask", exists=True) is operator
    assert decide(move, keeper, Origin.UNTRUSTED, Origin.AGENT, "ask", exists=True) is untrusted
    in_person = decide(move, Author(Role.OPERATOR), Origin.OPERATOR, Origin.OPERATOR, "ask", exists=True)
    assert in_person is (NEVER if Kind.OTHER in (source, to) else AUTO)


def test_corrections_are_archived_at_once() -> None:
    move = Move(name_of(Kind.CORRECTIONS), ENTRY, to=ARCHIVED_CORRECTION)
    keeper = Author(Role.KEEPER, "memory-compactor")
    assert decide(move, keeper, Origin.OPERATOR, Origin.AGENT, "ask", exists=True) is AUTO


def test_a_mixed_set_has_its_strictest_verdict() -> None:
    assert strictest([]) is AUTO
    assert strictest([AUTO, ASK, AUTO]) is ASK
    assert strictest([ASK, NEVER, AUTO]) is NEVER


def test_only_the_operator_passes_the_caps_of_confidence() -> None:
    caps = {origin: confidence_cap(origin) for origin in Origin}
    assert caps.pop(Origin.OPERATOR) == 1.0
    assert caps.pop(Origin.UNTRUSTED) == 0.6
    assert set(caps.values()) == {0.94}
