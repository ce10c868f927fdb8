"""The names settings go by: ours, the seeds' and those of their groups, and what in a file they lead to."""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any, Literal, NamedTuple

from oldsoul.documents import yaml
from oldsoul.settings.home import Settings
from oldsoul.settings.removed import removal
from oldsoul.values.options import Group, Option

Severity = Literal["error", "warning", "note"]
Report = Callable[[Severity, yaml.Path, str, yaml.Node], None]


class Leaf(NamedTuple):
    """A setting's place in the tree of names."""

    path: str
    about: Option
    kind: Any
    """the type of the value, or of each value in a list or table"""
    shape: Literal["one", "list", "table", "entries"]
    default: Any
    item: "Branch | None" = None
    """the settings of an entry"""


class Branch(NamedTuple):
    """A group's place in the tree of names, where further names lead to the same places."""

    path: str
    about: Group
    children: dict[str, "Leaf | Branch"]

    def find(self, name: str) -> "Leaf | Branch | None":
        """What is called that here: a child, a setting that may stand here too (`&`), or an entry by its own name (`*`)."""
        also = self.children.get("&")
        found = self.children.get(name) or (also.find(name) if isinstance(also, Branch) else None)
        return found or self.children.get("*")

    def leaves(self) -> Iterator[Leaf]:
        """Every setting below, once, in the order of declaration."""
        for name, child in self.children.items():
            if child.path != joined(self.path, name):
                continue
            yield from [child] if isinstance(child, Leaf) else child.leaves()
            if isinstance(child, Leaf) and child.item:
                yield from child.item.leaves()


class SettingPlace(NamedTuple):
    """Where a setting, or a group, stands in a file."""

    target: Leaf | Branch
    node: yaml.Node
    at: yaml.Path
    key: yaml.Scalar
    """its name, as it is written"""


def inside(place: Leaf | Branch | None) -> Branch | None:
    """The group itself, or the settings of an entry; None for a plain setting."""
    return place.item if isinstance(place, Leaf) else place


def joined(path: str, name: str) -> str:
    """The path of what is called so in that group."""
    return f"{path}.{name}" if path else name


def snake(name: str) -> str:
    """The name as we write it, whether it was written `likeThis`, `like-this` or `like_this`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def _grown(kind: Any, path: str, about: Group) -> Branch:
    """The names that the class itself gives its settings."""
    branch = Branch(path, about, {})
    for each in fields(kind):
        told, name = each.metadata["about"], each.name.rstrip("_")
        here = joined(path, name)
        if isinstance(told, Group):
            branch.children[name] = _grown(each.type, here, told)
            continue
        inner = getattr(each.type, "__args__", (each.type,))[0]
        if not isinstance(each.default, tuple):
            branch.children[name] = Leaf(here, told, each.type, "one", each.default)
        elif hasattr(inner, "__dataclass_fields__"):
            item = _grown(inner, f"{here}[]", Group(inner.__doc__ or told.help))
            branch.children[name] = Leaf(here, told, inner, "entries", (), item)
        else:
            branch.children[name] = Leaf(here, told, str, "list" if inner is str else "table", each.default)
    return branch


def _linked(root: Branch, branch: Branch) -> None:
    """Adds the further names of everything below the branch."""
    for child in list(branch.children.values()):
        for alias in child.about.aliases:
            *way, last = alias.lstrip(".").split(".")
            base = branch if alias.startswith(".") else root
            for step in way:
                known = base.children.setdefault(step, Branch(joined(base.path, step), Group(""), {}))
                base = known if isinstance(known, Branch) else base
            base.children[last] = child
        for below in (child, getattr(child, "item", None)):
            if isinstance(below, Branch) and below.path.startswith(branch.path):
                _linked(root, below)


@cache
def tree() -> Branch:
    """All names of all settings."""
    root = _grown(Settings, "", Group("Settings at the top of the file, outside any group."))
    _linked(root, root)
    # Any setting may stand in an agent's entry and among the defaults of agents, where S3 has its search settings.
    agents = root.children["agents"]
    if isinstance(agents, Branch):
        for place in (agents.children["defaults"], getattr(agents.children["list"], "item", None)):
            if isinstance(place, Branch):
                place.children.update({"&": root, "settings": root})
    return root


def scan(node: yaml.Node, branch: Branch, at: yaml.Path, report: Report) -> Iterator[SettingPlace]:
    """Every known setting and group in that part of a file; what is not known is reported."""
    if isinstance(node, yaml.Scalar) and node.value is None:
        return
    if not isinstance(node, yaml.Mapping):
        message = "expected settings by name, indented below this one, and found a value"
        report("error", at, message, node)
        return
    for first, again in node.repeated():
        if not isinstance(branch.find(snake(again.key.text)), Leaf):
            message = f"this is also on line {first.key.line}; both are read, but keep them together"
            report("warning", (*at, again.key.text), message, again.key)
    for pair in node.pairs:
        key, name, here = pair.key, snake(pair.key.text), (*at, pair.key.text)
        target = branch.find(name)
        if target is None:
            gone = removal(branch.path, name, anywhere="&" in branch.children)
            report("warning", here, gone or f"there is no such setting{nearest(branch, at, name)}", key)
        elif isinstance(target, Branch):
            yield SettingPlace(target, pair.value, here, key)
            yield from scan(pair.value, target, here, report)
        elif target is branch.children.get("*") and name not in branch.children:
            one = yaml.Mapping((pair,), flow=False, start=key.start, end=pair.end, line=key.line)
            yield SettingPlace(target, one, at, key)
        elif not isinstance(pair.value, yaml.Scalar) or pair.value.value is not None:
            yield SettingPlace(target, pair.value, here, key)


def entries(place: SettingPlace) -> Iterator[tuple[yaml.Path, str, yaml.Node]]:
    """The entries of a list, or of a mapping by name: where each stands, its name if it is there, its settings."""
    node = place.node
    if isinstance(node, yaml.Mapping):
        yield from (((*place.at, pair.key.text), pair.key.text, pair.value) for pair in node.pairs)
    elif isinstance(node, yaml.Sequence):
        for number, item in enumerate(node.items):
            yield (*place.at, number), item.text if isinstance(item, yaml.Scalar) else "", item
    elif node.text:
        yield place.at, node.text, node


def missing(path: str, branch: Branch, at: yaml.Path, name: str) -> str:
    """Why no setting is found at that path, where a group has nothing of that name."""
    gone = removal(branch.path, name, anywhere="&" in branch.children)
    return f"{path}: {gone}" if gone else f"there is no setting {path}{nearest(branch, at, name)}"


def nearest(branch: Branch, at: yaml.Path, name: str) -> str:
    """The known setting that was probably meant, as the end of a sentence."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    also = branch.children.get("&")
    here = [*branch.children, *(also.children if isinstance(also, Branch) else ())]
    near = get_close_matches(name, [each for each in here if each.isidentifier()], 1)
    if near:
        return f"; did you mean {'.'.join(map(str, (*at, near[0])))}?"
    paths = {leaf.path: leaf.path.rpartition(".")[2] for leaf in tree().leaves()}
    near = [path for path, last in paths.items() if last == name] or get_close_matches(
        ".".join(snake(str(step)) for step in (*at, name)), paths, 1, 0.75
    )
    return f"; did you mean {near[0]}?" if near else "; `oldsoul config explain` lists all settings"
