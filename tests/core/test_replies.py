"""An agent that replies: what the model is told, what people get, what is logged, whatever the model does."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oldsoul.app.replying import exchange
from oldsoul.errors import BadInput, NotFound, OutOfBudget, Refused, Unavailable
from oldsoul.testing import FrozenClock, ScriptedModel, ScriptedTalker
from oldsoul.values.callers import Caller
from oldsoul.values.messages import Wanted
from oldsoul.values.models import Offer, Speaker, Supplied, ToolCall, Turn, Usage
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from scale import scaled

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from oldsoul.app import Agent, Oldsoul

OWN, DEV, ANN = Session.dm(), Session.group("dev"), Session.dm("acct:7", id="ann")


def home(tmp_path: Path, *script: Any, config: str = "", **more: Any) -> AbstractContextManager[Oldsoul]:
    """A home whose model says what the script says; without a script it has none."""
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(f"timezone: UTC\n{config}")
    talker = ScriptedTalker(*script) if script else None
    return open_home(folder, {}, talker=talker, **more)


def talker_of(agent: Agent) -> ScriptedTalker:
    made: Any = agent._parts.home.world
    return made.models.own_talker  # type: ignore[no-any-return]


def said(agent: Agent, session: Session = OWN) -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in agent.talk.messages(Wanted(session=session.id))]


def data(agent: Agent, path: str) -> bytes:
    return agent.files.show(path).data or b""


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(f"call-{name}", name, json.dumps(arguments))


# what the model is told, and what is logged


def test_a_message_and_its_reply_are_logged_and_the_model_gets_prompt_turns_and_memory(tmp_path: Path) -> None:
    with home(tmp_path, "Hello!", "It is Milo.") as soul:
        agent = soul.agent()
        agent.remember("The cat of the house is called Milo")
        first = agent.respond("Good morning", session=OWN)
        second = agent.respond("what is the cat called?", session=OWN)
        assert (first.text, second.text) == ("Hello!", "It is Milo.")
        assert said(agent) == [
            ("user", "Good morning"),
            ("assistant", "Hello!"),
            ("user", "what is the cat called?"),
            ("assistant", "It is Milo."),
        ]
        assert second.logged is not None
        assert second.logged.text == "It is Milo."
        one, other = talker_of(agent).requests
        assert [turn.speaker for turn in other.turns] == [
            Speaker.SYSTEM,
            Speaker.USER,
            Speaker.ASSISTANT,
            Speaker.USER,
        ]
        assert one.turns[0] == other.turns[0]
        assert other.turns[1].text == "Good morning"
        assert other.turns[-1].text.endswith("what is the cat called?")
        assert "The cat of the house is called Milo" in other.turns[-1].text
        assert other.turns[-1].text.count("what is the cat called?") == 1
        assert {offer.name for offer in other.offers} >= {"memory_search", "memory_get", "write_memory"}
        assert any(one.document == "MEMORY.md" for one in second.prompt.context.included)


def test_agent_response_uses_soul(tmp_path: Path) -> None:
    """A changed SOUL.md, AGENTS.md and MEMORY.md hold from the next reply on, without a restart."""
    with home(tmp_path, "one", "two") as soul:
        agent = soul.agent()
        agent.respond("hello", session=OWN)
        for name, words in (("SOUL.md", "You speak like a pirate."), ("AGENTS.md", "Answer in one line.")):
            file = tmp_path / "home/workspace/main" / name
            file.write_text(f"# {name}\n\n{words}\n")
        agent.respond("hello again", session=OWN)
        before, after = (request.turns[0].text for request in talker_of(agent).requests)
        assert "like a pirate" not in before
        assert "You speak like a pirate." in after
        assert "Answer in one line." in after


def test_a_conversation_only_grows_at_its_end_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a provider may keep: the stable prompt, and all turns before the last."""
    monkeypatch.setattr(exchange, "_MOST_CHARACTERS", 1000)
    count = 30
    with home(
        tmp_path, *(f"reply {n}" for n in range(count)), config="context: {replies: {history_messages: 20}}\n"
    ) as soul:
        agent = soul.agent()
        for number in range(count):
            agent.respond(f"message {number}", session=OWN)
        requests = talker_of(agent).requests
        assert len({request.turns[0] for request in requests}) == 1
        grown = 0
        for before, after in pairwise(requests):
            assert len(after.turns) <= 22
            assert after.turns[-1].text.endswith(f"message {requests.index(after)}")
            grown += after.turns[: len(before.turns) - 1] == before.turns[:-1]
        assert grown >= count * 3 // 4
        long = "x" * 600
        talker_of(agent).script = ["a", "b", "c"]
        for _ in range(3):
            agent.respond(long, session=OWN)
        assert sum(len(turn.text) for turn in talker_of(agent).requests[-1].turns[1:-1]) <= 1000


