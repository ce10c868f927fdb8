"""What a session's summary becomes in its file of the day: one item merged with one, never the same thing twice.

The rules, in order, within one section: the same title, the same task, the same link target, nearly the same words;
else the item is new.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.documents.links import links_in, resolved
from oldsoul.documents.marks import inline, phrase
from oldsoul.documents.model import folded
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import cleaned
from oldsoul.language.words import is_unspaced, words
from oldsoul.values.changes import Add, Operation, Replace, Tick
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry

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
_TELLING = frozenset(word_list("words")["en"]["telling"].split())
"""Words in which two items that are nearly the same differ after all."""
_HARMLESS = frozenset(word_list("words")["zh"]["harmless"])
"""Characters that two sentences may differ in and still say the same; any other one may be a name or a number."""


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
    replaces: str = ""
    """the id of the entry it replaces, where a model says that they mean the same"""

    @property
    def line(self) -> str:
        """The words of its first line, as an entry has them."""
        title = self.title.replace("*", "").rstrip(":： ")
        return f"**{title}**: {self.text}".rstrip() if title else self.text


@frozen
class SummaryMerge:
    """How a summary is merged."""

    fields: Mapping[str, str] | None = None
    """bookkeeping of what is added; what is there keeps its own"""
    may_change: Collection[str] | None = None
    """ids of the entries that may be changed; None for all"""
    known: Collection[str] = ()
    """paths of the files links may lead to"""


def merged(
    documents: Mapping[Name, Document | None], name: Name, items: Iterable[Item], how: SummaryMerge
) -> tuple[Operation, ...]:
    """The operations that bring these items into a session's file: the document of this name, or another part of it."""
    places = [
        _Place(place, entry.id, item, item, entry.text)
        for place, document in documents.items()
        if document is not None
        for entry, item in items_of(document)
    ]
    for item in filter(None, map(_written, items)):
        found = _match(item, places, name, how)
        if found is not None and (not found.id or how.may_change is None or found.id in how.may_change):
            found.take(item)
        elif found is None or not _says(found.item, item):
            own = [place for place in places if not place.id]
            again = _match(item, own, name, how)
            if again is None:
                places.append(_Place(name, "", None, item))
            else:
                again.take(item)
    return tuple(operation for place in places for operation in place.operations(how.fields or {}))


def _written(item: Item) -> Item | None:
    """The item as it can be written; None when nothing is left of it that could be."""
    title = phrase(cleaned(item.title).replace("*", "")).strip(":： \\")
    text = phrase(cleaned(item.text))
    children = tuple(line for child in item.children if (line := phrase(cleaned(child))))
    if not (title or text.strip("* \\")):
        return None
    return replace(item, title=title, text=text if text.strip("* \\") else "", children=children)


def _says(standing: Item, item: Item) -> bool:
    """Whether the current item says the same, so that nothing has to be added."""
    return task_key(standing.line) == task_key(item.line)


@dataclass(slots=True)
class _Place:
    """An item at its current or future place."""

    name: Name
    """the document"""
    id: str
    """the entry's id; empty for one that is new"""
    was: Item | None
    """as it was"""
    item: Item
    """as it will be"""
    text: str = ""
    """its first line as it is"""

    def take(self, item: Item) -> None:
        """Become the newer item: its words, its lines below if it has any; what is ticked stays ticked."""
        old = self.item
        task = item.task if old.task is None else old.task or bool(item.task)
        if old.task is not None and not item.title and task_key(item.text) == task_key(old.line):
            self.item = replace(old, task=task)  # the same task in other spelling
            return
        self.item = replace(item, section=old.section, task=task, children=item.children or old.children)

    def operations(self, fields: Mapping[str, str]) -> list[Operation]:
        """What makes it so."""
        item = self.item
        if self.was is None:
            more = {"title": item.title, "section": item.section, "task": item.task, "children": item.children}
            return [Add(self.name, item.text, fields=fields, **more)]  # type: ignore[arg-type]
        operations: list[Operation] = []
        if item.task and self.was.task is False:
            operations.append(Tick(self.name, self.id, done=True))
        below = item.children if item.children != self.was.children else None
        if (
            item is not self.was and item.line != self.was.line and inline(item.line) != self.text
        ) or below is not None:
            operations.append(Replace(self.name, self.id, item.line, children=below))
        return operations


