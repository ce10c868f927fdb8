"""What the doctor asks of the machine: the file system, the ledger's file, what settings ask for and is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.adapters.machine import Abilities, Health
    from oldsoul.settings import Settings


def abilities(folder: str) -> Abilities:
    """What the file system below a folder can do; tried out there."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - only the doctor needs it

    return machine.abilities(folder)


def free_space(folder: str) -> int:
    """How many bytes are free on the disk a folder lies on."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.free_space(folder)


def health(path: str) -> Health:
    """How a SQLite file of ours is."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.health(path)


def backups(path: str) -> dict[str, Health]:
    """The copies of a SQLite file of ours that lie beside it."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.backups(path)


def links_out(folder: str) -> list[str]:
    """Symbolic links of a workspace that lead out of it."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.links_out(folder)


def unread(folder: str) -> list[str]:
    """Markdown files of a workspace that are not read because of what they are called."""
    from oldsoul.adapters import machine  # noqa: PLC0415 - as above

    return machine.unread(folder)


def lacking(settings: Settings, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """What settings ask for and is missing, and of what."""
    from oldsoul.adapters.lacking import lacking as found  # noqa: PLC0415 - as above

    return list(found(settings.memory.search, settings.keepers, environ))
