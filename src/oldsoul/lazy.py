"""What is prepared when it is first asked for, so that a command starts fast: modules, and large patterns.

A seam is where many callers need only some of what it leads to; everything else is an ordinary import. A pattern
with thousands of characters in its classes takes milliseconds to compile, and most texts never meet it.
"""

from __future__ import annotations

import re
from importlib import import_module
from types import ModuleType
from typing import Any


class _Seam(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def lazy(package: str, *names: str) -> list[Any]:
    """The modules of a package, none of them loaded yet."""
    return [_Seam(f"{package}.{name}") for name in names]


class _Pattern:
    def __init__(self, source: str, flags: int) -> None:
        self._made = source, flags

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(re.compile(*self._made), name)
        return found


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used."""
    made: Any = _Pattern(source, flags)
    return made  # type: ignore[no-any-return]
