"""What of a conversation deserves memory: entries, and what the soul grows by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from oldsoul.documents.model import folded
from oldsoul.language.cues import about, cue, listed, straight
from oldsoul.language.languages import detected_language
from oldsoul.language.lexicon import word_list
from oldsoul.language.sentences import cleaned, sentences, shortened
from oldsoul.language.words import is_unspaced, telling, words
from oldsoul.reading.dates import spans
from oldsoul.reading.typed_values import Value, typed_values
from oldsoul.rules.diary import is_first_person
from oldsoul.rules.own_words import stated
from oldsoul.rules.promotion import asks_before, bare, spoken, wanted
from oldsoul.values.frozen import frozen


@lru_cache(maxsize=20_000)
def is_standing(text: str) -> bool:
    """Whether a remembered sentence tells the agent how to behave from now on."""
    code = spoken(text)
    said = bare(straight(text), code)
    return (
        cue("keep", "standing", code).search(said) is not None or cue("keep", "instruct", code).match(said) is not None
    )


@lru_cache(maxsize=20_000)
def is_instruction(text: str) -> bool:
    """Whether a remembered sentence orders something: it begins as an order does, or with an occasion before one."""
    code = spoken(text)
    said = bare(_SPEAKER.sub("", straight(text)), code)
    holds = cue("keep", "standing", code)
    return (
        cue("keep", "instruct", code).match(said) is not None
        or (holds.match(said) is not None and not is_first_person(said))
        or (has_occasion(said) and holds.search(said) is not None)
    )


def has_occasion(text: str) -> bool:
    """Whether an instruction says first when it holds: "When we talk about bread, …"."""
    code = spoken(text)
    return any(cue("keep", "occasion", code).search(straight(each)) is not None for each in sentences(text))


DECISION, EVENT, KNOWLEDGE, SKILL = "decision", "event", "knowledge", "skill"
ASKED, DECIDED, INSTRUCTION, ONESELF = "asked", "decided", "instruction", "oneself"
_KEEP = "keep"
_SPEAKER = re.compile(r"^\W*[^\W\d_][\w .'-]{0,30}: ")
_LONG, _MANY_LINES = 700, 6
"""A message with more characters, or so many lines, is somebody's text and not what they say."""
_LONGEST = 320
_FEWEST = 3
_SOON = 30
_WORTH = 1.3
"""From this score on a statement may be suggested."""
_CODE = re.compile(
    r"```|^#!|^\s*(?:def|class|import|from|function|const|let|var|SELECT|#include)\b.*[({;:]\s*$", re.MULTILINE
)
_ASKS = re.compile(r"[?？]|(?:吗|嗎|么|麼|呢|か|かな|っけ)[。.!！\s]*$")
_NAME = re.compile(r"(?<=[^\W\d_.!?] )(?!I\b|I')[A-ZÀ-ÞА-Я][\w'-]+|[\u3040-\u30ff\u3400-\u9fff]{2,}")
_TELLS = re.compile(r":\s*\S|：\s*\S")
_CLAUSE = re.compile(r"[,;:，、；：]\s*|\s+[–—-]+\s+|[()（）]")
_MASKED = "[masked: "
_END = " .!,;:。！，；：…"


@frozen
class Nugget:
    """A statement that is worth keeping, or might be."""

    text: str
    """the person's own words"""
    tag: str
    """its primary tag"""
    why: str
    """by which rule: asked, decided, instruction, oneself; empty when it is only suggested"""
    rank: float
    """how telling it looks"""

    @property
    def is_plain(self) -> bool:
        """Whether it is kept, and not only suggested."""
        return bool(self.why)


def nuggets(text: str, said: date) -> list[Nugget]:
    """The statements of a message that are kept or may be suggested, in order; `said` is its local day."""
    text = straight(cleaned(text))
    if len(text) > _LONG or text.strip().count("\n") >= _MANY_LINES or _CODE.search(text):
        return []
    own = stated(text)
    judge = _Judge(spoken(own), is_work=False)
    judge = _Judge(judge.code, is_work=judge.has("work", own.lstrip(), start=True))
    found: list[Nugget] = []
    for sentence, before, is_asked in _whole(sentences(own), judge):
        if (made := judge.nugget(sentence, before, is_asked=is_asked)) is not None:
            found.append(Nugget(dated(made.text, said), made.tag, made.why, made.rank))
    return found


