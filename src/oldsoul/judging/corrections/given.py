"""What a text gives that could stand against something else: values of a type, names, codes, sides, places."""

from __future__ import annotations

import re

from oldsoul.language.words import words
from oldsoul.reading.typed_values import Value, agree, typed_values

_NO_NAME = frozenset(
    words(
        "i i'm i've i'll i'd ok okay lol omg btw asap fyi the a an this that these those it he she they we you your my our his her"
        " so and but or if when since because as at on in for to from with no yes not never please thanks also then there here now"
        " january february march april may june july august september october november december monday tuesday wednesday thursday friday"
        " saturday sunday am pm dear according here's i'd what who where how why which every each all some most good great sure"
        " actually honestly really basically finally exactly obviously apparently luckily sadly hopefully seriously usually probably certainly"
        " definitely clearly literally frankly technically currently recently unfortunately fortunately generally originally initially previously"
        " eventually ideally personally absolutely totally completely sorry well hmm hm oh hey wow right true correct wrong yep yeah nope nah wait"
        " however anyway otherwise instead again maybe perhaps today yesterday tomorrow tonight still indeed meanwhile besides therefore although"
        " though just only even both either neither once until unless while after before during"
    )
)
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof|Frau|Herr|St|mr|mrs|ms|dr|prof)\.?\s+)"
_NAME = re.compile(
    rf"(?:{_TITLE})?(?<![\w@./-])[A-ZÀ-ÖØ-Þ][^\W_]*(?:[-'’](?!s\b)[^\W_]+)*(?:\s+(?:of|de|van|von)?\s*(?!I\b)[A-ZÀ-ÖØ-Þ][^\W_]*)*"
)
_CODE = re.compile(
    r"(?<![\w.])(?=[\w./:-]{0,60}[a-z])\w[\w-]*(?:[._/:-]+[\w-]+)+|(?<![\w.])[a-z]+(?:_[a-z0-9]+)+|(?<![\w.])\+?\d{2,5}(?:[ /-]\d{2,5}){2,}(?![\w.])"
)
_SIDES = re.compile(
    r"(?i)\b(?:east|west|north|south|left|right|upper|lower|front|back|inner|outer|small|large|big|full|half|hot|cold|vegan|vegetarian)(?=\s+[a-z]+)"
)
_ORDINAL = re.compile(
    r"(?i)\bthe (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b(?!\s+(?:time|thing|one))"
)
_ALONE = re.compile(r"\s*(?:actually|now|though)?\s*$")
_DAY = re.compile(r"(?i)\bthe (\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:floor|grade|time|place|row))")
_CJK_DAY = re.compile(r"(?<![月\d])(\d{1,2})[号號日](?![楼线])")
_CJK_SLOT = re.compile(
    r"(?P<anchor>[是在叫到对對姓住])(?P<value>[^，,。！？!?；;\s是在叫到对對姓住了啊呀哦吧嘛呢啦的]{1,8})"
)
_CJK_FIGURE = re.compile(r"(?<=[\u4e00-\u9fff])\d+(?:\.\d+)?(?![\w.])|(?<![\w.])\d+(?:\.\d+)?(?=[\u4e00-\u9fff])")
_FORMS = (
    ("side", _SIDES),
    ("ordinal", _ORDINAL),
    ("date", _CJK_DAY),
    ("date", _DAY),
    ("number", _CJK_FIGURE),
    ("name", _NAME),
)
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def given(text: str, *, begins: bool) -> list[Value]:
    """What a text gives: values of a type, names, codes, sides, ordinals. A first word in capitals may be no name."""
    codes = [_made("code", match, text, begins=begins) for match in _CODE.finditer(text)]
    found = [value for value in codes if value is not None]
    found += [
        v
        for v in typed_values(text)
        if v.kind != "when" and not any(c.start < v.end and v.start < c.end for c in found)
    ]
    taken = [(value.start, value.end) for value in found]
    for kind, pattern in _FORMS:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            value = _made(kind, match, text, begins=begins)
            if value is not None:
                found.append(value)
                taken.append((value.start, value.end))
    return found


def _made(kind: str, match: re.Match[str], text: str, *, begins: bool) -> Value | None:
    said = match[0]
    if kind == "ordinal":
        return Value(kind, (float(_PLACES.index(match[1].casefold()) + 1),), "", match[1], match.start(1), match.end())
    if kind == "date":
        return Value(kind, (None, None, float(match[1])), "", said, match.start(), match.end())
    if kind == "number":
        return Value(kind, (float(said),), "", said, match.start(), match.end())
    if kind == "name":
        first = words(said)[0] if words(said) else ""
        is_first = not text[: match.start()].strip(" \"'“(")
        opens = is_first and not begins and not _ALONE.match(text[match.end() :])
        if first in _NO_NAME or len(said) == 1 or (opens and " " not in said and not said.isupper()):
            return None
    return Value(kind, (said.casefold(),), "", said, match.start(), match.end())


def slots(text: str) -> list[Value]:
    """What stands after a Chinese word that leads up to a value; of one word each."""
    return [
        Value("slot", (match["value"],), match["anchor"], match["value"], match.start("value"), match.end("value"))
        for match in _CJK_SLOT.finditer(text)
        if not match["value"].isascii()
    ]


def same(one: Value, other: Value) -> bool:
    """Whether two values say the same, one perhaps in other words."""
    if one.kind in ("name", "code", "side", "slot"):
        mine, theirs = words(one.said), words(other.said)
        return bool(set(mine) & set(theirs)) if one.kind == "name" else mine == theirs
    return agree(one, other)
