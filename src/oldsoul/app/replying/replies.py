"""Replies, whole and as streams: one path from the message to the log, with a model or without."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.home.seals import citation, seal_for, sealed
from oldsoul.app.prompts.context import asks
from oldsoul.app.prompts.tools import Letting, Tool, cites
from oldsoul.app.replying.exchange import Exchange, Response, Round, Tools, ToolUse, conversed
from oldsoul.app.talk.log import Heard
from oldsoul.context.directives import Directives
from oldsoul.context.presentation import one_line, without_date
from oldsoul.errors import OldsoulError, Refused, Unavailable
from oldsoul.language.sentences import only_asks, sentences
from oldsoul.ports import Talker
from oldsoul.ranking.question import content_words
from oldsoul.ranking.terms import terms
from oldsoul.rules.correction_labels import right
from oldsoul.values.callers import Caller
from oldsoul.values.models import Offer, ToolCall, Usage
from oldsoul.values.recall import SESSIONS, Hit
from oldsoul.values.sessions import Session

Asked = Callable[[str, Session], str]
Written = Generator[str, None, Response]


_LOOKED_AT, _SHOWN, _CLOSE = 20, 3, 0.5
_SHORT = 280
"""A text of so many characters is said as a whole."""
NOTED = "Noted. I have no language model, so I only answer questions from memory."
CORRECTED = "Corrected."
UNKNOWN = "I do not know: memory holds nothing about this."
OFF = "I cannot answer: I have no language model, and memory is turned off."


class Offline(NamedTuple):
    """A reply from memory alone."""

    text: str
    """the reply"""
    answer: str
    """`found`, `unsure`, `unknown` or `conflicting`; empty to what asks nothing"""


def offline(agent: AgentWorkspace, message: str, session: Session, heard: Heard | None) -> Offline:
    """What memory has to say to a message."""
    if heard is not None and heard.corrected is not None and heard.corrected.changes:
        return Offline(CORRECTED, "")
    if not asks(message):
        return Offline(NOTED, "")
    try:
        found = agent.recall(message, session=session, limit=_LOOKED_AT)
    except Refused:
        return Offline(OFF, "")
    hits = [hit for hit in found.hits if _states(hit)]
    if found.answer == "unknown" or not hits:
        return Offline(UNKNOWN, "unknown")
    if found.answer == "conflicting":
        pairs = {entry for pair in found.disagreeing for entry in pair}
        both = [hit for hit in hits if hit.chunk.entry in pairs] or hits[:2]
        said = "\n".join(f"- {_line(agent, hit, session, message)}" for hit in both)
        return Offline(f"Memory disagrees, and nobody has settled it:\n{said}", "conflicting")
    if found.answer == "found":
        return Offline(_line(agent, hits[0], session, message), "found")
    close = [hit for hit in hits[:_SHOWN] if hit.score >= hits[0].score * _CLOSE]
    said = "\n".join(f"- {_line(agent, hit, session, message)}" for hit in close)
    return Offline(f"I am not sure. This is the closest I remember:\n{said}", "unsure")


def _states(hit: Hit) -> bool:
    """Whether a hit says something: it is no question, nor what the agent itself said in a conversation."""
    return not (hit.chunk.source == SESSIONS and (hit.chunk.by_agent or only_asks(hit.chunk.text)))


def _line(agent: AgentWorkspace, hit: Hit, session: Session, message: str) -> str:
    """What of a hit answers, by whom and when it was said, and where it stands, as far as it may be named here."""
    chunk = hit.chunk
    day = chunk.day(agent.zone)
    about = ", ".join(filter(None, (chunk.speaker, str(day or ""))))
    where = f" {citation(chunk)}" if cites(agent, session) else ""
    text = right(chunk.text) if chunk.correction else without_date(chunk.text)
    return f"{one_line(answering(text, message))}{f' ({about})' if about else ''}{where}"


def answering(text: str, question: str) -> str:
    """The sentences of a text that have most of a question's words, in order; a short text as a whole."""
    every = [each for each in sentences(text) if not only_asks(each)]
    if len(text) <= _SHORT or len(every) <= _SHOWN:
        return text
    asked = set(terms(" ".join(content_words(question))))
    met = [len(asked.intersection(terms(each))) for each in every]
    best = sorted(range(len(every)), key=lambda at: (-met[at], at))[:_SHOWN]
    return " ".join(every[at] for at in sorted(best) if met[at] * 2 >= max(met))


_CUT = "the reply was cut off at the token limit; raise keepers.model.max_output_tokens"