def _whole(parts: list[str], judge: _Judge) -> Iterator[tuple[str, str, bool]]:
    """Sentences, each with the one before it, and whether the next one asks to keep them, which is then left out."""
    for number, part in enumerate(parts):
        following = parts[number + 1] if number + 1 < len(parts) else ""
        if number and judge.asks_before(part):
            continue
        yield part, parts[number - 1] if number else "", judge.asks_before(following)


class _Judge:
    """The cues of one language, put to sentences of one message."""

    def __init__(self, code: str, *, is_work: bool) -> None:
        self.code = code
        self.is_work = is_work
        """whether the message asks for some piece of work: what it tells belongs to that"""

    def has(self, kind: str, text: str, *, start: bool = False) -> bool:
        """Whether a text has a cue of this kind, or begins with one."""
        pattern = cue(_KEEP, kind, self.code)
        return (pattern.match(text) if start else pattern.search(text)) is not None

    def asks_before(self, sentence: str) -> bool:
        """Whether a sentence asks to keep the one before it."""
        return asks_before(sentence, self.code)

    def bare(self, sentence: str) -> str:
        """A sentence without the words that only lead to it."""
        return bare(sentence, self.code)

    def nugget(self, sentence: str, before: str, *, is_asked: bool) -> Nugget | None:
        """What a sentence comes to, with the one before it where it asks to keep what points there; None where it is nothing."""
        asked = wanted(sentence, self.code) or (self.bare(sentence) if is_asked else "")
        if asked and before and self.has("dangling", asked, start=True) and not _ASKS.search(before):
            asked = f"{before} {sentence}"
        said = asked or self.bare(sentence)
        if not self.stands(said, is_told=bool(asked) and _TELLS.search(said) is not None):
            return None
        values = typed_values(said)
        why, tag = (ASKED, self.tag(said, values)) if asked else self.plain(said)
        rank = self.rank(said, values)
        if not why and (rank < _WORTH or self.is_work):
            return None
        return Nugget(shortened(said.rstrip(" ,;"), _LONGEST), tag or self.tag(said, values), why, rank)

    def stands(self, said: str, *, is_told: bool = False) -> bool:
        """Whether a sentence can be understood by itself and states something; `is_told` where "what she said:" comes first."""
        count = len(words(said))
        few = count < _FEWEST or len(said) > _LONGEST or not telling(said)
        clauses = self.has("instruct", said, start=True) or self.has("decided", said, start=True)
        asks = self.has("ask", said, start=not is_unspaced(said)) or self.has("dangling", said, start=True)
        return not (
            few or _ASKS.search(said) or (asks and not clauses and not is_told) or "…" in said[:3] or _MASKED in said
        )

    def plain(self, said: str) -> tuple[str, str]:
        """By which rule a sentence is kept, and its tag; nothing for one that is not."""
        if self.has("others", said, start=True) or cue(_KEEP, "chat", self.code).fullmatch(said.rstrip(_END)):
            return "", ""
        instructs = [said] if is_unspaced(said) else self.clauses(said)
        if any(self.has("instruct", clause, start=True) and not self.has("passing", clause) for clause in instructs):
            return INSTRUCTION, KNOWLEDGE
        if self.is_work or self.has("request", said, start=True) or self.has("hedge", said, start=True):
            return "", ""
        clauses = [clause for clause in self.clauses(said) if self.is_settled(clause)]
        if any(map(self.is_decided, clauses)):
            return DECIDED, DECISION
        if any(map(self.is_own, clauses)):
            return ONESELF, KNOWLEDGE
        return (ONESELF, EVENT) if any(map(self.is_past, clauses)) else ("", "")

    def is_past(self, clause: str) -> bool:
        """Whether a clause says what whoever speaks did on a certain day."""
        return self.has("did", clause, start=True) and _has_day(clause) and not self.has("pointing", clause)

    def is_settled(self, clause: str) -> bool:
        """Whether a clause is neither of the moment nor in doubt, and asks for nothing."""
        return not any(self.has(kind, clause) for kind in ("hedge", "you", "passing", "request"))

    def is_decided(self, clause: str) -> bool:
        """Whether a clause says that something was decided, and what."""
        match = cue(_KEEP, "decided", self.code).match(clause)
        said = clause[slice(*about(match))] if match is not None else ""
        return len(telling(said)) > 1 and not self.has("dangling", said, start=True)

    def clauses(self, said: str) -> Iterator[str]:
        """The parts of a sentence, each without what joins it to the one before; a habit may need the day in front of it."""
        yield said
        joint = cue(_KEEP, "joint", self.code)
        for part in _CLAUSE.split(said):
            for piece in joint.split(part):
                if piece and piece.strip():
                    yield self.bare(piece)

    def is_own(self, clause: str) -> bool:
        """Whether a clause states something lasting about whoever speaks: its form says so, and it names what."""
        if self.has("pointing", clause):
            return False
        named = cue(_KEEP, "named", self.code).match(clause)
        if self.has("self", clause, start=True) or (named is not None and _is_named(clause, about(named)[0])):
            return True
        forms = (("lasting", "span"), ("habit", "every"))
        return any(self.has(form, clause, start=True) and self.has(how, clause) for form, how in forms)

    def tag(self, said: str, values: list[Value]) -> str:
        """The primary tag that fits a statement."""
        if self.has("decided", said):
            return DECISION
        if self.has("howto", said):
            return SKILL
        return EVENT if any(value.kind == "date" for value in values) else KNOWLEDGE

    def rank(self, said: str, values: list[Value]) -> float:
        """How telling a statement looks: whose it is, what it names, and what speaks against it."""
        first = is_first_person(said)
        count = len(words(said))
        rank = 0.7 * first + 0.5 * bool(values) + 0.4 * any(v.kind == "date" for v in values)
        rank += 0.5 * bool(_NAME.search(said)) + 0.5 * self.has("kin", said) + 0.4 * self.has("every", said)
        rank += 0.5 * self.has("span", said) + 0.5 * self.has("decided", said) + min(count, 24) / 40
        rank += 0.6 * any(
            self.has(kind, clause, start=True) for kind in ("self", "named") for clause in self.clauses(said)
        )
        rank -= 0.8 * self.has("you", said) + 0.5 * self.has("hedge", said) + 0.5 * self.has("passing", said)
        rank -= 0.9 * self.has("request", said) + 0.6 * self.has("others", said)
        return (
            rank
            - 0.6 * (not first and not self.has("kin", said))
            - 0.5 * (count < 2 * _FEWEST and not is_unspaced(said))
        )


