"""A question taken apart: what it is about, whom and when it names, what kind of answer it wants."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from enum import IntFlag
from typing import TYPE_CHECKING

from oldsoul.language.forms import plain
from oldsoul.language.languages import ENGLISH, known, language, little_words
from oldsoul.language.words import RUN, is_foreign, is_unspaced
from oldsoul.ranking.classes import members
from oldsoul.ranking.marks import asks
from oldsoul.ranking.people import TITLE, mentions
from oldsoul.ranking.terms import STOPWORDS, joined, word_terms
from oldsoul.reading.dates import Span, spans
from oldsoul.reading.times import time_words
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo


class Kind(IntFlag):
    """What kind of answer a question wants; several may hold."""

    WHEN = 1
    """A time."""
    NAME = 2
    """A name: where, who, which book."""
    COUNT = 4
    """A number."""
    LIST = 8
    """Several things, which may stand in several places."""
    INSTRUCTION = 16
    """How the agent is to behave."""
    SUPPOSE = 32
    """A judgement: would, might, recommend. Its answer need not stand anywhere."""
    ADVICE = 64
    """Advice, for which it counts what one likes."""
    SAID = 128
    """What the agent itself said."""
    MONEY = 256
    """A sum of money."""
    THEN = 1024
    """How something was, and not how it is."""
    DAY = 512
    """What there was at some time, and nothing else of it."""


@frozen
class Question:
    """A question, taken apart."""

    text: str
    """As it was asked."""
    spoken: str
    """As the named person would have said it: for vectors. Names become `I`, question words in front are gone."""
    content: tuple[str, ...]
    """Its content words as written, in order, each once: for vectors."""
    terms: tuple[str, ...]
    """The terms of the content words and names, in order, each once: for words."""
    members: tuple[tuple[str, ...], ...]
    """For each term what belongs to the kind of thing it names: the terms of violin and flute for `instrument`."""
    pairs: tuple[tuple[str, str], ...]
    """Content terms that follow each other, perhaps with a stopword between."""
    people: tuple[str, ...]
    """Whom it names, of those the store knows."""
    subject: str
    """Who is to be heard: the one it names, or of several the one that does something to another; else nobody."""
    called: str
    """How it calls that one."""
    kind: Kind
    """What kind of answer it wants."""
    dates: tuple[Span, ...]
    """The times it names; relative ones resolved against the day it was asked."""
    months: tuple[int, ...]
    """Months it names without a year."""
    timely: tuple[int, ...]
    """Places of the terms that only name a time (`two days ago`): what is of that time has them, whatever its words."""
    foreign: bool
    """Whether most of its letters are not Latin."""
    language: str = ENGLISH
    """The code of the language it is in."""
    mine: float = 0.0
    """How far it is about whoever asks: 1 for `my` and `I`, less for `our`."""
    zone: tzinfo = UTC
    """Where whoever asks is: a day there begins at another moment."""
    abroad: tuple[tuple[str, ...], ...] = ()
    """For each thing it names, the terms that say it in other scripts than its own; none where no memory is in those."""

    @property
    def in_english(self) -> bool:
        """Whether it is in English, which the first table reads best."""
        return self.language == ENGLISH

    @property
    def moments(self) -> tuple[tuple[int, int], ...]:
        """The times it names that are no longer than a month, from one second to before another."""
        return tuple(
            (self.begin(span.first), self.begin(span.last + 1))
            for span in self.dates
            if span.last - span.first <= _A_MONTH
        )

    def begin(self, day: int) -> int:
        """When a day begins for whoever asks, in seconds since 1970."""
        there = datetime.fromordinal(min(max(day, _FIRST), _LAST)).replace(tzinfo=self.zone)
        return int(there.timestamp())

    @property
    def by_kin(self) -> bool:
        """Whether its words change at their ends and are not cut to stems: terms that begin like them count too."""
        return self.language not in _CUT


_FIRST, _LAST = 2, date.max.toordinal() - 1
"""Days that a clock in any zone can tell."""
_A_MONTH = 31
_QUESTION_WORD = re.compile(r"\W*(?:what|which|when|where|whose|whom|who|why|how)\b", re.IGNORECASE)
_CAPITALS = (ENGLISH, "de")
"""Languages that write other words than names with a capital, or whose names are told otherwise."""
_CUT = (ENGLISH, "zh", "ja", "ko")
"""Languages whose words are cut to stems, or to pairs of characters."""


_WORD = re.compile(rf"{RUN}(?:['’]{RUN})*")
_LEAD = re.compile(
    r"^(?:(?:and|so|but|hey|please|also|well|ok|okay)\b[ ,]*)*"
    r"(?:(?:do you (?:know|remember)|can you (?:tell|remind) me|tell me|remind me|i wonder|i forgot)\b[ ,]*(?:about )?)*"
    r"(?:(?:in|at|on|from|to|for|with|by|of|about|during|since|until) )?"
    r"(?:what|which|when|where|whose|whom|who|why|how)?(?:['’]s\b)?"
    r"(?:(?<=how) (?:many|much|often|long ago|long|old|far|big|tall|soon))?"
    r"(?: (?:kinds?|types?|sorts?|times?|names?|date|year|month|day) (?:of )?)?"
    r" *(?:(?:did|does|do|is|are|was|were|has|have|had|will|would|can|could|might|may|should)(?:n['’]t)?\b ?)?",
    re.IGNORECASE,
)
_NAMES = (
    r"where|who|whom|whose|name|called|book|novel|author|city|country|state|town|place|movie|film|show|series|song|band|"
    r"singer|artist|musician|album|company|brand|restaurant|game|console|team|club|school|university|college|pet|dog|cat|"
    r"breed|language|park|museum|beach|mountain|hotel|event|festival|organi[sz]ation|title|character|podcast|app|"
    r"website|instrument|nickname|friend|colleague|model|product|holiday|street"
)
_KINDS = (
    (
        Kind.WHEN,
        (
            r"^(?:\W*\w+\W+){0,2}when\b|\b(?:what|which) (?:\w+ )?(?:date|day|month|year|time)\b|\bhow long ago\b|"
            r"\bsince when\b|什么时候|何时|几[点号月]|哪[一]?[天年月]|多久|いつ|何[日月年時曜]"
        ),
    ),
    (
        Kind.NAME,
        (
            rf"\b(?:what|which|who|where|whose|whom)\b.*\b(?:{_NAMES})s?\b|\b(?:where|who|whose|whom)\b|"
            r"谁|哪里|哪儿|哪个|哪家|哪位|什么地方|叫什么|名字|どこ|誰|だれ|名前|何という"
        ),
    ),
    (
        Kind.COUNT,
        (
            r"\bhow (?:many|much|often|old|long|far|tall|big|high)\b|\b(?:number|amount|percentage|total) of\b|"
            r"\bwhat (?:percentage|share|price|amount)\b|\b(?:in total|altogether|add up to)\b|"
            r"多少|几[个只次岁位本]|多[大长高重]|いくつ|何[人個回歳匹本冊台]|いくら"
        ),
    ),
    (
        Kind.LIST,
        (
            r"^\W*(?:what|which)(?: (?!(?:do|did|is|are|was|were|has|have|will|can|could|would)\b)\w+){0,2}"
            r" (?!(?:does|was|has|is)\b)(?:\w{3,}(?<!s)s|people|kinds?|types?)\b(?!.*\bname\b)|"
            r"^\W*(?:what|which) (?:are|were|other|all|different|various)\b|\b(?:list|all the|in what ways|what kinds?|"
            r"types? of|who (?:are|were|all))\b|哪些|有什么|どんな|列出|都有"
        ),
    ),
    (
        Kind.INSTRUCTION,
        (
            r"\b(?:how should (?:i|you|we)|what should (?:you|i|we) (?:always|never|do)|am i allowed|rules?|"
            r"supposed to|your instructions|(?:should|may|must|can|shall|could|do|are|will) you"
            r"(?! (?:know|remember|recall|have|think|say|said|tell|recommend|suggest|help|explain|find|give|list|show)\b)|"
            r"(?:may|should|can|must) (?:your|my) (?:answers?|replies|messages|reminders)|(?:do|did|would) i (?:want|like|prefer) (?:you|my (?:answers|replies|messages|reminders|letters)|your|no|to be)|"
            r"i (?:ask|asked|told|want|wanted) you to|(?:write|speak|talk|answer|reply|address|remind) (?:to )?(?:me|us))\b|"
            r"应该怎么|规则|规定|你应该|你可以|你不能|怎么称呼|用什么语言|返して|呼んで|してほしい"
        ),
    ),
    (
        Kind.SUPPOSE,
        (
            r"\b(?:would|might|could|should|likely|probably|recommend|suggest|potentially|considered)\b|"
            r"会不会|可能|推荐|建议|おすすめ|だろう"
        ),
    ),
    (
        Kind.ADVICE,
        (
            r"\b(?:recommend|suggest|suggestions?|ideas?|advice|advise|tips?|any (?:good )?\w+ (?:for|to)|what (?:could|should|can|might|shall) (?:i|we)|"
            r"help me (?:pick|choose|find|plan|decide)|which \w+ (?:should|could|would) (?:i|we)|i'm (?:looking for|thinking of))\b|推荐|建议|おすすめ"
        ),
    ),
    (
        Kind.MONEY,
        (
            r"\b(?:spen[dt]|spending|cost|costs|paid|pay|price|expensive|budget|salary|earn|rent|fee|bill|afford|worth|money)\b|"
            r"多少钱|花了|价格|工资|房租|いくら|値段|給料|家賃"
        ),
    ),
    (
        Kind.THEN,
        (
            r"\b(?:did|didn't|was|wasn't|were|had|used to|ago|before|previously|originally|yesterday|last (?:week|month|year)|first|(?:19|20)\d\d)\b|"
            r"了吗|[过過](?![敏来來去年期生])|以前|之前|原来|原來|昨天|去年|上[周个]|ました|だった|でした|前は|昨日|去年|先[週月]"
        ),
    ),
    (
        Kind.SAID,
        (
            r"\bour (?:previous|last|earlier|past|old) (?:conversation|chat|discussion|talk|session)|\bwe (?:discussed|talked about|went over)|"
            r"\b(?:did|have|had) you (?:\w+ )?(?:recommend|suggest|mention|tell|told|give|given|say|said|list|explain|propos|describ|advis|"
            r"write|written|provid|send|sent|share|warn|estimat|quote|calculat|compar|show|name|call|come up)|"
            r"\byou (?:had |have |just |also |once |originally |previously |already |first )?"
            r"(?:recommended|suggested|mentioned|told|gave|said|listed|explained|proposed|described|advised|wrote|provided|sent|"
            r"shared|warned|estimated|quoted|calculated|compared|showed|named)\b|"
            r"(?<!may )(?<!must )(?<!can )(?<!should )\byour (?:recommend|suggest|advice|answer|explanation|list|recipe|tip|plan|estimate|reply|response|example|instructions)|"
            r"你(?:之前|上次|刚才|曾经)?(?:说|推荐|建议|提到|告诉|给)(?:过|的|了)"
        ),
    ),
)
_MINE = re.compile(r"(?i)\b(?:i|my|me|mine|myself|i'm|i've|i'd|i'll|im)\b|我(?!们|們)|私(?!たち)|僕|俺|うちの")
_OURS = re.compile(r"(?i)\b(?:we|our|us|ours)\b|我们|我們|咱|私たち|うち")
_SHARED = 0.5
"""What is ours is mine by half."""
_READ_MOST = 1000
"""So many characters of a question say what kind it is."""
_DAY = int(Kind.DAY)
_READ = tuple((int(kind), re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
_ASKS = re.compile(
    r"什么时候|何时|什么地方|叫什么|是什么|为什么|什么|怎么样?|哪[里儿个些家位天年月]|多少|多久|吗|呢|请问|いつ|どこ|誰|何|[?？。、，]"
)
_ASKING = re.compile(
    r"什么时候|何时|什么地方|叫什么|是什么|为什么|什么|怎么样?|哪[里儿个些家位天年月]|多少|多久|多[大长高重]|几[点号月个只次岁位本]|谁|"
    r"吗|呢|的|了|是|在|有|我|和|请问|"
    r"いつ|どこ|誰|だれ|何という|なに|なん|何|どんな|どの|どれ|いくつ|いくら|ですか|ますか|ましたか|でしたか|でしょうか|か$|"
    r"は|が|を|に|の|で|と|も|へ|から|です|ます|ました|[?？。、，]"
)
_MONTH = re.compile(
    r"\b(?:in|of|during|last|this|early|late|mid)[ -](january|february|march|april|may|june|july|august|september|october|"
    r"november|december)\b(?! \d)|\b(january|february|april|june|july|august|september|october|november|december)\b(?! \d)"
    r"|(?<![\d年])([01]?\d)月",
    re.IGNORECASE,
)
_ORDER = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


def asked(text: str, people: Sequence[str] = (), *, on: date | None = None, spoken_in: str = "") -> Question:
    """The question taken apart, given whom the store knows, the day it is asked, and its language if that is known."""
    text = unicodedata.normalize("NFC", text)
    named = mentions(text, people)
    subject = _subject(text, named)
    dates = tuple(spans(text, on))
    forms = {part.casefold() for name, as_said in named.items() for part in _WORD.findall(" ".join((name, *as_said)))}
    spoken_in = spoken_in or language(text)
    idle_words = little_words(spoken_in) or STOPWORDS
    named_so = _capitals(text) if spoken_in not in _CAPITALS else frozenset()
    lows = [(low, low.partition("'")[0] in idle_words and low not in named_so) for low in _cut(_lows(text), spoken_in)]
    content = dict.fromkeys(low for low, idle in lows if not idle and low not in forms)
    sequence = [(term, idle) for low, idle in lows for term in word_terms(low)]
    kept = [term for term, idle in sequence if not idle]
    pairs: dict[tuple[str, str], None] = {}
    last = before = ""
    for term, idle in sequence:
        if not idle:
            if last or before:
                pairs[(last or before, term)] = None
            last, before = term, ""
        else:
            last, before = "", last
    month = [next(filter(None, found)).lower() for found in _MONTH.findall(text)]
    kind = _kind(text[:_READ_MOST], spoken_in)
    one_word = joined(text.lower()) if "-" in text else []
    named_terms = tuple(dict.fromkeys([*(kept or [term for term, _ in sequence]), *one_word]))
    return Question(
        text=text,
        spoken=_spoken(text, named, spoken_in),
        content=tuple(content),
        terms=named_terms,
        members=tuple(map(members, named_terms, (*named_terms, "")[1:])),
        pairs=tuple(pairs),
        people=tuple(named),
        subject=subject,
        called=named[subject][0] if subject else "",
        kind=Kind(kind | (_DAY if dates and _is_of_a_day(text, spoken_in) else 0)),
        dates=dates,
        timely=_timely(text, named_terms, spoken_in) if dates else (),
        months=tuple(dict.fromkeys(int(each) if each.isdigit() else _ORDER.index(each) + 1 for each in month)),
        foreign=is_foreign(text),
        language=spoken_in,
        mine=_mine(text, spoken_in),
    )


def is_question(text: str, code: str) -> bool:
    """Whether a text in a language is put as a question: by its mark, or by the word it begins with."""
    own = known(code)
    return (
        asks(text)
        or _QUESTION_WORD.match(text) is not None
        or any(pattern.match(text.casefold()) for pattern in (own.asking.values() if own else ()))
    )


def _capitals(text: str) -> frozenset[str]:
    """The words of a question after the first that have a capital: names, though a language may have them as little words."""
    return frozenset(word.casefold() for word in _words(text)[1:] if word[0].isupper() and not text.isupper())


def _cut(lows: list[str], code: str) -> list[str]:
    """Words without what their language writes on to them."""
    own = known(code)
    if own is None or own.ends is None:
        return lows
    return [low if low in little_words(code) else own.ends.sub("", low) for low in lows]


def _kind(text: str, code: str) -> int:
    found = sum(each for each, pattern in _READ if pattern.search(text))
    own = known(code)
    asking = own.asking.items() if own else ()
    return found | sum(_ASKED[kind] for kind, pattern in asking if pattern.search(text))


_ASKED = {"when": int(Kind.WHEN), "name": int(Kind.NAME), "count": int(Kind.COUNT)}


def _mine(text: str, code: str) -> float:
    own = known(code)
    if own is not None and code != ENGLISH:
        return 1.0 if not own.mine.isdisjoint(_lows(text)) else 0.0
    return 1.0 if _MINE.search(text) else _SHARED if _OURS.search(text) else 0.0


_TIMES = """
    yesterday today tonight tomorrow last this past next previous week weekend month year day days weeks months years ago
    two three four five six seven monday tuesday wednesday thursday friday saturday sunday morning afternoon evening night
    january february march april may june july august september october november december
