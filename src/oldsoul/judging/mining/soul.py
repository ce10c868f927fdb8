"""What an operator's words say about how the agent should behave, and what of it everyone may read.

SOUL.md is public, and operators talk in private. So a principle is worded as behaviour: either by the table of behaviours, or
in the operator's own words where each of them belongs to a small vocabulary of talking and working. Names, numbers and
things never get through; what cannot be worded is left to the operator. Cues, behaviours and vocabulary are in the language
files (`soul` and `manner` lines).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from oldsoul.documents.model import folded
from oldsoul.judging.mining.memories import is_standing
from oldsoul.language.cues import about, cue, listed, straight
from oldsoul.language.languages import detected_language
from oldsoul.language.lexicon import word_list
from oldsoul.language.likeness import telling
from oldsoul.language.sentences import sentences
from oldsoul.language.words import words
from oldsoul.rules.own_words import stated

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
_LONG, _SHORT, _SEVERAL = 250, 40, 3
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
    "length:yes": lambda text: len(words(text)) > _LONG,
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
