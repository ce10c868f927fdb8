"""The command line: every command, its answers for people and for programs, its errors and exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import stat
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from faces.every_command import commands
from oldsoul import Oldsoul, __version__
from oldsoul.errors import Busy, Conflict, Damaged, Refused
from oldsoul.faces.cli import TABLE, cli
from oldsoul.settings import describe
from oldsoul.values.audience import PUBLIC
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

ROOT = Path(__file__).parents[2]
RUN = "from oldsoul.faces.cli import main; main()"


@pytest.fixture(autouse=True)
def _own_temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Texts that are kept for a person lie here, not among the machine's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("tmp")))


def run(*words: str, given: bytes | str = b"") -> Result:
    result = CliRunner().invoke(cli, list(words), input=given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ok(*words: str, given: bytes | str = b"") -> str:
    result = run(*words, given=given)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def answer(*words: str, given: bytes | str = b"") -> Any:
    """The one JSON value a command prints, and nothing else."""
    return json.loads(ok(*words, "--json", given=given))


def refusal(code: int, *words: str, given: bytes | str = b"") -> str:
    """The error's message, as JSON tells it; nothing on standard output, and the same words for people."""
    result = run(*words, "--json", given=given)
    assert (result.exit_code, result.stdout) == (code, "")
    error = json.loads(result.stderr)["error"]
    assert set(error) == {"kind", "message"}
    plain = run(*words, given=given)
    assert plain.exit_code == code
    assert "Traceback" not in plain.stderr
    return str(error["message"])


def folder(agent: str = "main") -> Path:
    return Path.home() / ".oldsoul" / "workspace" / agent


def memory() -> str:
    return (folder() / "MEMORY.md").read_text("utf-8")


