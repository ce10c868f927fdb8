"""What a session's summary becomes in its file of the day: one item merged with one, never the same thing twice.

The rules, in order, within one section: the same title, the same task, the same link target, nearly the same words;
else the item is new.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.documents import Document, Entry, Form
from oldsoul.documents.links import links_in, resolved
from oldsoul.documents.marks import inline
from oldsoul.documents.model import folded
from oldsoul.rules.words import words
from oldsoul.values.changes import Add, Replace, Tick
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from oldsoul.values.changes import Operation
    from oldsoul.values.names import Name

SUMMARY, FACTS, TASKS, FOLLOW_UPS, LINKS = (
    "Session Summary",
    "Temporary Facts",
    "Tasks",
    "Follow Ups",
    "Related Links",
)
SAME = 0.8
"""How large a share of their words two items must have in common to be the same one."""
_FEWEST = 5
_CHILD = re.compile(r"^\s*(?:[-+*]|\d{1,9}[.)])\s+(.*)$")
_TITLE = re.compile(r"^\*\*(.{1,200}?)(?:\*\*\s*[:：]|[:：]\*\*)\s*")
_CAPITAL = re.compile(r"(?<=[^\W\d_.!?:：。！？] )[A-Z]\w*")
_TELLING = frozenset(
    words(
        "no not never none nobody nothing without cannot cant dont doesnt isnt arent wasnt wont don doesn isn aren wasn won"
        " one two three four five six seven eight nine ten eleven twelve first second third half double"
        " monday tuesday wednesday thursday friday saturday sunday january february march april may june july august"
        " september october november december today tomorrow yesterday before after on off in out left right up down"
        " yes true false more less all"
    ),
)
_TELLING_CHARACTERS = frozenset(
    "不没沒無无非别別未勿一二三四五六七八九十百千万零两兩前后後上下左右大小多少早晚今明昨男女是否"
)


@frozen
class Item:
    """Something a summary says, for one section of a session's file."""

    section: str
    """the heading it belongs under"""
    text: str
    """its words, without the title"""
    title: str = ""
    """its bold title"""
    task: bool | None = None
    """for a task: whether it is done"""
    children: tuple[str, ...] = ()
    """lines below it"""

    @property
    def line(self) -> str:
        """The words of its first line, as an entry has them."""
        title = self.title.replace("*", "").rstrip(":： ")
        return f"**{title}**: {self.text}".rstrip() if title else self.text


@frozen
class Merging:
    """How a summary is merged."""

    similar: float = SAME
    """the share of words that makes two items one; above 1 only titles, tasks and links do"""
    fields: Mapping[str, str] | None = None
    """bookkeeping of what is added or replaced"""
    may_change: Collection[str] | None = None
    """ids of the entries that may be changed; None for all"""


def merged(
    documents: Mapping[Name, Document | None], name: Name, items: Iterable[Item], how: Merging
) -> tuple[Operation, ...]:
    """The operations that bring these items into a session's file: the document of this name, or another part of it."""
    standing = [
        _Standing(place, entry)
        for place, document in documents.items()
        if document is not None
        for entry in document.entries
        if entry.form in (Form.ITEM, Form.NUMBERED)
    ]
    operations: list[Operation] = []
    for item in _latest(items):
        found = _match(item, standing, name, how.similar)
        if found is None:
            operations.append(_added(name, item, how))
        elif how.may_change is None or found.entry.id in how.may_change:
            operations += _changed(found, item, how)
    return tuple(operations)


@frozen
class _Standing:
    """An entry where it stands."""

    name: Name
    entry: Entry


def task_key(text: str) -> str:
    """A task's words, as tasks are compared."""
    return folded(text).rstrip(".。 ")


def ticks(documents: Mapping[Name, Document | None], done: Iterable[str], *, allowed: Collection[str]) -> list[Tick]:
    """The open tasks of these files that are done now, among the entries whose ids are allowed."""
    finished = {task_key(text) for text in done} - {""}
    return [
        Tick(name, entry.id, done=True)
        for name, document in documents.items()
        if document is not None
        for entry in document.entries
        if entry.done is False and entry.id in allowed and task_key(entry.text) in finished
    ]


