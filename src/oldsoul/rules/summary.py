"""A conversation put into the items of a session's file by rules alone: people's own words, chosen, not rewritten."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import cache
from itertools import islice
from typing import NamedTuple

from oldsoul.language.cues import about, any_cue, cue, straight
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import cleaned, name_of, sentences, shortened
from oldsoul.language.words import words
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.diary import attributed, is_first_person, offset
from oldsoul.rules.merge.sessions import FACTS, FOLLOW_UPS, SUMMARY, TASKS, Item, task_key
from oldsoul.rules.own_words import stated
from oldsoul.rules.promotion import TASK, asked, bare
from oldsoul.rules.promotion import spoken as spoken_in
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message

_PAUSE = timedelta(minutes=30)
_MOST_MESSAGES = 40
_TOLD = 3
_MOST_FACTS = 10
_MOST_TASKS = 20
_TITLE_LENGTH = 60
_SENTENCE_LENGTH = 240
_FEWEST_WORDS = 3
_MOST_SENTENCES = 400
_LONGEST_LINE = 500
_MOST_ASKED = 20_000
SUMMARY_LENGTH = 200

_AROUND = " .!,~。！，…"
_NAME = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-Þ]\w+|[\u30a0-\u30ff]{3,}|[\u3400-\u9fff]{4,}")
_URL = re.compile(r"https?://[^\s<>\"'`)\]，。；）】]+[^\s<>\"'`)\].,;:!?，。；）】]")
_BOX = re.compile(r"^\s*(?:[-*+]\s*)?\[(?P<box>[ xX])\]\s*(?P<words>\S.*)$")
_ASKS = re.compile(r"[?？][\"'”’)]*\s*$")
_OPEN = 2
"""How many open questions a summary names."""


@frozen
class SummaryMessage:
    """A message as a summary sees it."""

    who: str
    """the name of who said it"""
    text: str
    """the words"""
    time: datetime
    """when, in the agent's zone"""
    agent: bool
    """whether the agent said it"""
    heard: bool
    """whether it counts as said by a person or the agent, and not by a tool or a page"""


@frozen
class Summary:
    """What a conversation comes to."""

    items: tuple[Item, ...]
    """for the sections of its file"""
    done: tuple[str, ...]
    """what was said to be done; it ticks tasks that are there, and makes none"""


def spoken(messages: Iterable[Message], zone: tzinfo, agent: str) -> list[SummaryMessage]:
    """The messages as a summary sees them, in the order they were said."""
    said = sorted(messages, key=lambda m: (m.time, m.id))
    return [
        SummaryMessage(
            who=agent if m.role == "assistant" else _name(m, agent),
            text=cleaned(stated(m.text) if m.role == "user" else m.text),
            time=m.time.astimezone(zone),
            agent=m.role == "assistant",
            heard=m.role in ("user", "assistant"),
        )
        for m in said
    ]


def _name(message: Message, agent: str) -> str:
    """What a person is called here, on one line, and never like the agent."""
    name = name_of(message.sender).replace(": ", "∶ ") or (message.subject.id if message.subject else message.role)
    return f"{name} (a person)" if name.casefold() == agent.casefold() else name


def summarised(said: Sequence[SummaryMessage]) -> Summary:
    """What these messages come to, stretch by stretch: a pause or a great many messages begin a new one."""
    items: list[Item] = []
    done: list[str] = []
    for stretch in _stretches(said):
        item = _item(stretch)
        if item is not None:
            items.append(item)
        items += _facts(stretch)
        for message in stretch:
            if message.heard:
                tasks, finished = _tasks(message)
                items += tasks
                done += finished
    return Summary(tuple(_bounded(items)), tuple(dict.fromkeys(done)))


def _stretches(said: Sequence[SummaryMessage]) -> list[list[SummaryMessage]]:
    found: list[list[SummaryMessage]] = []
    for message in said:
        if not found or len(found[-1]) >= _MOST_MESSAGES or message.time - found[-1][-1].time > _PAUSE:
            found.append([])
        found[-1].append(message)
    return found


def _bounded(items: Iterable[Item]) -> Iterable[Item]:
    """The items, no more tasks and facts than a reader can use."""
    most = {FACTS: _MOST_FACTS, TASKS: _MOST_TASKS, FOLLOW_UPS: _MOST_TASKS}
    count: Counter[str] = Counter()
    for item in items:
        count[item.section] += 1
        if count[item.section] <= most.get(item.section, len(item.section) + 1000):
            yield item


