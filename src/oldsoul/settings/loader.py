"""What loading settings gives: the settings, what is wrong with them, and where each stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from oldsoul.documents import yaml
from oldsoul.errors import BadInput, BadName, SettingsError
from oldsoul.settings.home import Settings
from oldsoul.settings.names import Leaf, SettingPlace, Severity, entries, joined, scan, tree
from oldsoul.settings.removed import SAID
from oldsoul.values.ids import checked_id
from oldsoul.values.names import SHARED, checked_workspace
from oldsoul.values.sessions import Subject

Layer = Literal["config.yaml", "agent", "CONFIG.md", "environment"]


class SettingsProblem(NamedTuple):
    """Something about the settings that the operator should know."""

    severity: Severity
    path: str
    """the setting, as it is written; empty when it is about a whole file"""
    message: str
    """what is wrong and what to do"""
    file: str
    """config.yaml, CONFIG.md or environment"""
    line: int | None = None
    """where in the file, from 1"""
    column: int | None = None
    """where in the line, from 1"""

    @property
    def is_removed(self) -> bool:
        """Whether it is about a setting of an earlier version."""
        return self.message.startswith(SAID)

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}, column {self.column}" if self.line else self.file
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class SettingSource(NamedTuple):
    """Who set a setting."""

    layer: Layer
    line: int | None
    """where in that layer's file, from 1"""
    column: int | None = None
    """where in that line, from 1"""


class Folder(NamedTuple):
    """A folder that config.yaml has something kept in."""

    path: str
    """the setting, as it is written"""
    name: str
    """the folder, as it is written"""
    line: int
    """where in the file, from 1"""
    column: int
    """where in the line, from 1"""


class Loaded(NamedTuple):
    """The settings in force, what is wrong with them, and where those that are not default come from."""

    settings: Settings
    problems: tuple[SettingsProblem, ...]
    sources: Mapping[str, SettingSource]
    folders: tuple[Folder, ...] = ()

    @property
    def refusal(self) -> str:
        """Why nothing may be done by these settings: a mistake in config.yaml; empty when there is none."""
        errors = [each for each in self.problems if each.severity == "error" and each.file == "config.yaml"]
        more = f" ({len(errors) - 1} more; `oldsoul doctor` lists them)" if len(errors) > 1 else ""
        return f"{errors[0]}{more}; correct it first, nothing was done" if errors else ""


_NOTHING: Mapping[str, str] = MappingProxyType({})
_MODE = "memory.search.query.hybrid.mode"
_WEIGHTS = {"memory.search.query.hybrid.vector_weight": 0.7, "memory.search.query.hybrid.text_weight": 0.3}
_SERVER, _ADDRESS, _ADDRESS_OUTSIDE = "postgres", "storage.postgres_dsn", "OLDSOUL_POSTGRES_DSN"
_ON_SERVER = ("storage.chat", "memory.search.store.driver")
_NO_SERVER = f"this needs the server's address; set {_ADDRESS_OUTSIDE} or {_ADDRESS}, or choose sqlite"
_FOLDERS = frozenset({"agents.list[].workspace", "agents.defaults.workspace", "memory.dir"})
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class ConfigFile:
    """A config.yaml as it was read, once for all the agents it speaks of."""

    def __init__(self, text: str | None, environ: Mapping[str, str] = _NOTHING) -> None:
        self.text = text
        self._first = _Reading(environ)
        self._first.file(text or "", "config.yaml")
        self._first.unique_names()

    def of(self, agent: str | None = None, config_md: str | None = None) -> Loaded:
        """The settings of the home, or as they hold for one agent. Mistakes are values in `problems`."""
        reading = self._first.copy()
        reading.overlay(agent)
        if config_md is not None:
            block, first_line = _block(config_md)
            if block is None:
                reading.bare(config_md)
            else:
                reading.file(block, "CONFIG.md", first_line)
        reading.environment()
        return reading.loaded()


def load(
    config_text: str | None,
    *,
    agent: str | None = None,
    config_md: str | None = None,
    environ: Mapping[str, str] = _NOTHING,
) -> Loaded:
    """The settings of a home, or as they hold for one agent. Mistakes are values in `problems`, never exceptions."""
    return ConfigFile(config_text, environ).of(agent, config_md)


