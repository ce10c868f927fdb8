"""A name or a thing that a part of a reply gives in the place of the agent's: "Abara. Whitcombe is the caretaker"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.heard import tokens
from oldsoul.judging.corrections.replied import NEGATES
from oldsoul.judging.corrections.rivals import is_of_others
from oldsoul.judging.corrections.signs import CHANGES
from oldsoul.judging.corrections.turn import lead
from oldsoul.reading.typed_values import Value, typed_values
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.judging.corrections.disowned import Disowned
    from oldsoul.judging.corrections.heard import Heard
    from oldsoul.judging.corrections.turn import Pair, Turn

_WORDS, _FEW = 4, 2
_SHORT = 160
"""A longer reply has to refuse or deny something; else it tells something else."""
_LOOKED_AT = 40
_PRONOUN = re.compile(r"(?i)^\W*(?:it|he|she|they|that|this|we|i|there|mine|ours|you)\b")
_IS = re.compile(r"(?i)^\W*\w+(?:'?(?:s|re|m)\b|\s+(?:is|are|was|were|am)\b)")
_POINTS = re.compile(r"(?i)^\W*(?:that|this|these|those|there)(?:'?s|\s+(?:is|are|was|were))\b")
_ENDS = r"and|so|at|on|in|for|with|which|who|to|by|from|aged|that"
_COMPLEMENT = re.compile(
    r"(?i)(?:\b(?:is|are|was|were|as|called|named|plays?|uses?|drives?|speaks?|studies|studying|teaches)|(?<=\w)'(?:s|re))\s+"
    rf"(?:(?:still|now|also|a|an|the|your|called|named)\s+)*(?P<value>[^\W\d_][\w'&-]*(?:\s+(?!(?:{_ENDS}|of)\b)[\w'&-]+){{0,2}})"
    rf"(?=\s*[,.;:?!]|\s*$|\s+(?:{_ENDS})\b)"
)
"""What a sentence says that something is."""
_DOES_IT = re.compile(r"(?i)^\s+(?:does|did|is|has|runs)\s+(?:that|it|this)\b")
_INVERTED = re.compile(r"(?i)(?:is|are|do|does|did|have|has|can|will|was|were)\b")
_A = re.compile(r"(?i)\b(?:a|an)\s+$")
_LEADS_UP = re.compile(
    r"(?i)(?:\b(?:is|are|was|were|as|called|named|a|an|of)|'s|'re)\s+(?:(?:the|your|still|a|an)\s+)*$"
)
_VERB_AFTER = re.compile(r"(?i)\s+(?:is|was|has|does|lives|works|plays|leads|handles|runs|signs|takes)\b")
_JOINED = re.compile(r"\s+(?:of|and|with|the|de|von|van)\s+")
_REACTS = re.compile(
    r"(?i)(?:\w+(?:ing|ive|ful|ous|ed|ly|able|ible|ish|est|ic)|perfect|brilliant|great|thanks?|thx|cheers|nice|cool|fine|night|bye|hello|hi|morning|deal|sorted|fair|touché|amen|same|"
    r"jeez|geez|ffs|omg|wtf|smh|meh|dammit|bugger|blimey|yikes|sigh|duh|noted|understood|agreed|phew|wow|yay|oops|whoa|damn|shit|god|jesus|christ|love|hate|guilty|busted|shame|ta|merci|gracias|danke|lgtm|bravo|congrats\w*|well|good|bad|sad|happy|wild|insane|"
    r"crazy|huge|true|correct|sweet|super|classic|genius|legend|boss|fantastic|terrific|splendid|magic|gold|bingo|yum|ew|gross|ouch|woo|yoo\w*|anytime|lucky|tell|look|right|left|more|less|nothing|everything|something|enough|later|soon|never|maybe|probably)"
)
_VOICES = re.compile(
    r"(?i)(?:sounds?|looks?|feels?|seems?|got|growing|looking|congrat\w*|wo+w|bye|hey|hi|way|woo+hoo|awesome|cool|great|nice|oh|man|course|sure|pretty|so|just|been|had|have|thinking|trying|getting|having|hope|hear|talk|speak|chat|miss)\b"
)
"""What is only exclaimed, by the whole of it and by its first word."""


@frozen
class _Phrase:
    """What a part says beyond little words and the agent's own."""

    new: Value
    """the phrase"""
    held: Value | None
    """the agent's name that the same little word leads up to, where the part has other phrases too"""
    framed: bool
    """whether it says of what it is, in words of the agent's"""
    alone: bool
    """whether it stands by itself"""


def named(turn: Turn) -> Pair | None:
    """A name or a thing in the place of the agent's."""
    said = _phrase(turn)
    if said is None or _REACTS.fullmatch(said.new.said) or _VOICES.match(said.new.said):
        return None
    refuses = turn.reply.refuses
    if turn.reply.length > _SHORT and not refuses and not any(each.denied for each in turn.gone):
        return None
    surely = any(each.denied or each.value.kind == "name" for each in turn.gone)
    if said.alone and "," in turn.part.mark and not surely and not (refuses and turn.first and not turn.opened):
        return None  # somebody is spoken to, or something is only exclaimed
    if turn.gone:
        old = _taken_back(said, turn)
    elif turn.one.past or (turn.one.loose and not refuses):
        old = None
    elif said.held is not None:
        old = said.held if refuses else None
    else:
        old = _in_slot(said, turn)
    return turn.pair(old, said.new) if old is not None and _differ(old, said.new) else None


