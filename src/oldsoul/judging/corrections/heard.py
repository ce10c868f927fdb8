"""The agent's words as a reply can be against them: what it stated, what it asked whether it is so, what it only offered."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.given import given
from oldsoul.judging.corrections.values import LEADING, NO_VALUE
from oldsoul.language.stemming import stem
from oldsoul.language.words import words
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.reading.typed_values import Value

_SENTENCES = 30
"""So many sentences of the agent are looked at, the last ones."""
_LONGEST = 600
"""A longer one is a list, or no sentence at all."""
_LITTLE = (
    LEADING
    | NO_VALUE
    | frozenset(
        words(
            "and or if then always ever never everywhere anywhere now only just still really already itself himself herself themselves"
            " myself does do did doing being til till until since about goes go going went also what which who whom whose because as so"
            " lol haha pls btw obviously definitely straight even today same anyway all these this those one ones very again re ve ll m d t"
            " through should would could must might may can will shall kindly note when while unless if why how"
            " wait oh hm hmm ugh um er eh ah ha hey dude mate dear sorry yes yeah please isn don doesn didn wasn aren weren than rather into"
        )
    )
)
"""Words that say nothing by themselves."""
_OPEN = re.compile(
    r"(?i)^\W*(?:(?:and|so|but|then|also|by the way|on|at|in|for|to|from|with)\W+)*(?:who|whom|whose|what|when|where|which|how|why|any|anything|anyone)\b"
)
_OFFERS = re.compile(
    r"(?i)\b(?:shall|should|may|can|could|must)\s+(?:i|we|he|she|they)\b|\b(?:do|would)\s+you\s+(?:want|like|prefer|need)\b|\b(?:want|need|like)\s+me\s+to\b|\bdo i\b"
)
_THAT = re.compile(
    r"(?i)\bthat\s+(?=\S+\s+\S+)|\b(?:note|list|record|save|write|enter|keep|log|store|mark|put)(?:\s+down)?\s+(?=[^,;]*\s(?:as|at|is|was|:)\s)"
)
"""What comes after it is a fact that is to be written down."""
_DOES = re.compile(
    r"(?i)^\W*(?:(?:noted|done|ok|okay|sure|right|good|great)\W+)*(?:i'll|i will|i'd|i would|i could|i can|let me|let's|we could|how about|what about"
    r"|i(?:'ve| have)?\s+(?:set|put|added|booked|scheduled|moved|changed|written|wrote|drafted|planned|kept|chose|chosen|picked|ordered))\b"
)
"""Says what the agent does or would do: another value may well be another wish."""
_CODE = re.compile(r"[{}`]|:=|[=!]=|->|=>|\w\(|^\s*(?:#|//|- \w+:)|;\s*$")
"""A line of a program says nothing."""
_CLAUSE = re.compile(r",\s+|;\s+|\s+[–—-]\s+")
_TOKEN = re.compile(r"[^\W_](?:[\w]|[.'&/-](?=\w))*|&")
_SHORTENED = re.compile(r"(?i)['’](?:s|re|ve|ll|m|d)$|n['’]t$")
_VERB = re.compile(
    r"(?i)(?<=[\w,])(?:\s+(?:is|are|was|were|has|have|goes|going|turns|runs|starts|lives|works|plays|leads|handles|does)\b|'s\b|'re\b)"
)


@frozen
class Token:
    """A word of a text."""

    said: str
    """as written, without a possessive or a short verb at its end"""
    start: int
    """where it begins"""
    end: int
    """where it ends, with what was cut off"""

    @property
    def root(self) -> str:
        """What it is compared by."""
        return stem(self.said.casefold())

    @property
    def is_little(self) -> bool:
        """Whether it says nothing by itself."""
        return self.said.casefold() in _LITTLE or all(word in _LITTLE for word in words(self.said))


def tokens(text: str) -> list[Token]:
    """The words of a text in order."""
    return list(_tokens(text))


@lru_cache(maxsize=512)
def _tokens(text: str) -> tuple[Token, ...]:
    found = []
    for match in _TOKEN.finditer(text):
        said = _SHORTENED.sub("", match[0])
        found.append(Token(said or match[0], match.start(), match.end()))
    return tuple(found)


_given = lru_cache(maxsize=512)(lambda text: tuple(given(text, begins=True)))


@frozen
class Heard:
    """A sentence of the agent that a reply can be against."""

    sentence: str
    """the whole of it"""
    words: str
    """what of it states or asks whether something is so"""
    asked: bool = False
    """whether the agent asked if it is so"""
    loose: bool = False
    """whether another value may just be another wish: it takes a refusal to be more"""
    past: bool = False
    """whether the agent asked something else since: only what is taken back in so many words is put right"""

    @property
    def roots(self) -> frozenset[str]:
        """The telling words."""
        return frozenset(token.root for token in tokens(self.words) if not token.is_little)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values it gives."""
        return _given(self.words)

    @property
    def verb(self) -> int:
        """Where its verb stands; -1 where none is known."""
        found = _VERB.search(self.words)
        return found.start() if found else -1


def heard(told: Sequence[str]) -> list[Heard]:
    """What of the agent's sentences a reply can be against: the last first."""
    told = [" ".join(sentence.split()) for sentence in told]
    if not told:
        return []
    found: list[Heard] = []
    last = told[-1]
    asks = last.endswith(("?", "？"))
    if asks:
        found += _asked(last)
        if not found:
            return []  # one of several, or what only the person can say
    for sentence in reversed((told[:-1] if asks else told)[-_SENTENCES:]):
        if not sentence.endswith(("?", "？")) and not _CODE.search(sentence):
            found.append(Heard(sentence, sentence, loose=bool(_DOES.match(sentence)), past=asks))
    return [one for one in found if len(one.sentence) <= _LONGEST]


def _asked(question: str) -> list[Heard]:
    """What a question asks whether it is so; nothing where it leaves a choice, or asks who, when or what."""
    if re.search(r"(?i)\bor\b", question):
        return []
    stated = [part for part in _CLAUSE.split(question) if not _OPEN.match(part) and not _OFFERS.search(part)]
    if _OFFERS.search(question):
        if stated and _VERB.search(stated[0]):
            return [Heard(question, ", ".join(stated), asked=True)]
        inner = _THAT.split(question, maxsplit=1)
        return [Heard(question, inner[-1], asked=True, loose=len(inner) == 1)]
    if any(_OPEN.match(part) for part in _CLAUSE.split(question)):
        return [Heard(question, ", ".join(stated), asked=True)] if stated else []
    return [Heard(question, question, asked=True)]