class _Reading:
    """What the layers read so far came to."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.layer: Layer = "config.yaml"
        self.text = ""
        """what is read"""
        self.before = 0
        """how many lines of the file stand before it"""
        self.values: dict[str, Any] = {}
        self.sources: dict[str, SettingSource] = {}
        self.problems: list[SettingsProblem] = []
        self.of_agents: list[tuple[str, SettingPlace]] = []
        """settings found in agents' entries"""
        self.folders: list[Folder] = []
        """folders that settings name, of all agents"""

    def copy(self) -> Self:
        """The same, to go on from without changing this one."""
        other = type(self)(self.environ)
        other.text, other.of_agents = self.text, self.of_agents
        other.values, other.sources, other.problems = {**self.values}, {**self.sources}, [*self.problems]
        other.folders = [*self.folders]
        return other

    def report(self, severity: Severity, at: yaml.Path, message: str, where: yaml.Node | yaml.YamlProblem) -> None:
        file = "config.yaml" if self.layer == "agent" else self.layer
        if file == "CONFIG.md" and severity == "error":
            message += "; until then it is ignored" if at else "; until then nothing in this file takes effect"
        self.problems.append(SettingsProblem(severity, ".".join(map(str, at)), message, file, *self.position(where)))

    def position(self, where: yaml.Node | yaml.YamlProblem) -> tuple[int, int]:
        """The line and column of something that was read."""
        column = where.column if isinstance(where, yaml.YamlProblem) else yaml.position(self.text, where.start)[1]
        return where.line + self.before, column

    def file(self, text: str, layer: Layer, before: int = 0) -> None:
        self.layer, self.text, self.before = layer, text, before
        node = yaml.read(text)
        if isinstance(node, yaml.YamlProblem):
            self.report("error", (), node.message, node)
            return
        for place in scan(node, tree(), (), self.report):
            self.take(place)

    def bare(self, text: str) -> None:
        """A CONFIG.md without a block of YAML: all of it is settings, or none."""
        node = yaml.read(text)
        if isinstance(node, yaml.Mapping) or (isinstance(node, yaml.Scalar) and node.value is None):
            self.file(text, "CONFIG.md")
            return
        self.layer, self.text = "CONFIG.md", text
        message = "no settings were found; put them between a line ```yaml and a line ```"
        if isinstance(node, yaml.YamlProblem):
            message += f" (read as a whole: {node.message})"
        self.report("warning", (), message, node)

    def overlay(self, agent: str | None) -> None:
        """What stands in agents' entries beside their own settings: checked for all, in force for this one."""
        self.layer = "agent"
        for owner, place in self.of_agents:
            self.take(place, keep=owner == agent)

    def environment(self) -> None:
        self.layer, self.before = "environment", 0
        for leaf in tree().leaves():
            value = self.environ.get(leaf.about.env, "") if leaf.about.env else ""
            if value:
                self.values[leaf.path] = leaf.about.take(leaf.kind, value, value)
                self.sources[leaf.path] = SettingSource("environment", None)

    def take(self, place: SettingPlace, *, keep: bool = True) -> None:
        """Checks the value of one place, and has it count unless it is only to be checked."""
        leaf = place.target
        if not isinstance(leaf, Leaf) or self.misplaced(leaf, place):
            return
        try:
            value = self.records(place, leaf) if leaf.item else converted(leaf, place.node, self.environ)
        except _Named as error:
            self.report("error", (*place.at, error.key.text), str(error), error.key)
            return
        except SettingsError as error:
            self.report(_severity(error), place.at, str(error), place.key)
            return
        if not keep and leaf.path in _ON_SERVER and value == _SERVER and not self.has_server():
            self.report("error", place.at, _NO_SERVER, place.key)
        if leaf.path in _FOLDERS and isinstance(value, str) and value.strip():
            self.folders.append(Folder(".".join(map(str, place.at)), value, *self.position(place.key)))
        if keep:
            self.set(leaf, value, place)

    def set(self, leaf: Leaf, value: Any, place: SettingPlace) -> None:
        earlier = self.sources.get(leaf.path)
        if earlier and earlier.layer == self.layer:
            if leaf.item:
                value = (*self.values[leaf.path], *value)
            elif value != self.values[leaf.path]:
                message = f"this is also set on line {earlier.line}, perhaps under another name; the later value counts"
                self.report("warning", place.at, message, place.key)
        self.values[leaf.path] = value
        self.sources[leaf.path] = SettingSource(self.layer, *self.position(place.key))

    def misplaced(self, leaf: Leaf, place: SettingPlace) -> bool:
        if self.layer == "CONFIG.md" and leaf.about.where != "tunable":
            message = "this belongs in config.yaml, where only the operator can set it; here it is ignored"
        elif self.layer == "agent" and leaf.about.where == "home":
            message = "this applies to the whole home; move it out of the agent's entry, where it is ignored"
        else:
            return False
        self.report("warning", place.at, message, place.key)
        return True

    def records(self, place: SettingPlace, leaf: Leaf) -> tuple[Any, ...]:
        """The entries of a list such as the agents; those without a name are reported and left out."""
        item = leaf.item
        if item is None or (isinstance(place.node, yaml.Scalar) and isinstance(place.node.value, bool)):
            raise SettingsError("expected a list of entries")
        first = fields(leaf.kind)[0].name
        made: list[Any] = []
        for at, name, node in entries(place):
            own: dict[str, Any] = {first: name} if name else {}
            further: list[SettingPlace] = []
            for inner in () if isinstance(node, yaml.Scalar) else scan(node, item, at, self.report):
                if not isinstance(inner.target, Leaf):
                    continue
                if not inner.target.path.startswith(f"{item.path}."):
                    further.append(inner)
                    continue
                try:
                    value = converted(inner.target, inner.node, self.environ)
                except SettingsError as error:
                    self.report(_severity(error), inner.at, str(error), inner.key)
                else:
                    own[inner.target.path.rpartition(".")[2]] = value
                    if inner.target.path in _FOLDERS and value.strip():
                        self.folders.append(Folder(".".join(map(str, inner.at)), value, *self.position(inner.key)))
            if own.get(first):
                made.append(leaf.kind(**own))
                self.of_agents += [(own[first], inner) for inner in further]
            else:
                self.report("error", at, f"this entry needs {first}", node)
        return tuple(made)

    def loaded(self) -> Loaded:
        self.layer = "config.yaml"
        self.weights()
        self.members()
        if not self.values.get("operators", True):
            self.refuse("operators", "a home needs at least one operator; name one, or remove this setting")
        self.operators()
        self.servers()
        settings: Settings = _built(Settings, "", self.values)
        return Loaded(settings, tuple(self.problems), MappingProxyType(self.sources), tuple(self.folders))

    def refuse(self, path: str, message: str) -> None:
        """Takes back a value that is impossible only in the company of others."""
        source = self.sources[path]
        self.problems.append(SettingsProblem("error", path, message, "config.yaml", source.line, source.column))
        del self.values[path], self.sources[path]

    def has_server(self) -> bool:
        """Whether anybody says where PostgreSQL is."""
        return bool(self.values.get(_ADDRESS) or self.environ.get(_ADDRESS_OUTSIDE))

    def servers(self) -> None:
        """What is to be kept in PostgreSQL needs its address."""
        for path in _ON_SERVER:
            if self.values.get(path) == _SERVER and not self.has_server():
                source = self.sources[path]
                self.problems.append(
                    SettingsProblem("error", path, _NO_SERVER, "config.yaml", source.line, source.column)
                )

    def operators(self) -> None:
        """Operators are people, by their ids in their one form."""
        if "operators" in self.values:
            try:
                self.values["operators"] = tuple(Subject(one).id for one in self.values["operators"])
            except BadInput as error:
                self.refuse("operators", str(error))

    def weights(self) -> None:
        """The two fixed weights of search count in one mode only, and one of them has to be something."""
        given = [path for path in _WEIGHTS if path in self.sources]
        for path in given:
            if self.values.get(_MODE) != "weighted" and self.values[path] != _WEIGHTS[path]:
                self.note(path, f"this has an effect in one mode only; set {_MODE} to `weighted` to use it")
        if len(given) == len(_WEIGHTS) and not any(self.values[path] for path in given):
            for path in given:
                self.note(
                    path, "all weights are 0, so nothing could be found; until one is above 0, the defaults are used"
                )
                del self.values[path], self.sources[path]

    def note(self, path: str, message: str) -> None:
        """Report something about a setting that was given."""
        file = "CONFIG.md" if self.sources[path].layer == "CONFIG.md" else "config.yaml"
        self.problems.append(SettingsProblem("note", path, message, file, *self.sources[path][1:]))

    def unique_names(self) -> None:
        """Agents and teams share the folder of workspaces, so no two may have one name."""
        if not self.values.get("agents.list") and not self.values.get("teams"):
            return
        taken = {SHARED: "the folder shared by all agents"}
        for path, key, kind in (("agents.list", "id", "an agent"), ("teams", "name", "a team")):
            kept: list[Any] = []
            for record in self.values.get(path, ()):
                try:
                    name = checked_workspace(getattr(record, key))
                except BadName as error:
                    message = str(error)
                else:
                    if name not in taken:
                        taken[name] = kind
                        kept.append(replace(record, **{key: name}))
                        continue
                    message = f"{name} is already the name of {taken[name]}"
                self.problems.append(SettingsProblem("error", path, message, "config.yaml", *self.sources[path][1:]))
            if path in self.values:
                self.values[path] = tuple(kept)
        for room in (room for team in self.values.get("teams", ()) for room in team.rooms):
            try:
                checked_id(room, "room")
            except BadName as error:
                self.problems.append(
                    SettingsProblem("error", "teams", str(error), "config.yaml", *self.sources["teams"][1:])
                )

    def members(self) -> None:
        """A team is made of agents there are."""
        agents = {agent.id for agent in self.values.get("agents.list", ())} | {self.values.get("default_agent", "main")}
        for team in self.values.get("teams", ()):
            for name in (each for each in team.members if each not in agents):
                self.note("teams", f"the team {team.name} has a member {name}, but there is no agent of that name")


