"""Messages from a file: every line checked, each message once, and nobody in it an operator unless somebody vouches."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from oldsoul.app.keepers import correction_checks, recall_validator
from oldsoul.app.talk.imports import correct_imported, import_lines, log_lines
from oldsoul.errors import BadInput
from oldsoul.testing import ScriptedModel
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
    return [message.text for message in t.agent._parts.log.messages(Wanted())]


def test_a_file_is_imported_once_however_often_it_is_run_and_may_grow() -> None:
    t = talk()
    lines = [line(text=f"message {n}", time=f"2026-02-04T10:{n:02}:00Z") for n in range(20)]
    lines += [lines[0], lines[0], "", "  \n"]
    assert import_lines(t.agent._parts.keeping, lines, vouched=False)[:5] == (22, 0, 0, (), ("s1",))
    assert import_lines(t.agent._parts.keeping, lines, vouched=False)[:5] == (0, 22, 0, (), ("s1",))
    assert import_lines(t.agent._parts.keeping, [*lines, line(text="new")], vouched=False)[:5] == (
        1,
        22,
        0,
        (),
        ("s1",),
    )


def test_keys_of_the_file_count() -> None:
    t = talk()
    import_lines(
        t.agent._parts.keeping,
        [line(key="a", text="one"), line(key="a", text="two"), line(key="b", text="two")],
        vouched=False,
    )
    assert texts(t) == ["one", "two"]


@pytest.mark.parametrize("vouched", [False, True])
def test_nobody_in_a_file_is_an_operator_unless_the_operator_vouches(vouched: bool) -> None:  # noqa: FBT001 - parametrised
    t = talk()
    roles = [line(subject="acct:owner", role=role, text=role) for role in ("user", "assistant", "system", "tool")]
    import_lines(t.agent._parts.keeping, roles, vouched=vouched)
    assert [m.origin for m in t.agent._parts.log.messages(Wanted())] == [
        Origin.OPERATOR if vouched else Origin.PARTICIPANT,
        *(Origin.AGENT, Origin.SYSTEM, Origin.UNTRUSTED),
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("{", "not JSON"),
        ("[]", "a JSON object"),
        (line(text=""), "no text"),
        (line(text=3), "text must be a string, not int"),
        (line(session=None), "names no session"),
        (line(session=" x"), "spaces around"),
        (line(subject="ann"), "not a person's id"),
        (line(subject=None), "needs its person"),
        (line(role="robot"), "not a role"),
        (line(time="yesterday"), "not a time"),
        (line(time="2026-02-04T10:00:00"), "no time zone"),
        (line(time="2036-01-01T10:00:00Z"), "more than a day in the future"),
        (line(origin="operator"), "unknown fields: 'origin'"),
    ],
)
def test_a_line_that_makes_no_sense_is_named_and_what_came_before_it_stays(bad: str, why: str) -> None:
    t = talk()
    lines = [line(text="one"), bad, line(text="two")]
    with pytest.raises(BadInput, match=rf"^line 2: .*{why}.*1 messages before it are stored"):
        import_lines(t.agent._parts.keeping, lines, vouched=False)
    assert texts(t) == ["one"]
    done = import_lines(t.agent._parts.keeping, lines, vouched=False, keep_going=True)
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
    on_progress: list[int] = []
    import_lines(t.agent._parts.keeping, lines, vouched=False, on_progress=on_progress.append)
    assert on_progress == [500, 1000, 1203]
    audiences = {
        held.thread.session.id: str(t.soul._home.people.audience(held.thread.session))
        for held in t.agent._parts.log.sessions()
    }
    assert audiences == {"g": "room:dev", "odd": "owner", "h": "room:dev", "many": "person:acct:7"}


# what the operator put right in it


def own(text: str, minute: int, *, day: int = 4, role: str = "user", session: str = "own") -> str:
    return line(
        session=session, subject="acct:owner", text=text, role=role, time=f"2026-02-{day:02}T10:{minute:02}:00Z"
    )


JONAS = [own("So Jonas, seven, swims on Tuesdays.", 1, role="assistant"), own("he's six, not seven!", 2)]


def test_what_the_operator_corrected_in_an_import_holds_when_it_ends() -> None:
    t = talk()
    t.agent.remember("Jonas is seven and likes trains")
    done = import_lines(t.agent._parts.keeping, JONAS, vouched=True)
    assert done.looked is not None
    assert (done.looked.corrected, done.looked.proposed, done.looked.waiting) == (1, 0, 0)
    assert "Jonas is six and likes trains" in t.text("MEMORY.md")
    (one,) = correction_checks.standing(t.agent._parts)
    assert (one.old, one.new, one.day) == ("seven", "six", "2026-02-04")
    before = t.text("CORRECTIONS.md")
    again = import_lines(t.agent._parts.keeping, JONAS, vouched=True).looked
    assert again is not None
    assert again.corrected == 0
    t.agent.run("recall-validator")
    assert t.text("CORRECTIONS.md") == before


@pytest.mark.parametrize("config", ["timezone: UTC\n", "timezone: UTC\nkeepers:\n  enabled: false\n"])
def test_without_somebody_who_vouches_or_keepers_an_import_corrects_nothing(config: str) -> None:
    t = talk(config)
    t.agent.remember("Jonas is seven and likes trains")
    vouched = "false" in config
    assert import_lines(t.agent._parts.keeping, JONAS, vouched=vouched).looked is None
    assert "Jonas is seven" in t.text("MEMORY.md")
    assert correction_checks.standing(t.agent._parts) == []


def test_corrections_are_taken_in_the_order_they_were_said_whatever_the_files_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall_validator, "_TOLD_EVERY", 1)
    t = talk()
    t.agent.remember("Jonas is seven and likes trains")
    t.clock.advance(timedelta(days=1))
    later = [own("So Jonas is six.", 1, role="assistant", day=5), own("he's five, not six!", 2, day=5)]
    done = [log_lines(t.agent._parts.keeping, lines, vouched=True) for lines in (later, reversed(JONAS))]
    on_progress: list[tuple[int, int]] = []
    looked = correct_imported(t.agent._parts.keeping, done, lambda *count: on_progress.append(count))
    assert looked is not None
    assert looked.corrected == 2
    assert on_progress == [(1, 2), (2, 2)]
    assert "Jonas is five and likes trains" in t.text("MEMORY.md")
    assert [(one.old, one.new) for one in correction_checks.standing(t.agent._parts)][-1] == ("six", "five")


def test_an_import_that_was_stopped_before_its_corrections_makes_up_for_them_when_it_is_run_again() -> None:
    t = talk()
    t.agent.remember("Jonas is seven and likes trains")
    log_lines(t.agent._parts.keeping, JONAS, vouched=True)  # here it was killed
    assert correction_checks.standing(t.agent._parts) == []
    assert import_lines(t.agent._parts.keeping, JONAS, vouched=True).stored == 0
    assert "Jonas is six and likes trains" in t.text("MEMORY.md")


@pytest.mark.parametrize("bound", ["MOST_LOOKED_AT", "MOST_ACTED_ON"])
def test_of_very_many_the_last_wait_and_are_counted(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(recall_validator, bound, 2)
    t = talk()
    pets = ["Miso", "Rex", "Bo", "Kim"]
    lines = []
    for number, pet in enumerate(pets):
        t.agent.remember(f"{pet} is seven years old")
        session = f"s{number}"
        lines.append(own(f"{pet} is seven years old.", 2 * number, role="assistant", session=session))
        lines.append(own(f"{pet} is six, not seven", 2 * number + 1, session=session))
    looked = import_lines(t.agent._parts.keeping, lines, vouched=True).looked
    assert looked is not None
    assert (looked.corrected, looked.waiting) == (2, 2)
    assert t.text("MEMORY.md").count("six") == 2
    t.agent.run("recall-validator")
    assert t.text("MEMORY.md").count("six") == 4


def test_no_model_is_asked_by_an_import_and_what_it_might_find_waits_for_it() -> None:
    model = ScriptedModel()
    t = talk(model=model)
    lines = [
        own("Jonas swims on Tuesdays.", 1, role="assistant"),
        own("you forgot what I told you about that", 2),
    ]
    looked = import_lines(t.agent._parts.keeping, [*lines, *JONAS], vouched=True).looked
    assert looked is not None
    assert model.asked == []
    assert looked.waiting == 1
    assert [(one.old, one.new) for one in correction_checks.standing(t.agent._parts)] == [("seven", "six")]


def test_what_was_asked_to_be_kept_and_corrected_in_the_same_file_is_kept_as_it_is_right() -> None:
    t = talk()
    import_lines(t.agent._parts.keeping, [own("Remember that Jonas is seven years old", 0), *JONAS], vouched=True)
    assert all(report.done for report in t.agent.talk.end("own"))
    recall_validator.again(t.agent._parts.keeping)
    assert "Jonas is six years old" in t.text("memory/_longterms/acct_owner/_index.md")
