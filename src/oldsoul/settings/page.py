"""Every setting described, for `oldsoul config explain` and for docs/settings.md."""

from itertools import groupby
from typing import Any, NamedTuple

from oldsoul.documents import yaml
from oldsoul.errors import SettingsError
from oldsoul.settings.names import Branch, Leaf, inside, nearest, snake, tree
from oldsoul.values.options import Where

_WHERE = {
    "home": "config.yaml",
    "config": "config.yaml, an agent's entry",
    "tunable": "config.yaml, an agent's entry, CONFIG.md",
}
_SHAPE = {"list": "a list, each ", "table": "names, each with ", "entries": "a list of entries"}
_OPENING = """\
# Settings

<!-- Made by `python -m oldsoul.settings`; edit the options in the code instead. -->

Every setting has a default, so an empty `config.yaml` is a good one. A value is taken from the first of these that has it:

1. the environment, for the secrets that name a variable below;
2. the agent's `CONFIG.md`, in its first `yaml` block, for the settings that may stand there;
3. the agent's entry in `config.yaml`, under `agents`: any setting may stand in it, and then holds for that agent alone;
4. `config.yaml` itself;
5. the default.

Names may be written in `snake_case` or `camelCase`. "Also" lists further names, from the top of the file. A secret may say
`${NAME}`, which is filled in from the environment. A value that cannot be used is reported by `oldsoul doctor` and ignored;
so is a name that is not known, with the one that was probably meant. `oldsoul config explain` shows this page,
`oldsoul config set` changes one line of `config.yaml`.
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


def describe(path: str = "") -> list[Described]:
    """Every setting, or those at and below that path, by whatever name."""
    place: Leaf | Branch | None = tree()
    steps = path.replace("[]", "").split(".") if path else []
    for number, step in enumerate(steps):
        branch = inside(place)
        place = branch.find(snake(step)) if branch else None
        if place is None:
            raise SettingsError(
                f"there is no setting {path}{nearest(branch or tree(), tuple(steps[:number]), snake(step))}"
            )
    if isinstance(place, Leaf):
        return [_described(place), *(map(_described, place.item.leaves()) if place.item else ())]
    return [_described(leaf) for leaf in place.leaves()] if place else []


def _described(leaf: Leaf) -> Described:
    about = leaf.about
    kind = _SHAPE.get(leaf.shape, "") + ("" if leaf.item else about.wanted(leaf.kind))
    default: Any = dict(leaf.default) if leaf.shape == "table" else leaf.default
    aliases = tuple(_from_top(leaf.path, alias) for alias in about.aliases if alias != ".*")
    return Described(
        leaf.path, kind, yaml.flow(default), about.help, aliases, about.choices, about.where, about.env, about.secret
    )


def _from_top(path: str, alias: str) -> str:
    return path.rpartition(".")[0] + alias if alias.startswith(".") else alias


def page() -> str:
    """The reference of all settings, as Markdown."""
    parts = [_OPENING]
    for path, settings in groupby(describe(), key=lambda each: each.path.rpartition(".")[0]):
        branch = _branch(path)
        parts.append(f"\n## {path or 'At the top'}\n")
        also = f" Also `{'`, `'.join(branch.about.aliases)}`." if branch.about.aliases else ""
        parts.append(f"\n{branch.about.help}{also}\n\n| setting | default | what it does |\n|---|---|---|\n")
        parts += [f"| `{each.path.rpartition('.')[2]}` | `{each.default}` | {_cell(each)} |\n" for each in settings]
    return "".join(parts)


def _branch(path: str) -> Branch:
    place: Leaf | Branch | None = tree()
    for step in path.split(".") if path else ():
        branch = inside(place)
        place = branch.children.get(step.removesuffix("[]")) if branch else None
    return inside(place) or tree()


def _cell(each: Described) -> str:
    facts = [f"{each.type[:1].upper()}{each.type[1:]}."]
    if each.aliases:
        facts.append(f"Also `{'`, `'.join(each.aliases)}`.")
    if "[]" not in each.path:
        facts.append(f"In {_WHERE[each.where]}{f', or `{each.env}`' if each.env else ''}.")
    return f"{each.help} <br>{' '.join(facts)}".replace("|", "\\|")
