"""The names by which clients reach a server; a request for another name was led astray."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ANY_ADDRESS = "*"
"""Among the host names: any address is a name of this server."""


class Hosts:
    """The host names of one server: those of this machine, and further ones."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._names = {name.lower() for name in names}

    def are_ours(self, given: str) -> bool:
        """Return whether a Host header names this server: a page in a browser may have its own name point to this machine."""
        name = name_of(given)
        try:
            address = ip_address(name)
        except ValueError:
            return name == "localhost" or name in self._names
        return address.is_loopback or ANY_ADDRESS in self._names or name in self._names


def name_of(given: str) -> str:
    """The name in a Host header, without the port."""
    name = given.rpartition(":")[0] if given.rpartition(":")[2].isdecimal() else given
    return name.strip("[]").lower()
