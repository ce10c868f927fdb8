"""A reply in its parts: which refuse something, which only call somebody, which ask for something, and which say something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.heard import tokens
from oldsoul.judging.corrections.signs import CHANGES, SINCE, WISHES
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.judging.corrections.heard import Token

_MOST = 8
"""So many parts of a reply are looked at."""
_BREAK = re.compile(
    r"(?:[;!?\U0001f300-\U0001faff\u2600-\u27bf\n…]|,(?!\d{3}))+|(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)(?<!\bProf)\.+(?=\s|$)|:(?=\s)|\s[-–—→]+\s|\s+(?:so|but|because|cause|cuz|though)\s+"
    r"|\s+(?:haha\w*|hehe|lol)\b\s*|\s+and\s+(?=(?:it|he|she|they|i|we)\b)|\s+(?=(?:since|after|when|as|until)\s+(?:the|they|we|he|she|it|my|our|i)\b)"
)
REFUSES = re.compile(
    r"(?i)^\W*(?:(?:what|wait|oh|hm+|ugh|um|er|hey|argh|sorry|but|eh|and|well|actually|dude|mate|please|pls|lol|haha|god|gosh|lord|jesus|christ|hell|ah+|ha|hang on|hold on|look|listen)\W+)*"
    r"(?:no+(?=\W*$|\s+(?:it|it's|its|he|he's|she|she's|they|that|that's|thats|this|we|we're|i|i'm|my|our|the|not|no|wait|but|actually|\d\S*)\b)"
    r"|(?:nope|nah|incorrect|transposed|swapped|typo|false)\b|(?:wrong|close|almost|nearly|don'?t)(?=\W*$|\s+but\b)|close but\b|other way\b"
    r"|wrong (?:one|number|date|day|name|place|year|month|time|person)\b|never (?:said|told|mentioned|did|was|were|been|had|owned)\b"
    r"|not (?:any ?more|quite|right|true|correct|since|at all)\b|not my\b"
    r"|you(?:'?ve|\s+have)?(?:\s+got)?\s+(?:that|it|this|him|her|them|(?:the|my|our)\s+\w+)\s+(?:all\s+)?(?:wrong|backwards|muddled|mixed up)\b"
    r"|(?:it|that|this|he|she|they|we|i)(?:\s+(?:is|are|was|were|do|does|did|has|have)(?:n'?t|\s+not)|'s\s+not)(?=\W*$)"
    r"|(?:about\s+)?(?:an?|one|two|three|four|five|\d+)\s+(?:minute|hour|day|week|month|year)s?\s+(?:too\s+(?:late|early|soon|long|short)|off|out)\b"
    r"|(?:that|this|it|he|she|they|we)(?:'?s|'?ve|'?re|\s+has|\s+have|\s+is|\s+was|\s+got|\s+been)*\s+(?:changed|moved|swapped|switched|renamed|wrong|old|outdated|stale|out of date"
    r"|postponed|rescheduled|cancelled|put (?:back|off)|pushed back|brought forward)\b)"
)
_REFUSED = re.compile(
    r"(?i)\b(?:is|are|was|were)\s+(?:wrong|stale|outdated|out of date|dead|history)\b|\bmix(?:ed|ing)?\s+(?:\w+\s+){0,2}up\b"
)
_AGREED = re.compile(
    r"(?i)^\W*(?:(?:oh|ah|aw+|yeah|and|well|man|ha+|so)\W+)*(?:mhm+|mm+|uh huh|aha|yup|exactly|precisely|absolutely|totally|definitely|indeed|agreed?|true|of course|for sure|sh?ure"
    r"|gotcha|got (?:it|you|ya)|wo+w|whoa|woah|woo+hoo|yay|aw+|omg|awesome|amazing|cool|nice|great|lovely|fantastic|brilliant|perfect|wonderful|excellent|congrat\w*|bravo|kudos|sounds?|looks?|looking|feels?"
    r"|love|glad|happy|way to|thank\w*|thx|cheers|bye|good (?:luck|for|to|on|job|one|idea|point)|have (?:fun|a)|my pleasure|you'?re (?:welcome|right|so|awesome|amazing)|sorry (?:to hear|about|for)"
    r"|no (?:problem|worries|way|kidding|rush|wonder|need)|can'?t wait|same here|i (?:totally |really |completely )?(?:agree|know|see|love|get it|bet|hope)|i'?m (?:so |really |very )?(?:glad|sorry|happy|proud|excited|here for)"
    r"|(?:that|it|this)(?:'?s|\s+(?:is|was|sounds|looks|must))\s+(?:so|really|very|such|pretty|super|be|awesome|great|amazing|cool|nice|fantastic|funny|sweet|good|lovely|wonderful|true|right|fine|impressive|incredible|inspiring|tough|sad|rough)"
    r"|(?-i:(?:[Hh]ey|[Hh]i|[Hh]ello|[Dd]ear),?\s+[A-Z]\w*))\b"
)
_LEAD = re.compile(
    r"(?i)^[^\w.]*(?:(?:no+(?!\s+(?:way|wonder|idea|problem|need|doubt|rush|worries|matter|thanks))|nope|nah|wait|actually|sorry|hm+|uh|er+|well|but|and|oh|hey|um|argh|wrong|correction"
    r"|incorrect|close|almost|transposed|swapped|what|lol|haha|try|make that|as of (?:this|last|next) \w+|from now on|these days)\b[\s,.!…-]*)*"
)
NEGATES = re.compile(
    r"(?i)\b(?:not|never|nobody|nothing|none|cannot|no(?!\s+(?:wonder|idea|problem|need|doubt|rush|worries|way|matter|thanks)\b))\b|n't\b|\bdont\b|\bdoesnt\b"
)
_ASKS = re.compile(
    r"(?i)^\W*(?:(?:and|then|please|pls|just|so)\s+)*(?:leave|dig|look|ping|skip|drop|undo|forget|ring|read|fix|delete|cancel|stop|go|come|wait|run|rename|rewrite|answer|start|take|turn|talk|hold|double|trust|please|pls)\b(?!\s*$)"
)


@frozen
class Part:
    """A part of a reply."""

    text: str
    """its words"""
    mark: str
    """the marks after it"""

    @property
    def is_loud(self) -> bool:
        """Whether it is said with stress."""
        return "!" in self.mark

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return "?" in self.mark

    @property
    def tokens(self) -> list[Token]:
        """Its words."""
        return tokens(self.text)


@frozen
class Reply:
    """A reply in its parts."""

    parts: tuple[Part, ...]
    """in order"""
    refuses: bool
    """whether it says that something is wrong"""
    changes: bool = False
    """whether it says that something has changed, or since when it is so"""
    length: int = 0
    """how many characters it has"""

    def is_called(self, number: int) -> bool:
        """Whether a part only calls somebody by name, after what is said to them."""
        before = self.parts[number - 1] if number else None
        name = self.parts[number].text
        if before is None or before.mark != "," or not name[:1].isupper() or " " in name:
            return False
        return any(not token.is_little for token in tokens(led(before.text)))

    @property
    def agrees(self) -> bool:
        """Whether it says that all is right."""
        return bool(self.parts) and _AGREED.match(self.parts[0].text) is not None


def replied(text: str) -> Reply:
    """A reply in its parts, as far as it states something: a wish ends it."""
    parts: list[Part] = []
    refuses, start = False, 0
    for match in [*_BREAK.finditer(text), None]:
        said = text[start : match.start() if match else len(text)].strip()
        start = match.end() if match else len(text)
        if not said:
            if parts and match:
                parts[-1] = Part(parts[-1].text, parts[-1].mark + match[0].strip())
            continue
        refuses = refuses or bool(REFUSES.match(said)) or bool(_REFUSED.search(said))
        if len(parts) == _MOST or _is_wish(said):
            break
        parts.append(Part(said, match[0].strip() if match else ""))
    for number in range(len(parts) - 1, 0, -1):
        if parts[number].asks and not parts[number - 1].mark:  # both are of one question
            parts[number - 1] = Part(parts[number - 1].text, "?")
    changes = any(CHANGES.search(part.text) or SINCE.search(part.text) for part in parts)
    return Reply(tuple(parts), refuses, changes, len(text))


def _is_wish(said: str) -> bool:
    bare = _LEAD.sub("", said)
    return bool(WISHES.match(bare) or _ASKS.match(bare)) and not REFUSES.match(said)


def led(text: str) -> str:
    """A part without what only leads up to what it says."""
    return _LEAD.sub("", text)
