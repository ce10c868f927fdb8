"""A further keeper is one file and one line: it runs, dry too, is scheduled, listed and set on every face."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import oldsoul
from oldsoul.values.keepers import KEEPERS

PACKAGE = Path(oldsoul.__file__).parent
TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"

FILE = '''"""The tea keeper's work: an entry that says when there is tea."""

from oldsoul.app.keepers.work import Work
from oldsoul.keepers.questions import Findings, Read
from oldsoul.values.changes import Add, Author, ChangeSet, Role
from oldsoul.values.names import Name

TEA = "Tea is at four"


def works(inputs, *, dry_run=False):
    """One run a day."""
    yield Work("tea-keeper", f"tea:{inputs.agent.today():%F}", lambda: tea(Name(inputs.agent.id, "MEMORY.md")))


def tea(memory):
    """Writes it down where it does not stand yet."""
    standing = (yield Read((memory,)))[memory] or b""
    if TEA.encode() in standing:
        return Findings()
    author = Author(Role.KEEPER, "tea-keeper")
    return Findings((ChangeSet((Add(memory, TEA),), author, "it is tea time", "tea"),))
'''
LINE = '    KeeperRecord("tea-keeper", "Says when there is tea.", "15:30"),\n'
TRY = """
import sys
from pathlib import Path
from click.testing import CliRunner
from faces.served import serving
from oldsoul.faces.cli import cli

place = Path(sys.argv[1])
HOME, AGENT = place / "home", "/api/agents/main"


def ran(*words):
    found = CliRunner().invoke(cli, ["--home", str(HOME), *words])
    assert found.exit_code == 0, found.output
    return found.output


def memory():
    return (HOME / "workspace/main/MEMORY.md").read_text()


with serving(place) as served:
    keepers = served.get(f"{AGENT}/keepers").json()["keepers"]
    assert {"keeper": "tea-keeper", "does": "Says when there is tea."} in keepers
    times = {job["job"]: job["when"] for job in served.get("/api/schedule").json()["schedule"]}
    assert times["tea-keeper"] == "15:30"
    tried = served.ask("POST", f"{AGENT}/keepers/tea-keeper/dry-run")
    assert "Tea is at four" in tried.text, tried.text
    assert served.get(f"{AGENT}/keepers/tea-keeper/runs").json() == {"runs": []}
    started = served.ask("POST", f"{AGENT}/keepers/tea-keeper/runs")
    assert started.status_code == 202, started.text
    served.soul.jobs()[0].wait(60)
    assert memory().count("Tea is at four") == 1

assert "Says when there is tea." in ran("keepers", "run")
assert "Nothing was written" not in ran("keepers", "run", "tea-keeper")
assert "tea-keeper" in ran("keepers")
ran("config", "set", "keepers.schedule.tea_keeper", "monthly 04:00")
assert "monthly 04:00" in next(line for line in ran("keepers").splitlines() if "tea-keeper" in line)
print("it works")
"""


def test_a_keeper_is_one_file_and_one_line(tmp_path: Path) -> None:
    code = tmp_path / "code"
    shutil.copytree(PACKAGE, code / "oldsoul", ignore=shutil.ignore_patterns("__pycache__", "assets"))
    (code / "oldsoul/app/keepers/tea_keeper.py").write_text(FILE)
    table = code / "oldsoul/values/keepers.py"
    before = table.read_text()
    table.write_text(before.replace("\nKEEPERS = (\n", f"\nKEEPERS = (\n{LINE}", 1))
    assert table.read_text() != before
    (tmp_path / "try.py").write_text(TRY)
    tried = subprocess.run(
        [sys.executable, tmp_path / "try.py", tmp_path],
        env={**os.environ, "PYTHONPATH": f"{code}{os.pathsep}{TESTS}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert tried.stdout.endswith("it works\n"), tried.stderr


def test_the_docs_name_every_keeper_and_when_it_runs() -> None:
    schedule, ideas = ((DOCS / page).read_text() for page in ("reference/schedule.md", "ideas/keepers.md"))
    for record in KEEPERS:
        assert f"`{record.name}`" in ideas
        row = f"| `{record.name}` | `{record.setting_path}` | `{record.schedule}` |"
        assert (row in schedule) is bool(record.schedule)
