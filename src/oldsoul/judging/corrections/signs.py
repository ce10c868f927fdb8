"""Signs in a message that puts something right, and of clauses that state something for good."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_CLAUSES = 8
_CLAUSE = re.compile(
    r"[,;!?\U0001f300-\U0001faff\u2600-\u27bf。，！？；：\n…]+|\.+(?=\s|$)|:(?=\s)|\s[-–—]+\s|\s+(?:so|but|because|cause|cuz|though)\s+"
    r"|\s+(?:haha\w*|hehe|lol)\b\s*|\s+and\s+(?=(?:it|he|she|they|i|we)\b)|\s+(?=(?:since|after|when|as|until)\s+(?:the|they|we|he|she|it|my|our|i)\b)"
)
REFUSES = re.compile(
    r"(?i)^\W*(?:no+|nope|nah|wrong|false|not quite|close|almost|wait|incorrect)\b(?!\s+(?:need|problem|worries|rush|thanks|idea|one|wonder|doubt|way|chance|more|matter))"
    r"|\bmix(?:ed|ing)?\s+(?:\w+\s+){0,2}up\b|\b(?:that'?s|thats|is|are|was|were) (?:wrong|not right|incorrect|stale|outdated|out of date)\b|\bwrong (?:one|number|date|day|name|place)\b"
    r"|\byou (?:swapped|forgot|got it wrong)\b|\bi (?:already|just) told you\b|\bmust correct\b|^\W*(?:careful|watch out|correction)\b|\btypo\b|\bconfus(?:ed|ing)\b|\bread (?:it|the \w+) again\b|写错|不对|不對|错了|錯了|记错|記錯|搞错|弄错"
)
CHANGES = re.compile(
    r"(?i)\b(?:now|nowadays|since|moved|changed|switched|swapped|went (?:up|down)|raised|lowered|extended|extension|no longer|any ?more|left|quit|"
    r"retired|upgraded|updated|renamed|became|these days|instead|postponed|pushed|stopped|resigned|replaced|until last|new|down to|up to)\b"
    r"|改|搬|换|換|升|调走|調走|现在|現在|早就|不再|已经|已經|延到|涨|漲"
)
INTO = re.compile(
    r"(?i)(?:\b(?:changed|moved|switched|up|down|extended|upgraded|renamed|pushed|postponed)\s+(?:back\s+)?to|\b(?:swapped|traded)\s+with|\b(?:replaced|taken over)\s+by"
    r"|\bnow(?:\s+it)?(?:'?s)?|\bit'?s\s+now|改成|改到|换成|升到|搬到|现在[在是叫])\s*$"
)
MENDS = re.compile(
    r"(?i)\b(?:\w+ ){0,2}(?:pass|ticket|paper|letter|site|website|mail|email|invite|calendar|contract|invoice|label|sign|docs?|page|it) says\b|\bplease change\b|\buse (?:this|that)\b|\b(?:though|actually)\b|\b(?:fix|recalc\w*|update|correct|redo|adjust|put it back|forget|resend|don'?t send)\b|\b(?:still|is|are|was) (?:right|ok|okay|correct|fine)\b|\bsame\b"
    r"|\b(?:checked|looked it up|in front of me|just looked|says on|on the (?:site|ticket|invite))\b|没变|沒變|别发错|按新的|没事"
)
REPORTS = re.compile(
    r"(?i)\b(?:my|his|her|the|our|some)\s+\w+\s+(?<!pass )(?<!paper )(?<!ticket )(?<!site )(?<!letter )(?<!contract )(?<!invoice )(?<!calendar )(?<!page )(?<!mail )(?:says|said|told|thinks|claims|insists|swears|believes)\b|\b(?:he|she|they|everybody|people) (?:says?|thinks?|claims?)\b|\b\w+ (?:thought|thinks|claims|believes|guessed)\b|(?-i:\b[A-Z][a-z]+) (?:says|said|wrote|writes|told)\b|\bis what \w+ (?:wrote|said)\b|\bwhich is wrong\b"
    r"|(?:同事|朋友|他们|她们|有人|别人|人家)\S{0,2}(?:说|說|以为)"
)
LAUGHS = re.compile(r"(?i)\b(?:haha\w*|hehe|lol)\b|哈哈|😂|🤣")
PLAYS = re.compile(
    r"(?i)\b(?:kidding|joking|jk|forever|in my dreams|if only|i wish|wish it|would be nice|imagine|suppose|pretend|what if|let'?s say|hypothetically)\b|要是|如果|假如|开玩笑|😎"
)
PASSING = re.compile(
    r"(?i)\b(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening|week|time|once)|for (?:the|a|this) (?:weekend|week|day|night|month|while)|already \d|visiting|on holiday|"
    r"yesterday|last (?:night|week|year|time)|next time|tomorrow|would|could|might|maybe|probably|almost|nearly|about to|for now|except|extra|more than|less than|on top|another|when (?:i|we) (?:was|were|got)|i was|we were|back then|as a kid|want to|wanna|i want|i'd like|let's|plan to|going (?:to|on)|gonna|invited|come here|coming)\b|(?:现在|現在)(?:是|都)(?:周|星期|礼拜|\d)|今天|今晚|昨天|上次|下次|明天|可能"
)
WISHES = re.compile(
    r"(?i)^\W*(?:(?:and|then|ok|okay|please|pls|can|could|would|will|you|just|also)\s+)*(?:make|change|write|put|set|add|remind|book|give|send|tell|show|try|call|say|replace|move|translate|find|get|let|remember|wake|order|buy|schedule|cut|shorten|trim|round|keep|use|ask|check)\b|^(?:帮我|幫我|请|請|麻烦|麻煩|能不能|可不可以|把)|吧[。！!]?$"
)
STATES = re.compile(
    r"(?i)(?:\b(?:it|he|she|that|they|we|i|there|name|who)(?:'?s|'?re|'?m|\s+(?:is|are|was|were|am))|\b(?:is|are|says|called|live|lives|starts?|ends?|opens?|closes?|costs?|leaves?|lands?|arrives?|meets?|works?)|=)"
    r"(?:\s+(?:at|on|in|by|for|a|an|the|his|her|my|our|their|number|from|only|just|actually|called))*\s*$"
)
ASIDE = re.compile(
    r"(?i)\b(?:also|too|as well|another|other|others|most|some|both|used to|formerly|previously|former|old|ex|except|plus|each|per|after that|that (?:week|day|time|one)|in (?:summer|winter|spring|autumn)|"
    r"otherwise|holidays?|for (?:students|kids|children|members|guests)|is where|or)\b|也|另|前公司|其他|别的|個人|个人|这周|那周|这次|那次|除了|或者"
)
"""Says that something else, something more or something past is spoken of."""
PERSON = re.compile(
    r"(?i)\b(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|child(?:ren)?|mother|mum|mom|father|dad|parents|brother|sister|grand\w+|aunt|uncle|cousin|niece|nephew|boss|friend|colleague)\b|(?-i:\b[A-Z][a-z]+ (?:is|lives|works|has|plays|swims|goes|likes|studies)\b)"
)
MINE = re.compile(r"(?i)^\W*(?:and\s+|but\s+)?(?:mine|yours|hers)\b")
WHOSE = re.compile(
    r"(?i)^\W*(?:and\s+|but\s+)?(?:my|his|her|our|your)\s+(?P<who>[\w-]+)(?=(?:\s+[\w'-]+)?\s+(?:is|was|are|has)\b)"
    r"|^\W*(?:and\s+|but\s+)?(?:my|his|her|our|a)\s+(?P<person>friend|colleague|boss|neighbou?r|brother|sister|mum|mom|mother|dad|father|wife|husband|son|daughter|cousin|uncle|aunt|kid|mate|roommate|flatmate|partner|girlfriend|boyfriend|teammate|coworker|classmate)\b"
    r"|\b(?:my|his|her|their|our)\s+(?P<owner>[\w-]+)'s\b|\bfor\s+(?:the|a|an|my|our|his|her)\s+(?P<purpose>[\w-]+)"
    r"|[我他她](?:们|們)?(?:的)?(?P<kin>[表堂][哥弟姐妹]|弟弟|哥哥|姐姐|妹妹|妈妈|爸爸|老婆|老公|同事|朋友|儿子|女儿|爷爷|奶奶)"
)
SOMEBODY = re.compile(
    r"^\W*([A-ZÀ-ÖØ-Þ][a-zà-ÿ]+)\s+(?:lives?|works?|has|had|is|was|likes?|takes?|pays?|plays?|drinks?|eats?|goes|studies|speaks)\b"
)
SINCE = re.compile(
    r"(?i)\b(?:as of|from|since|starting)\s+(?:(?:this|next|last)\s+\w+|now(?:\s+on)?|today|yesterday|tomorrow)\b"
)
"""Says since when something holds: that is not passing."""
LEADS = re.compile(r"(?i)\b(in|at|with|by|from|on|for|to)\s+(?:the\s+)?$")


def plain_clauses(text: str) -> list[str]:
    """The clauses of a message that state something for good: no questions, wishes, reports of others or passing things."""
    return [] if PLAYS.search(text) else [clause for _, clause, _ in stating(text)]


def stating(text: str) -> Iterator[tuple[int, str, bool]]:
    """Clauses that state something, where each comes, and whether a first word in capitals may be a name there."""
    start = 0
    for place, clause in enumerate(clauses(text)[:_MOST_CLAUSES]):
        start = text.find(clause, start)
        ends = text[start + len(clause) : start + len(clause) + 2]
        skipped = "?" in ends or "？" in ends or WISHES.match(clause) or REPORTS.search(clause)
        if not skipped and not PASSING.search(clause):
            yield place, clause, place > 0 or start > 0


def clauses(text: str) -> list[str]:
    """The clauses of a message."""
    return [part for part in _CLAUSE.split(text) if part and part.strip()]
