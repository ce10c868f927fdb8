"""Typed names of documents: the only way to a file. A path from outside either fits this table or is refused."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from oldsoul.errors import BadName
from oldsoul.values.ids import checked_id, is_segment, segment

SHARED = "_shared"
"""The workspace whose files every agent reads."""


class Kind(StrEnum):
    """What a document is for; audience, policy, size limit and form follow from it."""

    SOUL = "soul"
    AGENTS = "agents"
    USER = "user"
    MEMORY = "memory"
    TOOLS = "tools"
    IDENTITY = "identity"
    HEARTBEAT = "heartbeat"
    BOOTSTRAP = "bootstrap"
    BOOT = "boot"
    CONFIG = "config"
    CORRECTIONS = "corrections"
    CONFLICTS = "conflicts"
    CHANGELOG = "changelog"
    COMPACTION_LOG = "compaction_log"
    DAILY = "daily"
    SESSION = "session"
    LONGTERM = "longterm"
    PROFILE = "profile"
    ROOM = "room"
    SKILL = "skill"
    KEEPER = "keeper"
    SOUL_HISTORY = "soul_history"
    ARCHIVE = "archive"
    SHARED = "shared"
    OTHER = "other"
    """a Markdown file we do not know: kept, listed and read by the owner, never written"""


INDEXED = frozenset(
    {
        *(Kind.MEMORY, Kind.USER, Kind.DAILY, Kind.SESSION, Kind.LONGTERM, Kind.PROFILE, Kind.ROOM),
        *(Kind.CORRECTIONS, Kind.CONFLICTS, Kind.ARCHIVE, Kind.SHARED, Kind.OTHER),
    },
)
"""Documents that are searched. The others are in every prompt, or are nobody's memory."""


ROOT_FILES = {
    "SOUL.md": Kind.SOUL,
    "AGENTS.md": Kind.AGENTS,
    "USER.md": Kind.USER,
    "MEMORY.md": Kind.MEMORY,
    "memory.md": Kind.MEMORY,
    "TOOLS.md": Kind.TOOLS,
    "IDENTITY.md": Kind.IDENTITY,
    "HEARTBEAT.md": Kind.HEARTBEAT,
    "BOOTSTRAP.md": Kind.BOOTSTRAP,
    "BOOT.md": Kind.BOOT,
    "CONFIG.md": Kind.CONFIG,
    "CORRECTIONS.md": Kind.CORRECTIONS,
    "CONFLICTS.md": Kind.CONFLICTS,
    "CHANGELOG.md": Kind.CHANGELOG,
    "COMPACTION_LOG.md": Kind.COMPACTION_LOG,
}
BOOTSTRAP = (
    *("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md", "memory.md"),
    *("HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md"),
)
"""The ten files an agent is started with, in order; in a prompt those of `_shared` follow, by name."""
ARCHIVES = ("Chronicles", "Corrections", "Daily", "Memory")

_LOGS = frozenset(
    {Kind.DAILY, Kind.CORRECTIONS, Kind.CONFLICTS, Kind.CHANGELOG, Kind.COMPACTION_LOG},
)
_ARCHIVED_LOGS = ("Archive/Daily/", "Archive/Corrections/")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_PART = re.compile(r"\.(?:[2-9]|[1-9][0-9]{1,3})\Z")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_~-]*(?:\.[A-Za-z0-9_~-]+)*")
_ON_SOME = frozenset(':*?"<>|')
_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_MAX_PATH_BYTES = 480
_MAX_PART_BYTES, _MAX_OWN_PART_BYTES = 255, 200
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])[ .]*(?:\..*)?")


def _stem(file: str) -> str | None:
    """The file's name without `.md` and without a part number; None for another ending."""
    return _PART.sub("", file[:-3]) if file.endswith(".md") else None


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _known(parts: tuple[str, ...]) -> Kind | None:
    """The kind of a path inside an agent's or team's workspace, by the table of DESIGN's layout."""
    match parts:
        case (file,):
            return ROOT_FILES.get(file)
        case ("memory", file) if _is_date(_stem(file) or ""):
            return Kind.DAILY
        case ("memory", "_longterms", subject, ("_index.md" | "profile.md") as file) if is_segment(subject):
            return Kind.LONGTERM if file == "_index.md" else Kind.PROFILE
        case ("memory", day, file) if _is_date(day) and is_segment(_stem(file) or ""):
            return Kind.SESSION
        case ("rooms", file) if file.endswith(".md") and is_segment(file[:-3]):
            return Kind.ROOM
        case ("skills", *folders, "SKILL.md") if folders and all(_PLAIN.fullmatch(f) or is_segment(f) for f in folders):
            return Kind.SKILL
        case ("agents", keeper, "SOUL.md") if is_segment(keeper):
            return Kind.KEEPER
        case ("SOUL_HISTORY", file) if file.endswith(".md") and _PLAIN.fullmatch(file):
            return Kind.SOUL_HISTORY
        case ("Archive", folder, *rest) if folder in ARCHIVES and 1 <= len(rest) <= 2:  # noqa: PLR2004 - a file, or a day's folder and a file
            if rest[-1].endswith(".md") and all(_PLAIN.fullmatch(p) or is_segment(p.removesuffix(".md")) for p in rest):
                return Kind.ARCHIVE
    return None


