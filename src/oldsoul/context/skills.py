"""Which skills an agent is offered, and the part of its prompt that names them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from oldsoul.context.options import SkillsOptions
from oldsoul.documents import frontmatter
from oldsoul.documents.frontmatter import Value
from oldsoul.lazy import pattern
from oldsoul.values.frozen import frozen
from oldsoul.values.skills import LIMITS, SOURCES, Skill, SkillLimits, SkippedSkill

FILE = "SKILL.md"
"""What the file of a skill is called."""
MOST_NAME, MOST_DESCRIPTION, MOST_COMPATIBILITY = 64, 1024, 500
"""How many characters these fields may have."""
MOST_LINES = 500
"""How many lines instructions should stay below."""

_KNOWN = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_NO_FRONTMATTER = "it must begin with frontmatter: `---`, the keys name and description, `---`"
_FLAG = "disable-model-invocation"
_NESTED = "openclaw"
_HEAD = frontmatter.MAX_BYTES + 1024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class SkillLocation(NamedTuple):
    """Where a SKILL.md was found."""

    folder: str
    """the name of the folder it lies in"""
    source: str
    """whose skills those are"""
    location: str
    """its path as it is shown"""
    path: str
    """its path"""


def read(data: bytes, place: SkillLocation) -> Skill | tuple[str, ...]:
    """The skill in a SKILL.md, or why there is none."""
    head = data[:_HEAD].splitlines(keepends=True)
    matter = frontmatter.read(head)
    if matter.problems:
        return matter.problems
    if not matter.end:
        begins = data.removeprefix(b"\xef\xbb\xbf").startswith(b"---")
        return ("its frontmatter is not closed by a line `---`" if begins else _NO_FRONTMATTER,)
    try:
        body = data.decode().count("\n") - matter.end
    except UnicodeDecodeError as error:
        return (f"it is not valid UTF-8 ({error.reason} at byte {error.start})",)
    seen = _Seen(matter.values)
    fields = seen.skill(place)
    if body >= MOST_LINES:
        seen.notes.append(f"its instructions have {body} lines; fewer than {MOST_LINES} are advised")
    return tuple(seen.reasons) if seen.reasons else Skill(**fields, notes=tuple(seen.notes))


class _Seen:
    """The keys of one frontmatter, with what is wrong and what is odd about them."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values
        self.reasons: list[str] = []
        self.notes: list[str] = []

    def skill(self, place: SkillLocation) -> dict[str, Any]:
        """The fields of the skill, as far as they can be made out."""
        fields: dict[str, Any] = {
            "name": self._name(place.folder),
            "description": self._line("description", MOST_DESCRIPTION, required=True),
            "source": place.source,
            "location": place.location,
            "path": place.path,
            "license": self._line("license"),
            "compatibility": self._line("compatibility", MOST_COMPATIBILITY),
            "allowed_tools": self._tools(),
            "raw": self.values,
            **self._metadata(),
        }
        if _FLAG in self.values:
            said = self._flag(self.values[_FLAG], _FLAG)
            fields["disable_model_invocation"] = said or fields.get("disable_model_invocation", False)
        strange = [key for key in self.values if key not in _KNOWN]
        if strange:
            self.notes.append(f"the format has no key {_listed(strange)}; put other keys under metadata")
        return fields

    def _name(self, folder: str) -> str:
        name = self._line("name", MOST_NAME, required=True)
        if name and not _NAME.fullmatch(name):
            self.reasons.append(f"its name {name!r} may have only lowercase letters, digits and single hyphens")
        elif name and name != folder:
            self.reasons.append(f"its name is {name}, but its folder is called {folder!r}; they must be the same")
        return name

    def _line(self, key: str, most: int | None = None, *, required: bool = False) -> str:
        """A text on one line; reasons when it is none, is missing or too long."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            self.reasons.append(f"its {key} is not text")
            return ""
        text = " ".join(value.split())
        if required and not text:
            self.reasons.append(f"it has no {key}")
        if most is not None and len(value.strip()) > most:
            self.reasons.append(f"its {key} has {len(value.strip())} characters, more than {most}")
        return text

    def _tools(self) -> tuple[str, ...]:
        """Tools as the format has them, separated by spaces outside brackets, or as a list, which many write."""
        value = self.values.get("allowed-tools", "")
        if isinstance(value, str):
            return tuple(re.findall(r"(?:\([^()]*\)|[^\s(,])+", value))
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            self.notes.append("its allowed-tools is a list; the format wants one line, separated by spaces")
            return tuple(str(item) for item in value)
        self.reasons.append("its allowed-tools is not text")
        return ()

    def _metadata(self) -> dict[str, Any]:
        """What `metadata` says: texts, and the nested fields we understand."""
        metadata = self.values.get("metadata", "")
        if not metadata:
            return {}
        if not isinstance(metadata, dict):
            self.reasons.append("its metadata has no keys")
            return {}
        others = [key for key, value in metadata.items() if not isinstance(value, str) and key != _NESTED]
        if others:
            self.notes.append(f"metadata: {_listed(others)} should be text and was ignored")
        nested = metadata.get(_NESTED, "")
        if not isinstance(nested, dict):
            return {}
        self.notes.append(f"metadata.{_NESTED} is nested, which the format does not allow; Oldsoul reads it anyway")
        return self._nested(nested)

    def _nested(self, nested: dict[str, Value]) -> dict[str, Any]:
        requires = self._group(nested, "requires", ("env",))
        invocation = self._group(nested, "invocation", ("disableModelInvocation", "allowRemote"))
        unread = [key for key in nested if key not in ("primaryEnv", "requires", "invocation")]
        if unread:
            self.notes.append(f"metadata.{_NESTED}: {_listed(unread)} has no effect here")
        primary = nested.get("primaryEnv", "")
        if not isinstance(primary, str):
            self.reasons.append("its primaryEnv is not text")
        fields: dict[str, Any] = {"requires_env": self._variables(requires.get("env", []))}
        if isinstance(primary, str):
            fields["primary_env"] = " ".join(primary.split())
        if "disableModelInvocation" in invocation:
            value = invocation["disableModelInvocation"]
            fields["disable_model_invocation"] = self._flag(value, "disableModelInvocation")
        if "allowRemote" in invocation:
            fields["allow_remote"] = self._flag(invocation["allowRemote"], "allowRemote")
        return fields

    def _group(self, nested: dict[str, Value], key: str, known: tuple[str, ...]) -> dict[str, Value]:
        """A nested group of keys; nothing when there is none."""
        group = nested.get(key, "")
        if isinstance(group, dict):
            unread = [f"{key}.{inner}" for inner in group if inner not in known]
            if unread:
                self.notes.append(f"metadata.{_NESTED}: {_listed(unread)} has no effect here")
            return group
        if group:
            self.reasons.append(f"its {key} has no keys")
        return {}

    def _variables(self, value: Value) -> tuple[str, ...]:
        names = [value] if isinstance(value, str) and value else value
        if not names:
            return ()
        texts = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        if isinstance(names, list) and len(texts) == len(names) and all(map(_VARIABLE.fullmatch, texts)):
            return tuple(dict.fromkeys(texts))
        self.reasons.append("its requires.env is not a list of names of environment variables")
        return ()

    def _flag(self, value: Value, key: str) -> bool:
        """Yes or no. What is neither is a reason, since it says who may use the skill."""
        word = value.strip().casefold() if isinstance(value, str) else ""
        if word not in _WORDS:
            self.reasons.append(f"its {key} is neither true nor false")
        return _WORDS.get(word, False)


def _listed(keys: list[str], most: int = 5) -> str:
    """Keys as people read them; a few of many, none of them endless."""
    shown = [key if len(key) <= MOST_NAME else f"{key[:MOST_NAME]}…" for key in keys[:most]]
    return ", ".join(shown) + (f" and {len(keys) - most} more" if len(keys) > most else "")


READERS = ("read", "skill_read")
"""Tools that can read a SKILL.md, the one to prefer first."""

_OPEN, _CLOSE = "<available_skills>\n", "</available_skills>"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
# What XML has no way to write, and what only deceives: text that turns its direction or is there and not to be seen.
_UNFIT = pattern(
    "[^\t\n\r\x20-\x7e\x85\xa0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    "\U00010000-\U000dffff\U000e0080-\U0010ffff]"
)
_RULES = """\
## Skills

