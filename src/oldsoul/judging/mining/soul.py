"""What an operator's words say about how the agent should behave, and what of it may stand where everyone reads it.

SOUL.md is public, and operators talk in private. So a principle is worded as behaviour: either by this table, or in the
operator's own words where each of them belongs to a small vocabulary of talking and working. Names, numbers and things
never get through; what cannot be worded is left to the operator.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.documents.model import folded
from oldsoul.judging.mining.soul_manners import LANGUAGES, MANNERS, TRUTHS, VIBE, VOCABULARY, Manner
from oldsoul.judging.mining.soul_replies import TRAITS
from oldsoul.judging.mining.standing import is_standing
from oldsoul.language.alike import telling
from oldsoul.language.sentences import sentences
from oldsoul.language.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LONGEST = 200
"""The longest principle, in characters."""
_MOST_WORDS = 16
_FEWEST_WORDS = 3
_SAME = 0.8


class Principle(NamedTuple):
    """A way to behave, worded so that everyone may read it."""

    section: str
    """where it stands in the soul"""
    title: str
    """what it is about; may be empty"""
    text: str
    """the words"""
    rule: str = ""
    """what it is by the table, as `emojis:no`; empty for one in the operator's own words"""

    @property
    def line(self) -> str:
        """The entry's first line."""
        return f"**{self.title}**: {self.text}" if self.title else self.text


_TONGUES = "|".join(LANGUAGES)
_LANGUAGE = re.compile(
    rf"""(?xi)
    \b(?:answer|reply|respond|write|speak|talk|stick|switch|use)
    (?:\ (?:to|with|me|us|only|always|back|just|your|answers|replies|everything|all|please))*
    \ (?:(?:in|to)\ )?(?P<first>{_TONGUES})(?=(?:\ (?:only|always|please|instead|again|back))*$)
    | \b(?:answers?|replies|everything)\ in\ (?P<second>{_TONGUES})$
    """
)
_NOT = r"no|not|never|don'?t|do not|stop|without|avoid|quit|skip|drop|fewer|less|enough|nothing|leave out|too"
_NO = re.compile(rf"\b(?:{_NOT})\b", re.IGNORECASE)
_YES = re.compile(
    r"\b(?:use|using|add|with|more|always|want|like|love|prefer|give|be|keep|write|answer|cite|name|tell|make|ask|again|please)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|except|until|while|only for|in case|today|tonight|tomorrow|this time|for now|here)\b",
    re.IGNORECASE,
)
_SCOPE = re.compile(
    r"(?i)\b(?:in|for|on|to|about|with)(?: (?:the|my|your|our|an?|any|all))? (?:e?mails?|letters?|code|drafts?|comments?|notes?|files?"
    r"|titles?|headings?|headlines?|summar(?:y|ies)|reminders?|groups?|chats?|texts?|posts?|tests?|tasks?|lists?|people|others|them|him|her)\b"
)
_LEAD = re.compile(
    r"""(?xi)^(?:
        no[,:.!]+\s+ | (?:ok(?:ay)?|hey|well|so|and|but|also|again|look|listen|right|sorry|oh|hm+|please|thanks|one\ (?:more\ )?thing)[,:.!]*\s+
      | (?:as\ )?i(?:'ve|\ have)?\ (?:already\ |just\ )?(?:told|asked|said|mentioned)(?:\ (?:to\ )?you)?(?:\ (?:that|to|this|before|already|not))*[,:.!-]*\s+
      | (?:how\ many\ times|you\ forgot(?:\ again)?|don'?t\ you\ remember)[,:.!?]*\s+
      | (?:from\ now\ on|going\ forward|in\ (?:the\ )?future|generally|in\ general)[,:]*\s+
      | remember(?:\ that|:|,)?\s+ | (?:i\ said)[,:]*\s+
    )"""
)
_TAIL = re.compile(
    r"(?i)[,\s]+(?:from now on|going forward|in (?:the )?future|please|thanks|thank you|ok(?:ay)?|again|anymore|any more|at all|ever|already)(?:,? please)?[.!\s]*$"
)
_ADDRESSED = re.compile(
    r"""(?xi)^(?:
        (?:please|do\ not|don'?t|never|always|stop|no|avoid|quit|skip|drop|less|fewer|more|shorter|enough|keep|be|make)\b
      | (?:use|answer|reply|respond|write|speak|talk|give|ask|cite|say|tell|explain|check|look|show|start|begin|end|name|leave|call|let|put|think|read|wait)\b
      | you\ (?:should|must|need\ to|have\ to|can|may|don'?t\ (?:have|need)\ to|keep|are\ (?:too|always)|shouldn'?t|mustn'?t)\b
      | i(?:'d|\ would)?\ (?:really\ )?(?:want|prefer|like|love|need|don'?t\ (?:want|like|need))\b
      | (?:whenever|every\ time|each\ time|without|too)\b
    )"""
)
_COMPLAINT = re.compile(r"(?i)you(?:'re| are)? (?:keep|always|too)\b")
_POINTING = re.compile(r"(?i)\b(?:i|this|that|these|those|it|them|him|her|he|she|they|there|then)\b")
"""Words that mean something only where they were said."""
_HOLDS = re.compile(r"(?i)(?:stop|no more|enough|you keep)\b")
_IDIOM = re.compile(
    r"(?i)(?:never mind|no (?:problem|worries|idea|rush|need|way|wonder|thanks)|don'?t (?:worry|bother|mention it))\b"
)
_TOLD = re.compile(r"(?i)\bi(?:'ve| have)? (?:already |just )?(?:told|asked) you\b|\bhow many times\b|\byou forgot\b")
_PRAISE = re.compile(
    r"""(?xi)
    \b(?:that'?s|this\ is|that\ was|this\ was)\ (?:exactly|just|precisely)\ (?:how|what|the\ way)\ i\ (?:want|like|need|wanted|asked)
    | \bexactly\ (?:like\ (?:this|that)|how\ i\ (?:want|like)|the\ way\ i\ (?:want|like))
    | \b(?:keep|please\ keep)\ (?:doing|writing|answering|it|them)\b.{0,12}\b(?:like|this|that)\b
    | \b(?:more|always)\ (?:like|of)\ (?:this|that)\b | \bthis\ (?:format|form|style|length)\ is\ (?:perfect|great|ideal)
    """
)
_CONFIRMED = re.compile(
    r"(?i)\b(?:that|it|this|everything) (?:worked|works)(?: (?:perfectly|great|fine|well|now|like a charm))?\b|\bworks (?:perfectly|great|like a charm)\b"
)
_UNCONFIRMED = re.compile(r"(?i)\b(?:not|n't|never|hardly|barely|until|only when|if)\b|\?")

