"""A line of memory in plain form: without marks and stamp, its contractions written out, few wordings for many."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 600
"""So many characters of a line are read: what is longer states more than one fact."""
_STAMP = re.compile(
    r"^\s*(?:[-*+•]\s+)?(?:[\[(【]\s*(\d{4}-\d{2}(?:-\d{2})?)[^\])】]{0,20}[\])】]|(\d{4}-\d{2}-\d{2})(?: \d\d:\d\d)?(?=:|\s))"
    r"\s*(?:[:–—-]\s+)?"
)
_MARKS = re.compile(
    r"^\s*(?:[-*+•]\s+|#+\s+|\d+[.)]\s+)|[*_`~]{1,3}|(?<=\s)#\w+|<!--.*?-->|[\[(]\d{4}-\d{2}-\d{2}[\])]\s*$"
)
_TEENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
_TENS = "(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?"
_AGE = rf"(?P<age>\d{{2}}|{_TEENS}|{_TENS})"
_WORDINGS: tuple[tuple[str, str], ...] = (
    (r"[’ʼ`]", "'"),
    (r"\s+(?='(?:s|m|re|ve|ll|d)\b|n't\b)", ""),
    (r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|ca|wo)nt\b", r"\1n't"),
    (r"(?-i:\bim\b)", "i'm"),
    (r"(?-i:\bive\b)", "i've"),
    (r"'d(?= (?:like|love|prefer|rather|be|want|hate)\b)", " would"),
    (r"\b(?:can|could)(?:'t|n't|not| not)\s+(?:stand|bear)\b", "hates"),
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(he|she|it|that|there|who)'s\b", r"\1 is"),
    (r"'(?:m|re)\b", " are"),
    (r"'(?:ve|ll|d)\b", " have"),
    (
        r"^(?:(?:no|nope|yes|yeah|yep|yea|oh|well|wow|hi|hello|hey|ok|okay|haha|lol|cool|nice|awesome|great|sure)\s*[,.!]\s*)+",
        "",
    ),
    (r"\bno[- ]one\b(?! of\b)", "nobody"),
    (r"\b(?:mother tongue|first language)\b", "native language"),
    (r"\b([a-z]+)-(in|out|off|up)\b", r"\1\2"),
    (r"\bkick(?:s|ed)? off\b", "starts"),
    (r"现居住?|定居|居住", "住在"),
    (r"^用户(?![数量名体界密们群])", ""),
    (r"\b(?:takes?|took|taking) place\b", "happens"),
    (r"\b(?:gets?|got|wakes?) up\b", "awakens"),
    (r"\bknows? how to\b", "can"),
    (r"\b(?:am|are|is)( not|) able to\b", r"\1 can"),
    (r"\b(?:am|are|is) unable to\b", "can not"),
    (r"\ba couple(?: of)? (?!(?:of )?(?:days?|weeks?|months?|years?|hours?|minutes?|times)\b)(?=[a-z])", "two "),
    (
        r"\b(?:am|are|is)( not|)(?: \w+ly)?(?: an?| the)?(?: (?:big|huge|great|massive|avid|real|biggest|major)){0,2} fans? of\b",
        r"\1 likes",
    ),
    (
        r"\b(?:am|are|is)( not|)(?: \w+ly| very| so)? (?:(?:crazy|passionate|mad) about|obsessed with|fond of|into)\b",
        r"\1 loves",
    ),
    (
        rf"\b(i|he|she) (?:am|are|is)(?: only| now| just)? {_AGE}(?=\s*(?:[.,;!]|$)| (?:and|so|but)\b)",
        r"\1 am \g<age> years old",
    ),
    (rf"\b(i|he|she)(?: just| recently)? turned {_AGE}\b(?! [a-z]*(?:s|%)\b)", r"\1 am \g<age> years old"),
    (r"\bnew york\b", "newyork"),
    (r"\bfishing\b", "angling"),
    (r"\b(?:ever )?in (?:my|his|her|their) (?:(?:entire|whole) )?life\b", ""),
    (r"\b(?:not|n't)\b([^,.;]{0,40}?)\s*\b(?:any ?more|any longer)\b", r"no longer\1"),
)
_READ_AS = tuple((re.compile(pattern, re.IGNORECASE), other) for pattern, other in _WORDINGS)
"""Written forms that are read as others, so that few rules serve for many wordings."""
_SENTENCE = re.compile(r"[^.!?。！？]*[.!?。！？]*")


def plain(line: str) -> tuple[str, str]:
    """The line without marks and date stamp, and the stamp."""
    text = unicodedata.normalize("NFKC", line[:LONGEST])
    stamp = _STAMP.match(text)
    text = _stated(_MARKS.sub("", text[stamp.end() :] if stamp else text))
    for pattern, other in _READ_AS:
        text = pattern.sub(other, text)
    return " ".join(text.split()), (stamp[1] or stamp[2]) if stamp else ""


def _stated(text: str) -> str:
    """The text without the questions in it, where it states something too."""
    if "?" not in text:
        return text
    sentences = _SENTENCE.findall(text)
    stated = "".join(sentence for sentence in sentences if not sentence.rstrip().endswith("?"))
    return stated if any(char.isalnum() for char in stated) else text
