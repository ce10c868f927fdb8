"""Attributes of which there is one at a time, however they are worded: marriage, trade, faith, favourites, an office."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from oldsoul.reading.fact_words import VERBS, Word, lemma, listed
from oldsoul.reading.trades import TRADES
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator


@frozen
class Attribute:
    """One attribute, and the value a line gives it."""

    name: str
    """which attribute, of what: `marriage`, `favourite colour`"""
    value: frozenset[str]
    """what it is"""
    holder: frozenset[str]
    """whose it is"""


_MINE = frozenset(("first",))
_NOT = r"(?<!not )(?<!never )(?<!n't )(?<!no longer )"
_ADVERB = r"(?:(?:\w+ly|now|still|very|so|also|just) ){0,2}"
_ADJECTIVE = r"(?:(?!(?:of|to|with|for|in|at|on|by|from|than|like|about|and|who|that|not|no|never|as) )[\w-]+ ){0,3}?"
_SKILLED = r"(?!(?:[\w-]+ )?(?:good|great|bad|terrible|decent|excellent|amazing|awful|better|best|horrible|wonderful|lousy|careful|fast|safe|slow) )"
"""A good cook is not by trade one."""
_TRADE = "|".join(sorted(map(re.escape, TRADES), key=len, reverse=True))
_PEOPLE = "parents?|family|mom|mother|dad|father|husband|wife|partner|boyfriend|girlfriend|fiancee?|room-?mates?|kids?|children|sons?|daughters?|brothers?|sisters?|friends?|grand\\w+|aunt|uncle|cousins?"
_ENDS = r"(?![\w'’-]| (?:and|or) (?:a|an) )"
_LIVE = r"\bliv(?:e|es|ing)"
_AT_SCHOOL = r"\b(?:i|he|she) (?:(?:am|are|is) (?:still |currently |now )?(?:an? \w+ )?(?:in|at|attending)|attends?|go to|goes to)"
_MALE = "man|guy|boy|male|father|dad|husband|grandfather|grandpa|gentleman"
_FEMALE = "woman|girl|female|lady|mother|mom|mum|wife|grandmother|grandma|waitress|actress|housewife"
_STATES: tuple[tuple[str, str], ...] = (
    ("marriage married", rf"{_NOT}\b(?:am|is|are|been|got|get|stay) {_ADVERB}(?<!not )(?<!never )married\b"),
    ("my marriage married", r"\bmy (?:\w+ )?(?:wife|husband|spouse)\b(?! ?to be)"),
    ("marriage single", rf"\b(?:am|is|are) {_ADVERB}single\b(?! [a-z])"),
    (
        "marriage unmarried",
        r"\b(?:not|never)(?: \w+ly| been| yet| got(?:ten)?| get){0,2} married\b|\b(?:not have an?|have no) (?:husband|wife|spouse)\b",
    ),
    ("marriage divorced", rf"{_NOT}\b(?:am|is|are|got|get) {_ADVERB}(?<!not )(?:divorced|widowed)\b"),
    ("marriage engaged", rf"\b(?:am|is|are|got) {_ADVERB}(?<!not )engaged(?: to\b|(?=\s*[.,;!]|$))"),
    ("my marriage engaged", r"\bmy fianc"),
    ("marriage dating", r"\b(?:am|is|are) dating\b|\b(?:have|has|got) a (?:new )?(?:boyfriend|girlfriend)\b"),
    ("my marriage dating", r"\bmy (?:boyfriend|girlfriend)\b"),
    ("work none", rf"\b(?:am|is|are) {_ADVERB}(?:unemployed|jobless|out of work|between jobs)\b"),
    ("work none", r"\b(?:not|never) (?:currently )?(?:have a job|work)(?=\s*(?:[.,;!]|$))|\b(?:have|has) no job\b"),
    (
        "work none",
        r"\b(?:i|he|she) (?:am|are|is) not (?:currently )?working(?=\s*(?:[.,;!]|$)| right now| at the moment)",
    ),
    ("my work none", r"\blost my job\b|\bi (?:got|was|were|have been) (?:just |recently )?(?:fired|laid off)\b"),
    ("work some", r"\b(?:i|he|she) (?:currently |also )?works? (?:full[- ]time|part[- ]time|as|at|in|for|with)\b"),
    ("my work some", r"\bmy boss\b|(?<!lost )(?<!quit )(?<!left )(?<!from )\bmy job\b"),
    ("work retired", rf"\b(?:am|is|are) {_ADVERB}(?:an? )?retired\b"),
    ("work home", r"\bstay[- ]at[- ]home (?:mom|mother|dad|father|parent|wife)\b|\b(?:housewife|homemaker)\b"),
    ("household alone", rf"{_LIVE} (?:all )?(?:alone|by (?:my|him|her)self|on (?:my|his|her) own)\b"),
    (
        "household together",
        rf"{_LIVE} (?:at home |in [\w ]{{1,30}} )?with (?:my|his|her|our|an?|some|two|three|four|\d) (?:\w+ )?(?:{_PEOPLE})\b",
    ),
    ("setting city", rf"{_LIVE} (?:right )?in (?:the|an?) (?:big |large |busy )?city\b(?! of\b)"),
    ("setting country", rf"{_LIVE} (?:way )?(?:out )?(?:in the (?:country|countryside|woods)|on an? (?:\w+ )?farm)\b"),
    (
        "school high",
        rf"{_AT_SCHOOL} high school\b|\b(?:am|is|are) an? (?:\w+ )?high school(?:er| student| senior| junior)\b",
    ),
    (
        "school university",
        rf"{_AT_SCHOOL} (?:community )?(?:college|university|grad school|law school)\b|\b(?:am|is|are) an? college \w+",
    ),
    ("school low", rf"{_AT_SCHOOL} (?:the )?(?:\w+ grade|elementary school|middle school|kindergarten)\b"),
    ("my sex male", rf"\bi (?:am|are) {_ADVERB}(?:an? |the )?{_ADJECTIVE}(?:{_MALE}){_ENDS}"),
    ("my sex female", rf"\bi (?:am|are) {_ADVERB}(?:an? |the )?{_ADJECTIVE}(?:{_FEMALE}){_ENDS}"),
    *(
        (f"faith {faith}", rf"\b(?:am|is|are|as) {_ADVERB}(?:an? )?{_ADJECTIVE}(?:{said}){_ENDS}")
        for faith, said in (
            ("christian", "christian|catholic|protestant|baptist|mormon|lutheran|methodist"),
            ("muslim", "muslim"),
            ("jewish", "jewish|jew"),
            ("hindu", "hindu"),
            ("buddhist", "buddhist"),
            ("none", "atheist|agnostic"),
        )
    ),
    *(
        (f"party {party}", rf"\b(?:am|is|are|as) {_ADVERB}(?:an? )?{_ADJECTIVE}(?:{party}){_ENDS}")
        for party in ("democrat", "republican", "libertarian")
    ),
    *(
        (f"politics {side}", rf"\b(?:am|is|are) (?:politically |very |pretty |an? )?{side}(?=\s*(?:[.,;!]|$))")
        for side in ("liberal", "conservative")
    ),
)
"""An attribute and its value, and how a line says so; `my` where it is that of whoever speaks, whatever the subject."""
_TRADE_SAID = (
    rf"\b(?:am|is|are|as|became|(?<!to )become)(?<!not )(?: \w+ly| now)? an? {_SKILLED}{_ADJECTIVE}(?P<trade>{_TRADE})(?:s\b)?{_ENDS}"
    rf"|\bmy (?:job|profession|occupation) is (?:an? |being an? )?(?P<trade2>{_TRADE})\b"
    rf"|\bworks? as an? {_ADJECTIVE}(?!(?:manager|consultant|contractor|freelancer|volunteer|supervisor|assistant|intern|temp|lead|team|part|full|independent|senior|junior)\b)(?P<any>[a-z]+)(?=\s*(?:[.,;!]|$)| (?:at|in|for|and|on|from)\b)"
    r"|\b(?P<teaches>i teach|he teaches|she teaches) (?!my|him|her|them|you|how)"
)
_ASIDE = re.compile(
    r"\b(?:part[- ]time|on the side|on weekends|weekends|second job|volunteer\w*|student|training|amateur|like an?|hobby|retired|would)\b",
    re.IGNORECASE,
)
"""What makes a trade one of several, or none yet."""
_COMPATIBLE = frozenset(
    frozenset(pair)
    for pair in (
        *(("divorced", "single"), ("divorced", "unmarried"), ("divorced", "dating"), ("divorced", "engaged")),
        *(("unmarried", "single"), ("unmarried", "dating"), ("unmarried", "engaged"), ("married", "dating")),
        *(("engaged", "dating"), ("retired", "home"), ("none", "home"), ("none", "retired")),
    )
)
"""Values of one attribute that go together."""
_FAVOURITE = re.compile(
    r"\b(?:(?P<whose>my|our|his|her|their|[a-z]+'s) )?(?:all[- ]time |absolute |new |current )?favou?rite (?P<topic>[a-z]+(?: [a-z]+)?)(?: (?:of all time|ever|in school|to \w+))? (?:is|are|would be|has to be)\b(?! not)(?P<value>[^.,;!?]+)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:one|some|two|three) of (?:my|his|her|their|our)\b|\b(?:any|anything|everything|all|either|both)\b",
    re.IGNORECASE,
)
_MY_FAVOURITE = re.compile(
    r"(?:^|[.,;!] )(?P<value>[^.,;!?]{1,40}?) (?:is|are) (?P<whose>my|our|his|her|their|[a-z]+'s) (?:all[- ]time |absolute |new |current )?favou?rite (?P<topic>[a-z]+(?: [a-z]+)?)(?=\s*(?:[.,;!]|$)| (?:of all time|ever|in school)\b)",
    re.IGNORECASE,
)
_OFFICE = re.compile(
    r"^(?:the )?(?P<value>[^.,;!?]{1,40}?) (?:is|was|became) the (?:current |new |present )?(?P<topic>(?:chair(?:man|woman|person)?|president|vice president|ceo|capital|author|mayor|king|queen|captain|head|director|founder|owner|winner|leader|manager|principal|coach|chief|governor|secretary|treasurer)(?: of [^.,;!?]{1,40})?)[.!]?$",
    re.IGNORECASE,
)
_PREFERRED = re.compile(
    r"\b(?:prefers?|likes?|loves?) (?P<liked>[a-z]+) (?:over|to|more than|better than|rather than|instead of) (?P<other>[a-z]+)\b",
    re.IGNORECASE,
)
_HAVING = listed("have has own owns got keep keeps adopted bought drive drives there our my his her their with")
_HAVING_MINE = listed("have own got keep adopted bought drive")
_POSSESSIVE = listed("my our")
_STOPS = listed(
    "s who that which where when because to in on at for from than if while as about by i he she they you it not no never"
)
_NEVER = listed("not never no longer without")
_PARENTS = listed("mother mom mum father dad parent")
_FAR = 6
"""So many words after `have` what is had may stand."""


_TELLING = listed(
    "married single divorced widowed engaged dating wife husband spouse fiance fiancee boyfriend girlfriend unemployed "
    "jobless work works working job jobs boss fired laid retired home housewife homemaker live lives living school college "
    "university grade elementary kindergarten teach teaches favorite favourite prefer prefers like likes love loves man guy boy male father "
    "dad grandfather grandpa gentleman woman girl female lady mother mom mum grandmother grandma waitress actress "
    "christian catholic protestant baptist mormon lutheran methodist muslim jewish jew hindu buddhist atheist agnostic "
    "democrat republican libertarian liberal conservative chairman chairwoman chairperson chair president ceo capital "
    "author mayor king queen captain head director founder owner winner leader manager principal coach chief governor "
    "secretary treasurer profession occupation"
) | {trade.rpartition(" ")[2] for trade in TRADES}
"""Words of which a line holds one, or it speaks of no such attribute."""


def attributes(text: str, words: tuple[Word, ...], holder: frozenset[str]) -> tuple[Attribute, ...]:
    """The attributes a line gives a value to, of which there is one at a time."""
    if _TELLING.isdisjoint(word.text for word in words):
        return ()
    found = [
        Attribute(name.removeprefix("my "), frozenset((value,)), _MINE if name.startswith("my ") else holder)
        for (name, _, value), said in _states()
        if said.search(text)
    ]
    return (*found, *_trade(text, holder), *_favourite(text, words), *_office(text, words), *_preferred(text, holder))


@cache
def _states() -> tuple[tuple[tuple[str, str, str], re.Pattern[str]], ...]:
    return tuple((name.rpartition(" "), re.compile(said, re.IGNORECASE)) for name, said in _STATES)


@cache
def _trade_said() -> re.Pattern[str]:  # compiled when it is first asked for: most commands never ask
    return re.compile(_TRADE_SAID, re.IGNORECASE)


def _trade(text: str, holder: frozenset[str]) -> Iterator[Attribute]:
    match = _trade_said().search(text)
    if match and not _ASIDE.search(text):
        said = (match["trade"] or match["trade2"] or match["any"] or "teacher").lower()
        yield Attribute("work", frozenset((TRADES.get(said, said),)), holder)


def _favourite(text: str, words: tuple[Word, ...]) -> Iterator[Attribute]:
    for match in (_FAVOURITE.search(text), _MY_FAVOURITE.search(text)):
        if match and not _SEVERAL.search(text):
            topic, value = (_within(words, match.span(part)) for part in ("topic", "value"))
            if topic and value:
                yield Attribute(f"favourite {' '.join(sorted(topic))}", value, _whose(match["whose"] or ""))


def _whose(word: str) -> frozenset[str]:
    """Whose it is, by the word before it."""
    word = word.lower().removesuffix("'s")
    if word in _POSSESSIVE:
        return _MINE
    if word in ("his", "her", "their"):
        return frozenset(("third",))
    return frozenset((lemma(word) if word and word != "user" else "self",))


def _office(text: str, words: tuple[Word, ...]) -> Iterator[Attribute]:
    match = _OFFICE.search(text)
    if match:
        topic, value = (_within(words, match.span(part)) for part in ("topic", "value"))
        if len(topic) > 1 and value:
            yield Attribute(f"office {' '.join(sorted(topic))}", value, frozenset())


def _preferred(text: str, holder: frozenset[str]) -> Iterator[Attribute]:
    match = _PREFERRED.search(text)
    if match:
        liked, other = (match[part].lower() for part in ("liked", "other"))
        yield Attribute(f"preference of {' and '.join(sorted((liked, other)))}", frozenset((liked,)), holder)


def _within(words: tuple[Word, ...], span: tuple[int, int]) -> frozenset[str]:
    return frozenset(
        word.lemma for word in words if span[0] <= word.start < span[1] and (word.content or word.text not in _SMALL)
    )


_SMALL = listed(
    "a an the my his her is are of any all just by far probably definitely to be that this one s it they he she"
)


def at_odds(a: Attribute, b: Attribute) -> bool:
    """Whether the two cannot both be so."""
    if a.name != b.name or a.value & b.value or not same_holder(a.holder, b.holder):
        return False
    if a.name == "work":
        return _work_at_odds({*a.value, *b.value})
    return frozenset((*a.value, *b.value)) not in _COMPATIBLE


def _work_at_odds(both: set[str]) -> bool:
    """Whether one can not be both: what somebody works as says that they work."""
    if "some" in both:
        return bool(both & {"none", "retired"})
    return frozenset(both) not in _COMPATIBLE


def same_holder(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether both are said of the same; who is not named is whom the notes are about."""
    return a == b or (len(a | b) == len(a) + len(b) and a | b in (_NOBODY_NAMED, _NOT_NAMED))


