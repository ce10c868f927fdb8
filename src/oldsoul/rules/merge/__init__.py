"""Three-way merge of documents by entry: what both sides did since a common version, together.

A document is cut into units: its headings, its entries, and the pieces between them. Entries are distinguished by id
(written, or derived from their words), the rest by their words. One side (`ours`) is the frame; what the other side did
since the base is done to it: units that went go, units that changed change, new ones are put after the one they
followed. Merging twice changes nothing more. Where both sides changed the same unit in different ways, one wins and the
other is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Literal

from oldsoul.documents import Document, edits, frontmatter, marks, parse, render
from oldsoul.documents.model import folded
from oldsoul.rules.merge.lines import words as words_of
from oldsoul.values.frozen import frozen

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


Side = Literal["ours", "theirs"]

DERIVED_KEYS = frozenset({"updated_at", *edits.COUNTERS})
"""Frontmatter that is computed again after a merge, never merged."""
_TICKED = re.compile(rb"\[[xX]\]")


@frozen
class MergeConflict:
    """Both sides changed the same unit in different ways."""

    what: str
    """which unit, in words a person recognises"""
    ours: bytes
    """what our side made of it; empty when it went"""
    theirs: bytes
    """what the other side made of it; empty when it went"""


@frozen
class Merged:
    """The outcome of a merge."""

    document: Document
    """both sides together"""
    clashes: tuple[MergeConflict, ...] = ()
    """conflicts, in which one side lost"""


def merge(base: Document, ours: Document, theirs: Document, *, prefer: Side, later: bool = False) -> Merged:
    """What both sides did since the base, together; where they conflict, the preferred side wins.

    With `later`, the other side may know what we did and have gone back on it: what they have as it was in the base, and
    we have not, is theirs.
    """
    if ours.lines in (base.lines, theirs.lines):
        return Merged(theirs)
    if theirs.lines == base.lines and not later:
        return Merged(ours)
    merging = _Merge(base, ours, theirs, prefer)
    return merging.run(later=later)


def reworded(base: Document, later: Document) -> dict[str, str]:
    """The ids of entries that are other words for one of the base, and which it is."""
    before, after = ({unit.key: unit for unit in units(document)} for document in (base, later))
    pairs = rewordings(before, after, ())
    return {str(new[1]): str(old[1]) for old, new in pairs.items() if old[0] == new[0] == "id"}


class _Merge:
    """The state of one merge: `result` starts as our units and gets the changes of the other side."""

    def __init__(self, base: Document, ours: Document, theirs: Document, prefer: Side) -> None:
        self.documents = (base, ours, theirs)
        self.prefer = prefer
        self.base = {unit.key: unit for unit in units(base)}
        self.ours = {unit.key: unit for unit in units(ours)}
        self.theirs = {unit.key: unit for unit in units(theirs)}
        self.result = list(self.ours.values())
        self.stands_for: dict[Key, Key] = {}  # a unit of theirs, and the one of the result it is
        self.clashes: list[MergeConflict] = []
        self.our_edits = rewordings(self.base, self.ours, self.theirs)
        self.their_edits = rewordings(self.base, self.theirs, self.ours)

    def run(self, *, later: bool) -> Merged:
        self._take_changes()
        self._take_rewordings()
        if later:
            self._take_back()
        self._take_removals()
        self._take_moves()
        self._take_additions()
        head = self._head(later=later)
        document = self._assembled(head)
        return Merged(document, tuple(self.clashes))

    # what the other side did

    def _take_changes(self) -> None:
        """Units that keep their key (a written id, a heading) and have other lines now."""
        for key, theirs in self.theirs.items():
            base, ours = self.base.get(key), self.ours.get(key)
            if base is None or theirs.lines == base.lines:
                continue
            if ours is None and key in self.our_edits:
                self._exchange(self.our_edits[key], base, self.ours[self.our_edits[key]], theirs)
                self.stands_for[key] = self.our_edits[key]
            elif ours is None:
                self._clash(theirs, None, theirs)  # removed here and changed there: kept, and reported
                self._insert(theirs)
            else:
                self._exchange(key, base, ours, theirs)

    def _take_rewordings(self) -> None:
        """Units without a written id whose words changed, so that their key did."""
        for base_key, their_key in self.their_edits.items():
            base, theirs = self.base[base_key], self.theirs[their_key]
            if their_key in self.ours:
                self.stands_for[their_key] = their_key
                continue
            our_key = base_key if base_key in self.ours else self.our_edits.get(base_key)
            if our_key is None:
                self._clash(theirs, None, theirs)
                self._insert(theirs)
            else:
                self._exchange(our_key, base, self.ours[our_key], theirs)
                self.stands_for[their_key] = our_key

    def _take_back(self) -> None:
        """What the other side has as it was, and that went or was reworded here."""
        for key, base in self.base.items():
            theirs = self.theirs.get(key)
            if theirs is None or theirs.lines != base.lines or not base.lines:
                continue
            our_key = key if key in self.ours else self.our_edits.get(key)
            if our_key is None:
                self._insert(theirs)
            elif _unticked(self.ours[our_key].lines) != _unticked(base.lines):
                self._clash(base, self.ours[our_key], theirs)
                index = self._index(our_key)
                self.result[index] = replace(self.result[index], lines=theirs.lines)
                self.stands_for[key] = our_key

    def _take_removals(self) -> None:
        for key, base in self.base.items():
            if key in self.theirs or key in self.their_edits:
                continue
            ours = self.ours.get(key)
            if ours is not None and ours.lines == base.lines:
                if ours.kind != "heading" or self._is_empty(key):
                    self._drop(key)
            elif ours is not None or key in self.our_edits:
                self._clash(base, ours or self.ours[self.our_edits[key]], None)

    def _take_moves(self) -> None:
        moved_by_them = moved(list(self.base), list(self.theirs))
        moved_by_us = moved(list(self.base), list(self.ours))
        for key in self.theirs:
            if key in moved_by_them and key in self.ours and key not in moved_by_us:
                unit = self.result[self._index(key)]
                self._drop(key)
                self._insert(replace(unit, key=key))

    def _take_additions(self) -> None:
        reworded = set(self.their_edits.values())
        for key, theirs in self.theirs.items():
            if key in self.base or key in reworded:
                continue
            ours = self.ours.get(key)
            if ours is None:
                self._insert(theirs)
            elif ours.lines != theirs.lines:
                self._exchange(key, replace(ours, lines=()), ours, theirs)

    # doing it to the result

    def _exchange(self, key: Key, base: Unit, ours: Unit, theirs: Unit) -> None:
        """One unit that the other side changed: theirs when we left it alone, both where they can be distinguished."""
        if ours.lines == theirs.lines:
            return
        lines = theirs.lines
        if ours.lines != base.lines:
            both = _words_and_marks(base.lines, ours.lines, theirs.lines)
            if both is None:
                self._clash(base, ours, theirs)
                if self.prefer == "ours":
                    return
            else:
                lines = both
        index = self._index(key)
        self.result[index] = replace(self.result[index], lines=lines)

    def _insert(self, unit: Unit) -> None:
        """Put a unit of theirs after the one it follows there, and after what we put in the same place."""
        order = list(self.theirs.values())
        place = next(i for i, u in enumerate(order) if u.key == unit.key)
        anchor, before = -1, None
        for previous in reversed(order[:place]):
            found = self._find(self.stands_for.get(previous.key, previous.key))
            if found is not None:
                anchor, before = found, previous
                break
        index = anchor + 1
        while index < len(self.result) and self._is_only_ours(self.result[index]) and unit.kind != "other":
            index += 1
        if index > 0:
            left = self.result[index - 1]
            follows = before is not None and place > 0 and order[place - 1].key == before.key
            gap = before.gap if follows and before is not None else left.gap or unit.gap
            self.result[index - 1] = replace(left, gap=gap)
            unit = replace(unit, gap=left.gap if left.gap or index == len(self.result) else unit.gap)
        self.result.insert(index, unit)

    def _is_only_ours(self, unit: Unit) -> bool:
        return unit.kind != "heading" and unit.key not in self.base and unit.key not in self.theirs

    def _drop(self, key: Key) -> None:
        index = self._index(key)
        gone = self.result.pop(index)
        if index > 0 and len(gone.gap) > len(self.result[index - 1].gap):
            self.result[index - 1] = replace(self.result[index - 1], gap=gone.gap)

    def _is_empty(self, key: Key) -> bool:
        """Whether nothing of ours is under this heading that the other side does not know."""
        for unit in self.result[self._index(key) + 1 :]:
            if unit.kind == "heading":
                return True
            if self._is_only_ours(unit):
                return False
        return True

    def _find(self, key: Key) -> int | None:
        return next((i for i, unit in enumerate(self.result) if unit.key == key), None)

    def _index(self, key: Key) -> int:
        index = self._find(key)
        if index is None:
            raise KeyError(key)
        return index

    def _clash(self, unit: Unit, ours: Unit | None, theirs: Unit | None) -> None:
        what = marks.without_marks(unit.lines[0].decode("utf-8", "replace")).strip() if unit.lines else "its start"
        self.clashes.append(
            MergeConflict(what, b"".join(ours.lines) if ours else b"", b"".join(theirs.lines) if theirs else b""),
        )

    # putting it together again

    def _head(self, *, later: bool) -> tuple[bytes, ...]:
        """The frontmatter of both, key by key; with `later`, keys that the other side kept, and that went here, too."""
        base, ours, theirs = (d.matter for d in self.documents)
        heads = [d.lines[: m.end] for d, m in zip(self.documents, (base, ours, theirs), strict=True)]
        back = {key for key in theirs.spans if later and key not in ours.spans}
        if heads[2] == heads[1] or (heads[2] == heads[0] and not back):
            return heads[1]
        if heads[1] == heads[0] or (heads[2] == heads[0] and not heads[1]):
            return heads[2]
        if not (base.end and ours.end and theirs.end) or base.problems or ours.problems or theirs.problems:
            self.clashes.append(MergeConflict("frontmatter", b"".join(heads[1]), b"".join(heads[2])))
            return heads[1] if self.prefer == "ours" else heads[2]
        return self._merged_keys(
            heads[1],
            *(_spans(d.lines, m) for d, m in zip(self.documents, (base, ours, theirs), strict=True)),
            back=back,
        )

    def _merged_keys(
        self,
        head: tuple[bytes, ...],
        base: Mapping[str, bytes],
        ours: Mapping[str, bytes],
        theirs: Mapping[str, bytes],
        *,
        back: Container[str],
    ) -> tuple[bytes, ...]:
        lines = list(head)
        for key in dict.fromkeys([*ours, *theirs]):
            was, mine, other = base.get(key), ours.get(key), theirs.get(key)
            if other == mine or (other == was and key not in back):
                continue
            if mine != was != other and key not in DERIVED_KEYS:
                self.clashes.append(MergeConflict(f"frontmatter {key}", mine or b"", other or b""))
                if self.prefer == "ours":
                    continue
            span = frontmatter.read(lines).spans.get(key)
            if span:
                lines[span[0] : span[1]] = [other] if other is not None else []
            elif other is not None:
                lines.insert(len(lines) - 1, other)
        return tuple(b"".join(lines).splitlines(keepends=True)) if b"\r" not in b"".join(lines) else _split(lines)

    def _assembled(self, head: tuple[bytes, ...]) -> Document:
        """The units in a row; kept apart by blank lines where they would run into one another."""
        ours = self.documents[1]
        document = _joined(head, self.result, ours)
        if [u.lines for u in units(document)] != [u.lines for u in self.result if u.lines or u.gap]:
            apart = [replace(u, gap=u.gap or (ours.newline,)) for u in self.result]
            document = _joined(head, apart, ours)
        return document


def _joined(head: tuple[bytes, ...], body: Sequence[Unit], ours: Document) -> Document:
    lines = [*head, *(line for unit in body for line in (*unit.lines, *unit.gap))]
    whole = [line if line.endswith(b"\n") else line + ours.newline for line in lines]
    if whole and ours.lines and not ours.lines[-1].endswith(b"\n"):
        whole[-1] = whole[-1].rstrip(b"\r\n") or whole[-1]
    return parse(b"".join(whole), is_log=ours.is_log)


def _split(lines: Iterable[bytes]) -> tuple[bytes, ...]:
    return parse(b"".join(lines)).lines


def _spans(lines: Sequence[bytes], matter: frontmatter.Frontmatter) -> dict[str, bytes]:
    return {key: b"".join(lines[start:end]) for key, (start, end) in matter.spans.items()}


def _words_and_marks(base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes]) -> tuple[bytes, ...] | None:
    """Both changes to one unit, where one side changed its words and the other its bookkeeping; None otherwise."""
    (base_words, base_mark), (our_words, our_mark), (their_words, their_mark) = map(_apart, (base, ours, theirs))
    words = their_words if our_words == base_words else our_words if their_words in (base_words, our_words) else None
    mark = their_mark if our_mark == base_mark else our_mark if their_mark in (base_mark, our_mark) else None
    if words is None or mark is None:
        return None
    first = words[0].rstrip(b"\r\n")
    return (first + mark + words[0][len(first) :], *words[1:])


def _apart(lines: Sequence[bytes]) -> tuple[tuple[bytes, ...], bytes]:
    """A unit's words, and the bookkeeping comment of its first line."""
    mark = marks.read(lines[0]) if lines else None
    if mark is None:
        return tuple(lines), b""
    body = lines[0].rstrip(b"\r\n")
    return (lines[0][: mark.start] + lines[0][len(body) :], *lines[1:]), body[mark.start :].rstrip()


def _unticked(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    """A unit's words, whatever its check boxes."""
    return tuple(_TICKED.sub(b"[ ]", line) for line in _apart(lines)[0])


def merge_bytes(
    base: bytes, ours: bytes, theirs: bytes, *, is_log: bool, prefer: Side
) -> tuple[bytes, tuple[MergeConflict, ...]]:
    """The same, from bytes to bytes."""
    merged = merge(*(parse(data, is_log=is_log) for data in (base, ours, theirs)), prefer=prefer)
    return render(merged.document), merged.clashes
