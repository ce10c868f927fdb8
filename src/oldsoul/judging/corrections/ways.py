"""The ways in which people put right what an agent said: `no, it's X`, `X, not Y`, `he's six!`, `blue?? it's red`.

Each is strict: it would rather miss a correction than make one of ordinary talk.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.signs import ASIDE, CHANGES, PASSING, WISHES
from oldsoul.judging.corrections.values import (
    EDGES,
    FEWEST,
    LEAD,
    LEADING,
    NO_VALUE,
    Putting,
    as_said,
    has_words,
    is_value,
    last_words,
    sentence_with,
    value_like,
)
from oldsoul.language.sentences import sentences
from oldsoul.language.stemming import stem
from oldsoul.language.words import is_unspaced, words
from oldsoul.reading.typed_values import agree, comparable, typed_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.reading.typed_values import Value

_SHORT = 7
_NEAR = 4
_EN_NOT = re.compile(
    r"(?i)(?P<before>(?:[^,.;!?\n]|(?<=\d)[.,](?=\d)){1,80}?)\s*[,;–-]?\s+(?:and\s+)?not\s+(?P<old>(?:(?:(?:dr|mr|mrs|ms|prof|st)\.|(?:[\w'&-]|\.(?=\S))+)\s+){0,3}[\w'&-]+)\s*(?=[,.;!?\n)]|$)"
)
_EN_NOT_FIRST = re.compile(
    r"(?i)\bnot\s+(?P<old>(?:[\w.'&-]+\s+){0,3}?[\w.'&-]+?)\s*(?:[,;–-]\s*|\s+)(?:but\s+(?:rather\s+)?|it'?s\s+|it\s+is\s+|that'?s\s+)"
    r"(?P<new>[^,.;!?\n]{1,60})"
)
_ZH_NOT = re.compile(
    r"(?:^|[，,。！!；; ])(?:应该|應該|其实|其實)?是(?P<new>[^，,。！？!?；;\s]{1,12})[，,\s]*(?:而)?不是(?P<old>[^，,。！？!?；;\s啦啊呀哦喔噢了吧]{1,12})"
)
_ZH_NOT_FIRST = re.compile(
    r"不是(?P<old>[^，,。！？!?；;\s]{1,12})[，,；;\s]+(?:而|应该|應該)?是(?P<new>[^，,。！？!?；;\s啦啊呀哦喔噢了吧]{1,12})"
)
_IS = r"(?:(?:it|he|she|they|that|there|this|we|i|you)(?:'?s|'?re|'?m|\s+is|\s+are|\s+was|\s+were|\s+am)|(?:is|are|was|were))"
_STATES = re.compile(
    rf"(?i)^{LEAD}(?:{_IS}|[A-Z][\w.'-]*\s+(?:is|was|has))\s+(?:only|just|still|actually|really|now|already)?\s*"
)
_REFUSES = re.compile(r"(?i)^(?:no+|nope|nah|wrong|false|not\s+quite|wait)\b|^(?:不|错|錯)")
_ECHO = re.compile(r"^(?P<old>[^?!.\n]{1,40}?)\s*(?:\?+!*|!\?+)")
_ITS = re.compile(r"(?i)\b(?:it'?s|it\s+is|they'?re|he'?s|she'?s|that'?s)\s+(?P<new>[^,.;!?\n]{1,40})")
_OVER = re.compile(
    r"(?i)\b(?P<old>[A-Z][\w-]+|[a-z][\w-]{3,})\s+(?:retired|left|quit|died|closed|moved\s+(?:away|out|on)|resigned|is\s+gone|is\s+closed|"
    r"is\s+no\s+longer|has\s+retired|has\s+left|was\s+sold|broke)\b"
)
_NOW = re.compile(
    r"(?i)\b(?:we'?re\s+(?:now\s+)?with|it'?s\s+now|now\s+it'?s|we\s+(?:now\s+)?have|we\s+go\s+to)\s+(?P<new>(?-i:(?:[A-Z][a-z]{0,3}\.\s+)?[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?))"
)
_PAIRS = (
    "hot cold, left right, up down, open closed, morning evening, early late, warm cold, big small, more less, before after,"
    " front back, inside outside, upstairs downstairs, first last, north south, east west, left-hand right-hand, wet dry,"
    " single double, married divorced, boy girl, son daughter, brother sister, mother father, mum dad, uncle aunt, black white,"
    " love hate, like hate, like dislike, his her, he she, sweet sour, long short, high low, full empty, am pm, paid unpaid, with without, 左 右, 上 下, 热 冷, 早 晚, 多 少"
)
_OPPOSITE: dict[str, set[str]] = {}
for _pair in _PAIRS.split(","):
    _one, _other = _pair.split()
    _OPPOSITE.setdefault(_one, set()).add(_other)
    _OPPOSITE.setdefault(_other, set()).add(_one)
AGREES = re.compile(
    r"(?i)^\W*(?:right|yes+|yep|yeah|yup|exactly|correct|true|indeed|sure|perfect|great|thanks|thank you|ok|okay|good|nice|对|對|好的?|嗯)\b(?!\W{0,3}(?:but|except|only|no\b|not\b|wait))"
)
FINE = re.compile(
    r"(?i)^\W*(?:no+|nah|nope)\b[\s,.!-]*(?:it'?s|it is|that'?s|thats|its)\s+(?:all\s+|totally\s+|quite\s+|really\s+)?(?:fine|ok|okay|good|alright|right|cool|great|perfect|nothing|"
    r"no problem|enough|a good|not (?:that |so |too )?(?:bad|urgent|important|necessary))\b"
)
_SUBJECT = re.compile(
    rf"(?i)^{LEAD}(?:the\s+|my\s+|our\s+|and\s+|but\s+)*(?P<who>[^\W\d_][\w.'-]*(?:\s+[\w'-]+)?)\s+(?:is|was|has|are|were)\b"
)
_COPULAS = frozenset(words("is are was were has have be been am do does"))
_PRONOUNS = frozenset(words("it he she they that there this we i you these those what which who one"))
_NO_ITS = re.compile(
    r"(?i)^\W*(?:no+|nope|nah|wrong|actually)\b[\s,.!-]*(?:it'?s|it\s+is|that'?s|he'?s|she'?s|they'?re|(?:his|her|its|the)\s+name\s+is|called)\s+(?:called\s+|named\s+)?(?-i:(?:[A-Z][a-z]{0,3}\.\s+)?[A-Z])"
)
_LIVES = re.compile(
    r"(?i)^\W*(?:my\s+|our\s+|the\s+)?[\w'-]+(?:\s+[\w'-]+)?\s+(?:lives?|works?|moved|stays|studies|plays|goes|sits)\s+(?:now\s+)?(?:in|at|to|for|with|near|over\s+to)\s+"
)
TITLES = frozenset({"Dr", "Mr", "Mrs", "Ms", "Prof", "Frau", "Herr"})
_PARTS = re.compile(r"[,;:–]\s+")
_POSSESSED = re.compile(
    r"(?i)^\W*(?:and\s+|but\s+)?[\w-]+'s\s+(?!(?:in|at|on|now|not|the|a|an|moved|living|working|back|here|there|been|called)\b)\w+"
)
SUPPOSES = re.compile(
    r"(?i)\bin (?:the|a|my|this|that) (?:movie|film|play|book|story|novel|game|dream|show|song|joke)\b|\b(?:story|kidding|joking|joke|pretend)\b|,\s*said (?:the|my|his|her)\b|\bhe says\b|\bshe says\b"
    r"|\bif (?:it|he|she|they|i|we)\b|\bi lie\b|\bas if\b|\bimagine\b|\bsaid [\"“']|\bjust kidding\b|要是|如果"
)
_DATED = frozenset({"time", "date", "weekday", "daypart"})
_ALREADY = re.compile(r"(?i)\b(?:already|only|almost|nearly|hurry|run)\b|(?:现在|現在|今天|今日)(?:是|都)")
_AT = re.compile(r"(?i)\b(?:at|from|to|til|till|until|by|before|after)\s+$")
HURRIES = re.compile(r"(?i)\bit(?:'?s|\s+is)\s+(?:already|only|almost|nearly|gone|just)\s+$")
_AGAIN = re.compile(r"(?i)\b(?:closes?|opens?|costs?|takes?|starts?|leaves?|runs?|holds?)\b")
TODAY = re.compile(
    r"(?i)\b(?:today|tonight|right now|at the moment|for (?:the|a|this) (?:weekend|week|day|night|month|while)|until \w+|visiting|on holiday|this (?:morning|afternoon|evening|week))\b|今天|今晚"
)
_FILLING = frozenset(
    words(
        "yes now only just still actually really already years year old from since date day time times again i believe"
    )
)
_MONTHS = frozenset(words("january february march april may june july august september october november december"))
_EXACT = frozenset({"date", "weekday", "time", "version", "daypart"})
_CHANGES = re.compile(r"(?i)\b(?:old|now|moved|switched|changed|instead|since|new)\b|现在|現在|搬|换|換|改")
_ZH_OVER = re.compile(r"(?P<old>[A-Z][\w'-]+)\s*(?:早就|已经|已經|都)?(?:退休|走了|搬走|不在|换了|換了|离开|離開)")
_ZH_IS = re.compile(r"(?:^|[，,。！!；;\s])是\s*(?P<new>[A-Z][\w'-]+)")
_CAPS = re.compile(r"\b[A-Z]{4,}\b")
_PHRASE = re.compile(r"[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)+")
_ONE_WORD = re.compile(
    r"^\s*(?P<star>\*?)\s*(?P<new>[^\W\d_][\w'-]{3,})\s*(?:[:;]-?[)D]|,?\s*with\s+(?:a|an|one|two|no)\b|[.!…]?\s*$)"
)
_SMILE = re.compile(r"[:;]-?[)D]")
_SPELLING = 0.72
_ALMOST = 0.5
_DENIES = re.compile(
    r"(?i)\b(?:(?:do|does|did)n'?t|(?:do|does|did)\s+not)\s+(?P<verb>\w+)\s+(?P<old>(?:[\w.'-]+\s+){0,3}?[\w.'-]+)\s*[,;.–-]\s*(?:but\s+)?"
    r"(?:\w+\s+){0,2}(?P<again>\w+)\s+(?P<new>[^,.;!?\n]{2,40})"
)
_NOT_THERE = re.compile(
    r"(?i)\bnot\s+(?P<old>(?:on|in|under|behind|at|by|next to|above|below|inside|outside|near|with)\s+[^,;.!?\n]{2,40}?)\s*[,;.–-]\s*(?:but\s+|it'?s\s+)?"
    r"(?P<new>(?:on|in|under|behind|at|by|next to|above|below|inside|outside|near|with)\s+[^,;.!?\n]{2,40})"
)
_ZH_GIVEN = re.compile("给我(?:延|改|推|提)|給我(?:延|改|推|提)")
_ZH_FILLING = re.compile(r"^[不是我你您们們的了啊呀哦吧嘛呢啦对對嗯其实實应该應該而在都就才哈]+$")
_ZH_OWN = re.compile(
    r"(?:^|[，,。！!；;\s])(?:不[，,是对對]?|其实|其實)?(?:我(?:们|們|家的?)?|是)?(?:早就|已经|已經|现在|現在|都|刚|剛|后来|後來)*(?:给我)?(?:搬|住|叫|换|換|改|延|是)"
    r"|出版社给我延|[^我他她它们]{0,6}我家的叫"
)
_ZH_STOP = r"[^，,。！？!?；;\s了啦好的吗嗎吧]"
_ZH_SLOTS = (
    (
        re.compile(rf"(?:搬到|搬去|搬回|住在|住)(?P<new>{_ZH_STOP}{{1,8}})"),
        re.compile(rf"(?:住在|住|搬到)(?P<old>{_ZH_STOP}{{1,8}})"),
    ),
    (
        re.compile(rf"(?:叫做?|名字是)(?P<new>{_ZH_STOP}{{1,8}})"),
        re.compile(rf"(?:叫做?|名字是)(?P<old>{_ZH_STOP}{{1,8}})"),
    ),
    (
        re.compile(rf"(?:换成|換成|改成|改到|改为|改為|延到)(?P<new>{_ZH_STOP}{{1,10}})"),
        re.compile(rf"(?:是|用|在|到)(?P<old>{_ZH_STOP}{{1,10}})"),
    ),
)
_NAMED = re.compile(r"(?<=[^\W\d_.!?:] )(?!I\b|I')[A-Z][\w'-]+|(?<=[,;:] )(?!I\b|I')[A-Z][\w'-]+")


def both_named(text: str, said: str) -> Iterator[Putting]:
    """Both values, where a message names both: `X, not Y`."""
    for pattern in (_ZH_NOT, _ZH_NOT_FIRST):
        for match in pattern.finditer(text):
            yield Putting("", match["old"], match["new"])
    for match in _EN_NOT.finditer(text):
        old = match["old"].strip()
        new = value_like(match["before"], old) or last_words(match["before"], len(old.split()))
        other = of_another(match["before"], said) or _elsewhere(match["before"], new, said)
        if is_value(old) and new and _same_sort(new, old, said) and not other:
            yield Putting("", old, new)
    for match in _EN_NOT_FIRST.finditer(text):
        old, new = match["old"].strip(), " ".join(match["new"].split()[: max(len(match["old"].split()), 1) + 1])
        if is_value(old) and is_value(new) and _same_sort(new, old, said):
            yield Putting("", old, new)


def _elsewhere(part: str, value: str, said: str) -> bool:
    """Whether what leads up to a value speaks of something the agent did not: `for the blog use SQLite`."""
    head = part.partition(value)[0] if value else part
    left = [word for word in words(head) if word not in LEADING | _FILLING]
    return bool(said) and any(word not in words(said) for word in left)


def of_another(part: str, said: str) -> bool:
    """Whether a statement has a subject of its own, which the agent did not speak of."""
    subject = _SUBJECT.match(part.strip())
    who = [word for word in words(subject["who"]) if word not in _PRONOUNS] if subject else []
    return bool(said) and any(word not in words(said) for word in who)


def _same_sort(new: str, old: str, said: str) -> bool:
    """Whether two values could be answers to one question: of one type, both names, or the wrong one was just said."""
    ones, others = typed_values(new), typed_values(old)
    if ones and others:
        return comparable(ones[0], others[0]) and not agree(ones[0], others[0])
    if set(words(new)) & _COPULAS or len(new.split()) > len(old.split()) + 1:
        return False
    return (bool(said) and has_words(said, old)) or (new[:1].isupper() and old[:1].isupper())


def _contrast(text: str, told: list[str]) -> Putting | None:
    """Another value of the same type as the agent's, said in a way that insists: `he's six!`, `nope, it's thursdays now`."""
    for sentence in sentences(text)[:3]:
        if sentence.rstrip().endswith(("?", "？")) or SUPPOSES.search(sentence) or WISHES.match(sentence):
            continue
        if PASSING.search(sentence):
            continue
        refuses = bool(_REFUSES.match(sentence)) or sentence.rstrip().endswith("!")
        for part in _PARTS.split(sentence):
            found = _insisted(part, told, refuses=refuses, alone=text.lstrip(" *").startswith(part))
            if found is None or ASIDE.search(part):
                continue
            old, new, wrong = found
            lead = bool(_REFUSES.match(text)) or bool(_CHANGES.search(sentence))
            often = sum(comparable(new, value) and agree(new, value) for value in typed_values(text)) > 1 or _stresses(
                text
            )
            clear = _STATES.match(part) is not None or bool(_AGAIN.search(part))
            if new.kind in _DATED:  # it may be that late, or that day, now
                clear = clear and lead and TODAY.search(text) is None
            sure = lead or often or (clear and new.kind not in _DATED) or sentence.rstrip().endswith("!")
            if new.kind in _DATED and not (lead or often):
                sure = False
            return Putting(sentence, as_said(old, new), new.said.strip(EDGES), wrong, sure)
    return None


