"""Lines of two or many versions compared: differences for people, blame, and which version a save was made from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, unified_diff

from oldsoul.documents import frontmatter
from oldsoul.documents.entries import shaped
from oldsoul.language.words import is_unspaced
from oldsoul.values.frozen import frozen
from oldsoul.values.history import common

_EVIDENCE = 3  # lines that may have been removed, for each line that tells the version
_NEARLY = 1  # a version is nearly as likely as another if no more lines than this speak against it
_TELLING = 3  # words, bullets included: fewer may be typed twice
_MARK = b"<!--os"
_WORD = re.compile(r"[^\W_]")
_Line = tuple[bytes, int]


@frozen
class BlameStep:
    """One change of a document, as blame needs it."""

    change: int
    """the change's number"""
    before: bytes
    """the document before"""
    after: bytes
    """the document after"""


def split(data: bytes) -> list[bytes]:
    """The lines, each with its line feed."""
    pieces = data.split(b"\n")
    last = pieces.pop()
    return [piece + b"\n" for piece in pieces] + ([last] if last else [])


def diff(before: bytes, after: bytes, path: str) -> str:
    """The difference in the form people know from `diff -u`."""
    old, new = ([line.decode("utf-8", "replace").rstrip("\n") for line in split(data)] for data in (before, after))
    return "\n".join(unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm=""))


def changed_lines(before: bytes, after: bytes) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The lines that went and the lines that came."""
    gone: list[bytes] = []
    new: list[bytes] = []
    old_lines, new_lines = split(before), split(after)
    for tag, a, b, c, d in _opcodes(old_lines, new_lines):
        if tag != "equal":
            gone += old_lines[a:b]
            new += new_lines[c:d]
    return tuple(gone), tuple(new)


def blame(data: bytes, steps: Iterable[BlameStep]) -> list[int]:
    """For each line the number of the change that wrote it; 0 where history does not go back so far.

    Steps come newest first.
    """
    count = len(split(data))
    owners = [0] * count
    place: dict[int, int] = {
        line: line for line in range(count)
    }  # a line of the version at hand, and which one it is now
    current = data
    for step in steps:
        if not place:
            break
        if step.after != current:
            break  # something changed in between that history does not know
        before: dict[int, int] = {}
        for tag, a, _, c, d in _opcodes(split(step.before), split(step.after)):
            for offset in range(d - c):
                line = place.get(c + offset)
                if line is None:
                    continue
                if tag == "equal":
                    before[a + offset] = line
                else:
                    owners[line] = step.change
        place, current = before, step.before
    return owners


def _opcodes(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[tuple[str, int, int, int, int]]:
    """How one list of lines becomes the other; the equal start and end are cut off first, which is most of it."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    if head:
        yield "equal", 0, head, 0, head
    middle = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    for tag, a, b, c, d in middle.get_opcodes():
        yield tag, a + head, b + head, c + head, d + head
    if tail:
        yield "equal", len(before) - tail, len(before), len(after) - tail, len(after)


def likeliest(saved: bytes, standing: bytes, versions: Sequence[Sequence[bytes]]) -> tuple[int, frozenset[bytes]]:
    """Which of some versions, the newest first, a save was most likely made from; each with those it was made from itself.

    Nobody types what others wrote: a version is the more likely, the more lines of the save it has, or had before, and
    the less, the more of the current text would be lost: what came later must not be taken for removed. A line that the save
    has in other words was changed; one that it has in another shape is that line. Of equally likely ones it is the oldest.
    What not all of those have that are nearly as likely may be another's, and not removed at all: those lines come with it.
    A version that shares no telling line with the save is none of them, unless all of it is in the save and in the current text; where
    there is none, the save is a rewrite of the newest.
    """
    numbered = [list(map(_numbered, version)) for version in versions]
    saved = _as_known(saved, (one for its in numbered for one in its))
    lines, standing_lines, telling = _numbered(saved), _numbered(standing), _telling(saved)

    def shared(its: Sequence[set[_Line]]) -> Iterator[_Line]:
        return (line for line in telling if any(line in one for one in its))

    both = lines & standing_lines
    alike = [which for which, its in enumerate(numbered) if _tells(shared(its)) or (its[0] and its[0] <= both)]
    new = _Rewordings(line for line, _ in lines - standing_lines)
    alike = alike or [which for which, (text, *_) in enumerate(versions) if new.are_of(text)]
    if not alike:
        return 0, frozenset()
    rare = {line for line in telling if _tells([line])}
    gone = standing_lines - lines
    reworded = {(line, number) for line, number in gone if new.have(line, standing)}
    lost = gone - reworded

    def unlikely(which: int) -> tuple[int, int, int, int, int]:
        its, *before = numbered[which]
        missing = len(rare.difference(its, *before))
        return _EVIDENCE * missing + len(lost & its), missing, len(rare - its), -len(reworded & its), -which

    ranked = sorted(map(unlikely, alike))
    nearly = [-which for score, *_, which in ranked if score <= ranked[0][0] + _NEARLY]
    in_all = set.intersection(*(numbered[which][0] for which in nearly))
    return nearly[0], frozenset(line for line, _ in gone & numbered[nearly[0]][0] - in_all)


