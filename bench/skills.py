"""Skills measured: how long a look at 150 of them takes, at first and when nothing changed; and the prompt's section.

python bench/skills.py [--skills 150] [--rounds 200]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from oldsoul.adapters.skills import FolderSkills, SkillRoot
from oldsoul.context.options import SkillsOptions
from oldsoul.context.skills import offered, section
from oldsoul.values.skills import SkillLimits

if TYPE_CHECKING:
    from collections.abc import Callable

DESCRIPTION = (
    "Work with the tracker: look up, file and close issues. Use it when somebody names an issue by its number."
)
NESTED = "metadata:\n  openclaw:\n    primaryEnv: node\n    requires:\n      env: [TOKEN]\n"


def make(folder: Path, count: int) -> None:
    """So many skills of 6 KB, half of them with nested metadata, a third in folders of their own."""
    for number in range(count):
        name = f"skill-{number:04}"
        inner = folder / f"group-{number % 9}" / name if number % 3 == 0 else folder / name
        inner.mkdir(parents=True)
        more = NESTED if number % 2 else ""
        text = f'---\nname: {name}\ndescription: "{DESCRIPTION}"\n{more}---\n' + "Do this, then that.\n" * 300
        (inner / "SKILL.md").write_text(text, "utf-8")
        long_ago = time.time() - 3600
        os.utime(inner / "SKILL.md", (long_ago, long_ago))


def milliseconds(job: Callable[[], object], rounds: int) -> list[float]:
    """How long each round took, the shortest first."""
    took = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        job()
        took.append((time.perf_counter_ns() - start) / 1e6)
    return sorted(took)


def shown(name: str, took: list[float]) -> str:
    """One line of figures."""
    last = took[min(len(took) - 1, len(took) * 99 // 100)]
    return f"{name:<28} p50 {statistics.median(took):7.2f} ms   p99 {last:7.2f} ms   ({len(took)} rounds)"


def main() -> None:
    """Print the figures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--skills", type=int, default=150)
    words.add_argument("--rounds", type=int, default=200)
    given = words.parse_args()
    limits = SkillLimits(candidates_per_root=10_000, loaded_per_source=10_000)
    with TemporaryDirectory() as folder:
        make(Path(folder), given.skills)
        time.sleep(0.2)  # until the files count as resting
        roots = [SkillRoot("user", folder)]
        cold = milliseconds(lambda: FolderSkills(roots, folder, limits).scan(), max(1, given.rounds // 10))
        skills = FolderSkills(roots, folder, limits)
        found = skills.scan().found
        warm = milliseconds(skills.scan, given.rounds)

        def told() -> object:
            taken, _ = offered(found, SkillsOptions(), variables={"TOKEN"}, remote=False)
            return section(taken, {"read"})

        rendered = milliseconds(told, given.rounds)
    print(f"{len(found)} skills")
    print(shown("scan, nothing known", cold))
    print(shown("scan, nothing changed", warm))
    print(shown("choosing and the section", rendered))


if __name__ == "__main__":
    main()