def _stresses(text: str) -> bool:
    """Whether a message says a value by itself more than once, as in `the 5th, fifth of may`."""
    alone = 0
    for sentence in sentences(text)[:3]:
        rest = sentence
        for value in reversed(typed_values(sentence)):
            rest = f"{rest[: value.start]} {rest[value.end :]}"
        alone += rest != sentence and not [word for word in words(rest) if word not in LEADING | _FILLING | _MONTHS]
    return alone > 1


def _insisted(part: str, told: list[str], *, refuses: bool, alone: bool) -> tuple[Value, Value, str] | None:
    """The agent's value, the one in its place, and the agent's sentence."""
    states = _STATES.match(part)
    if of_another(part, " ".join(told)):
        return None
    values = typed_values(part)
    for value in values:
        if (
            value.kind in _DATED
            and (states is not None or is_unspaced(part))
            and (TODAY.search(part) or _ALREADY.search(part))
        ):
            continue  # it is that late now
        rest = part
        for each in reversed(values):
            rest = f"{rest[: each.start]} {rest[each.end :]}"
        left = [word for word in words(rest) if word not in LEADING | _FILLING and not is_unspaced(word)]
        if not _ZH_GIVEN.search(part):
            changed = words(CHANGES.sub(" ", rest))
            left += [word for word in changed if is_unspaced(word) and not _ZH_FILLING.search(word)]
        if any(not any(word in words(stated) for stated in told) for word in left):
            continue  # it speaks of something else
        bare = not left and (value.kind in _EXACT or (alone and value.said.strip().isdigit()))
        near = states is not None and value.start - states.end() < _SHORT * 2
        same_matter = any(len(set(left) & set(words(stated))) >= FEWEST for stated in told)
        if not (near or bare or same_matter or (refuses and len(part.split()) <= _SHORT)):
            continue
        found = _rival(value, told)
        if found is not None and states is not None and _ALREADY.search(part) and is_clock(found[0], found[1]):
            continue  # it is that late now
        if found is not None:
            return found[1], value, found[0]
    return None


