"""The machine we run on, asked with few words: no program is started, and nothing is read but names."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

from oldsoul.values.runtime import Machine

if TYPE_CHECKING:
    from collections.abc import Mapping

_ZONES = "/zoneinfo/"


class SystemRuntime:
    """Looks at this machine and at the environment it is given."""

    def __init__(self, environ: Mapping[str, str], localtime: str = "/etc/localtime") -> None:
        self._environ = environ
        self._localtime = localtime

    def machine(self, folder: str) -> Machine:
        """What is known of the machine, and of the repository that the folder lies in."""
        asked = platform.uname()
        return Machine(
            host=asked.node,
            os=f"{asked.system} {asked.release}".strip(),
            arch=asked.machine,
            python=platform.python_version(),
            shell=os.path.basename(self._environ.get("SHELL", "")),
            repository=repository(folder),
            zone=self._zone(),
        )

    def _zone(self) -> str:
        """The zone's name, by the environment, else by where the system's link leads; empty when neither tells."""
        named = self._environ.get("TZ", "").removeprefix(":")
        if named and not named.startswith("/"):
            return named
        target = named or os.path.realpath(self._localtime)
        return target.partition(_ZONES)[2].removeprefix("posix/").removeprefix("right/")


def repository(folder: str) -> str:
    """The nearest folder, from this one upwards, that git keeps; empty when there is none."""
    here = os.path.realpath(folder)
    while not os.path.exists(os.path.join(here, ".git")):  # a folder, or in a worktree a file
        above = os.path.dirname(here)
        if above == here:
            return ""
        here = above
    return here
