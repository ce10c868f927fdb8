"""The two tools an agent asks its memory with: search it, read a piece of it. Each gives what its session may see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.home import Home
from oldsoul.app.home.seals import citation, line, message, message_meant, seal_for, sealed
from oldsoul.app.memory_requests import MemoryWriter, new_key
from oldsoul.app.talk import log
from oldsoul.documents import parse, stripped
from oldsoul.documents.model import folded
from oldsoul.documents.shape import closed
from oldsoul.errors import BadInput, NotFound, Refused
from oldsoul.language.headings import place
from oldsoul.ledger import Outcome
from oldsoul.rules.audience import audience_of, entry_audience, seen_entries
from oldsoul.values.audience import OWNER, View
from oldsoul.values.callers import Caller, Right
from oldsoul.values.changes import TAGS, Add, Author, ChangeSet, Evidence, Operation, Remove, Replace, Role
from oldsoul.values.history import Snapshot
from oldsoul.values.ids import is_segment, segment
from oldsoul.values.messages import Wanted
from oldsoul.values.names import INDEXED, SHARED, Name, longterm, profile, room
from oldsoul.values.origin import Origin
from oldsoul.values.recall import SESSIONS, Hit, asked
from oldsoul.values.sessions import Session, SessionKind

if TYPE_CHECKING:
    from oldsoul.app.talk.days import Days
    from oldsoul.documents import Entry


MOST_RESULTS = 100
"""How many results a tool gives at most."""
_LINES = 200
_MOST_LINES = 2000
_MESSAGES = 20
_CHAT = "chat/"
_PEOPLE = "memory/_longterms/"


class Letting(Protocol):
    """Whoever says what a caller may do with an agent."""

    caller: Caller
    """who calls"""

    def allowed(self, right: Right, session: Session, verb: str) -> AgentWorkspace:
        """What the agent is made of, for a caller who has this right within this session."""


class Tool(NamedTuple):
    """A tool as frameworks want it: what it is called, what it is for, what it takes, and the function behind it."""

    name: str
    """what the model calls it"""
    label: str
    """what people see it called"""
    description: str
    """what the model is told"""
    parameters: Mapping[str, Any]
    """its parameters as a JSON schema"""
    function: Callable[..., dict[str, Any]]
    """takes what the agent is made of and the session, then the parameters"""
    right: Right = Right.SEE
    """what it asks of whoever calls it"""

    def definition(self) -> dict[str, Any]:
        """What is handed to a model."""
        return {"name": self.name, "label": self.label, "description": self.description, "parameters": self.parameters}

    def call(
        self, agent: Letting, session: Session, arguments: Mapping[str, Any], told: Caller | None = None
    ) -> dict[str, Any]:
        """What it answers to a model's arguments; `BadInput` when they are not its parameters.

        `told` is who hears of it in the end, where that is not whoever calls. Messages have opaque numbers, but for an
        operator in their own direct talk.
        """
        known = self.parameters["properties"]
        wrong = [name for name in arguments if name not in known]
        missing = [name for name in self.parameters["required"] if arguments.get(name) is None]
        if wrong or missing:
            problem = f"{missing[0]} is missing" if missing else f"unknown parameter {wrong[0]!r}"
            raise BadInput(f"{self.name}: {problem}; it takes {', '.join(known)}")
        allowed = agent.allowed(self.right, session, self.name)
        with sealed(seal_for(allowed.home, told or agent.caller, session)):
            return self.function(allowed, session, **{_python(name): value for name, value in arguments.items()})


def _python(parameter: str) -> str:
    return "from_" if parameter == "from" else parameter


def tools(agent: AgentWorkspace) -> list[Tool]:
    """The tools this agent has: none where memory or search is switched off."""
    return [SEARCH, GET] if _enabled(agent) else []


def _enabled(agent: AgentWorkspace) -> bool:
    memory = agent.settings.memory
    return memory.enabled and memory.search.enabled


# searching


def memory_search(
    agent: AgentWorkspace,
    session: Session,
    query: str,
    maxResults: int | None = None,  # noqa: N803 - the name that models know
    minScore: float | None = None,  # noqa: N803 - the same
) -> dict[str, Any]:
    """What memory has to say to a question: the answer, and the passages it rests on, the best first."""
    found = agent.recall(
        asked(query),
        session=session,
        limit=_whole(maxResults, "maxResults", MOST_RESULTS),
        minimum=_share(minScore, "minScore"),
    )
    view = agent.home.people.view(session, agent.id)
    named = cites(agent, session)
    value: dict[str, Any] = {
        "answer": found.answer,
        "confidence": found.confidence,
        "hits": [_result(agent, hit, view, named=named) for hit in found.hits],
    }
    return {**value, "notes": list(found.notes)} if found.notes else value


def cites(agent: AgentWorkspace, session: Session) -> bool:
    """Whether results name file and line here. Left to us, they do where the operator is alone with the agent."""
    mode = agent.settings.context.citations
    if mode != "auto":
        return mode == "on"
    root = session
    while root.parent is not None:
        root = root.parent
    return root.kind is SessionKind.DM and agent.home.people.view(session).owner


def _result(agent: AgentWorkspace, hit: Hit, view: View, *, named: bool) -> dict[str, Any]:
    chunk = hit.chunk
    where: dict[str, Any] = {}
    if named and (view.owner or not chunk.path.startswith(_PEOPLE)):
        where = {
            "path": chunk.path,
            "start_line": line(chunk.path, chunk.start_line),
            "end_line": line(chunk.path, chunk.end_line),
            "citation": citation(chunk),
        }
    return {
        **where,
        "score": hit.score,
        **({"heading": under} if (under := place(chunk.title, chunk.heading)) else {}),
        "text": chunk.text,
        "source": chunk.source,
        "date": chunk.day(agent.zone),
        "speaker": chunk.speaker,
        **({"earlier": True} if hit.earlier else {}),
    }


# reading


def memory_get(
    agent: AgentWorkspace,
    session: Session,
    path: str,
    from_: int | None = None,
    lines: int | None = None,
) -> dict[str, Any]:
    """A piece of a memory file, or of a conversation, as far as this session may see it.

    Lines that it may not see are empty, so that the others keep their numbers. `next` says where to go on, if there is
    more. Of what does not exist and of what may not be seen the same is said.
    """
    if not _enabled(agent):
        raise Refused("search is turned off (memory.search.enabled)")
    if not isinstance(path, str) or not path:
        raise BadInput("path: name a memory file, such as MEMORY.md")
    first = _whole(from_, "from", 10**18)
    count = _whole(lines, "lines", _MOST_LINES)
    view = agent.home.people.view(session, agent.id)
    if path.startswith(_CHAT) and is_segment(path.removeprefix(_CHAT)):
        return _conversation(agent, view, path, first, count or (_MESSAGES if first is None else 1))
    extra = _extra(agent, path, view) if path.startswith("/") else None
    if extra is not None:
        return _piece(path, extra, first or 1, count)
    name = Name(SHARED, path.removeprefix(f"{SHARED}/")) if path.startswith(f"{SHARED}/") else agent.name(path)
    shown = f"{SHARED}/{name.path}" if name.workspace == SHARED else name.path
    return _piece(shown, _seen(agent, name, view), first or 1, count)


def readable(agent: AgentWorkspace, session: Session) -> list[str]:
    """The paths of the documents that `memory_get` gives this session something of, by path; not the conversations."""
    if not _enabled(agent):
        return []
    view, names = agent.home.people.view(session), agent.home.world.store.names
    found = [name for name in (*names(agent.id), *names(SHARED)) if _is_readable(agent, name, view)]
    return [f"{SHARED}/{name.path}" if name.workspace == SHARED else name.path for name in found]


def _is_readable(agent: AgentWorkspace, name: Name, view: View) -> bool:
    """Whether there is something to see in a document; one that may be seen whole is not read for it."""
    if name.kind not in INDEXED or name.path.startswith("SOUL_HISTORY/"):
        return False
    return view.sees(audience_of(name)) or _seen(agent, name, view) is not None


def _piece(path: str, seen: list[str] | None, first: int, count: int | None) -> dict[str, Any]:
    """Some lines of a document; `NotFound` when there is nothing to see."""
    if seen is None:
        raise _nothing(path)
    piece = seen[first - 1 : first - 1 + (count or _LINES)]
    value = {"path": path, "text": "\n".join(piece), "from": first, "lines": len(piece)}
    following = first + len(piece)
    return {**value, "next": following} if piece and following <= len(seen) else value


def _nothing(path: str) -> NotFound:
    return NotFound(f"there is nothing to read at {path!r}")


def _seen(agent: AgentWorkspace, name: Name, view: View) -> list[str] | None:
    """The lines of a document without bookkeeping, those that may not be seen empty; None when there is nothing to see."""
    if name.kind not in INDEXED or name.path.startswith("SOUL_HISTORY/"):
        return None
    try:
        data = agent.read(name).data
    except (Refused, OSError):  # a link that leads out, a file nobody may read
        return None
    if data is None:
        return None
    document = parse(data, is_log=name.is_log)
    whole = view.sees(audience_of(name))
    shown = [whole] * len(document.lines)
    head = document.matter.end
    shown[:head] = [view.sees(entry_audience(name, document.matter.text("audience")))] * head
    seen = {entry.id for entry in seen_entries(name, document, view)}
    for entry in document.entries:
        shown[entry.line : entry.end] = [entry.id in seen] * len(entry.lines)
    lines = [line if may else "" for line, may in zip(stripped(document), shown, strict=True)]
    if not all(shown):  # how much comes after the last line that may be seen is nobody's business
        while lines and not lines[-1].strip():
            lines.pop()
    return lines if whole or lines else None


def _extra(agent: AgentWorkspace, path: str, view: View) -> list[str] | None:
    """The lines of a further file that is searched; it is there for the operator alone."""
    extras = agent.home.world.outside.extras(agent.id) if view.sees(OWNER) else None
    data = extras.read(path) if extras else None
    return None if data is None else stripped(parse(data))


def _conversation(agent: AgentWorkspace, view: View, path: str, first: int | None, count: int) -> dict[str, Any]:
    """Messages of a conversation, all or from a number on, each with its number, its time and who said it."""
    search = agent.settings.memory.search
    wanted = path.removeprefix(_CHAT)
    sessions = [t.session.id for t in agent.home.chat.threads(agent.id) if segment(t.session.id) == wanted]
    nothing = NotFound(f"there is nothing to read at {path!r}{f' from message {first} on' if first else ''}")
    if not sessions or SESSIONS not in search.sources:
        raise nothing
    logged = log.Log(agent).every(Wanted(session=sessions[0], after=message_meant(first) - 1 if first else 0))
    seen = (each for each in logged if view.sees(each.audience))
    found = nsmallest(count + 1, seen, key=lambda each: each.id)
    if not found:
        raise nothing
    page = found[:count]
    text = "\n".join(
        f"#{message(m.id)} {m.time.astimezone(agent.zone):%Y-%m-%d %H:%M} {m.sender or m.role}: {m.text}" for m in page
    )
    value = {"path": path, "text": text, "from": message(page[0].id), "lines": len(page)}
    return {**value, "next": message(found[count].id)} if len(found) > count else value


# what models give


def _whole(value: object, name: str, most: int) -> int | None:
    """A whole number from 1 on; models write 3.0 for 3."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise BadInput(f"{name}: a whole number from 1 to {most}, not {value!r}")
    return value


