"""One tree of settings: loaded from its layers, described, and edited a line at a time."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oldsoul.settings.home import AgentOptions, Settings, TeamOptions
from oldsoul.settings.loader import ConfigFile, Loaded, SettingSource, SettingsProblem, load

if TYPE_CHECKING:
    from oldsoul.settings.edits import edit, guarded, unset
    from oldsoul.settings.reference import Described, describe, page

__all__ = [
    "AgentOptions",
    "ConfigFile",
    "Described",
    "Loaded",
    "SettingSource",
    "Settings",
    "SettingsProblem",
    "TeamOptions",
    "describe",
    "edit",
    "guarded",
    "load",
    "page",
    "unset",
]


# Every command loads settings; few describe or edit them, so only those pay for it.
_LATER = {
    "edit": "edits",
    "guarded": "edits",
    "unset": "edits",
    "Described": "reference",
    "describe": "reference",
    "page": "reference",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