def test_in_a_room_the_model_is_told_who_says_what(tmp_path: Path) -> None:
    with home(tmp_path, "Noted.", "Ben did.") as soul:
        agent = soul.agent()
        agent.respond("I wrote the plan", session=DEV, sender="Ben", subject="acct:8")
        agent.respond("who wrote it?", session=DEV, sender="Ann", subject="acct:7")
        turns = talker_of(agent).requests[-1].turns
        assert turns[1].text == "Ben: I wrote the plan"
        assert turns[-1].text.endswith("Ann: who wrote it?")


def test_what_is_for_the_program_reaches_nobody(tmp_path: Path) -> None:
    reply = "<think>Milo it is.</think><final>[[reply_to_current]] It is Milo.</final>"
    with home(tmp_path, [*reply], "NO_REPLY", "HEARTBEAT_OK") as soul:
        agent = soul.agent()
        made = agent.respond("what is the cat called?", session=OWN)
        assert (made.text, made.reply_to) == ("It is Milo.", "current")
        for message in ("nothing", "heartbeat"):
            quiet = agent.respond(message, session=OWN)
            assert quiet.silent
            assert quiet.logged is None
        assert [text for role, text in said(agent) if role == "assistant"] == ["It is Milo."]


def test_a_stream_gives_the_reply_in_pieces_and_logs_what_respond_logs(tmp_path: Path) -> None:
    with home(tmp_path, ["It ", "is ", "Milo."], "It is Milo.") as soul:
        agent = soul.agent()
        stream = agent.stream("what is the cat called?", session=OWN)
        pieces = list(stream)
        assert len(pieces) > 1
        assert "".join(pieces) == stream.response.text == "It is Milo."
        assert agent.respond("what is the cat called?", session=OWN).text == stream.response.text
        assert said(agent)[:2] == said(agent)[2:]


def test_a_message_that_comes_twice_gets_the_reply_it_got(tmp_path: Path) -> None:
    with home(tmp_path, "once") as soul:
        agent = soul.agent()
        first, second = (agent.respond("hello", session=OWN, key="k") for _ in range(2))
        assert first.text == second.text == "once"
        assert first.logged == second.logged
        assert said(agent) == [("user", "hello"), ("assistant", "once")]


def test_nothing_is_kept_of_a_conversation_that_is_not_to_be_kept(tmp_path: Path) -> None:
    with home(tmp_path, call("write_memory", content="a secret plan"), "done") as soul:
        agent = soul.agent()
        made = agent.respond("remember the plan", session=OWN, keep=False)
        assert made.text == "done"
        assert made.heard is None
        assert made.logged is None
        assert "not allowed for readers" in made.tools[0].result
        assert agent.talk.messages(Wanted()) == []
        assert b"secret plan" not in data(agent, "MEMORY.md")


def test_secrets_go_neither_to_the_model_nor_to_the_log(tmp_path: Path) -> None:
    secret = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    for keep in (True, False):
        with home(tmp_path, "ok") as soul:
            agent = soul.agent()
            agent.respond(f"my key is {secret}", session=OWN, keep=keep)
            assert not any(secret in turn.text for turn in talker_of(agent).requests[0].turns)


def test_memory_written_after_conversation(tmp_path: Path) -> None:
    """A session that was quiet for long is ended by the next message: the log of its day tells of it."""
    clock = FrozenClock()
    with home(tmp_path, "I will.", "ok", clock=clock) as soul:
        agent = soul.agent()
        list(agent.stream("Please remember that we decided to use PostgreSQL", session=OWN))
        clock.advance(timedelta(minutes=10))
        assert agent.talk.days() == []
        clock.advance(timedelta(hours=1))
        agent.respond("hello", session=OWN)
        (day,) = agent.talk.days()
        assert b"12:00 UTC" in data(agent, day.name.path)
        assert agent.talk.session(OWN.id).summarised == 2