def _share(value: object, name: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise BadInput(f"{name}: a number from 0 to 1, not {value!r}")
    return float(value)


SEARCH = Tool(
    "memory_search",
    "Memory Search",
    "Search what you remember: MEMORY.md, the notes in memory/*.md and, where they are kept for search, earlier "
    "conversations. Do it before you answer whenever the answer may rest on something earlier: what was done, agreed, "
    "planned or said, and what somebody is like. `answer` says how strong the match is: found; unsure (read before you rely on it); unknown (say that "
    "you do not know); conflicting (memories disagree: say so, or ask). `hits` are the passages, the best first; one "
    "marked `earlier` was said before a newer one on the same thing.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A question, or some words, as a person would put it."},
            "maxResults": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_RESULTS,
                "description": "How many passages at most.",
            },
            "minScore": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "Leave out passages with a lower score.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    memory_search,
)
GET = Tool(
    "memory_get",
    "Memory Get",
    "Read a piece of MEMORY.md, of a file in memory/ or of another memory file, for instance the lines around a passage "
    "that memory_search gave. It reads memory and nothing else. Lines you may not see are empty.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, as memory_search names it: MEMORY.md."},
            "from": {
                "type": "integer",
                "minimum": 1,
                "description": "The first line, from 1; in a conversation the number of a message, as memory_search or memory_get gave it.",
            },
            "lines": {"type": "integer", "minimum": 1, "maximum": _MOST_LINES, "description": "How many lines."},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    memory_get,
)


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

    def remembering(self, author: Author) -> MemoryWriter:
        """Writes down what an author wants to be remembered."""

    def read(self, name: Name) -> Snapshot:
        """The current text of a document."""


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
