"""What of a conversation becomes long-term memory: only what was asked for, and only what is made to last.

Cues of the language files tell what a person wants kept, what will not last, what is a task, and what is true of the
person and therefore belongs in their profile. In doubt nothing is kept: the chat log has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from oldsoul.language.cues import about, codes, cue, straight
from oldsoul.language.languages import ENGLISH, detected_language
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.language.words import words
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.confidence import mentions
from oldsoul.rules.diary import is_first_person
from oldsoul.rules.own_words import stated
from oldsoul.values.frozen import frozen
from oldsoul.values.recall import Reuse

if TYPE_CHECKING:
    from oldsoul.documents import Entry

INDEX, PROFILE, TASK = "index", "profile", "task"
GOALS, FACTS = "Long-Term Goals / Projects", "Key Facts"
IDENTITY, PREFERENCES, CONSTRAINTS = "Identity", "Preferences", "Constraints"
_FEWEST_WORDS = 3
_MOST_CHARACTERS = 300
_LONGEST_ASKING = 500
_LONGEST_TOPIC = 40
_READ = 400
"""So many characters of a text tell its language."""
_KEEP = "keep"
_MASKED = "[masked: "
_END = " .!。！…;；:："
_AROUND = " -*•\t"
_PART = re.compile(r"[^,，]+")
_IN_QUOTES = re.compile(r"[\"“„«「『`][^\"“”„«»「」『』`\n]{1,60}[\"“”»」』`]")


@frozen
class KeepRequest:
    """Something a person asked to be remembered."""

    kind: str
    """`index` for long-term memory, `profile` for what is true of the person, `task` for what is to be done"""
    section: str
    """the heading it belongs under"""
    words: str
    """the person's own words, without those that ask"""


def spoken(text: str) -> str:
    """The language whose cues are looked for in a text: its own, or where a short text does not tell, one that has some."""
    text = text.strip()[:_READ]
    code = detected_language(_IN_QUOTES.sub(" ", text))
    if code or not text.isascii():
        return code if code in codes(_KEEP) else ENGLISH
    kinds = ("asked", "decided", "instruct", "self")
    return next((c for c in codes(_KEEP) if any(cue(_KEEP, kind, c).match(text) for kind in kinds)), ENGLISH)


def bare(sentence: str, code: str) -> str:
    """A sentence without the words that only lead to it."""
    text = sentence.strip(_AROUND)
    lead = cue(_KEEP, "lead", code)
    while (match := lead.match(text)) is not None and match.end() < len(text):
        text = text[match.end() :].lstrip(" ,:.!–-，、")
    return text


def wanted(sentence: str, code: str) -> str:
    """What a sentence asks to be kept, without the words that ask; empty when it asks for nothing, or for a task."""
    if (
        len(sentence) > _LONGEST_ASKING
        or ends_in_question(sentence)
        or _task(sentence, code)
        or asks_before(sentence, code)
    ):
        return ""
    sentence = sentence.strip()
    plain = straight(sentence).rstrip(_END)
    led = (plain[part.start() :] for part in _PART.finditer(plain) if part.start())
    joined = (text for whole in led if (text := bare(whole, code)) != whole.strip(_AROUND))  # "…, so please remember …"
    for text in (plain, bare(plain, code), *joined):
        match = cue(_KEEP, "asked", code).match(text)
        if match is not None:
            return _as_said(sentence, bare(text[slice(*about(match))], code).strip(" ,:，："))
    last = cue(_KEEP, "last", code)
    for part in _PART.finditer(plain):
        if part.start() and last.fullmatch(part[0].strip()) is not None:
            head = _as_said(sentence, bare(plain[: part.start()].rstrip(" ,，"), code))
            return head + sentence[part.end() : len(plain)]
    return ""


def asks_before(sentence: str, code: str) -> bool:
    """Whether a sentence only asks to keep the one before it; it may say please, and what for."""
    text = bare(straight(sentence), code).rstrip(_END)
    match = cue(_KEEP, "after", code).match(text)
    rest = text[match.end() :].strip(" ,、") if match is not None else "-"
    return not rest or cue(_KEEP, "beside", code).fullmatch(rest) is not None


