"""How a line of memory is said: a question, a plan, what was; and which attributes it gives a value to."""

from __future__ import annotations

import re

from oldsoul.reading.fact_words import lemma


def _sign(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "question",
        _sign(
            r"[?？]\s*$|^(?:should|shall|could|would|does|do|did|is|are|can) (?:i|we|you|he|she|they|it|the|there)\b|\bwhether\b|吗[。?]?$|能不能|是不是|要不要|可不可以"
        ),
    ),
    (
        "plan",
        _sign(
            r"\b(?:think(?:s|ing)? (?:about|of)|consider(?:s|ing)?|might|maybe|perhaps|possibly|probably|hop(?:es?|ing) (?:to|for|that)|dream(?:s|ing|t)? (?:of|about)"
            r"|plan(?:s|ning) (?:to|on)|intends? to|would (?:like|love|prefer|rather)|wish(?:es)?|if|unless|someday|one day|suppose|imagines?|going to (?:be|move|buy|get|go|make|take|have|start|stop|switch|visit|try|do|change|quit|learn|become|leave|marry|sell|build|use)|wants? to (?:move|buy|get|go|switch|become|learn|change|have|lose|visit|try|start|stop|quit)|could|(?-i:may)(?! \d))\b"
            r"|考虑|打算|可能|也许|希望|计划|如果|假如|想(?:搬|换|买|去|学|要)"
        ),
    ),
    (
        "past",
        _sign(
            r"(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )\bused to\b|\b(?:formerly|previously|back then|originally|in the past|growing up|as an? (?:child|kid|boy|girl|teen|teenager|student|baby|young \w+)"
            r"|when (?:he|she|i|they|we) (?:was|were)|in (?:his|her|my|their) (?:twenties|thirties|forties|teens|youth|childhood|early|late)|before the|years ago|at the time|ex-|for(?:mer|mally))\b|^(?:(?:i|he|she|we|they) )?[a-z]+ed\b[^.,;]{0,40}\buntil\b"
            r"|以前|曾经|之前|过去|原来|小时候|当年|曾"
        ),
    ),
    ("ought", _sign(r"\b(?:should|ought to|supposed to|recommended|target|goal)\b|应该")),
    ("did", _sign(r"\bdid\b")),
    ("doing", _sign(r"\b(?:is|are|am|was|were)(?: not)?(?: \w+ly)? (?!living|working|staying|majoring)\w+ing\b")),
    ("was", _sign(r"\b(?:was|were|had)\b")),
    (
        "more",
        _sign(r"\b(?:also|either|another|additionally|besides|as well)\b|\btoo\b\s*(?:[.,;!。]|$)|也|另外|同时|此外"),
    ),
    (
        "changed",
        _sign(
            r"\b(?:now|moved|moving|switched|changed|changes|instead|replaced|no longer|migrated|upgraded|downgraded|raised|lowered|increased|reduced|cut|postponed|rescheduled|rebooked"
            r"|renamed|became|took over|updated|bumped|as of|from (?:now|this|next) ?\w*|new|pushed back|brought forward|shifted|dropped to|went (?:up|down)|grew to|extended|corrected?|actually|got an? (?:new )?job|started working)\b"
            r"|改|换|调到|升到|升级|降到|搬|跳槽|现在|不再|变成|变为|推迟|提前|涨到|裁|只剩"
        ),
    ),
    (
        "there",
        _sign(
            r"^(?:there(?:'s| is| are)|we have|i have|has|have|had) (?:an?|some|another|several)\b|^there (?:is|are)\b"
        ),
    ),
    (
        "part",
        _sign(
            r"\bof (?:the|that|this|which|these|those|his|her|my|our|their) [^,]*,(?!\d)|\bof which\b|\bset aside\b|\d(?: \w+)? of (?:the|this|that|my|our|his|her|their)\b|\bspent\b|\beach\b(?! (?:way|day|week|month|year|night|morning)\b)|其中"
        ),
    ),
)
_MANY = re.compile(
    r"\b(?:likes?|loves?|enjoys?|visited|been to|bought|read|reads|speaks?|knows?|allergic|has an?|have an?|owns?|plays?|watche[sd]|eats?|drinks?|friends?|met|collects?|interested in|good at|learn(?:s|ing|ed|t)?"
    r"|studie[sd]|tried|went to|goes to|travel(?:s|led|ed)|subscribes?|includes?|contains?|supports|features?|wants?|needs?|sells?|wrote|won|hobb(?:y|ies)|likes to|children|kids|member|called .* and)\b"
    r"|喜欢|去过|买|会说|养|看过|吃过|过敏|爱|认识",
    re.IGNORECASE,
)
"""Attributes that hold many values at once."""
_EVENTS = re.compile(
    r"^(?:(?:i|we|he|she|they|\w+) )?(?:ran|paid|bought|visited|ate|drank|saw|watched|went|walked|spent|met|called|slept|cooked|played|hiked|swam|cycled|rode|drove|read|sold|sent|received|attended|finished|completed|tried|made|had|did|got|lost|gave|took|wrote|won|cut)\b",
    re.IGNORECASE,
)
"""One-off events that may happen again with other values."""