_UPPER = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'-]*")
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|^[ \t]*>.*$", re.DOTALL | re.MULTILINE
)


_NEVER = "(?:不要|别|別|勿)(?:再|总|老是)?"
_CHINESE = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (rf"{_NEVER}(?:用|发|發|使用)(?:任何)?(?:表情|颜文字|顏文字|emoji)", "emojis:no"),
        (rf"{_NEVER}(?:用|使用)(?:任何)?感[叹嘆]号", "exclamation:no"),
        (rf"{_NEVER}(?:用|使用|画)(?:任何)?表格", "tables:no"),
        (rf"{_NEVER}(?:用|使用)(?:任何)?(?:列表|项目符号)", "lists:no"),
        (rf"{_NEVER}(?:用|使用)(?:任何)?(?:术语|行话|術語)", "jargon:no"),
        (rf"{_NEVER}(?:道歉|说对不起|說對不起)", "apologies:no"),
        (rf"{_NEVER}(?:瞎|乱|亂)?(?:猜|编造|編造)", "guessing:no"),
        (r"(?:注明|给出|附上|註明)(?:来源|出处|來源)", "sources:yes"),
        (r"简短|简洁|簡短|簡潔|短一点|短一點", "length:no"),
        (r"用英[文语語](?:回答|回复|回覆|说|說|写|寫)", "language:english"),
        (r"用(?:中文|汉语|漢語)(?:回答|回复|回覆|说|說|写|寫)", "language:chinese"),
        (r"用德[文语語](?:回答|回复|回覆|说|說|写|寫)", "language:german"),
        (r"用日[文语語](?:回答|回复|回覆|说|說|写|寫)", "language:japanese"),
    )
)
_LONGEST_CHINESE = 16


# what was said


class Instruction(NamedTuple):
    """A sentence that tells the agent how to behave."""

    said: str
    """the sentence"""
    principle: Principle | None
    """what it comes to; None where it cannot be worded for everyone to read"""


