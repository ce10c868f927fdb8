"""What a person puts right about something the agent said, in the ways people do: "no, it's X", "X, not Y", "he's six!"."""

from __future__ import annotations

import re
from dataclasses import replace

from oldsoul.judging.corrections import japanese
from oldsoul.judging.corrections.rivals import rival_value
from oldsoul.judging.corrections.said import put_otherwise
from oldsoul.judging.corrections.signs import REPORTS
from oldsoul.judging.corrections.slips import own_slip
from oldsoul.judging.corrections.turns import as_own, turned_round
from oldsoul.judging.corrections.values import (
    FEWEST,
    LEAD,
    STRAIGHT,
    Putting,
    as_stated,
    has_words,
    holds,
    own_words,
    sentence_with,
    swapped,
    value_like,
)
from oldsoul.judging.corrections.ways import AGREES, ANSWERED, FINE, SUPPOSES, TODAY, WAYS, both_named
from oldsoul.language.japanese import is_japanese, is_meant
from oldsoul.language.sentences import sentences
from oldsoul.language.words import is_foreign, words
from oldsoul.reading.typed_values import typed_values

__all__ = [
    "STRAIGHT",
    "Putting",
    "agrees",
    "announced",
    "as_own",
    "clause",
    "holds",
    "own_words",
    "putting_otherwise",
    "putting_right",
    "says_something",
    "supposes",
    "swapped",
    "value_like",
]

_LONGEST = 300
_SAID = 2000
"""So many characters of what the agent said are looked at, from its beginning and from its end."""
_COMPLAINT = re.compile(
    r"(?i)^.*?(?:i\s+(?:already|just)\s+told\s+you|you\s+forgot|remember\s+when\s+i\s+said|how\s+many\s+times[^,:.!?]*|"
    r"don't\s+you\s+remember|we\s+(?:already\s+)?(?:talked|discussed|went\s+over)\s+(?:about\s+)?(?:this|that|it)(?:\s+already|\s+before)?|i\s+mentioned\s+(?:this|that|it)\s+(?:before|earlier|already|yesterday|last\s+\w+)|"
    r"that's\s+(?:not\s+right|wrong|outdated|old)|(?:no|nope|actually)\b)[\s,:;.!?–-]*(?:that\s+)?"
)
_ZH_COMPLAINT = re.compile(
    r"^.*?(?:(?:跟|和|对|對|告诉|告訴)你(?:说|說|讲|講)?(?:过|過|了)|忘(?:了|记了|記了)|(?:说|說|讲|講)(?:过|過)(?:了)?|不对|不對|错了|錯了|其实|其實)[，,。！!：:\s吗嗎吧]*"
)
_ORDERS = re.compile(
    r"(?i)(?:please\s+)?(?:stop|don't|dont|do not|never|always|avoid|quit|no more|no)\s+(?!idea|way|problem|thanks|worries|one\b|need|it'?s|its|that|i\b|we\b|my\b)[^\W\d_][\w' -]{2,80}[.!…]*$"
    r"|(?:请|請)?(?:别|別|不要|不准|总是|總是|永远|永遠)[^？?]{2,40}$"
)
"""Says how the agent is to behave."""
_MILD = re.compile(r"(?i)^\W*(?:ok|okay|thanks|good|great|nice|sure)\b")
"""Begins a message that may go on to say something else."""
_WH = re.compile(r"(?i)^(?:what|when|where|who|why|how|which|whether|if)\b")
_DANGLES = re.compile(
    r"(?i)^(?:this|it|its|it's|that|that's|these|those|so|about it|again|already|before|he|she|they|he's|she's)\b"
)


