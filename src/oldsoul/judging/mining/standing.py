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
_LINES = r"(?:lines?|sentences?|words|paragraphs?|bullets?(?: points?)?|points|emojis?|options|suggestions|questions)"
_COUNT = r"(?:\d{1,3}|one|two|three|four|five|six|ten)"
_MANNER = re.compile(
    rf"""(?xi)
    \b(?:keep|make)\s+(?:it|them|things|answers|replies|messages|everything|texts?|reminders)\s+(?:\w+\s+){{0,2}}?(?:with|for|to)\s+(?:me|us)\b
    | ^(?:\W*and\s+)?{_COUNT}\s+{_LINES}\s+(?:max(?:imum)?|at\s+most|tops|or\s+(?:less|fewer))\b
    | ^(?:max(?:imum)?|at\s+most|no\s+more\s+than|up\s+to)\s+{_COUNT}\s+{_LINES}\b
    | \byou\s+(?:can|may|must|should|needn't|don't\s+have\s+to)\b.{{2,60}}\b(?:with|to|for)\s+me\b.{{0,12}}\b(?:now|always|anytime|from\s+now)\b
    | \b(?:when(?:ever)?|every\s+time|each\s+time|before|if)\s+you\s+(?:ever\s+)?(?:answer|reply|write|suggest|recommend|book|order|remind|schedule|plan|send|list|quote|summari[sz]e|draft|translate|message|text|propose|pick|choose|shop)\b
    | ^\W*no\s+(?!one\b|idea\b|way\b|chance\b|trains?\b|bus(?:es)?\b|rain\b|sun\b|snow\b|sleep\b|need\b|doubt\b|problem\b|wonder\b|luck\b|news\b|water\b|power\b|school\b)(?:[\w'-]+\s+){{1,3}}(?:after|before|past|during|on)\s+(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|weekends?\b|(?:noon|midnight|dinner|lunch|breakfast|holidays?|bedtime)\b)
    | ^(?:please|pls)\s+no\s+(?!more\b)(?:[\w'-]+\s+){{1,3}}(?:in|on|with|for|at)\s+(?:the|my|our|any)\s+\w
    | ^(?:please\s+|pls\s+)?(?:ask|remind|nag|ping|wake|text|message|tell|quiz)\s+me\b.{{2,80}}\b(?:every|each|daily|weekly|monthly|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b
    | ^(?:please\s+|pls\s+)?stop\s+\w+ing\b.{{0,40}}\b(?:every|on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days|before\s+\d|after\s+\d)\b
    """
)
"""How the agent is to answer, when it is to be silent, what it is to ask and how often."""
_POLITE = re.compile(
    r"""(?xi)
    (?:^|[,:]\s)(?:can|could|would|will)\s+(?:you|u)\s+(?:please\s+|pls\s+)?(?:drop|stop|use|keep|leave\s+out|skip|avoid|add|write|answer|reply|call|start|always|never|not)\b
    .{2,80}\b(?:when(?:ever)?\s+(?:you|i)\s+(?:answer|reply|write|ask|suggest|send|message|text)|from\s+now\s+on|in\s+(?:the\s+)?future|going\s+forward|every\s+time|each\s+time)\b
    """
)
"""Asks in the form of a question for something that is to be so from now on."""
_CHINESE = re.compile(
    r"(?:总是|總是|永远|永遠|一律|务必|務必|从不|從不|绝不|絕不|以后|以後|今后|今後|从现在起|從現在起|每次|每当|每當)"
    r"|(?:请|請)(?:不要|别|別|勿|用|叫|以|一直|保持)|(?:不要|别|別)(?:再|用|提|说|說|发|發|叫)|叫我|称呼我|稱呼我|用.{1,6}(?:回答|回复|回覆)"
    r"|(?:必ず|いつも|決して|今後|毎回|これからは|次からは|常に)|(?:ください|て欲しい|てほしい)|ないで(?:ね|よ)?[。！!]*$|(?:と|って)呼んで|で(?:答え|返事し|返し|話し)て"
)


@lru_cache(maxsize=20_000)
def is_standing(text: str) -> bool:
    """Whether a remembered sentence tells the agent how to behave from now on."""
    return bool(_ENGLISH.search(text) or _CHINESE.search(text) or _MANNER.search(text) or _POLITE.search(text))


def is_manner(text: str) -> bool:
    """Whether a sentence tells the agent how and when to speak, and not only for this once."""
    return _MANNER.search(text) is not None


def asks_manner(text: str) -> bool:
    """Whether a question asks the agent to do so from now on."""
    return _POLITE.search(text) is not None