def items_of(document: Document) -> Iterable[tuple[Entry, Item]]:
    """The items a text in the form of a session's file holds, each with its entry."""
    for entry in document.entries:
        if entry.form in (Form.ITEM, Form.NUMBERED):
            text = _TITLE.sub("", entry.text) if entry.title else entry.text
            yield entry, Item(entry.section, text, entry.title, entry.done, _children(entry))


def _children(entry: Entry) -> tuple[str, ...]:
    """The lines below an entry, without their bullets."""
    return tuple(match[1] if (match := _CHILD.match(line)) else line for line in entry.body.split("\n")[1:])


def task_key(text: str) -> str:
    """A task's words, as tasks are compared."""
    return folded(text).rstrip(".。 ")


def similarity(one: str, other: str) -> float:
    """The share of their words two texts have in common; 0 where a word differs that changes what is meant."""
    mine, theirs = _words(one), _words(other)
    if min(len(mine), len(theirs)) < _FEWEST:
        return 0.0
    a, b = set(mine), set(theirs)
    names = {word.casefold() for text in (one, other) for word in _CAPITAL.findall(text)}
    spaced = {word for word in a ^ b if not is_unspaced(word)}
    if any(word in _TELLING or word in names or any(map(str.isdigit, word)) for word in spaced):
        return 0.0
    if {char for char in set(one) ^ set(other) if is_unspaced(char)} - _HARMLESS:
        return 0.0
    return len(a & b) / len(a | b)


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(words(text))


# the rules, in order


def _match(item: Item, places: Sequence[_Place], name: Name, how: SummaryMerge) -> _Place | None:
    """The place that holds the same item; None when there is none."""
    section = folded(item.section)
    there = [place for place in places if folded(place.item.section) == section]
    return (
        next((place for place in there if item.replaces and place.id == item.replaces), None)
        or _by_title(item, there)
        or _by_task(item, there)
        or _by_link(item, there, name, how.known)
        or _by_words(item, there)
    )


def _title(item: Item) -> str:
    return folded(item.title.replace("*", "").rstrip(":： "))


def _by_title(item: Item, there: Sequence[_Place]) -> _Place | None:
    title = _title(item)
    return next((place for place in there if title and _title(place.item) == title), None)


def _by_task(item: Item, there: Sequence[_Place]) -> _Place | None:
    key = task_key(item.line) if item.task is not None else ""
    tasks = (place for place in there if key and place.item.task is not None)
    return next((place for place in tasks if task_key(place.item.line) == key), None)


def _by_link(item: Item, there: Sequence[_Place], name: Name, known: Collection[str]) -> _Place | None:
    """One that leads to the same place; two topics with different titles may well cite the same source."""
    targets = _targets(item, name, known)
    for place in there if targets else ():
        if not (item.title and place.item.title) and targets & _targets(place.item, place.name, known):
            return place
    return None


def _by_words(item: Item, there: Sequence[_Place]) -> _Place | None:
    alike = [place for place in there if (place.item.task is None) == (item.task is None)]
    plain = task_key(item.line)
    for place in alike:
        if task_key(place.item.line) == plain:
            return place
    alike = [place for place in alike if not item.title and not place.item.title]
    scores = [similarity(item.line, place.item.line) for place in alike]
    best = max(range(len(alike)), key=scores.__getitem__, default=None)
    return alike[best] if best is not None and scores[best] >= SAME else None


def _targets(item: Item, name: Name, known: Collection[str]) -> set[str]:
    """What the links of an item lead to, each in one form."""
    text = "\n\n".join([item.line, *item.children])
    return {resolved(link.target, name.path, known) or link.target for link in links_in(text)}
