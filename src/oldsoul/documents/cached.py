"""A property that is worked out once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from oldsoul.values.names import Name

Made = TypeVar("Made")


class once(Generic[Made]):  # noqa: N801 - read as a decorator, like property
    """As `functools.cached_property`, whose lock costs more than most of what an entry's properties do.

    Two threads that ask at the same time may both work it out: what they find is the same.
    """

    def __init__(self, make: Callable[[Any], Made]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> once[Made]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Made: ...

    def __get__(self, instance: object | None, owner: type) -> once[Made] | Made:
        """What was worked out is found before this the next time."""
        if instance is None:
            return self
        made = instance.__dict__[self._name] = self._make(instance)
        return made


MOST = 16 * 1024 * 1024
"""So many bytes of documents are remembered at most; then it begins again."""


class DocumentCache(Generic[Made]):
    """Makes something of a document's bytes; of the same bytes once."""

    def __init__(self, make: Callable[[Name, bytes], Made], most: int = MOST) -> None:
        self._make = make
        self._most = most
        self._known: dict[Name, tuple[bytes, Made]] = {}
        self._size = 0

    def __call__(self, name: Name, data: bytes) -> Made:
        """What these bytes come to, under this name."""
        known = self._known.get(name)
        if known is not None and known[0] == data:
            return known[1]
        made = self._make(name, data)
        self._size += len(data) - (len(known[0]) if known is not None else 0)
        if self._size > self._most:
            self._known.clear()
            self._size = len(data)
        self._known[name] = data, made
        return made
