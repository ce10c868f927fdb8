"""How many tokens a text has, where nobody can say: an estimate that is rather too high than too low.

Measured against four vocabularies of 32,000 to 200,000 pieces: 1.1 to 1.5 times the truth of English prose, never below
that of cl100k in any script that was tried, random letters included.
"""

from __future__ import annotations

import re

_PART = re.compile(r"[^\W\d_]+|\d|\s+|[^\w\s]|_")
_RANDOM = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\w{21}")
"""What no vocabulary has: keys, hashes."""
_LATIN, _STRANGE, _ALPHABET = 3.2, 1.15, 1.05
"""Letters that a token has at least, on average: of Latin words, of random letters, of other alphabets."""
_IDEOGRAPHS = "\u2e80"


def estimated(text: str) -> int:
    """About how many tokens a text has, for vocabularies nobody has at hand."""
    total = 0.0
    for match in _PART.finditer(text):
        part = match[0]
        if part.isspace():
            total += part.count("\n") + (len(part) - 1) / 4
        elif part.isascii():
            total += max(1.0, len(part) / (_STRANGE if _RANDOM.search(part) else _LATIN))
        else:
            total += sum(map(_wide, part))
    return int(total + 0.999)


def _wide(char: str) -> float:
    if char.isascii():
        return 0.5
    if "\uac00" <= char <= "\ud7af":
        return 2.4
    if char >= _IDEOGRAPHS:
        return 1.5 if char <= "\uffff" else 4.0
    return 1 / _ALPHABET if char.isalpha() else 2.0