_NOBODY_NAMED = frozenset(("first", "self"))
_NOT_NAMED = frozenset(("third", "self"))


def possessions(words: tuple[Word, ...], *, speaking: bool) -> tuple[frozenset[str], frozenset[str]]:
    """What a line says is had, and what of it whoever speaks has."""
    owned: set[str] = set()
    mine: set[str] = set()
    for at, word in enumerate(words):
        if word.text not in _HAVING or (at and words[at - 1].text in _NEVER):
            continue
        had = _had(words, at)
        owned |= had
        if word.text in _POSSESSIVE or (speaking and word.text in _HAVING_MINE):
            mine |= had
    if speaking and _is_parent([word.text for word in words[:_FAR]]):
        mine.add(lemma("kid"))
    return frozenset(owned), frozenset(mine)


def _is_parent(said: list[str]) -> bool:
    """Whether a line begins with that whoever speaks is somebody's parent."""
    return said[:1] == ["i"] and said[1:2] in (["am"], ["are"]) and bool({*said[2:]} & _PARENTS) and "my" not in said


def _had(words: tuple[Word, ...], at: int) -> set[str]:
    """What stands after a word for having, up to the next verb."""
    found: set[str] = set()
    for word in words[at + 1 : at + 1 + _FAR]:
        if word.text in _STOPS or word.text in VERBS:
            break
        if word.content:
            found.add(word.lemma)
    return found