def _is_named(clause: str, start: int) -> bool:
    """Whether a name or a value is in a clause soon after this place."""
    end = start + _SOON
    names = (found.start() for found in _NAME.finditer(clause))
    values = (value.start for value in typed_values(clause) if value.kind != "colour")
    return any(start <= place < end for place in (*names, *values))


def _has_day(clause: str) -> bool:
    """Whether a clause names a day of a month."""
    return any(value.kind == "date" and None not in value.key[1:3] for value in typed_values(clause))


def dated(text: str, said: date) -> str:
    """The text with the day next to every relative date that means one day.

    A few words are a relative date when the day they name moves with the day they are said on.
    """
    named = {span.first for span in spans(text, said, is_statement=True) if span.first == span.last}
    tokens = list(re.finditer(r"[^\s,.;!?。，！？]+", text)) if named else []
    made, at = "", 0
    for number, token in enumerate(tokens):
        # The shortest words that end here and name a day.
        starts = (before.start() for before in reversed(tokens[max(number - 3, 0) : number + 1]))
        phrases = (text[start : token.end()] for start in starts if start >= at)
        day = next((day for phrase in phrases if (day := _relative(phrase, said))), 0)
        if day in named and text[token.end() : token.end() + 2] != " (":
            made += f"{text[at : token.end()]} ({date.fromordinal(day).isoformat()})"
            at = token.end()
    return made + text[at:]


def _relative(phrase: str, said: date) -> int:
    """The day that a phrase names by its distance from the day it is said on; 0 for none, -1 for a weekday alone."""
    week = timedelta(days=7)
    found, later = (spans(phrase, day, is_statement=True) for day in (said, said + week))
    if len(found) != 1 or len(later) != 1 or found[0].first != found[0].last:
        return 0
    alone = any(value.kind == "weekday" for value in typed_values(phrase)) and _steps().isdisjoint(words(phrase))
    return (
        -1
        if alone and not is_unspaced(phrase)
        else found[0].first
        if later[0].first == found[0].first + week.days
        else 0
    )


