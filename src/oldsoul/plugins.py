"""What other installed packages add, found by its name among their entry points, and loaded only when config.yaml names it.

Looking a name up imports nothing: a package that merely happens to be installed does not run inside a memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from oldsoul.errors import Unavailable

KEEPERS, EMBEDDERS, MODELS, STORES = (f"oldsoul.{each}" for each in ("keepers", "embedders", "models", "stores"))
"""The groups of entry points: what a package declares what it adds under."""


def offered(group: str) -> list[str]:
    """The names that installed packages have in a group."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and few homes name one

    return sorted(entry_points(group=group).names)


def load(group: str, name: str) -> Any:
    """What a package has under that name; `Unavailable` where none has, or it cannot be imported."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - as above

    for found in entry_points(group=group, name=name):
        try:
            return found.load()
        except (ImportError, AttributeError) as error:
            raise Unavailable(f"{name} ({found.value}) cannot be loaded: {error}") from error
    raise Unavailable(f"no installed package has {name} (entry points of {group})")


def imported(module: str, extra: str, who: str) -> Any:
    """A module of an extra; `Unavailable` says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise Unavailable(f"{who} needs {module} ({error}); pip install 'oldsoul[{extra}]'") from None
