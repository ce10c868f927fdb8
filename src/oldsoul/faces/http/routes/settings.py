"""`/api/settings`: the settings in force, where each was set, and one changed. Secrets are never returned."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from oldsoul.app import Oldsoul
from oldsoul.errors import NotFound
from oldsoul.faces.http.access import Entered
from oldsoul.faces.http.routes.given import MOST, Given, MaybeId, linked
from oldsoul.settings import Loaded, describe
from oldsoul.views import home as views
from oldsoul.views.home import SettingChanged, SettingList
from oldsoul.wiring import change_setting

router = APIRouter(prefix="/api/settings", tags=["settings"])
_PATH = r"^[A-Za-z0-9_.\[\]-]{1,200}$"
_One = StrictBool | StrictInt | StrictFloat | StrictStr
_Many = Annotated[list[_One], Field(max_length=MOST)]
_Named = Annotated[dict[str, _One], Field(max_length=MOST)]
SettingPath = Annotated[
    str, Path(description="The path of a setting.", pattern=_PATH, examples=["memory.search.query.max_results"])
]
OfAgent = Annotated[MaybeId, Query(description="The settings as they hold for this agent.")]


class SetGiven(Given):
    """The value of a setting."""

    value: Annotated[_One | _Many | _Named, Field(examples=[6])]
    """The value, as JSON; `${NAME}` for a secret that is in the environment."""


_FIRST, _SAME = {"path": "$response.body#/settings/0/path"}, {"path": "$response.body#/path"}


@router.get("", responses=linked(200, agent=False, set_setting=_FIRST, unset_setting=_FIRST))
def list_settings(
    access: Entered,
    path: Annotated[str, Query(description="Only settings at and below this path.", pattern=f"{_PATH}|^$")] = "",
    agent: OfAgent = "",
) -> SettingList:
    """List settings with their values, where each was set, and what they do. For operators only."""
    loaded = _loaded(access.home(), agent)
    found = [each for each in describe(path) if "[]" not in each.path]
    return SettingList(tuple(views.setting(each, loaded) for each in found), _problems(loaded))


@router.put(
    "/{path}",
    responses=linked(200, agent=False, unset_setting=_SAME, list_settings=_SAME),
)
def set_setting(path: SettingPath, access: Entered, given: SetGiven, agent: OfAgent = "") -> SettingChanged:
    """Set one setting in config.yaml, for the home or for one agent, and leave every other line alone. For operators only."""
    text = given.value if isinstance(given.value, str) else json.dumps(given.value, ensure_ascii=False)
    home, where = access.home(), _where(access.home(), path, agent)
    changed = change_setting(home.folder, access.caller, where, text)
    return SettingChanged(where, changed, _problems(_loaded(home, agent)))


@router.delete("/{path}")
def unset_setting(path: SettingPath, access: Entered, agent: OfAgent = "") -> SettingChanged:
    """Remove one setting from config.yaml, so that its default holds again. For operators only."""
    home, where = access.home(), _where(access.home(), path, agent)
    changed = change_setting(home.folder, access.caller, where, None)
    return SettingChanged(where, changed, _problems(_loaded(home, agent)))


def _where(home: Oldsoul, path: str, agent: str) -> str:
    _check(home, agent)
    return f"agents.{agent}.{path}" if agent else path


def _loaded(home: Oldsoul, agent: str) -> Loaded:
    _check(home, agent)
    return home.loaded_settings(agent)


def _check(home: Oldsoul, agent: str) -> None:
    if agent and agent not in home.workspaces():
        raise NotFound(f"there is no agent {agent!r}")


def _problems(loaded: Loaded) -> tuple[str, ...]:
    return tuple(str(problem) for problem in loaded.problems if problem.severity != "note")
