"""What loading settings gives: the settings, what is wrong with them, and where each stands."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from oldsoul.settings.home import Settings
from oldsoul.settings.names import Severity
from oldsoul.settings.removed import SAID

Layer = Literal["config.yaml", "agent", "CONFIG.md", "environment"]


class Problem(NamedTuple):
    """Something about the settings that the operator should know."""

    severity: Severity
    path: str
    """the setting, as it is written; empty when it is about a whole file"""
    message: str
    """what is wrong and what to do"""
    file: str
    """config.yaml, CONFIG.md or environment"""
    line: int | None = None
    """where in the file, from 1"""
    column: int | None = None
    """where in the line, from 1"""

    @property
    def is_removed(self) -> bool:
        """Whether it is about a setting of an earlier version."""
        return self.message.startswith(SAID)

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}, column {self.column}" if self.line else self.file
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class Source(NamedTuple):
    """Who set a setting."""

    layer: Layer
    line: int | None
    """where in that layer's file, from 1"""
    column: int | None = None
    """where in that line, from 1"""


class Folder(NamedTuple):
    """A folder that config.yaml has something kept in."""

    path: str
    """the setting, as it is written"""
    name: str
    """the folder, as it is written"""
    line: int
    """where in the file, from 1"""
    column: int
    """where in the line, from 1"""


class Loaded(NamedTuple):
    """The settings in force, what is wrong with them, and where those that are not default come from."""

    settings: Settings
    problems: tuple[Problem, ...]
    sources: Mapping[str, Source]
    folders: tuple[Folder, ...] = ()

    @property
    def refusal(self) -> str:
        """Why nothing may be done by these settings: a mistake in config.yaml; empty when there is none."""
        errors = [each for each in self.problems if each.severity == "error" and each.file == "config.yaml"]
        more = f" ({len(errors) - 1} more; `oldsoul doctor` lists them)" if len(errors) > 1 else ""
        return f"{errors[0]}{more}; correct it first, nothing was done" if errors else ""