@cache
def _steps() -> frozenset[str]:
    """Words that say which of several weekdays is meant: last, next."""
    listed = (kinds.get("steps", "").split(" | ") for kinds in word_list("date").values())
    return frozenset(word for items in listed for item in items for word in words(item.partition(" ")[2]))


SECTIONS = ("Identity", "Core Truths", "Boundaries", "Vibe", "Skills")
"""The sections of a soul that grow."""
TRUTHS, VIBE, SKILLS = "Core Truths", "Vibe", "Skills"
LONGEST = 200
"""The longest principle, in characters."""
_MOST_WORDS, _FEWEST_WORDS = 16, 3
_SAME = 0.8
_LONGEST_UNSPACED = 16
_AROUND = " .!,-–—"
_UPPER = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'-]*")
_ASKING = re.compile(r"(?i)[,;:–-]\s+(?=please\b)")


class Principle(NamedTuple):
    """A way to behave, worded so that everyone may read it."""

    section: str
    """where it is in the soul"""
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


class Instruction(NamedTuple):
    """A sentence that tells the agent how to behave."""

    said: str
    """the sentence"""
    principle: Principle | None
    """what it comes to; None where it cannot be worded for everyone to read"""


class Behaviour(NamedTuple):
    """One thing an agent may do or leave."""

    kind: str
    title: str
    section: str
    about: str
    """how it is spoken of"""
    no: str
    """the principle of one who leaves it; empty when there is none"""
    yes: str
    """the principle of one who does it; empty when there is none"""
    leaving: str
    """words that mean leaving it by themselves"""


@cache
def behaviours() -> tuple[Behaviour, ...]:
    """The table of manners, in the order they are looked for."""
    rows = word_list("manner")["en"].items()
    return tuple(Behaviour(kind, *("" if cell == "-" else cell for cell in row.split(" || "))) for kind, row in rows)


@cache
def tongues() -> Mapping[str, str]:
    """The languages a soul may be set to speak, by the names people give them."""
    return {name: shown for name, _, shown in (item.partition(" ") for item in listed("soul", "tongues", "en"))}


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(word_list("soul")["en"]["words"].split()) | frozenset(tongues())


def _has(kind: str, text: str) -> bool:
    return cue("soul", kind, "en").search(text) is not None


# what was said


def instructions(text: str, *, correction: bool = False) -> list[Instruction]:
    """What a text tells the agent about its behaviour. A correction need not say that it holds from now on."""
    found: list[Instruction] = []
    for sentence in sentences(straight(stated(text))):
        if sentence.rstrip("\"')").endswith(("?", "？")):
            continue
        rule = _unspaced(sentence)
        if rule:
            found.append(Instruction(sentence, by_rule(rule)))
            continue
        said = _bare(sentence)
        if not _has("addressed", said):
            said = _bare(
                sentence[max((m.end() for m in _ASKING.finditer(sentence)), default=0) :]
            )  # "thanks, please …"
        if not _has("addressed", said) or _has("idiom", said):
            continue
        principle = principle_of(said)
        standing = is_standing(sentence) or _has("holds", said) or _has("told", sentence)
        if principle is not None and (standing or (correction and principle.rule)):
            found.append(Instruction(sentence, principle))
        elif principle is None and standing and not _has("pointing", said):
            found.append(Instruction(sentence, None))
    return found


def _unspaced(sentence: str) -> str:
    """The rule that a short sentence of a script without spaces states; empty for none."""
    if len(sentence) > _LONGEST_UNSPACED or sentence.isascii() or not is_standing(sentence):
        return ""
    rules = ((code, kind) for code in word_list("manner") if code != "en" for kind in word_list("manner")[code])
    return next((kind.replace("_", ":") for code, kind in rules if cue("manner", kind, code).search(sentence)), "")


def _bare(sentence: str) -> str:
    """A sentence without what only leads to it and what only ends it."""
    text = " ".join(sentence.split()).strip(_AROUND)
    lead, tail = cue("soul", "lead", "en"), cue("soul", "tail", "en")
    while True:
        less = tail.sub("", lead.sub("", text, count=1)).strip(_AROUND)
        if less == text or not less:
            return text
        text = less


