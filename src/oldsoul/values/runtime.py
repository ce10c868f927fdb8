"""The machine an agent runs on: what a prompt tells of it, what its disk can do, how our files on it are."""

from __future__ import annotations

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
    """files kept beside their documents until they are in history"""
