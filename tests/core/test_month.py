"""The scripted month, lived without a model: what is true is found, what was corrected is not said, nothing leaks."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from month_life import MONTH, OWNER, Life, begun, lines, month
from oldsoul.app.keepers.correction_checks import checked
from oldsoul.judging.corrections.values import holds
from oldsoul.values.names import Kind
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.values.recall import Hit

ANN, BEN = "acct:7", "acct:8"
SESSIONS = {
    "owner": Session.dm(OWNER),
    f"person:{ANN}": Session.dm(ANN),
    f"person:{BEN}": Session.dm(BEN),
    "room:kitchen": Session.group("kitchen"),
    "room:harbour": Session.group("harbour"),
}
SEES = {"owner": {"owner", "room:kitchen", "room:harbour"}}
"""What else an audience's session may see."""


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    lived = begun(tmp_path_factory.mktemp("month") / "home")
    lived.live(month())
    yield lived
    lived.soul.close()


def hits(life: Life, question: str, audience: str, limit: int) -> tuple[Hit, ...]:
    return life.agent.recall(question, session=SESSIONS[audience], limit=limit, counted=False).hits


def texts(life: Life, question: str, audience: str, limit: int) -> list[str]:
    return [hit.chunk.text for hit in hits(life, question, audience, limit)]


def test_no_run_of_the_month_fails(life: Life) -> None:
    assert [(r.run.keeper, r.problems) for r in life.reports if not r.done or r.problems] == []
    assert life.soul._home.noticed == []


def test_what_is_still_true_is_found(life: Life, capsys: pytest.CaptureFixture[str]) -> None:
    facts = [fact for fact in lines("facts.jsonl") if not fact["until"]]
    missed = [
        fact["question"]
        for fact in facts
        if not any(
            fact["answer"].casefold() in t.casefold() for t in texts(life, fact["question"], fact["audience"], 20)
        )
    ]
    with capsys.disabled():
        sys.stdout.write(f"\nstill true and found: {len(facts) - len(missed)} of {len(facts)}; missed: {missed}\n")
    assert len(missed) <= len(facts) * 0.05


def where(correction: dict[str, Any]) -> str:
    message = next(m for m in month() if m["id"] == correction["message"])
    return f"room:{message['room']}" if message["kind"] == "group" else "owner"


def said_at(correction: dict[str, Any]) -> datetime:
    return next(datetime.fromisoformat(m["time"]) for m in month() if m["id"] == correction["message"])


def test_no_corrected_value_is_asserted(life: Life) -> None:
    corrections = [one for one in lines("corrections.jsonl") if not (one.get("trap") or one.get("partly"))]
    assert len(corrections) >= 12
    wrong = [
        (one["question"], hit.chunk.text)
        for one in corrections
        for hit in hits(life, one["question"], where(one), 6)
        if holds(hit.chunk.text, one["wrong"])
        and not holds(hit.chunk.text, one["right"])
        # A person who uses the word again later ("blue would look nice though") does not say what was put right.
        and (hit.chunk.by_agent or hit.chunk.time is None or hit.chunk.time <= said_at(one))
    ]
    assert wrong == []


def test_every_correction_that_names_its_value_is_a_check_that_holds(life: Life) -> None:
    found = checked(life.agent._parts)
    assert len(found) >= 12
    assert [(one.correction.correct, one.problem) for one in found if one.problem] == []


def test_a_trap_is_no_correction(life: Life) -> None:
    traps = [life.numbers[one["message"]] for one in lines("corrections.jsonl") if one.get("trap")]
    text = life.text("CORRECTIONS.md")
    assert [number for number in traps if f"src=m:{number}-" in text or f"src=m:{number} " in text] == []


def test_long_term_memory_is_within_its_limits_and_its_junk_is_counted(
    life: Life, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = {life.numbers[m["id"]]: m["mark"] for m in month()}
    kept = [(path, marks[int(entry.fields["src"][2:])]) for path, entry in life.entries()]
    own = [mark for path, mark in kept if path == "MEMORY.md"]
    proposed = {
        int(evidence.ref[2:])
        for proposal in life.agent.review.proposals("")
        for evidence in proposal.change_set.evidence
        if evidence.ref.startswith("m:")
    }
    reached = {int(entry.fields["src"][2:]) for _, entry in life.entries()}
    wanted = {number for number, mark in marks.items() if mark == "keep"}
    with capsys.disabled():
        sys.stdout.write(
            f"\nMEMORY.md: {len(own)} entries, junk {own.count('junk')}; with rooms {len(kept)}, junk"
            f" {sum(mark == 'junk' for _, mark in kept)}; of {len(wanted)} messages to keep {len(wanted & reached)}"
            f" reached memory, {len((wanted & proposed) - reached)} a suggestion,"
            f" {len(wanted - reached - proposed)} neither (the chat log has them)\n"
        )
    assert own
    assert own.count("junk") <= len(own) * 0.05
    assert sum(mark == "junk" for _, mark in kept) <= len(kept) * 0.05
    for name in life.soul._home.world.store.names(life.agent.id):
        if name.kind in (Kind.MEMORY, Kind.ROOM, Kind.SOUL, Kind.USER):
            assert len(life.agent._parts.read(name).data or b"") <= 16 * 1024, name


def test_nothing_private_reaches_another_circle(life: Life) -> None:
    canaries = json.loads((MONTH / "canaries.json").read_text("utf-8"))
    assert len(canaries) >= 20
    for canary in canaries:
        word, own = canary["word"], canary["audience"]
        for audience, session in SESSIONS.items():
            if own == audience or own in SEES.get(audience, ()):
                continue
            told = life.agent.context(f"what about {word}?", session=session).block
            found = texts(life, f"what do you know about {word}?", audience, 20)
            assert not any(
                word.casefold() in text.casefold() for text in (told.replace(f"what about {word}?", ""), *found)
            )


def test_every_room_and_person_keeps_what_was_said_there(life: Life) -> None:
    for name in life.soul._home.world.store.names(life.agent.id):
        if name.kind is Kind.ROOM:
            own = name.path.removeprefix("rooms/").removesuffix(".md")
            said = {life.numbers[m["id"]] for m in month() if m["room"] == own}
            sources = [int(e.fields["src"][2:]) for path, e in life.entries() if path == name.path]
            assert set(sources) <= said
