"""Messages from a file: every line checked, each message once, and nobody in it an operator unless somebody vouches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oldsoul.app.importing import Imported, import_lines
from oldsoul.errors import BadInput
from oldsoul.values.messages import Wanted
from oldsoul.values.origin import Origin
from talk_bench import Talk, talk


def line(**more: Any) -> str:
    usual: dict[str, Any] = {
        "session": "s1",
        "kind": "dm",
        "sender": "Ann",
        "subject": "acct:7",
        "role": "user",
        "text": "hello there",
        "time": "2026-02-04T10:00:00Z",
    }
    return json.dumps({key: value for key, value in {**usual, **more}.items() if value is not None})


def texts(t: Talk) -> list[str]:
    return [message.text for message in t.agent.talk.messages(Wanted())]


def test_a_file_is_imported_once_however_often_it_is_run_and_may_grow() -> None:
    t = talk()
    lines = [line(text=f"message {n}", time=f"2026-02-04T10:{n:02}:00Z") for n in range(20)]
    lines += [lines[0], lines[0], "", "  \n"]
    assert import_lines(t.agent.talk, lines, vouched=False) == Imported(22, 0, 0, (), ("s1",))
    assert import_lines(t.agent.talk, lines, vouched=False) == Imported(0, 22, 0, (), ("s1",))
    assert import_lines(t.agent.talk, [*lines, line(text="new")], vouched=False) == Imported(1, 22, 0, (), ("s1",))


def test_keys_of_the_file_count() -> None:
    t = talk()
    import_lines(
        t.agent.talk, [line(key="a", text="one"), line(key="a", text="two"), line(key="b", text="two")], vouched=False
    )
    assert texts(t) == ["one", "two"]


@pytest.mark.parametrize("vouched", [False, True])
def test_nobody_in_a_file_is_an_operator_unless_the_operator_vouches(vouched: bool) -> None:  # noqa: FBT001 - parametrised
    t = talk()
    roles = [line(subject="acct:owner", role=role, text=role) for role in ("user", "assistant", "system", "tool")]
    import_lines(t.agent.talk, roles, vouched=vouched)
    assert [m.origin for m in t.agent.talk.messages(Wanted())] == [
        Origin.OPERATOR if vouched else Origin.PARTICIPANT,
        *(Origin.AGENT, Origin.SYSTEM, Origin.UNTRUSTED),
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("{", "no JSON"),
        ("[]", "a JSON object"),
        (line(text=""), "no text"),
        (line(text=3), "text is int"),
        (line(session=None), "names no session"),
        (line(session=" x"), "space around"),
        (line(subject="ann"), "no person"),
        (line(subject=None), "names its person"),
        (line(role="robot"), "no role"),
        (line(time="yesterday"), "no time"),
        (line(time="2026-02-04T10:00:00"), "no zone"),
        (line(origin="operator"), "nobody knows 'origin'"),
    ],
)
def test_a_line_that_makes_no_sense_is_named_and_what_came_before_it_stays(bad: str, why: str) -> None:
    t = talk()
    lines = [line(text="one"), bad, line(text="two")]
    with pytest.raises(BadInput, match=rf"^line 2: .*{why}.*1 messages before it are stored"):
        import_lines(t.agent.talk, lines, vouched=False)
    assert texts(t) == ["one"]
    done = import_lines(t.agent.talk, lines, vouched=False, keep_going=True)
    assert (done.stored, done.repeated, len(done.bad)) == (1, 1, 1)
    assert texts(t) == ["one", "two"]


def test_kinds_rooms_and_progress() -> None:
    t = talk()
    lines = [
        line(kind=None, room="dev", session="g"),
        line(kind="channel", room="dev", session="odd", subject=None),
        line(kind="group", room="dev", session="h", subject=None, sender=None),
        *(line(session="many", text=f"m{n}") for n in range(1200)),
    ]
    told: list[int] = []
    import_lines(t.agent.talk, lines, vouched=False, told=told.append)
    assert told == [500, 1000, 1203]
    audiences = {
        held.thread.session.id: str(t.soul.people.audience(held.thread.session)) for held in t.agent.talk.sessions()
    }
    assert audiences == {"g": "room:dev", "odd": "owner", "h": "room:dev", "many": "person:acct:7"}