@lru_cache(maxsize=1 << 16)  # more than most workspaces have documents: all are gone through in a row
def kind_of(workspace: str, path: str) -> Kind:
    """The kind of document this path names; `BadName` for a path that can name none."""
    parts = tuple(path.split("/"))
    markdown = parts[-1].endswith(".md") and len(parts[-1]) > len(".md")
    if not markdown or len(_bytes(path)) > _MAX_PATH_BYTES or not all(map(_is_safe, parts)):
        raise BadName(f"{path!r} is not a valid file name in {workspace!r}; `oldsoul show` lists the files")
    if not all(map(_is_for_all, parts)):
        return Kind.OTHER  # somebody called it that where they can: it is read, and never written
    if workspace == SHARED:
        return Kind.SHARED if len(parts) == 1 else Kind.OTHER
    return _known(parts) or Kind.OTHER


def _is_for_all(part: str) -> bool:
    """Whether a folder or file can be called that on every system."""
    return len(_bytes(part)) <= _MAX_OWN_PART_BYTES and _ON_SOME.isdisjoint(part) and not _DEVICE.fullmatch(part)


def _is_safe(part: str) -> bool:
    """Whether a folder or file of that name leads nowhere else, and is not hidden."""
    if not part or part[0] == "." or part[-1] == "." or part != part.strip() or "\\" in part:
        return False
    if len(_bytes(part)) > _MAX_PART_BYTES:
        return False
    return (part.isascii() and part.isprintable()) or not any(unicodedata.category(c) in _CONTROLS for c in part)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """One document of one workspace. A name that exists is safe: making one checks it."""

    workspace: str
    """the agent's or team's id, or `_shared`"""
    path: str
    """where it is in the workspace, with `/`"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "workspace", checked_workspace(self.workspace))
        kind_of(self.workspace, self.path)

    @property
    def kind(self) -> Kind:
        """What the document is for."""
        return kind_of(self.workspace, self.path)

    @property
    def is_log(self) -> bool:
        """Whether its entries are dated blocks."""
        if self.kind is Kind.ARCHIVE:  # a day's folder in the archive holds session files, which are lists
            return self.path.startswith(_ARCHIVED_LOGS) and self.path.count("/") == _ARCHIVED_LOGS[0].count("/")
        return self.kind in _LOGS

    @property
    def owner_segment(self) -> str:
        """The path segment of the person or room it belongs to; empty for other kinds."""
        parts = self.path.split("/")
        if self.kind in (Kind.LONGTERM, Kind.PROFILE) or (self.kind is Kind.ARCHIVE and self.is_persons):
            return parts[2]
        return parts[1].removesuffix(".md") if self.kind is Kind.ROOM else ""

    @property
    def is_persons(self) -> bool:
        """Whether it is a person's own part of the archive: `Archive/Memory/<subject>/<month>.md`."""
        parts = self.path.split("/")
        return parts[:2] == ["Archive", "Memory"] and len(parts) == len(("Archive", "Memory", "subject", "month"))

    def __str__(self) -> str:
        return f"{self.workspace}/{self.path}"


def checked_workspace(raw: str) -> str:
    """The workspace's id in its one form; `BadName` when no agent or team can be called that."""
    if raw == SHARED:
        return raw
    text = checked_id(raw, "agent or team")
    if text[0] in ":." or "/" in text:
        raise BadName(f"{raw!r} cannot be the id of an agent or team: it starts with {text[0]!r} or contains '/'")
    return text


def daily(workspace: str, day: date, part: int = 1) -> Name:
    """The agent's diary of one local day."""
    return Name(workspace, f"memory/{day.isoformat()}{_part(part)}.md")


def session_file(workspace: str, day: date, session: str, part: int = 1) -> Name:
    """What one session left behind on one day."""
    return Name(workspace, f"memory/{day.isoformat()}/{segment(session)}{_part(part)}.md")


def longterm(workspace: str, subject: str) -> Name:
    """The long-term memory of one person."""
    return Name(workspace, f"memory/_longterms/{segment(subject)}/_index.md")


def profile(workspace: str, subject: str) -> Name:
    """What one person said of themselves."""
    return Name(workspace, f"memory/_longterms/{segment(subject)}/profile.md")


def archived_profile(workspace: str, subject: str, day: date) -> Name:
    """Where a person's long-term memory goes when there is no room for it: theirs as before."""
    return Name(workspace, f"Archive/Memory/{segment(subject)}/{day:%Y-%m}.md")


def room(workspace: str, room_id: str) -> Name:
    """What one room knows."""
    return Name(workspace, f"rooms/{segment(room_id)}.md")


def keeper_prompt(workspace: str, keeper: str) -> Name:
    """The prompt of one keeper."""
    return Name(workspace, f"agents/{segment(keeper)}/SOUL.md")


def _part(part: int) -> str:
    return f".{part}" if part > 1 else ""
