"""Who may do what: every public verb for every role and session, as the table in the docs says."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.app import Agent
from oldsoul.errors import NotFound, OldsoulError, Refused
from oldsoul.values.audience import OWNER
from oldsoul.values.callers import RIGHTS, Caller, CallerRole, Right
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app import Oldsoul

DOCS = Path(__file__).parents[2] / "docs" / "callers.md"
MEMORY = Name("main", "MEMORY.md")
OPERATOR, ANN, DEV = Session.dm(), Session.dm("acct:ann", id="ann"), Session.group("dev")
SESSIONS = {"the operator's own": OPERATOR, "Ann's": ANN, "a room": DEV, "any": None}
WITHIN = {(OPERATOR, DEV), (OPERATOR, OPERATOR), (ANN, ANN), (DEV, DEV)}
"""What the second session sees, the first sees too."""

WITH_SESSION: dict[str, Callable[[Agent, Session], Any]] = {
    "answer": lambda agent, session: agent.answer("x-1", "{}", session=session),
    "append_daily_log": lambda agent, session: agent.append_daily_log("It rained", session=session),
    "call_tool": lambda agent, session: agent.call_tool("memory_search", {"query": "hello"}, session=session),
    "context": lambda agent, session: agent.context("hello", session=session),
    "end_session": lambda agent, session: agent.end_session(session),
    "entries": lambda agent, session: agent.entries(session=session),
    "exchange": lambda agent, session: agent.exchange("hello there", session=session),
    "get": lambda agent, session: agent.get("MEMORY.md", session=session),
    "hear": lambda agent, session: agent.hear("hello there", session=session),
    "load_workspace_memory": lambda agent, session: agent.load_workspace_memory(session=session),
    "prompt": lambda agent, session: agent.prompt("hello", session=session),
    "readable": lambda agent, session: agent.readable(session=session),
    "recall": lambda agent, session: agent.recall("hello", session=session),
    "respond": lambda agent, session: agent.respond("hello there", session=session),
    "search": lambda agent, session: agent.search("hello", session=session),
    "stream": lambda agent, session: agent.stream("hello there", session=session),
    "team": lambda agent, session: agent.team("hello there", session=session),
    "work": lambda agent, session: agent.work(session=session),
}
WITHOUT: dict[str, Callable[[Agent], Any]] = {
    "approve": lambda agent: agent.approve("x"),
    "blame": lambda agent: agent.blame("MEMORY.md"),
    "bootstrap": Agent.bootstrap,
    "calendar": lambda agent: agent.calendar(date(2026, 2, 1), date(2026, 2, 4)),
    "change": lambda agent: agent.change(1),
    "conflicts": Agent.conflicts,
    "correct": lambda agent: agent.correct("The cat is called Mia"),
    "day": lambda agent: agent.day(date(2026, 2, 4)),
    "days": Agent.days,
    "delete": lambda agent: agent.delete("Rooms/none.md"),
    "diff": lambda agent: agent.diff(1),
    "edit": lambda agent: agent.edit("MEMORY.md", "nothing", "The boat is red"),
    "entry": lambda agent: agent.entry("MEMORY.md", "nothing"),
    "ensure_workspace": Agent.ensure_workspace,
    "file": lambda agent: agent.file("SOUL.md"),
    "files": Agent.files,
    "find": lambda agent: agent.find("cat"),
    "forget": lambda agent: agent.forget(MEMORY, "nothing"),
    "forget_message": lambda agent: agent.forget_message(10**6),
    "history": Agent.history,
    "import_messages": lambda agent: agent.import_messages([]),
    "index_status": Agent.index_status,
    "load_agents_md": Agent.load_agents_md,
    "load_room_context": lambda agent: agent.load_room_context("dev"),
    "load_soul": Agent.load_soul,
    "message": lambda agent: agent.message(10**6),
    "messages": lambda agent: agent.messages(Wanted()),
    "preview": lambda agent: agent.preview("x"),
    "promote": lambda agent: agent.promote("Likes tea", "acct:ann"),
    "proposal": lambda agent: agent.proposal("x"),
    "proposals": Agent.proposals,
    "put": lambda agent: agent.put("MEMORY.md", b"- one\n"),
    "rebuild_index": Agent.rebuild_index,
    "reject": lambda agent: agent.reject("x"),
    "remember": lambda agent: agent.remember("The boat is green"),
    "reset": lambda agent: agent.reset("AGENTS.md"),
    "restore_day": lambda agent: agent.restore_day(date(2026, 2, 4)),
    "rooms": Agent.rooms,
    "run": lambda agent: agent.run("soul-history", dry_run=True),
    "session": lambda agent: agent.session("nobody"),
    "sessions": Agent.sessions,
    "settings": lambda agent: agent.settings,
    "settle": lambda agent: agent.settle("nothing", "both"),
    "show": lambda agent: agent.show("MEMORY.md"),
    "soul_diff": lambda agent: agent.soul_diff("now"),
    "soul_rollback": lambda agent: agent.soul_rollback("1"),
    "soul_versions": Agent.soul_versions,
    "start": lambda agent: agent.start("nothing"),
    "sync_index": Agent.sync_index,
    "tools": Agent.tools,
    "undo": lambda agent: agent.undo(1),
    "version_at": lambda agent: agent.version_at("MEMORY.md", 1),
    "withdraw": lambda agent: agent.withdraw("x"),
}
NO_VERBS = {"allowed", "caller", "id", "parts"}


def table() -> dict[str, Right]:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    return {verb: Right(right) for verb, right in rows}


@pytest.fixture(scope="module")
def soul(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oldsoul]:
    with open_home(tmp_path_factory.mktemp("callers"), {}) as made:
        yield made


def is_refused(call: Callable[[], Any], verb: str) -> bool:
    try:
        call()
    except Refused as error:
        return str(error).startswith(f"{verb} ")
    except OldsoulError:
        return False
    return False


def test_the_table_names_every_verb() -> None:
    verbs = {name for name in dir(Agent) if not name.startswith("_")} - NO_VERBS
    assert set(table()) == verbs == {*WITH_SESSION, *WITHOUT}


def test_the_table_says_what_each_role_may_do() -> None:
    rows = re.findall(r"^\| (\w+) \| (.+?) \| (.+?) \| (.+?) \| .+ \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    said = {row[0]: row[1:] for row in rows if row[0] in set(Right)}
    for right in Right:
        allowed = tuple(answer != "no" for answer in said[right])
        assert allowed == tuple(right in RIGHTS[role] for role in CallerRole)


@pytest.mark.parametrize("eyes", SESSIONS)
@pytest.mark.parametrize("role", [CallerRole.AGENT, CallerRole.READER])
def test_a_verb_does_for_a_caller_what_the_table_says(soul: Oldsoul, role: CallerRole, eyes: str) -> None:
    own = SESSIONS[eyes]
    agent = soul.agent("main", caller=Caller(role, "someone", own))
    rights = table()
    for verb, call in WITHOUT.items():
        right = rights[verb]
        wanted = right not in RIGHTS[role] or (right is Right.INSPECT and own != OPERATOR)
        if verb == "load_room_context":
            wanted = own == ANN
        assert is_refused(lambda: call(agent), verb) == wanted, (verb, role, eyes)  # noqa: B023 - called at once
    for verb, ask in WITH_SESSION.items():
        for session in (OPERATOR, ANN, DEV):
            sees = own is None or (own, session) in WITHIN
            wanted = rights[verb] not in RIGHTS[role] or not sees
            named = "context" if verb == "load_workspace_memory" else "recall" if verb == "search" else verb
            refused = is_refused(lambda: ask(agent, session), named)  # noqa: B023 - called at once
            assert refused == wanted, (verb, role, eyes, session.id)


def test_the_operator_is_refused_nothing(soul: Oldsoul) -> None:
    agent = soul.agent("main")
    for verb, call in WITHOUT.items():
        assert not is_refused(lambda: call(agent), verb), verb  # noqa: B023 - called at once
    for verb, ask in WITH_SESSION.items():
        for session in (OPERATOR, ANN, DEV):
            assert not is_refused(lambda: ask(agent, session), verb), verb  # noqa: B023 - called at once


def test_what_an_agent_writes_is_signed_by_it_and_changes_nothing_the_operator_stated(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        stated = soul.agent().remember("Deploys happen on Tuesdays")
        bot = soul.agent(caller=Caller.agent("bot", session=OPERATOR))
        made = bot.remember("Deploys happen on Fridays")
        assert str(soul.agent().change(made.change).author) == "agent:bot"
        (name, entry), *_ = soul.agent().find(stated.entry)
        assert (name, entry.fields.get("superseded")) == (MEMORY, None)
        for path in ("SOUL.md", "AGENTS.md", "USER.md", "MEMORY.md"):
            with pytest.raises(Refused):
                bot.put(path, b"mine\n")


def test_of_what_a_caller_may_not_see_it_is_told_what_is_told_of_what_is_not_there(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        heard = soul.agent().hear("The safe is behind the mirror", session=OPERATOR)
        assert heard.message.audience == OWNER
        guest = soul.agent(caller=Caller.reader("guest", session=DEV))
        assert (guest.sessions(), guest.messages(Wanted())) == ([], [])
        for ask, there, absent in (
            (guest.session, OPERATOR.id, "nobody"),
            (guest.message, heard.message.id, heard.message.id + 1),
        ):
            with pytest.raises(NotFound) as hidden:
                ask(there)  # type: ignore[arg-type]
            with pytest.raises(NotFound) as missing:
                ask(absent)  # type: ignore[arg-type]
            assert str(hidden.value).replace(str(there), "") == str(missing.value).replace(str(absent), "")


def test_messages_that_are_hidden_do_not_end_a_page(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        mine = soul.agent()
        for number in range(12):
            mine.hear(f"word {number}", session=DEV if number % 6 == 5 else OPERATOR)
        guest = soul.agent(caller=Caller.reader("guest", session=DEV))
        assert [message.text for message in guest.messages(Wanted(limit=2))] == ["word 5", "word 11"]


def test_a_caller_with_one_session_cannot_speak_as_somebody_else(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        operator = soul.parts.people.operators[0]
        for eyes, session, person in ((ANN, ANN, operator), (ANN, ANN, "acct:bob"), (DEV, DEV, operator)):
            bot = soul.agent(caller=Caller.agent("bot", session=eyes))
            with pytest.raises(Refused, match="may not log messages"):
                bot.hear("That is wrong, it is Friday", session=session, subject=person)
        in_room = soul.agent(caller=Caller.agent("bot", session=DEV))
        assert str(in_room.hear("hello", session=DEV, subject="acct:bob").message.subject) == "acct:bob"
        host = soul.agent(caller=Caller.agent("host", session=None))
        assert str(host.hear("hello", session=DEV, subject=operator).message.subject) == operator
