"""The keepers' thinking done by somebody else's agent: as good as a model's, checked like it, and seen by nobody who may not."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from good_model import GoodModel, good_answer
from oldsoul.app.keepers.answers import LEASE
from oldsoul.app.keepers.open_questions import QUESTION
from oldsoul.errors import BadInput, NotFound
from oldsoul.ledger import ANSWER
from oldsoul.testing import FrozenClock
from oldsoul.values.keepers import KEEPERS, PROMPTED
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled
from talk_bench import START, Talk, talk

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.app import Agent, Oldsoul
    from oldsoul.app.keepers.answers import OpenQuestion

OWN = Session.dm(id="own")
ROOM = Session.group("dev", id="in-dev")
ANN = Session.dm("acct:7", id="ann")
SCHEDULED = tuple(record.name for record in KEEPERS if record.schedule)
MEMORY = """# Memory

## Knowledge

- the boiler in the cellar was serviced by Okafor (added 2026-02-03) #knowledge <!--os aaaaaaaaa1 conf=0.95 seen=2026-02-03-->
- the boiler in the cellar gets serviced by nobody (added 2026-02-03) #knowledge <!--os aaaaaaaaa2 conf=0.95 seen=2026-02-03-->
"""
DAY = "# 2025-12-01\n\n## 2025-12-01 10:00 UTC\n\n**User:** Nora\n\nNora painted the fence green in the afternoon.\n"
SAID = (
    (OWN, "We decided to move the launch of the shop to May 4.", "Nora", "acct:owner"),
    (OWN, "The cellar was dry all winter, and the boiler is new.", "Nora", "acct:owner"),
    (ROOM, "The staging database is restored every Monday at six.", "Ann", "acct:7"),
    (ROOM, "The build server moved to the hall of the old mill.", "Ben", "acct:8"),
    (ANN, "My sister Ilse is coming over from Graz on Sunday.", "Ann", "acct:7"),
)


def told(t: Talk) -> Talk:
    """A home in which something was said before each audience, and nobody has taken it in yet."""
    for session, text, sender, person in SAID:
        t.say(session, text, sender=sender, person=person)
    t.clock.advance(timedelta(hours=1))
    return t


def busy() -> Talk:
    """The same with something to ask for every keeper; what they do without asking is done."""
    t = talk()
    t.agent.files.put("MEMORY.md", MEMORY.encode())
    t.agent.files.put("memory/2025-12-01.md", DAY.encode())
    t.say(OWN, "Which town is the fair in?", sender="Nora", person="acct:owner")
    t.say(OWN, "The fair is in Lund, as far as I know.", sender="main", role="assistant")
    t.say(OWN, "You forgot what I said about the fair!", sender="Nora", person="acct:owner")
    told(t)
    t.agent.keepers.work(session=Session.group("nobody"))
    return t


def documents(t: Talk) -> dict[str, bytes | None]:
    return {path: t.agent.files.show(path).data for path in t.paths()}


def reply(question: OpenQuestion) -> dict[str, Any]:
    return good_answer(question.evidence, question.schema)


def drain(agent: Agent, *sessions: Session, limit: int = 5) -> list[OpenQuestion]:
    """Answer all that waits and that these sessions may see; gives what was answered."""
    done: list[OpenQuestion] = []
    while given := [(session, one) for session in sessions for one in agent.keepers.work(session=session, limit=limit)]:
        for session, one in given:
            agent.keepers.answer(one.id, reply(one), session=session)
            done.append(one)
    return done


def test_an_agent_does_the_keepers_thinking_and_memory_is_what_a_model_makes_of_it() -> None:
    worked, asked = told(talk()), told(talk(model=GoodModel()))
    done = drain(worked.agent, OWN, ROOM, ANN)
    assert {one.kind for one in done} >= {"session-summarizer", "memory-miner"}
    for job in SCHEDULED:
        asked.agent.run(job)
    assert documents(worked) == documents(asked)
    assert "launch of the shop" in worked.text("MEMORY.md")


def test_without_an_agent_that_comes_for_work_rules_do_it_at_once() -> None:
    t = told(talk())
    assert all(report.done for report in t.agent.run("memory-miner"))
    assert t.store.records("main", QUESTION) == {}


def test_a_home_with_a_model_has_no_work_for_others() -> None:
    assert told(talk(model=GoodModel())).agent.keepers.work(session=OWN) == []


def test_runs_wait_for_an_agent_that_comes_for_work_and_go_on_when_it_has_answered() -> None:
    t = talk()
    assert t.agent.keepers.work(session=OWN) == []
    told(t)
    before = documents(t)
    (report,) = t.agent.talk.end("own")
    assert not report.done
    assert report.notes[0].startswith("stopped: ")
    assert documents(t) == before
    (question,) = [one for one in t.agent.keepers.work(session=OWN) if one.kind == "session-summarizer"]
    answered = t.agent.keepers.answer(question.id, json.dumps(reply(question)), session=OWN)
    assert answered.done
    assert answered.changes >= 1
    assert "launch of the shop" in "".join(t.text(path) for path in t.paths("memory/2026-02-04/"))


def test_a_question_is_seen_by_those_alone_who_heard_its_evidence() -> None:
    t = told(talk())
    everything = [text for _, text, _, _ in SAID]
    seen = {
        session.id: "".join(one.evidence for one in t.agent.keepers.work(session=session, limit=20))
        for session in (Session.group("other"), ROOM, ANN, OWN)
    }
    assert seen[Session.group("other").id] == ""
    assert [text in seen["in-dev"] for text in everything] == [False, False, True, True, False]
    assert [text in seen["ann"] for text in everything] == [False] * 4 + [True]
    assert [text in seen["own"] for text in everything] == [True, True, False, False, False]  # the room has its own


def test_a_prompt_that_the_operator_edited_is_shown_to_the_operator_alone() -> None:
    t = told(talk())
    path = "agents/session-summarizer/SOUL.md"
    t.agent.files.put(path, (t.agent.files.show(path).data or b"") + b"\nNever mention the divorce.\n")
    assert [one.kind for one in t.agent.keepers.work(session=ROOM, limit=20)] == ["memory-miner"]
    assert any("divorce" in one.instructions for one in t.agent.keepers.work(session=OWN, limit=20))


def test_somebody_elses_question_cannot_be_answered() -> None:
    t = told(talk())
    question = t.agent.keepers.work(session=OWN)[0]
    before = documents(t)
    for session in (ROOM, ANN, Session.group("other")):
        with pytest.raises(NotFound):
            t.agent.keepers.answer(question.id, reply(question), session=session)
    assert documents(t) == before


def test_nobodys_memory_waits_for_an_answer_that_only_others_can_give() -> None:
    t = told(talk())
    drain(t.agent, ROOM)
    assert "staging database" in t.text("rooms/dev.md")
    assert "launch" not in t.text("MEMORY.md")
    drain(t.agent, OWN, ANN)
    assert t.store.records("main", QUESTION) == t.store.records("main", ANSWER) == {}


def test_answers_may_come_in_any_order() -> None:
    one, other = told(talk()), told(talk())
    for t, backwards in ((one, False), (other, True)):
        while given := t.agent.keepers.work(session=OWN, limit=20):
            for question in reversed(given) if backwards else given:
                t.agent.keepers.answer(question.id, reply(question), session=OWN)
    made, unmade = documents(one), documents(other)
    diary = "memory/2026-02-04.md"  # of what different people may see each keeps its own order
    assert sorted((made.pop(diary) or b"").split(b"\n## ")) == sorted((unmade.pop(diary) or b"").split(b"\n## "))
    assert made == unmade


def test_a_model_does_it_with_two_tools_that_are_there_where_it_is_needed() -> None:
    t = told(talk())
    work, answer = (tool for tool in t.agent.tools() if tool.name in ("memory_work", "memory_answer"))
    done = 0
    while given := work.call(t.agent, OWN, {"limit": 3})["questions"]:
        for one in json.loads(json.dumps(given)):
            made = good_answer(one["evidence"], one["schema"])
            assert answer.call(t.agent, OWN, {"id": one["id"], "answer": made}).keys() == {"done", "changes", "notes"}
            done += 1
    assert done == 5
    for other in (talk(model=GoodModel()), talk("timezone: UTC\nkeepers:\n  enabled: false\n")):
        assert not {"memory_work", "memory_answer"} & {tool.name for tool in other.agent.tools()}
    for wrong in (0, 21, True, "2"):
        with pytest.raises(BadInput):
            work.call(t.agent, OWN, {"limit": wrong})
    with pytest.raises(BadInput):
        answer.call(t.agent, OWN, {"id": 7, "answer": {}})


# one worker at a time


def test_a_question_is_given_to_one_worker_at_a_time_until_its_time_is_over() -> None:
    t = told(talk())
    (first,) = t.agent.keepers.work(session=OWN, limit=1)
    again = t.agent.keepers.work(session=OWN, limit=20)
    assert first.id not in {one.id for one in again}
    assert first.evidence not in {one.evidence for one in again}
    t.clock.advance(LEASE)
    later = next(one for one in t.agent.keepers.work(session=OWN, limit=20) if one.evidence == first.evidence)
    with pytest.raises(NotFound):
        t.agent.keepers.answer(first.id, reply(first), session=OWN)
    t.agent.keepers.answer(later.id, reply(later), session=OWN)
    with pytest.raises(NotFound):
        t.agent.keepers.answer(later.id, reply(later), session=OWN)


def test_of_many_workers_at_once_on_one_home_each_gets_other_questions(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("timezone: UTC\n", "utf-8")
    clock = FrozenClock(START)
    homes = [open_home(tmp_path, {}, clock) for _ in range(2)]
    t = Talk(homes[0], homes[0]._home.world.store, clock, homes[0].agent())  # type: ignore[arg-type]
    told(t)
    given: list[str] = []
    problems: list[BaseException] = []

    def worker(agent: Agent) -> None:
        try:
            given.extend(one.id.partition("-")[0] for one in agent.keepers.work(session=OWN, limit=1))
        except BaseException as error:  # noqa: BLE001 - told below
            problems.append(error)

    threads = [threading.Thread(target=worker, args=(home.agent(),)) for home in homes for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [one.id.partition("-")[0] for one in homes[1].agent().keepers.work(session=OWN, limit=20)]
    assert problems == []
    assert given
    assert len({*given, *left}) == len(given) + len(left)
    for home in homes:
        home.close()


def test_a_worker_who_comes_at_any_step_of_another_gets_other_questions(tmp_path: Path) -> None:
    at, writes = 0, 1
    while at < writes:  # the second comes right before the write number `at` of the first
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "config.yaml").write_text("timezone: UTC\n", "utf-8")
        clock = FrozenClock(START)
        first, second = (open_home(folder, {}, clock) for _ in range(2))
        store = first._home.world.store
        told(Talk(first, store, clock, first.agent()))  # type: ignore[arg-type]
        given: list[str] = []
        writes = 0

        def held(
            workspace: str, at: int = at, second: Oldsoul = second, own: Any = store.hold, given: list[str] = given
        ) -> Any:
            nonlocal writes
            writes += 1
            if writes == at + 1:
                given.extend(one.id.partition("-")[0] for one in second.agent().keepers.work(session=OWN, limit=1))
            return own(workspace)

        store.hold = held  # type: ignore[method-assign]
        given += [one.id.partition("-")[0] for one in first.agent().keepers.work(session=OWN, limit=1)]
        given += [one.id.partition("-")[0] for one in second.agent().keepers.work(session=OWN, limit=20)]
        assert len({*given}) == len(given) > 1, f"the second came at {at}"
        at += 1
        for home in (first, second):
            home.close()
    assert at > 5


# how they end


def test_a_question_that_nobody_answers_is_left_to_rules_in_time() -> None:
    t = told(talk())
    given = t.agent.keepers.work(session=OWN, limit=20)
    t.clock.advance(timedelta(hours=25))
    rules = told(talk())
    rules.clock.advance(timedelta(hours=25))
    assert t.agent.keepers.work(session=OWN, limit=20) == []
    for job in SCHEDULED:
        rules.agent.run(job)
    assert documents(t) == documents(rules)
    assert t.store.records("main", QUESTION) == {}
    with pytest.raises(NotFound):
        t.agent.keepers.answer(given[0].id, reply(given[0]), session=OWN)


def test_no_question_waits_where_that_is_switched_off() -> None:
    t = told(talk("timezone: UTC\nkeepers:\n  patience_hours: 0\n"))
    assert t.agent.keepers.work(session=OWN) == []
    assert all(report.done for report in t.agent.run("memory-miner"))


def test_a_question_goes_with_its_evidence() -> None:
    t = told(talk())
    given = t.agent.keepers.work(session=OWN, limit=20)
    for number in (1, 2):
        t.agent.talk.forget_message(number)
    before = documents(t)
    gone = [one for one in given if "launch" in one.evidence]
    assert {one.kind for one in gone} >= {"session-summarizer", "memory-miner"}
    for one in gone:
        with pytest.raises(NotFound):
            t.agent.keepers.answer(one.id, reply(one), session=OWN)
    assert documents(t) == before
    assert not any("launch" in one.evidence for one in t.agent.keepers.work(session=OWN, limit=20))


def on_disk(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_after_forgetting_nothing_of_a_question_or_its_answer_is_on_disk(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("timezone: UTC\n", "utf-8")
    clock = FrozenClock(START)
    with open_home(tmp_path, {}, clock) as soul:
        t = Talk(soul, soul._home.world.store, clock, soul.agent())  # type: ignore[arg-type]
        told(t)
        given = t.agent.keepers.work(session=OWN, limit=20)
        first, *_, last = given
        assert first.evidence != last.evidence
        t.agent.keepers.answer(last.id, reply(last), session=OWN)  # it waits for the one before it
        assert soul._home.world.store.records("main", ANSWER)
        for number in (1, 2):
            t.agent.talk.forget_message(number)
        assert soul._home.world.store.records("main", ANSWER) == {}
        for word in (b"launch of the shop", b"boiler is new"):
            assert word not in on_disk(tmp_path)
    assert b"launch of the shop" not in on_disk(tmp_path)


# answers that are none


_MANY = st.integers(1000, 4711)


def _lying(schema: dict[str, Any], texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Answers of the form that is asked for, about messages and in words that are not there."""
    if "enum" in schema:
        return st.just("memory") if "memory" in schema["enum"] else st.sampled_from(schema["enum"])
    kinds = schema.get("type", "string")
    match kinds if isinstance(kinds, str) else kinds[0]:
        case "object":
            known = schema["properties"]
            return st.fixed_dictionaries({k: _MANY if k == "pair" else _lying(one, texts) for k, one in known.items()})
        case "array":
            return st.lists(_lying(schema["items"], texts), min_size=1, max_size=3)
        case "integer":
            return st.integers(-5, 4711)
        case "boolean":
            return st.booleans()
    return texts.map(lambda text: text[: schema.get("maxLength", 2000)])


_GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=scaled(5, 100))
@given(st.data())
def test_an_answer_that_lies_echoes_or_invents_changes_nothing(data: st.DataObject) -> None:
    t = busy()
    before, proposed, kinds = documents(t), t.agent.review.proposals(), set()
    for question in t.agent.keepers.work(session=OWN, limit=20):
        kinds.add(question.kind)
        whole = [*question.instructions.splitlines(), question.instructions, question.evidence]
        texts = st.text(max_size=40).map(lambda text: f"Mallory {text}") | st.sampled_from(whole)
        lies = _lying(dict(question.schema), texts) | _GARBAGE | st.sampled_from(whole)
        try:
            answered = t.agent.keepers.answer(question.id, data.draw(lies), session=OWN)
        except BadInput:
            continue
        assert answered.changes == 0
    assert documents(t) == before
    assert t.agent.review.proposals() == proposed
    assert kinds == set(PROMPTED)
