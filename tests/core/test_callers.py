"""Who may do what: every public verb for every role and session, as the table in the docs says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from core.every_verb import MEMORY, WITH_SESSION, WITHOUT, verbs
from oldsoul.errors import NotFound, OldsoulError, Refused
from oldsoul.values.audience import OWNER
from oldsoul.values.callers import RIGHTS, Caller, CallerRole, Right
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.app import Oldsoul

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "callers.md"
OPERATOR, ANN, DEV = Session.dm(), Session.dm("acct:ann", id="ann"), Session.group("dev")
SESSIONS = {"the operator's own": OPERATOR, "Ann's": ANN, "a room": DEV, "any": None}
WITHIN = {(OPERATOR, DEV), (OPERATOR, OPERATOR), (ANN, ANN), (DEV, DEV)}
"""What the second session sees, the first sees too."""


def table() -> dict[str, Right]:
    rows = re.findall(r"^\| `([\w.]+)` \| (\w+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
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
    assert set(table()) == set(verbs()) == {*WITH_SESSION, *WITHOUT}


def test_a_verb_declares_the_right_that_the_table_names() -> None:
    assert table() == {name: getattr(verb, "fget", verb).right for name, verb in verbs().items()}


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
        if verb == "memory.load_room_context":
            wanted = own == ANN
        assert is_refused(lambda: call(agent), verb) == wanted, (verb, role, eyes)  # noqa: B023 - called at once
    for verb, ask in WITH_SESSION.items():
        for session in (OPERATOR, ANN, DEV):
            sees = own is None or (own, session) in WITHIN
            whole = rights[verb] is Right.INSPECT and own != OPERATOR
            wanted = rights[verb] not in RIGHTS[role] or not sees or whole
            refused = is_refused(lambda: ask(agent, session), verb)  # noqa: B023 - called at once
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
        assert str(soul.agent().files.change(made.change).author) == "agent:bot"
        (name, entry), *_ = soul.agent().memory.find(stated.entry)
        assert (name, entry.fields.get("superseded")) == (MEMORY, None)
        for path in ("SOUL.md", "AGENTS.md", "USER.md", "MEMORY.md"):
            with pytest.raises(Refused):
                bot.files.put(path, b"mine\n")


def test_of_what_a_caller_may_not_see_it_is_told_what_is_told_of_what_is_not_there(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        heard = soul.agent().hear("The safe is behind the mirror", session=OPERATOR)
        assert heard.message.audience == OWNER
        guest = soul.agent(caller=Caller.reader("guest", session=DEV))
        assert (guest.talk.sessions(), guest.talk.messages(Wanted())) == ([], [])
        for ask, there, absent in (
            (guest.talk.session, OPERATOR.id, "nobody"),
            (guest.talk.message, heard.message.id, heard.message.id + 1),
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
        assert [message.text for message in guest.talk.messages(Wanted(limit=2))] == ["word 5", "word 11"]


def test_a_caller_with_one_session_cannot_speak_as_somebody_else(tmp_path: Path) -> None:
    with open_home(tmp_path, {}) as soul:
        operator = soul._home.people.operators[0]
        for eyes, session, person in ((ANN, ANN, operator), (ANN, ANN, "acct:bob"), (DEV, DEV, operator)):
            bot = soul.agent(caller=Caller.agent("bot", session=eyes))
            with pytest.raises(Refused, match="may not log messages"):
                bot.hear("That is wrong, it is Friday", session=session, subject=person)
        in_room = soul.agent(caller=Caller.agent("bot", session=DEV))
        assert str(in_room.hear("hello", session=DEV, subject="acct:bob").message.subject) == "acct:bob"
        host = soul.agent(caller=Caller.agent("host", session=None))
        assert str(host.hear("hello", session=DEV, subject=operator).message.subject) == operator