def start(*words: str, **further: Any) -> subprocess.Popen[bytes]:
    """A real process."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", RUN, *words], **{**pipes, **further})


def finished(*words: str, **further: Any) -> subprocess.CompletedProcess[bytes]:
    process = start(*words, **further)
    out, err = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def propose(text: str = "Be brief", path: str = "SOUL.md", section: str = "Vibe") -> str:
    """A change by the agent that waits for approval."""
    with Oldsoul.open() as soul:
        evidence = Evidence("m:7", Origin.OPERATOR, PUBLIC, "please be brief")
        change = ChangeSet(
            (Add(Name("main", path), text, section=section),),
            Author(Role.KEEPER, "soul-keeper"),
            "the operator likes it short",
            f"t:{text}",
            (evidence,),
        )
        proposal = soul._home.ledger.apply(change).proposal
    assert proposal is not None
    return proposal.id


# the frame


def test_help_lists_every_command_and_the_exit_codes() -> None:
    for words in (["--help"], []):
        text = ok(*words)
        assert all(f"  {name} " in text for name in TABLE)
        assert "130  stopped with Ctrl-C" in text
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", TABLE)
def test_every_command_explains_itself_and_takes_the_common_options(name: str) -> None:
    text = ok(name, "--help")
    assert all(option in text for option in ("--home", "--agent", "--json", "--debug"))


def test_the_version_is_told_plainly_and_as_json() -> None:
    assert ok("--version") == f"oldsoul {__version__}\n"
    assert json.loads(ok("--json", "--version")) == {"version": __version__}


def test_common_options_stand_before_the_command_or_after_it(tmp_path: Path) -> None:
    home = str(tmp_path / "h")
    ok("--home", home, "config", "set", "agents.scout.role", "looks around")
    before = ok("--home", home, "-a", "scout", "--json", "show")
    after = ok("show", "--home", home, "--agent", "scout", "--json")
    assert before == after
    assert len(json.loads(before)) == 15


def test_the_home_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLDSOUL_HOME", str(tmp_path / "there"))
    assert answer("init")["home"] == str(tmp_path / "there")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (2, ("nonsense",)),
        (2, ("log", "--bad")),
        (2, ("show", "--plain")),
        (2, ("undo", "seven")),
        (2, ("log", "-n", "0")),
        (2, ("show", "../../etc/passwd")),
        (2, ("show", "/etc/passwd")),
        (2, ("edit", "memory/../../x.md", "--from", "-")),
        (2, ("show", "a\nb.md")),
        (2, ("config", "completion", "tcsh")),
        (3, ("show", "TOOLS.md")),
        (3, ("log", "--lines", "TOOLS.md")),
        (3, ("log", "TOOLS.md")),
        (3, ("-a", "nobody", "show")),
        (3, ("undo", "999")),
        (3, ("diff", "999")),
        (3, ("show", "SOUL.md", "--version", "999")),
        (3, ("forget", "unheard of")),
        (3, ("review", "show", "zzz")),
        (3, ("review", "approve", "zzz")),
        (3, ("config", "show", "-a", "nobody")),
        (3, ("edit", "SOUL.md", "--from", "/nowhere/at/all")),
        (2, ("config", "show", "nonsense")),
        (2, ("config", "set", "memory.short_term_days", "many")),
        (2, ("diff", "1", "--from", "1")),
        (2, ("-a", "../x", "show")),
    ],
)
def test_what_cannot_be_done_is_said_and_has_its_exit_code(code: int, words: tuple[str, ...]) -> None:
    ok("init")
    assert refusal(code, *words)


@pytest.mark.parametrize("name", ["remember", "forget", "search", "messages log", "messages triage", "correct"])
def test_words_that_begin_with_a_dash_are_told_where_they_go(name: str) -> None:
    ok("init")
    assert f'{name} -- "-5 …"' in refusal(2, *name.split(), "-5 degrees")
    assert "dash" not in refusal(2, "log", "-5")


@pytest.mark.parametrize(("error", "code"), [(Conflict, 4), (Refused, 5), (Busy, 6), (Damaged, 7)])
def test_each_kind_of_error_has_its_own_exit_code(
    error: type[Exception], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error("because")

    monkeypatch.setattr("oldsoul.wiring.open_home", fail)
    assert refusal(code, "show") == "because"


def test_an_error_of_the_system_is_told_without_a_traceback_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error", "/some/file")

    monkeypatch.setattr("oldsoul.wiring.open_home", broken)
    assert "Input/output error: /some/file" in refusal(1, "show")
    with pytest.raises(OSError, match="Input/output error"):
        run("show", "--debug")


def test_a_home_that_cannot_be_made_and_other_likely_mistakes_are_answered_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    home = str(tmp_path / "file" / "inside")
    assert f"{home} cannot be made: Not a directory; choose another home" in refusal(2, "--home", home, "show")
    assert "`oldsoul config set agents.nobody.role …` adds one" in refusal(3, "-a", "nobody", "show")
    assert "neither the number of a change nor a file" in refusal(2, "diff", "abc")
    assert "is not a valid number" in refusal(2, "log", "-n", "abc")
    assert "does not set it; nothing was changed" in ok("config", "unset", "timezone")


def test_a_misspelt_command_is_answered_with_the_nearest() -> None:
    assert "Did you mean 'remember'" in refusal(2, "remembr", "x")


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("oldsoul.wiring.open_home", interrupted)
    result = run("show")
    assert (result.exit_code, result.stdout) == (130, "")


def test_a_closed_pipe_is_quiet() -> None:
    ok("init")
    reader, writer = os.pipe()
    os.close(reader)
    result = finished("config", "explain", stdout=writer)
    os.close(writer)
    assert result.stderr == b""
    assert result.returncode == 141


def test_closed_streams_are_no_trouble() -> None:
    ok("init")
    command = f"{sys.executable} -c '{RUN}' remember closed >&- 2>&- <&-"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
    assert "- closed" in memory()


def test_words_after_two_dashes_are_only_words() -> None:
    assert "Remembered" in ok("remember", "--", "--json", "-5 degrees")
    assert "- --json -5 degrees" in memory()


def test_a_full_disk_behind_standard_output_is_told() -> None:
    ok("init")
    with Path("/dev/full").open("wb") as full:
        result = finished("show", "SOUL.md", stdout=full)
    assert result.returncode == 1
    assert b"No space left" in result.stderr


def test_help_loads_nothing_heavy_and_show_loads_no_ledger() -> None:
    ok("init")
    script = (
        "import sys\nfrom oldsoul.faces.cli import cli\n"
        "try:\n    cli.main(sys.argv[1:])\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    heavy = {"rich", "yaml", "difflib", "email", "asyncio", "http", "logging", "oldsoul.ledger", "oldsoul.rules.merge"}
    for words, further in ((["--help"], {"sqlite3", "oldsoul.app", "oldsoul.settings"}), (["show", "SOUL.md"], set())):
        done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, check=True)
        assert not (heavy | further) & set(done.stderr.decode().split())


def test_output_is_utf8_whatever_the_locale_says() -> None:
    ok("remember", "猫の名前はミソです")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    assert "ミソ" in finished("show", "MEMORY.md", env=environment).stdout.decode()
    listed = finished("forget", "ミソ", "--yes", "--json", env=environment)
    assert listed.returncode == 0, listed.stderr


def test_bytes_that_are_no_utf8_never_break_an_answer() -> None:
    ok("init")
    (folder() / "MEMORY.md").write_bytes(b"# M\n\n- caf\xe9 \x1b[31m\n")
    assert finished("show", "MEMORY.md").stdout == b"# M\n\n- caf\xe9 \x1b[31m\n"
    shown = answer("show", "MEMORY.md")
    assert shown["text"].encode("utf-8", "surrogateescape") == b"# M\n\n- caf\xe9 \x1b[31m\n"
    for words in (
        ["log", "--lines", "MEMORY.md"],
        ["diff", "MEMORY.md"],
        ["log"],
        ["show"],
        ["show", "MEMORY.md", "--plain"],
    ):
        assert answer(*words)
        text = ok(*words)
        assert "\x1b" not in text or words[0] == "show"


# starting


def test_init_says_what_it_made_and_does_nothing_the_second_time() -> None:
    first = answer("init")
    assert first["new"] is True
    assert "SOUL.md" in first["created"]["main"]
    assert Path(first["folders"]["main"]) == folder()
    again = answer("init")
    assert (again["new"], again["created"]) == (False, {})
    assert "nothing was changed" in ok("init")
    assert stat.S_IMODE(Path(first["home"]).stat().st_mode) == 0o700
    assert stat.S_IMODE((Path(first["home"]) / "config.yaml").stat().st_mode) == 0o600


def test_init_git_makes_repositories_once() -> None:
    assert "main" in answer("init", "--git")["git"]
    assert (folder() / ".git").is_dir()
    assert answer("init", "--git")["git"] == []


def test_agents_lists_agents_teams_and_the_shared_folder() -> None:
    ok("config", "set", "agents.scout.role", "looks around")
    ok("config", "set", "teams.crew.members", "[main, scout]")
    found = {each["id"]: each for each in answer("agents")}
    assert {name: each["kind"] for name, each in found.items()} == {
        "main": "agent",
        "scout": "agent",
        "crew": "team",
        "_shared": "shared",
    }
    assert [name for name, each in found.items() if each["default"]] == ["main"]
    assert set(found["main"]) == {
        *("id", "display_name", "kind", "default", "folder", "files", "memory", "limit", "proposals")
    }
    assert found["_shared"]["memory"] is None
    assert "main *" in ok("agents")
    assert [each["id"] for each in answer("agents", "-a", "crew")] == ["crew"]


# looking


def test_files_tells_size_limit_and_state_of_each() -> None:
    ok("init")
    (folder() / "notes.md").write_text("mine\n")
    (folder() / "USER.md").write_text("x" * 14_000 + "\n")
    (folder() / "SOUL.md").write_text("x" * 20_000 + "\n")
    (folder() / "MEMORY.md").write_text("# M\n")
    found = {each["filename"]: each for each in answer("show")}
    states = {path: each["state"] for path, each in found.items()}
    assert states["notes.md"] == "not ours"
    assert states["USER.md"] == "near limit"
    assert states["SOUL.md"] == "over limit"
    assert states["MEMORY.md"] == "edited"
    assert states["AGENTS.md"] == "as seeded"
    assert set(found["SOUL.md"]) == {
        "filename",
        "kind",
        "size_bytes",
        "limit_bytes",
        "state",
        "version",
        "last_modified",
    }
    assert "over limit" in ok("show")


def test_show_prints_the_bytes_as_they_stand() -> None:
    ok("init")
    for data in (b"\xef\xbb\xbf# A\r\n\r\nno end", b"", b"\x00\xff\n"):
        (folder() / "USER.md").write_bytes(data)
        assert finished("show", "USER.md").stdout == data


def test_show_takes_a_short_name_and_leaves_bookkeeping_out_on_request() -> None:
    ok("remember", "Miso is the cat")
    assert "<!--os " in ok("show", "memory")
    assert "<!--os " not in ok("show", "MEMORY", "--plain")


def test_show_gives_older_versions_by_change() -> None:
    ok("init")
    seeded = memory()
    one = answer("remember", "first")["change"]
    after_one = memory()
    answer("remember", "second")
    assert ok("show", "MEMORY.md", "--version", str(one)) == after_one
    assert ok("show", "MEMORY.md", "--version", "1") == seeded
    assert ok("show", "SOUL.md", "--version", str(one)) == ok("show", "SOUL.md")


# remembering and forgetting


def test_remember_tells_where_it_stands() -> None:
    made = answer("remember", "The", "cat", "is", "Miso", "--title", "Cat", "--tag", "decision")
    assert {"change", "entry", "path", "line", "repeated", "masked", "warnings"} <= set(made)
    line = memory().splitlines()[made["line"] - 1]
    assert line.startswith("- **Cat**: The cat is Miso")
    assert "#decision" in line
    assert made["entry"] in line
    assert made["repeated"] is False


def test_remember_reads_standard_input_and_folds_its_lines() -> None:
    made = answer("remember", "-", given="one\ntwo\n<!--os forged-->\n")
    assert "one two" in memory().splitlines()[made["line"] - 1]
    assert memory().count("<!--os ") == 1


def test_the_same_words_are_noted_once() -> None:
    first = answer("remember", "Miso is the cat")
    again = answer("remember", "Miso is the cat")
    assert (again["repeated"], again["entry"]) == (True, first["entry"])
    assert memory().count("Miso") == 1


def test_a_key_makes_a_retry_harmless() -> None:
    first = answer("remember", "tea at four", "--key", "r1")
    before = memory()
    again = answer("remember", "tea at four", "--key", "r1")
    other = answer("remember", "something else", "--key", "r1")
    assert (again["change"], again["entry"], again["repeated"]) == (first["change"], first["entry"], True)
    assert (other["change"], other["repeated"]) == (first["change"], True)
    assert memory() == before


def test_secrets_are_masked_and_counted() -> None:
    leaked = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    made = run("remember", f"the token is {leaked}", "--json")
    assert json.loads(made.stdout)["masked"] == 1
    assert leaked not in made.stdout + made.stderr + memory()
    assert "Masked 1 secret" in ok("remember", f"again {leaked}")
    assert leaked.encode() not in (Path.home() / ".oldsoul" / "state" / "ledger.db").read_bytes()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", ("remember", "-")),
        (b" \n\t", ("remember", "-")),
        (b"\xff\xfe\x00\x01", ("remember", "-")),
        (b"a\x00b", ("remember", "-")),
        (b"x" * 100_000, ("remember", "-")),
        (b"", ("remember", "")),
        (b"", ("remember", "\udcff")),
        (b"", ("remember",)),
        (b"", ("remember", "x", "--tag", "nonsense")),
        (b"", ("forget", " ")),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(given: bytes, words: tuple[str, ...]) -> None:
    ok("init")
    before = memory()
    assert refusal(2, *words, given=given)
    assert memory() == before


def test_forget_erases_the_entry_and_its_history() -> None:
    made = answer("remember", "The code is Zanzibar")
    gone = answer("forget", made["entry"], "--yes")
    assert gone["entry"] == made["entry"]
    assert gone["files"] == ["MEMORY.md"]
    assert "Zanzibar" not in memory()
    assert "Zanzibar" not in ok("diff", str(made["change"]))
    assert b"Zanzibar" not in (Path.home() / ".oldsoul" / "state" / "ledger.db").read_bytes()


def test_forget_asks_and_takes_no_for_an_answer() -> None:
    ok("remember", "The code is Zanzibar")
    declined = run("forget", "zanzibar", given="n\n")
    assert declined.exit_code == 1
    assert "The code is Zanzibar" in declined.stderr
    assert "Zanzibar" in memory()
    assert "--yes" in refusal(2, "forget", "zanzibar")
    assert "from all history" in ok("forget", "zanzibar", given="y\n")


def test_forget_lists_several_matches_and_does_nothing() -> None:
    one, two = (answer("remember", f"tea is {colour}") for colour in ("green", "black"))
    message = refusal(2, "forget", "tea", "--yes")
    assert one["entry"] in message
    assert two["entry"] in message
    assert memory().count("tea is") == 2
    assert refusal(3, "forget", "tea", "--in", "SOUL.md", "--yes")
    ok("forget", "green", "--in", "MEMORY.md", "--yes")
    assert memory().count("tea is") == 1


def test_a_topic_of_several_messages_is_erased_by_its_id_alone_and_then_with_what_they_said() -> None:
    ok("messages", "log", "Christmas: we go to Passau from 23 to 28 December, by train.")
    ok("messages", "log", "Jonas gets the fountain pen, a Lamy 2000.")
    ok("messages", "log", "I live in Ulm.")
    ok("sessions", "end", "--all")
    ok("messages", "log", "Ann wrote: I live in Ulm, and her parents do", "--session", "other")
    message = refusal(2, "forget", "fountain pen", "--yes")
    assert "forget --message" in message
    assert "\ufffd" not in message
    assert "Passau" in ok("messages")
    ok("forget", message.partition("`oldsoul forget ")[2].partition("`")[0], "--yes")
    left = ok("messages")
    assert "Passau" not in left
    assert "fountain pen" not in left
    assert "I live in Ulm, and her parents do" in left  # a few words are said by many


# history


def test_log_lists_changes_newest_first() -> None:
    numbers = [answer("remember", f"fact {n}")["change"] for n in range(3)]
    found = answer("log", "-n", "2")
    assert [each["change"] for each in found] == numbers[:0:-1]
    assert set(found[0]) == {"change", "at", "author", "reason", "files", "evidence", "notes", "what"}
    assert found[0]["files"][0]["path"] == "MEMORY.md"
    assert [each["change"] for each in answer("log", "--before", str(numbers[1]), "-n", "1")] == [numbers[0]]
    assert [each["change"] for each in answer("log", "SOUL.md")] == [1]
    text = ok("log")
    assert text.splitlines()[1].startswith("       + fact 2 ")
    assert "  you: " in text.splitlines()[0]
    assert max(map(len, text.splitlines())) <= 80
    assert ok("log", "--until", "yesterday") == "No changes.\n"


def test_log_notices_what_was_saved_by_hand() -> None:
    ok("init")
    with (folder() / "MEMORY.md").open("a") as file:
        file.write("- by hand\n")
    assert answer("log")[0]["author"] == "outside"


def test_diff_shows_a_change_and_a_file() -> None:
    made = answer("remember", "Miso is the cat")
    shown = answer("diff", str(made["change"]))
    assert "+- Miso is the cat" in shown["diff"]
    assert ok("diff", f"#{made['change']}") == ok("diff", str(made["change"]))
    assert "+- Miso is the cat" in ok("diff", "MEMORY.md")
    assert "has not changed" in ok("diff", "SOUL.md")
    later = answer("remember", "Bao is the dog")["change"]
    between = answer("diff", "MEMORY.md", "--from", str(made["change"]), "--to", str(later))
    assert "+- Bao" in between["diff"]
    assert "+- Miso" not in between["diff"]


def test_blame_names_the_change_of_each_line() -> None:
    made = answer("remember", "Miso is the cat")
    lines = answer("log", "--lines", "MEMORY.md")
    assert set(lines[0]) == {"line", "text", "change", "at", "author", "reason", "evidence"}
    assert lines[made["line"] - 1]["change"] == made["change"]
    assert lines[0]["change"] == 1
    assert "Miso" in ok("log", "--lines", "memory")


def test_undo_takes_one_change_back_and_shows_it() -> None:
    ok("init")
    before = memory()
    one = answer("remember", "first")["change"]
    undone = answer("undo", str(one))
    assert undone["undone"] == one
    assert "-- first" in undone["diff"]
    assert memory() == before
    assert "Undid change" in ok("undo", str(undone["change"]))
    assert "first" in memory()


def test_undo_names_the_later_changes_to_undo_first_and_then_it_works() -> None:
    one = answer("remember", "the cat is called Miso")["change"]
    again, third = (answer("remember", "the cat is called Miso")["change"] for _ in range(2))
    message = refusal(4, "undo", str(one))
    assert message.endswith(f"undo these, in this order, first: {third} (mentioned again), {again} (mentioned again)")
    for change in (third, again, one):
        ok("undo", str(change))
    assert "Miso" not in memory()


# editing


def script(path: Path, body: str) -> str:
    """An editor made of shell commands; the file to edit is $1."""
    path.write_text(f"#!/bin/sh\nset -e\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def ours(tmp_path: Path) -> str:
    """The command itself, for editors that run it."""
    return script(tmp_path / "oldsoul", f"exec {sys.executable} -c '{RUN}' \"$@\"")


def test_edit_saves_what_the_editor_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    seen = tmp_path / "seen"
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv(
        "VISUAL",
        script(tmp_path / "ed", f'echo "$1" > {seen}\nstat -c %a "$(dirname "$1")" >> {seen}\necho "- by me" >> "$1"'),
    )
    saved = answer("edit", "memory")
    assert (saved["path"], saved["changed"], saved["merged"]) == ("MEMORY.md", True, False)
    assert memory().endswith("- by me\n")
    place, mode = seen.read_text().split()
    assert Path(place).name == "MEMORY.md"
    assert mode == "700"
    assert not Path(place).exists()


def test_edit_says_when_nothing_was_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    monkeypatch.setenv("EDITOR", "true")
    assert answer("edit", "SOUL.md")["changed"] is False
    assert "was not changed" in ok("edit", "SOUL.md")
    assert len(answer("log")) == 1


def test_edit_begins_a_missing_file_and_refuses_one_that_is_not_ours() -> None:
    ok("init")
    assert answer("edit", "TOOLS.md", "--from", "-", given="# Tools\n")["changed"]
    assert ok("show", "TOOLS.md") == "# Tools\n"
    (folder() / "notes.md").write_text("mine\n")
    assert "Oldsoul does not manage" in refusal(3, "edit", "notes.md", "--from", "-", given="x")


def test_shared_files_are_written_like_any() -> None:
    assert "No files yet" in ok("show", "-a", "_shared")
    assert answer("edit", "house.md", "-a", "_shared", "--from", "-", given="# House\n")["changed"]
    assert [each["filename"] for each in answer("show", "-a", "_shared")] == ["house.md"]


def test_edit_takes_text_from_a_file_or_standard_input(tmp_path: Path) -> None:
    (tmp_path / "new.md").write_bytes(b"# New \xff\r\n")
    assert answer("edit", "SOUL.md", "--from", str(tmp_path / "new.md"))["changed"]
    assert (folder() / "SOUL.md").read_bytes() == b"# New \xff\r\n"
    assert answer("edit", "SOUL.md", "--from", "-", given=b"# New \xff\r\n")["changed"] is False
    assert "more than its limit" in refusal(2, "edit", "SOUL.md", "--from", "-", given=b"x" * 20_000)


def test_edit_merges_what_others_wrote_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: str) -> None:
    ok("remember", "before")
    body = f'{ours} remember meanwhile --tag event > {tmp_path}/log 2>&1\necho "- by me" >> "$1"'
    monkeypatch.setenv("EDITOR", script(tmp_path / "ed", body))
    saved = answer("edit", "memory")
    assert saved["merged"] is True
    assert all(words in memory() for words in ("- before", "- meanwhile", "- by me"))


def test_a_conflict_keeps_the_persons_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: str) -> None:
    ok("remember", "the cat is grey")
    body = f"""sed s/grey/black/ "$1" > {tmp_path}/theirs
{ours} edit memory --from {tmp_path}/theirs > {tmp_path}/log 2>&1
sed -i s/grey/white/ "$1" """
    monkeypatch.setenv("EDITOR", script(tmp_path / "ed", body))
    result = run("edit", "memory")
    assert result.exit_code == 4
    kept = Path(result.stderr.rpartition("saved in ")[2].strip())
    assert "the cat is white" in kept.read_text()
    assert "the cat is black" in memory()


def test_a_text_that_is_too_large_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    monkeypatch.setenv("EDITOR", script(tmp_path / "ed", 'head -c 20000 /dev/zero | tr "\\0" x > "$1"'))
    result = run("edit", "SOUL.md")
    assert result.exit_code == 2
    kept = Path(result.stderr.partition("saved in ")[2].partition(";")[0])
    assert kept.read_bytes() == b"x" * 20_000


def on_a_terminal(*words: str, typed: bytes) -> tuple[int, str]:
    """The command with a terminal for all its streams: its exit code and what a person saw."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", RUN, *words])  # noqa: S606 - ourselves
    os.write(terminal, typed)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode()


