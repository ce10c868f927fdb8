"""Gathers what a session's context may hold, slot by slot, and has it assembled within budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from functools import cached_property, lru_cache, partial
from typing import TypeVar

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.app.keepers.correction_checks import logs_of
from oldsoul.app.soul import SoulNews
from oldsoul.app.talk.session_files import is_of
from oldsoul.context.bootstrap import SourceFile
from oldsoul.context.excerpts import excerpts, is_excerpt
from oldsoul.context.persona import Configured, persona_of, role_of
from oldsoul.context.presentation import (
    CORRECTIONS,
    DISAGREE,
    DOUBTFUL,
    HEADINGS,
    LONG_TERM,
    SECOND_HAND,
    SHORT_TERM,
    STANDING,
    UNKNOWN,
    KnownEntry,
    PastSession,
    blocks,
    injection,
    item,
    line,
    one_line,
)
from oldsoul.context.slots import CUT, Budget, SlotSource, assemble
from oldsoul.documents import parse
from oldsoul.errors import Refused, Unavailable
from oldsoul.judging.corrections.corrections import Correction, is_anothers
from oldsoul.judging.corrections.hidden import asked_about, has_old, without_wrong
from oldsoul.judging.corrections.values import FirstLook
from oldsoul.judging.mining import has_occasion, is_instruction, is_standing
from oldsoul.language.cues import cue, straight
from oldsoul.language.languages import language
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import sentences
from oldsoul.language.words import words
from oldsoul.ranking.chunks import document_chunks
from oldsoul.ranking.options import ChunkingOptions, SearchOptions
from oldsoul.ranking.question import asks_what_was_said, is_question, readable
from oldsoul.ranking.terms import STOPWORDS, terms
from oldsoul.recall.marks import Looking, known_corrections, righted
from oldsoul.recall.prepared import tells_of_talk
from oldsoul.rules.audience import audience_of, entry_audience, seen_by
from oldsoul.rules.confidence import is_operators
from oldsoul.rules.policy import is_correction
from oldsoul.settings import Settings
from oldsoul.values.audience import OWNER, PUBLIC, Audience, Reach
from oldsoul.values.context import Context, ContextPiece, Slot
from oldsoul.values.frozen import frozen
from oldsoul.values.ids import segment
from oldsoul.values.names import Kind, Name, daily, longterm, profile, room
from oldsoul.values.recall import MEM0, Chunk, Hit, Recalled
from oldsoul.values.sessions import Session
from oldsoul.workspace import persona_text, template

_ADDRESS = re.compile(r"^\s*\w+(?: \w+)?[,:]\s+")
_BESIDE = re.compile(r"\(added \d{4}-\d\d-\d\d\)|(?<!\w)#\w+")
_LED = re.compile(r"^- (?:[\d :-]+: )?(?:\[[^\]]*\] )?")
"""What a line has before its words: when, and under which heading."""
_ASKING = frozenset(word for own in word_list("words").values() for word in words(own.get("noted", "")))


def asks(message: str) -> bool:
    """Whether a message wants to know something: to a greeting or a remark there is nothing not to know."""
    spoken = language(message)
    wants = cue("keep", "request", spoken)
    said = [_ADDRESS.sub("", each) for each in sentences(message)]
    return any(is_question(each, spoken) or wants.search(straight(each)) for each in said)


def without_repeats(hits: Sequence[Hit], recalled: Recalled, zone: tzinfo) -> tuple[list[Hit], list[Hit]]:
    """Hits, and those of them that a better one of the same day says in the same words: a message and its entry."""
    kept: list[Hit] = []
    again: list[Hit] = []
    known: set[tuple[date | None, frozenset[str], str]] = set()
    for hit in hits:
        chunk = hit.chunk
        day = chunk.time.astimezone(zone).date() if chunk.time else None
        said = day, _stating(chunk.text), chunk.speaker
        disagrees = any(chunk.entry in pair for pair in recalled.disagreeing)
        (again if said in known and not disagrees else kept).append(hit)
        known |= {said, (*said[:2], "")}  # where somebody is named, it goes for nobody as well
    return kept, again


def without_turns(found: Recalled, session: Session, since: int) -> Recalled:
    """What was found but for a session's messages from a number on, which the model is told as turns; 0 for none."""
    own = f"chat/{segment(session.id)}" if since else ""

    def is_told(chunk: Chunk) -> bool:
        return chunk.path == own and chunk.start_line >= since

    hits = (hit for hit in found.hits if not is_told(hit.chunk))
    return replace(
        found,
        hits=tuple(
            replace(hit, around=tuple(turn for turn in hit.around if not is_told(turn[1]))) if own else hit
            for hit in hits
        ),
    )