class Replies:
    """The replies of one agent.

    It is made from the agent, whoever calls its tools (an agent, never the operator), who is told what they answer, and
    the tools.
    """

    def __init__(self, agent: AgentWorkspace, acting: Letting, told: Caller, tools: Sequence[Tool]) -> None:
        self._agent = agent
        self._acting = acting
        self._told = told
        self._tools = tools

    def written(self, exchange: Exchange) -> Written:
        """The reply to a message, piece by piece as it can be delivered; it is logged when it has ended.

        What was delivered until it broke off, or until nobody listened any more, is logged as interrupted.
        """
        talker = self._agent.home.talker
        reply = _Reply(exchange)
        pieces = self._from_memory(exchange, reply) if talker is None else self._by_model(talker, exchange, reply)
        return (yield from _delivered(exchange, reply, pieces))

    def together(self, exchange: Exchange, speaking: Sequence[tuple[str, Asked]]) -> Written:
        """The replies of several to one message, one after the other, as one; each is named."""
        reply = _Reply(exchange)

        def pieces() -> Iterator[str]:
            for name, asked in speaking:
                reply.at_start = True
                if words := asked(exchange.text, exchange.session):
                    yield reply.take(f"**{name}**: {words}")

        return (yield from _delivered(exchange, reply, pieces()))

    def tools(self, session: Session, foreign: Sequence[Offer] = ()) -> Tools:
        """The tools as a model may call them within a session, and the caller's own beside them."""
        offers = [Offer(tool.name, tool.description, tool.parameters) for tool in self._tools]
        functions = {tool.name: partial(tool.call, self._acting, session, told=self._told) for tool in self._tools}
        return Tools(offers, functions, foreign)

    def _from_memory(self, exchange: Exchange, reply: _Reply) -> Iterator[str]:
        with sealed(seal_for(self._agent.home, self._told, exchange.session)):
            made = offline(self._agent, exchange.text, exchange.session, exchange.heard)
        reply.answer = made.answer
        yield reply.take(made.text)

    def _by_model(self, talker: Talker, exchange: Exchange, reply: _Reply) -> Iterator[str]:
        tools = self.tools(exchange.session, exchange.supplied.offers if exchange.supplied else ())
        read = Directives()
        for piece in conversed(talker, exchange.turns(), tools, self._agent.settings, self._agent.model):
            if isinstance(piece, Usage):
                reply.took(piece)
                exchange.notes += [_CUT] if piece.cut else []
                continue
            if isinstance(piece, Round):
                words, ended, read = read.end(), read, Directives()
                reply.reply_to = ended.reply_to or reply.reply_to
                reply.silent = ended.silent
            else:
                words = read.feed(piece)
            if words:
                yield reply.take(words)
            reply.at_start = reply.at_start or isinstance(piece, Round)
        reply.tools, reply.calls = tuple(tools.used), tools.left
        if not (reply.text or reply.silent or reply.calls):
            raise Unavailable("the model gave an empty reply")


class _Reply:
    """A reply while it comes."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._pieces: list[str] = []
        self.at_start = False
        """whether what comes next stands apart from what was said before a tool was called"""
        self.silent = False
        self.reply_to = self.answer = ""
        self.tools: tuple[ToolUse, ...] = ()
        self.calls: tuple[ToolCall, ...] = ()
        self._usage = Usage()

    @property
    def text(self) -> str:
        """What was delivered of it."""
        return "".join(self._pieces)

    def take(self, words: str) -> str:
        """More of it; gives it as it is delivered."""
        piece = f"\n\n{words}" if self.at_start and self._pieces else words
        self.at_start = False
        self._pieces.append(piece)
        return piece

    def took(self, usage: Usage) -> None:
        """One of the model's turns took so much."""
        sent, came = self._usage.tokens_in + usage.tokens_in, self._usage.tokens_out + usage.tokens_out
        self._usage = Usage(sent, came, usage.model, usage.cut)

    def response(self) -> Response:
        """It has ended, and is logged, unless the caller has tools to call first."""
        logged = None if self.calls else self._exchange.answered(self.text)
        return Response(
            self.text,
            self._exchange.heard,
            logged,
            self._exchange.prompt,
            self.tools,
            self.calls,
            self.reply_to,
            self.answer,
            tuple(self._exchange.notes),
            self._usage,
        )


def _delivered(exchange: Exchange, reply: _Reply, pieces: Iterator[str]) -> Written:
    """The pieces of a reply; what a message got that came before is not asked for again."""
    known = exchange.known_reply()
    if known is not None:
        yield known.text
        return Response(known.text, exchange.heard, known, exchange.prompt)
    try:
        yield from pieces
    except (GeneratorExit, OldsoulError, OSError):
        exchange.answered(reply.text, interrupted=True)
        raise
    return reply.response()


class Stream:
    """A reply that is read while it comes: iterate over it, then look at `response`."""

    def __init__(self, written: Written) -> None:
        self._written = written
        self._response: Response | None = None

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> str:
        try:
            return next(self._written)
        except StopIteration as end:
            self._response = end.value or self._response
            raise

    def close(self) -> None:
        """Stop reading. What was read so far is logged, as interrupted."""
        self._written.close()

    @property
    def response(self) -> Response:
        """The whole reply; reads what was not read yet."""
        for _ in self:
            pass
        if self._response is None:
            raise Unavailable("the reply was interrupted")
        return self._response