A skill is a SKILL.md with instructions for one kind of work. Before each reply, compare the task with the descriptions
below.

- One skill clearly fits: call `{tool}` on its location, then do as the file says.
- Several could fit: decide on the most specific of them first, and open only that one.
- No skill clearly fits: open none.

Decide before you open anything. Never open more than one skill up front.

"""


@frozen
class ExcludedSkill:
    """A skill that is there and is not offered."""

    skill: Skill
    """which"""
    why: str
    """the reason, for a person"""


@frozen
class Offered:
    """The skills of one session."""

    skills: tuple[Skill, ...]
    """those the agent may choose from, in the order a prompt names them"""
    left_out: tuple[ExcludedSkill, ...] = ()
    """those that are there and are not offered"""
    skipped: tuple[SkippedSkill, ...] = ()
    """what looked like a skill and is none"""


@frozen
class SkillsSection:
    """The part of a prompt that is about skills."""

    text: str
    """empty when there is nothing to say"""
    listed: int = 0
    """how many skills it names"""
    left_out: int = 0
    """how many were offered and did not fit"""
    notes: tuple[str, ...] = ()
    """what a person should know about it"""


def offered(
    found: Iterable[Skill], options: SkillsOptions, *, variables: Collection[str], remote: bool
) -> tuple[tuple[Skill, ...], tuple[ExcludedSkill, ...]]:
    """The skills that are offered and those that are not, each in the order of sources, then of names.

    `variables` are the environment variables that are set; `remote` is whether somebody else than the operator talks.
    """
    rank = {source: number for number, source in enumerate(SOURCES)}
    ordered = sorted(found, key=lambda skill: (rank.get(skill.source, len(rank)), skill.name, skill.path))
    first: dict[str, Skill] = {}
    for skill in ordered:
        first.setdefault(skill.name, skill)
    taken: list[Skill] = []
    left_out: list[ExcludedSkill] = []
    for skill in ordered:
        why = _shadowed(skill, first[skill.name]) or _why_not(skill, options, variables, remote=remote)
        if why:
            left_out.append(ExcludedSkill(skill, why))
        else:
            taken.append(skill)
    return tuple(taken), tuple(left_out)


def _shadowed(skill: Skill, first: Skill) -> str:
    return "" if skill is first else f"another skill of this name takes precedence: {first.location}"


def _why_not(skill: Skill, options: SkillsOptions, variables: Collection[str], *, remote: bool) -> str:
    """Why a skill is not offered; nothing when it is."""
    missing = [name for name in skill.requires_env if name not in variables]
    if not options.enabled:
        return "skills are turned off (context.skills.enabled)"
    if skill.name in options.disabled:
        return "turned off (context.skills.disabled)"
    if skill.disable_model_invocation:
        return "only a person may select it (disableModelInvocation)"
    if missing:
        return f"needs {', '.join(missing)} in the environment"
    if remote and not skill.allow_remote:
        return "only for private conversations with the operator (allowRemote)"
    return ""


def section(skills: Sequence[Skill], tools: Collection[str], limits: SkillLimits = LIMITS) -> SkillsSection:
    """What a prompt says of these skills to an agent that has these tools."""
    if not skills:
        return SkillsSection("")
    tool = next((name for name in READERS if name in tools), "")
    if not tool:
        wanted = " or ".join(READERS)
        note = f"no skills are listed: the agent has no tool to read them with ({wanted})"
        return SkillsSection("", left_out=len(skills), notes=(note,))
    listed, block = _block(skills, limits)
    missed = len(skills) - listed
    notes = (f"{missed} of {len(skills)} skills do not fit into the prompt",) if missed else ()
    return SkillsSection(_RULES.format(tool=tool) + block if listed else "", listed, missed, notes)


def _block(skills: Sequence[Skill], limits: SkillLimits) -> tuple[int, str]:
    """How many skills fit, and the listing of these."""
    items = [_item(skill) for skill in skills[: limits.in_prompt]]
    sizes = list(accumulate(map(len, items), initial=len(_OPEN) + len(_CLOSE)))
    count = next(
        (n for n in range(len(items), 0, -1) if sizes[n] + len(_rest(len(skills) - n)) <= limits.prompt_chars),
        0,
    )
    return count, "".join([_OPEN, *items[:count], _rest(len(skills) - count), _CLOSE])


def _item(skill: Skill) -> str:
    where, what = escaped(skill.location), escaped(skill.description)
    return f'  <skill location="{where}">\n    <description>{what}</description>\n  </skill>\n'


def _rest(count: int) -> str:
    return f"  <!-- {count} more, left out for want of room -->\n" if count else ""


def escaped(text: str) -> str:
    """The text on one line as XML holds it, between tags or in quotes."""
    return one_line(text).translate(_ESCAPES)


def one_line(text: str) -> str:
    """The text on one line, without what a prompt cannot hold."""
    return " ".join(_UNFIT.sub("", text).split())


def compacted(path: str, home: str) -> str:
    """The path with the person's home folder as `~`, which costs a prompt fewer tokens."""
    home = home.rstrip("/")
    if not home or not (path == home or path.startswith(f"{home}/")):
        return path
    return f"~{path[len(home) :]}"
