"""What a message says itself, without what it quotes or hands over."""

from __future__ import annotations

import re

from oldsoul.judging.corrections.values import content, listed, of_any

STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
"""Makes every kind of apostrophe the plain one."""
_LONGEST = 300
"""A longer message is no correction: it tells something, or hands something over."""
_CODE = re.compile(r"```|~~~|(?m:^(?:[ \t]*>|\t| {4}|[+$#|]|-{2,}|\d+[.)]\s).*)|[{};]\s*$|</?\w+>")
"""Code, block quotes, lists, tables, markup."""
_SPEAKER = re.compile(r"(?m)^[ \t]*(?:\[[^\]\n]{1,40}\]|([A-Z][\w'-]{0,30})(?: \([^)\n]{1,20}\))?:)[ \t]+\S")
"""Somebody's words, told as in a log."""
_QUOTED = re.compile(
    r"[\"“”„]([^\"“”„]{1,300})[\"“”]|(?<!\w)'([^'\n]{1,300})'(?!\w)|[「『«‹]([^」』»›]{1,300})[」』»›]|`([^`\n]{1,300})`"
)
NOTHING = "\x00"
"""Stands where words of others stood, which no form goes over."""


def own_words(text: str, longest: int = _LONGEST) -> str:
    """A message without what it quotes; empty when it is long, code, or there to hand something over."""
    plain = text.translate(STRAIGHT).strip()
    head, mark, rest = re.split(r"([:：\n]|$)", plain, maxsplit=1)
    hands_over = mark and rest.strip() and of_any(listed("handover")).search(head[:80])
    if len(plain) > longest or _CODE.search(plain) or hands_over:
        return ""
    speaker = _SPEAKER.search(plain)
    if speaker is not None and ("\n" in plain or (speaker[1] and content(speaker[1]))):
        return ""
    return _QUOTED.sub(_unquoted, plain)


def _unquoted(found: re.Match[str]) -> str:
    """One word or name in quotes is a value; more words are somebody's."""
    inner = next(group for group in found.groups() if group is not None)
    short = len(inner.split()) <= 2 and len(inner) <= 30  # noqa: PLR2004 - a first and a last name
    return inner if short else f" {NOTHING} "
