"""What the adapter tells of the machine: from the environment it is given, and from where a folder lies."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from oldsoul.adapters.machine import SystemRuntime, repository

if TYPE_CHECKING:
    from pathlib import Path

    from oldsoul.ports import Runtime


def test_the_machine_is_described(tmp_path: Path) -> None:
    runtime: Runtime = SystemRuntime({"SHELL": "/usr/bin/zsh", "TZ": "Europe/Berlin"})
    found = runtime.machine(str(tmp_path))
    assert (found.host, found.arch) == (platform.node(), platform.machine())
    assert found.os.startswith(platform.system())
    assert found.python == platform.python_version()
    assert (found.shell, found.zone) == ("zsh", "Europe/Berlin")


def test_what_the_environment_does_not_say_is_empty(tmp_path: Path) -> None:
    found = SystemRuntime({}, str(tmp_path / "nothing")).machine(str(tmp_path))
    assert (found.shell, found.zone, found.repository) == ("", "", repository(str(tmp_path)))


def test_the_time_zone_is_where_the_systems_link_leads(tmp_path: Path) -> None:
    zone = tmp_path / "zoneinfo" / "Asia" / "Tokyo"
    zone.parent.mkdir(parents=True)
    zone.touch()
    link = tmp_path / "localtime"
    link.symlink_to(zone)
    assert SystemRuntime({}, str(link)).machine("/").zone == "Asia/Tokyo"
    assert SystemRuntime({"TZ": f":{zone}"}, "/none").machine("/").zone == "Asia/Tokyo"


def test_the_repository_is_the_nearest_folder_that_git_keeps(tmp_path: Path) -> None:
    inner = tmp_path / "house" / "room" / "desk"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert repository(str(inner)) == str(tmp_path.resolve())
    (tmp_path / "house" / ".git").write_text("gitdir: elsewhere\n")  # as a worktree has it
    assert repository(str(inner)) == str((tmp_path / "house").resolve())
    assert repository(str(tmp_path / "not" / "there")) == str(tmp_path.resolve())