def _phrase(turn: Turn) -> _Phrase | None:
    """The one phrase of a part that can be a value."""
    text = CHANGES.sub(lambda match: " " * len(match[0]), turn.part.text)
    if NEGATES.search(text) or is_of_others(text, turn.one.words) or (_POINTS.match(text) and not turn.gone):
        return None
    known = turn.one.roots - {token.root for each in turn.gone for token in tokens(each.value.said)}
    new, held = _the_one(_runs(text, known), text, turn.one)
    if new is None or len(new.said.split()) > _WORDS or _is_typed(new):
        return None
    framed = any(not token.is_little and not new.start <= token.start < new.end for token in tokens(text))
    if not framed and held is None and (lead(text, new) or (_PRONOUN.match(text) and not _IS.match(text))):
        return None  # it says something else of the same
    return _Phrase(new, held, framed, alone=not framed and not text[: new.start].strip())


def _runs(text: str, known: frozenset[str]) -> list[Value]:
    """The words of a part that neither are little nor the agent's, as they stand together."""
    found: list[Value] = []
    for token in tokens(text):
        if (token.is_little and token.said != "&") or token.root in known:
            continue
        between = text[found[-1].end : token.start] if found else ""
        together = bool(found) and (not between.strip() or _JOINED.fullmatch(between) is not None)
        start = found.pop().start if together else token.start
        end = token.start + len(token.said)
        found.append(_thing(text, start, end))
    return found


def _thing(text: str, start: int, end: int) -> Value:
    return Value("thing", (text[start:end].casefold(),), "", text[start:end], start, end)


def _the_one(runs: Sequence[Value], text: str, one: Heard) -> tuple[Value | None, Value | None]:
    """The phrase that can fill a slot: the only one, or the one that the same little word leads up to, with what it replaces."""
    if len(runs) == 1:
        return runs[0], None
    for old in (value for value in one.values if value.kind == "name" and lead(one.words, value)):
        same_lead = [run for run in runs if lead(text, run) == lead(one.words, old)]
        if len(same_lead) == 1:
            return same_lead[0], old
    return None, None


def _is_typed(new: Value) -> bool:
    """Whether a phrase is a value of a type, or begins with a number."""
    found = typed_values(new.said)
    if any(value.kind == "number" and value.start == 0 for value in found):
        return True
    return len(found) == 1 and found[0].said.strip() == new.said.strip()


def _differ(old: Value, new: Value) -> bool:
    """Whether two phrases are of different things: a pet name is of the same."""
    one, other = old.said.casefold(), new.said.casefold()
    return not (set(one.split()) & set(other.split()) or other.startswith(one) or one.startswith(other))


def _taken_back(said: _Phrase, turn: Turn) -> Value | None:
    """What a phrase replaces of what the reply takes back."""
    taken = [each for each in turn.gone if each.value.kind in ("name", "thing", "code")]
    taken = [each for each in taken if said.held is None or each.value == said.held]
    taken = [each for each in taken if each.denied or said.framed or each.value.start >= turn.one.verb]
    begins = said.alone and turn.first and not turn.opened
    if not (said.framed or begins or turn.one.asked or turn.reply.refuses):
        taken = [each for each in taken if _is_sure(each)]
    return taken[0].value if taken else None


def _is_sure(each: Disowned) -> bool:
    return each.denied or each.value.kind == "name"


def _in_slot(said: _Phrase, turn: Turn) -> Value | None:
    """The agent's name or thing that a phrase replaces, where nothing takes it back."""
    one, new, refuses = turn.one, said.new, turn.reply.refuses
    if one.asked and _INVERTED.match(one.words):
        return None
    if refuses and _DOES_IT.match(turn.part.text[new.end :]):
        return next((_thing(one.words, t.start, t.end) for t in tokens(one.words) if not t.is_little), None)
    sure = refuses or (one.asked and (said.alone or said.framed or _PRONOUN.match(turn.part.text) is not None))
    if not sure and not _is_stressed(said, turn):
        return None
    capital = new.said[:1].isupper()
    if said.alone and turn.opened and not capital:
        return None  # something else was said before
    names = _names(one, sure=sure, capital=capital)
    if len(names) == 1 and (
        capital or sure or _A.search(one.words[max(names[0].start - _LOOKED_AT, 0) : names[0].start])
    ):
        return names[0]
    found = _COMPLEMENT.search(one.words)
    if found is None or (capital and not found["value"][:1].isupper()):
        return None
    value = _thing(one.words, found.start("value"), found.end("value"))
    return None if _is_typed(value) else value


def _is_stressed(said: _Phrase, turn: Turn) -> bool:
    """Whether a phrase that begins a reply by itself is said with stress, or is a name and all there is."""
    if not (said.alone and turn.first and not turn.opened):
        return False
    count = said.new.said.split()
    proper = all(word[:1].isupper() for word in count)
    ends = not turn.part.text[said.new.end :].strip() and "," not in turn.part.mark
    return (turn.part.is_loud and len(count) <= _FEW) or (proper and ends)


def _names(one: Heard, *, sure: bool, capital: bool) -> list[Value]:
    """The names in a sentence that another one can replace."""
    every = [value for value in one.values if value.kind == "name" and _is_name(value, one)]
    if not sure:
        every = [value for value in every if lead(one.words, value) or _leads_up(one, value)]
    after = [value for value in every if value.start > max(one.verb, 0)]
    return after or (every if capital else [])


def _leads_up(one: Heard, value: Value) -> bool:
    return _LEADS_UP.search(one.words[max(value.start - _LOOKED_AT, 0) : value.start]) is not None


def _is_name(value: Value, one: Heard) -> bool:
    """Whether a word in capitals is a name, and does not only begin a sentence."""
    if one.words[: value.start].strip(" \"'“("):
        return True
    return " " in value.said or _VERB_AFTER.match(one.words[value.end :]) is not None