def _as_said(sentence: str, plain: str) -> str:
    """Words of a sentence with straight apostrophes, as the sentence has them."""
    at = straight(sentence).find(plain)
    return sentence[at : at + len(plain)] if at >= 0 else plain


def _task(sentence: str, code: str) -> str:
    """What a sentence asks to be done."""
    plain = straight(sentence).strip().rstrip(_END)
    match = cue(_KEEP, "task", code).match(bare(plain, code)) or cue(_KEEP, "task", code).match(plain)
    return _as_said(sentence, match.string[slice(*about(match))].strip(" ,:，：")) if match is not None else ""


def asked(text: str) -> list[KeepRequest]:
    """What a message asks to be remembered in the sender's own words, in order."""
    text = stated(text)
    code = spoken(text)
    found = (_of_sentence(sentence, code) for sentence in sentences(text))
    return [one for one in found if one is not None]


def _of_sentence(sentence: str, code: str) -> KeepRequest | None:
    if len(sentence) > _LONGEST_ASKING or ends_in_question(sentence):
        return None
    task = _task(sentence, code)
    if task:
        return None if cue(_KEEP, "dangling", code).match(task) else KeepRequest(TASK, "Tasks", task)
    return _judged(wanted(sentence, code), code)


def _judged(kept: str, code: str) -> KeepRequest | None:
    """What happens to words that were asked to be kept; None when that is not clear, or they will not last."""
    unclear = len(kept) > _MOST_CHARACTERS or len(words(kept)) < _FEWEST_WORDS or _MASKED in kept
    if (
        unclear
        or any(_has(kind, kept, code) for kind in ("passing", "oneoff"))
        or cue(_KEEP, "dangling", code).match(kept)
    ):
        return None
    for section, kind in ((CONSTRAINTS, "constraint"), (PREFERENCES, "preference"), (IDENTITY, "identity")):
        if _has(kind, kept, code):
            return KeepRequest(PROFILE, section, kept)
    if any(value.kind in ("date", "time", "weekday") for value in typed_values(kept)):
        return None
    return KeepRequest(INDEX, GOALS if _has("goal", kept, code) else FACTS, kept)


def _has(kind: str, text: str, code: str) -> bool:
    return cue(_KEEP, kind, code).search(text) is not None


def asks(text: str) -> bool:
    """Whether a message asks explicitly, in the sender's own words, for something to be kept in memory."""
    text = stated(text)
    code = spoken(text)
    return any(wanted(sentence, code) for sentence in sentences(text))


def lasts(text: str) -> bool:
    """Whether words are a clear statement that is made to last, and not one about a person's profile."""
    found = _judged(text.strip(), spoken(text))
    return found is not None and found.kind == INDEX


def topic(text: str) -> str:
    """What a statement is about: its words up to the verb, where that is short enough to be a title."""
    code = spoken(text)
    end = cue(_KEEP, "verbs", code).search(text)
    if end is None or end.start() == 0:
        return ""
    found = cue(_KEEP, "article", code).sub("", text[: end.start()].strip(" ,，"), count=1).strip()
    if not found or len(found) > _LONGEST_TOPIC or is_first_person(found) or _has("pointing", found, code):
        return ""
    return found[0].upper() + found[1:]


def surplus(entries: Sequence[Entry], reuse: Mapping[str, Reuse], *, items: int, characters: int) -> list[Entry]:
    """The entries that have to go so that the rest fits: those least used and longest unused first."""
    size = sum(len(entry.body) for entry in entries)
    count = len(entries)
    gone: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: _worth(entry, reuse)):
        if count <= items and size <= characters:
            break
        gone.append(entry)
        count -= 1
        size -= len(entry.body)
    return gone


def _worth(entry: Entry, reuse: Mapping[str, Reuse]) -> tuple[int, str, int]:
    """How much an entry deserves its place: in how many sessions it was of use, when last, and where it is."""
    used = reuse.get(entry.id)
    times = (used.sessions if used else 0) + mentions(entry) - 1
    seen = max(entry.fields.get("seen", ""), entry.added)
    last = max(seen, used.last.date().isoformat() if used else "")
    return times, last, entry.line
