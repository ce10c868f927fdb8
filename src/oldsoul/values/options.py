"""How a setting is declared: its default, what it does, the names it answers to and the values it takes."""

import math
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeVar, cast, dataclass_transform

from oldsoul import plugins as installed
from oldsoul.errors import SettingsError
from oldsoul.lazy import pattern

_T = TypeVar("_T")

Where = Literal["home", "config", "tunable"]
"""Where a setting may be: once in config.yaml; there and in an agent's entry; in an agent's CONFIG.md too."""

Names = Literal["", "program", "path", "address", "key"]
"""What outside the home a setting may name."""

ON: Final = True
OFF: Final = False

_TRUE = frozenset({"yes", "on", "y", "1"})
_FALSE = frozenset({"no", "off", "n", "0"})
_ODD_NUMBER = pattern(r"[-+]?(?:0[xob][0-9a-f]+|[0-9][0-9_]*)", re.IGNORECASE)


class Option(NamedTuple):
    """What is known of one setting besides its name, type and default."""

    help: str
    """what it does, for the person who sets it"""
    aliases: tuple[str, ...] = ()
    """further names: a path from the root, or from its own group when it starts with a dot"""
    choices: tuple[str, ...] = ()
    """the texts it may be, when these are few (of a list or a table: each of its values)"""
    minimum: float | None = None
    """the least number"""
    maximum: float | None = None
    """the greatest number"""
    pattern: str = ""
    """what its text looks like, as a regular expression"""
    form: str = ""
    """the same in words"""
    fits: Callable[[str], bool] | None = None
    """whether a text is one of those it may be, where neither a list nor a pattern can tell; an empty one may be always"""
    refuses: Callable[[str], str] | None = None
    """why a table may not have a value of this name, and what to do; empty where it may"""
    secret: bool = False
    """whether it must not be shown, and may say `${NAME}` to be filled in from the environment"""
    env: str = ""
    """the environment variable that overrides it"""
    where: Where = "config"
    """where it may be"""
    names: Names = ""
    """what outside the home it names, if anything"""
    plugins: str = ""
    """the entry points whose names it may be as well, beside its choices"""

    @property
    def is_guarded(self) -> bool:
        """Whether only somebody who sits at this machine may change it, not everybody with an operator's token."""
        return bool(self.names) or self.secret

    def guards(self, text: str) -> bool:
        """The same, for one value: what another package adds is a program."""
        return self.is_guarded or bool(self.plugins and text not in self.choices)

    def take(self, kind: type, value: object, text: str) -> bool | float | str:
        """The value, of that kind; `SettingsError` says what it has to be instead. `text` is how it was written."""
        wanted = self.wanted(kind)
        found = "a value of another kind" if self.secret else _found(value, text)
        if kind is str:
            return self._text(value, text, f"expected {wanted}, found {found}")
        fits = isinstance(value, bool) if kind is bool else _is_number(value, whole=kind is int)
        if not fits:
            raise SettingsError(f"expected {wanted}, found {found}{_hint(kind, text)}")
        number = kind(value)
        if (self.minimum is not None and number < self.minimum) or (self.maximum is not None and number > self.maximum):
            raise SettingsError(f"expected {wanted}, found {found}")
        return cast("bool | float", number)

    def _text(self, value: object, text: str, complaint: str) -> str:
        if self.choices:
            for choice in (text, text.lower()):
                if choice in self.choices:
                    return choice
            if self.plugins and text in installed.offered(self.plugins):
                return text
            raise SettingsError(complaint)
        if value is None or isinstance(value, bool) or (self.pattern and not re.fullmatch(self.pattern, text)):
            raise SettingsError(complaint)
        if self.fits is not None and text and not self.fits(text):
            raise SettingsError(complaint)
        return text

    def wanted(self, kind: type) -> str:
        """What one value of that kind has to be, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}{', or the name of a plugin' if self.plugins else ''}"
        if kind is bool:
            return "true or false"
        noun = {int: "a whole number", float: "a number"}.get(kind, "text")
        low, high = (None if bound is None else f"{bound:.12g}" for bound in (self.minimum, self.maximum))
        if low is not None and high is not None:
            return f"{noun} from {low} to {high}"
        if low is not None or high is not None:
            return f"{noun}, at least {low}" if high is None else f"{noun}, at most {high}"
        return self.form or noun


class Group(NamedTuple):
    """What is known of a group of settings."""

    help: str
    """what its settings are about"""
    aliases: tuple[str, ...] = ()
    """further names of the whole group"""


def option(
    default: _T,
    meaning: str,
    *,
    aliases: tuple[str, ...] = (),
    choices: tuple[str, ...] = (),
    minimum: float | None = None,
    maximum: float | None = None,
    pattern: str = "",
    form: str = "",
    fits: Callable[[str], bool] | None = None,
    refuses: Callable[[str], str] | None = None,
    secret: bool = False,
    env: str = "",
    where: Where = "config",
    names: Names = "",
    plugins: str = "",
) -> _T:
    """Declares one setting as a field of a class made with `options`."""
    known = (choices, minimum, maximum, pattern, form, fits, refuses, secret, env, where, names, plugins)
    about = Option(meaning, aliases, *known)
    return field(default=default, metadata={"about": about})


def group(kind: Callable[[], _T], meaning: str, *, aliases: tuple[str, ...] = ()) -> _T:
    """Declares a group of settings as a field of a class made with `options`."""
    return field(default_factory=kind, metadata={"about": Group(meaning, aliases)})


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(kind: type[_T]) -> type[_T]:
    """Makes the class a frozen, slotted dataclass of settings, built by keyword."""
    # dataclass() compiles six methods for every class, a millisecond each; these shared ones cost a tenth of that.
    for name, method in _METHODS.items():
        setattr(kind, name, method)
    return dataclass(init=False, repr=False, eq=False, slots=True)(kind)


def _default(of: Field[Any]) -> Any:
    return of.default if of.default_factory is MISSING else of.default_factory()


def _init(self: Any, **values: Any) -> None:
    for each in fields(self):
        object.__setattr__(self, each.name, values.pop(each.name) if each.name in values else _default(each))
    if values:
        raise TypeError(f"{type(self).__name__} has no setting {', '.join(values)}")


def _values(self: Any) -> dict[str, Any]:
    return {each.name: getattr(self, each.name) for each in fields(self)}


def _revive(kind: Callable[..., Any], values: dict[str, Any]) -> Any:
    return kind(**values)


def _reduce(self: Any) -> tuple[Any, ...]:
    return _revive, (type(self), _values(self))


def _repr(self: Any) -> str:
    shown = {
        each.name: "…"
        if getattr(self, each.name) and getattr(each.metadata["about"], "secret", False)
        else repr(getattr(self, each.name))
        for each in fields(self)
    }
    return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in shown.items())})"


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(tuple(_values(self).values()))


def _frozen(self: Any, name: str, *_value: object) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


_METHODS = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__reduce__": _reduce,
    "__setattr__": _frozen,
    "__delattr__": _frozen,
}


def _is_number(value: object, *, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return False
    return whole or math.isfinite(value)


def _found(value: object, text: str) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    shown = text if len(text) <= 40 else f"{text[:40]}…"  # noqa: PLR2004 - enough to recognise it
    return f"the number {shown}" if isinstance(value, int | float) else f'the text "{shown}"'


def _hint(kind: type, text: str) -> str:
    """What to write instead of a spelling that other YAML readers take for something else."""
    word = text.strip().lower()
    if kind is bool:
        return "; write true" if word in _TRUE else "; write false" if word in _FALSE else ""
    if _ODD_NUMBER.fullmatch(word):
        digits = word.lstrip("+-").replace("_", "")
        sign = "-" if word.startswith("-") else ""
        try:
            return f"; write {sign}{int(digits, 0) if digits[1:2] in 'xob' and len(digits) > 1 else int(digits)}"
        except ValueError:
            return ""
    return "; write the number alone, its unit is in the setting's name" if word[:1].isdigit() else ""
