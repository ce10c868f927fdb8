"""A property that is worked out once, when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

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
