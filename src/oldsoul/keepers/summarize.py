"""The session summarizer: what a conversation leaves behind, in its file of the day, the diary and long-term memory.

It asks a model if there is one, and goes by rules where there is none or its answer cannot be used. Whoever answers, an
item must rest on something that was said: a quotation that is not there is refused.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.documents.cached import DocumentCache
from oldsoul.documents.links import relative
from oldsoul.documents.model import folded
from oldsoul.keepers.conversation import Conversation
from oldsoul.keepers.promote import AUTHOR, Promotion, promote, promotions
from oldsoul.keepers.questions import (
    NUMBER,
    UNSUPPORTED,
    Findings,
    Keeper,
    Question,
    Read,
    asked,
    choice,
    is_quoted,
    items,
    numbered,
    record,
    text,
)
from oldsoul.language.sentences import cleaned, shortened
from oldsoul.rules.audience import seen_by
from oldsoul.rules.diary import DiaryEvent, diary_entry, marked, session_link
from oldsoul.rules.merge.sessions import (
    FACTS,
    FOLLOW_UPS,
    LINKS,
    SUMMARY,
    TASKS,
    Item,
    SummaryMerge,
    merged,
    task_key,
)
from oldsoul.rules.own_words import stated
from oldsoul.rules.promotion import FACTS as KEY_FACTS
from oldsoul.rules.promotion import GOALS, INDEX, KeepRequest, asks, lasts
from oldsoul.rules.summary import (
    SUMMARY_LENGTH,
    SummaryMessage,
    finished,
    headline,
    span,
    spoken,
    summarised,
    title_with_speakers,
    users,
)
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, ChangeSet, Operation, SetField, Tick
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.names import Kind, Name, daily, keeper_prompt, session_file
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry

KEEPER = "session-summarizer"
_SECTIONS = (SUMMARY, FACTS, TASKS, FOLLOW_UPS)
_MOST_ITEMS = 40
_MOST_TEXT = 2000
_MOST_TOLD = 600
_NOTHING_MUCH = "Nothing to keep."

SCHEMA = record(
    summary=text(_MOST_TEXT),
    items=items(
        _MOST_ITEMS,
        record(
            section=choice(*_SECTIONS),
            title=text(200),
            text=text(_MOST_TEXT),
            below=items(12, text(_MOST_TEXT)),
            done={"type": ["boolean", "null"]},
            replaces=text(20),
            message=NUMBER,
            quote=text(_MOST_TEXT),
        ),
    ),
    promote=record(section=choice(GOALS, KEY_FACTS), text=text(300), message=NUMBER, quote=text(_MOST_TEXT))
    | {"type": ["object", "null"]},
)
"""The form of a model's answer."""


@frozen
class _Digest:
    """What a conversation comes to, whoever found it out."""

    items: tuple[Item, ...]
    done: tuple[str, ...] = ()
    line: str = ""
    promotions: tuple[Promotion, ...] = ()
    notes: tuple[str, ...] = ()


def summarize(conversation: Conversation) -> Keeper:
    """What one session's messages of one day become."""
    if not conversation.heard:
        return Findings(notes=("this session has no messages by people or the agent",))
    name = session_file(conversation.workspace, conversation.day, conversation.session.id)
    said = spoken(conversation.messages, conversation.zone, conversation.agent)
    own = (name, *(other for other in conversation.recent if _is_part(other, name)))
    answer = yield from _asked(conversation, _documents((yield Read(own))))
    digest = _of_rules(conversation, said) if answer is None else _of_model(conversation, answer, said)
    # What stands may have moved while somebody thought: it is read again, and only that is changed.
    standing = _documents((yield Read((*conversation.recent, *own))))
    operations = _file(conversation, name, {part: standing[part] for part in own if part in standing}, digest)
    ticked = {operation.entry for operation in operations if isinstance(operation, Tick)}
    operations += [tick for tick in _ticked(conversation, standing, digest) if tick.entry not in ticked]
    operations.append(_diary(conversation, name, said, digest))
    # By where it begins: of two ends of one session at once, the first is the one that counts.
    key = f"summary:{conversation.session.id}:{conversation.day}:{conversation.first}"
    first_set = ChangeSet(tuple(operations), AUTHOR, "summary of this session", key, conversation.evidence)
    sets, notes = yield from promote(conversation, list(digest.promotions))
    return Findings((first_set, *sets), (*digest.notes, *notes))