def is_clock(text: str, value: Value) -> bool:
    """Whether a figure may well be a time of day."""
    return not value.unit and _AT.search(text[: value.start]) is not None


def _rival(value: Value, told: list[str]) -> tuple[str, Value] | None:
    """The one value of the same type that the agent stated instead; None when there is none, or it said the same."""
    rivals: list[tuple[str, Value]] = []
    for sentence in told:
        if sentence.endswith(("?", "？")):
            continue
        for other in typed_values(sentence):
            if comparable(value, other) and other.said.strip().casefold() != "one":
                if agree(value, other):
                    return None
                rivals.append((sentence, other))
    if len(rivals) > 1 and value.kind == "number":  # numbers of one length are more alike
        rivals = [rival for rival in rivals if len(rival[1].said.strip()) == len(value.said.strip())]
    return rivals[0] if len(rivals) == 1 else None


def _echo(text: str, told: list[str]) -> Putting | None:
    """The agent's word thrown back, and another in its place: `blue?? … it's red`."""
    match = _ECHO.match(text)
    if match is None or not told:
        return None
    old = match["old"].strip(" \"'")
    wrong = next((s for s in told if has_words(s, old)), "")
    if not wrong or not is_value(old) or len(old.split()) > _NEAR:
        return None
    its = _ITS.search(text, match.end())
    if its is None:
        return None
    new = " ".join(its["new"].split()[: max(len(old.split()), 1)])
    return Putting(sentence_with(text, new), old, new, wrong) if is_value(new) and not has_words(wrong, new) else None


