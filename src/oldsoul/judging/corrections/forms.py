"""The explicit forms of a correction ("not X but Y"), compiled from the language files, and what one changes in a statement.

Only these are certain without a command. What else a message may put right is not read here.
"""

from __future__ import annotations

import re
from functools import cache

from oldsoul.judging.corrections.slots import TRIMMED, Slot, candidates, typed_whole, values_of
from oldsoul.judging.corrections.values import alternatives, content, listed, of_any
from oldsoul.language.cues import straight
from oldsoul.language.languages import language
from oldsoul.language.sentences import parts
from oldsoul.rules.own_words import NOTHING, own_words
from oldsoul.values.frozen import frozen

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
        name: Slot(
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
            beside = any(tokens[place].group(1) in ("old", "new") for place in (number - 1, number + 1))
            pieces.append(r"[\s,;:()–—-]+" if beside else r"\s+")
        else:
            pieces.append(alternatives((word,)))
    return re.compile("".join(pieces), re.IGNORECASE)


# what it changes in a statement
