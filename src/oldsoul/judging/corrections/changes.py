"""What an explicit correction changes in a statement: one value that occurs once and fits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from oldsoul.judging.corrections.corrections import Replacement
from oldsoul.judging.corrections.values import (
    MOST_WORDS,
    TRIMMED,
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
    of_any,
    places,
    typed_whole,
    values_of,
)
from oldsoul.language.words import is_unspaced
from oldsoul.reading.typed_values import Value, agree, comparable, typed_values
from oldsoul.values.frozen import frozen


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
