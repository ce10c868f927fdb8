"""Which workspace files a session's prompt gets, as much of each as it may see and as there is room for."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from oldsoul.context.prompt_facts import ContextFile
from oldsoul.context.sections import MINIMAL_FILES
from oldsoul.documents.model import parse, stripped
from oldsoul.rules.audience import audience_of, seen_entries
from oldsoul.rules.limits import WARN_SHARE
from oldsoul.values.audience import View
from oldsoul.values.frozen import frozen
from oldsoul.values.names import BOOTSTRAP, SHARED, Kind, Name
from oldsoul.values.sessions import SessionKind

REMEMBERED = frozenset({"MEMORY.md", "memory.md"})
"""Files that come before the message, within the budget of memory, and never in the system prompt."""
EXPECTED = frozenset({"AGENTS.md", "SOUL.md"})
"""Files that an agent should have."""
HELPERS = frozenset({SessionKind.SUBAGENT, SessionKind.CRON})
"""Sessions that get the rules and the notes on tools alone."""
LEAST = 100
"""A file with less room than this is left out: little more than the mark of the cut would be left of it."""
_HEAD, _TAIL, _WHOLE = 7, 2, 10
_MARKS = (
    "\n[… {gone} of {all} characters of {name} are left out here; read the file for them …]\n",
    "\n[… {gone} characters left out …]\n",
)
"""The mark of a cut, and a shorter one for where there is little room."""


class FileStatus(StrEnum):
    """What became of a file."""

    LOADED = "loaded"
    """it is in the prompt, whole"""
    CUT = "cut"
    """it is in the prompt, without its middle"""
    NO_ROOM = "no room"
    """the files before it took all the room there is"""
    MISSING = "missing"
    """there is no such file"""
    UNREADABLE = "unreadable"
    """there is one, but it cannot be read"""
    EMPTY = "empty"
    """it says nothing, or nothing that this session may see"""
    TEMPLATE = "template"
    """it is a form that nobody has filled in"""
    PRIVATE = "private"
    """this session may not see it"""
    NOT_HERE = "not here"
    """a session of this kind does without it"""
    ELSEWHERE = "elsewhere"
    """it comes before the message instead"""


@frozen
class SourceFile:
    """A workspace file as it was read."""

    name: Name
    """which; who may see it follows from that"""
    text: str = ""
    """its text"""
    path: str = ""
    """where it lies; its name when empty"""
    missing: bool = False
    """whether there is nothing to read"""
    problem: str = ""
    """why it was not read although something is there"""
    is_template: bool = False
    """whether it still reads as it was seeded"""

    @property
    def shown_name(self) -> str:
        """Its name in the workspace; shared files by their folder too."""
        return f"{SHARED}/{self.name.path}" if self.name.workspace == SHARED else self.name.path


@frozen
class BootstrapLimits:
    """How much of files goes into a prompt, in characters."""

    per_file: int = 20_000
    """of one file (`bootstrapMaxChars`)"""
    total: int = 150_000
    """of all files (`bootstrapTotalMaxChars`)"""


@frozen
class FileNote:
    """What the report says of a file."""

    name: str
    """its name"""
    path: str
    """where it lies, or what is in its place"""
    state: FileStatus
    """what happened to it"""
    size: int = 0
    """characters it would have"""
    shown: int = 0
    """characters it has in the prompt"""
    limit: int = 0
    """characters it may have there"""
    problem: str = ""
    """why it could not be read"""

    @property
    def is_near(self) -> bool:
        """Whether it has come near its limit, or is over it."""
        return self.limit > 0 and self.size >= self.limit * WARN_SHARE

    @property
    def warning(self) -> str:
        """What people should know; empty when all is well."""
        match self.state:
            case FileStatus.MISSING if self.name in EXPECTED:
                return f"{self.name} is missing"
            case FileStatus.UNREADABLE:
                return f"{self.name} could not be read: {self.problem}"
            case FileStatus.CUT:
                return (
                    f"{self.name} has {self.size:,} characters; {self.shown:,} of them are in the prompt,"
                    " including the mark where it was cut"
                )
            case FileStatus.NO_ROOM:
                return f"{self.name} is left out: the files before it used up the limit"
            case FileStatus.LOADED if self.is_near:
                return f"{self.name} has {self.size:,} of {self.limit:,} characters and will soon be cut"
            case _:
                return ""


@frozen
class BootstrapSelection:
    """The files of a prompt, and what happened to the others."""

    files: tuple[ContextFile, ...]
    """those in the prompt, in order"""
    notes: tuple[FileNote, ...]
    """a note for every file that was considered"""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What people should know."""
        return tuple(filter(None, (note.warning for note in self.notes)))


