"""One setting changed in the text of config.yaml, and no line of another."""

from __future__ import annotations

from typing import Any, NamedTuple

from oldsoul.documents import yaml
from oldsoul.documents.yaml import drop, put
from oldsoul.errors import DocumentError, SettingsError
from oldsoul.settings.loader import converted
from oldsoul.settings.names import Branch, Leaf, SettingPlace, entries, inside, missing, scan, snake, tree


def guarded(path: str, value: str | None = None) -> bool:
    """Whether only somebody who sits at this machine may change that setting so, by whatever name and for whatever agent."""
    about = _goal(path).leaf.about
    return about.is_guarded if value is None else about.guards(value)


class _Goal(NamedTuple):
    """The setting a path names."""

    leaf: Leaf
    of: Leaf | None = None
    """the list of entries it belongs to, such as the agents"""
    entry: str = ""
    """the name of the entry"""


def edit(config_text: str | None, path: str, value_text: str) -> str:
    """The text with that setting at that value; `agents.<id>.<setting>` sets it for one agent."""
    goal = _goal(path)
    value = _typed(goal.leaf, path, value_text)
    text = config_text or ""
    try:
        return put(text, _spots(text, goal)[-1], value)
    except DocumentError as error:
        raise SettingsError(f"config.yaml: {error}") from error


def unset(config_text: str | None, path: str) -> str:
    """The text without that setting, by whatever name it is set, so that its default holds again."""
    goal = _goal(path)
    text = config_text or ""
    try:
        while True:
            *there, _ = _spots(text, goal)
            if not there:
                return text
            text = drop(text, there[-1])
    except DocumentError as error:
        raise SettingsError(f"config.yaml: {error}") from error


def _goal(path: str) -> _Goal:
    goal: _Goal | None = None
    of, entry = None, ""
    place: Leaf | Branch = tree()
    steps = path.split(".")
    while steps:
        step = steps.pop(0)
        branch = inside(place)
        target = branch.find(snake(step)) if branch else None
        if target is None:
            at = tuple(path.split(".")[: -len(steps) - 1])
            raise SettingsError(missing(path, branch or tree(), at, snake(step)))
        place = target
        if isinstance(target, Leaf) and target.item:
            by_name = branch is not None and target is branch.children.get("*") and snake(step) not in branch.children
            if not by_name and not steps:
                raise SettingsError(
                    f"{path} is a list of entries; set one of theirs ({path}.NAME.SETTING), or edit config.yaml"
                )
            of, entry = target, step if by_name else steps.pop(0)
        elif isinstance(target, Leaf):
            goal = _Goal(target, of, entry)
    if goal is None or place is not goal.leaf:
        branch = inside(place)
        names = ", ".join(name for name in branch.children if name.isidentifier()) if branch else ""
        raise SettingsError(f"{path} is a group of settings; name one of {names}")
    return goal


def _typed(leaf: Leaf, path: str, text: str) -> Any:
    """The value as it is to be written, once it is certain that the setting can have it."""
    literal = leaf.kind is str and text[:1] not in ("'", '"', *(("[", "{") if leaf.shape != "one" else ()))
    node = yaml.Scalar(text, "'", 0, len(text), 1) if literal else yaml.read(text)
    if isinstance(node, yaml.YamlProblem):
        raise SettingsError(f"{path}: {node.message}")
    # A reference to the environment is written down as it is, and filled in when the settings are loaded.
    unfilled = leaf._replace(about=leaf.about._replace(secret=False))
    try:
        value = converted(unfilled, node, {})
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error
    if leaf.shape != "one":
        return dict(value) if leaf.shape == "table" else list(value)
    # A whole number stays as it was typed, where any number will do.
    return node.value if leaf.kind is float and isinstance(node, yaml.Scalar) else value


def _spots(text: str, goal: _Goal) -> list[yaml.Path]:
    """Where the text sets that setting, from first to last, and after those where it would be set."""
    node = yaml.read(text)
    if isinstance(node, yaml.YamlProblem):
        raise DocumentError(f"line {node.line}, column {node.column}: {node.message}")
    branch = tree()
    base: yaml.Path = ()
    if goal.of and goal.of.item:
        node, base = _entry(node, goal)
        branch = goal.of.item
    places = list(scan(node, branch, base, _silent))
    there = [place.at for place in places if place.target is goal.leaf]
    return [*there, there[-1] if there else _new_spot(goal, branch, base, places)]


def _entry(node: yaml.Node, goal: _Goal) -> tuple[yaml.Node, yaml.Path]:
    """The settings of the entry with that name, and where they stand or would stand."""
    of = goal.of
    first = next(iter(of.item.children)) if of and of.item else ""
    for place in scan(node, tree(), (), _silent):
        for at, name, inner in entries(place) if place.target is of else ():
            own = inner.get(first) if isinstance(inner, yaml.Mapping) else None
            if (own.value.text if own and isinstance(own.value, yaml.Scalar) else name) == goal.entry:
                return inner, at
    parent = (of.path if of else "").removesuffix(".list")
    return yaml.Scalar("", "", 0, 0, 1), (*parent.split("."), goal.entry)


def _new_spot(goal: _Goal, branch: Branch, base: yaml.Path, places: list[SettingPlace]) -> yaml.Path:
    """Below the deepest group on the way that is already there."""
    own = goal.leaf.path.startswith(f"{branch.path}.") if goal.of else True
    depth, best = (branch.path, base) if own else ("", (*base, "settings"))
    for place in places:
        path = place.target.path
        if isinstance(place.target, Branch) and len(path) > len(depth) and goal.leaf.path.startswith(f"{path}."):
            depth, best = path, place.at
    return (*best, *goal.leaf.path[len(depth) :].lstrip(".").split("."))


def _silent(*_problem: object) -> None:
    """An edit is no time to complain about other settings; loading does."""