def principle_of(text: str) -> Principle | None:
    """The principle a sentence states, by the table or in its own words; None where it holds more than behaviour."""
    said = _bare(straight(text))
    found = _by_table(said)
    if found is not None:
        return found
    count = len(words(said))
    if not _FEWEST_WORDS <= count <= _MOST_WORDS or not is_plain(said) or _has("self", said) or _has("pointing", said):
        return None
    # Read in the soul, "me" would be the agent.
    worded = re.sub(r"(?i)\bmy\b", "the operator's", re.sub(r"(?i)\bme\b", "the operator", said))
    return Principle(TRUTHS, "", f"{worded[0].upper()}{worded[1:]}.")


def _by_table(said: str) -> Principle | None:
    if _has("condition", said) or _has("scope", said) or not is_plain(said):
        return None  # what holds for something alone is kept in the operator's own words
    language = cue("soul", "speak", "en").search(said)
    if language is not None and not _has("no", said):
        return by_rule(f"language:{tongues()[said[slice(*about(language))].lower()].lower()}")
    stances = ((behaviour, _stance(behaviour, said)) for behaviour in behaviours())
    return next((found for behaviour, stance in stances if (found := _principle(behaviour, stance))), None)


def _principle(behaviour: Behaviour, stance: str) -> Principle | None:
    text = {"no": behaviour.no, "yes": behaviour.yes}.get(stance, "")
    return Principle(behaviour.section, behaviour.title, text, f"{behaviour.kind}:{stance}") if text else None


def _stance(behaviour: Behaviour, said: str) -> str:
    """Whether a sentence wants a behaviour stopped or done; empty when it says nothing of it."""
    leaving = re.search(rf"(?i)\b(?:{behaviour.leaving})\b", said) if behaviour.leaving else None
    match = re.search(rf"(?i)\b(?:{behaviour.about})\b", said)
    if match is not None and _has("complaint", said):
        return "no"
    if leaving is not None:
        return "yes" if _has("no", said[: leaving.start()]) else "no"
    if match is None:
        return ""
    return "no" if _has("no", said[: match.start()]) else "yes" if _has("yes", said) else ""


def is_plain(text: str) -> bool:
    """Whether every word of a text belongs to the vocabulary of talking and working: no names, no numbers, no things."""
    found = words(text)
    return bool(found) and _vocabulary().issuperset(found)


def is_public(text: str, private: Collection[str], known: Collection[str]) -> bool:
    """Whether a text somebody else worded may be read by everyone: no name, no number, no word of private talk.

    `private` are the words of that talk; those in `known`, which are in the soul already, give nothing away.
    """
    if any(char.isdigit() for char in text) or len(text) > LONGEST or "\n" in text:
        return False
    if any(word.casefold() not in tongues() and word not in ("I", "I'm") for word in _UPPER.findall(text)):
        return False
    return not any(word in private and word not in known for word in words(text) if not is_plain(word))


def is_praise(text: str) -> bool:
    """Whether somebody says that this is how they want it."""
    return _has("praise", straight(text)) and not is_doubted(text)


def is_confirmed(text: str) -> bool:
    """Whether somebody says that something worked."""
    return _has("worked", straight(text)) and not is_doubted(text)


def is_doubted(text: str) -> bool:
    """Whether somebody says that something did not work, or asks."""
    return "?" in text or _has("unsure", straight(text))


def names_skill(text: str, name: str) -> bool:
    """Whether a text speaks of a skill, and not only of a thing of that name."""
    found = re.escape(name)
    return re.search(rf"(?i)\bskills?[ /:`'\"]+{found}\b|\b{found}[`'\"]* skill\b", text) is not None


def rule_of(title: str, text: str) -> str:
    """What a line of a soul is by the table: as its title and its first words say, else as the sentence it is."""
    for behaviour in behaviours():
        if title and folded(title) == folded(behaviour.title):
            if folded(text) in (folded(behaviour.no), folded(behaviour.yes)):
                return f"{behaviour.kind}:{'no' if folded(text) == folded(behaviour.no) else 'yes'}"
            if _has("none", text) and behaviour.no:
                return f"{behaviour.kind}:no"
    principle = principle_of(text)
    return principle.rule if principle else ""


