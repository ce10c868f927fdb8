"""The words that values are written with: months, units, colours, trades; and what a number comes to."""

from __future__ import annotations

import re

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CJK_DAYS = "一二三四五六日天"
JAPANESE_DAYS = "月火水木金土日"
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
WORDS = {
    **{word: n for n, word in enumerate(ONES.split())},
    **{word: 10 * n for n, word in enumerate(TENS.split(), 2)},
    **{word: n for n, word in enumerate(ORDINALS.split(), 1)},
}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
SUFFIXES = {"k": 1_000, "m": 1_000_000, "万": 10_000, "亿": 100_000_000, "億": 100_000_000, "千": 1_000, "百": 100}
CJK_DIGITS = {char: n % 10 for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CJK_SCALES = {"十": 10, "百": 100, "千": 1_000}
CJK_NUMBER = "[零〇一二两三四五六七八九十百千万]"


def table(text: str) -> dict[str, str]:
    """Words and what they stand for, read from rows between bars: what it is, a colon, the words."""
    rows = (row.split(":") for row in text.split("|"))
    return {word: head.strip() for head, words in rows for word in words.split()}


TIMES_A_YEAR = {
    word: float(times)
    for word, times in table(
        "525600: minute | 8760: hour hourly 小时 | 365: day daily morning afternoon evening night nightly 天 日 晚 早 | "
        "52: week weekly 周 星期 礼拜 | 26: fortnight fortnightly biweekly | 12: month monthly 月 | 4: quarter quarterly | "
        "1: year yearly annually 年"
    ).items()
}
UNITS = {
    word: (measure.split()[0], float(measure.split()[1]))
    for word, measure in table(
        "g 0.001: mg | g 1: g gram grams | g 1000: kg kilo kilos kilogram kilograms 公斤 | metre 0.001: mm | metre 0.01: cm | "
        "metre 1: metre metres meter meters 米 | metre 1000: km kilometre kilometres kilometer kilometers 公里 | "
        "byte 1e6: mb | byte 1e9: gb gig gigabytes | byte 1e12: tb | lasting 1: s sec secs second seconds 秒 | "
        "lasting 60: min mins minute minutes 分钟 | lasting 3600: h hr hrs hour hours 小时 時間 | lasting 86400: day days 天 | "
        "lasting 604800: week weeks 周 | lasting 2629800: month months 个月 ヶ月 か月 | lasting 31557600: year years 年 岁 歳 | "
        "degree 1: ° °c degree degrees celsius 度 | percent 1: % percent | "
        "money 1: dollar dollars usd $ bucks euro euros eur € pound pounds gbp £ 元 块 円 yuan rmb ¥"
    ).items()
}
"""What a unit measures, and how many of the basic unit it is."""
NO_UNIT = table(
    "none: a ago also an and are as at be before but by can daily each every for from if in into instead is it last less "
    "more near next no not now of off on only or out over per since so than that the then there this to too under until "
    "up was were when which while who will with"
)
"""Words after a number that say nothing of what is counted."""
COLOURS = "black|white|red|green|blue|yellow|purple|orange|pink|brown|gr[ea]y|silver|gold(?:en)?|blonde?|beige|violet|turquoise"
DAYPARTS = {
    word.replace("_", " "): part
    for word, part in table(
        "morning: morning mornings 早上 上午 午前 | afternoon: afternoon afternoons 下午 午後 | evening: evening evenings 晚上 夕方 | "
        "night: night nights | day: during_the_day by_day"
    ).items()
}
SEASONS = table("spring: spring | summer: summer | autumn: autumn | winter: winter")
HALF_DAY = 720
NOON = 12
HOURS = 24
WORKDAYS = ("0", "1", "2", "3", "4")
WEEKEND = ("5", "6")

N = r"\d+(?:[.,]\d+)*"
WORD_NUMBER = rf"(?:{'|'.join([*ONES.split(), *TENS.split()])})"
WORDED = rf"{WORD_NUMBER}(?:[- ](?:{WORD_NUMBER}|hundred|thousand|million|billion|dozen))*"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?:\.(?= \d))?"
)
DAY = r"(?:mon|tues?|wednes|thurs|fri|satur|sun)days?"
SHORT_DAY = r"(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)"


PROFESSIONS = table(
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
UNIT_NAMES = "|".join(rf"{re.escape(name)}(?![a-z])" for name in UNITS)


_ENDLESS = 1e100


def number(text: str) -> float | None:
    """What a number comes to, in figures, English words or Chinese characters."""
    text = text.strip().lower()
    if text and text[0].isdecimal() and text.isascii():
        plain = re.sub(r",(?=\d{3}(?:\D|$))", "", text)
        try:
            found = float(plain.replace(",", "."))
        except ValueError:
            return None
        return found if found < _ENDLESS else None
    if text and (text[0] in CJK_DIGITS or text[0] in CJK_SCALES):
        return _cjk_number(text)
    return _worded(re.split(r"[- ]+", text))


def _worded(words: list[str]) -> float | None:
    total = part = 0
    for word in words:
        if word in WORDS:
            part += WORDS[word]
        elif word in SCALES:
            part = max(part, 1) * SCALES[word]
            if SCALES[word] > 100:  # noqa: PLR2004 - after a thousand, hundreds begin anew
                total, part = total + part, 0
        else:
            return None
    return float(total + part) if words else None


def _cjk_number(text: str) -> float | None:
    total = part = digit = 0
    last = 1
    for char in text:
        if char in CJK_DIGITS:
            digit, last = CJK_DIGITS[char], last if char != "零" else 1
        elif char in CJK_SCALES:
            last = CJK_SCALES[char]
            part, digit = part + max(digit, 1) * last, 0
        elif char == "万":
            last = 10_000
            total, part, digit = (part + digit) * last, 0, 0
        else:
            return None
    if digit and last >= 100:  # noqa: PLR2004 - 三千二 is 3200
        digit *= last // 10
    return float(total + part + digit)
