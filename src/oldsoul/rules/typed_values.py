"""Values that a line states, by type: amounts, shares, times, dates, days, versions, counts, how often, colours."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from oldsoul.rules.families import FAMILY
from oldsoul.rules.stemming import stem
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    _Read = Callable[[re.Match[str], str], "Value | None"]

Key = tuple[float | str | None, ...]


@frozen
class Value:
    """One value as a line states it."""

    kind: str
    """time, date, weekday, daypart, season, when (this week), version, number, ordinal, often, colour, profession"""
    key: Key
    """what it comes to, comparable within its kind"""
    unit: str
    """what is counted or measured, or what has the colour; empty when the line does not say"""
    said: str
    """as written"""
    start: int
    """where it begins in the text"""
    end: int
    """where it ends"""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CJK_DAYS = "一二三四五六日天"
_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_WORDS = {
    **{word: n for n, word in enumerate(_ONES.split())},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), 2)},
    **{word: n for n, word in enumerate(_ORDINALS.split(), 1)},
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "万": 10_000, "亿": 100_000_000, "千": 1_000, "百": 100}
_CJK_DIGITS = {char: n % 10 for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CJK_SCALES = {"十": 10, "百": 100, "千": 1_000}
_CJK_NUMBER = "[零〇一二两三四五六七八九十百千万]"


def _table(text: str) -> dict[str, str]:
    """Words and what they stand for, read from rows between bars: what it is, a colon, the words."""
    rows = (row.split(":") for row in text.split("|"))
    return {word: head.strip() for head, words in rows for word in words.split()}


_TIMES_A_YEAR = {
    word: float(times)
    for word, times in _table(
        "525600: minute | 8760: hour hourly 小时 | 365: day daily morning afternoon evening night nightly 天 日 晚 早 | "
        "52: week weekly 周 星期 礼拜 | 26: fortnight fortnightly biweekly | 12: month monthly 月 | 4: quarter quarterly | "
        "1: year yearly annually 年"
    ).items()
}
_UNITS = {
    word: (measure.split()[0], float(measure.split()[1]))
    for word, measure in _table(
        "g 0.001: mg | g 1: g gram grams | g 1000: kg kilo kilos kilogram kilograms 公斤 | metre 0.001: mm | metre 0.01: cm | "
        "metre 1: metre metres meter meters 米 | metre 1000: km kilometre kilometres kilometer kilometers 公里 | "
        "byte 1e6: mb | byte 1e9: gb gig gigabytes | byte 1e12: tb | lasting 1: s sec secs second seconds 秒 | "
        "lasting 60: min mins minute minutes 分钟 | lasting 3600: h hr hrs hour hours 小时 | lasting 86400: day days 天 | "
        "lasting 604800: week weeks 周 | lasting 2629800: month months 个月 | lasting 31557600: year years 年 岁 | "
        "degree 1: ° °c degree degrees celsius 度 | percent 1: % percent | "
        "money 1: dollar dollars usd $ bucks euro euros eur € pound pounds gbp £ 元 块 yuan rmb ¥"
    ).items()
}
"""What a unit measures, and how many of the basic unit it is."""
_NO_UNIT = _table(
    "none: a ago also an and are as at be before but by can daily each every for from if in into instead is it last less "
    "more near next no not now of off on only or out over per since so than that the then there this to too under until "
    "up was were when which while who will with"
)
"""Words after a number that say nothing of what is counted."""
_COLOURS = "black|white|red|green|blue|yellow|purple|orange|pink|brown|gr[ea]y|silver|gold(?:en)?|blonde?|beige|violet|turquoise"
_DAYPARTS = {
    word.replace("_", " "): part
    for word, part in _table(
        "morning: morning mornings 早上 上午 | afternoon: afternoon afternoons 下午 | evening: evening evenings 晚上 | "
        "night: night nights | day: during_the_day by_day"
    ).items()
}
_SEASONS = _table("spring: spring | summer: summer | autumn: autumn | winter: winter")
_HALF_DAY = 720
_NOON = 12
_HOURS = 24
_WORKDAYS = ("0", "1", "2", "3", "4")
_WEEKEND = ("5", "6")

_N = r"\d+(?:[.,]\d+)*"
_WORD_NUMBER = rf"(?:{'|'.join([*_ONES.split(), *_TENS.split()])})"
_WORDED = rf"{_WORD_NUMBER}(?:[- ](?:{_WORD_NUMBER}|hundred|thousand|million|billion|dozen))*"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?:\.(?= \d))?"
)
_DAY = r"(?:mon|tues?|wednes|thurs|fri|satur|sun)days?"
_SHORT_DAY = r"(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)"

_UNIT_NAMES = "|".join(rf"{re.escape(name)}(?![a-z])" for name in _UNITS)


def number(text: str) -> float | None:
    """What a number comes to, in figures, English words or Chinese characters."""
    text = text.strip().lower()
    if text and text[0].isdecimal() and text.isascii():
        plain = re.sub(r",(?=\d{3}(?:\D|$))", "", text)
        try:
            return float(plain.replace(",", "."))
        except ValueError:
            return None
    if text and (text[0] in _CJK_DIGITS or text[0] in _CJK_SCALES):
        return _cjk_number(text)
    return _worded(re.split(r"[- ]+", text))


def _worded(words: list[str]) -> float | None:
    total = part = 0
    for word in words:
        if word in _WORDS:
            part += _WORDS[word]
        elif word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if _SCALES[word] > 100:  # noqa: PLR2004 - after a thousand, hundreds begin anew
                total, part = total + part, 0
        else:
            return None
    return float(total + part) if words else None


def _cjk_number(text: str) -> float | None:
    total = part = digit = 0
    last = 1
    for char in text:
        if char in _CJK_DIGITS:
            digit, last = _CJK_DIGITS[char], last if char != "零" else 1
        elif char in _CJK_SCALES:
            last = _CJK_SCALES[char]
            part, digit = part + max(digit, 1) * last, 0
        elif char == "万":
            last = 10_000
            total, part, digit = (part + digit) * last, 0, 0
        else:
            return None
    if digit and last >= 100:  # noqa: PLR2004 - 三千二 is 3200
        digit *= last // 10
    return float(total + part + digit)


def unit_lemma(word: str) -> str:
    """What a counted thing is called, in one form."""
    word = word.lower()
    cut = stem(word)
    return FAMILY.get(word) or FAMILY.get(cut, cut)


def _made(kind: str, key: Key, match: re.Match[str], unit: str = "") -> Value:
    return Value(kind, key, unit, match[0].strip(), match.start(), match.end())


def _often(match: re.Match[str], _text: str) -> Value | None:
    found = match.groupdict()
    if found.get("adverb"):
        return _made("often", (float(_TIMES_A_YEAR[found["adverb"].lower()]),), match)
    if found.get("other"):
        return _made("often", (_TIMES_A_YEAR[found["other"].lower().rstrip("s")] / 2,), match)
    times = (
        number(found["count"]) if found.get("count") else 2.0 if (found.get("times") or "").lower() == "twice" else 1.0
    )
    period = _TIMES_A_YEAR.get((found.get("period") or "").lower().rstrip("s"))
    every = number(found["every"]) if found.get("every") else 1.0
    if not times or not period or not every:
        return None
    return _made("often", (round(times * period / every, 3),), match)


def _cjk_often(match: re.Match[str], _text: str) -> Value | None:
    period = _TIMES_A_YEAR.get(match["period"])
    times = number(match["count"]) if match["count"] else 1.0
    return _made("often", (times * period,), match) if period and times else None


_PROFESSIONS = _table(
    "doctor: doctor surgeon physician 医生 大夫 | nurse: nurse 护士 | teacher: teacher professor lecturer tutor 老师 教师 教授 | "
    "lawyer: lawyer attorney 律师 | engineer: engineer developer programmer 工程师 程序员 | accountant: accountant bookkeeper 会计 | "
    "cook: chef cook baker 厨师 | farmer: farmer 农民 | pilot: pilot 飞行员 | dentist: dentist 牙医 | electrician: electrician | "
    "plumber: plumber | carpenter: carpenter | mechanic: mechanic | firefighter: firefighter | "
    "police: policeman policewoman cop 警察 | soldier: soldier 军人 | barista: barista | waiter: waiter waitress server 服务员 | "
    "cashier: cashier | hairdresser: hairdresser barber | journalist: journalist reporter 记者 | architect: architect 建筑师 | "
    "pharmacist: pharmacist | librarian: librarian | driver: driver 司机 | sales: salesman saleswoman salesperson 销售 | "
    "secretary: secretary receptionist | student: student 学生 | scientist: scientist researcher | designer: designer 设计师 | "
    "janitor: janitor | therapist: therapist psychologist | vet: veterinarian vet"
)
"""What people are by trade, those that may be said of one person in one group."""


def _month(name: str) -> float:
    return float(_MONTHS.index(name[:3].lower()) + 1)


def _date(match: re.Match[str], _text: str) -> Value | None:
    found = match.groupdict()
    year = float(found["y"]) if found.get("y") else None
    name = found.get("month")
    month = _month(name) if name else (number(found["m"]) if found.get("m") else None)
    day = number(found["d"]) if found.get("d") else None
    return _made("date", (year, month, day), match)


def _slashed(match: re.Match[str], _text: str) -> Value | None:
    month, day = float(match["m"]), float(match["d"])
    if month > _NOON:
        month, day = day, month
    return _made("date", (float(match["y"]) if match["y"] else None, month, day), match)


def _time(match: re.Match[str], _text: str) -> Value | None:
    found = match.groupdict()
    hour = number(found["h"])
    minute = number(found["min"]) if found.get("min") else 0.0
    if hour is None or minute is None:
        return None
    half = (found.get("half") or "").lower().replace(".", "")
    if hour > _HOURS:
        return _made("number", (hour * 60 + minute,), match, "lasting") if found.get("min") else None
    sure = bool(half) or hour > _NOON or hour == 0 or found["h"].startswith("0")
    if half:
        hour = hour % _NOON + (_NOON if half in ("pm", "p") else 0)
    return _made("time", (hour * 60 + minute, "sure" if sure else ""), match)


def _past(match: re.Match[str], _text: str) -> Value | None:
    hour = number(match["h"])
    if hour is None:
        return None
    minutes = {"half past": 30, "quarter past": 15, "quarter to": -15}[" ".join(match["how"].lower().split())]
    return _made("time", (hour * 60 + minutes, ""), match)


def _named_time(match: re.Match[str], _text: str) -> Value:
    return _made("time", (720.0 if match[0].lower() in ("noon", "midday") else 0.0, "sure"), match)


def _cjk_time(match: re.Match[str], _text: str) -> Value | None:
    hour = number(match["h"])
    minute = number(match["min"]) if match["min"] else 30.0 if match["half"] else 15.0 if match["quarter"] else 0.0
    if hour is None or minute is None:
        return None
    part = match["part"] or ""
    if part in ("下午", "晚上", "傍晚") and hour < _NOON:
        hour += _NOON
    return _made("time", (hour * 60 + minute, "sure" if part or hour > _NOON else ""), match)


def _weekday(match: re.Match[str], _text: str) -> Value:
    return _made("weekday", (str(_DAYS.index(match[0][:3].lower())),), match)


def _weekdays(match: re.Match[str], _text: str) -> Value:
    free = match[0] == "周末" or "end" in match[0].lower()
    return _made("weekday", _WEEKEND if free else _WORKDAYS, match)


def _cjk_weekday(match: re.Match[str], _text: str) -> Value:
    return _made("weekday", (str(min(_CJK_DAYS.index(match["d"]), 6)),), match)


def _named(kind: str, table: dict[str, str]) -> _Read:
    return lambda match, _text: _made(kind, (table[match[0].lower()],), match)


def _version(match: re.Match[str], _text: str) -> Value:
    parts = tuple(float(part) for part in re.findall(r"\d+", match["v"]))
    return Value("version", parts, "", match["v"], match.start("v"), match.end("v"))


def _colour(match: re.Match[str], text: str) -> Value:
    after = re.match(r"\s+([a-z]+)", text[match.end() :])
    word = after[1] if after and after[1] not in _NO_UNIT else ""
    said = match["c"].lower().replace("gray", "grey").replace("golden", "gold").replace("blonde", "blond")
    return _made("colour", (said,), match, unit_lemma(word) if word else "")


def _cjk_colour(match: re.Match[str], _text: str) -> Value:
    return _made("colour", (match[0],), match)


_UNIT_AFTER = re.compile(
    r"\s?(%|°\s?c?\b|[A-Za-z]+\b)|[- ]([A-Za-z]+)\b|\s?(公斤|公里|分钟|小时|个月|[元块秒天周年岁米度])"
)
_MEASURE_AFTER = re.compile(r"\s?[个只条本张件位名口间台辆次把份家人]\s?([A-Za-z]+|[\u4e00-\u9fff]{1,2})?")
_RATE = re.compile(r"(?:\s+[a-z]+)?\s+(?:an?|per|each|every) (minute|hour|day|night|week|month|year)\b", re.IGNORECASE)
_CURRENCY = re.compile(r"[$€£¥]\s?$")


def _number(match: re.Match[str], text: str) -> Value | None:
    amount = number(match["n"])
    if amount is None:
        return None
    amount *= _SUFFIXES.get((match.groupdict().get("by") or "").lower(), 1)
    if match.groupdict().get("minus"):
        amount = -amount
    unit, end = "", match.end()
    rest = text[match.end() :]
    if _CURRENCY.search(text[: match.start()]):
        unit = "money"
    elif found := _UNIT_AFTER.match(rest):
        word = (found[1] or found[2] or found[3]).lower().replace(" ", "")
        if word in _UNITS:
            unit, factor = _UNITS[word]
            amount, end = round(amount * factor, 6), match.end() + found.end()
        elif found.start(1) == 0 and match[0][-1].isdecimal():
            return None  # 1Password is a name
        elif word not in _NO_UNIT:
            unit = unit_lemma(word)
    elif found := _MEASURE_AFTER.match(rest):
        unit = unit_lemma(found[1]) if found[1] else found[0].strip()
        end = match.end() + (found.start(1) if found[1] else found.end())
    if rate := _RATE.match(text[end:]):
        amount, unit = round(amount * _TIMES_A_YEAR[rate[1].lower().rstrip("s")], 3), f"{unit} a year"
        end += rate.end()
    return Value("number", (amount,), unit, text[match.start() : end].strip(), match.start(), end)


def _profession(match: re.Match[str], _text: str) -> Value:
    word = match["job"].lower()
    return Value("profession", (_PROFESSIONS[word],), "", match["job"], match.start("job"), match.end("job"))


def _ordinal(match: re.Match[str], text: str) -> Value | None:
    place = number(match["n"] or match["n2"] if "n2" in match.re.groupindex else match["n"])
    after = re.match(r"\s+([A-Za-z]+)|([楼层])", text[match.end() :])
    word = ((after[1] or after[2]) if after else "").lower()
    return _made("ordinal", (place,), match, unit_lemma(word) if word not in _NO_UNIT else "")


_PERIOD = "hours?|days?|weeks?|fortnights?|months?|quarters?|years?|mornings?|evenings?|afternoons?|nights?"
_JOBS = "|".join(job for job in _PROFESSIONS if job.isascii())
_CJK_JOBS = "|".join(job for job in _PROFESSIONS if not job.isascii())
_RULES: tuple[tuple[str, str, _Read], ...] = (
    ("", rf"\b(?:am|is|are|as|'m) an? (?:[a-z]+ ){{0,2}}?(?P<job>{_JOBS})\b(?!['’-])", _profession),
    ("字", rf"是(?:一?[名个位])?(?P<job>{_CJK_JOBS})(?!的)", _profession),
    (
        "",
        rf"\b(?:(?P<times>once|twice)|(?P<count>{_N}|{_WORDED})(?: times|\s?x))(?: (?:a|an|per|each|every)(?: (?P<every>{_N}|{_WORDED}))? (?P<period>{_PERIOD})|(?= daily))\b",
        _often,
    ),
    ("", rf"\bevery (?:other|second) (?P<other>{_PERIOD})\b", _often),
    ("", rf"\bevery(?: single)?(?: (?P<every>{_N}|{_WORDED}))? (?P<period>{_PERIOD})\b(?P<times>)(?P<count>)", _often),
    (
        "",
        r"\b(?:once )?(?P<adverb>hourly|daily|nightly|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annually)\b",
        _often,
    ),
    (
        "字",
        rf"每个?(?P<period>[天日晚早周月年]|星期|礼拜|小时)(?!末|[一二三四五六日天](?!次))(?=[^，。,]{{0,8}}?(?P<count>{_CJK_NUMBER}+|\d+)次)",
        _cjk_often,
    ),
    ("字", r"每个?(?P<period>[天日晚早周月年]|星期|礼拜)(?!末|[一二三四五六日天])(?P<count>)", _cjk_often),
    ("9", r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2}))?(?!\d)", _date),
    ("9", r"(?<![\d/])(?P<m>\d{1,2})/(?P<d>\d{1,2})(?:/(?P<y>\d{2,4}))?(?![\d/])", _slashed),
    ("9", rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})(?:,? (?P<y>\d{{4}}))?", _date),
    (
        "9",
        rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?=\s?(?:to|and|-|–)\s?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}))",
        _date,
    ),
    ("", rf"\b(?P<month>{_MONTH}) (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,? (?P<y>\d{{4}}))?", _date),
    ("", rf"\b(?P<month>{_MONTH}),? (?P<y>\d{{4}})", _date),
    (
        "字",
        rf"(?:(?P<y>\d{{4}})\s?年\s?)?(?P<m>\d{{1,2}}|{_CJK_NUMBER}{{1,2}})\s?月(?:\s?(?P<d>\d{{1,2}}|{_CJK_NUMBER}{{1,3}})\s?[日号])",
        _date,
    ),
    ("字", r"(?P<y>\d{4})\s?年(?:\s?(?P<m>\d{1,2})\s?月)?", _date),
    (
        "",
        r"(?:(?<=\bin )|(?<=\bby )|(?<=\bsince )|(?<=\buntil )|(?<=\bfrom ))(?P<y>(?:19|20)\d\d)(?![\w,:]*\d|\.\d|\s?(?:元|块|eur|usd))\b",
        _date,
    ),
    ("9", r"\bthe (?P<d>\d{1,2})(?:st|nd|rd|th)\b(?! [a-z]+)", _date),
    (
        "",
        rf"(?<=\bin )(?P<month>{_MONTH})|(?<=\bby )(?P<month2>{_MONTH})",
        lambda match, _: _made("date", (None, _month(match[0]), None), match),
    ),
    ("", r"\b(?P<month>january|february|april|june|july|august|september|october|november|december)\b", _date),
    ("9", r"(?<![\d:])(?P<h>\d{1,3}):(?P<min>\d\d)(?::\d\d)?(?!\d)(?:\s?(?P<half>[ap]\.?m\b\.?))?", _time),
    ("9", r"(?<![\d:.])(?P<h>\d{1,2})(?:\.(?P<min>[0-5]\d))?\s?(?P<half>[ap]\.?m\b\.?)", _time),
    ("", rf"\b(?P<how>half past|quarter past|quarter to) (?P<h>\d{{1,2}}|{_WORD_NUMBER})\b", _past),
    ("", rf"\b(?P<h>\d{{1,2}}|{_WORD_NUMBER}) o'?clock\b", _time),
    (
        "",
        rf"(?<=\bat )(?P<h>\d{{1,2}}|{_WORD_NUMBER})(?=$|[.,;!](?!\d)|\s(?:on|in|every|instead|now|sharp|and|from|for)\b)",
        _time,
    ),
    (
        "",
        (
            r"\b(?P<when>this|last|next) (?P<what>week|month|year|weekend|spring|summer|autumn|winter|night)\b|\b(?:yesterday|today|tomorrow|tonight)\b"
            r"|[上下这本]个?[月周](?![一二三四五六日天])|[去今明]年|[昨今明]天"
        ),
        lambda match, _: _made("when", (match[0].lower().replace("个", "").replace("本", "这"),), match),
    ),
    ("", r"\b(?:noon|midday|midnight)\b", _named_time),
    (
        "字",
        rf"(?P<part>早上|上午|中午|下午|晚上|傍晚|凌晨)?(?P<h>\d{{1,2}}|{_CJK_NUMBER}{{1,3}})\s?[点时](?!间)(?:(?P<half>半)|(?P<quarter>一刻)|(?P<min>\d{{1,2}}|{_CJK_NUMBER}{{1,3}})分?)?",
        _cjk_time,
    ),
    ("", rf"\b{_DAY}\b", _weekday),
    ("", rf"\b{_SHORT_DAY}\b", _weekday),
    ("", r"\bweek(?:day|end)s?\b|周末|工作日", _weekdays),
    ("字", rf"(?:每?周|每?个?星期|礼拜)(?P<d>[{_CJK_DAYS}])(?!次)", _cjk_weekday),
    (
        "",
        r"\b(?:during the|by) day\b|\bmornings?\b|\bafternoons?\b|\bevenings?\b|\bnights?\b|早上|上午|下午|晚上",
        _named("daypart", _DAYPARTS),
    ),
    ("", r"\b(?:spring|summer|autumn|winter)\b", _named("season", _SEASONS)),
    ("", r"(?:(?<=\bversion )|(?<=\brelease )|==\s?|\bv)(?P<v>\d+(?:\.\d+)*)\b", _version),
    ("9", r"(?<![\w.])(?P<v>\d+(?:\.\d+){2,})\b", _version),
    ("", rf"\b(?P<name>(?-i:[a-z]*[A-Z])\w*) (?P<v>\d+\.\d+)(?![\d%]|,\d)(?!\s?(?:{_UNIT_NAMES}))", _version),
    (
        "",
        rf"\b(?:(?:dark|light|bright|pale|deep|navy|sky) )?(?P<c>{_COLOURS})\b",
        _colour,
    ),
    ("字", r"[红白黑蓝绿黄紫灰粉棕橙深浅]色", _cjk_colour),
    (
        "",
        rf"(?:(?P<minus>(?<![\w\d])[-−]|\bminus )\s?)?(?<![\w.])(?<![A-Za-z]-)(?P<n>{_N})\s?(?P<by>(?:(?-i:k|K|M)\b|[万亿千百]))?(?![.,]?\d|[楼层])(?!(?:st|nd|rd|th)\b)",
        _number,
    ),
    ("9", r"\b(?P<n>\d+)(?:st|nd|rd|th)\b", _ordinal),
    ("", rf"(?P<minus>\bminus )?\b(?P<n>{_WORDED})\b(?!-hand)", _number),
    (
        "",
        rf"\b(?P<n>{'|'.join(_ORDINALS.split())})(?= (?:floor|grade|class|year|place|row|edition|generation|of)\b)",
        _ordinal,
    ),
    ("字", r"第(?P<n>\d+|[一二两三四五六七八九十]+)|(?P<n2>\d+|[一二两三四五六七八九十]+)(?=[楼层]|年级)", _ordinal),
    (
        "字",
        rf"(?P<n>{_CJK_NUMBER}+)(?=[个只条本张件位名口间台辆次把份家人元块秒天周岁米度]|年(?!级)|公里|公斤|分钟|小时)",
        _number,
    ),
    ("", r"(?P<n>[一二两三四五六七八九十][零一二两三四五六七八九十百千万]+)", _number),
)
"""How values are written and read, tried in this order; what one has claimed the next leave alone.

