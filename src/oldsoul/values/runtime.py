"""Where an agent runs: what its prompt tells it of the machine."""

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
