"""What a message asks to be kept as a secret: which words of it, and where they are."""

from __future__ import annotations

from collections.abc import Iterator

from oldsoul.language.cues import any_cue, straight
from oldsoul.language.sentences import ends_in_question, parts
from oldsoul.language.words import is_unspaced, telling, words
from oldsoul.rules.own_words import NOTHING, own_words
from oldsoul.rules.promotion import topic

KEPT = "[masked: kept secret]"
"""Is in a message for words that are kept as a secret."""
MASKED = "[masked: secret]"
"""Is in a message for words that somebody asks to be kept as a secret for whom none are kept."""
_AROUND = " \t\n,.:;!-–—。、，：！；\"'"
_FEWEST, _FEWEST_UNSPACED = 2, 5
_LONGEST = 1000


def kept_secrets(text: str) -> list[str]:
    """The words that a message asks to be kept as a secret, as they are in it; what others wrote asks for nothing."""
    return [said for said in _asked(text) if said in text and NOTHING not in said and KEPT not in said]


def without_secrets(text: str, secrets: list[str], mark: str = KEPT) -> str:
    """A message with a mark in the place of what is kept as a secret."""
    for said in secrets:
        text = text.replace(said, mark)
    return text


def names(question: str, secret: str) -> bool:
    """Whether a question names a secret: by what it is about, or by nothing but words of it."""
    asked, about = telling(question), telling(topic(secret))
    return bool(about and topic(secret) and about <= asked) or (bool(asked) and asked <= telling(secret))


def _asked(text: str) -> Iterator[str]:
    own = [part for part in parts(own_words(text)) if part.strip(f"{_AROUND}{NOTHING}")]
    taken = -1
    for number, sentence in enumerate(own):
        if number <= taken or ends_in_question(sentence):
            continue
        lead = len(sentence) - len(sentence.lstrip())
        match = any_cue("secret", "asked").match(straight(sentence).lstrip())
        if match is None:
            continue
        rest = sentence[lead + match.end() :].strip(_AROUND)
        if _says_something(rest):
            yield rest[:_LONGEST]
            continue
        after, before = (own[at].strip(_AROUND) if 0 <= at < len(own) else "" for at in (number + 1, number - 1))
        if _says_something(after) and not ends_in_question(own[number + 1]):
            taken = number + 1
            yield after[:_LONGEST]
        elif _says_something(before) and not ends_in_question(own[number - 1]):
            yield before[:_LONGEST]


def _says_something(text: str) -> bool:
    return len(text) >= _FEWEST_UNSPACED if any(map(is_unspaced, text)) else len(words(text)) >= _FEWEST