"""
_DOINGS = """
    say said says saying do did doing done happen happened happening happens talk talked talking discuss discussed speak
    spoke tell told telling going went go new news mention mentioned write wrote written chat chatted
"""
_DAY_NUMBER = re.compile(r"[0-3]?\d(?:st|nd|rd|th)?|(?:19|20)\d\d")
_OF_ANY_DAY = frozenset((_TIMES + _DOINGS).split())
_OTHER_TIME = re.compile(
    r"[昨今前后明]天|昨晚|今晚|今早|[上下这本]个?(?:周|星期|礼拜|月)[一二三四五六日天末]?|星期[一二三四五六日天]|周[一二三四五六日末]|[去今明]年|"
    r"\d+(?:年|月|日|号|天|周)前?|昨日|今日|明日|先週|今週|来週|先月|今月|月曜日?|火曜日?|水曜日?|木曜日?|金曜日?|土曜日?|日曜日?"
)
_OTHER_DOING = re.compile(
    r"说|講|讲|聊|谈|談|做|发生|發生|干|都|过|話|言っ|し|起き|た|ました|こと|些|我们?|你们?|有|事|情"
)


_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_RELATIVE = re.compile(
    rf"\b(?:the )?(?:day before yesterday|day after tomorrow|yesterday|today|tonight|tomorrow)"
    rf"(?: (?:morning|afternoon|evening|night))?\b|"
    rf"\b(?:on |the )?(?:last|past|this|next|previous) (?:\w+ )?(?:weekend|week|night|day|{_WEEKDAY})s?\b|"
    rf"\b(?:a couple of |a few |half )?\w+ (?:days?|weeks?) ago\b|\bon {_WEEKDAY}s?\b|"
    rf"\b(?:on )?\d{{4}}-\d\d-\d\d\b",
    re.IGNORECASE,
)
"""Times that are named by the day of the question, or in figures: no row has these words for it."""


def _timely(text: str, terms: Sequence[str], code: str) -> tuple[int, ...]:
    """The places of terms that stand only where a question names a time in such words."""
    if times := time_words(code):
        said = {term for low in _lows(text) if plain(low) in times for term in word_terms(low)}
        return tuple(place for place, term in enumerate(terms) if term in said)
    left = (_RELATIVE if code == ENGLISH else _OTHER_TIME).sub(" ", text)
    others = {term for low in _lows(left) for term in word_terms(low)}
    return tuple(place for place, term in enumerate(terms) if term not in others)


def content_words(text: str) -> list[str]:
    """The words of a question that say what it is about, names too, in order and each once."""
    idle_words = little_words(language(text)) or STOPWORDS
    return list(dict.fromkeys(low for low in _lows(text) if low.partition("'")[0] not in idle_words))


def _is_of_a_day(text: str, code: str) -> bool:
    """Whether a question, such as `what did I say yesterday?`, names a time and nothing else."""
    if times := time_words(code):
        own = known(code)
        left = [low for low in content_words(text) if plain(low) not in times and not _DAY_NUMBER.fullmatch(low)]
        return own is not None and own.doing.issuperset(left)
    if not text.isascii():
        text = _OTHER_DOING.sub("", _OTHER_TIME.sub("", _ASKING.sub("", text)))
    return all(low in _OF_ANY_DAY or _DAY_NUMBER.fullmatch(low) for low in content_words(text))


def _lows(text: str) -> list[str]:
    return [word.casefold().replace("’", "'").removesuffix("'s") for word in _words(text)]


def _words(text: str) -> list[str]:
    """The words as written; of scripts without spaces what is left between words that only ask."""
    if text.isascii():
        return _WORD.findall(text)
    return _WORD.findall(_ASKING.sub(" ", text)) or _WORD.findall(text)


def _subject(text: str, named: Mapping[str, Sequence[str]]) -> str:
    """Of several people the first, unless they are named together (`Ann and Bob`), as one or as an owner (`Ann's`)."""
    if len(named) < 2:  # noqa: PLR2004 - one is not several
        return next(iter(named), "")
    found = [
        (at.start(), name)
        for name, forms in named.items()
        for form in forms
        if (at := re.search(rf"\b{re.escape(form)}\b(?!['’]s)", text))
    ]
    either = "|".join(re.escape(form) for forms in named.values() for form in forms)
    if not found or re.search(rf"\b(?:{either})(?:,| and| or| &) (?:{either})\b|\bboth\b", text):
        return ""
    first = min(found)[0]
    here = {name for start, name in found if start == first}
    return here.pop() if len(here) == 1 else ""


def _spoken(text: str, named: Mapping[str, Sequence[str]], code: str) -> str:
    forms = sorted({form for each in named.values() for form in each}, key=len, reverse=True)
    changed = text.strip()
    if code != ENGLISH:
        changed = _ASKS.sub(" ", text)
    elif not changed.startswith(tuple(forms)):
        changed = _LEAD.sub("", changed, count=1)
    for form in forms:
        plain = rf"(?<!\w)(?:(?i:{TITLE}) )?{re.escape(form)}"
        edge = "" if is_unspaced(form) else r"(?!\w)"
        changed = re.sub(rf"{plain}['’]s(?!\w)", "my", changed)
        changed = re.sub(f"{plain}{edge}", "I", changed)
    return changed.strip(" ?？!.") or text
