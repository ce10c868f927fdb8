"""The tools an agent changes its memory with, as far as an agent may: it writes, mends its own notes, and proposes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from oldsoul.app.prompts.tools import Tool
from oldsoul.app.remembering import new_key
from oldsoul.documents import parse
from oldsoul.documents.model import folded
from oldsoul.documents.shape import closed
from oldsoul.errors import BadInput, NotFound
from oldsoul.rules.audience import seen_entries
from oldsoul.values.callers import Right
from oldsoul.values.changes import TAGS, Add, Author, ChangeSet, Evidence, Remove, Replace, Role
from oldsoul.values.names import Name, longterm, profile, room
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oldsoul.app.home import Home
    from oldsoul.app.remembering import Remembering
    from oldsoul.app.talk.days import Days
    from oldsoul.documents import Entry
    from oldsoul.ledger import Outcome
    from oldsoul.values.changes import Operation
    from oldsoul.values.history import Snapshot
    from oldsoul.values.sessions import Session

MEMORY, DAILY = "memory", "daily"
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SHORTEST_QUOTE = 3


class Writer(Protocol):
    """What an agent is made of, as far as it writes."""

    id: str

    @property
    def home(self) -> Home:
        """Its home."""

    @property
    def days(self) -> Days:
        """Its diary."""

    def remembering(self, author: Author) -> Remembering:
        """Writes down what an author wants to be remembered."""

    def read(self, name: Name) -> Snapshot:
        """A document as it stands."""


# writing


def write_memory(
    agent: Writer, session: Session, content: str, *, target: str = MEMORY, title: str = "", tag: str = ""
) -> dict[str, Any]:
    """Write something down: into memory where this conversation finds it again, or into the log of the day."""
    text = _sound(content, "content")
    if target == DAILY:
        outcome = agent.days.append(text, session=session, key=f"tool:{new_key()}")
        return _told(outcome)
    if target != MEMORY:
        raise BadInput(f"target: {MEMORY} or {DAILY}, not {target!r}")
    if tag and (tag not in TAGS or tag == "correction"):
        raise BadInput(f"tag: one of {', '.join(each for each in TAGS if each != 'correction')}, not {tag!r}")
    kept = agent.remembering(_author(agent)).within(session, text, title=_line(title, "title"), tag=tag)
    return {**_told(kept.outcome), **({"known": True} if kept.repeated else {})}


# mending and proposing


def memory_correct(agent: Writer, session: Session, quote: str, text: str, reason: str = "") -> dict[str, Any]:
    """New words for an entry that is wrong; of what the operator or somebody else stated it is a proposal."""
    name, entry = _meant(agent, session, quote)
    mended = Replace(name, entry.id, _line(text, "text"))
    return _told(_applied(agent, session, mended, _line(reason, "reason") or "corrected by the agent"))


def memory_forget(agent: Writer, session: Session, quote: str, reason: str = "") -> dict[str, Any]:
    """Propose to take an entry out of memory."""
    name, entry = _meant(agent, session, quote)
    why = _line(reason, "reason") or "the agent proposes to forget it"
    return _told(_applied(agent, session, Remove(name, entry.id), why, asks=True))


def propose_soul_change(agent: Writer, session: Session, text: str, reason: str, section: str = "") -> dict[str, Any]:
    """Propose a line for SOUL.md."""
    if not _line(reason, "reason"):
        raise BadInput("reason: say why your soul should say this")
    added = Add(Name(agent.id, "SOUL.md"), _sound(text, "text"), section=_line(section, "section"))
    return _told(_applied(agent, session, added, _line(reason, "reason"), asks=True))


def _applied(agent: Writer, session: Session, operation: Operation, reason: str, *, asks: bool = False) -> Outcome:
    change_set = ChangeSet((operation,), _author(agent), reason, new_key(), (_evidence(agent, session),))
    return agent.home.ledger.apply(change_set, asks=asks)


def _evidence(agent: Writer, session: Session) -> Evidence:
    """What an agent knows in a session is for those who may see what is said there."""
    return Evidence(f"session:{session.id}", Origin.AGENT, agent.home.people.audience(session))


def _author(agent: Writer) -> Author:
    return Author(Role.AGENT, agent.id)


def _told(outcome: Outcome) -> dict[str, Any]:
    if outcome.proposal is not None:
        return {"done": False, "proposal": outcome.proposal.id, "note": "this waits for the operator's approval"}
    return {"done": True, **({"notes": list(outcome.warnings)} if outcome.warnings else {})}


def _meant(agent: Writer, session: Session, quote: str) -> tuple[Name, Entry]:
    """The one entry with these words among those that this session sees; `NotFound`, or `BadInput` for several."""
    words = folded(_line(quote, "quote"))
    if len(words) < _SHORTEST_QUOTE:
        raise BadInput("quote: give the words of the entry, as memory_search shows them")
    found = [(name, entry) for name, entry in _entries(agent, session) if words in folded(entry.text)]
    same = [(name, entry) for name, entry in found if words == folded(entry.text)]
    if not found:
        raise NotFound("no entry of your memory here has these words; search for it and quote it as it is shown")
    if len(found) > 1 and len(same) != 1:
        raise BadInput(f"{len(found)} entries have these words; quote more of the one you mean")
    return (same or found)[0]


def _entries(agent: Writer, session: Session) -> Iterator[tuple[Name, Entry]]:
    """The entries an agent may speak of here: of MEMORY.md, the room and the person, as far as this session sees them."""
    people = agent.home.people
    root, view = people.session(session.root), people.view(session)
    names = [Name(agent.id, "MEMORY.md")]
    if root.room:
        names.append(room(agent.id, root.room))
    if root.kind == "dm" and root.subject is not None:
        names += [longterm(agent.id, root.subject.id), profile(agent.id, root.subject.id)]
    for name in names:
        document = parse(agent.read(name).data or b"")
        yield from ((name, entry) for entry in seen_entries(name, document, view))


# what models give


def _sound(text: object, name: str) -> str:
    """A text that can stand in a Markdown file without changing what stands around it."""
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f"{name}: give the text to write")
    if _NO_TEXT.search(text):
        raise BadInput(f"{name}: it contains control characters, which have no place in Markdown")
    if closed(parse(text.encode("utf-8", "replace"))) is not None:
        raise BadInput(f"{name}: a code block, comment or HTML element in it is never closed")
    return text.strip()


def _line(text: object, name: str) -> str:
    if not isinstance(text, str):
        raise BadInput(f"{name}: give a text")
    return " ".join(_NO_TEXT.sub(" ", text).split())


def _tool(
    does: Callable[..., dict[str, Any]], label: str, told: str, properties: dict[str, Any], required: Sequence[str]
) -> Tool:
    schema = {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}
    return Tool(does.__name__, label, told, schema, does, Right.TELL)


_QUOTE = {
    "type": "string",
    "description": "The entry's words, as memory_search shows them; part of them if no other has it.",
}
_REASON = {"type": "string", "description": "Why; the operator reads it."}

WRITING = (
    _tool(
        write_memory,
        "Write Memory",
        "Write down what should be known later: mental notes do not last. One fact, decision or event at a time, in a "
        "sentence that can be understood alone. It goes where this conversation finds it again. What is too large is "
        "refused, so keep it short.",
        {
            "content": {"type": "string", "description": "What to write."},
            "target": {
                "type": "string",
                "enum": [MEMORY, DAILY],
                "description": "memory (for good; if left out) or daily (the log of today).",
            },
            "title": {"type": "string", "description": "A short title, if it helps."},
            "tag": {
                "type": "string",
                "enum": [tag for tag in TAGS if tag != "correction"],
                "description": "What kind of memory it is.",
            },
        },
        ["content"],
    ),
    _tool(
        memory_correct,
        "Memory Correct",
        "Give an entry of memory new words when it is wrong or out of date. What you noted yourself changes at once; what a "
        "person stated waits for the operator.",
        {
            "quote": _QUOTE,
            "text": {"type": "string", "description": "What it should say instead, whole."},
            "reason": _REASON,
        },
        ["quote", "text"],
    ),
    _tool(
        memory_forget,
        "Memory Forget",
        "Propose to take an entry out of memory. The operator decides.",
        {"quote": _QUOTE, "reason": _REASON},
        ["quote"],
    ),
    _tool(
        propose_soul_change,
        "Propose Soul Change",
        "Propose a line for SOUL.md: how you are, speak or act from now on. The operator decides; tell people that you "
        "proposed it.",
        {
            "text": {"type": "string", "description": "The line."},
            "reason": _REASON,
            "section": {"type": "string", "description": "The heading it belongs under, if there is one."},
        },
        ["text", "reason"],
    ),
)
"""The tools that write."""