_known = DocumentCache(lambda name, data: parse(data, is_log=name.is_log))
"""The files of the last days, which are asked for with every session."""


def _documents(answer: Mapping[Name, bytes | None]) -> dict[Name, Document]:
    """Those that there are."""
    return {name: _known(name, data) for name, data in answer.items() if data is not None}


def _is_part(name: Name, of: Name) -> bool:
    """Whether a document is a further part of another, which had grown too large."""
    stem = of.path.removesuffix(".md")
    rest = name.path.removeprefix(f"{stem}.").removesuffix(".md")
    return name.path.startswith(f"{stem}.") and rest.isdigit()


# who finds out what it comes to


def _of_rules(conversation: Conversation, said: Sequence[SummaryMessage]) -> _Digest:
    found = summarised(said)
    return _Digest(found.items, found.done, promotions=tuple(promotions(conversation)))


def _of_model(conversation: Conversation, answer: Mapping[str, Any], said: Sequence[SummaryMessage]) -> _Digest:
    """What a model says, as far as it rests on what was said; what does not is left out and told."""
    by_number = numbered(conversation.heard)
    items: list[Item] = []
    notes: list[str] = []
    for raw in answer["items"]:
        if _rests(raw, by_number):
            tasks = raw["section"] in (TASKS, FOLLOW_UPS)
            task = bool(raw["done"]) if tasks else None
            below = tuple(line for line in raw["below"] if line.strip())
            items.append(Item(raw["section"], raw["text"], raw["title"], task, below, raw["replaces"]))
        else:
            notes.append(f"the model's item was rejected, no message supports it: {shortened(raw['text'], 80)}")
    if not items:
        rules = _of_rules(conversation, said)
        return _Digest(rules.items, rules.done, "", rules.promotions, (*notes, "rules were used instead of the model"))
    kept = [_completed(item, said) for item in items if item.title.strip() or item.text.strip()]
    # The profile is the rules' own: what is true of a person is never a model's guess.
    own = [one for one in promotions(conversation) if one.asked.kind != INDEX]
    wanted = _wanted(answer["promote"], by_number, notes)
    done = [item.text for item in kept if item.task]
    return _Digest(tuple(kept), tuple(done), answer["summary"], (*wanted, *own), tuple(notes))


def _completed(item: Item, said: Sequence[SummaryMessage]) -> Item:
    """A topic of the summary with those who talked, when, and what happened, where a model left that out."""
    if item.section != SUMMARY:
        return item
    there = {line.partition(":")[0].strip().casefold() for line in item.children}
    facts = (("Users", users(said)), ("Datetime", span(said)), ("Event", item.text or item.title))
    missing = [f"{label}: {value}" for label, value in facts if label.casefold() not in there]
    return replace(item, children=(*missing, *item.children))


def _rests(raw: Mapping[str, Any], by_number: Mapping[int, Message]) -> bool:
    message = by_number.get(raw["message"])
    return message is not None and is_quoted(raw["quote"], message.text)


def _is_own(raw: Mapping[str, Any], message: Message) -> bool:
    """Whether what a model quotes are the sender's own words."""
    return is_quoted(raw["quote"], stated(message.text))


