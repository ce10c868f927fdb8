"""Corrections as CORRECTIONS.md has them: how one is written, read again whoever wrote it, and which of them hold."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.judging.corrections.values import (
    MOST_WORDS,
    TRIMMED,
    ValueMention,
    alternatives,
    among,
    candidates,
    content,
    figures,
    first_clause,
    holds,
    is_little,
    is_part,
    last_clause,
    listed,
    matter,
    of_any,
    places,
    sought,
    typed_whole,
    values_of,
)
from oldsoul.language.cues import straight
from oldsoul.language.languages import language
from oldsoul.language.sentences import AGENT, parts
from oldsoul.language.words import is_unspaced
from oldsoul.reading.typed_values import Value, agree, comparable, typed_values
from oldsoul.rules.correction_labels import FIELD, labelled
from oldsoul.rules.own_words import NOTHING, own_words
from oldsoul.values.audience import Audience, Reach
from oldsoul.values.frozen import frozen
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from oldsoul.documents import Document, Entry


@frozen
class ValueChange:
    """What a replacement comes to in one statement: this value, and nothing else, becomes another."""

    start: int
    """where the wrong value begins in the statement"""
    end: int
    """where it ends"""
    old: str
    """the wrong value as the statement has it"""
    new: str
    """the right value as the message has it"""

    def applied(self, statement: str) -> str:
        """The statement with the right value."""
        return f"{statement[: self.start]}{self.new}{statement[self.end :]}"


def change(replacement: Replacement, statement: str) -> ValueChange | None:
    """What a replacement changes in a statement; None unless its wrong value is there once, as a whole, and fits the right one."""
    for phrase in (*_aligned(replacement), *candidates(replacement.old, replacement.code)):
        typed = typed_whole(phrase) or _typed_there(statement, phrase)
        made = _typed_change(replacement, statement, typed) if typed else _worded_change(replacement, statement, phrase)
        if made is not None:
            fits = made.old.casefold() != made.new.casefold() and not holds(statement, made.new)
            return made if fits else None
    return None


def speaks_of(replacement: Replacement, made: ValueChange, statement: str, around: str = "") -> bool:
    """Whether a correction may be of what a statement is about: whatever it names before its values is there too.

    `around` is what was said around the statement, which may name its subject as well.
    """
    named = _subject(replacement, made) - content(made.old) - content(made.new)
    return not named - among(named, content(statement) | content(around))


def shares_topic(text: str, made: ValueChange, statement: str) -> bool:
    """Whether a text has a word of what a statement is about, besides the two values."""
    values = content(made.old) | content(made.new)
    return bool(among(content(text) - values, content(statement) - values))


def _subject(replacement: Replacement, made: ValueChange) -> frozenset[str]:
    """What a sentence names before its values, as far back as it speaks of one thing."""
    before = replacement.subject
    for slot, value in ((replacement.new, made.new), (replacement.old, made.old)):
        if slot.ahead and (found := list(places(slot.text, value))):
            before += " " + slot.text[: found[-1][0]]
    last = re.split(r"[:：;；]", before)[-1]
    parts = of_any(listed("ends", replacement.code)).split(last)
    return next(filter(None, (content(part, replacement.code) for part in reversed(parts))), frozenset())


def _aligned(replacement: Replacement) -> Iterator[str]:
    """The wrong value from the little word on that the right one begins with too: `da Parma` for `da Pavia`."""
    old, new = replacement.old.text.split(), replacement.new.text.split()
    if not replacement.old.behind and new and is_little(new[0], replacement.code) and new[0] in old[1:]:
        yield " ".join(old[old.index(new[0], 1) :]).strip(TRIMMED)


def _led_up(text: str, code: str) -> str:
    """A text without the words that lead up to a value at its beginning."""
    leads = of_any(listed("is", code))
    while (found := leads.match(text)) is not None and found.end():
        text = text[found.end() :].strip(TRIMMED)
    return text.strip(TRIMMED)


def _typed_there(statement: str, phrase: str) -> Value | None:
    """The typed value that a phrase is where a statement has it: `May` is a month after `in`."""
    spans = set(places(statement, phrase))
    return next((v for v in typed_values(statement) if (v.start, v.end) in spans), None)


def _typed_change(replacement: Replacement, statement: str, old: Value) -> ValueChange | None:
    values = typed_values(statement)
    same = [v for v in values if comparable(old, v) and agree(old, v)]
    if not same and old.kind == "number" and not old.unit:  # `1150` of `1150 euros a month`
        starts = {start for start, _ in places(statement, old.said.strip(TRIMMED))}
        same = [v for v in values if v.kind == "number" and (figures(v) or (v.start, v.end))[0] in starts]
    if len(same) != 1 or is_part(statement, same[0].start, same[0].end):
        return None
    place, start, end = same[0], same[0].start, same[0].start + len(same[0].said.rstrip(TRIMMED))
    known = values_of(replacement.new, replacement.code)
    news = [v for v in known if comparable(place, v) and not agree(place, v)]
    if len(news) != 1 or any(a is None and b is not None for a, b in zip(news[0].key, place.key, strict=False)):
        return None  # the fifth, of which month?
    new, said = news[0], news[0].said.strip(TRIMMED)
    if new.kind == "number" and bool(place.unit) != bool(new.unit):  # `45` is for the number, and not for `40 euros`
        if place.unit:
            start, end = figures(place) or (start, start + len(place.said.rpartition(" ")[0] or place.said))
        elif number := figures(new):
            said = new.said[number[0] - new.start : number[1] - new.start]
    return ValueChange(start, end, statement[start:end], said)


def _worded_change(replacement: Replacement, statement: str, phrase: str) -> ValueChange | None:
    code = replacement.code
    if not phrase or all(is_little(word, code) for word in phrase.split()):
        return None
    found = list(places(statement, phrase))
    if len(found) != 1 or (_is_name(phrase) and _goes_on(statement, found[0][1])):
        return None
    start, end = found[0]
    new = first_clause(replacement.new.text, code) if replacement.new.behind else replacement.new.text
    new = last_clause(new, code) if replacement.new.ahead else _led_up(new, code)
    if not new:
        return None
    if any(map(is_unspaced, new)):
        return ValueChange(start, end, statement[start:end], new) if len(new) <= 4 * MOST_WORDS else None
    before, after = statement[:start].split(), statement[end:].split()
    tokens = _fitted(new.split(), before, after)
    lead, core = _led(tokens, code)
    old_lead, old_core = _led(statement[start:end].split(), code)
    if old_lead and (not lead or lead == old_lead):
        start, lead = statement.index(old_core[0], start), []
    elif lead and not old_lead:
        if not all(word in listed("article", code) for word in lead) and lead != _low(before[-len(lead) :]):
            return None  # another little word than the statement's makes it another thing
        lead = []
    if any(token[:1].isupper() for token in core) and (core[0][:1].isupper() or _is_name(statement[start:end])):
        core = _name_of(core, from_end=replacement.new.ahead)
    elif replacement.new.ahead:
        core = core[max((n + 1 for n, token in enumerate(core) if is_little(token, code)), default=0) :]
    both = [*tokens[: len(lead)], *core] if lead else core
    most = len(old_core) + 2 if replacement.new.ahead else MOST_WORDS
    if not core or len(both) > most or bool(typed_values(" ".join(both))) > bool(typed_values(phrase)):
        return None
    return ValueChange(start, end, statement[start:end], " ".join(both).strip(TRIMMED))


def _fitted(tokens: list[str], before: list[str], after: list[str]) -> list[str]:
    """The words of the right value without those that the statement has around the wrong one."""
    around = content(" ".join(before))
    held = frozenset(_low(before))
    while len(tokens) > 1 and (_low(tokens[:1])[0] in held or among(content(tokens[0]), around)):
        tokens = tokens[1:]
    for size in range(min(len(tokens) - 1, len(after)), 0, -1):
        if _low(tokens[-size:]) == _low(after[:size]):
            return tokens[:-size]
    return tokens


def _led(tokens: list[str], code: str) -> tuple[list[str], list[str]]:
    """The little words that a phrase begins with, in lower case, and the rest."""
    count = next((n for n, token in enumerate(tokens) if not is_little(token, code)), len(tokens))
    return _low(tokens[:count]), tokens[count:]


def _low(tokens: Iterable[str]) -> list[str]:
    return [token.strip(TRIMMED).casefold() for token in tokens]


def _is_name(phrase: str) -> bool:
    return phrase.rpartition(" ")[2][:1].isupper()


def _goes_on(statement: str, end: int) -> bool:
    """Whether a name goes on with another word of it: Leeds is not Leeds United."""
    following = re.match(r"\.? (\w)", statement[end:])
    return following is not None and following[1].isupper()


def _name_of(tokens: list[str], *, from_end: bool) -> list[str]:
    """The words of a name: consecutive words with a capital."""
    order = list(reversed(tokens)) if from_end else tokens
    count = next(
        (n for n, token in enumerate(order) if not (token[:1].isupper() or token[:1] in "&0123456789")), len(order)
    )
    return tokens[len(tokens) - count :] if from_end else tokens[:count]


_LONGEST = 300
"""A longer message is no correction: it tells something, or hands something over."""
_SPEAKER = re.compile(r"([A-Z][\w'-]{0,30})(?: \([^)\n]{1,20}\))?:[ \t]+\S")
_DOT = "\x01"
"""Stands for a full stop that ends nothing."""
_TOKEN = re.compile(r"\{(\w+)\}|([,，、]\s*)|([?？]\s*)|([.。]\s*)|(\s+)|([^{},，、?？.。\s]+)")
_RUN = r"(?:[^.!?…。！？\n\x00]|\.(?=\S))"
_BREAK = r"\s*[,;:.!()\[\]…–—、，。！；：（）-][\s,;:.!()\[\]…–—、，。！；：（）-]*"
_SENTENCE = re.compile(r"(?:[.!?…]+(?=\s|$)|[。！？\n\x00])")


@frozen
class Replacement:
    """What an explicit form says: one value in the place of another."""

    old: ValueMention
    """what is wrong"""
    new: ValueMention
    """what is right"""
    clause: str
    """the sentence, or the two, that say so"""
    message: str
    """the message, without what it quotes"""
    subject: str
    """what is in the sentence before the two values"""
    code: str
    """the language"""


# what a message says


def _by_sentences(plain: str) -> str:
    """A text in which a full stop ends a sentence wherever a space follows it; that of `Dr.` is another sign."""
    return "".join(re.sub(r"\.(?=\s+\S)", _DOT, part) for part in parts(plain))


def correcting(text: str) -> str:
    """What of a message may put something right, with plain apostrophes: the sender's own words.

    Nothing of a long one, and nothing of one that begins with the name of somebody who says it.
    """
    said = straight(own_words(text)).strip() if len(text.strip()) <= _LONGEST else ""
    speaker = _SPEAKER.match(said)
    return "" if speaker is not None and content(speaker[1]) else said


def explicit(text: str) -> list[Replacement]:
    """The corrections that a message makes in an explicit form, in the order of the forms."""
    plain = _by_sentences(correcting(text))
    code = language(plain.replace(NOTHING, " ")) if plain else ""
    if not code:
        return []
    found: dict[int, Replacement] = {}
    for form in (*_forms("forms", code), *_forms("figures", code)):
        for match in form.finditer(plain):
            made = _replacement(plain, match, code)
            if made is not None and (form not in _forms("figures", code) or _is_of_figures(made)):
                found.setdefault(match.start("old"), made)
    return list(found.values())


def _replacement(plain: str, match: re.Match[str], code: str) -> Replacement | None:
    """What a match of a form says; None where the sentence asks, supposes, or tells what others say."""
    starts = [end.end() for end in _SENTENCE.finditer(plain, 0, match.start())]
    start = starts[-1] if starts else 0
    ending = _SENTENCE.search(plain, match.end())
    end = ending.end() if ending else len(plain)
    clause = plain[start:end].strip()
    if not is_meant(clause, code):
        return None
    first, last = ("old", "new") if match.start("old") < match.start("new") else ("new", "old")
    ahead = match.start(first) == match.start()
    slots = {
        name: ValueMention(
            match[name].strip(TRIMMED).replace(_DOT, "."),
            ahead=ahead and name == first,
            behind=match.end(name) == match.end() and name == last,
        )
        for name in ("old", "new")
    }
    if not (slots["old"].text and slots["new"].text):
        return None
    said, message, before = (each.replace(_DOT, ".") for each in (clause, plain, plain[start : match.start()]))
    return Replacement(slots["old"], slots["new"], said, message, before, code)


def is_meant(sentence: str, code: str = "") -> bool:
    """Whether a sentence states something as so: it neither asks nor supposes, nor tells what others say or what is today."""
    unless = of_any(listed("unless", code or language(sentence)))
    return not sentence.endswith(("?", "？")) and unless.search(sentence) is None


def _is_of_figures(made: Replacement) -> bool:
    """Whether both values are typed: of other words the shortest forms say too little."""
    return any(map(typed_whole, candidates(made.old, made.code))) and bool(values_of(made.new, made.code))


@cache
def _forms(kind: str, code: str) -> tuple[re.Pattern[str], ...]:
    """The forms of a language, compiled; those of kind `figures` are for typed values alone."""
    return tuple(_compiled(form, code) for form in " | ".join(listed(kind, code)).split(" || ") if form.strip())


def _compiled(form: str, code: str) -> re.Pattern[str]:
    pieces: list[str] = []
    tokens = list(_TOKEN.finditer(form.strip()))
    for number, token in enumerate(tokens):
        name, comma, asks, stop, space, word = token.groups()
        edge = number in (0, len(tokens) - 1)
        if name in ("old", "new"):
            pieces.append(f"(?P<{name}>{_RUN}{{1,{160 if edge else 60}}}{'' if edge else '?'})")
        elif name == "any":
            pieces.append(rf"{_RUN}{{1,60}}?")
        elif name:
            pieces.append(alternatives(listed(name, code)))
        elif comma or stop:
            pieces.append(_BREAK)
        elif asks:
            pieces.append(r"\s*[?？]+[\s!,，、]*")
        elif space:
            adjacent = any(tokens[place].group(1) in ("old", "new") for place in (number - 1, number + 1))
            pieces.append(r"[\s,;:()–—-]+" if adjacent else r"\s+")
        else:
            pieces.append(alternatives((word,)))
    return re.compile("".join(pieces), re.IGNORECASE)


# what it changes in a statement


@frozen
class Correction:
    """Something the operator corrected."""

    id: str
    """the entry's id in CORRECTIONS.md"""
    day: str
    """when, as its heading says"""
    correct: str
    """what is right, in the operator's words"""
    means: str
    """the same as a statement in full, with what was asked"""
    old: str
    """the value that was wrong; empty when nobody said"""
    new: str
    """the value that is right"""
    question: str
    """what must find the new value and not the old one"""
    embedded: bool
    """whether it was seen in the index"""
    supersedes: tuple[str, ...] = ()
    """what it replaced, by entry"""
    source: str = ""
    """the message it was made with"""
    place: str = ""
    """the audience it was made before; empty for the operator's own talk"""
    said: str = ""
    """the agent's sentence, where it is about the agent's words alone: nobody else's are against it"""
    made: datetime | None = None
    """when, to the minute; None where its heading tells the day alone"""
    again: str = ""
    """the day since which the operator says again what it calls wrong; from then on it hides nothing"""

    @property
    def matter(self) -> frozenset[str]:
        """The words that tell what it is about."""
        return matter(self.means, self.old, self.new)


