"""A conversation put into the items of a session's file by rules alone: people's own words, chosen, not rewritten."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from oldsoul.language.sentences import cleaned, name_of, sentences, shortened
from oldsoul.language.words import words
from oldsoul.rules.diary import offset
from oldsoul.rules.promotion import TASK, asked
from oldsoul.rules.session_merge import FACTS, FOLLOW_UPS, SUMMARY, TASKS, Item, task_key
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime, tzinfo

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
_LONGEST_LINE = 2000
_MOST_ASKED = 20_000
SUMMARY_LENGTH = 200

_URL = re.compile(r"https?://[^\s<>\"'`)\]，。；）】]+[^\s<>\"'`)\].,;:!?，。；）】]")
_TODO = re.compile(
    r"^\s*(?:[-*+]\s*)?(?:\[(?P<box>[ xX])\]\s*|(?:todo|to-do|task|action item|next step|待办|待辦|任务|任務|下一步)\s*[:：]\s*)(?P<words>\S.*)$",
    re.IGNORECASE,
)
_REMIND = re.compile(r"\b(?:please )?remind me to (?P<words>.+)$|(?:请|請)?提醒我(?P<zh>.+)$", re.IGNORECASE)
_FOLLOW = re.compile(
    r"^(?:(?:please|let's|let us|we should|i'll|i will|we'll|can you|could you|and|also|ok,?)\s+)*"
    r"(?P<words>(?:follow up (?:on|with)|check back (?:on|with|in)|get back to|come back to|circle back (?:on|to)|revisit)\s+.+)$"
    r"|^follow[- ]?up\s*[:：]\s*(?P<listed>.+)$|^(?:我们|我們|我|请|請|记得|記得|之后|之後)*+(?P<zh>(?:跟进|跟進|回头再|回頭再|稍后再|稍後再).+)$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^(?:(?:ok|okay|good news|fyi|hey|hi|so|and|yes)[,:!.]?\s+)*(?:(?:i|we)(?:'ve| have)?\s+(?:just |already |now |finally )*(?:finished|completed|done with|wrapped up|finalised|finalized)\s+|"
    r"(?:done|finished|completed)\s*[:：]\s*)(?P<words>.+)$"
    r"|^(?:(?:我|我们|我們)?(?:已经|已經|刚刚|剛剛|刚|剛|都)*+(?:完成了|做完了|搞定了|弄完了|写完了|寫完了)|已完成\s*[:：]\s*)(?P<zh>.+)$",
    re.IGNORECASE,
)
_IS_DONE = re.compile(
    r"^(?P<words>.{3,120}?)\s+(?:is|are|has been|have been) (?:now |all |finally )?(?:done|finished|complete|completed)$"
    r"|^(?P<zh>.{2,60}?)(?:已经|已經)?(?:做完|完成|搞定|弄好|写完|寫完)了$",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:decided|decision|agreed|agreement|settled on|we(?:'ll| will) go with|chose|chosen|resolved|fixed|solved|confirmed|approved|the plan is|concluded|it works|works now|merged|shipped|deployed)\b"
    r"|决定|決定|说好|說好|商定|约定|約定|同意|确认|確認|解决了|解決了|修好|完成了|定了|结论|結論|上线|上線",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|last|next|ago|\d{4}|\d{1,2}(?::\d\d|am|pm))\b|今天|明天|昨天|上周|下周|[0-9一二三四五六七八九十]+[点月日号]",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:i|i'm|i've|my|we|we've|our)\b|我", re.IGNORECASE)
_NAME = re.compile(r"(?<=[^\W\d_] )[A-Z]\w+")
_SECOND = re.compile(r"\b(?:you|your)\b|你|您", re.IGNORECASE)
_REACTION = re.compile(
    r"^(?:ok(?:ay)?|thanks?|thank you|great|nice|cool|wow|lol|haha|sure|yes|no|yeah|yep|nope|hi|hello|hey|good (?:morning|night|evening)|bye|see you|好的?|谢谢|謝謝|嗯|哈哈|你好|再见|再見|是的|不是)\b[\s!.,，。！~]*$",
    re.IGNORECASE,
)


@frozen
class Spoken:
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


def spoken(messages: Iterable[Message], zone: tzinfo, agent: str) -> list[Spoken]:
    """The messages as a summary sees them, in the order they were said."""
    said = sorted(messages, key=lambda m: (m.time, m.id))
    return [
        Spoken(
            who=agent if m.role == "assistant" else _name(m, agent),
            text=cleaned(m.text),
            time=m.time.astimezone(zone),
            agent=m.role == "assistant",
            heard=m.role in ("user", "assistant"),
        )
        for m in said
    ]


def _name(message: Message, agent: str) -> str:
    """What a person is called here, on one line, and never like the agent."""
    name = name_of(message.sender).replace(":", "∶") or (message.subject.id if message.subject else message.role)
    return f"{name} (a person)" if name.casefold() == agent.casefold() else name


def summarised(said: Sequence[Spoken]) -> Summary:
    """What these messages come to, stretch by stretch: a pause or a great many messages begin a new one."""
    items: list[Item] = []
    done: list[str] = []
    for stretch in _stretches(said):
        item = _told(stretch)
        if item is not None:
            items.append(item)
        items += _facts(stretch)
        for message in stretch:
            if message.heard:
                tasks, finished = _tasks(message)
                items += tasks
                done += finished
    return Summary(tuple(_bounded(items)), tuple(dict.fromkeys(done)))


def _stretches(said: Sequence[Spoken]) -> list[list[Spoken]]:
    found: list[list[Spoken]] = []
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


def _told(stretch: Sequence[Spoken]) -> Item | None:
    """One numbered item: who talked, when, the sentences that tell most, and what came of it."""
    lines = [(m, s) for m in stretch if m.heard for s in sentences(m.text)[:_MOST_SENTENCES] if not _REACTION.match(s)]
    if not lines:
        return None
    people = [(m, s) for m, s in lines if not m.agent] or lines
    openings = [s for _, s in people if len(words(s)) >= _FEWEST_WORDS]
    opening = next((s for s in openings if not _TODO.match(s)), openings[0] if openings else people[0][1])
    title = shortened(opening.rstrip(" .!?。！？…"), _TITLE_LENGTH)
    results = [line for line in lines if _RESULT.search(line[1]) and not line[1].endswith(("?", "？"))]
    rare = Counter(word for _, s in lines for word in set(words(s)))
    taken = {id(line) for line in results}
    candidates = [line for line in lines if id(line) not in taken] or lines
    scored = sorted(enumerate(candidates), key=lambda p: (-_telling(p[1][0], p[1][1], rare), p[0]))[:_TOLD]
    told = [line for _, line in sorted(scored)]
    children = [f"Users: {users(stretch)}", f"Datetime: {span(stretch)}", f"Event: {_quoted(told)}"]
    if results:
        children.append(f"Result: {_quoted(results[-2:])}")
    return Item(SUMMARY, "", title, children=tuple(children))


def users(said: Sequence[Spoken]) -> str:
    """Those who talked, each once."""
    return ", ".join(dict.fromkeys(message.who for message in said if message.heard))


def span(said: Sequence[Spoken]) -> str:
    """When they talked, by the agent's clock."""
    first, last = said[0].time, said[-1].time
    until = f"–{last:%H:%M}" if f"{last:%H:%M}" != f"{first:%H:%M}" else ""
    return f"{first:%Y-%m-%d %H:%M}{until} {offset(first)}"


