"""The explicit forms of a correction ("not X but Y"), compiled from the language files, and what one changes in a statement.

Only these are certain without a command. What else a message may put right is not read here.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.values import among, content, figures, holds, is_part, listed, places
from oldsoul.language.languages import bare, language, little_words
from oldsoul.language.sentences import parts
from oldsoul.language.words import is_unspaced
from oldsoul.reading.typed_values import agree, comparable, typed_values
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oldsoul.reading.typed_values import Value

STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
"""Makes every kind of apostrophe the plain one."""
_LONGEST = 300
"""A longer message is no correction: it tells something, or hands something over."""
_CODE = re.compile(r"```|~~~|(?m:^(?:[ \t]*>|\t| {4}|[+$#|]|-{2,}|\d+[.)]\s).*)|[{};]\s*$|</?\w+>")
"""Code, block quotes, lists, tables, markup."""
_SPEAKER = re.compile(r"(?m)^[ \t]*(?:\[[^\]\n]{1,40}\]|([A-Z][\w'-]{0,30})(?: \([^)\n]{1,20}\))?:)[ \t]+\S")
"""Somebody's words, told as in a log."""
_QUOTED = re.compile(
    r"[\"“”„]([^\"“”„]{1,300})[\"“”]|(?<!\w)'([^'\n]{1,300})'(?!\w)|[「『«‹]([^」』»›]{1,300})[」』»›]|`([^`\n]{1,300})`"
)
_NOTHING, _DOT = "\x00", "\x01"
"""Stand where words of others stood, which no form goes over, and for a full stop that ends nothing."""
_TOKEN = re.compile(r"\{(\w+)\}|([,，、]\s*)|([?？]\s*)|([.。]\s*)|(\s+)|([^{},，、?？.。\s]+)")
_RUN = r"(?:[^.!?…。！？\n\x00]|\.(?=\S))"
_BREAK = r"\s*[,;:.!()\[\]…–—、，。！；：（）-][\s,;:.!()\[\]…–—、，。！；：（）-]*"
_CLAUSE = re.compile(r"[;()\[\]、，；：（）]|[,:](?!\d)|\s[-–—]+\s|…|\.\.+")
_SENTENCE = re.compile(r"(?:[.!?…]+(?=\s|$)|[。！？\n\x00])")
_TRIMMED = " \t,;:.!?\"'()[]…*–—、，。！？「」『』"
_HIRAGANA = re.compile("[ぁ-ゖ]")
_MOST_WORDS = 8


@frozen
class Slot:
    """The words of a message that name one of the two values, perhaps with others beside them."""

    text: str
    """the words"""
    ahead: bool
    """whether other words of the sentence may stand before the value"""
    behind: bool
    """whether other words may stand after it"""


@frozen
class Replacement:
    """What an explicit form says: one value in the place of another."""

    old: Slot
    """what is wrong"""
    new: Slot
    """what is right"""
    clause: str
    """the sentence, or the two, that say so"""
    message: str
    """the message, without what it quotes"""
    subject: str
    """what stands in the sentence before the two values"""
    code: str
    """the language"""


@frozen
class Change:
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


# what a message says


def own_words(text: str) -> str:
    """A message without what it quotes; empty when it is long, code, or there to hand something over."""
    plain = text.translate(STRAIGHT).strip()
    head, mark, rest = re.split(r"([:：\n]|$)", plain, maxsplit=1)
    hands_over = mark and rest.strip() and of_any(listed("handover")).search(head[:80])
    if len(plain) > _LONGEST or _CODE.search(plain) or hands_over:
        return ""
    speaker = _SPEAKER.search(plain)
    if speaker is not None and ("\n" in plain or (speaker[1] and content(speaker[1]))):
        return ""
    return _QUOTED.sub(_unquoted, plain)


def _by_sentences(plain: str) -> str:
    """A text in which a full stop ends a sentence wherever a space follows it; that of `Dr.` is another sign."""
    return "".join(re.sub(r"\.(?=\s+\S)", _DOT, part) for part in parts(plain))


def _unquoted(found: re.Match[str]) -> str:
    """One word or name in quotes is a value; more words are somebody's."""
    inner = next(group for group in found.groups() if group is not None)
    short = len(inner.split()) <= 2 and len(inner) <= 30  # noqa: PLR2004 - a first and a last name
    return inner if short else f" {_NOTHING} "