def written(fields: Iterable[tuple[str, str]]) -> str:
    """The paragraph of a correction's block, a line for each field that says anything."""
    return "\n".join(f"**{label}:** {' '.join(value.split())}" for label, value in fields if value.strip())


def corrections(documents: Iterable[tuple[Name, Document]]) -> list[Correction]:
    """The corrections of some documents that hold, in order, but for those the operator has said otherwise since."""
    every = in_force([read(entry) for _, document in documents for entry in blocks(document)])
    return [one for one in every if not one.again]


def blocks(document: Document) -> list[Entry]:
    """The entries of a log of corrections that are corrections, and not what explains the file."""
    return [entry for entry in document.entries if entry.form is not Form.PROSE]


def read(entry: Entry) -> Correction:
    """One correction, as its block says."""
    fields = {label.strip().casefold(): value for label, value in FIELD.findall(labelled(entry.body))}
    correct = fields.get("correct", "") or ("" if fields else entry.body)
    return Correction(
        id=entry.id,
        day=(entry.title or entry.section)[:10],
        correct=correct,
        means=" ".join(filter(None, (fields.get("asked", ""), fields.get("means", "") or correct))),
        old=_first(fields, "wrong value", "old value", "was"),
        new=_first(fields, "right value", "new value", "now"),
        question=fields.get("check", "") or fields.get("question", ""),
        embedded=fields.get("re-embedded", "").casefold() in ("true", "yes"),
        source=entry.fields.get("src", ""),
        place=entry.fields.get("place", ""),
        said=fields.get("said", "") if entry.fields.get("of") == AGENT else "",
        supersedes=tuple(one for one in entry.fields.get("supersedes", "").split(",") if one),
        made=_clock(entry.title or entry.section),
        again=entry.fields.get("again", ""),
    )


