"""Packages that only some homes have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from oldsoul.errors import Unavailable


def imported(module: str, extra: str, who: str) -> Any:
    """A module of an extra; `Unavailable` says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise Unavailable(f"{who} needs {module} ({error}); pip install 'oldsoul[{extra}]'") from None