@lru_cache(maxsize=1 << 13)
def _stating(text: str) -> frozenset[str]:
    """The words of a text, without those that only ask to keep it and what the ledger notes beside it."""
    return frozenset(words(_BESIDE.sub(" ", text))) - _ASKING


@frozen
class SessionReading:
    """How documents are read for one session."""

    chunking: ChunkingOptions
    """how they are cut"""
    zone: tzinfo
    """the agent's time zone"""
    logs: tuple[tuple[Name, bytes], ...]
    """the logs of corrections as they stand, those in the archive too"""
    owner: bool
    """whether the operator is told"""
    operators: frozenset[str]
    """who the operators are"""

    @property
    def known(self) -> list[tuple[Correction, datetime | None]]:
        """What was corrected, each with when."""
        return known_corrections(self.logs, SearchOptions(chunking=self.chunking), self.zone)

    def entries(self, name: Name, data: bytes) -> tuple[tuple[str, ContextPiece], ...]:
        """The pieces a document is cut into: each as in the file, and as it is shown."""
        return _pieces(name, data, self)

    def summary(self, text: str, audience: Audience, day: date | None = None) -> str:
        """What is left of a line about a conversation, and of the day it was held."""
        if not self.logs or is_anothers(audience, self.operators):
            return text
        known = self.known
        apart = not self.owner and audience.reach is Reach.ROOM  # what names the right value too would tell which it is
        later = [
            replace(one, new="") if apart and one.place != str(audience) else one
            for one, when in known
            if self._counts(one, when, audience, day)
        ]
        return without_wrong(later, text)

    def _counts(self, one: Correction, when: datetime | None, audience: Audience, day: date | None) -> bool:
        """Whether a correction counts for those who see a line, as it does in recall."""
        if one.again and day is not None and day.isoformat() >= one.again:
            return False
        if self.owner or one.place == str(audience):
            return True
        if one.place or audience.reach is not Reach.ROOM:
            return not one.place
        return day is not None and when is not None and day < when.astimezone(self.zone).date()


@lru_cache(maxsize=512)
def _pieces(name: Name, data: bytes, reading: SessionReading) -> tuple[tuple[str, ContextPiece], ...]:
    chunks = document_chunks(name, parse(data, is_log=name.is_log), reading.chunking, reading.zone)
    if is_correction(name):  # what was corrected of the agent's own words is found where it is asked for: it is no law
        return tuple((chunk.text, line(chunk, reading.zone)) for chunk in chunks if chunk.correction)
    if not reading.logs:
        return tuple((chunk.text, line(chunk, reading.zone)) for chunk in chunks)
    return tuple(piece for chunk in chunks for piece in _told(chunk, reading))


@lru_cache(maxsize=1 << 13)
def _told(chunk: Chunk, reading: SessionReading) -> tuple[tuple[str, ContextPiece], ...]:
    """One piece; most of a document is as it was when it was last read."""
    known = reading.known
    told = righted(chunk, known, Looking(reading.owner, reading.operators))
    return ((chunk.text, line(told, reading.zone)),) if told else ()


_LISTED = ("item", "task")


def known_person(agent: AgentWorkspace, session: Session) -> list[KnownEntry]:
    """The long-term memory of the person a private session is with."""
    root = session
    while root.parent is not None:
        root = root.parent
    if root.kind != "dm" or root.subject is None:
        return []
    name = longterm(agent.id, root.subject.id)
    entries = parse(agent.read(name).data or b"").entries
    return [KnownEntry(e.id, e.text, seen_by(name, e)) for e in entries if e.kind in _LISTED]