# what was said


def _item(stretch: Sequence[SummaryMessage]) -> Item | None:
    """One numbered item: who talked, when, the statements that tell most, the result, what is left open.

    None where nothing was said that tells anything: greetings, thanks and requests do not.
    """
    lines = [
        _SummaryLine(m, s, _score(m, s, code))
        for m in stretch
        if m.heard
        for code in [spoken_in(m.text)]
        for s in sentences(m.text)[:_MOST_SENTENCES]
    ]
    results = [line for line in lines if line.score > 0 and _has("result", line.text, spoken_in(line.text))]
    others = [line for line in lines if line.score > 0 and line not in results and not line.said.agent]
    events = sorted(sorted(others, key=lambda line: -line.score)[:_TOLD], key=lines.index)
    answered = {id(m) for number, m in enumerate(stretch) if any(later.agent for later in stretch[number + 1 :])}
    asked_for = [x for x in lines if _ASKS.search(x.text) and not x.said.agent and id(x.said) not in answered]
    left = [line for line in asked_for if len(words(line.text)) > _FEWEST_WORDS and not _is_chat(line.text)]
    if not (events or results or left):
        return None
    first = (events or results or left)[0]
    title = shortened(first.text.rstrip(" .!?。！？…"), _TITLE_LENGTH)
    children = [f"Users: {users(stretch)}", f"Datetime: {span(stretch)}"]
    for label, some in (
        ("Event", events or left[:1]),
        ("Result", results[-2:]),
        ("Open", left[-_OPEN:] if events else []),
    ):
        children += [f"{label}: {line}" for line in map(_quoted, some)]
    return Item(SUMMARY, "", title, children=tuple(children))


class _SummaryLine(NamedTuple):
    """A sentence, who said it, and how much it tells."""

    said: SummaryMessage
    text: str
    score: float


def _quoted(line: _SummaryLine) -> str:
    """A sentence with its speaker."""
    text = shortened(line.text, _SENTENCE_LENGTH)
    return f"{line.said.who}: {text}" if line.said.who else text


def _is_chat(sentence: str) -> bool:
    code = spoken_in(sentence)
    plain = straight(sentence).strip(_AROUND)
    match = cue("keep", "chat", code).match(plain)
    return match is not None and len(words(plain[match.end() :])) <= _FEWEST_WORDS


def _score(message: SummaryMessage, sentence: str, code: str) -> float:
    """How much a sentence tells; nothing for a question, a greeting, a request, or a remark about nothing in particular."""
    plain = straight(sentence).strip()
    few = len(words(plain)) <= _FEWEST_WORDS
    listed = (
        _BOX.match(plain) or _URL.search(plain) or any(_line_of(kind, plain) for kind in ("todo", "follow", "done"))
    )
    if few or listed or _ASKS.search(plain) or _is_chat(plain):
        return 0.0
    asks = any(cue("keep", kind, code).match(bare(plain, code)) for kind in ("request", "work", "dangling", "ask"))
    values = typed_values(plain)
    names = bool(values) or _NAME.search(plain) is not None or _has("result", plain, code)
    first = is_first_person(plain)
    doubt = any(cue("keep", kind, code).search(plain) for kind in ("hedge", "you"))
    planned = first and any(value.kind in ("date", "time", "weekday") for value in values)
    if (asks and not planned) or (doubt and not (names or first)):
        return 0.0
    score = 0.6 * bool(values) + 0.5 * first + 0.5 * names + min(len(words(plain)), 25) / 25 + 0.5
    return score - 0.4 * message.agent - 0.4 * doubt


def _has(kind: str, text: str, code: str) -> bool:
    return cue("summary", kind, code).search(straight(text)) is not None


def _line_of(kind: str, text: str) -> str:
    """What a phrase of this kind is about, in whatever language it begins a text."""
    match = any_cue("summary", kind).match(text)
    return text[slice(*about(match))].strip() if match is not None else ""


def users(said: Sequence[SummaryMessage]) -> str:
    """Those who talked, each once."""
    return ", ".join(dict.fromkeys(message.who for message in said if message.heard))