def putting_right(text: str, said: str = "") -> Putting | None:
    """What a message puts right, where it names a value; `said` is what the agent said just before it."""
    plain = own_words(text)[:_LONGEST]
    agreed = AGREES.match(plain)
    if not plain.strip() or (agreed and not _MILD.match(plain)) or REPORTS.search(plain):
        return None
    said = _looked_at(said)
    told = [sentence for sentence in sentences(said) if sentence]
    if is_japanese(plain) or (is_foreign(plain) and is_japanese(said)):
        return japanese.put_right(plain, told)
    asks = bool(told) and told[-1].rstrip().endswith(("?", "？"))
    found = None if agreed else _in_so_many_words(plain, said, told, asks=asks)
    if found is None and (slip := own_slip(plain)) is not None:
        return slip
    if asks or (found is not None and found.sure):
        return found
    weighed = rival_value(plain, told) or turned_round(plain, told)
    if weighed is None or not (weighed.sure or (found is None and not agreed)):
        return found
    return weighed


def announced(text: str) -> Putting | None:
    """What a message says to be otherwise than it was, beside nothing that the agent said; it counts where memory holds that."""
    found = putting_right(text)
    if found is None or not found.sure or not (typed_values(found.old) and typed_values(found.new)):
        return None
    return replace(found, held=True)


def agrees(text: str) -> bool:
    """Whether a message begins by saying that all is right."""
    return AGREES.match(own_words(text)) is not None


def putting_otherwise(text: str, said: str) -> list[Putting]:
    """What a message says otherwise than the agent just did, in fewer words; it counts where nobody else said that."""
    return put_otherwise(text, [sentence for sentence in sentences(_looked_at(said)) if sentence])


def _looked_at(said: str) -> str:
    return said if len(said) <= 2 * _SAID else f"{said[:_SAID]}\n{said[-_SAID:]}"


def _in_so_many_words(plain: str, said: str, told: list[str], *, asks: bool) -> Putting | None:
    """What a message puts right in one of the ways that people often do; a sure one goes first."""
    for found in both_named(plain, said):
        if has_words(said, found.old) and has_words(said, found.new):
            continue  # one of two that were offered
        wrong = next((s for s in told if has_words(s, found.old)), "")
        old = found.old
        if not wrong:
            wrong, old = as_stated(told[-1:] if asks else told, old)
        return Putting(sentence_with(plain, found.new), old, found.new, wrong)
    unsure: Putting | None = None
    for way in ANSWERED if asks else WAYS:
        made = way(plain, told)
        if made is not None and (made.sure or asks):
            return made
        unsure = unsure or made
    return unsure


def clause(text: str) -> str:
    """What is right, of a message that complains and goes on to say it; empty when it says no more."""
    plain = own_words(text)[: 2 * _LONGEST]
    if is_japanese(plain):
        return japanese.clause(plain)
    every = sentences(plain)
    for number, sentence in enumerate(every):
        rest = sentence
        for _ in range(FEWEST + 1):
            match = next((m for p in (_COMPLAINT, _ZH_COMPLAINT) if (m := p.match(rest)) and m.end()), None)
            rest = rest[match.end() :] if match else rest
            if rest != sentence and _ORDERS.match(rest):
                return rest.strip(" ,.!，。！")
        if rest == sentence:
            continue
        following = every[number + 1] if number + 1 < len(every) else ""
        for words_left in (rest.strip(" ,.!?，。！？"), following.strip(" .!。！")):
            if says_something(words_left) and not _WH.match(words_left):
                return words_left
    return ""


def supposes(text: str) -> bool:
    """Whether a message plays, quotes, supposes, tells what others say, or speaks of today only."""
    if is_japanese(text) and not is_meant(text):
        return True
    return any(sign.search(text) for sign in (SUPPOSES, TODAY, REPORTS, FINE))


def says_something(text: str) -> bool:
    """Whether words say by themselves what is right: they name what they are about."""
    if is_japanese(text):
        return japanese.states(text)
    bare = re.sub(rf"(?i)^{LEAD}", "", text)
    return len(words(bare)) > FEWEST and not _DANGLES.match(bare) and not text.endswith(("?", "？"))
