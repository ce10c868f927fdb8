"""What of a workspace is left out: links, large files, pipes and odd names that look like documents, each with why."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.adapters.folder.disk import Disk
from oldsoul.errors import BadName, Refused
from oldsoul.rules.audience import audience_of
from oldsoul.values.names import Kind, Name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.adapters.folder.status import Glance

MOST_BYTES = 8 * 1024 * 1024
"""How many bytes a document may have to be read."""
_REPLACE = "replace it with a file of text"
_RENAME = "rename it: it must end in `.md`, have no spaces at either end and not be too long"
_ENDINGS = (".md", ".markdown")


class LeftOut(NamedTuple):
    """One file that is left out."""

    path: str
    """where it stands in its workspace, in characters that can be shown"""
    reason: str
    """why"""
    advice: str
    """what to do"""


def check(name: Name, disk: Disk, path: str, glance: Glance | None, most: int) -> None:
    """`Refused` for what is not read: a file that is too large, and a link that shows others what is not for them."""
    if glance is None and path == name.path:
        _check_link(name, disk.resolve(path))
    found = disk.stamp(path) if glance is None else glance
    if found is not None and found.size > most:
        raise Refused(f"{name.path} has {found.size:,} bytes, more than {most:,}, so it is not read")


def _check_link(name: Name, target: str) -> None:
    """`Refused` for a name under which others would see a file that is not for them."""
    with suppress(BadName):
        if audience_of(Name(name.workspace, target)) != audience_of(name):
            raise Refused(f"{name.path} is a link to {target}, which has another audience; copy the file instead")


def left_out(workspace: str, folder: str, before: str, most: int) -> Iterator[LeftOut]:
    """What lies in one folder of a workspace and is left out; `before` is what the folder is called in the workspace."""
    disk = Disk(folder)
    for path, is_folder in _everything(folder):
        shown = os.fsencode(f"{before}{path}").decode(errors="replace")
        try:
            if os.path.islink(f"{folder}/{path}"):
                disk.resolve(path)
        except Refused as error:
            yield LeftOut(shown, str(error), "replace the link with the file itself")
            continue
        try:
            name = Name(workspace, f"{before}{path}")
        except BadName:
            if not is_folder and path.casefold().endswith(_ENDINGS):
                reason = f"{shown} is not read or searched: its name is not a valid file name"
                yield LeftOut(shown, reason, _RENAME)
            continue
        try:
            if not is_folder:
                check(name, disk, path, disk.glance(path), most)
            elif name.kind is not Kind.OTHER:
                yield LeftOut(shown, f"{shown} is a folder, so it is not read", _REPLACE)
        except (Refused, OSError) as error:
            yield LeftOut(shown, str(error), _REPLACE)


def _everything(folder: str) -> Iterator[tuple[str, bool]]:
    """All that is not hidden below a folder, links to folders included, and whether each is a folder; links are not entered."""
    pending = [""]
    while pending:
        inside = pending.pop()
        with suppress(OSError), os.scandir(f"{folder}/{inside}") as items:
            for item in sorted(items, key=lambda each: each.name):
                if item.name.startswith("."):
                    continue
                path = f"{inside}/{item.name}" if inside else item.name
                is_folder = stat.S_ISDIR(item.stat(follow_symlinks=False).st_mode)
                if is_folder:
                    pending.append(path)
                yield path, is_folder
