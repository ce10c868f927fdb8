"""Values that people put right: how a text states one, and the same text with another in its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.language.sentences import sentences
from oldsoul.language.words import words
from oldsoul.reading.typed_values import agree, comparable, same_sum, typed_values
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.reading.typed_values import Value


@frozen
class Putting:
    """Something that was put right."""

    right: str
    """the person's own words that say what is right"""
    old: str = ""
    """the value that was wrong, as the agent or memory has it; empty when that is not clear"""
    new: str = ""
    """the value that is right"""
    wrong: str = ""
    """the agent's sentence that was wrong"""
    sure: bool = True
    """whether it was said in so many words; else somebody has to say whether it was meant so"""
    held: bool = False
    """whether it counts only where memory holds what was wrong"""
    spoken: bool = False
    """whether it counts only where nobody but the agent said what was wrong"""
    signed: bool = False
    """whether it counts also where the operator said so before, or had it remembered: the reply says that it is otherwise"""

    @property
    def means(self) -> str:
        """The statement in full: the agent's sentence with the right value in it, else the person's own words."""
        if not (self.wrong and self.old and self.new):
            return self.right
        return swapped(self.wrong, self.old, self.new) or self.right


STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
"""Makes every kind of apostrophe the plain one."""
EDGES = " .,;!"
NO_VALUE = frozenset(
    words(
        "me you him her us them it this that sure yet really now here there so much many true right fair good bad at all pls please"
    )
)
LEADING = frozenset(
    words(
        "it its it's is are was were be been am the a an on at in by to for of my our your his her their i we he she they"
    )
    + words(
        "s said meant called named no nope actually well but and just only still that thats there with has have had"
        " hes shes theyre weve youve youre theyve im ive theres whats wheres"
    )
)
LEAD = r"(?:(?:no+|nope|nah|wait|actually|sorry|hm+|uh|er+|well|but|oh|hey|ehm|um|argh)\b[\s,.!…-]*)*"
_HANDS_OVER = re.compile(
    r"(?is)^\W*(?:from the (?:chat|thread|mail|e-?mail|article|group)|forwarded|fwd|copied|pasted|see below|(?:翻译|翻譯|校对|总结|總結|改写|润色))\b.{0,60}?[:：\n]|^.{0,20}(?:翻訳|要約|添削|校正|言い換え|書き直)(?:し|え|そ)?て.{0,12}?[:：\n]|^\W*(?:please\s+)?(?:write|draft|compose) (?:a|an|me|the)\b"
    r"|^\W*(?:(?:please|pls|can you|could you)\s+)*(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|shorten|spell-?check|explain|"
    r"format|transcribe|read|review|here(?:'s| is) (?:an?|the)|draft|reply to|respond to)\b.{0,60}?[:\n]"
)
_QUOTED = re.compile(
    r"(?s)```.*?(?:```|$)|(?m:^[ \t]*>.*$)|[\"“”„][^\"“”„]{1,300}[\"“”]|(?<!\w)'(?=\S+\s+\S+\s)(?:[^'\n]|'(?=\w)){1,300}'(?!\w)|「[^」]{0,300}」|『[^』]{0,300}』|«[^»]{1,300}»|<quote>.{1,300}?</quote>"
    r"|(?m:^[ \t]*(?:\[[A-Z][\w ]{0,30}\]|[A-Z][\w]{0,20}(?: [A-Z]\w{0,20})?(?: \([^)\n]{1,20}\))?:)[ \t]+\S.*$)"
)
_RUN = re.compile(r"([^\w\n])\1{3,}")
"""The same sign again and again says no more than three of it, and is read over and over."""
_BARE = re.compile(r"[\d\W_]+")
_BESIDE, _BESIDE_FIGURE = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]"), re.compile(r"[^\W_]")
_LOOKED_AT = 2000
"""So many characters of a message are looked at, from its beginning and from its end."""
FEWEST = 2


def swapped(sentence: str, old: str, new: str) -> str:
    """A sentence with another value in it; empty when the old one is not there, in these words or others."""
    whole = "日?" if old.endswith("曜") else ""  # 木曜 is said for 木曜日
    if (found := _worded(sentence, old, whole)) is not None:
        return f"{sentence[: found.start()]}{new}{sentence[found.end() :]}"
    place = _stated(sentence, old)
    return f"{sentence[: place.start]}{new}{sentence[place.end :]}" if place else ""