class _Named(SettingsError):
    """A table has a value of a name that it may not have."""

    def __init__(self, message: str, key: yaml.Scalar) -> None:
        super().__init__(message)
        self.key = key


class _Unset(SettingsError):
    """A value waits for an environment variable: no mistake of the file's."""


def _severity(error: SettingsError) -> Severity:
    return "warning" if isinstance(error, _Unset) else "error"


def converted(leaf: Leaf, node: yaml.Node, environ: Mapping[str, str]) -> Any:
    """The node as a value of that setting; `SettingsError` says what it has to be instead."""
    if leaf.shape == "one":
        return _single(leaf, node, environ)
    if leaf.shape == "table":
        if not isinstance(node, yaml.Mapping):
            raise SettingsError("expected names with values, such as {name: value}")
        for pair in node.pairs if leaf.about.refuses else ():
            if leaf.about.refuses and (reason := leaf.about.refuses(pair.key.text)):
                raise _Named(reason, pair.key)
        return tuple((pair.key.text, _single(leaf, pair.value, environ)) for pair in node.pairs)
    if isinstance(node, yaml.Mapping):
        raise SettingsError("expected a list, such as [one, two]")
    items = node.items if isinstance(node, yaml.Sequence) else (node,) if node.text else ()
    return tuple(_single(leaf, item, environ) for item in items)


