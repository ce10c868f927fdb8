"""What the agent said of a person, turned round by them: "you hate cilantro", "I love it"; "you smoke", "I quit smoking"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.conflicts.contradiction import judged
from oldsoul.judging.corrections.signs import plain_clauses
from oldsoul.judging.corrections.values import Putting
from oldsoul.judging.corrections.ways import SUPPOSES, TODAY
from oldsoul.language.alike import stems
from oldsoul.language.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

_TURNS = frozenset({"negation", "ended", "opposite"})
_SURE, _LIKELY = 0.8, 0.65
_MOST = 10
_PARTS = re.compile(r"[,;，；。！]\s*|\s+(?:so|and|but|because)\s+")
_OWN = (
    (re.compile(r"(?i)\b(?:you're|you are)\b"), "I am"),
    (re.compile(r"(?i)\byou've\b"), "I have"),
    (re.compile(r"(?i)\b(?:your|(?:the )?(?:operator|user)'s)\b"), "my"),
    (re.compile(r"(?i)\b(?:you|the operator|the user|(?<![\w-])user(?= [a-z]+s\b))\b"), "I"),
    (re.compile(r"您的?|你的?|用户的?"), "我"),
)
_SPEAKS = re.compile(
    r"(?i)^\W*(?:(?:and|but|no+|nope|actually|lol|well|oh|hey|sorry|um)\W+)*(?:i|i'm|im|i've|ive|my|we|we're|our|he|she|it|they|(?:quit|stopped|gave up)\b)\b"
    r"|^(?:不[，,]?)?(?:其实|可是|但是?)?(?:我|他|她|我们)"
)


def as_own(text: str) -> str:
    """A sentence about a person as they would say it themselves."""
    for pattern, instead in _OWN:
        text = pattern.sub(instead, text)
    return text


def turned_round(text: str, told: Sequence[str]) -> Putting | None:
    """What a message denies, ends or turns round of what the agent said; it counts only where memory holds that."""
    if SUPPOSES.search(text) or TODAY.search(text):
        return None
    stated = [sentence for sentence in told if not sentence.rstrip().endswith(("?", "？"))]
    parts = [(part, sentence) for sentence in stated for part in _PARTS.split(sentence) if part.strip()]
    found: list[tuple[float, str, str]] = []
    for clause in plain_clauses(text):
        about = stems(clause)
        near = [(part, sentence) for part, sentence in parts if stems(part) & about] if _SPEAKS.search(clause) else []
        for part, sentence in near[:_MOST]:
            turn = judged(as_own(part), clause)
            if turn is not None and turn.kind in _TURNS and turn.score >= _LIKELY:
                found.append((turn.score, clause, sentence))
    if not found:
        return None
    score, clause, wrong = max(found)
    right = next((s for s in sentences(text) if clause.strip() in s), clause).strip()
    return Putting(right, wrong=wrong, sure=score >= _SURE, held=True)