def _over(text: str, told: list[str]) -> Putting | None:
    """What the agent named is over, and something else is in its place: `Brandt retired! we're with Dr. Okafor now`."""
    for over_way, now_way in ((_OVER, _NOW), (_ZH_OVER, _ZH_IS)):
        over = over_way.search(text)
        wrong = next((s for s in told if has_words(s, over["old"])), "") if over else ""
        now = now_way.search(text) if over and wrong else None
        if over is None or now is None:
            continue
        old, new = over["old"], now["new"].split()[-1]
        written = re.search(re.escape(old), wrong, re.IGNORECASE)
        return Putting(sentence_with(text, new), written[0] if written else old, new, wrong)
    return None


def _opposite(text: str, told: list[str]) -> Putting | None:
    """The opposite of a word the agent used, said with stress or after a no: `hot. too HOT.`, `no, left`."""
    said = words(text)
    for sentence in sentences(text)[:2]:
        if (
            len(sentence.split()) > _SHORT
            or sentence.endswith(("?", "？"))
            or AGREES.search(sentence)
            or SUPPOSES.search(sentence)
        ):
            continue
        for word in words(sentence):
            stressed = said.count(word) > 1 or re.search(rf"\b{re.escape(word.upper())}\b", text)
            if not (stressed or _REFUSES.match(sentence)) or (word == "right" and not _REFUSES.match(sentence)):
                continue
            for other in sorted(_OPPOSITE.get(word, ())):
                wrong = next(
                    (s for s in told if not s.endswith("?") and has_words(s, other) and not has_words(s, word)), ""
                )
                left = [w for w in words(sentence) if w not in LEADING | _FILLING | {word, "too", "no", "nope"}]
                if wrong and all(w in words(wrong) for w in left):
                    sure = said.count(word) > 1 or bool(left) or bool(_REFUSES.match(sentence))
                    return Putting(sentence, other, word, wrong, sure)
    return None


