"""Whom "he" or "she" means: the one person that the same speaker named in the sentence just before, or nobody.

Where the sentence names two, or nobody, or somebody the word does not fit, nothing is resolved: better no memory than one
about the wrong person.
"""

from __future__ import annotations

import re

from oldsoul.language.sentences import sentences

_HE = (
    r"brother|father|dad|daddy|papa|son|husband|boyfriend|uncle|nephew|grandfather|grandpa|godson|stepson|father-in-law"
)
_SHE = r"sister|mother|mum|mom|mama|daughter|wife|girlfriend|aunt|niece|grandmother|grandma|granny|nana|goddaughter|mother-in-law"
_EITHER = r"partner|cousin|boss|manager|neighbou?r|landlord|dentist|doctor|vet|therapist|lawyer|accountant|teacher|friend|colleague|flat-?mate|room-?mate"
_KIN = re.compile(
    rf"(?i)\b(?:(?:my|our) (?:\w+ )?(?:(?P<he>{_HE})|(?P<she>{_SHE})|(?P<either>{_EITHER}))\b|(?P<bare_he>dad|papa|grandpa)\b|(?P<bare_she>mum|mom|mama|grandma|granny|nana)\b)(?: (?-i:[A-Z][\w-]+))?"
)
_NAME = re.compile(r"(?<![\w'])(?!I\b|I'|OK\b)[A-Z][a-z][\w-]*(?: [A-Z][a-z][\w-]*)?")
_FIRST_NAME = re.compile(
    r"[A-Z][a-z][\w-]*(?: [A-Z][a-z][\w-]*)?(?='s | is | has | was | will | turns | works | lives | called | wants | got )"
)
_NO_NAME = re.compile(
    r"(?i)^(?:the|this|that|what|who|when|where|why|how|there|here|it|he|she|they|we|you|my|our|his|her|everyone|nobody|today|tomorrow|tonight|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter)\b"
)
_OTHERS = re.compile(r"(?i)\b(?:he|she|him|her|his|hers|they|them|their|who|someone|somebody|everyone|[?])|\?")
_STANDS = re.compile(r"(?i)^(?:(?:and|also|oh|btw|so|but)[,\s]+)*(?P<word>he|she)(?P<is>'s)?\b")
_LONGEST = 160


def named_before(before: str, text: str) -> str:
    """The sentence that names whom the first word of a text stands for, the last of what was said before; empty if unsure."""
    stands = _STANDS.match(text)
    said = sentences(before)
    if stands is None or not said:
        return ""
    last = said[-1]
    if len(last) > _LONGEST or _OTHERS.search(last):
        return ""
    sex = _one_person(last)
    return last if sex and sex in (stands["word"].lower(), "either") else ""


def _one_person(sentence: str) -> str:
    """Whether a sentence names one person alone: he, she, or either; empty for none and for several."""
    kin = list(_KIN.finditer(sentence))
    rest = _KIN.sub(" ", sentence)
    names = [match[0] for match in _NAME.finditer(rest) if not _NO_NAME.match(match[0])]
    if (
        rest.lstrip()[:1].isupper()
        and names
        and rest.lstrip().startswith(names[0])
        and not _FIRST_NAME.match(rest.lstrip())
    ):
        names = names[1:]  # the first word of a sentence, and no name for all we know
    if len(kin) + len(set(names)) != 1:
        return ""
    if not kin:
        return "either"
    found = kin[0]
    return "he" if found["he"] or found["bare_he"] else "she" if found["she"] or found["bare_she"] else "either"


def with_name(text: str) -> str:
    """The text as it would read of somebody named, to be judged by; nobody is shown it."""
    return _STANDS.sub(lambda match: "Alex is" if match["is"] else "Alex", text, count=1)