def test_a_model_that_sums_up_does_so_beside_the_reply(tmp_path: Path) -> None:
    clock = FrozenClock()
    with home(tmp_path, "one", "two", clock=clock, model=ScriptedModel()) as soul:
        agent = soul.agent()
        agent.respond("We decided to use PostgreSQL", session=OWN)
        clock.advance(timedelta(hours=1))
        agent.respond("hello", session=OWN)
        (job,) = soul.jobs()
        assert job.kind == "run"
        job.wait()


# tools


def test_the_model_calls_tools_until_it_replies(tmp_path: Path) -> None:
    with home(
        tmp_path,
        ["Let me look.", call("memory_search", query="cat")],
        call("write_memory", content="Milo likes tuna", tag="knowledge"),
        "It is Milo.",
    ) as soul:
        agent = soul.agent()
        agent.remember("The cat is called Milo")
        made = agent.respond("what is the cat called? he likes tuna", session=OWN)
        assert made.text == "Let me look.\n\nIt is Milo."
        assert [use.name for use in made.tools] == ["memory_search", "write_memory"]
        assert "The cat is called Milo" in made.tools[0].result
        assert b"Milo likes tuna" in data(agent, "MEMORY.md")
        assert b"origin=agent" in data(agent, "MEMORY.md")
        last = talker_of(agent).requests[-1].turns
        assert [turn.speaker for turn in last[-2:]] == [Speaker.ASSISTANT, Speaker.TOOL]
        assert last[-2].calls[0].id == last[-1].answers


def test_tools_that_go_wrong_are_told_to_the_model(tmp_path: Path) -> None:
    script = [
        ToolCall("1", "launch_rockets", "{}"),
        ToolCall("2", "memory_search", "{not json"),
        ToolCall("3", "memory_search", "[1]"),
        ToolCall("4", "memory_search", "{}"),
        ToolCall("5", "write_memory", '{"content": "```\\nnever closed"}'),
        ToolCall("6", "write_memory", json.dumps({"content": "x" * 40_000})),
        ToolCall("7", "memory_get", '{"path": "../../etc/passwd"}'),
    ]
    with home(tmp_path, script, "Sorry.") as soul:
        agent = soul.agent()
        before = data(agent, "MEMORY.md")
        made = agent.respond("do it", session=OWN)
        assert made.text == "Sorry."
        results = [json.loads(use.result) for use in made.tools]
        assert all(result.keys() == {"error"} for result in results)
        assert "launch_rockets" in results[0]["error"]
        assert "JSON" in results[1]["error"]
        assert "never closed" in results[4]["error"]
        assert "limit" in results[5]["error"]
        assert data(agent, "MEMORY.md") == before


def test_a_model_that_never_stops_calling_tools_is_stopped(tmp_path: Path) -> None:
    endless = [call("memory_search", query="cat")] * 100
    with home(tmp_path, *endless, config="context: {replies: {tool_rounds: 3}}\n") as soul:
        agent = soul.agent()
        with pytest.raises(Unavailable, match="3 times in a row"):
            agent.respond("hello", session=OWN)
        requests = talker_of(agent).requests
        assert len(requests) == 4
        assert requests[-1].offers == ()
        assert said(agent) == [("user", "hello")]


def test_a_result_that_is_too_large_is_an_error_for_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MOST_RESULT_BYTES", 300)
    with home(tmp_path, call("memory_get", path="MEMORY.md"), "ok") as soul:
        agent = soul.agent()
        agent.remember("word " * 60)
        made = agent.respond("read it", session=OWN)
        assert "more than 300 bytes" in made.tools[0].result


WALK = {
    "memory_search": {"query": "cat"},
    "memory_get": {"path": "MEMORY.md"},
    "write_memory": {"content": "Milo likes tuna"},
    "memory_correct": {"quote": "The cat is called Milo", "text": "The cat is called Mia"},
    "memory_forget": {"quote": "The cat is called Milo"},
    "propose_soul_change": {"text": "You speak like a pirate.", "reason": "fun"},
    "memory_work": {},
    "memory_answer": {"id": "x-1", "answer": "{}"},
    "skill_read": {"skill": "none"},
}


