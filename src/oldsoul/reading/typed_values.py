"""Values that a line states, by type: amounts, shares, times, dates, days, versions, counts, how often, colours."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oldsoul.reading import value_readers as readers
from oldsoul.reading.value_readers import MONEY, Value, sum_of
from oldsoul.reading.value_words import (
    CJK_DAYS,
    CJK_DIGITS,
    CJK_NUMBER,
    COLOURS,
    DAY,
    DAYPARTS,
    DAYS,
    HALF_DAY,
    JAPANESE_DAYS,
    MONTH,
    MONTHS,
    ORDINALS,
    PROFESSIONS,
    SEASONS,
    SHORT_DAY,
    UNIT_NAMES,
    WORD_NUMBER,
    WORDED,
    N,
)

if TYPE_CHECKING:
    from oldsoul.reading.value_readers import Read

__all__ = ["MONEY", "Value", "agree", "comparable", "same_sum", "sum_of", "typed_values"]


_PERIOD = "hours?|days?|weeks?|fortnights?|months?|quarters?|years?|mornings?|evenings?|afternoons?|nights?"
_JOBS = "|".join(job for job in PROFESSIONS if job.isascii())
_CJK_JOBS = "|".join(job for job in PROFESSIONS if not job.isascii())
_RULES: tuple[tuple[str, str, Read], ...] = (
    (
        "",
        rf"\b(?:am|is|are|as|'m) an? (?:(?!(?:good|great|bad|terrible|decent|excellent|amazing|awful) )[a-z]+ ){{0,2}}?(?P<job>{_JOBS})\b(?!['’-])",
        readers.read_profession,
    ),
    ("字", rf"是(?:一?[名个位])?(?P<job>{_CJK_JOBS})(?!的)", readers.read_profession),
    (
        "",
        rf"\b(?:(?P<times>once|twice)|(?P<count>{N}|{WORDED})(?: times|\s?x))(?: (?:a|an|per|each|every)(?: (?P<every>{N}|{WORDED}))? (?P<period>{_PERIOD})|(?= daily))\b",
        readers.read_often,
    ),
    ("", rf"\bevery (?:other|second) (?P<other>{_PERIOD})\b", readers.read_often),
    (
        "",
        rf"\bevery(?: single)?(?: (?P<every>{N}|{WORDED}))? (?P<period>{_PERIOD})\b(?P<times>)(?P<count>)",
        readers.read_often,
    ),
    (
        "",
        r"\b(?:once )?(?P<adverb>hourly|daily|nightly|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annually)\b",
        readers.read_often,
    ),
    (
        "字",
        rf"每个?(?P<period>[天日晚早周月年]|星期|礼拜|小时)(?!末|[一二三四五六日天](?!次))(?=[^，。,]{{0,8}}?(?P<count>{CJK_NUMBER}+|\d+)次)",
        readers.read_cjk_often,
    ),
    ("字", r"每个?(?P<period>[天日晚早周月年]|星期|礼拜)(?!末|[一二三四五六日天])(?P<count>)", readers.read_cjk_often),
    ("9", r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2}))?(?!\d)", readers.read_date),
    ("9", r"(?<![\d/])(?P<m>\d{1,2})/(?P<d>\d{1,2})(?:/(?P<y>\d{2,4}))?(?![\d/])", readers.read_slashed),
    (
        "9",
        rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})(?:,? (?P<y>\d{{4}}))?",
        readers.read_date,
    ),
    (
        "9",
        rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?=\s?(?:to|and|-|–)\s?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH}))",
        readers.read_date,
    ),
    (
        "",
        rf"\b(?P<month>{MONTH}) (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,? (?P<y>\d{{4}}))?",
        readers.read_date,
    ),
    ("", rf"\b(?P<month>{MONTH}),? (?P<y>\d{{4}})", readers.read_date),
    (
        "字",
        rf"(?:(?P<y>\d{{4}})\s?年\s?)?(?P<m>\d{{1,2}}|{CJK_NUMBER}{{1,2}})\s?月(?:\s?(?P<d>\d{{1,2}}|{CJK_NUMBER}{{1,3}})\s?[日号])",
        readers.read_date,
    ),
    ("字", r"(?P<y>\d{4})\s?年(?:\s?(?P<m>\d{1,2})\s?月)?", readers.read_date),
    (
        "",
        r"(?:(?<=\bin )|(?<=\bby )|(?<=\bsince )|(?<=\buntil )|(?<=\bfrom ))(?P<y>(?:19|20)\d\d)(?![\w,:]*\d|\.\d|\s?(?:元|块|eur|usd))\b",
        readers.read_date,
    ),
    ("9", r"\bthe (?P<d>\d{1,2})(?:st|nd|rd|th)\b(?! [a-z]+)", readers.read_date),
    (
        "",
        rf"(?<=\bin )(?P<month>{MONTH})|(?<=\bby )(?P<month2>{MONTH})",
        lambda match, _: readers.made("date", (None, readers.month_number(match[0]), None), match),
    ),
    (
        "",
        r"\b(?P<month>january|february|april|june|july|august|september|october|november|december)\b",
        readers.read_date,
    ),
    ("9", r"(?<![\d:])(?P<h>\d{1,3}):(?P<min>\d\d)(?::\d\d)?(?!\d)(?:\s?(?P<half>[ap]\.?m\b\.?))?", readers.read_time),
    ("9", r"(?<![\d:.])(?P<h>\d{1,2})(?:\.(?P<min>[0-5]\d))?\s?(?P<half>[ap]\.?m\b\.?)", readers.read_time),
    ("", rf"\b(?P<how>half past|quarter past|quarter to) (?P<h>\d{{1,2}}|{WORD_NUMBER})\b", readers.read_past),
    ("", rf"\b(?P<h>\d{{1,2}}|{WORD_NUMBER}) o'?clock\b", readers.read_time),
    (
        "",
        rf"(?<=\bat )(?P<h>\d{{1,2}}|{WORD_NUMBER})(?=$|[.,;!](?!\d)|\s(?:on|in|every|instead|now|sharp|and|from|for)\b)",
        readers.read_time,
    ),
    (
        "",
        (
            r"\b(?P<when>this|last|next) (?P<what>week|month|year|weekend|spring|summer|autumn|winter|night)\b|\b(?:yesterday|today|tomorrow|tonight)\b"
            r"|[上下这本]个?[月周](?![一二三四五六日天])|[去今明]年|[昨今明]天"
        ),
        lambda match, _: readers.made("when", (match[0].lower().replace("个", "").replace("本", "这"),), match),
    ),
    ("", r"\b(?:noon|midday|midnight)\b", readers.read_named_time),
    (
        "字",
        rf"(?:(?P<part>早上|上午|中午|下午|晚上|傍晚|凌晨|午前|午後|朝|夕方|夜)の?)?(?P<h>\d{{1,2}}|{CJK_NUMBER}{{1,3}})\s?[点时時](?![间間代期々計的停])(?:(?P<half>半)|(?P<quarter>一刻)|(?P<min>\d{{1,2}}|{CJK_NUMBER}{{1,3}})分?)?",
        readers.read_cjk_time,
    ),
    ("", rf"\b{DAY}\b", readers.read_weekday),
    ("", rf"\b{SHORT_DAY}\b", readers.read_weekday),
    ("", r"\bweek(?:day|end)s?\b|周末|工作日|週末|平日", readers.read_weekdays),
    ("字", rf"(?:每?周|每?个?星期|礼拜)(?P<d>[{CJK_DAYS}])(?!次)", readers.read_cjk_weekday),
    ("字", rf"(?P<d>[{JAPANESE_DAYS}])曜日?", readers.read_japanese_weekday),
    (
        "",
        r"\b(?:during the|by) day\b|\bmornings?\b|\bafternoons?\b|\bevenings?\b|\bnights?\b|早上|上午|下午|晚上|午前|午後|夕方",
        readers.read_named("daypart", DAYPARTS),
    ),
    ("", r"\b(?:spring|summer|autumn|winter)\b", readers.read_named("season", SEASONS)),
    ("", r"(?:(?<=\bversion )|(?<=\brelease )|==\s?|\bv)(?P<v>\d+(?:\.\d+)*)\b", readers.read_version),
    ("9", r"(?<![\w.])(?P<v>\d+(?:\.\d+){2,})\b", readers.read_version),
    (
        "",
        rf"\b(?P<name>(?-i:[a-z]*[A-Z])\w*) (?P<v>\d+\.\d+)(?![\d%]|,\d)(?!\s?(?:{UNIT_NAMES}))",
        readers.read_version,
    ),
    (
        "",
        rf"\b(?:(?:dark|light|bright|pale|deep|navy|sky) )?(?P<c>{COLOURS})\b",
        readers.read_colour,
    ),
    ("字", r"[红白黑蓝绿黄紫灰粉棕橙深浅]色", readers.read_cjk_colour),
    (
        "",
        rf"(?:(?P<minus>(?<![\w\d])[-−]|\bminus )\s?)?(?<![\w.])(?<![A-Za-z]-)(?P<n>{N})\s?(?P<by>(?:(?-i:k|K|M)\b|[万亿億千百]))?(?![.,]?\d|[楼层])(?!(?:st|nd|rd|th)\b)",
        readers.read_number,
    ),
    (
        "字",
        rf"(?<=[\u3041-\u30ff年月週日])(?P<n>{N})(?P<by>[万億千百])?(?=[円歳人匹冊枚回個階台杯]|時間|[ヶか]月)",
        readers.read_number,
    ),
    ("9", r"\b(?P<n>\d+)(?:st|nd|rd|th)\b", readers.read_ordinal),
    ("", rf"(?P<minus>\bminus )?\b(?P<n>{WORDED})\b(?!-hand)", readers.read_number),
    (
        "",
        rf"\b(?P<n>{'|'.join(ORDINALS.split())})(?= (?:floor|grade|class|year|place|row|edition|generation|of)\b)",
        readers.read_ordinal,
    ),
    (
        "字",
        r"第(?P<n>\d+|[一二两三四五六七八九十]+)|(?P<n2>\d+|(?<![一二两三四五六七八九十])[一二两三四五六七八九十]++)(?=[楼层]|年级)",
        readers.read_ordinal,
    ),
    (
        "字",
        rf"(?<!{CJK_NUMBER})(?P<n>{CJK_NUMBER}++)(?=[个只条本张件位名口间台辆次把份家人元块秒天周岁米度円歳匹冊枚回階個]|年(?!级)|公里|公斤|分钟|小时|時間)",
        readers.read_number,
    ),
    ("", r"(?P<n>[一二两三四五六七八九十][零一二两三四五六七八九十百千万]+)", readers.read_number),
)
"""How values are written and read, tried in this order; what one has claimed the next leave alone.