def test_a_second_try_is_offered_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: str) -> None:
    ok("remember", "the cat is grey")
    body = f"""if [ -e {tmp_path}/again ]; then echo "- and the dog is red" >> "$1"; exit 0; fi
touch {tmp_path}/again
sed s/grey/black/ "$1" > {tmp_path}/theirs
{ours} edit memory --from {tmp_path}/theirs < /dev/null > {tmp_path}/log 2>&1
{ours} remember "the fish is blue" --tag event < /dev/null >> {tmp_path}/log 2>&1
sed -i s/grey/white/ "$1" """
    monkeypatch.setenv("EDITOR", script(tmp_path / "ed", body))
    code, seen = on_a_terminal("edit", "memory", typed=b"y\n")
    assert code == 0, seen
    assert "the cat is black" in seen
    assert all(words in memory() for words in ("cat is white", "dog is red", "fish is blue"))
    assert "black" not in memory()


@pytest.mark.parametrize(
    ("editor", "words"),
    [("false", "ended with code 1"), ("/no/such/editor", "is not there"), ("'", "cannot be understood")],
)
def test_an_editor_that_fails_changes_nothing(editor: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    before = memory()
    monkeypatch.setenv("EDITOR", editor)
    assert words in refusal(2, "edit", "memory")
    assert memory() == before


def test_what_was_written_before_the_editor_failed_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    monkeypatch.setenv("EDITOR", script(tmp_path / "ed", 'echo "- long thoughts" >> "$1"; exit 3'))
    result = run("edit", "memory")
    assert result.exit_code == 2
    kept = Path(result.stderr.rpartition("saved in ")[2].strip())
    assert kept.read_text().endswith("- long thoughts\n")
    assert "long thoughts" not in memory()


def test_without_an_editor_and_a_terminal_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    assert "--from" in refusal(2, "edit", "memory")


def test_reset_asks_and_history_keeps_what_it_replaced() -> None:
    ok("init")
    before = memory()
    ok("remember", "Miso is the cat")
    assert run("edit", "--reset", "memory", given="n\n").exit_code == 1
    assert "Miso" in memory()
    change = answer("edit", "--reset", "memory", "--yes")["change"]
    assert memory() == before
    assert answer("edit", "--reset", "memory", "--yes")["change"] is None
    ok("undo", str(change))
    assert "Miso" in memory()
    assert refusal(2, "edit", "--reset", "TOOLS.md", "--yes")


# review


def test_a_text_edited_at_approval_that_is_refused_is_kept_for_its_writer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ok("correct", "The rent is 1420 euros", "--wrong", "1450 euros")
    proposal = propose("The rent is due on Fridays", "SOUL.md")
    script = tmp_path / "editor"
    script.write_text("#!/bin/sh\nsed -i 's/due on Fridays/1450 euros a month/' \"$1\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    refused = run("review", "approve", proposal, "--edit")
    assert refused.exit_code == 5
    assert "SOUL.md would repeat what was corrected" in refused.stderr
    kept = next(line for line in refused.stderr.splitlines() if line.startswith("Your text is saved in "))
    assert "The rent is 1450 euros a month" in Path(kept.removeprefix("Your text is saved in ")).read_text()
    assert "1450" not in (folder() / "SOUL.md").read_text()


def test_review_lists_shows_and_approves() -> None:
    ok("init")
    assert "Nothing waits" in ok("review")
    made = propose()
    (listed,) = answer("review")
    assert listed == answer("review", "list")[0]
    assert (listed["id"], listed["author"], listed["files"]) == (made, "keeper:soul-keeper", ["SOUL.md"])
    shown = answer("review", "show", made[:6])
    assert "+- Be brief" in shown["diff"]
    assert shown["evidence"][0]["quote"] == "please be brief"
    text = ok("review", "show", made)
    assert "the operator likes it short" in text
    assert "please be brief" in text
    assert "Be brief" not in ok("show", "SOUL.md")
    approved = answer("review", "approve", made)
    assert [path.partition("/")[0] for path in approved["files"]] == ["CHANGELOG.md", "SOUL.md", "SOUL_HISTORY"]
    assert "Be brief" in ok("show", "SOUL.md")
    assert answer("review") == []
    assert answer("review", "list", "--all")[0]["state"] == "approved"
    assert refusal(4, "review", "approve", made)


def test_review_lists_the_words_that_would_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    made = propose("Be brief")
    assert answer("review")[0]["words"] == ["Be brief"]
    head, row = ok("review").splitlines()
    assert head.split() == ["ID", "WHEN", "WHO", "WHAT"]
    assert row.startswith(made)
    assert row.endswith("  Be brief (SOUL.md: the operator likes it short)")
    assert ok("review", "list", "--all").split()[:5] == ["ID", "WHEN", "WHO", "STATE", "WHAT"]
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    seen = on_a_terminal("review", typed=b"")[1].splitlines()
    assert "  Be brief (" in seen[1]
    assert max(map(len, seen)) <= 60


def test_review_rejects_with_a_reason() -> None:
    ok("init")
    made = propose()
    assert answer("review", "reject", made, "--why", "too terse")["note"] == "too terse"
    assert "too terse" in ok("review", "show", made)
    assert "Be brief" not in ok("show", "SOUL.md")


def test_review_approves_an_edited_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init")
    made = propose()
    monkeypatch.setenv("EDITOR", script(tmp_path / "ed", 'sed -i "s/Be brief/Be very brief/" "$1"'))
    assert answer("review", "approve", made, "--edit")["change"]
    assert "Be very brief" in ok("show", "SOUL.md")


# settings


def test_config_sets_shows_and_unsets_one_line() -> None:
    ok("init")
    path = Path.home() / ".oldsoul" / "config.yaml"
    before = path.read_text()
    assert answer("config", "set", "timezone", "Europe/Berlin")["changed"] is True
    assert answer("config", "set", "timezone", "Europe/Berlin")["changed"] is False
    (shown,) = answer("config", "show", "timezone")
    assert (shown["value"], shown["source"]) == ("Europe/Berlin", "config.yaml")
    assert "timezone" in {each["path"] for each in answer("config")}
    assert "Europe/Berlin" in ok("config")
    assert answer("config", "unset", "timezone")["changed"] is True
    assert path.read_text() == before
    assert answer("config", "show", "timezone")[0]["source"] == "default"


def test_config_holds_for_one_agent_with_a() -> None:
    ok("config", "set", "agents.scout.role", "looks around")
    ok("config", "set", "-a", "scout", "memory.short_term_days", "3")
    assert answer("config", "show", "memory.short_term_days")[0]["value"] == 7
    assert answer("config", "show", "memory.short_term_days", "-a", "scout")[0]["value"] == 3


def test_config_never_shows_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLDSOUL_POSTGRES_DSN", "postgres://me:hush@host/db")
    for words in (["config", "show", "storage"], ["config", "show", "--all"], ["config"], ["config", "--json"]):
        text = ok(*words)
        assert "hush" not in text
        assert "environment" in text


def test_config_explains_every_setting() -> None:
    told = answer("config", "explain")
    assert [each["path"] for each in told] == [each.path for each in describe()]
    text = ok("config", "explain", "memory.workspace")
    assert "max_file_size" in text
    assert "default 16384" in text


def test_config_works_while_the_home_cannot_be_opened(tmp_path: Path) -> None:
    ok("init")
    (tmp_path / "file").write_text("")
    ok("config", "set", "agents.scout.workspace", str(tmp_path / "file"))
    assert refusal(2, "show")
    ok("config", "unset", "agents.scout.workspace")
    assert ok("show")


def test_parallel_settings_lose_nothing() -> None:
    ok("init")
    wanted = {"timezone": "UTC", "memory.short_term_days": "3", "git.init": "true", "mcp.operator": "true"}
    for process in [start("config", "set", *pair) for pair in wanted.items()]:
        _, err = process.communicate()
        assert process.returncode == 0, err
    assert wanted.keys() <= {each["path"] for each in answer("config")}


# doctor, tour, completion


def test_doctor_finds_a_fresh_home_in_order() -> None:
    ok("init")
    found = answer("doctor")
    assert found["status"] == "ok"
    assert {each["level"] for each in found["checks"]} <= {"ok", "note"}
    assert set(found["checks"][0]) == {"level", "about", "message", "advice"}
    assert ok("doctor")


def test_doctor_works_before_there_is_a_home() -> None:
    assert answer("doctor")["status"] == "ok"
    assert not (Path.home() / ".oldsoul").exists()


def test_doctor_says_when_the_home_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("doctor", "--home", str(tmp_path / "file"))
    assert result.exit_code == 1
    assert "is not a folder" in result.stdout


def test_doctor_tells_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    ok("init")
    home = Path.home() / ".oldsoul"
    (home / "config.yaml").write_text(
        "timezne: UTC\nagents:\n  crew: {}\nteams:\n  - name: crew\nmemory:\n  short_term_days: x\n"
    )
    home.chmod(0o755)
    (folder() / "USER.md").write_text("x" * 20_000 + "\n")
    (folder() / "SOUL.md").write_text("---\na: [\n---\n\n[out](../../secret.md)\n")
    (folder() / "notes.md").write_text("mine\n")
    (folder() / "notes.markdown").write_text("mine too\n")
    (tmp_path / "elsewhere.md").write_text("")
    (folder() / "TOOLS.md").symlink_to(tmp_path / "elsewhere.md")
    result = run("doctor", "--json")
    assert result.exit_code == 1
    told = "\n".join(
        f"{c['level']} {c['about']} {c['message']} {c['advice']}" for c in json.loads(result.stdout)["checks"]
    )
    for words in (
        "did you mean timezone",
        "crew is already the name of",
        "error settings",
        "chmod go-rwx",
        "USER.md has 20,001 of at most 16,384 bytes",
        "SOUL.md: line",
        "../../secret.md points outside the workspace",
        "TOOLS.md is a link to a place outside the workspace",
        "notes.md",
        "notes.markdown is not read or searched",
    ):
        assert words in told
    assert run("doctor").exit_code == 1


def test_doctor_notices_a_damaged_ledger() -> None:
    ok("init")
    path = Path.home() / ".oldsoul" / "state" / "ledger.db"
    path.write_bytes(b"not a database at all" * 1000)
    result = run("doctor", "--json")
    assert result.exit_code == 1
    assert any(c["about"] == "ledger" and c["level"] == "error" for c in json.loads(result.stdout)["checks"])
    assert refusal(7, "remember", "x")


@pytest.mark.parametrize("size", [0, 4096])
@pytest.mark.parametrize(("name", "about"), [("ledger.db", "ledger"), ("chat.db", "chat log")])
def test_doctor_tells_what_is_gone_and_how_far_a_copy_goes(name: str, about: str, size: int) -> None:
    ok("remember", "Miso is the cat")
    ok("messages", "log", "--session", "s", "Miso sleeps")
    path = Path.home() / ".oldsoul" / "state" / name
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    path.with_name(f"{name}.bak2").write_bytes(whole[:5000])
    told = [c for c in json.loads(run("doctor", "--json").stdout)["checks"] if c["about"] == about]
    assert [c["level"] for c in told] == ["error", "warning"]
    assert ("is empty" if size == 0 else "is cut off") in told[0]["message"]
    assert ("the files are safe" if name == "ledger.db" else "conversations") in told[0]["message"]
    assert name in told[0]["advice"]
    assert "bak2 is damaged too" in told[1]["message"]
    path.with_name(f"{name}.bak").write_bytes(whole)
    told = [c for c in json.loads(run("doctor", "--json").stdout)["checks"] if c["about"] == about]
    assert [c["level"] for c in told] == ["error", "note", "warning"]
    assert f"{name}.bak is an intact copy with everything up to {datetime.now(UTC):%Y-}" in told[1]["message"]
    assert "Miso" in ok("show", "memory")
    assert "Miso is the cat" in ok("search", "cat")
    path.write_bytes(path.with_name(f"{name}.bak").read_bytes())
    for copy in (f"{name}.bak", f"{name}.bak2"):
        path.with_name(copy).unlink()
    assert answer("doctor")["status"] == "ok"


def test_the_tour_walks_through_real_commands_and_leaves_nothing() -> None:
    steps = answer("tour")["steps"]
    assert {step["code"] for step in steps} == {0}
    text = ok("tour")
    assert "$ oldsoul remember" in text
    assert "hunter2-Xy7" not in text.replace('"The staging login is password=hunter2-Xy7!q"', "")
    assert not (Path.home() / ".oldsoul").exists()


def test_the_tour_may_happen_in_a_home_that_stays(tmp_path: Path) -> None:
    ok("tour", "--home", str(tmp_path / "h"))
    ok("tour", "--home", str(tmp_path / "h"))
    assert (tmp_path / "h" / "workspace" / "main" / "MEMORY.md").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    assert "_OLDSOUL_COMPLETE" in ok("config", "completion", shell)
    assert answer("config", "completion", shell)["shell"] == shell


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("oldsoul rem", {"remember"}),
        ("oldsoul show SO", {"SOUL.md"}),
        ("oldsoul undo ", {"2", "1"}),
        ("oldsoul -a ", {"main", "_shared"}),
        ("oldsoul config set timez", {"timezone"}),
        ("oldsoul review ", {"list", "show", "approve", "reject"}),
    ],
)
def test_the_shell_completes_commands_files_changes_and_agents(typed: str, expected: set[str]) -> None:
    ok("remember", "x")
    environment = {
        **os.environ,
        "_OLDSOUL_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }
    done = finished(env=environment)
    assert {line.partition(",")[2] for line in done.stdout.decode().split()} == expected


def test_completing_makes_no_home() -> None:
    environment = {**os.environ, "_OLDSOUL_COMPLETE": "bash_complete", "COMP_WORDS": "oldsoul show ", "COMP_CWORD": "2"}
    assert finished(env=environment).stdout.strip() == b""
    assert not (Path.home() / ".oldsoul").exists()


# many at once, killed, read-only


def test_eight_at_once_lose_nothing() -> None:
    processes = [start("remember", f"fact number {n}", "--json") for n in range(8)]
    answers = []
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0, err
        answers.append(json.loads(out))
    assert len({each["change"] for each in answers}) == 8
    assert all(f"fact number {n} " in memory() for n in range(8))


KILLED = """
import os, signal, sys
left = int(sys.argv.pop(1))
sync = os.fsync
def fsync(file):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    sync(file)
os.fsync = fsync
from oldsoul.faces.cli import main
main()
"""


def killed_at_every_sync() -> Iterator[tuple[int, bytes]]:
    """`remember` killed with -9 at its first sync, then at its second and so on, until it comes through."""
    code, count = -signal.SIGKILL, 0
    while code == -signal.SIGKILL:
        words = [sys.executable, "-c", KILLED, str(count), "remember", f"fact number {count}.", "--json"]
        done = subprocess.run(words, capture_output=True, check=False)
        code = done.returncode
        yield count, done.stdout
        count += 1


def test_killed_in_the_middle_it_is_written_whole_or_not_at_all() -> None:
    ok("init")
    acknowledged = 0
    for count, out in killed_at_every_sync():
        there = memory().count(f"fact number {count}. (added")
        assert there in (0, 1)
        if out:
            acknowledged += 1
            assert json.loads(out)["line"]
            assert there == 1
    assert acknowledged == 1
    ok("remember", "and on it goes")
    lines = [line for line in memory().splitlines() if line.startswith("- fact")]
    assert lines
    assert all(line.endswith("-->") for line in lines)
    assert answer("doctor")["status"] == "ok"


def test_a_home_that_may_only_be_read_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = answer("remember", "Miso is the cat")
    opened = os.open

    def read_only(path: Any, flags: int, *more: Any, **further: Any) -> int:
        if str(path).endswith(".lock") and ".oldsoul/" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, flags, *more, **further)

    monkeypatch.setattr(os, "open", read_only)
    (folder() / "SOUL.md").write_text("# By hand\n")
    assert ok("show", "SOUL.md") == "# By hand\n"
    assert "Miso" in ok("show", "memory")
    assert answer("log")[0]["change"] == made["change"]
    for words in (["show"], ["agents"], ["log", "--lines", "memory"], ["diff", "memory"], ["review"], ["config"]):
        assert ok(*words)
    assert "is read-only" in refusal(8, "remember", "x")
    assert "is read-only" in refusal(8, "undo", str(made["change"]))


# on a terminal, and documented


def test_a_terminal_gets_colour_and_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ok("remember", "Miso is the cat")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[32m" in on_a_terminal("diff", "2", typed=b"")[1]
    assert "ago" in on_a_terminal("log", typed=b"")[1]
    assert "\x1b" not in ok("diff", "2")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in on_a_terminal("diff", "2", typed=b"")[1]


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    sections = {f"oldsoul {part.split(maxsplit=1)[0]}": part for part in page.split("\n## oldsoul ")}
    common = {option for param in cli.params for option in param.opts}
    assert all(f"`{option}" in page for option in common)
    for name, command in commands():
        section = sections[f"oldsoul {name.split()[0]}"]
        assert f"$ oldsoul {name}" in section, name
        for param in command.params:
            if isinstance(param, click.Option) and not set(param.opts) <= common:
                missing = [option for option in param.opts if f"`{option}" not in section]
                assert not missing, (name, missing)


def test_the_list_of_commands_names_the_ones_there_are() -> None:
    for name, command in commands():
        assert command.help, name
        if " " not in name:
            assert command.name == name