def test_no_tool_of_an_agent_changes_soul_rules_or_profile(tmp_path: Path) -> None:
    guarded = ("SOUL.md", "AGENTS.md", "USER.md")
    with home(tmp_path, "unused") as soul:
        operator = soul.agent()
        operator.remember("The cat is called Milo")
        before = {name: data(operator, name) for name in (*guarded, "MEMORY.md")}
        for session in (OWN, DEV, ANN):
            acting = soul.agent(caller=Caller.agent("main", session=session))
            tools = {tool.name: tool for tool in acting.tools()}
            assert tools.keys() == WALK.keys()
            for name, arguments in WALK.items():
                talker_of(operator).script = [ToolCall("1", name, json.dumps(arguments)), "done"]
                operator.respond(f"use {name}", session=session)
                for path in guarded:
                    hostile = json.dumps({**arguments, "path": path, "target": path, "quote": before[path].decode()})
                    talker_of(operator).script = [ToolCall("1", name, hostile), "done"]
                    operator.respond(f"use {name}", session=session)
        assert {name: data(operator, name) for name in guarded} == {name: before[name] for name in guarded}
        assert b"The cat is called Milo" in data(operator, "MEMORY.md")
        waiting = [proposal.change_set for proposal in operator.review.proposals()]
        assert {name.path for one in waiting for name in one.names} == {"SOUL.md", "MEMORY.md"}


def test_write_memory_tool(tmp_path: Path) -> None:
    """What is written goes where the conversation finds it again: MEMORY.md, the room, the person, or the day."""
    with home(tmp_path, "unused", clock=FrozenClock()) as soul:
        agent = soul.agent()

        def write(session: Session, **arguments: Any) -> dict[str, Any]:
            talker_of(agent).script = [call("write_memory", **arguments), "done"]
            return json.loads(agent.respond("write it down", session=session).tools[0].result)  # type: ignore[no-any-return]

        assert write(OWN, content="The boiler is old", title="Boiler", tag="knowledge") == {"done": True}
        assert write(OWN, content="The boiler is old", title="Boiler") == {"done": True, "known": True}
        assert write(DEV, content="The release is on Friday") == {"done": True}
        assert write(ANN, content="Ann plays the piano") == {"done": True}
        assert write(OWN, content="We fixed the boiler", target="daily") == {"done": True}
        assert "not 'soul'" in write(OWN, content="x", target="soul")["error"]
        assert b"- **Boiler**: The boiler is old" in data(agent, "MEMORY.md")
        for path, words in (
            ("rooms/dev.md", b"The release is on Friday"),
            ("memory/_longterms/acct_7/_index.md", b"Ann plays the piano"),
            ("memory/2026-02-04.md", b"We fixed the boiler"),
        ):
            assert words in data(agent, path)
        assert agent.recall("when is the release?", session=DEV).hits[0].chunk.path == "rooms/dev.md"
        assert not any("boiler" in hit.text for hit in agent.recall("boiler", session=ANN).hits)


def test_an_agent_mends_its_own_notes_and_proposes_what_others_stated(tmp_path: Path) -> None:
    with home(tmp_path, "unused") as soul:
        agent = soul.agent()
        agent.remember("The cat is called Milo")
        soul.agent(caller=Caller.agent("main", session=OWN)).remember("The dog is called Rex")

        def use(name: str, **arguments: Any) -> dict[str, Any]:
            talker_of(agent).script = [call(name, **arguments), "done"]
            return json.loads(agent.respond("mend it", session=OWN).tools[0].result)  # type: ignore[no-any-return]

        assert use("memory_correct", quote="dog is called Rex", text="The dog is called Max") == {"done": True}
        assert b"The dog is called Max" in data(agent, "MEMORY.md")
        waits = use("memory_correct", quote="cat is called Milo", text="The cat is called Mia", reason="I think so")
        assert waits["done"] is False
        assert agent.review.proposal(waits["proposal"]).change_set.reason == "I think so"
        assert b"Mia" not in data(agent, "MEMORY.md")
        assert use("memory_forget", quote="The dog is called Max")["done"] is False
        assert b"Max" in data(agent, "MEMORY.md")
        assert "quote more" in use("memory_forget", quote="is called")["error"]
        assert "no entry" in use("memory_forget", quote="The horse is called Jim")["error"]
        agent.review.approve(waits["proposal"])
        assert b"The cat is called Mia" in data(agent, "MEMORY.md")


def test_what_a_session_may_not_see_cannot_be_mended_or_named_there(tmp_path: Path) -> None:
    with home(tmp_path, "unused") as soul:
        agent = soul.agent()
        agent.remember("The safe is behind the mirror")
        for session in (DEV, ANN):
            for name, arguments in (
                ("memory_forget", {"quote": "safe is behind"}),
                ("memory_correct", {"quote": "safe is behind", "text": "nothing"}),
                ("memory_search", {"query": "where is the safe?"}),
                ("memory_get", {"path": "MEMORY.md"}),
            ):
                talker_of(agent).script = [ToolCall("1", name, json.dumps(arguments)), "done"]
                made = agent.respond("where is it?", session=session)
                assert "mirror" not in "".join([use.result for use in made.tools])
                assert not any("mirror" in turn.text for turn in talker_of(agent).requests[-1].turns)
        assert agent.review.proposals() == []