def past_sessions(agent: AgentWorkspace, session: Session) -> list[PastSession]:
    """What the sessions of the last days left behind, and today's file of this one."""
    today = agent.today().date()
    start = today - timedelta(days=agent.settings.memory.short_term_days)
    found = []
    for day in (start + timedelta(days=number) for number in range((today - start).days + 1)):
        for name in agent.home.world.store.names(agent.id, f"memory/{day.isoformat()}"):
            if name.kind is not Kind.SESSION:
                continue
            current = day == today and is_of(name, session.id)
            matter = parse(agent.read(name).data or b"").matter
            audience = entry_audience(name, matter.text("audience"))
            facts = (matter.text("summary"), matter.text("tasks"), matter.text("follow_ups"))
            if facts[0]:
                found.append(PastSession(day, name.path.removeprefix("memory/"), *facts, audience, current))
    return found


_MOST = 30
"""So many of what recall finds may be handed over."""
_RELEVANT = 0.5
"""What scores less than such a share of the best is not."""
_RETOLD = 0.8
"""What has such a share of its words from others says nothing more."""
_LABELS = re.compile(
    r"\[Session\]\([^)]*\)|^ *-? *(?:\*\*)?(?:Users?|Room|Datetime):.*$|^ *- Event:(?: [\w:]+:)?", re.MULTILINE
)
"""What files of sessions and the diary have beside what was said."""
_ALWAYS_TOKENS = 150
"""So many tokens of instructions that hold on any occasion are told with every message."""
_MOST_HOURS = 24 * 366
_LONG_TERM = ("MEMORY.md", "memory.md")
_FILES = {Slot.IDENTITY: "SOUL.md", Slot.PROFILE: "USER.md"}
T = TypeVar("T")
_VERIFIED, _CORRECTED = "re-embedded", "corrected since"


