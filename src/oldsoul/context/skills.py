"""Which skills an agent is offered, and the part of its prompt that names them."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from oldsoul.lazy import pattern
from oldsoul.values.frozen import frozen
from oldsoul.values.skills import LIMITS, SOURCES, Limits, Skill, Skipped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from oldsoul.context.options import SkillsOptions

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
class LeftOut:
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
    left_out: tuple[LeftOut, ...] = ()
    """those that are there and are not offered"""
    skipped: tuple[Skipped, ...] = ()
    """what looked like a skill and is none"""


@frozen
class Section:
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
) -> tuple[tuple[Skill, ...], tuple[LeftOut, ...]]:
    """The skills that are offered and those that are not, each in the order of sources, then of names.

    `variables` are the environment variables that are set; `remote` is whether somebody else than the operator talks.
    """
    rank = {source: number for number, source in enumerate(SOURCES)}
    ordered = sorted(found, key=lambda skill: (rank.get(skill.source, len(rank)), skill.name, skill.path))
    first: dict[str, Skill] = {}
    for skill in ordered:
        first.setdefault(skill.name, skill)
    taken: list[Skill] = []
    left_out: list[LeftOut] = []
    for skill in ordered:
        why = _shadowed(skill, first[skill.name]) or _why_not(skill, options, variables, remote=remote)
        if why:
            left_out.append(LeftOut(skill, why))
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


def section(skills: Sequence[Skill], tools: Collection[str], limits: Limits = LIMITS) -> Section:
    """What a prompt says of these skills to an agent that has these tools."""
    if not skills:
        return Section("")
    tool = next((name for name in READERS if name in tools), "")
    if not tool:
        wanted = " or ".join(READERS)
        note = f"no skills are listed: the agent has no tool to read them with ({wanted})"
        return Section("", left_out=len(skills), notes=(note,))
    listed, block = _block(skills, limits)
    missed = len(skills) - listed
    notes = (f"{missed} of {len(skills)} skills do not fit into the prompt",) if missed else ()
    return Section(_RULES.format(tool=tool) + block if listed else "", listed, missed, notes)


def _block(skills: Sequence[Skill], limits: Limits) -> tuple[int, str]:
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