def _wanted(raw: Mapping[str, Any] | None, by_number: Mapping[int, Message], notes: list[str]) -> list[Promotion]:
    """What a model wants to promote, where a person asked for it and it will last."""
    if raw is None:
        return []
    message = by_number.get(raw["message"])
    if message is None or message.role != "user" or not asks(message.text) or not _is_own(raw, message):
        notes.append("the model's suggestion for long-term memory was rejected: nobody explicitly asked for it")
        return []
    if not lasts(raw["text"]):
        notes.append(
            "the model's suggestion for long-term memory was rejected: it is not lasting, or belongs in a profile"
        )
        return []
    return [Promotion(KeepRequest(INDEX, raw["section"], raw["text"].strip()), message)]


def _asked(
    conversation: Conversation, own: Mapping[Name, Document]
) -> Generator[Question, Any, Mapping[str, Any] | None]:
    """What a model says, told the entries that stand, with their ids, and the messages, with their numbers."""
    standing = [
        f"[{entry.id}] {entry.section} | {'' if entry.done is None else '[x] ' if entry.done else '[ ] '}{entry.body}"
        for name, document in own.items()
        for entry in document.entries
        if entry.form in (Form.ITEM, Form.NUMBERED) and seen_by(name, entry).fits(conversation.audience)
    ]
    said = [
        f"#{number} {m.time.astimezone(conversation.zone):%H:%M} {m.role} {m.sender or m.role}: {shortened(m.text, _MOST_TEXT)}"
        for number, m in numbered(conversation.heard).items()
    ]
    task = (
        f"Session {conversation.session.id} on {conversation.day}, for {conversation.audience}: what its file holds\n"
        "already (an item that means the same as one of these names its id in `replaces`), and what was said since."
    )
    by_number = numbered(conversation.heard)

    def problem(answer: Mapping[str, Any]) -> str:
        return "" if not answer["items"] or any(_rests(raw, by_number) for raw in answer["items"]) else UNSUPPORTED

    evidence = (*(standing or ["(nothing)"]), "", *said)
    prompt = keeper_prompt(conversation.workspace, KEEPER)
    return (yield from asked(prompt, task, evidence, SCHEMA, conversation.audience, problem=problem))


# what is written


def _file(conversation: Conversation, name: Name, own: Mapping[Name, Document], digest: _Digest) -> list[Operation]:
    """The operations on the session's own file."""
    document = own.get(name)
    audience = conversation.audience
    items = [*_apart(digest.items, own)]
    if conversation.previous is not None:
        items.append(Item(LINKS, f"[Previous day]({relative(name.path, conversation.previous.path)})"))
    known = {other.path for other in (*conversation.recent, name, *own)}
    ours = _changeable(conversation, ((n, e) for n, d in own.items() for e in d.entries))
    how = SummaryMerge(marked(audience), {entry.id for _, entry in ours}, known)
    operations: list[Operation] = [*_matter(conversation, name, document), *merged(own, name, items, how)]
    stated = document.matter.text("audience") if document else ""
    if not stated or stated == str(audience):
        shown = [e for n, d in own.items() for e in d.entries if seen_by(n, e).fits(audience)]
        titles = [
            title_with_speakers(e.title, e.body.split("\n")) for e in shown if folded(e.section) == folded(SUMMARY)
        ]
        titles += [
            title_with_speakers(item.title or item.text, item.children)
            for item in digest.items
            if item.section == SUMMARY
        ]
        said = shortened(cleaned(digest.line), SUMMARY_LENGTH)
        line = said or headline(titles) or headline(cleaned(item.text) for item in digest.items)
        operations.append(SetField(name, "summary", line or _NOTHING_MUCH))
    return operations


def _changeable(conversation: Conversation, entries: Iterable[tuple[Name, Entry]]) -> list[tuple[Name, Entry]]:
    """The entries that this conversation may change: of the same audience, and not the operator's when others spoke."""
    audience, by_operator = conversation.audience, conversation.by_operator
    return [
        (name, entry)
        for name, entry in entries
        if (by_operator or entry.fields.get("origin", Origin.OPERATOR) != Origin.OPERATOR)
        and seen_by(name, entry) == audience
    ]