class Gathering:
    """One context of one agent, while it is gathered; without the session's messages from a number on, told as turns."""

    def __init__(self, agent: AgentWorkspace, session: Session, message: str, since: int = 0) -> None:
        self._agent = agent
        self._home = agent.home
        self._session = agent.home.people.session(session)
        self._view = agent.home.people.view(session, agent.id)
        self._message = message.strip()
        self._since = since
        self._asked = _telling.__wrapped__(readable(self._message))  # no message comes twice, so none is kept
        self._settings: Settings = agent.settings
        self._zone = agent.zone
        self._notes: list[str] = []
        self._documents: dict[Name, bytes] = {}
        self._templates: dict[Name, bytes] = {}

    def context(self) -> Context:
        """The context; the entries in it count as used."""
        options = self._settings.context
        recalled = self._recalled()
        sources = {
            Slot.IDENTITY: self._identity(),
            Slot.PROFILE: self._whole("USER.md"),
        }
        if self._settings.memory.enabled:
            sources |= {
                Slot.CORRECTIONS: self._corrections(recalled),
                Slot.RECENT: self._recent(),
                Slot.RECALL: self._found(recalled),
                Slot.PEOPLE: self._people(),
                Slot.LONG_TERM: self._long_term(),
                Slot.EXTERNAL: self._external(),
            }
        budgets = {
            Slot.IDENTITY: options.identity_tokens,
            Slot.PROFILE: options.user_profile_tokens,
            Slot.CORRECTIONS: options.corrections_tokens,
            Slot.RECENT: options.recent_memory_tokens,
            Slot.RECALL: options.semantic_recall_tokens,
            Slot.PEOPLE: options.crm_tokens,
            Slot.LONG_TERM: options.longterm_memory_tokens,
            Slot.EXTERNAL: options.external_tokens,
        }
        count = self._home.world.host.tokens(self._agent.model)
        sources |= {slot: self._marked(sources[slot]) for slot in (Slot.RECENT, Slot.RECALL) if slot in sources}
        made = assemble(sources, self._view, Budget(options.budget_tokens, budgets), count)
        used = [one.entry for one in made.included if one.entry and one.slot > Slot.PROFILE]
        self._agent.used(list(dict.fromkeys(used)), self._session)
        cut = [slot for slot in (Slot.IDENTITY, Slot.PROFILE) if CUT in made.slots[slot - 1].text]
        told = [f"{_FILES[slot]} is longer than its budget; the rest is left out" for slot in cut]
        notes = (*(recalled.notes if recalled else ()), *dict.fromkeys(self._notes), *told)
        return replace(made, answer=recalled.answer if recalled else "", notes=notes)

    def room(self) -> str:
        """What the file of the session's room says, as far as this session sees it; nothing where there is none."""
        pieces = self._pieces(room(self._agent.id, self._root.room)) if self._root.room else []
        return "\n".join(piece.text for piece in pieces if self._view.sees(piece.audience))

    # the slots

    def _identity(self) -> SlotSource:
        """Who the agent is: SOUL.md, or what persona and settings say where nobody has written one."""
        name = self._agent.name("SOUL.md")
        data = self._data(name)
        untouched = data == self._template(name)
        file = SourceFile(name, data.decode("utf-8", "replace"), is_template=untouched)
        choice = role_of(file, configured(self._agent))
        pieces = list(_blocks(name, choice.text.encode()))
        if choice.label:
            pieces = [replace(piece, document=choice.label, entry="") for piece in pieces]
        return SlotSource("", tuple(pieces), ordered=True)

    def _whole(self, path: str) -> SlotSource:
        """A file from its beginning; one that nobody has written in holds nothing."""
        name = self._agent.name(path)
        return SlotSource("", _blocks(name, self._read(name)), ordered=True)

    def _corrections(self, recalled: Recalled | None) -> SlotSource:
        """Corrections the index does not hold yet, then standing instructions, then the newest of the others.

        Instructions fit no question, so search does not find them: those in memory are told, and likely ones of messages.
        """
        pieces = sorted(self._pieces(self._agent.name("CORRECTIONS.md")), key=_time, reverse=True)
        is_urgent = self._settings.context.correction_overflow_strategy == "prioritize_unverified"
        urgent = [piece for piece in pieces if is_urgent and _unverified(piece.text)]
        others = (piece for piece in pieces if piece not in urgent)
        first, last = ([replace(piece, under=CORRECTIONS) for piece in some] for some in (urgent, others))
        news = SoulNews(self._agent).news(self._session)
        return SlotSource("", (*news, *first, *self._instructions(recalled), *last))

    def _instructions(self, recalled: Recalled | None) -> Iterator[ContextPiece]:
        """Standing instructions, the newest first: always, as far as there is room, and those that fit the message."""
        found = [
            (piece, words)
            for piece in self._remembered
            if piece.entry in self._stated and is_instruction(words := _LED.sub("", piece.text))
        ]
        fits = {hit.chunk.entry for hit in _relevant(recalled.hits)} if recalled else set()
        count = self._home.world.host.tokens(self._agent.model)
        left = _ALWAYS_TOKENS
        for piece, words in sorted(found, key=lambda each: _time(each[0]), reverse=True):
            always = not has_occasion(words)
            left -= count(f"{piece.text}\n") if always else 0
            if left >= 0 if always else piece.entry in fits:
                yield replace(piece, under=STANDING)

    def _recent(self) -> SlotSource:
        """The last days, the sessions in them and the room: what fits the message first, then the newest."""
        found: list[ContextPiece] = [*self._sessions()]
        if self._root.room:
            found += self._scored(self._pieces(room(self._agent.id, self._root.room)))
        now = self._home.world.clock.now().astimezone(self._zone)
        day = (now - timedelta(hours=min(self._settings.memory.retention.recent_hours, _MOST_HOURS))).date()
        while day <= now.date():
            part = 1
            while pieces := self._pieces(daily(self._agent.id, day, part)):
                found += self._scored(pieces)
                part += 1
            day += timedelta(days=1)
        told = {piece.document.removeprefix("memory/") for piece in found if piece.under == SHORT_TERM}
        found = [
            piece for piece in found if not any(f"]({path})" in piece.text for path in told)
        ]  # the diary's word on it
        found.sort(key=lambda piece: (piece.score, _time(piece)), reverse=True)
        return SlotSource(HEADINGS["recent"], tuple(found), by_time=True)

    def _sessions(self) -> Iterable[ContextPiece]:
        """What the sessions of the last days say of themselves, each on one line."""
        memory = self._settings.memory
        if not (memory.injection.enabled and memory.workspace.enabled):
            return
        past = [p for p in self._told(partial(past_sessions, self._agent)) if self._view.sees(p.audience)]
        for one in past[max(len(past) - memory.injection.max_items, 0) :]:
            left = self._reading.summary(one.summary, one.audience, one.day)
            text = injection([], [replace(one, summary=left)], self._view, 1).text.partition("\n")[2] if left else ""
            if text:
                document = f"memory/{one.path}"
                score = self._score(one.summary)
                yield ContextPiece(text, document, one.audience, score=score, needed=one.current, under=SHORT_TERM)

    def _found(self, recalled: Recalled | None) -> SlotSource:
        """What recall has to say to the message: entries and notes, and excerpts of talk, in the order of time."""
        if recalled is None:
            return SlotSource("", ())
        own = self._profile()
        hits = [
            hit for hit in _relevant(recalled.hits) if own is None or hit.chunk.path != own.path
        ]  # it has its own slot
        kept, again = without_repeats(hits, recalled, self._zone)
        kept, retold = _without_retold(kept)
        again += retold
        talk = excerpts(
            [(hit, _note(hit, recalled)) for hit in kept if is_excerpt(hit)],
            self._zone,
            here=self._session.room,
            telling=_telling,
            asked=self._asked,
            until=self._home.world.clock.now(),
            agents_words=asks_what_was_said(self._message),
            untold=(hit.chunk.entry for hit in again),
        )
        pieces = [
            *(
                line(hit.chunk, self._zone, here=self._session.room, score=hit.score, note=_note(hit, recalled))
                for hit in kept
                if not is_excerpt(hit)
            ),
            *talk,
        ]
        if not pieces:
            closing = UNKNOWN if asks(self._message) else ""
        elif recalled.answer == "unknown":
            closing = SECOND_HAND if all(hit.chunk.source == MEM0 for hit in hits) else DOUBTFUL
        else:
            closing = DISAGREE if recalled.answer == "conflicting" else ""
        repeats = tuple(line(hit.chunk, self._zone, score=hit.score) for hit in again)
        return SlotSource(HEADINGS["recall"], tuple(pieces), talk=True, closing=closing, repeats=repeats)

    def _marked(self, source: SlotSource) -> SlotSource:
        """A slot in which the lines are marked that have a wrong value of what the message is about."""
        wrong = [one for one, _ in self._reading.known if not one.again] if self._message else []
        return (
            replace(source, pieces=tuple(self._with_marks(piece, wrong) for piece in source.pieces))
            if wrong
            else source
        )

    def _with_marks(self, piece: ContextPiece, wrong: list[Correction]) -> ContextPiece:
        if piece.document == "CORRECTIONS.md" or is_anothers(piece.audience, self._reading.operators):
            return piece
        may_hold, where = FirstLook(piece.text).may_hold, ("", str(piece.audience))
        own = [one for one in wrong if may_hold(one.old) and (self._view.owner or one.place in where)]
        own = [one for one in own if asked_about(one, self._message)]
        lines = piece.text.split("\n") if own else []
        told = [f"{each} ({_CORRECTED})" if any(has_old(one, each) for one in own) else each for each in lines]
        return replace(piece, text="\n".join(told)) if told else piece

    def _people(self) -> SlotSource:
        """Profiles of the people being talked with or about."""
        own = self._profile()
        found = self._scored(self._pieces(own)) if own is not None else []
        for one in self._home.world.outside.profiles(self._settings.context.crm_source, self._names()):
            name = one_line(one.name)
            found.append(ContextPiece(f"- {name}: {item(one.text)}", f"profile of {name}", one.audience, score=1.0))
        return SlotSource(HEADINGS["people"], tuple(sorted(found, key=lambda piece: -piece.score)))

    def _profile(self) -> Name | None:
        """The profile of the person a private session is with."""
        root = self._root
        return profile(self._agent.id, root.subject.id) if root.kind == "dm" and root.subject else None

    def _names(self) -> list[str]:
        """Who and what the message names."""
        found = [word.strip(".,:;!?\"'()") for word in self._message.split()]
        return list(dict.fromkeys(word for word in found if word[:1].isupper() or not word.isascii()))

    def _long_term(self) -> SlotSource:
        """What fits the message first, then the newest."""
        found = sorted(self._remembered, key=lambda piece: (not piece.earlier, piece.score, _time(piece)), reverse=True)
        return SlotSource(HEADINGS["long_term"], tuple(found))

    @cached_property
    def _remembered(self) -> list[ContextPiece]:
        """The entries of MEMORY.md, and what is kept of the person a private session is with."""
        found = [piece for path in _LONG_TERM for piece in self._scored(self._pieces(self._agent.name(path)))]
        memory = self._settings.memory
        is_on = memory.injection.enabled and memory.workspace.enabled
        for known in self._told(partial(known_person, self._agent)) if is_on else ():
            text = injection([known], [], self._view, 1).text.partition("\n")[2]
            if text and self._reading.summary(known.text, known.audience):
                document, score = "long-term memory of this person", self._score(known.text)
                # Whose words these are is their own: they hold for their conversations, and are always told there.
                needed = is_standing(known.text)
                piece = ContextPiece(text, document, known.audience, entry=known.entry, score=score, needed=needed)
                found.append(replace(piece, under=LONG_TERM))
        return found

    @cached_property
    def _stated(self) -> set[str]:
        """The entries of MEMORY.md that are the operator's own words."""
        return {entry for path in _LONG_TERM for entry in _operators(self._read(self._agent.name(path)))}

    @property
    def _root(self) -> Session:
        """The conversation a helper works for, or the session itself."""
        root = self._session
        while root.parent is not None:
            root = root.parent
        return root

    def _told(self, gives: Callable[[Session], list[T]]) -> list[T]:
        """What is kept of a session; nothing, and a note, where it cannot be read."""
        try:
            return gives(self._session)
        except (OSError, Refused) as error:
            self._notes.append(f"memory is left out: {_reason(error)}")
            return []

    def _external(self) -> SlotSource:
        """What another program wrote for us; the operator's alone."""
        source = self._settings.context.external_source
        if not (source and self._settings.context.external_tokens):
            return SlotSource("", ())
        lines = [one_line(part) for part in self._home.world.outside.external(source).splitlines() if part.strip()]
        return SlotSource(
            HEADINGS["external"], tuple(ContextPiece(f"- {part}", source, OWNER) for part in lines), ordered=True
        )

    # what they are made of

    def _recalled(self) -> Recalled | None:
        if not self._message or not self._settings.memory.enabled:
            return None
        try:
            found = self._agent.recall(self._message, session=self._session, limit=_MOST, counted=False, turns=True)
            return without_turns(found, self._session, self._since)
        except Refused:  # search is switched off
            return None
        except Unavailable as error:
            self._notes.append(f"nothing could be recalled: {error}")
            return None

    def _read(self, name: Name) -> bytes:
        """A document that somebody has written in; nothing for our own template, or where files are switched off."""
        data = self._data(name)
        is_ours = data and audience_of(name) != PUBLIC and data == self._template(name)
        return b"" if is_ours else data

    def _template(self, name: Name) -> bytes:
        """What a document begins with."""
        if name not in self._templates:
            self._templates[name] = template(name, self._home.world.clock.now())
        return self._templates[name]

    def _data(self, name: Name) -> bytes:
        """The current text of a document, the same throughout one context; nothing, and a note, where it cannot be read."""
        if not self._settings.memory.workspace.enabled:
            return b""
        if name not in self._documents:
            self._documents[name] = b""
            try:
                self._documents[name] = self._agent.read(name).data or b""
            except (OSError, Refused) as error:
                if self._view.sees(audience_of(name)):
                    self._notes.append(f"{name.path} is left out: {_reason(error)}")
        return self._documents[name]

    def _pieces(self, name: Name) -> list[ContextPiece]:
        """The entries of a document, but for those that our template brought along."""
        data = self._read(name)
        if not data or not self._settings.memory.enabled:
            return []
        seed = self._template(name)
        ours = {text for text, _ in self._reading.entries(name, seed)} if seed else set()
        return [piece for text, piece in self._reading.entries(name, data) if text not in ours]

    @cached_property
    def _reading(self) -> SessionReading:
        """How documents are read for this session."""
        logs = [(name, self._data(name)) for name in logs_of(self._agent)]
        return SessionReading(
            chunking=self._settings.memory.search.chunking,
            zone=self._zone,
            logs=tuple((name, data) for name, data in logs if data and data != self._template(name)),
            owner=self._view.owner,
            operators=frozenset(self._home.people.operators),
        )

    def _scored(self, pieces: list[ContextPiece]) -> list[ContextPiece]:
        return [replace(piece, score=self._score(piece.text)) for piece in pieces] if self._asked else pieces

    def _score(self, text: str) -> float:
        """The share of the message's telling words that a text has."""
        return len(self._asked & _telling(text)) / max(len(self._asked), 1)


