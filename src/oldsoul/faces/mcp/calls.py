"""What each tool does, and its errors: the operator reads the whole message, others nothing of servers and disks."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from oldsoul.app.home.seals import line, references
from oldsoul.errors import (
    BadInput,
    Busy,
    Conflict,
    NotFound,
    Refused,
    SettingsError,
    Unavailable,
    Unwritable,
)
from oldsoul.faces.mcp import results
from oldsoul.faces.mcp.documents import McpClient, address
from oldsoul.language.headings import place
from oldsoul.values.callers import Caller, CallerRole
from oldsoul.values.recall import is_talk
from oldsoul.views import history, recall
from oldsoul.views.shape import Shown

Arguments = Mapping[str, Any]


_log = logging.getLogger("oldsoul")
_OPEN = (BadInput, NotFound, Refused, Conflict)
"""Their messages are about what the client gave."""
_TOLD_ANYBODY = (NotFound, Refused)
"""Their messages are for somebody who is not let in, too: there is no such agent, or it is not for them."""
_INSTEAD: tuple[tuple[type[Exception], str], ...] = (
    (Busy, "memory is busy; try again"),
    (Unavailable, "something that memory needs does not answer; the operator can run `oldsoul doctor`"),
    (Unwritable, "nothing was written: the disk is full or read-only; tell the operator"),
)
_ELSE = "memory cannot do this now; the operator can run `oldsoul doctor`"


def message(error: Exception, caller: Caller | None) -> str:
    """What a caller sees of an error, or somebody who is not let in; what is not shown is logged."""
    is_open = isinstance(error, _OPEN if caller else _TOLD_ANYBODY) and not isinstance(error, SettingsError)
    if is_open or (caller and caller.role is CallerRole.OPERATOR):
        return str(error)
    _log.warning("mcp, %s: %s: %s", caller.subject if caller else "nobody", type(error).__name__, error)
    return next((told for kind, told in _INSTEAD if isinstance(error, kind)), _ELSE)


SOUL, FORGET = "soul", "forget"
"""What can be proposed."""
APPROVE, REJECT = "approve", "reject"
"""What can be decided."""
LISTED = 20
"""How many proposals are listed when nobody says how many."""
_PLACE = re.compile(r"(.+?)(?:#L(\d{1,18})(?:-L(\d{1,18}))?)?", re.DOTALL)


# those that every agent has, called as they are


def _called(at: McpClient, name: str, given: Arguments) -> dict[str, Any]:
    """What a tool of the agent returns; `Refused` where the settings turn it off."""
    tool = next((tool for tool in at.agent.tools() if tool.name == name), None)
    if tool is None:
        raise Refused(f"{name} is turned off in the settings of this agent")
    return tool.call(at.agent, at.session, given, told=at.caller)


def memory_search(at: McpClient, given: Arguments) -> dict[str, Any]:
    """What memory answers to a question, and the passages it rests on."""
    return _called(at, "memory_search", given)


def memory_get(at: McpClient, given: Arguments) -> dict[str, Any]:
    """A piece of a memory file or of a conversation."""
    return _called(at, "memory_get", given)


def write_memory(at: McpClient, given: Arguments) -> dict[str, Any]:
    """Write something into memory or into the log of the day."""
    return _called(at, "write_memory", given)


def memory_correct(at: McpClient, given: Arguments) -> dict[str, Any]:
    """Give an entry new words, or propose them."""
    return _called(at, "memory_correct", given)


def memory_propose(at: McpClient, given: Arguments) -> dict[str, Any]:
    """Propose a line for SOUL.md, or to forget an entry."""
    text, reason = given["text"], given["reason"]
    if given["kind"] == SOUL:
        wanted = {"text": text, "reason": reason, "section": given.get("section", "")}
        return _called(at, "propose_soul_change", wanted)
    if "section" in given:
        raise BadInput(f"memory_propose: section goes with kind {SOUL} only")
    return _called(at, "memory_forget", {"quote": text, "reason": reason})


# context and keepers


def memory_context(at: McpClient, given: Arguments) -> Shown:
    """What memory gives this session."""
    made = at.agent.context(given.get("message", ""), session=at.session)
    sources = tuple(
        results.ContextSource(one.slot, one.document, one.start_line, one.end_line, one.tokens)
        for one in recall.receipt(made).included
    )
    return results.ContextResult(made.text, made.tokens, made.answer, sources)


def memory_work(at: McpClient, given: Arguments) -> Shown:
    """Questions of the keepers, or what became of an answer."""
    if ("id" in given) != ("answer" in given):
        raise BadInput("memory_work: give id and answer together, or neither to get questions")
    if "id" in given:
        taken = at.agent.keepers.answer(given["id"], given["answer"], session=at.session)
        answered = results.AnswerResult(taken.done, taken.changes, tuple(map(references, taken.notes)))
        return results.Worked((), answered)
    found = at.agent.keepers.work(session=at.session, limit=given.get("limit", 1))
    questions = (
        results.KeeperQuestion(
            one.id, one.kind, one.instructions, one.evidence, dict(one.schema), one.until.isoformat()
        )
        for one in found
    )
    return results.Worked(tuple(questions), None)


# the two that connectors expect


def search(at: McpClient, given: Arguments) -> Shown:
    """Passages, each with an id that `fetch` takes."""
    hits = at.agent.recall(given["query"], session=at.session).hits
    found = []
    for chunk in (hit.chunk for hit in hits):
        lines = f"L{line(chunk.path, chunk.start_line)}-L{line(chunk.path, chunk.end_line)}"
        heading = place(chunk.title, chunk.heading)
        found.append(
            results.SearchResult(
                id=f"{chunk.path}#{lines}",
                title=f"{chunk.path}: {heading}" if heading else chunk.path,
                url=address(at.agent.id, chunk.path, lines),
                text=chunk.text,
            )
        )
    return results.FoundList(tuple(found))


def fetch(at: McpClient, given: Arguments) -> Shown:
    """The text behind an id."""
    match = _PLACE.fullmatch(given["id"])
    if match is None:
        raise BadInput("fetch: give an id that search returned")
    path, first, last = match[1], match[2], match[3] or match[2]
    if is_talk(path) and first != last:
        raise BadInput("fetch: of a conversation, one message at a time")
    count = int(last) - int(first) + 1 if first else None
    piece = at.agent.memory.get(path, session=at.session, first=int(first) if first else None, lines=count)
    return results.Fetched(
        id=given["id"],
        title=piece["path"],
        text=piece["text"],
        url=address(at.agent.id, piece["path"], given["id"].removeprefix(path).removeprefix("#")),
        metadata={name: str(piece[name]) for name in ("path", "from", "lines", "next") if name in piece},
    )


# deciding


def review_list(at: McpClient, given: Arguments) -> Shown:
    """Proposals, each with what it would change."""
    agent = at.deciding
    found = agent.review.proposals(given.get("state", "open"))
    page = found[: given.get("limit", LISTED)]
    return results.Waiting(tuple(history.proposal_tried(agent, one) for one in page), len(found))


def review_decide(at: McpClient, given: Arguments) -> Shown:
    """Approve or reject a proposal."""
    agent, wanted = at.deciding, given["id"]
    if given["decision"] == REJECT:
        closed = agent.review.reject(wanted, given.get("why", ""))
        return history.rejected(closed)
    if given.get("why"):
        raise BadInput(f"review_decide: why goes with {REJECT} only")
    wanted = agent.review.proposal(wanted).id
    return history.approved(wanted, agent.review.approve(wanted))
