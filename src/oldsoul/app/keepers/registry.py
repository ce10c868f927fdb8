"""The keepers an agent has, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from oldsoul.errors import NotFound
from oldsoul.values.keepers import KEEPERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.values.keepers import KeeperRecord

_T = TypeVar("_T")


def keepers_there_are() -> dict[str, KeeperRecord]:
    """Every keeper by its name, in the order that they are listed in."""
    return {record.name: record for record in KEEPERS}


def chosen(known: Mapping[str, _T], name: str) -> _T:
    """What is known of the keeper of that name; `NotFound` says which there are."""
    if name not in known:
        raise NotFound(f"there is no keeper {name!r}; choose one of {', '.join(known)}")
    return known[name]
