"""Every setting described, for `oldsoul config explain` and for docs/reference/settings.md."""

from __future__ import annotations

from typing import Any, NamedTuple

from oldsoul.documents.yaml import flow
from oldsoul.errors import SettingsError
from oldsoul.settings.names import Branch, Leaf, inside, missing, snake, tree
from oldsoul.values.options import Where

_WHERE = {"home": "home", "config": "agent", "tunable": "CONFIG.md"}
_SHAPE = {"list": "a list, each ", "table": "names, each with ", "entries": "a list of entries"}
_HEAD = "| setting | value | default | where | what it does |\n|---|---|---|---|---|\n"
_OPENING = """\
# Settings

<!-- Made by `python -m oldsoul.settings`; edit the options in the code instead. -->

Every setting has a default, so an empty `config.yaml` is fine. Oldsoul takes a value from the first of these that sets it:

1. the environment, for secrets with a variable below;
2. the agent's `CONFIG.md`, in its first `yaml` block, for the settings that are allowed there;
3. the agent's entry in `config.yaml`, under `agents`: any setting is allowed there and applies to that agent only;
4. `config.yaml` itself;
5. the default.

The column "where" says where a setting may be written: `home` means `config.yaml` only, `agent` also an agent's entry in it,
`CONFIG.md` also an agent's `CONFIG.md`. An environment variable in that column overrides the setting.

Write names in `snake_case` or `camelCase`. "Also" lists other names, given from the top of the file. A secret may be written
as `${NAME}`, which is replaced by that environment variable. `oldsoul config explain` shows the same text as this page;
`oldsoul config set` changes one setting in `config.yaml` and no other line. What is marked as guarded names a program, a path,
an address or a key: it is changed in the file, at the command line, or on the dashboard within ten minutes of a login link that
`oldsoul serve` printed, never with a token alone.

If `config.yaml` cannot be read or has an invalid value, every command except `oldsoul doctor` and `oldsoul config` stops and
names the line and column. A change takes effect at once, also in processes that are already running. If the file becomes
unreadable, empty or missing while a process is running, that process keeps the earlier settings and says so in its log. An
invalid value in a `CONFIG.md` is ignored; `oldsoul doctor` reports it. It also reports unknown settings, with the one that was
probably meant, and secrets whose variable is not set. A setting that an earlier version had is ignored; it is named when the
home is opened, and by `oldsoul doctor`, with what to do instead.
"""


class Described(NamedTuple):
    """One setting, as it is shown."""

    path: str
    type: str
    """what its value has to be, in words"""
    default: str
    """as it would be written in config.yaml"""
    help: str
    aliases: tuple[str, ...]
    choices: tuple[str, ...]
    where: Where
    """where it may stand: `home` config.yaml, `config` an agent's entry too, `tunable` CONFIG.md too"""
    env: str
    """the environment variable that overrides it, if any"""
    secret: bool
    guarded: bool
    """whether only somebody who sits at this machine may change it"""


def describe(path: str = "") -> list[Described]:
    """Every setting, or those at and below that path, by whatever name."""
    place: Leaf | Branch | None = tree()
    steps = path.replace("[]", "").split(".") if path else []
    for number, step in enumerate(steps):
        branch = inside(place)
        place = branch.find(snake(step)) if branch else None
        if place is None:
            raise SettingsError(missing(path, branch or tree(), tuple(steps[:number]), snake(step)))
    if isinstance(place, Leaf):
        return [_described(place), *(map(_described, place.item.leaves()) if place.item else ())]
    return [_described(leaf) for leaf in place.leaves()] if place else []


def _described(leaf: Leaf) -> Described:
    about = leaf.about
    kind = _SHAPE.get(leaf.shape, "") + ("" if leaf.item else about.wanted(leaf.kind))
    default: Any = dict(leaf.default) if leaf.shape == "table" else leaf.default
    aliases = tuple(_from_top(leaf.path, alias) for alias in about.aliases if alias != ".*")
    return Described(
        leaf.path,
        kind,
        flow(default),
        about.help,
        aliases,
        about.choices,
        about.where,
        about.env,
        about.secret,
        about.is_guarded,
    )


def _from_top(path: str, alias: str) -> str:
    return path.rpartition(".")[0] + alias if alias.startswith(".") else alias


def page() -> str:
    """The reference of all settings, as Markdown."""
    groups: dict[str, list[Described]] = {}
    for each in describe():
        groups.setdefault(each.path.rpartition(".")[0], []).append(each)
    parts = [_OPENING]
    for path, settings in groups.items():
        about = _branch(path).about
        also = f" Also `{'`, `'.join(about.aliases)}`." if about.aliases else ""
        parts.append(f"\n## {f'`{path}`' if path else 'At the top'}\n\n{about.help}{also}\n\n{_HEAD}")
        parts += map(_row, settings)
    return "".join(parts)


def _branch(path: str) -> Branch:
    place: Leaf | Branch | None = tree()
    for step in path.split(".") if path else ():
        branch = inside(place)
        place = branch.children.get(step.removesuffix("[]")) if branch else None
    return inside(place) or tree()


def _row(each: Described) -> str:
    where = "" if "[]" in each.path else _WHERE[each.where] + (f", `{each.env}`" if each.env else "")
    where = ", ".join(filter(None, (where, "guarded" if each.guarded else "")))
    also = f" Also `{'`, `'.join(each.aliases)}`." if each.aliases else ""
    cells = (f"`{each.path.rpartition('.')[2]}`", each.type, f"`{each.default}`", where, each.help + also)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"