def instructions(text: str, *, correction: bool = False) -> list[Instruction]:
    """What a text tells the agent about its behaviour. A correction need not say that it holds from now on."""
    found: list[Instruction] = []
    for sentence in sentences(_QUOTED.sub(" ", text)):
        if sentence.rstrip("\"')").endswith(("?", "？")):
            continue
        if is_standing(sentence) and len(sentence) <= _LONGEST_CHINESE:
            rule = next((rule for pattern, rule in _CHINESE if pattern.search(sentence)), "")
            if rule:
                found.append(Instruction(sentence, by_rule(rule)))
                continue
        bare = _bare(sentence)
        if not _ADDRESSED.match(bare):
            bare = _bare(sentence[_asking(sentence) :])  # "thanks for that, please …"
        if not _ADDRESSED.match(bare) or _IDIOM.match(bare):
            continue
        principle = principle_of(bare)
        standing = is_standing(sentence) or bool(_HOLDS.match(bare) or _TOLD.search(sentence))
        if principle is not None and (standing or (correction and principle.rule)):
            found.append(Instruction(sentence, principle))
        elif principle is None and standing and not _POINTING.search(bare):
            found.append(Instruction(sentence, None))
    return found


def _asking(sentence: str) -> int:
    """Where the last clause that asks begins."""
    return max((match.end() for match in re.finditer(r"(?i)[,;:–-]\s+(?=please\b)", sentence)), default=0)


def _bare(sentence: str) -> str:
    """A sentence without what only leads to it and what only ends it."""
    text = " ".join(sentence.replace("’", "'").split()).strip(" .!,-–—")
    while True:
        less = _TAIL.sub("", _LEAD.sub("", text)).strip(" .!,-–—")
        if less == text or not less:
            return text
        text = less


def principle_of(text: str) -> Principle | None:
    """The principle a sentence states, by the table or in its own words; None where it holds more than behaviour."""
    bare = _bare(text)
    found = _by_table(bare)
    if found is not None:
        return found
    count = len(words(bare))
    if not _FEWEST_WORDS <= count <= _MOST_WORDS or not is_plain(bare) or re.match(r"(?i)(?:i|we|you)\b", bare):
        return None
    if _POINTING.search(bare):
        return None
    # Read in the soul, "me" would be the agent.
    said = re.sub(r"(?i)\bmy\b", "the operator's", re.sub(r"(?i)\bme\b", "the operator", bare))
    return Principle(TRUTHS, "", f"{said[0].upper()}{said[1:]}.")


def _by_table(bare: str) -> Principle | None:
    if _CONDITION.search(bare) or _SCOPE.search(bare) or not is_plain(bare):
        return None  # what holds for something alone is kept in the operator's own words
    language = _LANGUAGE.search(bare)
    if language is not None and not _NO.search(bare):
        return by_rule(f"language:{LANGUAGES[(language['first'] or language['second']).lower()].lower()}")
    for manner in MANNERS:
        stance = _stance(manner, bare)
        text = manner.no if stance == "no" else manner.yes if stance == "yes" else ""
        if text:
            return Principle(manner.section, manner.title, text, f"{manner.kind}:{stance}")
    return None


def _stance(manner: Manner, bare: str) -> str:
    """Whether a sentence wants a manner left or done; empty when it says nothing of it."""
    leaving = re.search(rf"(?i)\b(?:{manner.leaving})\b", bare) if manner.leaving else None
    if _COMPLAINT.match(bare) and re.search(rf"(?i)\b(?:{manner.about})\b", bare):
        return "no"
    if leaving is not None:
        return "yes" if _NO.search(bare[: leaving.start()]) else "no"
    match = re.search(rf"(?i)\b(?:{manner.about})\b", bare)
    if match is None:
        return ""
    if _NO.search(bare[: match.start()]):
        return "no"
    return "yes" if _YES.search(bare) else ""


def is_plain(text: str) -> bool:
    """Whether every word of a text belongs to the vocabulary of talking and working: no names, no numbers, no things."""
    found = words(text)
    return bool(found) and all(word in VOCABULARY or word in LANGUAGES or word in _TABLE_WORDS for word in found)


_TABLE_WORDS = frozenset(
    words(
        "wordy verbose depth ramble rambling essay essays wall walls terse smilies chit great suck sucking up saying being pun funny"
        " comes single several headlines points citation citations apologizing invent facts"
    )
) | frozenset(word for manner in MANNERS for word in words(f"{manner.no} {manner.yes} {manner.title}"))


