"""From a conversation to long-term memory: what was asked for goes to the person's own files, or to the room's."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.documents import Form
from oldsoul.documents.entries import takeable
from oldsoul.documents.model import folded
from oldsoul.judging.contradictions import with_superseded
from oldsoul.keepers.conversation import Conversation, evidence
from oldsoul.keepers.current_documents import documents
from oldsoul.keepers.questions import Question, Reused
from oldsoul.rules.confidence import mention_key, said_again
from oldsoul.rules.diary import attributed, speaker
from oldsoul.rules.merge.sessions import similarity
from oldsoul.rules.promotion import INDEX, PROFILE, KeepRequest, asked, surplus, topic
from oldsoul.values.audience import Reach
from oldsoul.values.changes import Add, Author, ChangeSet, Move, Operation, Role, SetField
from oldsoul.values.messages import Message
from oldsoul.values.names import Name, archived_profile, longterm, profile, room
from oldsoul.values.origin import Origin
from oldsoul.values.recall import Reuse

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry

AUTHOR = Author(Role.KEEPER, "session-summarizer")
_SAME = 0.8
_NOTES = "Notes"
_BESIDE = 24
"""So many characters an entry has beside its text and title."""


class Promotion(NamedTuple):
    """Something that is to be kept for long, and whose words it is."""

    asked: KeepRequest
    """what"""
    message: Message
    """the message that asked for it"""

    @property
    def verbatim(self) -> bool:
        """Whether these are the person's own words, and not a model's."""
        return folded(self.asked.words) in folded(self.message.text)


def promotions(conversation: Conversation) -> list[Promotion]:
    """What the person asked to be kept, by rules."""
    said = [message for message in conversation.messages if message.role == "user"]
    return [Promotion(one, message) for message in said for one in asked(message.text)]


def promote(
    conversation: Conversation, wanted: list[Promotion]
) -> Generator[Question, Any, tuple[list[ChangeSet], list[str]]]:
    """The changes that keep these things where they belong, and what a person should know."""
    where = conversation.audience.reach
    kept = [one for one in wanted if one.asked.kind in (INDEX, PROFILE)]
    if not kept:
        return [], []
    if where is Reach.ROOM and conversation.room:
        return (yield from _in_room(conversation, kept)), []
    if conversation.person is None or where is Reach.PUBLIC:
        return [], ["nothing was kept for the long term: this session belongs to no person"]
    own = [one for one in kept if _is_persons(one.message, conversation)]
    others = [one.asked.words for one in kept if one not in own]
    notes = [f"not kept, because somebody other than {conversation.person} asked: {words}" for words in others]
    sets: list[ChangeSet] = []
    index = [one for one in own if one.asked.kind == INDEX]
    if index:
        sets += yield from _to_index(conversation, conversation.person.id, index[0])
        notes += [f"left in the chat log, one item is kept per session: {one.asked.words}" for one in index[1:]]
    for ordinal, one in enumerate(one for one in own if one.asked.kind == PROFILE):
        sets += yield from _to_profile(conversation, conversation.person.id, one, ordinal)
    return sets, notes


def _is_persons(message: Message, conversation: Conversation) -> bool:
    """Whether the person of a private session said this, and the operator by more than a file's word."""
    person = conversation.person
    if person is None or message.subject is None or message.subject.id != person.id:
        return False
    return person.id not in conversation.operators or message.origin is Origin.OPERATOR


def _to_index(conversation: Conversation, person: str, one: Promotion) -> Generator[Question, Any, list[ChangeSet]]:
    """One item for the person's long-term memory; what is used least makes room for it."""
    name = longterm(conversation.workspace, person)
    document = yield from _document(name)
    operations: list[Operation] = [*_kept(document, name, one, conversation)]
    if operations and isinstance(operations[0], Add):
        entries = items(document)
        reuse = yield Reused(tuple(entry.id for entry in entries))
        archive = archived_profile(conversation.workspace, person, conversation.day)
        operations += making_room(operations[0], entries, reuse, archive)
    key = f"promote:{conversation.session.id}:{conversation.day}"
    return [with_superseded(made, items(document)) for made in _sets(operations, "asked for explicitly", key, one)]


class Capacity(NamedTuple):
    """How much a person's long-term memory holds."""

    items: int
    """entries"""
    characters: int
    """characters of all of them"""


CAPACITY = Capacity(items=100, characters=3000)
"""That of every person's."""


def making_room(add: Add, entries: list[Entry], reuse: Mapping[str, Reuse], archive: Name) -> list[Operation]:
    """The moves to the archive that leave room for an addition: of what is used least, and was longest ago."""
    size = len(add.text) + len(add.title) + _BESIDE
    gone = surplus(entries, reuse, items=max(CAPACITY.items - 1, 0), characters=max(CAPACITY.characters - size, 0))
    return [Move(add.name, entry.id, to=archive) for entry in takeable(gone)]