def test_a_program_brings_its_own_turns_and_tools(tmp_path: Path) -> None:
    weather = Offer("weather", "Tells the weather.", {"type": "object", "properties": {}})
    theirs = ToolCall("w1", "weather", "{}")
    with home(tmp_path, ["One moment.", theirs], "It rains.") as soul:
        agent = soul.agent()
        earlier = (Turn(Speaker.USER, "hi"), Turn(Speaker.ASSISTANT, "hello"))
        made = agent.stream("how is the weather?", session=OWN, key="k", supplied=Supplied(earlier, (), (weather,)))
        assert made.response.calls == (theirs,)
        assert made.response.logged is None
        following = (Turn(Speaker.ASSISTANT, "", (theirs,)), Turn(Speaker.TOOL, "rain", answers="w1"))
        supplied = Supplied(earlier, following, (weather,))
        final = agent.stream("how is the weather?", session=OWN, key="k", supplied=supplied).response
        assert final.text == "It rains."
        assert said(agent) == [("user", "how is the weather?"), ("assistant", "It rains.")]
        turns = talker_of(agent).requests[-1].turns
        assert turns[1:3] == earlier
        assert turns[-2:] == following
        assert weather in talker_of(agent).requests[-1].offers


# when it goes wrong


@pytest.mark.parametrize("error", [Unavailable("it is down"), OutOfBudget("spent")])
def test_an_error_of_the_model_is_raised_and_the_message_is_logged(tmp_path: Path, error: Exception) -> None:
    with home(tmp_path, error, "Hello!") as soul:
        agent = soul.agent()
        with pytest.raises(type(error), match=str(error)):
            agent.respond("hello", session=OWN)
        assert said(agent) == [("user", "hello")]
        assert agent.respond("hello?", session=OWN).text == "Hello!"


def test_a_reply_that_breaks_off_is_logged_as_far_as_it_was_delivered(tmp_path: Path) -> None:
    with home(tmp_path, ["It is ", "Mi", Unavailable("the line is dead")], ["One two ", "three four"]) as soul:
        agent = soul.agent()
        stream = agent.stream("what is the cat called?", session=OWN)
        pieces = []
        with pytest.raises(Unavailable, match="dead"):
            pieces += [*stream]
        assert said(agent)[1] == ("assistant", "It is Mi [interrupted]")
        gone = agent.stream("count", session=OWN)
        assert next(gone) == "One two"
        gone.close()
        assert said(agent)[-1] == ("assistant", "One two [interrupted]")
        with pytest.raises(Unavailable, match="interrupted"):
            _ = gone.response


def test_a_reply_without_end_is_stopped(tmp_path: Path) -> None:
    with home(tmp_path, ["x" * 200_000] * 100) as soul:
        agent = soul.agent()
        with pytest.raises(Unavailable, match="more than 1048576 characters"):
            agent.respond("hello", session=OWN)
        assert said(agent)[1][1].endswith("[interrupted]")


def test_an_empty_reply_is_an_error_and_one_that_is_cut_is_told(tmp_path: Path) -> None:
    with home(tmp_path, "", ["half a", Usage(1, 1, "m", cut=True)]) as soul:
        agent = soul.agent()
        with pytest.raises(Unavailable, match="empty"):
            agent.respond("hello", session=OWN)
        assert "max_output_tokens" in agent.respond("hello?", session=OWN).notes[0]


def test_a_failure_after_the_reply_loses_neither_reply_nor_log(tmp_path: Path) -> None:
    with home(tmp_path, "It is Milo.") as soul:
        agent = soul.agent()
        stream = agent.stream("what is the cat called?", session=OWN)
        assert next(stream) == "It is Milo."
        vars(agent._parts.talk)["hear"] = _no_room
        made = stream.response
        assert made.text == "It is Milo."
        assert made.logged is None
        assert "could be logged: no room" in made.notes[0]
        assert said(agent) == [("user", "what is the cat called?")]