def is_public(text: str, private: Collection[str], known: Collection[str]) -> bool:
    """Whether a text somebody else worded may be read by everyone: no name, no number, no word of private talk.

    `private` are the words of that talk; those in `known`, which stand in the soul already, give nothing away.
    """
    if any(char.isdigit() for char in text) or len(text) > LONGEST or "\n" in text:
        return False
    if any(word.casefold() not in LANGUAGES and word not in ("I", "I'm") for word in _UPPER.findall(text)):
        return False
    return not any(word in private and word not in known for word in words(text) if not is_plain(word))


# what was done

_PRAISED = ("tables:yes", "lists:yes", "headings:yes", "length:no")
"""What praise can be for, the most telling first."""


def is_praise(text: str) -> bool:
    """Whether somebody says that this is how they want it."""
    return _PRAISE.search(text) is not None and _UNCONFIRMED.search(text) is None


def praised(reply: str) -> Principle | None:
    """What a reply that was praised did, where that is plain; None where it could be many things."""
    shown = [trait.rule for trait in TRAITS if trait.rule in _PRAISED and trait.has(reply)]
    shape = [rule for rule in shown if rule != "length:no"]
    if len(shape) > 1 or not shown:
        return None
    return by_rule((shape or shown)[0])


def is_confirmed(text: str) -> bool:
    """Whether somebody says that something worked."""
    return _CONFIRMED.search(text) is not None and _UNCONFIRMED.search(text) is None


def names_skill(text: str, name: str) -> bool:
    """Whether a text speaks of a skill, and not only of a thing of that name."""
    found = re.escape(name)
    return re.search(rf"(?i)\bskills?[ /:`'\"]+{found}\b|\b{found}[`'\"]* skill\b", text) is not None


def is_doubted(text: str) -> bool:
    """Whether somebody says that something did not work, or asks."""
    return _UNCONFIRMED.search(text) is not None


def rule_of(title: str, text: str) -> str:
    """What a line of a soul is by the table: as its title and its first words say, else as the sentence it is."""
    for manner in MANNERS:
        if title and folded(title) == folded(manner.title):
            if folded(text) in (folded(manner.no), folded(manner.yes)):
                return f"{manner.kind}:{'no' if folded(text) == folded(manner.no) else 'yes'}"
            if re.match(r"(?i)(?:no|none|never|avoid|without)\b", text) and manner.no:
                return f"{manner.kind}:no"
    principle = principle_of(text)
    return principle.rule if principle else ""


def by_rule(rule: str) -> Principle | None:
    """The principle of this name in the table."""
    kind, _, stance = rule.partition(":")
    if kind == "language":
        return Principle(VIBE, "Language", f"answer in {LANGUAGES[stance]}.", rule)
    for manner in MANNERS:
        text = {"no": manner.no, "yes": manner.yes}.get(stance, "")
        if manner.kind == kind and text:
            return Principle(manner.section, manner.title, text, rule)
    return None


# mistakes that repeat

_CHECKED = {
    "date": "dates",
    "time": "times of day",
    "weekday": "days of the week",
    "number": "numbers",
    "name": "names",
}


def warning(kind: str) -> Principle:
    """The principle that would have prevented a mistake of this kind; an unknown kind is a thing told before."""
    what = _CHECKED.get(kind, "things you were told")
    text = f"look {what} up in memory before you state them; they went wrong more than once."
    return Principle(TRUTHS, f"Check {what}", text, f"check:{kind if kind in _CHECKED else 'told'}")


# how principles stand to each other


def same(one: str, other: str) -> bool:
    """Whether two principles say the same."""
    a, b = _said(one), _said(other)
    return folded(one) == folded(other) or (
        bool(a and b) and len(a & b) / len(a | b) >= _SAME and _negated(one) == _negated(other)
    )


def opposed(one: str, other: str) -> bool:
    """Whether two principles in plain words say the opposite of each other."""
    a, b = _said(one), _said(other)
    return bool(a and b) and len(a & b) / len(a | b) >= _SAME and _negated(one) != _negated(other)


_NEGATORS = frozenset(words("no not never don t dont stop avoid without always please cannot doesn isn"))


def _said(text: str) -> frozenset[str]:
    return telling(text) - _NEGATORS


def _negated(text: str) -> bool:
    return re.search(r"(?i)\b(?:no|not|never|don'?t|stop|avoid|without)\b", text) is not None


def kind_of(rule: str) -> str:
    """What a rule is about: two about the same cannot both hold."""
    kind = rule.partition(":")[0]
    return rule if kind in ("check", "skill") else kind


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """All words of some texts."""
    return frozenset(word for text in texts for word in words(text))
