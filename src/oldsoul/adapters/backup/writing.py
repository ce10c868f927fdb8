"""Writes a backup: a picture of the home is packed into one file, which is read back before it gets its name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.adapters.backup.archive import Reader, Writer
from oldsoul.adapters.backup.picture import Member, taken
from oldsoul.adapters.backup.spool import Meter, spool, sync
from oldsoul.adapters.folder.writable import explaining

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import ExitStack

    from oldsoul.adapters.backup.archive import Facts
    from oldsoul.adapters.backup.picture import Picture, Root


class Written(NamedTuple):
    """A backup that was written."""

    facts: Facts
    """what its list says of it"""
    files: int
    """how many files it holds"""
    size: int
    """how many bytes it has"""


def write(
    target: str,
    roots: Sequence[Root],
    hold: Callable[[ExitStack], None],
    facts: Facts,
    told: Callable[[int, int], None],
) -> Written:
    """Write a backup of some folders, the home first. The file is there whole and verified, or not at all.

    Args: hold takes the locks of those who write to the home; facts are written into its list.
    """
    meter = Meter(told)
    with explaining(), spool(target) as place:
        partial = os.path.join(place, "backup")
        fd = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w+b") as file:
            with taken(roots, hold, place) as picture, Writer(file, meter) as writer:
                facts = _packed(writer, picture, facts, place, meter)
            reader = Reader(file, target, meter)
            for path in reader.files:
                reader.unpack(path)
        os.rename(partial, target)
        sync(os.path.dirname(target))
    return Written(facts, len(reader.files), os.path.getsize(target))


def _packed(writer: Writer, picture: Picture, facts: Facts, place: str, meter: Meter) -> Facts:
    databases = sum(os.path.getsize(moment.path) for _, moment in picture.databases)
    meter.total = 3 * databases + 2 * sum(member.size for member in picture.members)
    for path, moment in picture.databases:
        copy = os.path.join(place, "database")
        moment.copy(copy, meter.add)
        writer.add(Member(path, copy, 0o600, os.stat(moment.path).st_mtime_ns, 0))
        os.unlink(copy)
    for member in picture.members:
        writer.add(member)
    left_out = [*facts.left_out, *(f"{path} {why}" for path, why in sorted(picture.left_out.items()))]
    facts = facts._replace(made=picture.made.isoformat(timespec="seconds"), left_out=left_out)
    writer.close(facts, picture.folders)
    return facts
