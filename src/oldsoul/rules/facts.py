"""A line of memory as the one fact it states: about whom, which words and values, what it denies, and when it holds."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from oldsoul.rules.families import FAMILY
from oldsoul.rules.stemming import stem
from oldsoul.rules.typed_values import Value, typed_values
from oldsoul.rules.words import is_unspaced
from oldsoul.values.frozen import frozen

_LONGEST = 600
"""So many characters of a line are read: what is longer states more than one fact."""


@frozen
class Word:
    """One word of a line; in scripts without spaces, one character."""

    text: str
    """in lower case"""
    lemma: str
    """in the form it is compared by"""
    start: int
    """where it begins"""
    clause: int
    """the how-many-th clause it stands in"""
    content: bool
    """whether it says something: no function word, no part of a typed value"""
    name: bool
    """whether it looks like somebody's or something's name"""


@frozen
class Denial:
    """Something a line says is not so, or no longer."""

    ended: bool
    """whether it was so once"""
    items: frozenset[str]
    """the lemmas of what is denied"""
    values: tuple[Value, ...]
    """the values that are denied"""
    lack: bool = False
    """whether it says that there is none of it"""


@frozen
class Fact:
    """What a line states."""

    text: str
    """the line in plain form, without marks and date stamp"""
    stamp: str
    """the date in brackets before it"""
    words: tuple[Word, ...]
    """its words in order"""
    values: tuple[Value, ...]
    """its typed values in order, without those it denies"""
    content: frozenset[str]
    """the lemmas that say something"""
    subject: frozenset[str]
    """the lemmas before its verb; empty when it is about whom the notes are about"""
    who: str
    """first (I), third (she), named, or self where nobody is named"""
    denials: tuple[Denial, ...]
    """what it denies"""
    affirmed: frozenset[str]
    """the lemmas it does not deny"""
    frames: frozenset[str]
    """attributes of which there is one at a time, such as a home"""
    weak: frozenset[str]
    """attributes of which there is often but one, such as the place of a thing"""
    signs: frozenset[str]
    """how it is said: question, plan, past, was, ought, more, changed, there, part, event, many"""


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTION = _listed(
    "a about above after again all am an and any anyone anything are around as at be because been being below between both "
    "but by can could did do does doing done down during each ever few for from further get gets getting got had has have "
    "having he her here hers herself him himself his how i if in into is it its itself just kind may me might more most much "
    "must my myself no nor not now of off on one only or other others our ours out over own same shall she should so some something "
    "such than that the their theirs them themselves then there these they thing things this those though through to too "
    "under until up upon us very via was we were what when where which while who whom whose will with within without would "
    "yet you your yours yes never none nothing nobody always still already quite rather also either user please back behind "
    "near beside next by before since along across inside outside instead per last ago soon later today "
    "tomorrow yesterday tonight everything everyone fine ok okay new old current latest day days time date dates month months year "
    "years week weeks morning place places been ll ve re d s t m let lets any more longer anymore bit lot lots "
    "year's however else"
)
_LIGHT = _listed(
    "come go take make happen hold run set stand give put become keep stay mean exist occur do have be get say"
)
_LY = _listed(
    "family reply italy july apply supply fly ally lily belly jelly early rely bully curly assembly anomaly monopoly"
)
_ALIKE = (
    "live reside dwell inhabit live | work employ | need require pin | like love enjoy adore fond hate dislike detest loathe | start begin commence join "
    "launch | end finish expire conclude | reply answer response | kid child | cost price | store save stored | photo picture"
)
_ALIAS: dict[str, str] = {}
_CJK_FUNCTION = frozenset(
    "的了在是有和也都就还很被把将会要我你他她它们这那个只里上下中到从于对为与及呢吗吧啊已经现目前今年每才几乎最特别左右家能可以想得着过给让所一并且但而后再又共总不没无未改换"
)
_CJK_STOPS = frozenset("是在有用住不没去吃喝喜最讨已现每对会能叫做养学读改升搬换戒停,:为")

_STAMP = re.compile(
    r"^\s*(?:[-*+•]\s+)?(?:[\[(【]\s*(\d{4}-\d{2}(?:-\d{2})?)[^\])】]{0,20}[\])】]|(\d{4}-\d{2}-\d{2})(?: \d\d:\d\d)?(?=:|\s))"
    r"\s*(?:[:–—-]\s+)?"
)
_MARKS = re.compile(
    r"^\s*(?:[-*+•]\s+|#+\s+|\d+[.)]\s+)|[*_`~]{1,3}|(?<=\s)#\w+|<!--.*?-->|[\[(]\d{4}-\d{2}-\d{2}[\])]\s*$"
)
_CONTRACTED = (
    (re.compile(r"[’ʼ`]"), "'"),
    (re.compile(r"\b(?:can|could)(?:'t|n't|not| not)\s+(?:stand|bear)\b", re.IGNORECASE), "hates"),
    (re.compile(r"\bcan't\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(he|she|it|that|there|who)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"'(?:m|re)\b", re.IGNORECASE), " are"),
    (re.compile(r"'(?:ve|ll|d)\b", re.IGNORECASE), " have"),
    (re.compile(r"\b(?:mother tongue|first language)\b", re.IGNORECASE), "native language"),
    (re.compile(r"\b([a-z]+)-(in|out|off|up)\b", re.IGNORECASE), r"\1\2"),
    (re.compile(r"\bkick(?:s|ed)? off\b", re.IGNORECASE), "starts"),
    (re.compile(r"现居住?|定居|居住"), "住在"),
    (re.compile(r"^用户(?![数量名体界密们群])"), ""),
    (re.compile(r"\btakes? place\b", re.IGNORECASE), "happens"),
    (re.compile(r"\b(?:gets?|got|wakes?) up\b", re.IGNORECASE), "rises"),
    (re.compile(r"\b(?:not|n't)\b([^,.;]{0,40}?)\s*\b(?:any ?more|any longer)\b", re.IGNORECASE), r"no longer\1"),
)
"""Written forms that are read as others, so that few rules serve for many wordings."""

_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:-\d+\w*)|[^\W_]+(?:\+\+|#)?")
_BREAK = re.compile(
    r"[;,:!?。；，：！？、()\[\]]|\.(?=\s|$)|\s[-–—]+\s|\bbut\b|\band (?=(?:can|do|does|is|are|will|has|have|never|no|not)\b)|\bso\b|\bbecause\b|\balthough\b",
    re.IGNORECASE,
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

VERBS = _listed(
    "live lives lived work works worked study studies studied prefer prefers preferred like likes liked love loves loved hate "
    "hates hated own owns owned use uses used drink drinks eat eats speak speaks want wants wanted need needs needed require "
    "requires required pin pins start starts started begin begins began end ends ended leave leaves left depart departs departed arrive arrives "
    "expire expires close closes opens run runs ran take takes took make makes made go goes went come comes came give gives "
    "gave keep keeps kept stay stays stayed stand stands hang hangs hung sit sits sat store stores contain contains include "
    "includes cost costs pay pays paid owe owes owed wear wears drive drives drove play plays played teach teaches taught "
    "know knows knew call calls called move moves moved switch switches switched change changes changed raise raises raised migrate migrates "
    "migrated join joins joined stop stops stopped quit quits cancel cancels cancelled retired retires marry marries married became becomes become "
    "met meets meet bought buys buy sold sells reads read writes wrote write watch watches watched visit visits visited enjoy enjoys allow "
    "allows allowed happen happens happened listens restarts uses supports support belongs became lives grew grows born weighs measures waters "
    "feeds walks cleans cooks smokes smoke swim swims deploys commutes subscribes subscribed reduced increased postponed rescheduled "
    "moved adopted adopts has have had is are was were be been am do does did can could will would shall should must may might not never no "
    "gets get got named plays founded created developed wrote directed performed located wants believes believe thinks think"
)
_KIN = _listed(
    "mother mum mom father dad brother sister husband wife son daughter uncle aunt cousin grandma grandmother grandpa grandfather "
    "nephew niece girlfriend boyfriend partner boss colleague neighbour neighbor friend roommate fiance fiancee parent parents "
    "哥 姐 弟 妹 爸 妈 爷 奶 儿 女 妻 夫"
)


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
            r"|when (?:he|she|i|they|we) (?:was|were)|in (?:his|her|my|their) (?:twenties|thirties|forties|teens|youth|childhood|early|late)|before the|years ago|at the time|ex-|for(?:mer|mally))\b"
            r"|以前|曾经|之前|过去|原来|小时候|当年|曾"
        ),
    ),
    ("ought", _sign(r"\b(?:should|ought to|supposed to|recommended|target|goal)\b|应该")),
    ("was", _sign(r"\b(?:was|were|had)\b")),
    (
        "more",
        _sign(r"\b(?:also|either|another|additionally|besides|as well)\b|\btoo\b\s*(?:[.,;!。]|$)|也|另外|同时|此外"),
    ),
    (
        "changed",
        _sign(
            r"\b(?:now|moved|moving|switched|changed|changes|instead|replaced|no longer|migrated|upgraded|downgraded|raised|lowered|increased|reduced|cut|postponed|rescheduled|rebooked"
            r"|renamed|became|took over|updated|bumped|as of|from (?:now|this|next) ?\w*|new|pushed back|brought forward|shifted|dropped to|went (?:up|down)|grew to|extended|corrected?|actually)\b"
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
            r"\b(?:lives?|living|lived|resid(?:es?|ing|ed)) (?:\w+ly )?(?:in|at|near|alone in)\b|\bhome is\b|\bbased in\b|\b(?:moved|relocated) (?:from \w+ )?to\b|住|现居|定居|搬到|搬去"
        ),
    ),
    (
        "employer",
        _sign(
            r"\bwork(?:s|ing|ed)? (?:(?!from|as)\w+ ){0,2}?(?:at|for)\b|\bemployed (?:at|by)\b|\bjob at\b|\bemployer\b|跳槽|入职|就职|任职|在.{1,8}(?:上班|做)"
        ),
    ),
    ("workplace", _sign(r"\bworks? in an? \w+")),
    ("born", _sign(r"\bborn (?:in|at)\b|\bbirthplace\b|出生(?:在|于)")),
    ("favourite", _sign(r"\bfavou?rite\b|最喜欢的|最爱")),
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
            rf"\b(?:{_ATTRIBUTES})(?: (?:of|where|for) [^.,;]+?)?(?: is\b| are\b| was\b|:)|\b(?:default|current|primary|official|chosen|main|final) \w+(?: \w+)?(?: is\b|:)|\b(?:position|sport|religion|city|country|continent) of\b|\bled by\b|(?:密码|地址|电话|名称|版本|负责人|母语|老板|国籍)(?:是|为)"
        ),
    ),
    ("from", _sign(r"\b(?:am|is|are) (?:originally )?from\b|\bcomes? from\b|来自|老家在")),
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
            r"\b(?:developed|written|directed|founded|created|made|produced|composed|painted|designed|owned|led|invented|discovered|performed|published|manufactured|hosted|organi[sz]ed|taught|run) by\b"
        ),
    ),
    ("age", _sign(r"\b(?:years? old|aged?)\b|岁")),
)
"""Attributes of which a subject has one at a time, and how lines speak of them."""
_WEAK: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "place",
        _sign(
            r"(?:\b(?:is|are|was|were|hangs?|stored|kept|stands?|sits?|sat|parked|located|lies?|stays?|hidden|hosted|deployed|held|buried)\b|:)\s*(?:(?!interested|involved|used|married|released|started)\w+ed |\w+ly |only |now |still |kept |stored |located |always |hidden |parked )?(?:under|in|on|at|behind|beside|near|inside|next to|above|below|by)\b|\b(?:keeps?|puts?|stores?) (?:\w+ ){1,4}?(?:under|in|on|at|behind|inside|by)\b"
        ),
    ),
    ("runs", _sign(r"\b(?:runs? on|migrated to|switched to|moved to)\b")),
    ("written", _sign(r"\b(?:written in|migrated to|switched to|rewritten in)\b")),
    ("prefers", _sign(r"\bprefers?\b|\bpreferred\b|\bwants\b|更喜欢|偏好")),
    ("tool", _sign(r"\buses?\b.*\bfor\b|\buse\b.*\bfor\b|用的?是?")),
    ("currently", _sign(r"\bcurrent(?:ly)?\b|\bright now\b|\bthese days\b")),
    ("is", _sign(r"是")),
)
"""Attributes of which there is often but one; they count where the rest of the lines agrees."""

_NOT = _listed("not never none nothing nobody neither nor hardly cannot")
_NO = _listed("no without")
_AGAINST = _listed("hate hates hated dislike dislikes disliked detest detests loathe loathes")
_ENDED = re.compile(
    r"\b(?:no longer|stopped|quit|cancell?ed|gave up|given up|retired from|came off|broke up|is off|called off|got rid of|ditched|dropped|abandoned|discontinued|resigned|unsubscribed|sold (?:the|his|her|my|their|our)|left(?= [A-Z]))\b"
    r"|不再|停用|停止|取消|戒|放弃|离职|退出|退订|不.{1,6}了",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(
    r"\b(?:instead of|rather than|took over from|in place of|replac(?:ed|es|ing))\s+(?P<x>[^,.;]+?)(?=\s+(?:with|by|as|for|to)\b|[,.;]|$)"
    r"|\b(?:switched|moved|changed|migrated|went|upgraded|raised|lowered|reduced|increased|cut)\b[^,.;]{0,30}?\bfrom\s+(?P<y>[^,.;]+?)\s+to\b|从(?P<z>.{1,8}?)(?:改|换|升|降|搬|跳|调|变)",
    re.IGNORECASE,
)
_CJK_NOT = re.compile(
    r"(?:不(?!错|仅|但|过(?!敏)|同|少|久|能不)|没(?!问题)|无(?!线|论|锡)|未(?!来|必))|(?<!特|个|级|区|类|分)别(?!人|的|墅)|讨厌|禁止"
)
_CJK_AGAINST = "讨厌"


@lru_cache(maxsize=1 << 16)
def lemma(word: str) -> str:
    """The form a word is compared by: its stem, or that of the family of words it belongs to."""
    known = FAMILY.get(word)
    if known is None:
        cut = stem(word)
        known = FAMILY.get(cut, cut)
    return _ALIAS.get(known, known)


def _fill_aliases() -> None:
    for family in _ALIKE.split("|"):
        heads = [lemma(word) for word in family.split()]
        _ALIAS.update((other, heads[0]) for other in heads[1:] if other != heads[0])
    lemma.cache_clear()


_fill_aliases()
_CUES = _listed(
    "stopped quit cancelled gave given retired broke rid ditched dropped abandoned discontinued resigned unsubscribed "
    "sold switched changed instead replaced migrated upgraded downgraded raised lowered increased reduced postponed "
    "rescheduled rebooked updated bumped shifted extended corrected moved took longer"
)
"""Words that say that something changed, and nothing about what it was."""
_LIGHT_LEMMAS = frozenset(lemma(word) for word in (*_LIGHT, *_CUES))
_KIN_LEMMAS = frozenset(lemma(word) for word in _KIN)


def plain(line: str) -> tuple[str, str]:
    """The line without marks and date stamp, and the stamp."""
    text = unicodedata.normalize("NFKC", line[:_LONGEST])
    stamp = _STAMP.match(text)
    text = _MARKS.sub("", text[stamp.end() :] if stamp else text)
    for pattern, other in _CONTRACTED:
        text = pattern.sub(other, text)
    return " ".join(text.split()), (stamp[1] or stamp[2]) if stamp else ""


@lru_cache(maxsize=1 << 10)
def fact(line: str) -> Fact:
    """What the line states, remembered for a while."""
    return read(line)


def read(line: str) -> Fact:
    """What the line states."""
    text, stamp = plain(line)
    values = typed_values(text)
    words = tuple(_words(text, values))
    content = frozenset(word.lemma for word in words if word.content)
    subject, who = _subject(text, words, values)
    denials = tuple(_denials(text, words, values))
    denied = frozenset(item for denial in denials for item in denial.items)
    turned = {value for denial in denials for value in denial.values}
    elsewhere = _affirmed(words, denials, text)
    return Fact(
        text=text,
        stamp=stamp,
        words=words,
        values=tuple(value for value in values if value not in turned),
        content=content,
        subject=subject,
        who=who,
        denials=denials,
        affirmed=frozenset(content - denied | elsewhere),
        frames=frozenset(name for name, pattern in _STRONG if pattern.search(text)),
        weak=frozenset(name for name, pattern in _WEAK if pattern.search(text)),
        signs=frozenset(_signs(text)),
    )


def _signs(text: str) -> list[str]:
    found = [name for name, pattern in _SIGNS if pattern.search(text)]
    if _EVENTS.search(text):
        found.append("event")
    if _MANY.search(text):
        found.append("many")
    return found


def _words(text: str, values: list[Value]) -> list[Word]:
    breaks = [match.end() for match in _BREAK.finditer(text)]
    covered = bytearray(len(text) + 1)
    for value in values:
        covered[value.start : value.end] = b"\1" * (value.end - value.start)
    found: list[Word] = []
    clause = 0
    for match in _WORD.finditer(text):
        for start, piece in _pieces(match):
            while clause < len(breaks) and breaks[clause] <= start:
                clause += 1
            lower = piece.lower()
            unspaced = is_unspaced(piece)
            form = lower if unspaced else lemma(lower)
            letter = len(piece) == 1 and piece.isupper() and start > 0 and piece != "I"  # the A of "server A"
            name = not unspaced and start > 0 and (piece[0].isupper() or any(char.isdecimal() for char in piece))
            says = not covered[start] and (
                lower not in _CJK_FUNCTION if unspaced else (letter or _says(lower, form, named=name))
            )
            found.append(Word(lower, form, start, clause, says, name))
    return found


def _pieces(match: re.Match[str]) -> list[tuple[int, str]]:
    run = match[0]
    if run.isascii() or not _UNSPACED.search(run):
        return [(match.start(), run)]
    pieces: list[tuple[int, str]] = []
    begun = 0
    for at, char in enumerate(run):
        if _UNSPACED.match(char):
            if begun < at:
                pieces.append((match.start() + begun, run[begun:at]))
            pieces.append((match.start() + at, char))
            begun = at + 1
    if begun < len(run):
        pieces.append((match.start() + begun, run[begun:]))
    return pieces


def _says(word: str, form: str, *, named: bool) -> bool:
    if word in _FUNCTION or form in _LIGHT_LEMMAS:
        return False
    return named or not (word.endswith("ly") and len(word) > len("only") and word not in _LY)


_FIRST = _listed("i my we our 我")
_THIRD = _listed("he she they his her their it its 他 她 它")


def _subject(text: str, words: tuple[Word, ...], values: list[Value]) -> tuple[frozenset[str], str]:
    end = min((value.start for value in values), default=len(text))
    colon = text.find(":")
    if 0 < colon < end:
        end = colon
    found: list[str] = []
    person = "self"
    for at, word in enumerate(words):
        if word.start >= end or _is_verb(words, at):
            break
        if word.text in _FIRST or word.text in _THIRD:
            person = "first" if word.text in _FIRST else "third"
        if word.content:
            found.append(word.lemma)
    else:
        if end == len(text):
            found = found[:1]  # no verb we know
    return frozenset(found), "named" if found else person


def _is_verb(words: tuple[Word, ...], at: int) -> bool:
    text = words[at].text
    if text in VERBS or text in _CJK_STOPS or text.endswith("ed"):
        return True
    named = at == 1 and words[0].content and words[0].clause == words[1].clause and not is_kin(words[0].lemma)
    return named and not words[1].name and len(text) > len("was") and text.endswith("s") and not text.endswith("ss")


def _denials(text: str, words: tuple[Word, ...], values: list[Value]) -> list[Denial]:
    found: list[Denial] = []
    for match in _GIVEN_UP.finditer(text):
        name = next(group for group in "xyz" if match[group])
        found.append(_denial(words, values, match.span(name), ended=True))
    ended = {_clause_at(words, match.start()): match for match in reversed([*_ENDED.finditer(text)])}
    cues: dict[int, list[Word]] = {}
    for word in words:
        if word.text in _NOT or word.text in _NO or word.text in _AGAINST:
            cues.setdefault(word.clause, []).append(word)
    for match in _CJK_NOT.finditer(text):
        word = next((word for word in words if word.start >= match.start()), words[-1])
        cues.setdefault(word.clause, []).append(word)
    for clause in sorted({*cues, *ended}):
        inside = [word for word in words if word.clause == clause]
        if clause in ended:
            found += _over(words, values, inside, ended[clause])
        elif len(cues[clause]) == 1:  # two denials in one clause cancel each other
            found.append(_not_so(text, words, values, inside, cues[clause][0]))
    return [denial for denial in found if denial.items or denial.values]


def _over(words: tuple[Word, ...], values: list[Value], inside: list[Word], cue: re.Match[str]) -> list[Denial]:
    """What a clause says is over: what stands after the word that says so, or else the whole of it."""
    start, end = inside[0].start, inside[-1].start + len(inside[-1].text)
    if cue[0].lower() in _NO_LONGER:
        return [_denial(words, values, (start, end), ended=True)]
    after = [word for word in inside if word.start >= cue.end()]
    if after and after[0].text in _DANGLING:
        return []
    whole = _denial(words, (), (start, end), ended=True)
    rest = _denial(words, (), (cue.start(), end), ended=True)
    signal = {lemma(word) for word in cue[0].lower().split()} | ({*cue[0]} if len(cue[0]) <= len("停用") else {*()})
    made = rest if rest.items - signal and not cue[0].lower().endswith(" off") else whole
    return [Denial(made.ended, made.items - signal, made.values)]


def _not_so(text: str, words: tuple[Word, ...], values: list[Value], inside: list[Word], cue: Word) -> Denial:
    before = next((word.text for word in reversed(inside) if word.start < cue.start), "")
    lack = (cue.text in _NO and before in _BEING) or text.startswith("没有", cue.start)
    start = cue.start if lack and cue.text == "no" else inside[0].start
    made = _denial(words, values, (start, inside[-1].start + len(inside[-1].text)), ended=False)
    against = {cue.lemma, *_CJK_AGAINST} if cue.text in _AGAINST or text.startswith(_CJK_AGAINST, cue.start) else set()
    return Denial(made.ended, made.items - against, made.values, lack)


_BEING = _listed("has have had got is are was were there")
_NO_LONGER = ("no longer", "不再")
_DANGLING = _listed("it that this them him her")


def _denial(
    words: tuple[Word, ...], values: list[Value] | tuple[Value, ...], span: tuple[int, int], *, ended: bool
) -> Denial:
    inside = frozenset(word.lemma for word in words if word.content and span[0] <= word.start < span[1])
    return Denial(ended, inside, tuple(value for value in values if span[0] <= value.start < span[1]))


def _clause_at(words: tuple[Word, ...], start: int) -> int:
    return next((word.clause for word in words if word.start >= start), words[-1].clause)


def _affirmed(words: tuple[Word, ...], denials: tuple[Denial, ...], text: str) -> set[str]:
    """Lemmas that also stand in a clause without any denial."""
    if not denials:
        return set()
    bad = {word.clause for word in words if word.text in _NOT or word.text in _NO or word.text in _AGAINST}
    bad |= {_clause_at(words, match.start()) for match in _ENDED.finditer(text)}
    bad |= {_clause_at(words, match.start()) for match in _CJK_NOT.finditer(text)}
    bad |= {_clause_at(words, match.start()) for match in _GIVEN_UP.finditer(text)}
    return {word.lemma for word in words if word.content and word.clause not in bad}


_SORTS = (
    "pet dog cat rabbit hamster parrot goldfish | sibling brother sister | meat steak beef pork chicken bacon ham burger lamb | kid son daughter | "
    "seafood shrimp fish crab lobster | alcohol beer wine whisky vodka | dairy milk cheese butter | nut peanut almond walnut | vehicle car truck motorbike | "
    "tobacco smoke cigarette"
)
_SORT_OF = {lemma(word): lemma(family.split()[0]) for family in _SORTS.split("|") for word in family.split()[1:]}


def with_sorts(forms: frozenset[str]) -> frozenset[str]:
    """The lemmas, and what those of them are that are a sort of something."""
    return forms | {_SORT_OF[form] for form in forms if form in _SORT_OF}


def is_kin(form: str) -> bool:
    """Whether a lemma names a person by what they are to another."""
    return form in _KIN_LEMMAS