def test_a_reply_that_is_logged_counts_as_logged_though_a_member_could_not_be_told(tmp_path: Path) -> None:
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben]}}") as crew:
        team = crew.agent("crew")
        talker_of(team).script = ["Yes."]
        exchange = team.exchange("shall we?", session=OWN)
        vars(exchange)["_tell"] = lambda *_: _no_room(_)
        logged = exchange.answered("Yes.")
        assert logged is not None
        assert said(team)[1] == ("assistant", "Yes.")
        assert exchange.notes == ["not everything could be logged: no room"]


def _no_room(_: object) -> None:
    raise Refused("no room")


def test_bad_input_is_refused_before_anything_happens(tmp_path: Path) -> None:
    with home(tmp_path, "unused") as soul:
        agent = soul.agent()
        with pytest.raises(BadInput, match="needs text"):
            agent.respond("  ", session=OWN)
        with pytest.raises(Refused):
            soul.agent(caller=Caller.reader("r", session=OWN)).respond("hello", session=OWN)
        with pytest.raises(Refused):
            soul.agent(caller=Caller.agent("a", session=ANN)).respond("hello", session=OWN)
        with pytest.raises(BadInput, match="not a team"):
            agent.team("hello", session=OWN)
        assert agent.talk.messages(Wanted()) == []


NAMES = st.sampled_from([*WALK, "nope", ""])
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["1", "2", ""]),
    NAMES,
    st.one_of(
        st.sampled_from(["", "{", "[]", "null", '{"query": "cat"}', '{"content": "x"}', '{"path": "SOUL.md"}']),
        st.text(max_size=20),
    ),
)
PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["NO_REPLY", "<think>", "</think>", "<final>", "[[reply_to_current]]", "\n", "word "]),
    CALLS,
    st.just(Unavailable("it broke off")),
)
SCRIPTS = st.lists(st.lists(PIECES, max_size=5), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=scaled(8, 200))
@given(SCRIPTS, st.booleans(), st.integers(0, 6))
def test_whatever_a_model_does_the_log_is_whole_and_nothing_guarded_changes(
    tmp_path_factory: pytest.TempPathFactory,
    script: list[list[Any]],
    hangs_up: bool,  # noqa: FBT001 - drawn
    after: int,
) -> None:
    """The message is logged once; what was delivered is logged, whole or marked; the soul stays as it is."""
    with home(tmp_path_factory.mktemp("h"), *script) as soul:
        agent = soul.agent()
        before = {name: data(agent, name) for name in ("SOUL.md", "AGENTS.md", "USER.md")}
        stream = agent.stream("hello there", session=OWN)
        pieces: list[str] = []
        failed = False
        try:
            for piece in stream:
                pieces.append(piece)
                if hangs_up and len(pieces) > after:
                    stream.close()
                    failed = True
                    break
        except Unavailable:
            failed = True
        text = "".join(pieces)
        logged = said(agent)
        assert logged[0] == ("user", "hello there")
        if not text.strip():
            assert [role for role, _ in logged] == ["user"]
        elif failed:
            assert [role for role, _ in logged] == ["user", "assistant"]
            assert logged[1][1].endswith("[interrupted]")
        else:
            assert stream.response.text == text
            assert len(logged) == 2
        assert {name: data(agent, name) for name in before} == before


def test_a_room_is_private_only_when_nothing_speaks_against_it(tmp_path: Path) -> None:
    with home(tmp_path, "one", "two", "three", "four") as soul:
        agent = soul.agent()
        agent.remember("The cat is called Milo")
        for people, direct, is_private in ((1, True, True), (2, True, False), (1, False, False), (0, True, False)):
            session = Session.in_room("!abc", subject="acct:owner", people=people, direct=direct)
            assert session.kind == ("dm" if is_private else "group")
            made = agent.respond("what is the cat called?", session=session)
            assert ("Milo" in made.prompt.text) is is_private
        assert Session.in_room("!abc", people=1, direct=True).kind == "group"


# without a model