def _apart(items: Sequence[Item], own: Mapping[Name, Document]) -> list[Item]:
    """The items, with another title where another conversation of the day began with the same words.

    Rules take a title from what was said first, which may be the same twice; then it names its time as well.
    """
    standing = {
        folded(entry.title): entry.body
        for document in own.values()
        for entry in document.entries
        if entry.title and folded(entry.section) == folded(SUMMARY)
    }
    return [_timed(item) if _clashes(item, standing) else item for item in items]


def _clashes(item: Item, standing: Mapping[str, str]) -> bool:
    """Whether an item has the title of another, and tells something else."""
    body = standing.get(folded(item.title)) if item.section == SUMMARY and not item.text else None
    events = [line for line in item.children if line.startswith("Event: ")]
    return body is not None and any(event not in body for event in events)


def _timed(item: Item) -> Item:
    when = next((line for line in item.children if line.startswith("Datetime: ")), "")
    clock = re.search(r"\d\d:\d\d", when)
    return replace(item, title=f"{item.title} ({clock[0] if clock else 'later'})")


def _matter(conversation: Conversation, name: Name, document: Document | None) -> list[Operation]:
    """The frontmatter that says whose the file is; what is said there already stays."""
    last = conversation.messages[-1]
    hidden = document is not None and document.matter.text(
        "summary"
    )  # it lost its mark: what it says stays the owner's
    wanted = {"audience": "" if conversation.audience == OWNER or hidden else str(conversation.audience)}
    wanted |= {"source": last.channel, "channel": conversation.room or last.channel}
    person = conversation.person
    if person is not None:
        names = [m.sender for m in conversation.messages if m.role == "user" and m.sender]
        wanted |= {"contact_id": person.id, "contact_nickname": shortened(names[-1], 100) if names else ""}
    stated = document.matter.values if document else {}
    return [
        SetField(name, key, value)
        for key, value in wanted.items()
        if not stated.get(key) and (value or (key == "contact_nickname" and key not in stated))
    ]


def _ticked(conversation: Conversation, files: Mapping[Name, Document], digest: _Digest) -> list[Tick]:
    """Tasks of recent files that are done now, where ticking them tells nobody anything they may not know."""
    exact = {task_key(item.text) for item in digest.items if item.task}
    if not exact and not digest.done:
        return []
    done = (
        (name, entry)
        for name, document in files.items()
        if name.kind is Kind.SESSION
        for entry in document.entries
        if entry.done is False and (task_key(entry.text) in exact or finished(entry.text, digest.done))
    )
    return [Tick(name, entry.id, done=True) for name, entry in _changeable(conversation, done)]


def _diary(conversation: Conversation, name: Name, said: Sequence[SummaryMessage], digest: _Digest) -> Add:
    """The day's entry in the agent's diary, which leads to the session's file."""
    topics = [item for item in digest.items if item.section == SUMMARY]
    results = [cleaned(line) for item in topics for line in item.children if line.startswith(("Result: ", "Open: "))]
    people = list(dict.fromkeys(m.who for m in said if m.heard and not m.agent))
    titles = [title_with_speakers(item.title, item.children if len(people) > 1 else ()) for item in topics]
    lines = [
        cleaned(title if not item.text else f"{title}: {item.text}".strip(": "))
        for title, item in zip(titles, topics, strict=True)
    ]
    day = daily(conversation.workspace, conversation.day)
    text = (
        cleaned(digest.line) or "; ".join(filter(None, lines)) or headline(cleaned(item.text) for item in digest.items)
    )
    happening = DiaryEvent(
        text="\n".join([shortened(text, _MOST_TOLD).strip("* \\") or _NOTHING_MUCH, *results]),
        time=said[-1].time,
        audience=conversation.audience,
        room=conversation.room,
        user=", ".join(people),
        link=session_link(relative(day.path, name.path)),
    )
    return diary_entry(day, happening)
