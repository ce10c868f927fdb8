"""One tree of settings: loaded from its layers, described, and edited a line at a time."""

from oldsoul.settings.editing import edit, unset
from oldsoul.settings.home import AgentOptions, Settings, TeamOptions
from oldsoul.settings.page import Described, describe, page
from oldsoul.settings.reading import Loaded, Problem, Source, load

__all__ = [
    "AgentOptions",
    "Described",
    "Loaded",
    "Problem",
    "Settings",
    "Source",
    "TeamOptions",
    "describe",
    "edit",
    "load",
    "page",
    "unset",
]
