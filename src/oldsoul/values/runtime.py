"""The machine an agent runs on: what a prompt tells of it, what its disk can do, how our files on it are, and a backup of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from oldsoul.values.frozen import frozen


@frozen
class Machine:
    """The machine, as far as it is known; empty is unknown."""

    host: str = ""
    """its name"""
    os: str = ""
    """operating system and release"""
    arch: str = ""
    """kind of processor"""
    python: str = ""
    """version of the Python that runs us"""
    shell: str = ""
    """name of the person's shell"""
    repository: str = ""
    """root of the repository that the working folder lies in"""
    zone: str = ""
    """time zone, as an IANA name"""


@frozen
class Abilities:
    """What the file system below a folder can do."""

    swaps: bool
    """two files change places in one step"""
    tells_writers: bool
    """it can be asked whether somebody writes into a file"""
    has_wal: bool
    """SQLite can use its write-ahead log there"""
    kind: str
    """its name; empty where the system does not tell"""
    is_network: bool
    """it lies on another machine"""


@frozen
class FileHealth:
    """How one of our SQLite files is."""

    problems: tuple[str, ...]
    """what is wrong with it"""
    last: str = ""
    """when something was last written down in it: a change, a message; empty when nothing was, or nobody can say"""
    unfinished: int = 0
    """changes that are not yet noted as finished"""
    aside: int = 0
    """files kept next to their documents until they are in history"""


@frozen
class LostRecord:
    """A change or a message that was kept once, as the log of events tells, and is not there any more."""

    number: int
    """its number"""
    workspace: str
    """whose it was"""
    at: str
    """when it was made"""
    is_taken: bool
    """another one has its number now"""


@frozen
class Backup:
    """What a backup is, once it was written and verified, or restored."""

    file: str
    """its path"""
    home: str
    """the folder that was backed up, or that it was restored to"""
    home_id: str
    """what tells this home from others; a restored home keeps it"""
    made: str
    """the moment it shows, ISO 8601 in UTC"""
    version: str
    """the version of Oldsoul that wrote it"""
    files: int
    """how many files it holds"""
    size: int
    """how many bytes it has"""
    left_out: tuple[str, ...] = ()
    """what is not in it, and why, in words"""
    moved: Mapping[str, str] = field(default_factory=dict)
    """folders outside the home: where each was, and where in a restored home it is"""
