"""Lazy seams: modules that are loaded when something of them is first asked for, so that a command starts fast.

A seam stands where many callers need only some of what it leads to; everything else is an ordinary import.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class _Seam(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def lazy(package: str, *names: str) -> list[Any]:
    """The modules of a package, none of them loaded yet."""
    return [_Seam(f"{package}.{name}") for name in names]