def test_without_a_model_the_reply_is_what_memory_says_with_file_and_line(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        agent.remember("The staging server is called Juno")
        made = agent.respond("what is the staging server called?", session=OWN)
        assert made.answer == "found"
        assert "The staging server is called Juno" in made.text
        assert "Source: MEMORY.md#L19" in made.text
        for _ in range(8):  # neither the questions nor its own replies come between
            again = agent.respond("what is the staging server called?", session=OWN)
            assert (again.answer, again.text) == ("found", made.text)
        assert agent.respond("Good morning", session=OWN).text.startswith("Noted")
        for session in (DEV, ANN):
            assert "Juno" not in agent.respond("what is the staging server called?", session=session).text


def test_without_a_model_it_says_that_it_does_not_know_and_that_memories_disagree(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        made = agent.respond("what is Ann's dog called?", session=OWN)
        assert (made.answer, made.text) == ("unknown", "I do not know: memory holds nothing about this.")
        one = agent.remember("The office opens at 8:00")
        other = agent.remember("The office opens at 9:00")
        block = f"# Conflicts\n\n## 2026-02-04 13:00 UTC\n\n**Entries:** {one.entry}, {other.entry}\n**Status:** open\n"
        agent.files.put("CONFLICTS.md", block.encode())
        made = agent.respond("when does the office open?", session=OWN)
        assert made.answer == "conflicting"
        assert made.text.startswith("Memory disagrees")
        assert "8:00" in made.text
        assert "9:00" in made.text


def test_without_a_model_it_says_the_sentence_that_answers_and_no_form(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        agent.remember("The meeting is on Tuesday")
        agent.respond("The meeting is on Thursday, not on Tuesday", session=OWN)
        made = agent.respond("when is the meeting?", session=OWN)
        assert made.text.startswith("The meeting is on Thursday (")
        assert "**" not in made.text
        story = "We had a long day. " * 12
        agent.hear(f"{story}The spare key hangs behind the meter. {story}", session=OWN)
        told = agent.respond("where does the spare key hang?", session=OWN).text
        assert "The spare key hangs behind the meter." in told
        assert "long day" not in told
        agent.hear("My flight to Lyon is on 4 May at 9:40, can you check the gate?", session=OWN)
        assert "4 May" in agent.respond("when is my flight to Lyon?", session=OWN).text


def test_a_correction_is_confirmed_without_a_model(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        agent.remember("The meeting is on Tuesday")
        made = agent.respond("The meeting is on Thursday, not on Tuesday", session=OWN)
        assert made.text == "Corrected."
        assert b"Thursday" in data(agent, "MEMORY.md")


# teams

MEMBERS = "agents: {list: [{id: main}, {id: ann}, {id: ben}]}\n"


def with_team(tmp_path: Path, config: str) -> AbstractContextManager[Oldsoul]:
    return home(tmp_path, "unused", config=MEMBERS + config, clock=FrozenClock())


def test_a_coordinator_asks_members_and_everybody_has_it_in_the_log(tmp_path: Path) -> None:
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben]}}") as crew:
        team = crew.agent("crew")
        crew.agent("ann").remember("The boiler was repaired in May")
        talker_of(team).script = [
            call("ask_member", member="ann", question="when was the boiler repaired?"),
            "In May, I think.",
            "Ann says: in May.",
        ]
        made = team.respond("when was the boiler repaired?", session=OWN)
        assert made.text == "Ann says: in May."
        assert json.loads(made.tools[0].result) == {"member": "ann", "reply": "In May, I think."}
        assert said(team) == [("user", "when was the boiler repaired?"), ("assistant", "Ann says: in May.")]
        within = Session.team("crew", OWN)
        for name in ("ann", "ben"):
            assert said(crew.agent(name), within)[-2:] == said(team)
        assert "The boiler was repaired in May" in talker_of(team).requests[1].turns[-1].text
        assert "May" not in talker_of(team).requests[0].turns[-1].text


def test_members_reply_one_after_the_other(tmp_path: Path) -> None:
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben]}}") as crew:
        team = crew.agent("crew")
        talker_of(team).script = ["Yes.", "No."]
        made = team.team("shall we?", session=OWN)
        assert made.text == "**ann**: Yes.\n\n**ben**: No."
        talker_of(team).script = ["Perhaps."]
        assert team.team("and now?", session=OWN, members=["ben"]).text == "**ben**: Perhaps."
        with pytest.raises(BadInput, match="main is not a member"):
            team.team("hello", session=OWN, members=["main"])


def test_a_team_sees_what_its_conversation_sees(tmp_path: Path) -> None:
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben]}}") as crew:
        crew.agent("ann").remember("The safe is behind the mirror")
        team = crew.agent("crew")
        team.remember("The vault is under the stairs")
        talker_of(team).script = [call("ask_member", member="ann", question="where is the safe?"), "no idea", "no idea"]
        team.respond("where is the safe?", session=DEV)
        told = "".join(turn.text for request in talker_of(team).requests for turn in request.turns)
        assert "mirror" not in told
        assert "stairs" not in told