def context_files(
    files: Iterable[SourceFile], kind: SessionKind, view: View, limits: BootstrapLimits
) -> BootstrapSelection:
    """The files for a session of this kind that sees this much: the agent's own in their order, then shared ones."""
    shown: list[ContextFile] = []
    notes: list[FileNote] = []
    room = limits.total
    for file in sorted(files, key=_place):
        name, path = file.shown_name, file.path or file.shown_name
        state = _left_out(file, kind, view)
        text = "" if state else seen_text(file.name, file.text, view)
        state = state or (None if text else FileStatus.EMPTY)
        if state is not None:
            notes.append(FileNote(name, path, state, problem=file.problem))
            continue
        limit = min(limits.per_file, room)
        if len(text) > limit and limit < LEAST:
            notes.append(FileNote(name, path, FileStatus.NO_ROOM, len(text), 0, limits.per_file))
            continue
        kept = cut(text, limit, name)
        room -= len(kept)
        shown.append(ContextFile(name, path, kept))
        cut_or_not = FileStatus.LOADED if len(text) <= limit else FileStatus.CUT
        notes.append(FileNote(name, path, cut_or_not, len(text), len(kept), limits.per_file))
    return BootstrapSelection(tuple(shown), tuple(notes))


def _place(file: SourceFile) -> tuple[bool, int, str]:
    path = file.name.path
    known = file.name.workspace != SHARED and path in BOOTSTRAP
    return not known, BOOTSTRAP.index(path) if known else 0, path


def _left_out(file: SourceFile, kind: SessionKind, view: View) -> FileStatus | None:
    """Why a file is not in the prompt; None when it is."""
    name = file.name
    own = name.workspace != SHARED and name.path in BOOTSTRAP
    if not view.sees(audience_of(name)):
        return FileStatus.PRIVATE
    if kind in HELPERS and not (own and name.path in MINIMAL_FILES):
        return FileStatus.NOT_HERE
    if not own and name.kind is not Kind.SHARED:
        return FileStatus.NOT_HERE
    if file.problem:
        return FileStatus.UNREADABLE
    if file.missing:
        return FileStatus.MISSING
    if own and name.path in REMEMBERED:
        return FileStatus.ELSEWHERE
    return FileStatus.TEMPLATE if file.is_template and name.kind is Kind.USER else None


@lru_cache(maxsize=64)
def seen_text(name: Name, text: str, view: View) -> str:
    """A file's text without bookkeeping and without entries that this view may not see.

    The same files are asked for with every reply, so what was worked out is kept.
    """
    if "<!--" not in text:  # then nothing is marked, and nothing is a comment
        lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    else:
        document = parse(text.encode("utf-8", "replace"))
        visible = {entry.line for entry in seen_entries(name, document, view)}
        gone = {at for entry in document.entries if entry.line not in visible for at in range(entry.line, entry.end)}
        lines = [
            line
            for at, (line, raw) in enumerate(zip(stripped(document), document.lines, strict=True))
            if at not in gone and (line.strip() or not raw.strip())  # a line that was only a comment goes whole
        ]
    return "\n".join(lines).strip("\n").rstrip()


def cut(text: str, limit: int, name: str) -> str:
    """The text within a limit: too long, it keeps seven tenths from its beginning and two from its end.

    Between them is a mark that says how much is left out. Cuts fall between lines where there are any nearby.
    """
    if len(text) <= limit:
        return text
    kept = limit * (_HEAD + _TAIL) // _WHOLE
    form = next((form for form in _MARKS if _longest(form, text, name) <= limit - kept), _MARKS[-1])
    kept = min(kept, limit - _longest(form, text, name))
    if kept < 0:
        return ""
    first = _first_lines(text, kept * _HEAD // (_HEAD + _TAIL))
    last = _last_lines(text, kept * _TAIL // (_HEAD + _TAIL))
    return f"{first}{form.format(gone=len(text) - len(first) - len(last), all=len(text), name=name)}{last}"


def _longest(form: str, text: str, name: str) -> int:
    """How long a mark gets at most."""
    return len(form.format(gone=len(text), all=len(text), name=name))


def _first_lines(text: str, size: int) -> str:
    """So many characters from the beginning, ending with a whole line unless that would cost more than half."""
    end = text.rfind("\n", 0, size + 1)
    return text[: end if end > size // 2 else size]


def _last_lines(text: str, size: int) -> str:
    """The same from the end."""
    start = len(text) - size
    begin = text.find("\n", start - 1) + 1
    return text[begin if begin and len(text) - begin > size // 2 else start :]
