"""Standing instructions: what was asked for once and holds for every reply. Search does not find them, so they are told apart."""

from __future__ import annotations

import re
from functools import lru_cache

_ENGLISH = re.compile(
    r"""(?xi)
    \b(?:always|never)\b(?!\s+(?:been|had|was|were|seen|went|gone|thought|heard|knew|known|wanted|loved|liked|did|got|said|felt)\b)
    | \bfrom\s+now\s+on\b | \bgoing\s+forward\b | \bin\s+(?:the\s+)?future\b.{0,20}\bplease\b
    | \bplease\s+(?:do\s+not|don'?t|stop|avoid|keep|use|write|answer|reply|respond|address|call)\b
    | \b(?:whenever|every\s+time|each\s+time)\s+(?:i|we|you|someone|the\s+user)\b
    | \b(?:do\s+not|don'?t)\s+(?:ever|use|write|send|call|mention|ask|tell|reply|respond|remind|suggest|book|schedule)\b
    | \b(?:call|address)\s+(?:me|him|her|them)\b | \b(?:goes|go)\s+by\b
    | \b(?:answer|reply|respond|write|speak|talk)(?:\s+to\s+me)?\s+(?:in|only\s+in|with)\b
    | \b(?:i|he|she|they|we|operator|user)\s+(?:prefers?|wants?\s+(?:you|answers|replies)|would\s+like\s+you)\b
    | \b(?:must|should)\s+(?:always|never|not)\b
    """
)
_CHINESE = re.compile(
    r"(?:总是|總是|永远|永遠|一律|务必|務必|从不|從不|绝不|絕不|以后|以後|今后|今後|从现在起|從現在起|每次|每当|每當)"
    r"|(?:请|請)(?:不要|别|別|勿|用|叫|以|一直|保持)|(?:不要|别|別)(?:再|用|提|说|說|发|發|叫)|叫我|称呼我|稱呼我|用.{1,6}(?:回答|回复|回覆)"
    r"|(?:必ず|いつも|決して|今後|毎回|これからは|次からは|常に)|(?:ください|て欲しい|てほしい)|ないで(?:ね|よ)?[。！!]*$|(?:と|って)呼んで|で(?:答え|返事し|返し|話し)て"
)


@lru_cache(maxsize=20_000)
def is_standing(text: str) -> bool:
    """Whether a remembered sentence tells the agent how to behave from now on."""
    return bool(_ENGLISH.search(text) or _CHINESE.search(text))
