"""The keepers an agent has, by name: ours, and those of other packages that its settings name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, NoReturn, TypeVar

from oldsoul import plugins
from oldsoul.errors import NotFound, Unavailable
from oldsoul.keepers.options import KeeperOptions
from oldsoul.values.keepers import KEEPERS, KeeperRecord

_T = TypeVar("_T")


def own_keepers() -> dict[str, KeeperRecord]:
    """Our own, in the order that they are listed in."""
    return {record.name: record for record in KEEPERS}


def keepers_of(options: KeeperOptions) -> dict[str, KeeperRecord]:
    """Every keeper by its name. Those of other packages are loaded; one that cannot be is listed, and says so when run."""
    known = own_keepers()
    for name, _ in options.plugins:
        try:
            known[name] = _loaded(name, known)
        except Unavailable as error:
            known[name] = KeeperRecord(name, str(error), works=partial(_refuse, str(error)))
    return known


def chosen(known: Mapping[str, _T], name: str) -> _T:
    """What is known of the keeper of that name; `NotFound` says which there are."""
    if name not in known:
        raise NotFound(f"there is no keeper {name!r}; choose one of {', '.join(known)}")
    return known[name]


def _loaded(name: str, known: Collection[str]) -> KeeperRecord:
    record = plugins.load(plugins.KEEPERS, name)
    if not isinstance(record, KeeperRecord) or record.name != name or record.works is None or name in known:
        raise Unavailable(f"{name} is not a KeeperRecord of that name, with works, that no other keeper has")
    return record


def _refuse(problem: str, *_: Any, **__: Any) -> NoReturn:
    raise Unavailable(problem)
