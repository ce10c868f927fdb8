"""What forgetting did to a home, line by line, judged without asking the product what a copy is."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oldsoul.documents import parse
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oldsoul.app import Agent
    from oldsoul.values.names import Name

DIARY = (Kind.DAILY, Kind.SESSION)
LOGS = (*DIARY, Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG)
FIELD = re.compile(
    r"\s*(?:- )?(?:\*\*[^*]+(?::\*\*|\*\*:) ?\S*|\[[^\]]+\]\([^)]+\)\s*$|#|(?:Users|Datetime): |[a-z_]+: )"
)
MARK = re.compile(r"\s*<!--os.*?-->")
LEAD = re.compile(
    r"^\s*(?:(?:[-*+]|\d+\.)\s+)?(?:\[[ xX]\] )?(?:\*\*[^*]+(?:\*\*:|:\*\*)\s*)?(?:(?:Event|Result|Open): )?(?:[\w.]+(?::\w+)?: )?"
)
TAIL = re.compile(r"\s*(?:\(added [^)]*\))?(?:\s*#\w+)?$")
EDGES = re.compile(r"(?<=[.!?])[\s\"”*)]+|[;:]\s+|\n")
SENTENCES = re.compile(r"(?<=[.!?])[\s\"”*)]+|\n")
SURELY, PERHAPS = 4, 3
"""Words of what is surely a sentence, and of what may be one."""


@dataclass(frozen=True)
class Line:
    """A line of a document, in one of its versions."""

    path: str
    text: str
    entry: str
    """the entry it stands in"""
    source: str
    """what that says it was taken from"""
    rests: frozenset[str]
    """what that rests on, by its own word and that of the changes that wrote it"""
    about: frozenset[str]
    """the entries that its block is about"""
    is_log: bool
    """whether it stands where it is told what was said elsewhere"""


@dataclass(frozen=True)
class Seen:
    """All that an agent's home says, in every version."""

    documents: Mapping[str, list[Line]]
    messages: Mapping[int, str]


@dataclass(frozen=True)
class Goal:
    """What is forgotten."""

    ids: frozenset[str]
    """the ids it has"""
    sources: frozenset[str]
    """what it rests on"""
    text: str
    """its words, a line for each of its lines; without those of fields"""
    path: str = ""
    """where it stands"""


def is_log(name: Name) -> bool:
    return name.kind in LOGS or (name.kind is Kind.ARCHIVE and "/Memory/" not in name.path)


def lines(name: Name, data: bytes, evidence: Mapping[str, set[str]]) -> Iterator[Line]:
    document = parse(data, is_log=name.is_log)
    owners = {line: entry for entry in document.entries for line in range(entry.line, entry.end)}
    for place, line in enumerate(document.lines):
        owner = owners.get(place)
        fields = owner.fields if owner else {}
        about = frozenset(f"{fields.get('supersedes', '')},{fields.get('between', '')}".split(",")) - {""}
        key = owner.id if owner else ""
        rests = frozenset({*evidence[key], fields.get("src", "")}) - {""}
        text = line.decode("utf-8", "replace").rstrip()
        yield Line(name.path, text, key, fields.get("src", ""), rests, about, is_log(name))


def seen(agent: Agent) -> Seen:
    """What stands, and what every version of history holds."""
    ledger = agent._parts.home.ledger
    evidence: defaultdict[str, set[str]] = defaultdict(set)
    changes = ledger.history(agent.id, limit=10_000)
    for change in changes:
        approved = {"an approval"} if "approved_by" in change.notes else set()
        for entry in (entry for effect in change.effects for entry in effect.entries):
            evidence[entry] |= {e.ref for e in change.evidence} | approved
    names = agent._parts.home.world.store.names(agent.id)
    found = {name.path: [*lines(name, agent._parts.read(name).data or b"", evidence)] for name in names}
    for change in changes:
        for effect in change.effects:
            data = ledger.content(effect.after) or b""
            found[f"{effect.name.path} after {change.id}"] = [*lines(effect.name, data, evidence)]
    return Seen(found, {m.id: m.text for m in agent._parts.log.every(Wanted(limit=1000))})


