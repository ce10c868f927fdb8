"""The commands that search memory, read pieces of it, and look after its index."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from faces.test_cli import RUN, answer, folder, ok, on_a_terminal, refusal, run
from oldsoul.app import Agent
from oldsoul.values.audience import PUBLIC
from oldsoul.values.recall import PARTS, Chunk, Hit, Recalled

HIT = {
    *("path", "start_line", "end_line", "score", "heading", "text", "source", "date", "speaker", "earlier"),
    *("entry", "audience", "citation", "why"),
}
DAY = "memory/2026-02-03.md"
DIARY = """# 2026-02-03

## 2026-02-03 09:00 UTC <!--os aaaaaaaaaa aud=owner-->

The zebra Olga is mine alone.

## 2026-02-03 10:00 UTC <!--os bbbbbbbbbb aud=room:dev-->

The zebra Dora lives in the server room.
"""


@pytest.fixture(autouse=True)
def _a_home() -> None:
    ok("config", "set", "timezone", "UTC")
    ok("init")
    (folder() / DAY).write_text(DIARY)


def found(*words: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = answer("search", *words)["hits"]
    return hits


def texts(*words: str) -> str:
    return " ".join(hit["text"] for hit in found(*words))


def says(text: str, *words: str) -> None:
    ok("messages", "log", text, *words)


# search


def test_a_search_loads_nothing_that_only_keepers_need() -> None:
    ok("search", "zebra")  # the index is there
    script = (
        "import sys\nfrom oldsoul.faces.cli import cli\n"
        "try:\n    cli.main(sys.argv[1:])\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, "search", "zebra"], capture_output=True, check=True)
    heavy = {"oldsoul.judging.contradictions", "oldsoul.reading.slots"}
    assert not (heavy | {"importlib.metadata"}) & set(done.stderr.decode().split())
    assert b"Olga" in done.stdout


def test_a_question_is_answered_with_where_it_stands() -> None:
    ok("remember", "The cat is called Miso", "--tag", "knowledge")
    made = answer("search", "what", "is", "the", "cat", "called?")
    assert set(made) == {"answer", "confidence", "hits", "notes"}
    assert made["answer"] == "found"
    assert all(set(hit) == HIT for hit in made["hits"])
    first = made["hits"][0]
    line = (folder() / "MEMORY.md").read_text().splitlines()[first["start_line"] - 1]
    assert line.startswith("- The cat is called Miso")
    assert (first["path"], first["source"], first["speaker"]) == ("MEMORY.md", "memory", "")
    assert 0 < first["score"] <= 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", first["date"])
    text = ok("search", "what is the cat called?", "-n", "1")
    assert text.startswith(f"Found:\n\nMEMORY.md:{first['start_line']}  {first['score']:.2f}  {first['date']}\n")
    assert "  The cat is called Miso" in text


def test_the_question_may_come_from_standard_input() -> None:
    assert json.loads(ok("search", "-", "--json", given="which zebra is mine?\n"))["hits"]


def test_what_a_person_should_know_is_told_to_programs_too() -> None:
    assert answer("search", "where is the zebraa?")["notes"] == ["zebraa is nowhere in memory; it was read as zebra"]


def test_that_nothing_is_found_is_no_error() -> None:
    result = run("search", "quantum chromodynamics", "--min-score", "1")
    assert (result.exit_code, result.stdout) == (0, "Nothing found.\n")
    nothing = {"answer": "unknown", "confidence": 0.0, "hits": [], "notes": []}
    assert answer("search", "quantum chromodynamics", "--min-score", "1") == nothing


def test_what_is_far_from_the_question_is_called_so() -> None:
    text = ok("search", "quantum chromodynamics")
    assert text.startswith(("Probably not in memory", "Not sure"))


def test_memories_that_disagree_are_said_to() -> None:
    ok("remember", "The standup meeting is at nine")
    ok("remember", "The standup meeting is at ten")
    lines = (folder() / "MEMORY.md").read_text()
    ids = re.findall(r"standup meeting.*?<!--os (\w{10})", lines)
    (folder() / "CONFLICTS.md").write_text(
        f"# Conflicts\n\n## 2026-02-04 10:00 UTC <!--os dddddddddd between={','.join(ids)}-->\n\nTwo times.\n"
    )
    assert answer("search", "when is the standup meeting?")["answer"] == "conflicting"
    assert ok("search", "when is the standup meeting?").startswith("Memories disagree:\n")


def test_each_session_finds_what_it_may_see() -> None:
    says("The zebra Anton is my secret", "--subject", "acct:ann", "--sender", "Ann")
    seen = {
        (): {"Olga", "Dora"},
        ("--as", "dm"): {"Olga", "Dora"},
        ("--as", "dm:acct:owner"): {"Olga", "Dora"},
        ("--as", "dm:acct:ann"): {"Anton"},
        ("--as", "dm:ann"): {"Anton"},
        ("--as", "dm:ext:telegram:7"): set(),
        ("--as", "group:dev"): {"Dora"},
        ("--as", "group:other"): set(),
        ("--as", "group"): set(),
        ("--as", "cron"): set(),
        ("--as", "cron:nightly"): set(),
    }
    for who, expected in seen.items():
        for words in (("search", "zebra", "-n", "50", *who), ("search", "zebra", "-n", "50", "--explain", *who)):
            shown = ok(*words) + ok(*words, "--json")
            assert {name for name in ("Olga", "Dora", "Anton") if name in shown} == expected, who


@pytest.mark.parametrize("who", ["", "alice", "dm:", "group:", "cron:", "room:dev", "dm:x:y", "owner"])
def test_a_session_that_makes_no_sense_is_refused(who: str) -> None:
    refusal(2, "search", "zebra", "--as", who)
    refusal(2, "show", DAY, "--as", who)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("",),
        ("x" * 1001,),
        ("x", "-n", "0"),
        ("x", "--min-score", "2"),
        ("x", "--source", "web"),
        ("x", "--since", "someday"),
        ("x", "--until", "someday"),
        ("x", "--tag", "other"),
        ("x", "--room", ""),
        ("x", "--person", "ann"),
        ("x", "--person", ""),
        ("x", "--since", "2026-02-05", "--until", "2026-02-04"),
        ("x", "--since", "2026-02-04T10:00", "--until", "2026-02-04T10:00"),
    ],
)
def test_options_that_make_no_sense_are_refused(words: tuple[str, ...]) -> None:
    refusal(2, "search", *words)


def test_results_are_restricted_by_source_tag_room_person_and_time() -> None:
    ok("remember", "We decided for the green door", "--tag", "decision")
    ok("remember", "The old door squeaks", "--tag", "knowledge")
    dev = ("--room", "dev", "--subject", "acct:9", "--sender", "Bob", "--time", "2026-01-10T10:00:00Z")
    says("The door of the lab is locked", *dev)
    says("My door is blue", "--time", "2026-01-20T10:00:00Z")
    assert {hit["source"] for hit in found("door")} == {"memory", "sessions"}
    assert {hit["source"] for hit in found("door", "--source", "memory")} == {"memory"}
    assert {hit["source"] for hit in found("door", "--source", "sessions")} == {"sessions"}
    assert "green" in texts("door", "--tag", "decision")
    assert "squeaks" not in texts("door", "--tag", "decision")
    in_room = [hit["text"] for hit in found("door", "--room", "dev")]
    assert in_room[0] == "The door of the lab is locked"
    assert not any("blue" in text or "green" in text for text in in_room)
    (bobs,) = found("door", "--person", "acct:9")
    assert (bobs["speaker"], bobs["date"], bobs["path"]) == ("Bob", "2026-01-10", "chat/group_dev")
    january = found("door", "--since", "2026-01-01", "--until", "2026-01-31")
    assert {hit["date"] for hit in january} == {"2026-01-10", "2026-01-20"}
    assert [hit["date"] for hit in found("door", "--until", "2026-01-10")] == ["2026-01-10"]
    assert not found("door", "--until", "2026-01-10T10:00")
    assert len(found("door", "--limit", "2")) == 2
    best = found("door")[0]["score"]
    assert all(hit["score"] >= best for hit in found("door", "--min-score", str(best)))


def test_times_in_the_wrong_order_are_named() -> None:
    told = refusal(2, "search", "zebra", "--since", "2026-02-05", "--until", "2026-02-04")
    assert "2026-02-05 is not before 2026-02-04" in told
    ok("search", "zebra", "--since", "2026-02-04", "--until", "2026-02-04")


def test_a_name_in_the_place_of_an_id_is_told_with_whose_it_is() -> None:
    says("The door is locked", "--room", "dev", "--subject", "ext:telegram:7", "--sender", "Ben")
    says("No, it is open", "--room", "dev", "--subject", "acct:9", "--sender", "ben")
    says("I am here too", "--room", "dev", "--subject", "acct:8")
    assert refusal(2, "search", "door", "--person", "Ben").endswith(": acct:9, ext:telegram:7")
    assert refusal(2, "search", "door", "--person", "8").endswith(": acct:8")
    assert "write acct:<account>" in refusal(2, "search", "door", "--person", "Zoe")
    assert "acct:8" not in refusal(2, "search", "door", "--person", "")


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (0.5, "Sum: 0.900 of at most 1.80, so the score is 0.50."),
        (1.0, "Sum: 0.900."),
        (0.0, "Sum: 0.900."),
    ],
)
def test_the_parts_of_a_score_are_summed(score: float, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = Chunk("MEMORY.md", 1, 1, "The cat is called Miso", PUBLIC)
    found = Recalled("found", (Hit(chunk, score, {"words": 1.0, "length": -0.1}),))
    monkeypatch.setattr(Agent, "recall", lambda *_, **__: found)
    assert ok("search", "cat", "--explain").splitlines()[-1] == f"    {told}"


def test_a_hit_tells_what_it_stands_under() -> None:
    (folder() / "memory/server-dachs.md").write_text("# dachs\n\n## Box\n\n- 32 GB ECC\n", "utf-8")
    hit = found("how many GB has dachs?")[0]
    assert (hit["text"], hit["heading"]) == ("32 GB ECC", "dachs / Box")
    assert "dachs / Box" in ok("search", "how many GB has dachs?", "-n", "1")


def test_each_score_is_explained() -> None:
    ok("remember", "The cat is called Miso")
    hit = found("the cat Miso", "--explain")[0]
    assert set(hit) == HIT
    assert hit["why"]
    assert all(isinstance(value, float) for value in hit["why"].values())
    text = ok("search", "the cat Miso", "-n", "1", "--explain")
    assert "    PART" in text
    assert all(re.search(rf"^    {PARTS[part]} +[+-]\d\.\d{{3}}$", text, re.MULTILINE) for part in hit["why"])
    assert f"Sum: {sum(hit['why'].values()):.3f}" in text


def test_the_dashboard_has_the_same_words_for_the_parts_of_a_score() -> None:
    code = (Path(__file__).parents[2] / "web/src/screens/search/asking.ts").read_text("utf-8")
    listed = code.partition("const PARTS")[2].partition("};")[0]
    assert dict(re.findall(r'^  (\w+): "(.+)",$', listed, re.MULTILINE)) == PARTS


def test_words_that_were_asked_for_stand_out_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("remember", "The cats were called Miso")
    ok("remember", "我的猫叫做米索")
    monkeypatch.setenv("TERM", "xterm")
    seen = on_a_terminal("search", "what is the cat called", "-n", "1", typed=b"")[1]
    assert "The \x1b[1;33mcats\x1b[0m were \x1b[1;33mcalled\x1b[0m Miso" in seen
    seen = on_a_terminal("search", "猫叫什么", "-n", "1", typed=b"")[1]
    assert "我的\x1b[1;33m猫\x1b[0m\x1b[1;33m叫\x1b[0m做" in seen
    assert "\x1b" not in ok("search", "cat")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1" not in on_a_terminal("search", "cat", typed=b"")[1]


def test_what_was_found_cannot_move_the_cursor() -> None:
    says("zebra \x1b[2J\x07 gone", "--sender", "B\x1b[31mob")
    assert "\x1b" not in ok("search", "zebra gone")
    assert "\x1b" not in ok("search", "zebra gone", "--explain")


def test_chinese_is_asked_and_answered() -> None:
    ok("remember", "猫叫做米索，喜欢吃鱼")
    assert "米索" in found("猫叫什么名字？")[0]["text"]
    assert "猫叫做米索" in ok("search", "猫")


def test_search_that_is_switched_off_says_so() -> None:
    ok("config", "set", "memory.search.enabled", "false")
    for words in (
        ("search", "x"),
        ("show", "MEMORY.md", "--as", "dm"),
        ("index",),
        ("index", "rebuild"),
        ("index", "watch"),
    ):
        assert "memory.search.enabled" in refusal(5, *words)


# get


def test_a_piece_of_a_file_is_printed_by_its_lines() -> None:
    assert ok("show", DAY, "--from", "5", "--lines", "1") == "The zebra Olga is mine alone.\n"
    whole = answer("show", DAY, "--as", "dm")
    assert set(whole) == {"path", "text", "from", "lines"}
    assert (whole["path"], whole["from"], whole["lines"]) == (DAY, 1, 9)
    assert "<!--" not in whole["text"]
    assert answer("show", DAY, "--as", "dm", "--lines", "3")["next"] == 4
    assert "More: --from 4" in run("show", DAY, "--as", "dm", "--lines", "3").stderr
    ok("remember", "The cat is called Miso")
    assert "Miso" in ok("show", "memory", "--as", "dm")


def test_a_line_beyond_the_last_is_refused_with_how_many_there_are() -> None:
    assert refusal(2, "show", DAY, "--from", "10") == f"{DAY} has 9 lines; --from 10 is beyond the end"
    hidden = DIARY.replace("aud=room:dev", "aud=owner").replace("aud=owner", "aud=room:dev", 1)
    (folder() / DAY).write_text(hidden)
    assert "has 5 lines" in refusal(2, "show", DAY, "--from", "9", "--as", "group:dev")
    (folder() / DAY).write_text("- a line\n" * 450)
    assert "has 450 lines" in refusal(2, "show", DAY, "--from", "500")


def test_lines_are_blank_where_a_session_may_not_see_them() -> None:
    lines = ok("show", DAY, "--as", "group:dev").split("\n")
    assert lines[8] == "The zebra Dora lives in the server room."
    assert not any(lines[:6])
    assert answer("show", DAY, "--as", "group:dev", "--from", "5", "--lines", "1")["text"] == ""


def test_what_a_session_may_not_see_is_not_there() -> None:
    says("psst", "--subject", "acct:ann")
    missing = refusal(3, "show", "memory/1999-01-01.md", "--as", "dm")
    for path, who in (
        (DAY, "group:other"),
        ("MEMORY.md", "group:dev"),
        ("chat/dm_acct_ann", "group:dev"),
        ("chat/dm_acct_ann", "dm:bob"),
        ("chat/dm_acct_ann", "dm"),
        ("SOUL.md", "dm"),
    ):
        assert refusal(3, "show", path, "--as", who) == missing.replace("memory/1999-01-01.md", path)
    assert ok("show", "chat/dm_acct_ann", "--as", "dm:ann").endswith(": psst\n")


@pytest.mark.parametrize(
    "path", ["../../config.yaml", "/etc/passwd", "chat/../x", "a\nb.md", "_shared/../main/MEMORY.md"]
)
def test_hostile_paths_are_refused(path: str) -> None:
    refusal(2, "show", path, "--as", "dm")


def test_a_message_is_read_by_its_number() -> None:
    says("one", "--time", "2026-02-04T10:00:00Z", "--sender", "Ada")
    says("two", "--time", "2026-02-04T10:01:00Z", "--sender", "Ada")
    assert ok("show", "chat/dm_acct_owner", "--from", "2") == "#2 2026-02-04 10:01 Ada: two\n"
    assert answer("show", "chat/dm_acct_owner", "--as", "dm")["lines"] == 2


# index

STATUS = {
    *(
        "agent",
        "documents",
        "conversations",
        "chunks",
        "embedder",
        "file",
        "size",
        "waiting",
        "up_to_date",
        "making",
        "problems",
    ),
}


def test_the_index_tells_how_it_stands() -> None:
    ok("config", "set", "memory.search.sync.on_session_start", "false")
    ok("remember", "The cat is called Miso")
    says("hello there")
    fresh = answer("index")
    assert set(fresh) == STATUS
    assert (fresh["up_to_date"], fresh["waiting"], fresh["chunks"]) == (False, 3, 0)
    assert "no, 3 changed; the next search indexes them" in ok("index")
    found("cat")
    made = answer("index")
    assert (made["documents"], made["conversations"], made["chunks"]) == (2, 1, 4)
    assert (made["up_to_date"], made["embedder"], made["agent"]) == (True, "bundled", "main")
    assert made["size"] > 0
    assert made["file"].endswith("/cache/index/main.db")
    text = ok("index")
    assert re.search(r"^Files: +2$", text, re.MULTILINE)
    assert re.search(r"^Up to date: +yes$", text, re.MULTILINE)


def test_words_alone_and_another_place_are_told() -> None:
    ok("config", "set", "memory.search.provider", "none")
    assert answer("index")["embedder"] == "none"
    assert "words only" in ok("index")


def test_extra_paths_are_searched_read_and_named_when_they_are_missing(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "trees.md").write_text("# Trees\n\n- The walnut was planted in 1987\n")
    ok("config", "set", "memory.search.extra_paths", f'["{notes}", "{tmp_path}/gone"]')
    (hit,) = found("walnut", "--source", "extra")
    assert (hit["path"], hit["source"]) == (f"{notes}/trees.md", "extra")
    assert ok("show", f"{notes}/trees.md", "--from", "3").strip() == "- The walnut was planted in 1987"
    assert f"{tmp_path}/gone does not exist" in re.sub(r"\s+", " ", ok("index"))
    assert answer("index")["problems"] == [
        f"{tmp_path}/gone does not exist, or is neither a folder nor a Markdown file",
    ]
    told = [check for check in answer("doctor")["checks"] if "gone" in check["message"]]
    assert [check["level"] for check in told] == ["warning"]


def test_the_index_is_made_anew() -> None:
    ok("remember", "The cat is called Miso")
    assert ok("index", "rebuild").startswith("Rebuilt from 2 files and 0 conversations in ")
    made = answer("index", "rebuild")
    assert set(made) == STATUS | {"broken"}
    assert (made["documents"], made["chunks"], made["up_to_date"]) == (2, 3, True)
    assert found("what is the cat called?")[0]["text"].startswith("The cat is called Miso")


def test_a_search_makes_a_damaged_index_anew_before_it_answers() -> None:
    ok("remember", "The cat is called Miso")
    assert found("what is the cat called?")
    Path(answer("index")["file"]).write_bytes(b"garbage" * 1000)
    seen = ok("search", "what is the cat called?")
    assert "Miso" in seen
    assert "made anew" not in seen
    assert answer("index")["up_to_date"]


def test_making_it_anew_shows_how_far_it_is_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    code, seen = on_a_terminal("index", "rebuild", typed=b"")
    assert code == 0
    assert "100 %" in seen
    assert "Rebuilt from 1 file" in seen


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_it_is_kept_up_to_date_until_stopped(more: tuple[str, ...], tmp_path: Path) -> None:
    found("zebra")
    out = tmp_path / "out"
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # whatever started us
    command = [sys.executable, "-c", f"{listen}; {RUN}", "index", "watch", *more]
    (folder() / "memory/2026-02-01.md").write_text("# 2026-02-01\n\n- The okapi Tilda sings\n")
    with out.open("wb") as noted:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=noted, text=True)
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline()]
        (folder() / "memory/2026-02-02.md").write_text("# 2026-02-02\n\n- The okapi Tilda sleeps\n")
        lines.append(process.stdout.readline())
    finally:
        os.kill(process.pid, signal.SIGINT)
        try:
            rest, _ = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            rest, _ = process.communicate()
    assert (process.returncode, rest) == (130, "")
    for line in lines:
        if more:
            told = json.loads(line)
            assert (told["agent"], told["indexed"]) == ("main", 1)
        else:
            assert re.fullmatch(r"\d\d:\d\d:\d\d  1 indexed", line.strip())
    assert out.read_text().startswith("" if more else "Watching main; press Ctrl-C to stop.")
    assert "Traceback" not in out.read_text()
    assert answer("index")["up_to_date"]


def test_a_question_with_a_slip_is_answered_with_how_it_was_read() -> None:
    ok("remember", "The dentist is Dr Okafor")
    told = run("search", "who is the dentsit?")
    assert "Okafor" in told.stdout
    assert "dentsit is nowhere in memory; it was read as dentist" in told.stdout + told.stderr


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"memory.search.provider": "openai"}, "embedder: openai"),
        ({"keepers.model.provider": "anthropic", "keepers.model.model": "claude"}, "model: "),
        (
            {"keepers.recall_handler": '["no-such-program"]'},
            "recall handler: keepers.recall_handler: the program no-such-program does not exist",
        ),
        ({"keepers.digest.channel": "mail"}, "keepers.digest.mail_to, keepers.digest.smtp_host"),
        (
            {"keepers.digest.channel": "command", "keepers.digest.command": '["no-such-program"]'},
            "digest: the program no-such-program does not exist",
        ),
    ],
)
def test_doctor_says_what_the_settings_ask_for_and_is_not_there(
    settings: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLDSOUL_MODEL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "works without it" not in ok("doctor")
    for name, value in settings.items():
        ok("config", "set", name, value)
    told = ok("doctor")
    assert said in told
    assert "until then Oldsoul works without it" in told


def test_doctor_says_when_mem0_is_asked_for_and_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("config", "set", "memory.search.mem0.enabled", "true")
    assert "Mem0" not in ok("doctor")
    monkeypatch.setattr("oldsoul.adapters.requirements.find_spec", lambda _: None)
    assert "pip install 'oldsoul[mem0]'" in ok("doctor")