First, what a text must hold for it: 9 for a figure, 字 for a character beyond ASCII.
"""
_COMPILED = tuple((need, re.compile(pattern, re.IGNORECASE), read) for need, pattern, read in _RULES)
_ANY = re.compile(
    rf"\d|{_JOBS}|{_CJK_JOBS}|[{''.join(_CJK_DIGITS)}十色末日上午年月周天]|{_WORD_NUMBER}|{'|'.join(_ORDINALS.split())}|once|twice|ly\b|every|day|end|noon|night"
    rf"|morning|evening|this|last|next|yesterday|to|spring|summer|autumn|winter|{'|'.join(_MONTHS)}|{'|'.join(_DAYS)}|{_COLOURS}",
    re.IGNORECASE,
)


def typed_values(text: str) -> list[Value]:
    """The typed values of a text, in the order they stand."""
    return list(_known(text) if len(text) <= _REMEMBERED else _found(text))


def _found(text: str) -> tuple[Value, ...]:
    if not _ANY.search(text):
        return ()
    figures, ascii_only = any(map(str.isdecimal, text)), text.isascii()
    taken = bytearray(len(text))
    found: list[Value] = []
    for need, pattern, read in _COMPILED:
        if (need == "9" and not figures) or (need == "字" and ascii_only):
            continue
        for match in pattern.finditer(text):
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


def agree(a: Value, b: Value) -> bool:
    """Whether two values of one kind may be the same, one perhaps said less exactly."""
    if a.kind == "date":
        both = [(x, y) for x, y in zip(a.key, b.key, strict=False) if x is not None and y is not None]
        return all(x == y for x, y in both)
    if a.kind == "time":
        at, bt = float(a.key[0] or 0), float(b.key[0] or 0)
        return at == bt or (not (a.key[1] and b.key[1]) and at % _HALF_DAY == bt % _HALF_DAY)
    if a.kind == "version":
        return all(x == y for x, y in zip(a.key, b.key, strict=False))
    if a.kind == "weekday":
        return bool({*a.key} & {*b.key})
    return a.key == b.key


def comparable(a: Value, b: Value) -> bool:
    """Whether two values could be answers to one question: the same kind, and no different units."""
    return a.kind == b.kind and (not a.unit or not b.unit or a.unit == b.unit)