def _name(text: str, told: list[str]) -> Putting | None:
    """Another name than the one the agent used: `no, it's Okafor`, `mats lives in Oslo now`."""
    for sentence in sentences(text)[:2]:
        if len(sentence.split()) > _SHORT * 2 or sentence.endswith(("?", "？")) or SUPPOSES.search(sentence):
            continue
        insists = _NO_ITS.match(sentence)
        new = [name for name in _NAMED.findall(sentence) if not any(has_words(s, name) for s in told)]
        first = next((word for word in words(sentence) if word not in LEADING), "")
        for stated in told:
            about = {word for word in words(sentence) if word not in LEADING} & set(words(stated))
            moved = (
                _LIVES.match(sentence) and first in about and _CHANGES.search(sentence) and not TODAY.search(sentence)
            )
            if (not insists and not moved) or _POSSESSED.match(sentence):
                continue
            if insists and stated.endswith("?"):
                continue
            names = [name for name in _NAMED.findall(stated) if name.casefold() not in about and name not in TITLES]
            if len(new) == 1 and len(names) == 1 and not has_words(text, names[0]):
                return Putting(sentence, names[0], new[0], stated)
    return None


def _phrase(text: str, told: list[str]) -> Putting | None:
    """A name of several words that the agent had wrong in one of them: `clerk, my dear, The Salt Clerk`."""
    for new in _PHRASE.findall(text):
        for stated in told:
            for old in _PHRASE.findall(stated):
                mine, theirs = new.split(), old.split()
                differing = [pair for pair in zip(mine, theirs, strict=False) if pair[0] != pair[1]]
                stressed = differing and (_REFUSES.match(text) or words(text).count(differing[0][0].casefold()) > 1)
                if len(mine) == len(theirs) and len(differing) == 1 and stressed and not has_words(stated, new):
                    return Putting(sentence_with(text, new), old, new, stated)
    return None


