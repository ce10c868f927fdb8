"""The commands for conversations: logged, imported, looked through, ended, promoted; people and days."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faces.test_cli import RUN, answer, finished, folder, ok, on_a_terminal, propose, refusal, run
from oldsoul import Oldsoul, Session
from oldsoul.driver import Report, Run, RunStep
from oldsoul.errors import BadInput
from oldsoul.values.changes import Add, Author, ChangeSet, Role
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from postgres import Server

JUNO = "Please remember that the staging server is called Juno."
NOON = "2026-02-04T12:00:00Z"
MESSAGE = {
    *("message", "session", "kind", "room", "sender", "subject", "role", "text", "time", "channel", "key", "origin"),
    *("audience", "flags"),
}


@pytest.fixture(autouse=True)
def _in_utc() -> None:
    """A home whose days are those of UTC, and that has put its old days away today."""
    ok("config", "set", "timezone", "UTC")
    ok("init")


def home() -> Path:
    return Path.home() / ".oldsoul"


def everything(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def line(number: int, **further: Any) -> dict[str, Any]:
    """One message of a file, a minute after the one before it."""
    said = {
        "session": f"tg:{number % 3}",
        "kind": "dm",
        "subject": f"ext:telegram:{number % 3}",
        "sender": "Ben",
        "role": "user",
        "text": f"message {number} 关于猫",
        "time": f"2026-02-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00Z",
        "key": f"tg:{number}",
        "channel": "telegram",
    }
    return {name: value for name, value in {**said, **further}.items() if value is not None}


def jsonl(lines: list[Any]) -> str:
    return "".join(f"{each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)}\n" for each in lines)


def written(tmp_path: Path, lines: list[Any], name: str = "chat.jsonl") -> str:
    (tmp_path / name).write_text(jsonl(lines), "utf-8")
    return str(tmp_path / name)


def texts(*words: str) -> list[str]:
    return [each["text"] for each in answer("messages", *words)["messages"]]


# log-message


def test_a_message_is_logged_with_its_number_and_what_triage_saw() -> None:
    made = answer("messages", "log", "Please", "remember", "that", "tea", "is", "at", "four", "--time", NOON)
    assert set(made) == {*MESSAGE, "repeated", "masked", "corrected"}
    assert (made["message"], made["session"], made["kind"], made["channel"]) == (1, "dm:acct:owner", "dm", "cli")
    assert (made["subject"], made["origin"], made["audience"]) == ("acct:owner", "operator", "owner")
    assert made["time"] == "2026-02-04T12:00:00+00:00"
    assert made["flags"] == [
        {"trigger": "memory", "route": "memory-miner", "confidence": "high", "phrase": "remember that"}
    ]
    assert ok("messages", "log", JUNO) == (
        "Logged: message 2 of dm:acct:owner (dm, visible to you only)\n  memory → memory-miner (high): “remember that”\n"
    )


def test_what_was_put_right_and_what_waits_are_told_apart() -> None:
    ok("remember", "the boiler inspection is on March 12", "--tag", "event")
    ok("messages", "log", "The boiler inspection is on March 12.", "--role", "assistant")
    waits = ok("messages", "log", "no, it's March 19")
    assert "\nPossible correction; it waits for your approval (`oldsoul review`):\n  CORRECTIONS.md" in waits
    assert "Put right" not in waits
    assert "March 19" in ok("review").splitlines()[1]
    done = ok("messages", "log", "the boiler inspection is on March 20, not March 12")
    assert "\nLogged as a correction:\n  CORRECTIONS.md" in done
    assert "Might" not in done


def test_what_was_corrected_is_listed_checked_and_withdrawn_by_its_id() -> None:
    assert "There are no corrections yet" in ok("correct", "--check")
    ok("remember", "our vet is Dr. Brandt")
    ok("correct", "our vet is Dr. Okafor", "--wrong", "Brandt", "--right", "Okafor")
    (one,) = answer("correct", "--check")
    assert one["problem"] == ""
    shown = [one["id"], one["date"], "Brandt", "Okafor", "our", "vet", "is", "Dr.", "Okafor"]
    heads = ["ID", "DATE", "WRONG", "RIGHT", "STATEMENT"]
    assert [row.split() for row in ok("correct").splitlines()] == [heads, shown]
    assert [row.split() for row in ok("correct", "--check").splitlines()] == [[*heads, "HOLDS"], [*shown, "yes"]]
    ok("correct", "--withdraw", one["id"])
    assert answer("correct") == []


def test_a_message_comes_from_standard_input_as_it_is() -> None:
    assert answer("messages", "log", "-", given="one\n\n  two 猫\n")["text"] == "one\n\n  two 猫"


def test_secrets_of_a_message_are_masked_before_it_is_stored() -> None:
    leaked = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    made = run("messages", "log", f"my token is {leaked}")
    assert "Masked 1 secret." in made.stdout
    assert leaked not in made.stdout + ok("messages")
    assert not [path for path, data in everything(home()).items() if leaked.encode() in data]


def test_a_room_makes_it_a_group_and_a_person_is_who_is_named() -> None:
    made = answer("messages", "log", "hi", "--room", "dev", "--subject", "ext:telegram:7", "--sender", "Ben 本")
    assert (made["kind"], made["session"], made["room"]) == ("group", "group:dev", "dev")
    assert (made["origin"], made["audience"], made["sender"]) == ("participant", "room:dev", "Ben 本")
    private = answer("messages", "log", "hi", "--subject", "ext:telegram:7", "--channel", "telegram")
    assert (private["session"], private["audience"]) == ("dm:ext:telegram:7", "person:ext:telegram:7")
    assert private["channel"] == "telegram"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--role", "assistant"), ("dm", "agent", "owner")),
        (("--role", "system"), ("dm", "system", "owner")),
        (("--role", "tool"), ("dm", "untrusted", "owner")),
        (("--kind", "group"), ("group", "participant", "owner")),
        (("--kind", "cron", "--session", "cron:x"), ("cron", "participant", "owner")),
        (("--kind", "team", "--session", "team:x"), ("team", "participant", "owner")),
        (("--kind", "team", "--session", "team:x", "--room", "dev"), ("team", "participant", "room:dev")),
        (
            ("--kind", "subagent", "--session", "s", "--subject", "acct:7", "--role", "assistant"),
            ("subagent", "agent", "person:acct:7"),
        ),
    ],
)
def test_kind_and_role_decide_who_sees_it_and_whose_words_it_is(words: tuple[str, ...], expected: Any) -> None:
    made = answer("messages", "log", "hi", *words)
    assert (made["kind"], made["origin"], made["audience"]) == expected


def test_a_conversation_that_is_there_goes_on_as_it_is() -> None:
    ok("messages", "log", "hi", "--session", "s", "--room", "dev", "--subject", "acct:7")
    reply = answer("messages", "log", "hello", "--session", "s", "--role", "assistant")
    assert (reply["kind"], reply["room"], reply["audience"]) == ("group", "dev", "room:dev")
    assert answer("messages", "log", "me too", "--session", "s", "--subject", "acct:8")["subject"] == "acct:8"
    ok("messages", "log", "hi", "--session", "p", "--subject", "acct:7")
    assert answer("messages", "log", "more", "--session", "p")["subject"] == "acct:7"
    for words in (["--subject", "acct:8"], ["--room", "dev"], ["--kind", "cron"]):
        assert "is already the id of another session" in refusal(2, "messages", "log", "x", "--session", "p", *words)
    ok("messages", "log", "hi", "--session", "group:ops")  # a private one, whose id is that of the room's by default
    assert "is already the id of another session" in refusal(2, "messages", "log", "x", "--room", "ops")


def test_the_same_key_is_logged_once() -> None:
    first = answer("messages", "log", "one", "--key", "k")
    again = answer("messages", "log", "two", "--key", "k")
    assert (again["message"], again["text"], again["repeated"]) == (first["message"], "one", True)
    assert "Already logged" in ok("messages", "log", "two", "--key", "k")


def test_a_time_without_an_offset_is_one_of_the_agents_zone() -> None:
    ok("config", "set", "timezone", "Asia/Shanghai")
    assert answer("messages", "log", "x", "--time", "2026-02-04T10:00")["time"] == "2026-02-04T02:00:00+00:00"
    assert answer("messages", "log", "x", "--time", "2026-02-04T10:00+01:00")["time"] == "2026-02-04T09:00:00+00:00"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("",),
        ("\udcff",),
        ("x", "--sender", "\udcff"),
        ("x", "--session", ""),
        ("x", "--session", "a\nb"),
        ("x", "--kind", "party"),
        ("x", "--kind", "dm", "--room", "dev"),
        ("x", "--kind", "cron", "--session", "c", "--room", "dev"),
        ("x", "--kind", "team"),
        ("x", "--kind", "subagent"),
        ("x", "--kind", "cron"),
        ("x", "--room", " "),
        ("x", "--subject", "Ben"),
        ("x", "--subject", ""),
        ("x", "--role", "boss"),
        ("x", "--time", "yesterday"),
        ("x", "--time", ""),
        ("x", "--time", "0001-01-01T00:00:00Z"),
        ("x", "--time", "9999-12-31T23:59:59Z"),
    ],
)
def test_a_message_that_makes_no_sense_is_refused_and_not_logged(words: tuple[str, ...]) -> None:
    assert refusal(2, "messages", "log", *words)
    assert texts() == []


@pytest.mark.parametrize("given", [b"", b"\xff\xfe", b"a\x00b"])
def test_what_is_no_text_is_no_message(given: bytes) -> None:
    assert refusal(2, "messages", "log", "-", given=given)


def test_nothing_is_logged_while_memory_is_switched_off() -> None:
    ok("config", "set", "memory.enabled", "false")
    assert "turned off" in refusal(5, "messages", "log", "x")


def test_each_agent_has_its_own_conversations() -> None:
    ok("config", "set", "agents.scout.role", "looks around")
    ok("messages", "log", "for scout", "-a", "scout")
    assert (texts("-a", "scout"), texts()) == (["for scout"], [])
    assert refusal(3, "messages", "log", "x", "-a", "nobody")


# messages


def conversation() -> None:
    """Four messages of two days and three conversations."""
    ok("messages", "log", JUNO, "--time", "2026-02-04T10:00Z", "--sender", "Ada")
    ok("messages", "log", "Noted.", "--time", "2026-02-04T10:01Z", "--role", "assistant")
    ok("messages", "log", "The cat is grey", "--time", "2026-02-05T23:59:59Z", "--room", "dev", "--subject", "acct:7")
    ok("messages", "log", "我们的猫叫米索", "--time", "2026-02-06T00:00Z", "--subject", "ext:wechat:猫")


def test_messages_are_listed_newest_first_and_chosen_by_filters() -> None:
    conversation()
    everyone = answer("messages")
    assert set(everyone) == {"messages", "next"}
    assert set(everyone["messages"][0]) == MESSAGE
    assert texts() == ["我们的猫叫米索", "The cat is grey", "Noted.", JUNO]
    assert texts("--session", "dm:acct:owner") == ["Noted.", JUNO]
    assert texts("--subject", "acct:7") == ["The cat is grey"]
    assert texts("--subject", "ext:wechat:猫") == ["我们的猫叫米索"]
    assert texts("--room", "dev") == ["The cat is grey"]
    assert texts("--find", "grey CAT") == ["The cat is grey"]
    assert texts("--find", "米索") == ["我们的猫叫米索"]
    assert texts("--find", "juno grey") == []
    assert texts("--flagged", "memory-miner") == [JUNO]
    assert texts("--flagged", "recall-validator") == []
    shown = ok("messages", "--session", "dm:acct:owner").splitlines()
    assert shown[0].split() == ["MESSAGE", "WHEN", "SESSION", "WHO", "FLAGS", "TEXT"]
    assert shown[2].split()[:6] == ["1", "2026-02-04", "10:00", "dm:acct:owner", "Ada", "memory"]
    assert "No messages." in ok("messages", "--find", "nowhere")


def test_a_day_is_all_of_it_in_the_agents_zone() -> None:
    conversation()
    assert texts("--since", "2026-02-05", "--until", "2026-02-05") == ["The cat is grey"]
    assert texts("--since", "2026-02-06") == ["我们的猫叫米索"]
    assert texts("--until", "2026-02-04T10:01Z") == [JUNO]
    assert texts("--since", "2026-02-04T11:01+01:00", "--until", "2026-02-04") == ["Noted."]
    ok("config", "set", "timezone", "Asia/Shanghai")
    assert texts("--since", "2026-02-06", "--until", "2026-02-06") == ["我们的猫叫米索", "The cat is grey"]


def test_pages_follow_each_other_until_there_is_no_more() -> None:
    for number in range(7):
        ok("messages", "log", f"m{number}", "--time", "2026-02-04T10:00Z")
    seen: list[str] = []
    words: list[str] = []
    while True:
        page = answer("messages", "--limit", "3", *words)
        seen += [each["text"] for each in page["messages"]]
        if page["next"] is None:
            break
        words = ["--before", page["next"]]
    assert seen == [f"m{number}" for number in reversed(range(7))]
    assert f"--before {answer('messages', '-n', '3')['next']}" in ok("messages", "-n", "3")
    assert "--before" not in ok("messages", "-n", "7")


@pytest.mark.parametrize(
    "words",
    [
        ("--session", ""),
        ("--subject", "Ben"),
        ("--room", ""),
        ("--since", "soon"),
        ("--until", "2026-13-01"),
        ("--since", "2026-02-05", "--until", "2026-02-04"),
        ("--find", " "),
        ("--flagged", "gossip"),
        ("--limit", "0"),
        ("-n", "many"),
        ("--before", "7"),
        ("--before", f"2026-02-04T10:00:00Z/{'9' * 5000}"),
        ("--before", "2026-02-04T10:00:00/7"),
        ("--export", "--limit", "3"),
        ("--export", "--before", "2026-02-04T10:00:00Z/7"),
    ],
)
def test_a_question_to_the_log_that_makes_no_sense_is_refused(words: tuple[str, ...]) -> None:
    assert refusal(2, "messages", *words)


def test_export_writes_lines_and_so_takes_no_json() -> None:
    conversation()
    assert "leave out" in json.loads(run("messages", "--export", "--json").stderr)["error"]["message"]
    lines = [json.loads(each) for each in ok("messages", "--export", "--session", "dm:acct:owner").splitlines()]
    assert [each["text"] for each in lines] == [JUNO, "Noted."]
    assert set(lines[0]) == {"session", "kind", "sender", "subject", "role", "text", "time", "key", "channel"}


def test_an_export_imports_into_another_home_as_the_same_messages(tmp_path: Path) -> None:
    conversation()
    ok("messages", "log", "my token is ghp_abcdefghijklmnopqrstuvwxyz0123456789", "--time", NOON)
    ok("messages", "log", "a\tb\n \u2028c\x85 \\ud83d 😀", "--time", NOON)
    ok("messages", "log", "helping", "--kind", "subagent", "--session", "sub", "--room", "dev", "--role", "assistant")
    ok("messages", "log", "nightly", "--kind", "cron", "--session", "cron:n", "--role", "system")
    ok("messages", "log", "for acct:7", "--kind", "team", "--session", "team:t", "--subject", "acct:7")
    exported = ok("messages", "--export")
    other = ["--home", str(tmp_path / "other")]
    done = answer("messages", "import", "-", "--vouch", *other, given=exported)
    assert (done["stored"], done["repeated"], done["masked"]) == (9, 0, 0)

    def told(*words: str) -> list[Any]:
        found = answer("messages", *words)["messages"]
        return sorted(({**each, "message": 0} for each in found), key=lambda each: str(each["key"]))

    assert told(*other) == told()
    assert ok("messages", "--export", *other) == exported
    again = answer("messages", "import", "-", "--vouch", *other, given=exported)
    assert (again["stored"], again["repeated"]) == (0, 9)


# import-messages


def test_two_thousand_lines_are_imported_once_however_often(tmp_path: Path) -> None:
    file = written(tmp_path, [line(number) for number in range(2000)])
    done = answer("messages", "import", file)
    assert done == {
        "stored": 2000,
        "repeated": 0,
        "masked": 0,
        "vouched": False,
        "bad": [],
        "sessions": ["tg:0", "tg:1", "tg:2"],
        **dict.fromkeys(("corrected", "proposed", "waiting", "ended")),
    }
    assert "Stored 0 messages of 3 sessions, 2,000 already stored." in ok("messages", "import", file)
    assert sum(each["messages"] for each in answer("sessions")) == 2000
    assert texts("--limit", "1") == ["message 1999 关于猫"]


def test_lines_without_keys_are_known_again_too(tmp_path: Path) -> None:
    same = line(1, key=None)
    file = written(tmp_path, [same, same, line(2, key=None)])
    assert answer("messages", "import", file)["stored"] == 3
    assert answer("messages", "import", file)["repeated"] == 3


def test_an_import_stops_at_a_bad_line_and_goes_on_when_it_is_mended(tmp_path: Path) -> None:
    lines: list[Any] = [line(number) for number in range(700)]
    file = written(tmp_path, [*lines[:600], '{"session": 3}', *lines[601:]])
    message = refusal(2, "messages", "import", file)
    assert f"{file}, line 601: session must be a string, not int" in message
    assert "600 messages before it are stored" in message
    assert sum(each["messages"] for each in answer("sessions")) == 600
    written(tmp_path, lines)
    done = answer("messages", "import", file)
    assert (done["stored"], done["repeated"]) == (100, 600)


def test_bad_lines_are_left_out_and_listed_when_it_keeps_going(tmp_path: Path) -> None:
    bad = [
        "nonsense",
        "[]",
        "[" * 100_000,
        line(1, text=" "),
        line(1, text=7),
        line(1, session=None),
        line(1, subject=None),
        line(1, subject="Ben"),
        line(1, role="boss"),
        line(1, time=None),
        line(1, time="2026-02-04T10:00:00"),
        line(1, time="0001-01-01T00:00:00+14:00"),
        line(1, colour="red"),
        line(1, session="a\nb"),
        line(1, kind="group", room=" "),
    ]
    file = written(tmp_path, [line(1), "", *bad, line(2)])
    with Path(file).open("ab") as raw:
        raw.write(b'{"text": "\xff"}\n')
    result = run("messages", "import", file, "--keep-going", "--json")
    assert result.exit_code == 2
    done = json.loads(result.stdout)
    assert done["stored"] == 2
    assert [each["line"] for each in done["bad"]] == [*range(3, 3 + len(bad)), 4 + len(bad)]
    assert {each["file"] for each in done["bad"]} == {file}
    assert all(each["problem"] for each in done["bad"])
    plain = run("messages", "import", file, "--keep-going")
    assert (plain.exit_code, plain.stderr) == (2, "")
    assert f"{file}, line 3: this is not JSON" in plain.stdout
    assert f"line {4 + len(bad)}: it is not UTF-8" in plain.stdout


def test_many_bad_lines_are_counted_and_not_all_listed() -> None:
    result = run("messages", "import", "-", "--keep-going", given="nonsense\n" * 50)
    assert result.exit_code == 2
    assert "Skipped 50 lines" in result.stdout
    assert "and 30 more" in result.stdout


def test_only_who_is_vouched_for_counts_as_operator(tmp_path: Path) -> None:
    mine = {"session": "dm:acct:owner", "subject": "acct:owner"}
    assert "--vouch was not given" in ok("messages", "import", written(tmp_path, [line(1, **mine)]))
    vouched = ok("messages", "import", "--vouch", written(tmp_path, [line(2, **mine), line(3)]))
    assert "--vouch" not in vouched
    found = {each["key"]: each["origin"] for each in answer("messages")["messages"]}
    assert found == {"tg:1": "participant", "tg:2": "operator", "tg:3": "participant"}


def test_vouching_for_what_is_known_is_said_to_change_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, [line(1, session="dm:acct:owner", subject="acct:owner")])
    stays = "Messages already stored are unchanged"
    assert stays not in ok("messages", "import", file)
    assert stays not in ok("messages", "import", file)
    assert stays in ok("messages", "import", file, "--vouch")
    assert answer("messages")["messages"][0]["origin"] == "participant"


def test_several_files_and_standard_input_are_read_in_order(tmp_path: Path) -> None:
    one = written(tmp_path, [line(1)], "one.jsonl")
    two = tmp_path / "two.jsonl"
    two.write_bytes(b"\xef\xbb\xbf" + jsonl([line(2)]).replace("\n", "\r\n").encode())
    assert answer("messages", "import", one, str(two), "-", given=jsonl([line(3)]))["stored"] == 3
    assert texts() == ["message 3 关于猫", "message 2 关于猫", "message 1 关于猫"]


def test_a_file_that_is_not_there_is_named_before_anything_is_read(tmp_path: Path) -> None:
    one = written(tmp_path, [line(1)])
    assert "nowhere.jsonl" in refusal(3, "messages", "import", one, str(tmp_path / "nowhere.jsonl"))
    assert refusal(1, "messages", "import", str(tmp_path))
    assert refusal(2, "messages", "import")
    assert texts() == []


def test_sessions_are_ended_after_an_import_when_asked_for(tmp_path: Path) -> None:
    file = written(tmp_path, [line(number, text=f"{JUNO} {number}") for number in range(6)])
    done = answer("messages", "import", file, "--end")
    assert [(each["session"], each["done"]) for each in done["ended"]] == [
        ("tg:0", True),
        ("tg:1", True),
        ("tg:2", True),
    ]
    assert answer("sessions", "--open") == []
    assert (folder() / "memory" / "2026-02-01" / "tg_0.md").exists()
    assert all(each["runs"] == [] for each in answer("messages", "import", file, "--end")["ended"])
    more = written(tmp_path, [line(7)])
    assert "memory/2026-02-01/tg_1.md" in ok("messages", "import", more, "--end")


def test_corrections_in_what_is_vouched_for_hold_when_the_import_ends(tmp_path: Path) -> None:
    mine: dict[str, Any] = {"session": "own", "subject": "acct:owner"}
    kept = line(0, **mine, text="Remember that Jonas is seven years old")
    one = written(tmp_path, [line(2, **mine, text="he's six, not seven!")], "one.jsonl")
    two = written(tmp_path, [kept, line(1, **mine, text="So Jonas, seven, swims.", role="assistant")], "two.jsonl")
    told = ok("messages", "import", one, two, "--vouch", "--end")
    assert "Applied 1 correction (`oldsoul correct` lists them)." in told
    assert [(each["wrong"], each["right"]) for each in answer("correct")] == [("seven", "six")]
    assert "Jonas is six years old" in (folder() / "memory/_longterms/acct_owner/_index.md").read_text()
    done = answer("messages", "import", one, two, "--vouch")
    assert (done["corrected"], done["proposed"], done["waiting"]) == (0, 0, 0)
    assert not answer("messages", "import", one)["corrected"]


def test_progress_is_shown_on_a_terminal_and_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    file = written(tmp_path, [line(number) for number in range(1200)])
    code, seen = on_a_terminal("messages", "import", file, typed=b"")
    assert code == 0
    assert "1,000 messages" in seen
    assert "100 %" in seen
    assert "Stored 1,200 messages" in seen.rpartition("\x1b[K")[2]
    assert finished("messages", "import", file).stderr == b""


def test_what_was_stored_before_ctrl_c_stays_and_the_rest_follows(tmp_path: Path) -> None:
    words = [sys.executable, "-c", RUN, "messages", "import", "-"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(jsonl([line(number) for number in range(1100)]).encode())
    process.stdin.flush()
    while sum(each["messages"] for each in answer("sessions")) < 1000:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert b"run the same command again" in err
    done = answer("messages", "import", written(tmp_path, [line(number) for number in range(1200)]))
    assert (done["stored"], done["repeated"]) == (200, 1000)


# triage


def test_triage_tells_each_flag_and_where_it_leads_for_whom() -> None:
    told = answer("messages", "triage", "Actually, it's the other server. Remember that! You forgot.")
    assert [tuple(flag.values()) for flag in told["flags"]] == [
        ("memory", "memory-miner", "high", "Remember that", "memory-miner", "memory-miner", False),
        ("recall", "recall-validator", "high", "You forgot", "recall-validator", "", False),
        ("soft", "recall-validator", "medium", "Actually, it's", "recall-validator", "", True),
    ]
    assert set(told["flags"][0]) == {
        *("trigger", "route", "confidence", "phrase", "operator", "others", "needs_related")
    }
    assert ok("messages", "triage", "Actually, it's red") == (
        "soft → recall-validator (medium): “Actually, it's”\n"
        "  if the operator says it: recall-validator, if there is a related memory\n"
        "  if anybody else says it: nothing\n"
    )
    assert "memory → memory-miner (high): “请记住”" in ok("messages", "triage", "-", given="请记住：猫叫米索")
    assert ok("messages", "triage", "good morning") == "Triage flags nothing.\n"
    assert texts() == []


@pytest.mark.parametrize(
    ("said", "reply", "old", "new"),
    [
        ("截止日期是11月20日。", "不是11月20日，是11月23日", "11月20日", "11月23日"),
        ("次のリハーサルは木曜日です。", "木曜日じゃなくて金曜日だよ", "木曜日", "金曜日"),
        ("Jonas is seven.", "he's six, not seven!", "seven", "six"),
    ],
)
def test_triage_tells_what_a_reply_puts_right_as_it_would_be_heard(said: str, reply: str, old: str, new: str) -> None:
    assert ok("messages", "triage", reply, "--said", said).endswith(
        f"corrects: {old} → {new}\n  if the operator says it\n"
    )
    assert answer("messages", "triage", reply, "--said", said)["corrects"]["new"] == new
    assert answer("messages", "triage", reply)["corrects"] is None
    assert ok("messages", "triage", "good morning", "--said", said) == "Triage flags nothing.\n"


def test_triage_notes_patterns_that_cannot_be_used() -> None:
    (home() / "config.yaml").write_text(
        "memory:\n  triage:\n    custom_patterns:\n      - pattern: '('\n      - pattern: 'birthday|生日'\n"
        "        route: soul-keeper\n        confidence: high\n"
    )
    told = answer("messages", "triage", "her birthday")
    assert [(flag["trigger"], flag["route"], flag["others"]) for flag in told["flags"]] == [
        ("custom", "soul-keeper", "")  # only the operator reaches that keeper
    ]
    assert len(told["problems"]) == 1
    assert "Note: custom pattern 1 is left out" in ok("messages", "triage", "她的生日")
    ok("config", "set", "memory.triage.enabled", "false")
    assert "turned off" in ok("messages", "triage", "her birthday")


@pytest.mark.parametrize("words", [(), ("",), ("\udcff",)])
def test_triage_needs_words(words: tuple[str, ...]) -> None:
    assert refusal(2, "messages", "triage", *words)


# sessions


def test_sessions_tell_with_whom_and_what_is_memory_already() -> None:
    conversation()
    found = answer("sessions")
    assert [(each["session"], each["kind"], each["with"], each["messages"], each["new"]) for each in found] == [
        ("dm:ext:wechat:猫", "dm", "ext:wechat:猫", 1, 1),
        ("group:dev", "group", "dev", 1, 1),
        ("dm:acct:owner", "dm", "acct:owner", 2, 2),
    ]
    assert set(found[0]) == {
        *("session", "kind", "with", "messages", "first", "last", "channel", "ended", "new"),
    }
    ok("sessions", "end", "dm:acct:owner")
    assert [each["session"] for each in answer("sessions", "--open")] == ["dm:ext:wechat:猫", "group:dev"]
    ok("messages", "log", "and more", "--session", "dm:acct:owner")
    listed = {each["session"]: each for each in answer("sessions")}
    assert (listed["dm:acct:owner"]["ended"], listed["dm:acct:owner"]["new"]) == (False, 1)
    text = ok("sessions")
    assert text.splitlines()[0].split() == ["SESSION", "KIND", "WITH", "MESSAGES", "LAST", "MEMORY"]
    assert "1 new" in text
    ok("sessions", "end", "--all")
    assert "ended" in ok("sessions")
    assert ok("sessions", "--open") == "Every session is ended.\n"


def test_one_session_is_shown_with_its_files() -> None:
    conversation()
    before = answer("sessions", "dm:ext:wechat:猫")
    assert (before["files"], before["audience"], before["ended"]) == ([], "person:ext:wechat:猫", False)
    assert "oldsoul sessions end dm:ext:wechat:猫" in ok("sessions", "dm:ext:wechat:猫")
    ok("sessions", "end", "dm:ext:wechat:猫")
    after = answer("sessions", "dm:ext:wechat:猫")
    assert (after["files"], after["ended"]) == (["memory/2026-02-06/dm_ext_wechat_猫.md"], True)
    assert "memory/2026-02-06/dm_ext_wechat_猫.md" in ok("sessions", "dm:ext:wechat:猫")
    assert ok("show", "memory/2026-02-06/dm_ext_wechat_猫.md")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, ("sessions", "nobody")),
        (2, ("sessions", "")),
        (2, ("sessions", "x", "--open")),
        (3, ("sessions", "end", "nobody")),
        (3, ("sessions", "end", "nobody", "--dry-run")),
        (2, ("sessions", "end")),
        (2, ("sessions", "end", "x", "--all")),
        (2, ("sessions", "end", " ")),
        (3, ("sessions", "asked", "nobody")),
        (2, ("sessions", "asked")),
        (2, ("sessions", "asked", "a", "b")),
        (2, ("remember", "a", "--section", "facts")),
        (2, ("remember", "--person", "Ben", "x")),
        (2, ("remember", "--person", "acct:7", "")),
        (2, ("remember", "--person", "acct:7", "x", "--section", "gossip")),
        (2, ("people", "bind", "acct:1", "acct:2")),
        (2, ("people", "bind", "ext:a:1", "ext:a:2")),
        (2, ("people", "bind", "Ben", "acct:2")),
        (2, ("people", "bind", "ext:a:1")),
        (3, ("people", "unbind", "ext:a:1", "--yes")),
        (2, ("people", "unbind", "Ben", "--yes")),
        (2, ("people", "marry")),
        (2, ("days", "friday")),
        (3, ("days", "2020-02-02")),
        (3, ("days", "--restore", "2020-02-02")),
        (2, ("days", "--restore", "friday")),
        (2, ("days", "2026-02-04", "--archive")),
        (2, ("days", "--archive", "--restore", "2026-02-04")),
        (3, ("forget", "--message", "7", "--yes")),
        (2, ("forget", "--message", "0", "--yes")),
        (2, ("forget", "--message", "x", "--yes")),
        (2, ("forget", "words", "--message", "7", "--yes")),
        (2, ("forget", "--yes")),
    ],
)
def test_what_cannot_be_done_is_said_and_has_its_exit_code(code: int, words: tuple[str, ...]) -> None:
    assert refusal(code, *words)


def test_a_home_without_conversations_says_so() -> None:
    assert ok("sessions") == "No sessions yet.\n"
    assert ok("messages") == "No messages.\n"
    assert ok("sessions", "end", "--all") == "Every session is ended.\n"
    assert ok("days") == "No days yet.\n"
    assert answer("sessions", "end", "--all") == answer("days") == answer("sessions") == []


# end-session


def test_ending_a_session_writes_its_file_the_diary_and_long_term_memory() -> None:
    ok("messages", "log", JUNO, "--time", "2026-02-04T10:00Z", "--sender", "Ada", "--subject", "acct:42")
    ok("messages", "log", "Don't forget to water the plants", "--time", "2026-02-04T10:01Z", "--session", "dm:acct:42")
    ok("messages", "log", "Noted.", "--time", "2026-02-04T10:02Z", "--session", "dm:acct:42", "--role", "assistant")
    ok("messages", "log", "第二天的消息", "--time", "2026-02-05T09:00Z", "--session", "dm:acct:42")
    (made,) = answer("sessions", "end", "dm:acct:42")
    assert (made["session"], made["done"], made["dry_run"]) == ("dm:acct:42", True, False)
    assert [each["day"] for each in made["runs"]] == ["2026-02-04", "2026-02-05"]
    files, promoted = made["runs"][0]["steps"]
    assert files["files"] == ["memory/2026-02-04.md", "memory/2026-02-04/dm_acct_42.md"]
    index = "memory/_longterms/acct_42/_index.md"
    assert promoted["promoted"] == [{"path": index, "text": "the staging server is called Juno"}]
    assert set(promoted) == {
        *("files", "reason", "change", "proposal", "repeated", "promoted", "masked", "warnings", "problem"),
        *("waits", "diff"),
    }
    session = (folder() / "memory" / "2026-02-04" / "dm_acct_42.md").read_text("utf-8")
    matter = session.split("---\n")[1]
    for field in ("created_at: ", "updated_at: ", "summary: ", 'tasks: "0/1"', 'follow_ups: "0/0"', "session_id: "):
        assert field in matter
    for field in ("source: cli", "channel: cli", "contact_id: acct:42", "contact_nickname: Ada"):
        assert field in matter
    for heading in ("# 2026-02-04 Short-Term Memory", "## Session Summary", "## Temporary Facts", "## Tasks"):
        assert heading in session
    assert "- [ ] water the plants" in session
    diary = (folder() / "memory" / "2026-02-04.md").read_text("utf-8")
    assert "[Session](2026-02-04/dm_acct_42.md)" in diary
    assert "aud=person:acct:42" in diary
    assert "the staging server is called Juno (added 2026-02-04)" in (folder() / index).read_text("utf-8")
    second = (folder() / "memory" / "2026-02-05" / "dm_acct_42.md").read_text("utf-8")
    assert "第二天的消息" in second
    assert "[Previous day](../2026-02-04/dm_acct_42.md)" in second
    assert answer("sessions", "end", "dm:acct:42")[0]["runs"] == []
    assert ok("sessions", "end", "dm:acct:42") == "dm:acct:42: no new messages.\n"


def test_people_read_what_was_written_and_what_waits_for_them() -> None:
    ok("messages", "log", JUNO, "--time", "2026-02-04T10:00Z")
    ok("messages", "log", "Remember that I prefer tea over coffee", "--time", "2026-02-04T10:01Z")
    text = ok("sessions", "end", "dm:acct:owner")
    (waiting,) = answer("review")
    assert text.splitlines() == [
        "dm:acct:owner, 2026-02-04",
        "  memory/2026-02-04.md (change 2)",
        "  memory/2026-02-04/dm_acct_owner.md (change 2)",
        "  memory/_longterms/acct_owner/_index.md: the staging server is called Juno (change 3)",
        "  MEMORY.md: Operator: I prefer tea over coffee (change 4)",
        f"  USER.md: I prefer tea over coffee (waits for your approval, `oldsoul review show {waiting['id']}`)",
    ]
    ok("messages", "log", "Remember that our bikes are in the garage", "--time", "2026-02-04T11:00Z")
    assert "one item per session and day: our bikes are in the garage" in ok("sessions", "end", "dm:acct:owner")


def test_all_sessions_with_something_new_are_ended_the_oldest_first() -> None:
    conversation()
    assert [each["session"] for each in answer("sessions", "end", "--all")] == [
        "dm:acct:owner",
        "group:dev",
        "dm:ext:wechat:猫",
    ]
    assert answer("sessions", "end", "--all") == []


def test_a_dry_run_shows_the_differences_and_writes_nothing() -> None:
    ok("messages", "log", JUNO, "--time", "2026-02-04T10:00Z")
    ok("messages", "log", "请记住：我喜欢喝茶", "--time", "2026-02-05T10:01Z")
    before = everything(home())
    (shown,) = answer("sessions", "end", "dm:acct:owner", "--dry-run")
    text = ok("sessions", "end", "--all", "--dry-run")
    after = everything(home())
    assert {path: after[path] for path in before} == before
    assert {path.removesuffix(".lock") for path in after.keys() - before.keys()} <= {"state/usage.db"}
    assert shown["dry_run"] is True
    steps = [step for each in shown["runs"] for step in each["steps"]]
    assert "+- **Staging server**: the staging server is called Juno (added 2026-02-04)" in steps[1]["diff"]
    assert [step["files"] for step in steps if step["waits"]] == [["USER.md"]]
    assert "USER.md would wait for your approval" in text
    assert "+# 2026-02-04 Short-Term Memory" in text
    assert "Nothing was written." in text
    assert not answer("sessions", "dm:acct:owner")["ended"]


def test_a_run_that_is_not_done_is_told_and_has_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation()
    wanted = ChangeSet((Add(Name("main", "MEMORY.md"), "x"),), Author(Role.KEEPER, "k"), "because", "k:1")

    def failing(*_: object, **__: object) -> list[Report]:
        run_ = Run("main", "session-summarizer", "end:s:2026-02-04:7")
        return [Report(run_, (RunStep(wanted, problem="the disk is on fire"),), ("a note",), done=False)]

    monkeypatch.setattr("oldsoul.app.services.talk.Talk.end", failing)
    result = run("sessions", "end", "dm:acct:owner")
    assert result.exit_code == 1
    assert "MEMORY.md: the disk is on fire" in result.stdout
    assert "Note: a note" in result.stdout
    assert "is not finished; fix the cause and run this again" in result.stdout
    result = run("sessions", "end", "--all", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert len(told) == 3
    assert (told[0]["done"], told[0]["runs"][0]["problems"]) == (False, ["the disk is on fire"])
    assert run("messages", "import", "-", "--end", given=jsonl([line(1)])).exit_code == 1


# promote


def test_promote_tells_what_was_asked_for_and_what_becomes_of_it() -> None:
    for number, said in enumerate(
        [
            "Remember that our project goal is a release in spring",
            "Remember that our archive is in the cellar. And remember to feed Miso.",
            "Remember that I have a dentist appointment tomorrow",
            "请记住：我不吃花生",
        ]
    ):
        ok("messages", "log", said, "--subject", "acct:5", "--time", f"2026-02-04T10:0{number}Z")
    ok("messages", "log", "I will remember that", "--session", "dm:acct:5", "--role", "assistant", "--time", NOON)

    def fates() -> list[tuple[str, str, list[str]]]:
        return [(each["words"], each["state"], each["files"]) for each in answer("sessions", "asked", "dm:acct:5")]

    index, profile = (f"memory/_longterms/acct_5/{file}.md" for file in ("_index", "profile"))
    before = everything(home())
    left: list[tuple[str, str, list[str]]] = [
        ("our archive is in the cellar", "left", []),
        ("feed Miso", "task", []),
        ("Remember that I have a dentist appointment tomorrow", "left", []),
    ]
    assert fates() == [
        ("our project goal is a release in spring", "next", [index]),
        *left,
        ("我不吃花生", "next", [profile]),
    ]
    text = ok("sessions", "asked", "dm:acct:5")
    assert f"will be kept in {index} when the session ends\n  our project goal is a release in spring" in text
    assert "another came first\n  our archive is in the cellar" in text
    assert everything(home()) == before
    ok("sessions", "end", "dm:acct:5")
    assert fates() == [
        ("our project goal is a release in spring", "kept", [index]),
        *left,
        ("我不吃花生", "kept", [profile]),
    ]
    assert f"kept in {profile}\n  我不吃花生" in ok("sessions", "asked", "dm:acct:5")
    assert set(answer("sessions", "asked", "dm:acct:5")[0]) == {
        *("message", "time", "subject", "words", "kind", "section", "files", "state", "why"),
    }


def test_promote_knows_rooms_and_conversations_that_belong_to_nobody() -> None:
    ok("messages", "log", "Remember that the printer is on the second floor", "--room", "dev", "--sender", "Ben")
    ok("messages", "log", "Remember that the printer is on the second floor", "--kind", "group")
    assert answer("sessions", "asked", "group:dev")[0]["files"] == ["rooms/dev.md"]
    assert "this session belongs to no person" in answer("sessions", "asked", "group:unknown")[0]["why"]
    ok("sessions", "end", "--all")
    assert answer("sessions", "asked", "group:dev")[0]["state"] == "kept"
    ok("messages", "log", "good morning", "--subject", "acct:9")
    assert answer("sessions", "asked", "dm:acct:9") == []
    assert "Nobody asked" in ok("sessions", "asked", "dm:acct:9")


def test_the_operator_keeps_something_for_a_person_by_hand() -> None:
    made = answer("remember", "--person", "acct:42", "The", "spare key is with the neighbours")
    assert (made["path"], made["repeated"]) == ("memory/_longterms/acct_42/_index.md", False)
    text = (folder() / made["path"]).read_text("utf-8")
    stands = text.splitlines()[made["line"] - 1]
    today = datetime.now(UTC).date().isoformat()
    assert f"The spare key is with the neighbours (added {today})" in stands
    assert text.index("## Key Facts") < text.index(stands)
    assert answer("log", made["path"])[0]["author"] == "operator:acct:owner"
    again = answer("remember", "--person", "acct:42", "the spare key is with the neighbours")
    assert (again["entry"], again["repeated"]) == (made["entry"], True)
    goal = answer("remember", "--person", "acct:42", "--section", "goals", "-", given="项目目标是今年上线\n")
    text = (folder() / made["path"]).read_text("utf-8")
    assert text.index("项目目标是今年上线") < text.index("## Key Facts")
    assert ok("undo", str(goal["change"]))
    leaked = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    assert "Masked 1 secret" in ok("remember", "--person", "acct:42", f"the token of the robot is {leaked}")
    assert "Remembered: memory/_longterms/ext_telegram_7/_index.md:" in ok(
        "remember", "--person", "ext:telegram:7", "tea is at 4"
    )


# people


def test_people_are_listed_bound_and_unbound() -> None:
    ok("remember", "--person", "ext:telegram:7", "The bike of Ben is blue")
    ok("remember", "--person", "acct:42", "The cat of Ben is grey")
    ok("messages", "log", "hi", "--subject", "ext:wechat:小明")
    assert answer("people") == answer("people", "list")
    assert [tuple(person.values()) for person in answer("people")] == [
        ("acct:42", False, [], 1),
        ("acct:owner", True, [], 0),
        ("ext:telegram:7", False, [], 1),
        ("ext:wechat:小明", False, [], 0),
    ]
    assert set(answer("people")[0]) == {"id", "operator", "known_as", "memories"}
    assert ok("people").splitlines()[2].split() == ["acct:owner", "yes", "–", "0"]
    bound = answer("people", "bind", "ext:telegram:7", "acct:42")
    assert bound == {"name": "ext:telegram:7", "account": "acct:42", "joined": ["main"]}
    assert tuple(answer("people")[0].values()) == ("acct:42", False, ["ext:telegram:7"], 2)
    assert "unbind it first" in refusal(2, "people", "bind", "ext:telegram:7", "acct:43")
    assert answer("messages", "log", "hi", "--subject", "ext:telegram:7")["subject"] == "acct:42"
    assert run("people", "unbind", "ext:telegram:7", given="n\n").exit_code == 1
    assert "--yes" in refusal(2, "people", "unbind", "ext:telegram:7")
    assert answer("people", "unbind", "ext:telegram:7", "-y") == {"name": "ext:telegram:7", "account": "acct:42"}
    assert answer("messages", "log", "hi", "--subject", "ext:telegram:7")["subject"] == "ext:telegram:7"
    assert "Bound ext:wechat:小明 to acct:42." in ok("people", "bind", "ext:wechat:小明", "acct:42")
    assert "Unbound ext:wechat:小明" in ok("people", "unbind", "ext:wechat:小明", given="y\n")


# days


def test_days_are_listed_printed_archived_and_brought_back_byte_for_byte() -> None:
    ok("messages", "log", JUNO)
    ok("sessions", "end", "--all")
    old = (datetime.now(UTC).date() - timedelta(days=90)).isoformat()
    data = f"# {old}\r\n\r\n## {old} 10:00 UTC\r\n\r\n老的一天 \t".encode() + b"\xff no end"
    path = folder() / "memory" / f"{old}.md"
    path.write_bytes(data)
    listed = answer("days")
    assert set(listed[0]) == {"date", "entries", "size_bytes", "filename", "archived"}
    assert (listed[1]["date"], listed[1]["entries"], listed[1]["size_bytes"]) == (old, 1, len(data))
    assert finished("days", old).stdout == data
    gone = answer("days", "--archive")
    assert gone == {"archived": [f"memory/{old}.md"], "after_days": 30, "problems": []}
    assert not path.exists()
    assert (folder() / "Archive" / "Daily" / f"{old}.md").read_bytes() == data
    assert answer("days")[1]["archived"] is True
    assert ok("days").splitlines()[2].split() == [old, "1", str(len(data)), f"Archive/Daily/{old}.md", "yes"]
    printed = finished("days", old)
    assert printed.stdout == data
    assert b"From the archive" in printed.stderr
    (shown,) = answer("days", old)
    assert shown["text"].encode("utf-8", "surrogateescape") == data
    assert "No day is older than 30 days." in ok("days", "--archive")
    assert answer("days", "--restore", old) == {"restored": [f"memory/{old}.md"], "archived_again": True}
    assert path.read_bytes() == data
    assert f"memory/{old}.md" in ok("days", "--archive")
    assert "are archived once a day" in ok("days", "--restore", old)
    assert path.read_bytes() == data


def test_a_day_in_parts_is_printed_in_their_order() -> None:
    old = "2026-02-04"
    for part, text in (("", "one\n"), (".2", "two\n"), (".10", "ten\n")):
        (folder() / "memory" / f"{old}{part}.md").write_text(text)
    assert ok("days", old) == "one\ntwo\nten\n"


# forget and doctor


def test_the_words_of_one_message_are_erased_for_good() -> None:
    ok("messages", "log", "The code is Zanzibar", "--key", "k")
    ok("messages", "log", "good morning")
    declined = run("forget", "--message", "1", given="n\n")
    assert declined.exit_code == 1
    assert "dm:acct:owner, message 1: The code is Zanzibar" in declined.stderr
    assert "--yes" in refusal(2, "forget", "--message", "1")
    assert answer("forget", "--message", "1", "--yes") == {"message": 1, "session": "dm:acct:owner"}
    assert texts() == ["good morning", "[erased]"]
    assert texts("--find", "Zanzibar") == []
    assert not [path for path, data in everything(home()).items() if b"Zanzibar" in data]
    assert answer("messages", "log", "The code is Zanzibar", "--key", "k")["text"] == "[erased]"
    assert "Erased the text of message 2" in ok("forget", "--message", "2", given="y\n")


def told_by_doctor() -> tuple[int, str]:
    result = run("doctor", "--json")
    checks = json.loads(result.stdout)["checks"]
    return result.exit_code, "\n".join(f"{c['level']} {c['about']}: {c['message']}" for c in checks)


def test_doctor_looks_at_the_chat_log() -> None:
    assert "ok chat log: no messages logged yet" in told_by_doctor()[1]
    assert not (home() / "state" / "chat.db").exists()
    ok("messages", "log", "hi")
    code, told = told_by_doctor()
    assert code == 0
    assert "1 session" in told
    (home() / "state" / "chat.db").write_bytes(b"not a database at all" * 1000)
    code, told = told_by_doctor()
    assert code == 1
    assert "error chat log: file is not a database" in told
    assert refusal(7, "messages")


def test_doctor_tells_of_patterns_and_of_the_limit_that_counts() -> None:
    (home() / "config.yaml").write_text(
        "memory:\n  triage:\n    custom_patterns:\n      - pattern: '('\n  retention:\n    compaction_age_days: 20\n"
    )
    code, told = told_by_doctor()
    assert code == 0
    assert "warning main: custom pattern 1 is left out" in told
    assert "compaction_age_days: this setting was removed: use memory.workspace.daily_log_retention_days" in told


def test_conversations_may_lie_in_postgresql(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("config", "set", "storage.chat", "postgres")
    assert "OLDSOUL_POSTGRES_DSN" in refusal(2, "messages")
    assert told_by_doctor()[0] == 1
    monkeypatch.setenv("OLDSOUL_POSTGRES_DSN", postgres.fresh())
    assert answer("messages", "log", "请记住：猫叫米索", "--time", NOON)["message"] == 1
    assert texts("--find", "米索", "--flagged", "memory-miner") == ["请记住：猫叫米索"]
    assert ok("sessions", "end", "--all").startswith("dm:acct:owner, 2026-02-04\n")
    ok("forget", "--message", "1", "--yes")
    assert texts() == ["[erased]"]
    code, told = told_by_doctor()
    assert (code, "ok chat log in PostgreSQL: it answers, 1 session" in told) == (0, True)
    assert "hunter2" not in told + ok("doctor")
    assert not (home() / "state" / "chat.db").exists()


# for everybody


def test_a_terminal_gets_colour_and_lines_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    listed = on_a_terminal("sessions", typed=b"")[1]
    assert "\x1b[33m" in listed
    assert "2026-02-04" in listed
    shown = on_a_terminal("sessions", "end", "--all", "--dry-run", typed=b"")[1]
    assert "\x1b[32m+# 2026-02-04 Short-Term Memory" in shown
    ok("messages", "log", "很长的消息" * 100)
    long = on_a_terminal("messages", typed=b"")[1]
    assert "s ago" in long
    assert "…" in long
    assert "\x1b" not in ok("messages") + ok("sessions")


def test_what_people_wrote_cannot_disturb_a_terminal() -> None:
    ok("messages", "log", "-", "--sender", "B\x1b[31mn", "--room", "dev", given="remember that \x1b[2J is bad\nfor you")
    for words in (
        ["messages"],
        ["sessions", "group:dev"],
        ["sessions", "asked", "group:dev"],
        ["sessions", "end", "--all"],
    ):
        assert "\x1b" not in ok(*words)
    assert "\x1b" not in ok("messages", "triage", "-", given="remember that\x1b[2J")


def test_the_shell_completes_sessions_and_keepers() -> None:
    ok("messages", "log", "hi", "--session", "standup")
    for typed, expected in (
        ("oldsoul sessions end st", {"standup"}),
        ("oldsoul messages list --flagged memory-m", {"memory-miner"}),
        ("oldsoul people ", {"list", "bind", "unbind"}),
        ("oldsoul mess", {"messages"}),
    ):
        environment = {
            **os.environ,
            "_OLDSOUL_COMPLETE": "bash_complete",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(typed.count(" ")),
        }
        done = finished(env=environment)
        assert {each.partition(",")[2] for each in done.stdout.decode().split()} == expected


def test_help_of_the_new_commands_loads_nothing_heavy() -> None:
    script = (
        "import sys\nfrom oldsoul.faces.cli import cli\n"
        "try:\n    cli.main(sys.argv[1:])\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    heavy = {"sqlite3", "re2", "yaml", "oldsoul.app", "oldsoul.settings", "oldsoul.ledger", "oldsoul.rules.triage"}
    names = (
        *("messages", "messages log", "messages list", "messages import", "messages triage"),
        *("sessions", "sessions end", "sessions asked", "people", "days"),
    )
    for name in names:
        done = subprocess.run([sys.executable, "-c", script, *name.split(), "--help"], capture_output=True, check=True)
        assert not heavy & set(done.stderr.decode().split()), name


def test_a_time_nobody_lived_in_is_refused_from_python_too() -> None:
    with Oldsoul.open() as soul, pytest.raises(BadInput, match="is in the year 1"):
        soul.agent().hear("long ago", session=Session.dm(), time=datetime(1, 1, 1, tzinfo=UTC))


def test_what_python_logs_the_commands_show() -> None:
    with Oldsoul.open() as soul:
        agent = soul.agent()
        agent.hear("hello from Python", session=Session.dm("acct:7"), sender="Ada")
        assert agent.memory.promote("The spare key is with Ada", "acct:7").line
    assert texts() == ["hello from Python"]
    assert propose()
    assert answer("people")[0]["memories"] == 1


def test_work_prints_what_the_keepers_ask_and_takes_answers() -> None:
    ok("messages", "log", "The shop opens on May 4, says the printer.", "--session", "dm:acct:owner")
    assert answer("keepers", "work", "--as", "group:other", "--json") == {"questions": []}
    (question,) = [
        one
        for one in answer("keepers", "work", "--limit", "20", "--json")["questions"]
        if one["kind"] == "memory-miner"
    ]
    assert "May 4, says the printer" in question["evidence"]
    assert run("keepers", "work", "--answer", question["id"], given="{}").exit_code == 2
    taken = answer("keepers", "work", "--answer", question["id"], "--json", given='{"items": []}')
    assert taken["changes"] == 0
    assert run("keepers", "work", "--answer", question["id"], given='{"items": []}').exit_code == 3
    assert ok("keepers", "work") == "No open questions.\n"