def _worded(text: str, value: str, whole: str = "") -> re.Match[str] | None:
    """Where a text has a value in these very words, with no letter or figure beside them.

    Of scripts without spaces none counts but beside a bare figure. What may stand beside is looked at apart: in one
    pattern with the value, it would be made anew for each of them, which takes a thousand times as long as looking.
    """
    beside = _BESIDE_FIGURE if _BARE.fullmatch(value) else _BESIDE
    sought = re.compile(re.escape(value) + whole, re.IGNORECASE)
    found = sought.search(text) if value else None
    while found is not None:
        start, end = found.span()
        before = start > 0 and value[0].isascii() and beside.match(text, start - 1)
        if not before and not (value[-1].isascii() and beside.match(text, end)):
            break
        found = sought.search(text, start + 1)
    return found


def _stated(text: str, value: str) -> Value | None:
    """Where a text states a value, however it words it: `tuesdays` is `Tuesday`."""
    mine = typed_values(value)
    if len(mine) != 1:
        return None
    found = typed_values(text)
    same = (other for other in found if comparable(mine[0], other) and mine[0].key == other.key)
    sums = (other for other in (same_sum(mine[0], each) for each in found) if other is not None)
    return next(same, None) or next(sums, None)


def has_words(text: str, value: str) -> bool:
    """Whether a text has these very words in it."""
    return _worded(text, value) is not None


def holds(text: str, value: str) -> bool:
    """Whether a text states this value, in these words or others."""
    return has_words(text, value) or _stated(text, value) is not None


def as_stated(told: Sequence[str], value: str) -> tuple[str, str]:
    """The sentence that states a value in other words, and its words for it: `19 December` for `the 19th`; else none, and the value."""
    mine = typed_values(value)
    if len(mine) == 1:
        for sentence in told:
            same = [v for v in typed_values(sentence) if comparable(mine[0], v) and agree(mine[0], v)]
            if len(same) == 1:
                return sentence, same[0].said.strip(EDGES)
    return "", value


def own_words(text: str) -> str:
    """A message without what it only quotes or pastes; empty when it is there to hand something over."""
    plain = _RUN.sub(r"\1\1\1", text.translate(STRAIGHT))
    if len(plain) > 2 * _LOOKED_AT:
        plain = f"{plain[:_LOOKED_AT]}\n{plain[-_LOOKED_AT:]}"
    return "" if hands_over(plain) else _QUOTED.sub(" ", plain)


def hands_over(text: str) -> bool:
    """Whether a message is there to hand over a text that something is to be done with."""
    return _HANDS_OVER.match(text) is not None


def sentence_with(text: str, value: str) -> str:
    """The sentence that names the right value."""
    return next((s for s in sentences(text) if has_words(s, value)), text).strip()


def is_value(text: str) -> bool:
    """Whether words can be a value, and are not only what leads up to one."""
    held = [word for word in words(text) if word not in LEADING]
    return bool(held) and not all(word in NO_VALUE for word in held)


def last_words(text: str, count: int) -> str:
    """The last words of a clause, as many as the other value has, without what leads up to them."""
    kept = text.split()[-max(count, 1) :]
    while kept and kept[0].casefold().strip("'") in LEADING:
        kept.pop(0)
    joined = " ".join(kept).strip(" ,;:–-\"'")
    return joined if is_value(joined) else ""


def value_like(text: str, old: str) -> str:
    """The last value of a text that is of the same type as another one; empty when there is none."""
    wanted = typed_values(old)
    found = [value.said.strip() for value in typed_values(text) if wanted and comparable(value, wanted[0])]
    return found[-1] if found else ""


def as_said(old: Value, new: Value) -> str:
    """The wrong value as far as the right one takes its place: `45` is instead of `40`, and not of `40 euros`."""
    said = old.said.strip(EDGES)
    bare = re.match(r"[^\W_]*[\d.,]*\d", said)
    return bare[0] if old.unit and not new.unit and bare and new.said.strip(EDGES).isdigit() else said