def _stressed(text: str, told: list[str]) -> Putting | None:
    """A word said twice, once in capitals, and the agent's word thrown back: `penicillin. PENICILLIN. ibuprofen i eat`."""
    for loud in _CAPS.findall(text):
        if words(text).count(loud.casefold()) < 2:  # noqa: PLR2004 - said once, it is only loud
            continue
        for stated in told:
            echoed = [w for w in words(stated) if len(w) >= _NEAR and w in words(text) and w not in LEADING | NO_VALUE]
            if not has_words(stated, loud) and len(set(echoed)) == 1:
                return Putting(sentence_with(text, loud), echoed[0], loud.lower(), stated)
    return None


def _spelling(text: str, told: list[str]) -> Putting | None:
    """A name put right in one word: `petersen :)`, `*Emilio`, `hofmann with one f`."""
    match = _ONE_WORD.match(text)
    if match is None:
        return None
    new = match["new"]
    least = _ALMOST if match["star"] else _SPELLING
    for stated in told:
        for old in _NAMED.findall(stated):
            alike = SequenceMatcher(None, old.casefold(), new.casefold()).ratio()
            if old.casefold() != new.casefold() and alike >= least:
                told_so = bool(match["star"]) or "with" in words(text) or bool(_SMILE.search(text))
                return Putting(text, old, new, stated, told_so)
    return None


def _denied(text: str, told: list[str]) -> Putting | None:
    """The agent's value denied, and another put beside it: `she doesn't want csv, she wants xlsx`, `not on X, under Y`."""
    if SUPPOSES.search(text):
        return None
    for match in (*_DENIES.finditer(text), *_NOT_THERE.finditer(text)):
        parts = match.groupdict()
        if "verb" in parts and stem(parts["verb"].casefold()) != stem(parts["again"].casefold()):
            continue
        old, new = match["old"].strip(), match["new"].strip()
        if "verb" in parts:
            new = " ".join(new.split()[: len(old.split())])
        wrong = next((s for s in told if is_value(old) and has_words(s, old)), "")
        if wrong and is_value(new) and not has_words(wrong, new):
            return Putting(sentence_with(text, new), old, new, wrong)
    return None


def _placed(text: str, told: list[str]) -> Putting | None:
    """Another place or name where the agent had one, in Chinese: `我早就搬到杭州了`, `我家的叫年糕`."""
    if WISHES.match(text):
        return None
    for after, before in _ZH_SLOTS:
        match = after.search(text) if _ZH_OWN.search(text) else None
        if match is None:
            continue
        for stated in told:
            held = before.search(stated)
            if held is not None and held["old"] != match["new"] and not stated.endswith(("?", "？", "吗", "嗎")):
                return Putting(text, held["old"], match["new"], stated)
    return None


WAYS = (_contrast, _echo, _over, _denied, _opposite, _phrase, _stressed, _name, _spelling, _placed)
ANSWERED = (_over, _name, _spelling)
"""What puts something right though the agent asked: else it is an answer."""
