"""Frozen, slotted dataclasses that cost a third to define: commands start often, and a home has many small types.

`dataclass(frozen=True, slots=True)` compiles six methods for every class. All but `__init__` are the same for each, so
here they are shared.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[_T]) -> type[_T]:
    """Makes the class a frozen, slotted dataclass."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(kind)
    declared = fields(made)
    names = [each.name for each in declared]
    made._values = attrgetter(*names) if len(names) > 1 else staticmethod(_only(names))  # noqa: SLF001 - ours
    made.__init__ = _initialiser(made, declared)
    for name, method in _METHODS.items():
        if name not in kind.__dict__:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def shortened(text: str, most: int = 40) -> str:
    """The beginning of a text, on one line, for a short `repr`."""
    line = " ".join(text[: 2 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _only(names: list[str]) -> Any:
    get = attrgetter(*names) if names else None
    return lambda instance: (get(instance),) if get else ()


def _initialiser(kind: Any, declared: tuple[Field[Any], ...]) -> Any:
    """The one method that has to be compiled for each class."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    parameters, lines = [], []
    for each in declared:
        name = each.name
        if each.default is not MISSING:
            known[f"_default_{name}"] = each.default
            parameters.append(f"{name}=_default_{name}")
        elif each.default_factory is not MISSING:
            known[f"_make_{name}"] = each.default_factory
            parameters.append(f"{name}=_MISSING")
        else:
            parameters.append(name)
        value = f"_make_{name}() if {name} is _MISSING else {name}" if f"_make_{name}" in known else name
        lines.append(f"    _set(self, {name!r}, {value})")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()")
    source = f"def __init__(self, {', '.join(parameters)}):\n" + ("\n".join(lines) or "    pass")
    exec(source, known)  # noqa: S102 - our own field names, as dataclasses does it
    return known["__init__"]


def _repr(self: Any) -> str:
    shown = (f"{each.name}={value!r}" for each, value in zip(fields(self), self._values(self), strict=True))
    return f"{type(self).__name__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> bool:
    return bool(self._values(self) == self._values(other)) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._values(self))


def _reduce(self: Any) -> tuple[Any, ...]:
    return type(self), tuple(self._values(self))


def _refuse(self: Any, name: str, *_value: object) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


_METHODS = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__reduce__": _reduce,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
}
