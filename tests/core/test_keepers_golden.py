"""Golden cases of the keepers and of what they stand on: files before, what is said and done, files after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golden_home import cases, opened, played

if TYPE_CHECKING:
    from pathlib import Path

    from golden_home import Block

FILES = (
    "mining.md",
    "validating.md",
    "conflicts.md",
    "confidence.md",
    "growth.md",
    "context.md",
    "schedule.md",
    "config.md",
    "workspace.md",
)


@pytest.mark.parametrize("blocks", [pytest.param(b, id=f"{f}#{t}") for f in FILES for t, b in cases(f).items()])
def test_files_become_what_the_golden_file_says(
    blocks: list[Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    with opened(blocks, tmp_path, monkeypatch.setattr) as home:
        for what, expected, found in played(blocks, home):
            assert found == expected, what
            looks += 1
    assert looks, "a case that looks at nothing shows nothing"