def _single(leaf: Leaf, node: yaml.Node, environ: Mapping[str, str]) -> Any:
    if not isinstance(node, yaml.Scalar):
        found = "a list" if isinstance(node, yaml.Sequence) else "names with values"
        raise SettingsError(f"expected {leaf.about.wanted(leaf.kind)}, found {found}")
    value = leaf.about.take(leaf.kind, node.value, node.text)
    if not leaf.about.secret:
        return value
    for name in _REFERENCE.findall(str(value)):
        if not environ.get(name):
            raise _Unset(f"the variable {name} is not set, so this is ignored; set it, or write the value itself")
    return _REFERENCE.sub(lambda found: environ[found[1]], str(value))


def _built(kind: Any, path: str, values: Mapping[str, Any]) -> Any:
    made: dict[str, Any] = {}
    for each in fields(kind):
        here = joined(path, each.name.rstrip("_"))
        if hasattr(each.type, "__dataclass_fields__"):
            made[each.name] = _built(each.type, here, values)
        elif here in values:
            made[each.name] = values[here]
    return kind(**made)


def _block(markdown: str) -> tuple[str | None, int]:
    """The first block of YAML in a Markdown text, and the number of lines before it."""
    lines = markdown.split("\n")
    mark, start = "", None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if not fence:
            continue
        if not mark:
            mark = fence[1]
            start = number + 1 if fence[2].lower() in ("yaml", "yml") else None
        elif fence[1].startswith(mark) and not line.strip().strip(mark[0]):
            if start is not None:
                return "\n".join(lines[start:number]), start
            mark = ""
    return ("\n".join(lines[start:]), start) if start is not None else (None, 0)