def _clock(heading: str) -> datetime | None:
    """The time that a heading tells, with its offset."""
    try:
        found = datetime.fromisoformat(heading.strip().replace(" UTC", "+00:00").replace(" +", "+").replace(" -", "-"))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _first(fields: Mapping[str, str], *labels: str) -> str:
    return next((fields[label] for label in labels if fields.get(label)), "")


def fields_of(entry: Entry) -> list[tuple[str, str]]:
    """The fields of a correction's block, unchanged and in order."""
    return [(label.strip(), value) for label, value in FIELD.findall(entry.body)]


def is_anothers(audience: Audience, operators: frozenset[str]) -> bool:
    """Whether a text is the own of a person who is no operator: nobody else corrects that."""
    return audience.reach is Reach.PERSON and audience not in _own(operators)


@lru_cache(maxsize=16)
def _own(operators: frozenset[str]) -> frozenset[Audience]:
    return frozenset(Audience.person(operator) for operator in operators)


# which of them hold


def in_force(every: Sequence[Correction]) -> list[Correction]:
    """The corrections that hold: one whose wrong value a later one of the same matter calls right does not any more."""
    right: defaultdict[object, list[int]] = defaultdict(list)
    for number, one in enumerate(every):
        for way in _ways(one.new):
            right[way].append(number)
    later = (
        {n for way in _ways(one.old) for n in right.get(way, ()) if n > number} for number, one in enumerate(every)
    )
    return [one for one, some in zip(every, later, strict=True) if not any(same_thing(one, every[n]) for n in some)]


def _ways(value: str) -> frozenset[object]:
    """What two ways to say one value have in common: the words, or what it comes to."""
    words, keys = sought(value)
    return frozenset({words, *keys}) if words else frozenset()


def is_overtaken(one: Correction, later: Iterable[Correction]) -> bool:
    """Whether a later correction of the same matter calls wrong what this one calls right: it changed again."""
    return any(not _ways(one.new).isdisjoint(_ways(other.old)) and same_thing(one, other) for other in later)


def same_thing(one: Correction, other: Correction) -> bool:
    """Whether two corrections are of the same matter: at least half of the words that tell what one is about."""
    mine, theirs = sorted((one.matter, other.matter), key=len)
    return 2 * len(among(mine, theirs)) >= len(mine) if mine else mine == theirs