def goals(agent: Agent) -> Iterator[tuple[str, Name | None, Goal]]:
    """Every entry and every message there is, each with the document it stands in."""
    for name in agent._parts.home.world.store.names(agent.id):
        for entry in parse(agent._parts.read(name).data or b"", is_log=name.is_log).entries:
            told = b"".join(entry.lines).decode("utf-8", "replace")
            in_diary = name.kind in DIARY or name.path.startswith("Archive/Daily")
            rows = told.split("\n") if entry.form != "dated" else told.split("\n")[1:] * in_diary
            text = "\n".join(row for row in rows if entry.form != "dated" or not FIELD.match(row))
            yield (
                entry.id,
                name,
                Goal(frozenset({entry.id}), frozenset({entry.fields.get("src", "")} - {""}), text, name.path),
            )
    for message in agent._parts.log.every(Wanted(limit=1000)):
        yield f"m:{message.id}", None, Goal(frozenset(), frozenset({f"m:{message.id}"}), message.text)


def sentences(text: str, fewest: int, edges: re.Pattern[str] = EDGES) -> set[str]:
    """The sentences of some lines, without what stands around them in a list, a field or a summary."""
    found = set()
    for row in text.split("\n"):
        bare = TAIL.sub("", MARK.sub("", row).replace("<!-- was: ", "").removesuffix(" -->"))
        for part in (*edges.split(LEAD.sub("", bare)), *edges.split(bare)):
            words = part.strip(' .!?…*"”“')
            if len([word for word in words.split() if word.strip(",").isalpha()]) >= fewest:
                found.add(words[:1].lower() + words[1:])
    return found


def wrong(goal: Goal, before: Seen, after: Seen) -> list[str]:
    """What of others was changed by forgetting something, and what of it is left."""
    told = sentences(goal.text, SURELY, SENTENCES), sentences(goal.text, PERHAPS)
    every = [line for rows in before.documents.values() for line in rows]
    sources = goal.sources.union(*(line.rests for line in every if line.entry in goal.ids)) - {"an approval"}
    says = {(line.path, line.entry) for line in every if told[1] & sentences(line.text, PERHAPS)}
    on_it = {line.entry for line in every if line.rests and line.rests <= sources and _goes(line, goal, says)}
    ids = {*goal.ids, *on_it}
    found = []
    for place, rows in before.documents.items():
        left = Counter((line.entry, line.text) for line in after.documents.get(place, ()))
        for line in rows:
            left[line.entry, line.text] -= 1
            if line.text and left[line.entry, line.text] < 0 and not _may_go(line, ids, sources, told):
                found.append(f"{place}: {line.text!r} was changed")
    others = frozenset().union(*(line.rests for line in every if line.entry not in ids))
    found += [
        f"{place}: {line.text!r} is left"
        for place, rows in after.documents.items()
        for line in rows
        if (not _is_own(line, sources) or line.entry in goal.ids) and told[0] & sentences(line.text, SURELY)
    ]
    for number, text in before.messages.items():
        ref, now = f"m:{number}", after.messages[number]
        if now != text and ref not in sources and not told[1] & sentences(text, PERHAPS):
            found.append(f"{ref}: {text!r} was changed")
        if told[0] & sentences(now, SURELY) and ref not in others:
            found.append(f"{ref}: {now!r} is left")
    return found


def _goes(line: Line, goal: Goal, says: set[tuple[str, str]]) -> bool:
    """Whether what rests on the same goes too: with a message all that does, with an entry what says the same."""
    return not goal.ids or (line.path, line.entry) in says or line.path == "CORRECTIONS.md"


def _may_go(line: Line, ids: set[str], sources: frozenset[str], told: tuple[set[str], set[str]]) -> bool:
    if line.entry in ids or line.about & ids or line.text.startswith("updated_at:"):
        return True
    if line.path.startswith("Archive/Chronicles/"):  # what is told of a day is told of its entries
        return any(one.lower() in line.text.lower() for one in told[0])
    return not _is_own(line, sources) and bool(told[1] & sentences(line.text, PERHAPS))


def _is_own(line: Line, sources: frozenset[str]) -> bool:
    """Whether a line has evidence of its own: what tells of a day has none but what it says itself."""
    if line.is_log:
        return bool(line.source) and line.source not in sources
    return not line.rests or not line.rests <= sources


__all__ = ["Goal", "goals", "seen", "wrong"]