def explicit(text: str) -> list[Replacement]:
    """The corrections that a message makes in an explicit form, in the order of the forms."""
    plain = _by_sentences(own_words(text))
    code = language(plain.replace(_NOTHING, " ")) if plain else ""
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
        name: Slot(
            match[name].strip(_TRIMMED).replace(_DOT, "."),
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
    return any(map(_typed, _candidates(made.old, made.code))) and bool(_values_of(made.new, made.code))


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
            pieces.append(_alternatives(listed(name, code)))
        elif comma or stop:
            pieces.append(_BREAK)
        elif asks:
            pieces.append(r"\s*[?？]+[\s!,，、]*")
        elif space:
            beside = any(tokens[place].group(1) in ("old", "new") for place in (number - 1, number + 1))
            pieces.append(r"[\s,;:()–—-]+" if beside else r"\s+")
        else:
            pieces.append(_alternatives((word,)))
    return re.compile("".join(pieces), re.IGNORECASE)


def _alternatives(items: Iterable[str]) -> str:
    """A pattern for any of some words, each a word of its own where words are parted by spaces."""
    written = sorted((re.escape(item).replace(r"\ ", r"\s+") for item in items), key=len, reverse=True)
    joined = "|".join(written) or r"(?!)"
    spaced = not any(map(is_unspaced, "".join(written)))
    return rf"(?<![\w-])(?:{joined})(?!\w)" if spaced else f"(?:{joined})"


@cache
def of_any(items: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of some words or phrases."""
    kinds = [[one for one in items if any(map(is_unspaced, one)) == unspaced] for unspaced in (False, True)]
    return re.compile("|".join(_alternatives(some) for some in kinds if some) or r"(?!)", re.IGNORECASE)


# what it changes in a statement


def change(replacement: Replacement, statement: str) -> Change | None:
    """What a replacement changes in a statement; None unless its wrong value stands there once, as a whole, and fits the right one."""
    for phrase in (*_aligned(replacement), *_candidates(replacement.old, replacement.code)):
        typed = _typed(phrase) or _typed_there(statement, phrase)
        made = _typed_change(replacement, statement, typed) if typed else _worded_change(replacement, statement, phrase)
        if made is not None:
            fits = made.old.casefold() != made.new.casefold() and not holds(statement, made.new)
            return made if fits else None
    return None


def speaks_of(replacement: Replacement, made: Change, statement: str, beside: str = "") -> bool:
    """Whether a correction may be of what a statement is about: whatever it names before its values stands there too.

    `beside` is what was said around the statement, which may name its subject as well.
    """
    told = _subject(replacement, made) - content(made.old) - content(made.new)
    return not told - among(told, content(statement) | content(beside))


def shares_topic(text: str, made: Change, statement: str) -> bool:
    """Whether a text has a word of what a statement is about, besides the two values."""
    values = content(made.old) | content(made.new)
    return bool(among(content(text) - values, content(statement) - values))


def _subject(replacement: Replacement, made: Change) -> frozenset[str]:
    """What a sentence names before its values, as far back as it speaks of one thing."""
    before = replacement.subject
    for slot, value in ((replacement.new, made.new), (replacement.old, made.old)):
        if slot.ahead and (found := list(places(slot.text, value))):
            before += " " + slot.text[: found[-1][0]]
    last = re.split(r"[:：;；]", before)[-1]
    parts = of_any(listed("ends", replacement.code)).split(last)
    return next(filter(None, (content(part, replacement.code) for part in reversed(parts))), frozenset())


def _candidates(slot: Slot, code: str) -> Iterator[str]:
    """What the wrong value may be, the longest first: all the words, or fewer where the slot is open."""
    text = _shortened(slot.text, code) if slot.behind else slot.text
    text = _after_lead(text, code) if slot.ahead else text
    if any(map(is_unspaced, text)):
        yield text.strip(_TRIMMED)
        return
    tokens = text.split()
    for size in range(min(len(tokens), 2 * _MOST_WORDS), 0, -1):
        if size < len(tokens) and not (slot.ahead or slot.behind):
            return
        yield " ".join(tokens[-size:] if slot.ahead else tokens[:size]).strip(_TRIMMED)
    for start in range(1, len(tokens)):
        if not _is_little(tokens[start - 1], code):
            return
        rest = tokens[start:]
        for size in range(min(len(rest), 2 * _MOST_WORDS) if not slot.ahead else 0, 0, -1):
            if size == len(rest) or slot.behind:
                yield " ".join(rest[:size]).strip(_TRIMMED)


def _aligned(replacement: Replacement) -> Iterator[str]:
    """The wrong value from the little word on that the right one begins with too: `da Parma` for `da Pavia`."""
    old, new = replacement.old.text.split(), replacement.new.text.split()
    if not replacement.old.behind and new and _is_little(new[0], replacement.code) and new[0] in old[1:]:
        yield " ".join(old[old.index(new[0], 1) :]).strip(_TRIMMED)


def _shortened(text: str, code: str) -> str:
    """A text up to where its first clause ends, or a word goes on with something else."""
    first = _CLAUSE.split(text, maxsplit=1)[0].strip(_TRIMMED)
    if not any(map(is_unspaced, first)):
        ends = of_any(listed("ends", code)).search(first)
        return first[: ends.start()].strip(_TRIMMED) if ends and ends.start() else first
    while end := next((each for each in listed("ends", code) if first.endswith(each) and first != each), ""):
        first = first.removesuffix(end).strip(_TRIMMED)
    return "" if _HIRAGANA.search(first) else first


def _after_lead(text: str, code: str) -> str:
    """A text from where its last clause begins, without what leads up to a value."""
    last = next((part for part in reversed(_CLAUSE.split(text)) if part and part.strip(_TRIMMED)), "")
    leads = list(of_any(listed("is", code) + listed("is", "any")).finditer(last))
    return (last[leads[-1].end() :] if leads else last).strip(_TRIMMED)


def _led_up(text: str, code: str) -> str:
    """A text without the words that lead up to a value at its beginning."""
    leads = of_any(listed("is", code))
    while (found := leads.match(text)) is not None and found.end():
        text = text[found.end() :].strip(_TRIMMED)
    return text.strip(_TRIMMED)


def _is_little(word: str, code: str) -> bool:
    low = word.strip(_TRIMMED).casefold()
    return low in little_words(code) or bare(low) in little_words(code) or not low


def _typed(phrase: str) -> Value | None:
    """The typed value that a phrase is, with nothing else in it but little words."""
    values = typed_values(phrase)
    if len(values) != 1 or content(f"{phrase[: values[0].start]} {phrase[values[0].end :]}"):
        return None
    return None if is_part(phrase, values[0].start, values[0].end) else values[0]


def _typed_there(statement: str, phrase: str) -> Value | None:
    """The typed value that a phrase is where a statement has it: `May` is a month after `in`."""
    spans = set(places(statement, phrase))
    return next((v for v in typed_values(statement) if (v.start, v.end) in spans), None)


def _typed_change(replacement: Replacement, statement: str, old: Value) -> Change | None:
    values = typed_values(statement)
    same = [v for v in values if comparable(old, v) and agree(old, v)]
    if not same and old.kind == "number" and not old.unit:  # `1150` of `1150 euros a month`
        starts = {start for start, _ in places(statement, old.said.strip(_TRIMMED))}
        same = [v for v in values if v.kind == "number" and (figures(v) or (v.start, v.end))[0] in starts]
    if len(same) != 1 or is_part(statement, same[0].start, same[0].end):
        return None
    place, start, end = same[0], same[0].start, same[0].start + len(same[0].said.rstrip(_TRIMMED))
    known = _values_of(replacement.new, replacement.code)
    news = [v for v in known if comparable(place, v) and not agree(place, v)]
    if len(news) != 1 or any(a is None and b is not None for a, b in zip(news[0].key, place.key, strict=False)):
        return None  # the fifth, of which month?
    new, said = news[0], news[0].said.strip(_TRIMMED)
    if new.kind == "number" and bool(place.unit) != bool(new.unit):  # `45` is for the number, and not for `40 euros`
        if place.unit:
            start, end = figures(place) or (start, start + len(place.said.rpartition(" ")[0] or place.said))
        elif number := figures(new):
            said = new.said[number[0] - new.start : number[1] - new.start]
    return Change(start, end, statement[start:end], said)


def _values_of(slot: Slot, code: str) -> list[Value]:
    """The typed values that a slot names; of an open one those nearest to the form."""
    nearest = _shortened(slot.text, code) if slot.behind else slot.text
    if slot.ahead:
        nearest = next((p for p in reversed(_CLAUSE.split(nearest)) if p and p.strip(_TRIMMED)), nearest)
    return [v for v in typed_values(nearest) if not is_part(nearest, v.start, v.end)]


def _worded_change(replacement: Replacement, statement: str, phrase: str) -> Change | None:
    code = replacement.code
    if not phrase or all(_is_little(word, code) for word in phrase.split()):
        return None
    found = list(places(statement, phrase))
    if len(found) != 1 or (_is_name(phrase) and _goes_on(statement, found[0][1])):
        return None
    start, end = found[0]
    new = _shortened(replacement.new.text, code) if replacement.new.behind else replacement.new.text
    new = _after_lead(new, code) if replacement.new.ahead else _led_up(new, code)
    if not new:
        return None
    if any(map(is_unspaced, new)):
        return Change(start, end, statement[start:end], new) if len(new) <= 4 * _MOST_WORDS else None
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
        core = core[max((n + 1 for n, token in enumerate(core) if _is_little(token, code)), default=0) :]
    both = [*tokens[: len(lead)], *core] if lead else core
    most = len(old_core) + 2 if replacement.new.ahead else _MOST_WORDS
    if not core or len(both) > most or bool(typed_values(" ".join(both))) > bool(typed_values(phrase)):
        return None
    return Change(start, end, statement[start:end], " ".join(both).strip(_TRIMMED))


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
    count = next((n for n, token in enumerate(tokens) if not _is_little(token, code)), len(tokens))
    return _low(tokens[:count]), tokens[count:]


def _low(tokens: Iterable[str]) -> list[str]:
    return [token.strip(_TRIMMED).casefold() for token in tokens]


def _is_name(phrase: str) -> bool:
    return phrase.rpartition(" ")[2][:1].isupper()


def _goes_on(statement: str, end: int) -> bool:
    """Whether a name goes on with another word of it: Leeds is not Leeds United."""
    following = re.match(r"\.? (\w)", statement[end:])
    return following is not None and following[1].isupper()


def _name_of(tokens: list[str], *, from_end: bool) -> list[str]:
    """The words of a name: those with a capital that stand together."""
    order = list(reversed(tokens)) if from_end else tokens
    count = next(
        (n for n, token in enumerate(order) if not (token[:1].isupper() or token[:1] in "&0123456789")), len(order)
    )
    return tokens[len(tokens) - count :] if from_end else tokens[:count]