def _to_profile(
    conversation: Conversation, person: str, one: Promotion, number: int
) -> Generator[Question, Any, list[ChangeSet]]:
    """What is true of a person: the operator's to MEMORY.md, and proposed for USER.md; another's to their profile."""
    ordinal = f"{one.message.id}:{one.asked.section}:{number}"
    if person not in conversation.operators:
        name = profile(conversation.workspace, person)
        document = yield from _document(name)
        operations = _kept(document, name, one, conversation)
        return _sets(operations, "what this person says about themselves", f"profile:{ordinal}", one)
    memory, user = Name(conversation.workspace, "MEMORY.md"), Name(conversation.workspace, "USER.md")
    document = yield from _document(memory)
    noted = _kept(document, memory, _named(one), conversation, "")
    sets = [
        with_superseded(made, items(document))
        for made in _sets(noted, "what the operator says", f"profile:{ordinal}", one)
    ]
    document = yield from _document(user)
    if _same(document, one.asked.words) is None:
        add = Add(user, one.asked.words, section=one.asked.section, added=conversation.day.isoformat())
        sets += _sets([add], "the operator said so", f"user:{ordinal}", one)
    return sets


def _in_room(conversation: Conversation, kept: list[Promotion]) -> Generator[Question, Any, list[ChangeSet]]:
    """What somebody asked a room's agent to remember: the room keeps it, under the speaker's name."""
    name = room(conversation.workspace, conversation.room)
    document = yield from _document(name)
    sets: list[ChangeSet] = []
    for number, one in enumerate(kept):
        noted = replace(_named(one).asked, kind=INDEX, section=_NOTES)
        operations = _kept(
            document,
            name,
            Promotion(noted, replace(one.message, text=noted.words)),
            conversation,
            topic(one.asked.words),
        )
        sets += _sets(operations, "asked for in this room", f"room:{one.message.id}:{number}", one)
    return sets


def _named(one: Promotion) -> Promotion:
    """The same with who said it in front."""
    said = attributed(one.asked.words, speaker(one.message, one.asked.words))
    return one._replace(asked=replace(one.asked, words=said), message=replace(one.message, text=said))


def _kept(
    document: Document | None, name: Name, one: Promotion, conversation: Conversation, about: str | None = None
) -> list[Operation]:
    """The entry that says it, or, where one does already, that it was said again."""
    today = conversation.day.isoformat()
    known = _same(document, one.asked.words)
    strong = one.message.origin is Origin.OPERATOR and one.verbatim
    if known is not None:
        if known.fields.get("src") == f"m:{one.message.id}":
            return [SetField(name, "src", f"m:{one.message.id}", known.id)]  # it was taken from there: nothing changes
        if known.fields.get("origin", Origin.OPERATOR) == Origin.OPERATOR and not strong:
            return []  # a weaker repeat leaves what the operator said as it is
        origin = one.message.origin if one.verbatim else one.message.origin.weaker(Origin.AGENT)
        noted = said_again(known, origin, conversation.day, conversation.confidence)
        return [SetField(name, field, value, known.id) for field, value in noted.items()]
    title = topic(one.asked.words) if about is None else about
    if title and document is not None and any(folded(e.title) == folded(title) for e in document.entries):
        title = ""  # another fact about the same thing
    sure = "0.95" if strong else "0.8" if one.verbatim else "0.6"
    fields = {"conf": sure, "seen": today, "src": f"m:{one.message.id}"}
    section = one.asked.section
    return [Add(name, one.asked.words, title=title, section=section, added=today, fields=fields)]


def _same(document: Document | None, said: str) -> Entry | None:
    """The entry that says this already."""
    for entry in items(document):
        words = entry.text.partition(" (added ")[0]
        bare = words.partition("**: ")[2] if entry.title else words
        if folded(said) in (folded(words), folded(bare)) or similarity(said, bare) >= _SAME:
            return entry
    return None


def items(document: Document | None) -> list[Entry]:
    """The entries of a document's lists."""
    return [e for e in document.entries if e.form in (Form.ITEM, Form.NUMBERED)] if document else []


def _document(name: Name) -> Generator[Question, Any, Document | None]:
    return (yield from documents([name])).get(name)


def _sets(operations: list[Operation], reason: str, key: str, one: Promotion) -> list[ChangeSet]:
    """The change that does this, where there is anything to do; what a model worded is the agent's word."""
    if not operations:
        return []
    cited = evidence([one.message], one.asked.words if one.verbatim else "")
    if not one.verbatim:
        cited = replace(cited, origin=cited.origin.weaker(Origin.AGENT))
    first = operations[0]
    if isinstance(first, SetField):
        key = mention_key(cited.ref, first.entry)
    return [ChangeSet(tuple(operations), AUTHOR, reason, key, (cited,))]