def span(said: Sequence[SummaryMessage]) -> str:
    """When they talked, by the agent's clock."""
    first, last = said[0].time, said[-1].time
    until = f"–{last:%H:%M}" if f"{last:%H:%M}" != f"{first:%H:%M}" else ""
    return f"{first:%Y-%m-%d %H:%M}{until} {offset(first)}"


# what is worth having at hand


def _facts(stretch: Sequence[SummaryMessage]) -> list[Item]:
    """Addresses that were named, each with what was said of it."""
    found: dict[str, Item] = {}
    for message in stretch:
        for sentence in sentences(message.text)[:_MOST_SENTENCES] if message.heard else ():
            for url in _URL.findall(sentence[:_LONGEST_LINE])[: _MOST_FACTS - len(found)]:
                said = f"{message.who}, {message.time:%H:%M}"
                bare = len(words(_URL.sub("", sentence))) < _FEWEST_WORDS
                about = () if bare else (f"About: {shortened(sentence, _SENTENCE_LENGTH)}",)
                children = (*about, f"Said by: {said}")
                place = shortened(url.partition("://")[2].rstrip("/"), _TITLE_LENGTH)
                found.setdefault(url, Item(FACTS, f"[{_in_brackets(place)}]({url})", children=children))
    return list(found.values())


def _in_brackets(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _tasks(message: SummaryMessage) -> tuple[list[Item], list[str]]:
    """What is to be done or come back to, and what is done."""
    items: list[Item] = []
    done: list[str] = []
    lines = (part for raw in message.text.splitlines() for part in ([raw] if _BOX.match(raw) else sentences(raw)))
    for line in islice(lines, _MOST_SENTENCES):
        plain = straight(line[:_LONGEST_LINE]).strip().rstrip(" .!。！")
        if box := _BOX.match(plain):
            items.append(_task(message, TASKS, box["words"], done=box["box"] in "xX"))
        elif listed := _line_of("todo", plain):
            items.append(_task(message, TASKS, listed))
        elif finished := _line_of("done", plain):
            done.append(_bare(finished))
        elif follow := _line_of("follow", plain):
            items.append(_task(message, FOLLOW_UPS, follow))
    if not message.agent:
        items += [_task(message, TASKS, one.words) for one in asked(message.text[:_MOST_ASKED]) if one.kind == TASK]
    return [item for item in items if task_key(item.text)], done


def _task(message: SummaryMessage, section: str, text: str, *, done: bool = False) -> Item:
    """Something to do, with who said so below it."""
    said = f"Said by: {message.who}, {message.time:%H:%M}"
    return Item(section, shortened(text.strip().rstrip(" .。"), _SENTENCE_LENGTH), task=done, children=(said,))


@cache
def _small() -> frozenset[str]:
    """Little words that are before a task in talk."""
    return frozenset(word_list("summary")["en"]["small"].split())


def _bare(text: str) -> str:
    """A task's words without those that talk puts before them."""
    first, _, rest = text.partition(" ")
    return _bare(rest) if rest and first.casefold() in _small() else text


def finished(task: str, done: Iterable[str]) -> bool:
    """Whether one of these says that the task is done: all its telling words are in the task, and most of the task's in it."""
    wanted = {word for word in words(task) if word not in _small()}
    for text in done:
        said = {word for word in words(text) if word not in _small()}
        if said and wanted and (said == wanted or (len(said) > 1 and said <= wanted and len(said) * 2 >= len(wanted))):
            return True
    return False


def title_with_speakers(title: str, below: Iterable[str]) -> str:
    """A topic with its speakers in front, by the lines below it: who said what happened first, else all who talked."""
    facts = {label: said for label, _, said in (line.strip(" -*").partition(": ") for line in reversed([*below]))}
    everybody = facts.get("Users", "")
    first = next((who for who in everybody.split(", ") if who and facts.get("Event", "").startswith(f"{who}: ")), "")
    return attributed(title, first or everybody) if title else ""


def headline(titles: Iterable[str]) -> str:
    """What a session's file says of itself in one line: its topics, the latest last."""
    found = list(dict.fromkeys(title.strip() for title in titles if title.strip()))
    line = "; ".join(found)
    while len(line) > SUMMARY_LENGTH and len(found) > 1:
        found.pop(0)
        line = "…; " + "; ".join(found)
    return shortened(line, SUMMARY_LENGTH)