First, what a text must hold for it: 9 for a figure, 字 for a character beyond ASCII.
"""
_ANY = (
    rf"\d|{_JOBS}|{_CJK_JOBS}|[{''.join(CJK_DIGITS)}十色末日上午年月周天曜時]|{WORD_NUMBER}|{'|'.join(ORDINALS.split())}|once|twice|ly\b|every|day|end|noon|night"
    rf"|morning|evening|this|last|next|yesterday|to|spring|summer|autumn|winter|{'|'.join(MONTHS)}|{'|'.join(DAYS)}|{COLOURS}"
)


@cache
def _pattern(written: str) -> re.Pattern[str]:
    """A pattern, made when it is first needed: all of them take longer than most searches."""
    return re.compile(written, re.IGNORECASE)


def typed_values(text: str) -> list[Value]:
    """The typed values of a text, in the order they stand."""
    return list(_known(text) if len(text) <= _REMEMBERED else _last(text))


def _found(text: str) -> tuple[Value, ...]:
    if not _pattern(_ANY).search(text):
        return ()
    figures, ascii_only = any(map(str.isdecimal, text)), text.isascii()
    taken = bytearray(len(text))
    found: list[Value] = []
    for need, written, read in _RULES:
        if (need == "9" and not figures) or (need == "字" and ascii_only):
            continue
        for match in _pattern(written).finditer(text):
            if match.end() == match.start() or any(taken[match.start() : match.end()]):
                continue
            value = read(match, text)
            if value is not None:
                found.append(value)
                taken[value.start : value.end] = b"\1" * (value.end - value.start)
    return tuple(sorted(found, key=lambda value: (value.start, value.end)))


_REMEMBERED = 400
"""Texts of up to so many characters are remembered: each is held against every correction, one after the other."""
_known = lru_cache(maxsize=16_384)(_found)
_last = lru_cache(maxsize=16)(_found)
"""Of longer ones the last few, which are looked at again and again."""


def agree(a: Value, b: Value) -> bool:
    """Whether two values of one kind may be the same, one perhaps said less exactly."""
    if a.kind == "date":
        both = [(x, y) for x, y in zip(a.key, b.key, strict=False) if x is not None and y is not None]
        return all(x == y for x, y in both)
    if a.kind == "time":
        at, bt = float(a.key[0] or 0), float(b.key[0] or 0)
        return at == bt or (not (a.key[1] and b.key[1]) and at % HALF_DAY == bt % HALF_DAY)
    if a.kind == "version":
        return all(x == y for x, y in zip(a.key, b.key, strict=False))
    if a.kind == "weekday":
        return bool({*a.key} & {*b.key})
    return a.key == b.key


def same_sum(a: Value, b: Value) -> Value | None:
    """Where the second of two values is the same sum of money as the first, and only one says for which time: that sum."""
    mine, theirs = sum_of(a), sum_of(b)
    if (mine is None) == (theirs is None):
        return None
    one, other = mine or a, theirs or b
    return other if one.unit == other.unit == MONEY and one.key == other.key else None


def comparable(a: Value, b: Value) -> bool:
    """Whether two values could be answers to one question: the same kind, and no different units."""
    return a.kind == b.kind and (not a.unit or not b.unit or a.unit == b.unit)
