"""What a line of memory says is not so, or no longer, and what follows from it that is not so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.reading.fact_words import Word, lemma, lemmas, listed
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.reading.typed_values import Value


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
    of: str = ""
    """what is denied of it: own, like, eat, visit, that it has an end, or but a part of it; empty where the items say all"""


_NOT = listed("not never none nothing nobody neither nor hardly cannot")
_NO = listed("no without")
_AGAINST = listed("hate hates hated dislike dislikes disliked detest detests loathe loathes despise despises")
_ENDED = re.compile(
    r"\b(?:no longer|stopped|quit|cancell?ed|gave up|given up|retired from|came off|broke up|is off|called off|got rid of|ditched|(?<!being )(?<!be )dropped|abandoned|discontinued|resigned|unsubscribed|sold (?:the|his|her|my|their|our)|(?<!never )(?<!not )left(?= [A-Z]))\b"
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
_HALF = re.compile(
    r"\s(?:only|just|always|all|every\w*|necessarily|much|many|enough|very|too|have to|has to|need to|as|so|the (?:only|best|first))\b"
    r"|\s\w+ (?:much|many|enough|a lot|very|too|every\w*|all|the best)\b",
    re.IGNORECASE,
)
"""What stands after a `not` that denies no more than a part."""
_OF: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\s(?:(?:\w+ly|even|yet|ever|currently) )?{pattern}", re.IGNORECASE))
    for name, pattern in (
        ("own", r"(?:have|has|had|own|owns|owned|got|have got)\b(?! (?:to|been|ever|never|\w+ed)\b)"),
        ("like", r"(?:like|likes|love|loves|enjoy|enjoys|care for|prefer)\b"),
        ("eat", r"(?:eat|eats|drink|drinks|consume)\b"),
        ("visit", r"(?:been (?:to|in)|visit|visits|visited|gone to|travell?ed to)\b"),
    )
)
"""What is denied, by the words after the `not`."""
NAMED_BY = {
    "own": lemmas("have own owned"),
    "like": lemmas("like"),
    "eat": lemmas("eat drink"),
    "visit": lemmas("visit travel"),
}
"""The lemmas that say no more than what is denied."""
_FOOD = r"(?! (?:food|meal|dish|restaurant|option|recipe|burger|pizza|friend|chili|cook|cheese|place|lasagna|curry|cafe|choice|menu)\w*)"
_IMPLIED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        rf"\b(?:am|is|are|as|been|became|become|turned|went|strict) (?:an? )?(?:\w+ )?vegetarian\b{_FOOD}",
        "eat",
        ("meat",),
    ),
    (
        rf"\b(?:am|is|are|as|been|became|become|turned|went|strict) (?:an? )?(?:\w+ )?vegan\b{_FOOD}",
        "eat",
        ("meat", "dairy", "seafood", "egg"),
    ),
    (r"\bonly child\b", "own", ("sibling",)),
    (r"\b(?:am|is|are) (?:\w+ly )?bald\b", "own", ("hair",)),
    (
        r"\b(?:not|never) drink(?: at all| or smoke| alcohol)?(?=\s*(?:[.,;!]|$))|\b(?:am|is|are) (?:sober|a teetotal\w*)\b",
        "eat",
        ("alcohol",),
    ),
)
_FOLLOWS = tuple(
    (re.compile(pattern, re.IGNORECASE), of, tuple(lemmas(item) for item in items)) for pattern, of, items in _IMPLIED
)
"""What somebody is, and what is therefore not so: of a vegan, that they eat meat."""


_NOT_ENDED = re.compile(
    r"\bnot (?:\w+ly )?(?:been |being |yet )?(?:cancell?ed|stopped|dropped|abandoned|discontinued)\b", re.IGNORECASE
)


def denials(text: str, words: tuple[Word, ...], values: list[Value]) -> list[Denial]:
    """What the line says is not so, or no longer."""
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
        if clause in ended and _NOT_ENDED.search(text):
            found.append(Denial(ended=False, items=_contents(inside), values=(), of="end"))
        elif clause in ended:
            found += _over(words, values, inside, ended[clause])
        elif len(cues[clause]) == 1:  # two denials in one clause cancel each other
            found += _not_so(text, words, values, inside, cues[clause][0])
    return [denial for denial in found if denial.items or denial.values]


def implied(text: str) -> tuple[Denial, ...]:
    """What follows from the line that is not so."""
    return tuple(
        Denial(ended=False, items=items, values=(), of=of)
        for pattern, of, each in _FOLLOWS
        if pattern.search(text)
        for items in each
    )


def _over(words: tuple[Word, ...], values: list[Value], inside: list[Word], cue: re.Match[str]) -> list[Denial]:
    """What a clause says is over: what stands after the word that says so, or else the whole of it."""
    start, end = inside[0].start, inside[-1].start + len(inside[-1].text)
    if cue[0].lower() in _NO_LONGER:
        return [_denial(words, values, (start, end), ended=True)]
    after = [word for word in inside if word.start >= cue.end()]
    if after and after[0].text in _DANGLING:
        return []
    whole = _denial(words, (), (start, end), ended=True)
    turn = next((word.start for word in after if word.text in _ONWARD), end) if cue[0].lower() in _LEAVING else end
    rest = _denial(words, (), (cue.start(), turn), ended=True)
    signal = {lemma(word) for word in cue[0].lower().split()} | ({*cue[0]} if len(cue[0]) <= len("停用") else {*()})
    made = rest if rest.items - signal and not cue[0].lower().endswith(" off") else whole
    return [Denial(made.ended, made.items - signal, made.values)]


def _not_so(text: str, words: tuple[Word, ...], values: list[Value], inside: list[Word], cue: Word) -> list[Denial]:
    after = cue.start + len(cue.text)
    if cue.text == "not" and _HALF.match(text, after):
        return [Denial(ended=False, items=_contents(inside), values=(), of="part")]
    before = next((word.text for word in reversed(inside) if word.start < cue.start), "")
    lack = (cue.text in _NO and before in _BEING) or text.startswith("没有", cue.start)
    start = cue.start if lack and cue.text == "no" else inside[0].start
    made = _denial(words, values, (start, inside[-1].start + len(inside[-1].text)), ended=False)
    against = {cue.lemma, *_CJK_AGAINST} if cue.text in _AGAINST or text.startswith(_CJK_AGAINST, cue.start) else set()
    of = next((name for name, pattern in _OF if cue.text in _NOT and pattern.match(text, after)), "")
    if cue.text in _AGAINST:
        of = "like"
    elif cue.text == "no" and before in _HAVING:
        of = "own"
    items = made.items - against - NAMED_BY.get(of, frozenset())
    return [Denial(made.ended, each, made.values, lack, of) for each in _alternatives(items, inside, of)]


def _alternatives(items: frozenset[str], inside: list[Word], of: str) -> list[frozenset[str]]:
    """What is denied, each by itself where it is one thing or the other."""
    at = next((at for at, word in enumerate(inside) if word.text == "or"), 0)
    left = next((word.lemma for word in reversed(inside[:at]) if word.content), "")
    right = _contents(inside[at + 1 :])
    if not of or left not in items or not right & items:
        return [items]
    return [items - right | {left}, items - {left}]


_BEING = listed("has have had got is are was were there")
_HAVING = listed("has have had got own owns")
_NO_LONGER = ("no longer", "不再")
_LEAVING = listed("left quit resigned")
_ONWARD = listed("to for and because after when")
_DANGLING = listed("it that this them him her")


def _denial(
    words: tuple[Word, ...], values: list[Value] | tuple[Value, ...], span: tuple[int, int], *, ended: bool
) -> Denial:
    inside = frozenset(word.lemma for word in words if word.content and span[0] <= word.start < span[1])
    return Denial(ended, inside, tuple(value for value in values if span[0] <= value.start < span[1]))


def _contents(words: list[Word]) -> frozenset[str]:
    return frozenset(word.lemma for word in words if word.content)


def _clause_at(words: tuple[Word, ...], start: int) -> int:
    return next((word.clause for word in words if word.start >= start), words[-1].clause)


def affirmed(words: tuple[Word, ...], text: str) -> set[str]:
    """Lemmas that also stand in a clause without any denial."""
    bad = {word.clause for word in words if word.text in _NOT or word.text in _NO or word.text in _AGAINST}
    bad |= {_clause_at(words, match.start()) for match in _ENDED.finditer(text)}
    bad |= {_clause_at(words, match.start()) for match in _CJK_NOT.finditer(text)}
    bad |= {_clause_at(words, match.start()) for match in _GIVEN_UP.finditer(text)}
    return {word.lemma for word in words if word.content and word.clause not in bad}