def by_rule(rule: str) -> Principle | None:
    """The principle of this name in the table."""
    kind, _, stance = rule.partition(":")
    if kind == "language":
        return Principle(VIBE, "Language", f"answer in {tongues()[stance]}.", rule)
    return next((_principle(behaviour, stance) for behaviour in behaviours() if behaviour.kind == kind), None)


_CHECKED = {
    "date": "dates",
    "time": "times of day",
    "weekday": "days of the week",
    "number": "numbers",
    "name": "names",
}


def warning(kind: str) -> Principle:
    """The principle that would have prevented a mistake of this kind; an unknown kind is something said before."""
    what = _CHECKED.get(kind, "things you were told")
    text = f"look {what} up in memory before you state them; they went wrong more than once."
    return Principle(TRUTHS, f"Check {what}", text, f"check:{kind if kind in _CHECKED else 'told'}")


# how principles relate to each other


def same(one: str, other: str) -> bool:
    """Whether two principles say the same."""
    return folded(one) == folded(other) or (_alike(one, other) and _has("no", one) == _has("no", other))


def opposed(one: str, other: str) -> bool:
    """Whether two principles in plain words say the opposite of each other."""
    return _alike(one, other) and _has("no", one) != _has("no", other)


def _alike(one: str, other: str) -> bool:
    a, b = (telling(text) - telling(_NEGATORS) for text in (one, other))
    return bool(a and b) and len(a & b) / len(a | b) >= _SAME


_NEGATORS = "no not never don t dont stop avoid without always please cannot doesn isn"


def kind_of(rule: str) -> str:
    """What a rule is about: two about the same cannot both hold."""
    kind = rule.partition(":")[0]
    return rule if kind in ("check", "skill") else kind


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """All words of some texts."""
    return frozenset(word for text in texts for word in words(text))


_BULLET = re.compile(r"^\s*[-*•]\s+\S", re.MULTILINE)
_ROW = re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE)
_HEAD = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
_LONG_REPLY, _SHORT, _SEVERAL = 250, 40, 3
_FEWEST_TOLD = 5
_CODES = {
    "english": "en",
    "german": "de",
    "french": "fr",
    "spanish": "es",
    "italian": "it",
    "portuguese": "pt",
    "dutch": "nl",
    "chinese": "zh",
    "japanese": "ja",
    "russian": "ru",
}


def is_emoji(char: str) -> bool:
    """Whether a character is a small picture."""
    return ord(char) >= 0x2190 and unicodedata.category(char) == "So" and not 0x2500 <= ord(char) <= 0x25FF  # noqa: PLR2004 - arrows on; lines and boxes are no faces


def _says(kind: str) -> Callable[[str], bool]:
    return lambda text: cue("soul", kind, "en").search(straight(text)) is not None


TRAITS: dict[str, Callable[[str], bool]] = {
    "emojis:yes": lambda text: any(map(is_emoji, text)),
    "exclamation:yes": lambda text: "!" in text or "！" in text,
    "lists:yes": lambda text: len(_BULLET.findall(text)) >= _SEVERAL,
    "tables:yes": lambda text: len(_ROW.findall(text)) >= _SEVERAL,
    "headings:yes": lambda text: _HEAD.search(text) is not None,
    "apologies:yes": _says("sorry"),
    "flattery:yes": _says("flattery"),
    "length:yes": lambda text: len(words(text)) > _LONG_REPLY,
    "length:no": lambda text: 0 < len(words(text)) <= _SHORT,
}
"""What a reply shows, by rules that can hardly be wrong."""
_PRAISED = ("tables:yes", "lists:yes", "headings:yes")


def praised(reply: str) -> Principle | None:
    """What a reply that was praised did, where that is plain; None where it could be many things."""
    shape = [rule for rule in _PRAISED if TRAITS[rule](reply)]
    shown = shape or (["length:no"] if TRAITS["length:no"](reply) else [])
    return by_rule(shown[0]) if len(shown) == 1 else None


def goes_against(rule: str, reply: str) -> bool:
    """Whether a reply plainly does what a principle says not to do."""
    kind, _, stance = rule.partition(":")
    if kind == "language":
        spoken = detected_language(reply) if len(words(reply)) >= _FEWEST_TOLD else ""
        wanted = _CODES.get(tongues().get(stance, stance).lower(), stance)
        return bool(spoken) and spoken != wanted
    return stance == "no" and f"{kind}:yes" in TRAITS and TRAITS[f"{kind}:yes"](reply)