def similarity(one: str, other: str) -> float:
    """The share of their words two texts have in common; 0 where a word differs that changes what is meant."""
    mine, theirs = words(one), words(other)
    if min(len(mine), len(theirs)) < _FEWEST:
        return 0.0
    a, b = set(mine), set(theirs)
    names = {word.casefold() for text in (one, other) for word in _CAPITAL.findall(text)}
    if any(_tells(word) or word in names for word in a ^ b):
        return 0.0
    return len(a & b) / len(a | b)


def _tells(word: str) -> bool:
    return word in _TELLING or any(char.isdigit() for char in word) or any(char in _TELLING_CHARACTERS for char in word)


def _latest(items: Iterable[Item]) -> list[Item]:
    """Each item once: of two with the same title, or the same task, the later one; a task that is done stays done."""
    found: dict[tuple[str, str, str], Item] = {}
    for number, item in enumerate(items):
        section = folded(item.section)
        if item.title:
            key = (section, "title", folded(item.title))
        elif item.task is not None:
            key = (section, "task", task_key(item.text))
        else:
            key = (section, "text", folded(item.text) or str(number))
        before = found.pop(key, None)
        if before is not None and before.task and item.task is False:
            item = before  # noqa: PLW2901 - what is ticked stays ticked
        found[key] = item
    return list(found.values())


def _match(item: Item, standing: Sequence[_Standing], name: Name, similar: float) -> _Standing | None:
    """The entry that is the same item; None when there is none."""
    section = folded(item.section)
    there = [s for s in standing if folded(s.entry.section) == section]
    for rule in (_by_title, _by_task, lambda i, t: _by_link(i, t, name), lambda i, t: _by_words(i, t, similar)):
        found = rule(item, there)
        if found is not None:
            return found
    return None


def _by_title(item: Item, there: Sequence[_Standing]) -> _Standing | None:
    title = folded(item.title.replace("*", "").rstrip(":： "))
    return next((one for one in there if title and folded(one.entry.title) == title), None)


def _by_task(item: Item, there: Sequence[_Standing]) -> _Standing | None:
    key = task_key(item.text) if item.task is not None else ""
    tasks = (one for one in there if key and one.entry.done is not None)
    return next((one for one in tasks if task_key(one.entry.text) == key), None)


def _by_link(item: Item, there: Sequence[_Standing], name: Name) -> _Standing | None:
    targets = _targets("\n".join([item.line, *item.children]), name.path)
    return next((one for one in there if targets and targets & _targets(one.entry.body, one.name.path)), None)


def _by_words(item: Item, there: Sequence[_Standing], similar: float) -> _Standing | None:
    alike = [one for one in there if (one.entry.done is None) == (item.task is None)]
    plain = folded(item.line)
    for one in alike:
        if folded(one.entry.text) == plain:
            return one
    score, best = max(((similarity(item.line, one.entry.text), -n) for n, one in enumerate(alike)), default=(0.0, 0))
    return alike[-best] if alike and score >= similar else None


def _targets(text: str, path: str) -> set[str]:
    """What the links of a text lead to, each in one form."""
    return {resolved(link.target, path) or link.target for link in links_in(text)}


def _added(name: Name, item: Item, how: Merging) -> Add:
    return Add(
        name,
        item.text,
        title=item.title,
        section=item.section,
        task=item.task,
        children=item.children,
        fields=how.fields or {},
    )


def _changed(found: _Standing, item: Item, how: Merging) -> list[Operation]:
    entry = found.entry
    operations: list[Operation] = []
    if item.task and entry.done is False:
        operations.append(Tick(found.name, entry.id, done=True))
    same_task = entry.done is not None and task_key(entry.text) == task_key(item.line)
    children = item.children or None
    if not same_task and (inline(item.line) != entry.text or (children and children != _children(entry))):
        operations.append(Replace(found.name, entry.id, item.line, fields=how.fields or {}, children=children))
    return operations


def _children(entry: Entry) -> tuple[str, ...]:
    """The lines below an entry, without their bullets."""
    return tuple(match[1] if (match := _CHILD.match(line)) else line for line in entry.body.split("\n")[1:])


def items_of(document: Document) -> list[Item]:
    """The items a text in the form of a session's file holds."""
    return [
        Item(
            entry.section,
            _TITLE.sub("", entry.text) if entry.title else entry.text,
            entry.title,
            entry.done,
            _children(entry),
        )
        for entry in document.entries
        if entry.form in (Form.ITEM, Form.NUMBERED)
    ]