def test_the_rooms_of_a_team_share_what_it_learns_in_them_and_nothing_else(tmp_path: Path) -> None:
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben], rooms: [dev, ops]}}") as crew:
        team, question = crew.agent("crew"), "what is the staging server called?"
        ops, board = Session.group("ops"), Session.group("board")
        for agent in (team, crew.agent("ann")):
            agent.hear("Please remember that the staging server is called Juno", session=DEV, sender="Ada")
            agent.talk.end(DEV)
        team.remember("The staging server is called Vulcan in private")
        team.hear("The staging server is called Mars among us", session=board, sender="Ada")
        assert "Juno" in team.recall(question, session=ops).hits[0].chunk.text
        assert "Juno" in str(team.prompt(question, session=ops).turn)
        ann = Session.dm("acct:7", rooms=frozenset({"ops"}))
        assert "Juno" in team.recall(question, session=ann).hits[0].chunk.text
        for agent, session in ((team, board), (team, Session.dm("acct:7")), (crew.agent("ann"), ops)):
            assert "Juno" not in str(agent.recall(question, session=session).hits)
            assert "Juno" not in str(agent.prompt(question, session=session))
        for session in (ops, ann):
            assert "Vulcan" not in str(team.prompt(question, session=session))
            assert "Mars" not in str(team.recall(question, session=session).hits)


def test_a_team_has_a_soul_and_a_memory_that_are_loaded_as_a_session_sees_them(tmp_path: Path) -> None:
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben]}}") as crew:
        team = crew.agent("crew")
        team.remember("The vault is under the stairs")
        soul, memory = crew.load_team_workspace("crew")
        assert soul == data(team, "SOUL.md").decode()
        assert "The vault is under the stairs" in memory
        assert crew.load_team_workspace("crew", session=DEV) == (soul, "")
        with pytest.raises(NotFound):
            crew.load_team_workspace("main")


def test_the_functions_of_a_workspace_are_there_under_their_names(tmp_path: Path) -> None:
    with home(tmp_path) as soul:
        agent = soul.agent()
        assert agent.files.ensure_workspace() == ()
        assert agent.files.load_soul()
        assert agent.files.load_agents_md()
        agent.remember("The cat is called Milo")
        assert "Milo" in agent.memory.load_workspace_memory(is_dm=True)
        assert "Milo" not in agent.memory.load_workspace_memory("dev")
        assert "Milo" not in agent.memory.load_workspace_memory()
        soul.append_daily_log(["main"], "It rained")
        assert soul.teams() == []


def test_each_kind_of_reply_leaves_time_and_summary_in_the_log_of_the_day(tmp_path: Path) -> None:
    """Standard, streamed and team conversations; a team's also in its members' logs."""
    with with_team(tmp_path, "teams: {crew: {members: [ann, ben]}}") as crew:
        clock: Any = crew._home.world.clock
        main, team = crew.agent(), crew.agent("crew")
        streamed = Session.dm(id="streamed")
        talker_of(main).script = ["ok"] * 3
        main.respond("Please remember that the key is under the mat", session=OWN)
        list(main.stream("Please remember that the gate is green", session=streamed))
        team.respond("Please remember that the barn is red", session=OWN)
        clock.advance(timedelta(hours=1))
        for name, words in (("main", "mat"), ("main", "green"), ("crew", "red"), ("ann", "red"), ("ben", "red")):
            crew.agent(name).run("session-summarizer")
            log = data(crew.agent(name), "memory/2026-02-04.md").decode()
            assert "## 2026-02-04 12:00 UTC" in log
            assert words in log


def test_what_is_forgotten_goes_from_replies_that_said_it(tmp_path: Path) -> None:
    me = Session.dm()
    with open_home(tmp_path / "home", {}) as soul:
        agent = soul.agent()
        agent.remember("The spare key hangs on hook 3 in the hall")
        agent.correct("The spare key hangs on hook 9 in the hall", wrong="hook 3", right="hook 9")
        for question in ("Where does the spare key hang?", "What was corrected about the key?"):
            said = agent.respond(question, session=me).text
            assert said.startswith(
                "The spare key hangs on hook 9 in the hall ("
            )  # the sentence, and not the form it is kept in
        [entry] = [one for one in agent.memory.entries(session=me) if one.path == "MEMORY.md"]
        agent.forget(agent.files.name(entry.path), entry.id)
        assert not [m.text for m in agent.talk.every(Wanted()) if "spare key hangs on hook" in m.text]