def _telling(text: bytes) -> set[_Line]:
    """The lines that can tell what a text was made from: no frontmatter, no headings, nothing without a word."""
    whole = split(text)
    head = b"".join(whole[: frontmatter.read(whole).end])
    return {
        (line, number)
        for line, number in _numbered(text) - _numbered(head)
        if _MARK in line or (_WORD.search(line.decode("utf-8", "replace")) and not line.startswith(b"#"))
    }


def _tells(lines: Iterable[_Line]) -> bool:
    """Whether lines are enough to tell one version from another: fewer words may be typed twice."""
    size = 0
    for line, _ in lines:
        said = line.decode("utf-8", "replace").split()
        size += _TELLING if _MARK in line else sum(len(word) if is_unspaced(word) else 1 for word in said)
        if size >= _TELLING:
            return True
    return False


class _Rewordings:
    """Lines that are new in a save, by their words: what may be other words for a line that went."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, line in enumerate(lines):
            for word in words(line):
                self._places.setdefault(word, []).append(place)
        self._recognised: dict[bytes, bool] = {}

    def have(self, line: bytes, text: bytes, least: int = 1) -> bool:
        """Whether a line that went is still to be recognised: most of the words that only it had are in a new one."""
        own = {word for word in words(line) if text.count(word.encode()) == 1}
        hits = Counter(place for word in own for place in self._places.get(word, ()))
        return any(hit >= least and 2 * hit > len(own) for hit in hits.values())

    def are_of(self, version: bytes) -> bool:
        """Whether one of them is a telling line of a version in other words; each line is looked at once."""
        lines = _telling(version)
        for line, _ in lines:
            if line not in self._recognised:
                self._recognised[line] = self.have(line, version, _TELLING)
        return any(self._recognised[line] for line, _ in lines)


def _as_known(saved: bytes, versions: Iterable[set[_Line]]) -> bytes:
    """A save in which lines that differ only in shape from a line of some version are as in that version, the newest first."""
    known: dict[bytes, None] = {}
    for its in versions:
        known |= dict.fromkeys(sorted(line for line, _ in its if line not in known))
    lines = [line.strip() for line in saved.split(b"\n")]
    if all(line in known for line in lines if line):
        return saved
    shapes = {shaped(line.decode("utf-8", "replace")): line for line in reversed(known)}
    found = [line if line in known else shapes.get(shaped(line.decode("utf-8", "replace")), line) for line in lines]
    return b"\n".join(found)


def words(text: bytes) -> frozenset[str]:
    """The words of a text; in scripts that do not set them apart, each two characters."""
    found: set[str] = set()
    for word in text.decode("utf-8", "replace").split():
        found |= {word} if word.isascii() else {word[i : i + 2] for i in range(max(1, len(word) - 1))}
    return frozenset(found)


def adds(before: bytes, after: bytes) -> bool:
    """Whether a text has lines that the other has not."""
    head = common(before, after)
    head = before.rfind(b"\n", 0, head) + 1
    before, after = before[head:], after[head:]
    return bool(_numbered(after) - _numbered(before))


def _numbered(data: bytes) -> set[_Line]:
    """The lines that are not blank, without the blanks around them; equal ones are distinguished by their number."""
    seen: Counter[bytes] = Counter()
    found = set()
    for line in data.split(b"\n"):
        stripped = line.strip()
        if stripped:
            seen[stripped] += 1
            found.add((stripped, seen[stripped]))
    return found
