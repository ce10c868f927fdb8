"""A document cut into units, each of which is merged as a whole: headings, entries, and the pieces between them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from oldsoul.documents.model import folded
from oldsoul.rules.merge.lines import words as words_of
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.documents import Document


Key = tuple[object, ...]
_ITEM = re.compile(rb"\s*(?:[-*+]|\d+[.)])\s")
"""How an item of a list begins."""


@frozen
class Unit:
    """A piece of a document that is merged as a whole."""

    key: Key
    """tells it from the other units of its document"""
    kind: str
    """`heading`, an entry's form, or `other`"""
    lines: tuple[bytes, ...]
    """its lines"""
    gap: tuple[bytes, ...]
    """the blank lines after it"""
    fixed: bool
    """whether its key stays when its words change: a written id"""


def units(document: Document) -> list[Unit]:
    """The document's body, cut into units: every line after the frontmatter is in exactly one of them."""
    spans: list[tuple[int, int, str, Key]] = [
        (s.line, s.body, "heading", ("heading", s.level, folded(s.title))) for s in document.sections if s.level
    ]
    covered_to = 0
    spans += [(entry.line, entry.end, str(entry.form), ("id", entry.id)) for entry in document.entries]
    fixed = {entry.line for entry in document.entries if entry.written}
    spans.sort(key=lambda span: span[0])
    inside: list[tuple[int, int, str, Key]] = []
    for span in spans:
        if span[0] >= covered_to:
            inside.append(span)
            covered_to = span[1]
    whole = _with_the_rest(document, inside)
    seen: dict[Key, int] = {}
    result = []
    ends = [*(span[0] for span in whole[1:]), len(document.lines)][: len(whole)]
    for (start, end, kind, key), following in zip(whole, ends, strict=True):
        seen[key] = seen.get(key, 0) + 1
        result.append(
            Unit((*key, seen[key]), kind, document.lines[start:end], document.lines[end:following], start in fixed)
        )
    return result


def _with_the_rest(document: Document, spans: list[tuple[int, int, str, Key]]) -> list[tuple[int, int, str, Key]]:
    """The spans, with the paragraphs and items between them as separate units; leading blanks go first."""
    result: list[tuple[int, int, str, Key]] = []
    place = document.matter.end
    for start, end, kind, key in [*spans, (len(document.lines), len(document.lines), "", ())]:
        run = place
        while run < start:
            if not document.lines[run].strip():
                run += 1
                continue
            stop = run + 1
            while stop < start and document.lines[stop].strip() and not _ITEM.match(document.lines[stop]):
                stop += 1
            result.append((run, stop, "other", ("text", plain(document.lines[run:stop]))))
            run = stop
        if kind:
            result.append((start, end, kind, key))
        place = end
    first = result[0][0] if result else len(document.lines)
    if first > document.matter.end:
        result.insert(0, (document.matter.end, document.matter.end, "other", ("start",)))
    return result


def plain(lines: Iterable[bytes]) -> bytes:
    """Lines as they are compared: without what is around them."""
    return b"\n".join(line.strip() for line in lines)


_SIMILAR = 0.5
_COMPARED_BYTES = 400
_COMPARED_PAIRS = 400


def moved(before: Sequence[Key], after: Sequence[Key]) -> set[Key]:
    """The units that are in another order now: those outside the longest run that kept its order."""
    position = {key: index for index, key in enumerate(before)}
    common = [key for key in after if key in position]
    tails: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for index, key in enumerate(common):
        place = bisect_left(tails, position[key])
        if place == len(tails):
            tails.append(position[key])
            last.append(index)
        else:
            tails[place], last[place] = position[key], index
        previous.append(last[place - 1] if place else -1)
    kept: set[Key] = set()
    index = last[-1] if last else -1
    while index >= 0:
        kept.add(common[index])
        index = previous[index]
    return set(common) - kept


def rewordings(base: Mapping[Key, Unit], side: Mapping[Key, Unit], other: Container[Key]) -> dict[Key, Key]:
    """Which units without a written id became which, judged by place and likeness.

    The new one must have most of the words that only the old one had: in a list of much the same lines it is the rare
    word that tells which is which, and a line too many is better than one that another was written over. Those that
    the other side has as well come first, then those with the most of these words, then the most alike.
    """
    gaps = _between(base, side)
    if not gaps:
        return {}
    words = {unit.key: words_of(plain(unit.lines)) for unit in base.values()}
    common = Counter(word for those in words.values() for word in those)
    pairs: dict[Key, Key] = {}
    taken: set[Key] = set()
    for gone, new in gaps:
        own = [{word for word in words[unit.key] if common[word] == 1} for unit in gone]
        found = [words_of(plain(unit.lines)) for unit in new]
        candidates = [
            (new[j].key in other, len(own[i] & found[j]), likeness, -i, -j)
            for i, j in _compared(len(gone), len(new))
            if gone[i].kind == new[j].kind
            and 2 * len(own[i] & found[j]) > len(own[i])
            and (likeness := _likeness(gone[i], new[j])) >= _SIMILAR
        ]
        for *_, i, j in sorted(candidates, reverse=True):
            if gone[-i].key not in pairs and new[-j].key not in taken:
                pairs[gone[-i].key] = new[-j].key
                taken.add(new[-j].key)
    return pairs


def _compared(gone: int, new: int) -> list[tuple[int, int]]:
    """Which units of a gap are compared: all, or in a long one those that are at about the same place."""
    if gone * new <= _COMPARED_PAIRS:
        return [(i, j) for i in range(gone) for j in range(new)]
    reach = max(1, _COMPARED_PAIRS // (2 * gone))
    middles = [(i, i * new // gone) for i in range(gone)]
    return [(i, j) for i, middle in middles for j in range(max(0, middle - reach), min(new, middle + reach))]


def _between(base: Mapping[Key, Unit], side: Mapping[Key, Unit]) -> list[tuple[list[Unit], list[Unit]]]:
    """Between each two units that both have: what only the base has there, and what only the side has."""
    elsewhere = moved(list(base), list(side))
    shared = [key for key in base if key in side and key not in elsewhere]
    gaps: list[tuple[list[Unit], list[Unit]]] = [([], []) for _ in range(len(shared) + 1)]
    for which, document, other in ((0, base, side), (1, side, base)):
        index = 0
        for key, unit in document.items():
            if index < len(shared) and key == shared[index]:
                index += 1
            elif key not in other and not unit.fixed:
                gaps[index][which].append(unit)
    return [gap for gap in gaps if gap[0] and gap[1]]


def _likeness(one: Unit, other: Unit) -> float:
    """How alike two units are, from 0 to 1; 0 when it is soon seen that they are not."""
    a, b = plain(one.lines)[:_COMPARED_BYTES], plain(other.lines)[:_COMPARED_BYTES]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.real_quick_ratio() < _SIMILAR or matcher.quick_ratio() < _SIMILAR:
        return 0
    return matcher.ratio()