def _quoted(lines: Iterable[tuple[Spoken, str]]) -> str:
    """Sentences with their speakers, each speaker named once in a row."""
    parts: list[str] = []
    speaker = ""
    for message, sentence in lines:
        words_ = shortened(sentence, _SENTENCE_LENGTH)
        parts.append(words_ if message.who == speaker else f"{message.who}: {words_}")
        speaker = message.who
    return " ".join(parts)


def _telling(message: Spoken, sentence: str, rare: Counter[str]) -> float:
    """How much a sentence tells: people's statements of when and who before questions and small talk."""
    found = words(sentence)
    score = min(len(found), 25) / 25
    score += (
        0.6 * bool(_TIME.search(sentence)) + 0.5 * bool(_FIRST.search(sentence)) + 0.4 * bool(_NAME.search(sentence))
    )
    score += 0.3 * bool(re.search(r"\d", sentence))
    score += 0.5 * sum(rare[word] == 1 for word in set(found)) / (len(set(found)) or 1)
    score -= 0.5 * sentence.endswith(("?", "？")) + 0.2 * bool(_SECOND.search(sentence)) + 0.4 * message.agent
    return score


# what is worth having at hand


def _facts(stretch: Sequence[Spoken]) -> list[Item]:
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


def _tasks(message: Spoken) -> tuple[list[Item], list[str]]:
    """What is to be done or come back to, and what is done."""
    items: list[Item] = []
    done: list[str] = []
    lines = (part for raw in message.text.splitlines() for part in ([raw] if _TODO.match(raw) else sentences(raw)))
    for line in islice(lines, _MOST_SENTENCES):
        plain = line[:_LONGEST_LINE].strip().rstrip(" .!。！")
        if listed := _TODO.match(plain):
            items.append(_task(TASKS, listed["words"], done=(listed["box"] or " ") in "xX"))
        elif finished := _words(_DONE.match(plain)) or _words(_IS_DONE.match(plain)):
            done.append(_bare(finished))
        elif follow := _words(_FOLLOW.match(plain)):
            items.append(_task(FOLLOW_UPS, follow))
        elif remind := _words(_REMIND.search(plain)):
            items.append(_task(TASKS, remind))
    if not message.agent:
        items += [_task(TASKS, one.words) for one in asked(message.text[:_MOST_ASKED]) if one.kind == TASK]
    return [item for item in items if task_key(item.text)], done


def _words(match: re.Match[str] | None) -> str:
    return next((found.strip() for found in match.groupdict().values() if found), "") if match else ""


def _task(section: str, text: str, *, done: bool = False) -> Item:
    return Item(section, shortened(text.strip().rstrip(" .。"), _SENTENCE_LENGTH), task=done)


def _bare(text: str) -> str:
    """A task's words without the article that talk puts before them."""
    return re.sub(r"^(?:the|my|our|writing|doing)\s+", "", text, flags=re.IGNORECASE)


def finished(task: str, done: Iterable[str]) -> bool:
    """Whether one of these says that the task is done: all its telling words are in the task, and most of the task's in it."""
    wanted = {word for word in words(task) if word not in _SMALL}
    for text in done:
        said = {word for word in words(text) if word not in _SMALL}
        if said and wanted and (said == wanted or (len(said) > 1 and said <= wanted and len(said) * 2 >= len(wanted))):
            return True
    return False


_SMALL = frozenset(
    {"the", "a", "an", "my", "our", "to", "of", "for", "it", "this", "that", "with", "and", "on", "in", "up"}
)


def headline(titles: Iterable[str]) -> str:
    """What a session's file says of itself in one line: its topics, the latest last."""
    found = list(dict.fromkeys(title.strip() for title in titles if title.strip()))
    line = "; ".join(found)
    while len(line) > SUMMARY_LENGTH and len(found) > 1:
        found.pop(0)
        line = "…; " + "; ".join(found)
    return shortened(line, SUMMARY_LENGTH)