_ATTRIBUTES = (
    "address|password|code|pin|number|name|nickname|username|email|breed|species|type|title|brand|model|status|language|currency|religion|genre|"
    "position|sport|nationality|capital|headquarters|president|prime minister|minister|ceo|chief executive officer|head of state|founder|author|creator|director|"
    "owner|manager|lead|leader|boss|chair(?:man|woman|person)?|coach|captain|king|queen|mayor|maiden name|hometown|birthplace|license|licence|framework|"
    "database|supplier|provider|landlord|doctor|dentist|teacher|goal|theme|topic|venue|destination|gate|room|seat|platform|university|origin|major"
)
_STRONG: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "home",
        _sign(
            r"\b(?:lives?|living|lived|resid(?:es?|ing|ed)) (?:\w+ly )?(?:in|at|near|alone in|on an?)\b|\bhome is\b|\bbased in\b|\b(?:moved|relocated) (?:from \w+ )?(?:in)?to\b|住|现居|定居|搬到|搬去"
        ),
    ),
    (
        "employer",
        _sign(
            r"(?<!for )(?<!to )(?<!from )(?<!at )(?<!before )(?<!after )\bwork(?:s|ing|ed)? (?:(?!from|as|part|hard|out)\w+ ){0,2}?(?:at|for)\b(?! (?:\d|night|home|least|a living|fun|the (?:moment|weekend)|weekends))|\bemployed (?:at|by)\b|\bjob at\b|\bemployer\b|跳槽|入职|就职|任职|在.{1,8}(?:上班|做)"
        ),
    ),
    ("field", _sign(r"\bworks? in (?-i:(?!an?\b|the\b|my\b|his\b|her\b)[a-z]+)(?=\s*(?:[.,;!]|$))")),
    ("workplace", _sign(r"\bworks? in an? \w+")),
    ("born", _sign(r"\bborn (?:and raised )?(?:in|at)\b|\bbirthplace\b|出生(?:在|于)")),
    (
        "favourite",
        _sign(
            r"(?<!of my )(?<!of his )(?<!of her )(?<!of our )\bfavou?rite\b(?: (?P<which>\w+)(?! (?:and|or)\b))?|最喜欢的|最爱"
        ),
    ),
    (
        "name",
        _sign(
            r"\bname(?:s)? (?:is|are|was)\b|\bname:|\bgoes by\b|\b(?:is|are) (?:called|named)\b|名字(?:是|叫)|\bto be (?:called|addressed)\b|\bcall (?:me|him|her|them)\b"
        ),
    ),
    ("spouse", _sign(r"\b(?:married|engaged) to\b|\b(?:husband|wife|spouse|fiancee?) is\b")),
    (
        "attribute",
        _sign(
            rf"\b(?P<which>{_ATTRIBUTES})(?: (?:of|where|for) [^.,;]+?)?(?: is\b| are\b| was\b|:)|\b(?:default|current|primary|official|chosen|main|final) \w+(?: \w+)?(?: is\b|:)|\b(?:position|sport|religion|city|country|continent) of\b|\bled by\b|(?:密码|地址|电话|名称|版本|负责人|母语|老板|国籍)(?:是|为)"
        ),
    ),
    ("from", _sign(r"\b(?:am|is|are) (?:originally )?from\b|\bcomes? from\b|\bborn and raised in\b|来自|老家在")),
    (
        "school",
        _sign(
            r"\b(?:attends?|attending|enrolled (?:at|in)|stud(?:y|ies|ying) at|goes to)\b.*\b(?:school|university|college|academy|institute)\b"
        ),
    ),
    ("car", _sign(r"\bdrives? an?\b")),
    ("citizen", _sign(r"\bcitizen of\b|国籍")),
    (
        "maker",
        _sign(
            r"\b(?P<which>developed|written|directed|founded|created|made|produced|composed|painted|designed|owned|led|invented|discovered|performed|published|manufactured|hosted|organi[sz]ed|taught|run) by\b"
        ),
    ),
    ("team", _sign(r"\bplays? for\b(?! (?:fun|hours|an?|the)\b)")),
    ("major", _sign(r"\bmajor(?:s|ing|ed)? in\b")),
    ("grew up", _sign(r"\b(?:grew up|raised) (?:in|on|near)\b")),
    ("age", _sign(r"\b(?:years? old|aged?)\b|岁")),
)
"""Attributes of which a subject has one at a time, and how lines speak of them."""
_WEAK: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "place",
        _sign(
            r"(?:\b(?:is|are|was|were|hangs?|stored|kept|stands?|sits?|sat|parked|located|lies?|stays?|hidden|hosted|deployed|held|buried|happens)\b|:)\s*(?:(?!interested|involved|used|married|released|started)\w+ed |\w+ly |only |now |still |kept |stored |located |always |hidden |parked )?(?:under|in|on|at|behind|beside|near|inside|next to|above|below|by)\b|\b(?:keeps?|puts?|stores?) (?:\w+ ){1,4}?(?:under|in|on|at|behind|inside|by)\b"
        ),
    ),
    ("runs", _sign(r"\b(?:runs? on|migrated to|switched to|moved to)\b")),
    ("written", _sign(r"\b(?:written in|migrated to|switched to|rewritten in)\b")),
    ("prefers", _sign(r"\bprefers?\b|\bpreferred\b|\bwants\b|更喜欢|偏好")),
    ("tool", _sign(r"\buses?\b.*\bfor\b|\buse\b.*\bfor\b|用的?是?")),
    ("currently", _sign(r"\bcurrent(?:ly)?\b|\bright now\b|\bthese days\b")),
    ("identity", _sign(r"^(?:my|our|his|her|the) [a-z]+(?: [a-z]+)? (?:is|are)(?: now)? an? (?-i:[A-Z])")),
    ("is", _sign(r"是")),
)
"""Attributes of which there is often but one; they count where the rest of the lines agrees."""


_NOW_WITH_IT = re.compile(r"\banother\b.*\bnow\b", re.IGNORECASE)
"""One more, and how many there are with it."""


def signs(text: str) -> frozenset[str]:
    """How the line is said."""
    found = {name for name, pattern in _SIGNS if pattern.search(text)}
    if {"more", "changed"} <= found and _NOW_WITH_IT.search(text):
        found.discard("more")
    if _EVENTS.search(text):
        found.add("event")
    if _MANY.search(text):
        found.add("many")
    return frozenset(found)


def frames(text: str) -> frozenset[str]:
    """The attributes it speaks of, of which there is one at a time."""
    found = ((name, pattern, pattern.search(text)) for name, pattern in _STRONG)
    return frozenset(
        f"{name} {lemma(match['which'].lower())}" if "which" in pattern.groupindex and match["which"] else name
        for name, pattern, match in found
        if match
    )


def weak_frames(text: str) -> frozenset[str]:
    """The attributes it speaks of, of which there is often but one."""
    return frozenset(name for name, pattern in _WEAK if pattern.search(text))