def configured(agent: AgentWorkspace) -> Configured:
    """What the settings say an agent is."""
    own = next((entry for entry in agent.home.settings.agents.list if entry.id == agent.id), None)
    if own is None:
        return Configured()
    name = own.persona.strip().casefold()
    return Configured(persona_of(name, persona_text(name)) if name else None, own.role, own.instructions)


def _relevant(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that score far less than the best; Mem0's scores are its own."""
    best = max((hit.score for hit in hits if hit.chunk.source != MEM0), default=0.0)
    return [hit for hit in hits if hit.chunk.source == MEM0 or hit.score >= _RELEVANT * best]


def _without_retold(hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Hits without those of the diary and of sessions' files that say nothing more than the others; and those."""
    said = frozenset[str]().union(*(_telling(hit.chunk.text) for hit in hits if not tells_of_talk(hit.chunk)))
    kept: list[Hit] = []
    retold: list[Hit] = []
    for hit in hits:
        own = _telling(_LABELS.sub(" ", hit.chunk.text)) if tells_of_talk(hit.chunk) else frozenset()
        (retold if own and len(own & said) >= _RETOLD * len(own) else kept).append(hit)
    return kept, retold


def _note(hit: Hit, recalled: Recalled) -> str:
    """What is to be said of a hit."""
    if any(hit.chunk.entry in pair for pair in recalled.disagreeing):
        return "another line here contradicts this"
    return "from Mem0" if hit.chunk.source == MEM0 else ""


def _reason(error: OSError | Refused) -> str:
    """Why something cannot be read, without saying where it lies."""
    return (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)


def _time(piece: ContextPiece) -> float:
    return piece.time.timestamp() if piece.time else 0.0


@lru_cache(maxsize=20_000)
def _telling(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if term not in STOPWORDS)


@lru_cache(maxsize=64)
def _operators(data: bytes) -> frozenset[str]:
    """The entries of a document that are the operator's own words."""
    return frozenset(entry.id for entry in parse(data).entries if is_operators(entry))


@lru_cache(maxsize=64)
def _blocks(name: Name, data: bytes) -> tuple[ContextPiece, ...]:
    return tuple(blocks(name, parse(data)))


def _unverified(text: str) -> bool:
    """Whether a correction says that the index does not hold it yet."""
    folded = text.casefold()
    place = folded.find(_VERIFIED)
    return place >= 0 and "false" in folded[place : place + len(_VERIFIED) + 12]
