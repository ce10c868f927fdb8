"""Sentences of a message, as people type them: in any case, with or without full stops."""

from __future__ import annotations

import re

_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|etc|no|e\.g|i\.e|a\.m|p\.m|approx|inc|ltd|u\.s)\.$", re.IGNORECASE
)
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？；])[”’」』）]*\s*|\n+")
_CLOSERS = "\"'”’)]」』）"


def sentences(text: str) -> list[str]:
    """The sentences in order, each with the mark that ends it."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.start()]
        if _ABBREVIATION.search(piece) and "\n" not in end[0]:
            continue
        closing = end[0].rstrip()
        found.append((piece + closing).strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence.strip(_CLOSERS + " .!?…。！？；")]


def shortened(text: str, most: int) -> str:
    """The text on one line and not longer than this, cut between words where it has to be."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    cut = len(head) if line[most - 1] == " " else head.rfind(" ")
    return f"{(head[:cut] if cut > most // 2 else head).rstrip(' ,;:，；：')}…"
