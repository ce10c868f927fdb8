"""The recall validator: what the operator corrects is logged, corrected where it stands, and never said again.

Only the operator's words start it. What changes memory is certain: a command, an explicit form ("not X but Y") of what
memory or the agent's last reply really says, or the values that a model quotes from both. What else may be a correction
waits for the operator to say so.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from oldsoul.documents.model import folded
from oldsoul.judging.corrections.corrections import Correction, ValueChange, correcting, explicit, is_meant, written
from oldsoul.judging.corrections.hidden import is_against
from oldsoul.judging.corrections.values import FirstLook, content, holds, listed, of_any, swapped
from oldsoul.keepers.current_documents import correction_logs, documents, standing_corrections
from oldsoul.keepers.mistakes import Mistake, WrongEntry, at_odds, by_form, by_value, entries, messages, repeated
from oldsoul.keepers.questions import Findings, Keeper, Question, Read, asked, choice, numbered, record, text
from oldsoul.language.cues import straight
from oldsoul.language.sentences import sentences, shortened
from oldsoul.language.words import telling
from oldsoul.rules.diary import offset
from oldsoul.rules.triage import RECALL, SOFT, VALIDATOR
from oldsoul.values.audience import OWNER, Reach
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Replace, Role, SetField
from oldsoul.values.messages import Message
from oldsoul.values.names import Name, keeper_prompt, longterm, profile
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.keepers.conversation import OperatorMessage

KEEPER = "recall-validator"
AUTHOR = Author(Role.KEEPER, KEEPER)
ROUTED = "external"
"""The fact of a run that says: this was about a tool, and is for the operator's own program."""
REFUSED = "refused"
NAMED = "named"
"""The fact of a run that says: the wrong value and the right one are known."""
_PERHAPS = "corrected by the operator, perhaps of another subject"
_TELLING = 2
_MOST_TOLD = 600
_WHOLE = 200
"""A message of up to so many characters is cited whole."""

SCHEMA = record(
    kind=choice("memory", "tool", "none"),
    quote=text(600),
    correct=text(600),
    old=text(200),
    new=text(200),
    check=text(300),
)
"""The form of a model's answer."""


def is_started(message: Message, standing: Sequence[Correction] = ()) -> bool:
    """Whether a message may put something right, or says again what was: the operator's alone."""
    if message.role != "user" or message.origin is not Origin.OPERATOR or message.audience.reach is Reach.PERSON:
        return False  # what is said in another person's own talk stays there
    plain = folded(correcting(message.text))
    if any(flag.route == VALIDATOR and folded(straight(flag.phrase)) in plain for flag in message.flags):
        return True
    return bool(explicit(message.text)) or bool(said_again(message, standing))


def validate(exchange: OperatorMessage) -> Keeper:
    """What becomes of something that the operator corrected."""
    if exchange.given is None and not is_started(exchange.message, exchange.standing):
        return Findings()
    if exchange.flag(RECALL) and _is_about_tools(exchange.message.text):
        return _routed(exchange)
    known = yield from entries(exchange)
    if exchange.given is not None:
        return (yield from _by_command(exchange, known))
    certain = by_form(exchange, known)
    if certain:
        return (yield from _correct(exchange, certain))
    lifted = yield from _lifted(exchange)
    if lifted or not (exchange.flag(RECALL) or exchange.flag(SOFT)):
        return Findings(lifted)
    answer = (yield from _asked(exchange)) if exchange.asks else None
    if answer is not None and answer["kind"] == "tool":
        return _routed(exchange)
    found, check = _of_model(exchange, answer, known)
    if found is not None and found.old:
        return (yield from _correct(exchange, [found], check))
    refused = (
        (f"the model's correction was rejected: m:{exchange.message.id} does not say it",) if check == REFUSED else ()
    )
    return (yield from _suggested(exchange, found, known, refused))


def correct_again(workspace: str, operators: Sequence[str]) -> Keeper:
    """What becomes of what the operators' own memory repeats after a correction: a session may end later."""
    # What was said before others stays as it is, and is hidden.
    private = [one for one in (yield from standing_corrections()) if not one.place]
    own = yield Read(tuple(of(workspace, operator) for operator in operators for of in (longterm, profile)))
    sets = []
    for name, data in own.items():
        for place, one in repeated(name, data or b"", private):
            line = swapped(place.entry.text, one.old, one.new)
            fields = {"conf": "1", "seen": one.day, "src": one.source}
            change = Replace(name, place.entry.id, line, fields, keep_old=True)
            key = f"corrected:{one.source.removeprefix('m:')}:{name.path}:{place.entry.id}"
            cited = (Evidence(one.source, Origin.OPERATOR, OWNER),)
            sets.append(ChangeSet((change,), AUTHOR, "corrected by the operator", key, cited))
    return Findings(tuple(sets))


# said again


def said_again(message: Message, standing: Sequence[Correction]) -> list[Correction]:
    """The corrections whose wrong value the operator now states again, as a plain statement: that is new, and holds."""
    earlier = [one for one in standing if one.old and not one.again and _is_before(one, message)]
    plain = correcting(message.text) if earlier else ""
    if not plain or explicit(message.text):
        return []
    look, told = FirstLook(plain), [s for s in sentences(plain) if is_meant(s)]
    return [one for one in earlier if look.may_hold(one.old) and any(is_against(one, s, plain) for s in told)]


def _is_before(one: Correction, message: Message) -> bool:
    if one.made is None:
        return one.day < message.time.date().isoformat()
    number = one.source.removeprefix("m:")
    if message.time - one.made < timedelta(minutes=1):  # a heading tells the minute
        return one.made <= message.time and number.isdecimal() and int(number) < message.id
    return True


def _lifted(exchange: OperatorMessage) -> Generator[Question, Any, tuple[ChangeSet, ...]]:
    """A mark on each correction that the operator's new statement ends."""
    ended = frozenset(one.id for one in said_again(exchange.message, exchange.standing))
    if not ended:
        return ()
    logs = yield from documents((yield from correction_logs()))
    held = [(name, entry.id) for name, log in logs.items() for entry in log.entries if entry.id in ended]
    return tuple(
        ChangeSet(
            (SetField(name, "again", exchange.day.isoformat(), entry),),
            AUTHOR,
            "repeated by the operator",
            f"again:{entry}:{exchange.message.id}",
            _evidence(exchange),
        )
        for name, entry in held
    )


# what is certain


def _by_command(exchange: OperatorMessage, known: Sequence[WrongEntry]) -> Generator[Question, Any, Findings]:
    given = exchange.given
    if given is None:
        return Findings()
    if given.old:
        return (yield from _correct(exchange, [by_value(exchange, given.statement, given.old, given.new, known)]))
    logged = _logged(exchange, Mistake(given.statement))
    likely = at_odds(exchange, given.statement, known)  # which entry is meant, the operator has to say
    rest = tuple(replace(one, suggested=True) for one in _corrected(exchange, likely)) if likely else ()
    return Findings((logged, *rest), (), {"corrected": "0", "hidden": "0"})


def _correct(
    exchange: OperatorMessage, certain: Sequence[Mistake], check: str = ""
) -> Generator[Question, Any, Findings]:
    sets: list[ChangeSet] = []
    corrected = hidden = 0
    for number, one in enumerate(certain, 1):
        found = replace(one, messages=(yield from messages(exchange, one)))
        asked_about = replace(found, places=found.others)
        sets += [_logged(exchange, found, number, check), *_corrected(exchange, found)]
        sets += [replace(each, suggested=True, reason=_PERHAPS) for each in _corrected(exchange, asked_about)]
        corrected, hidden = corrected + len(found.places), hidden + len(found.messages)
    return Findings(tuple(sets), (), {"corrected": str(corrected), "hidden": str(hidden), NAMED: "yes"})


def _suggested(
    exchange: OperatorMessage, quoted: Mistake | None, known: Sequence[WrongEntry], notes: tuple[str, ...]
) -> Generator[Question, Any, Findings]:
    """What may be a correction, as one suggestion that waits for the operator; most often nothing."""
    right = quoted.right if quoted else _statement(exchange)
    found = (at_odds(exchange, right, known) if right else None) or quoted
    if found is None and exchange.flag(RECALL) and len(content(right)) >= _TELLING:
        found = Mistake(right)
    if found is None:
        if exchange.flag(RECALL):
            notes = (
                *notes,
                (f"m:{exchange.message.id} says that something was forgotten or wrong, but not what is right"),
            )
        return Findings(notes=notes)
    if found.old:
        found = replace(found, messages=(yield from messages(exchange, found)))
    logged = _logged(exchange, found)
    every = tuple(operation for made in (logged, *_corrected(exchange, found)) for operation in made.operations)
    asking = replace(logged, operations=every, key=f"{logged.key}:asked", suggested=True)
    return Findings((asking,), notes, {"corrected": "0", "hidden": "0"})


def _statement(exchange: OperatorMessage) -> str:
    """What a flagged message says besides the words it was flagged for, as a statement; empty where it states nothing."""
    told = sentences(correcting(exchange.message.text))
    for phrase in filter(None, (exchange.flag(RECALL), exchange.flag(SOFT))):
        flagged = next((n for n, s in enumerate(told) if folded(straight(phrase)) in folded(s)), len(told))
        for sentence in told[flagged : flagged + 2]:
            words = _after(sentence, phrase)
            if not sentence.endswith(("?", "？")) and content(words) and is_meant(words):
                return words.strip(" ,.:;!，。！")
    return ""


def _after(sentence: str, phrase: str) -> str:
    """A sentence without the words that set it off, and what leads from them to the statement."""
    at = folded(sentence).find(folded(straight(phrase)))
    return sentence[at + len(phrase) :].strip(" ,.:;!?，。！？") if at >= 0 else sentence


def _is_about_tools(text: str) -> bool:
    plain = correcting(text)
    return all(_words(kind).search(plain) is not None for kind in ("tools", "able"))


@cache
def _words(kind: str) -> re.Pattern[str]:
    return of_any(listed(kind))


def _routed(exchange: OperatorMessage) -> Findings:
    return Findings(
        notes=(f"m:{exchange.message.id} is about a tool or an ability, not a memory",),
        facts={ROUTED: str(exchange.message.id)},
    )


# what a model says


def _asked(exchange: OperatorMessage) -> Generator[Question, Any, Mapping[str, Any] | None]:
    told = numbered((*exchange.before, exchange.message))
    lines = [f"#{number} {m.role}: {shortened(m.text, _MOST_TOLD)}" for number, m in told.items()]
    task = (
        f"The operator's message #{len(told)} may put something right that the agent said or remembers.\n"
        "Say of which kind it is: memory, tool or none. For memory, `quote` the operator's words that say what is\n"
        "right, letter for letter; `correct` states it in full; `old` is the wrong value as the agent said it, `new`\n"
        "the right one as the operator said it; `check` is a question that the right value answers."
    )

    def problem(answer: Mapping[str, Any]) -> str:
        return REFUSED if _of_model(exchange, answer, ()) == (None, REFUSED) else ""

    prompt = keeper_prompt(exchange.workspace, KEEPER)
    return (yield from asked(prompt, task, lines, SCHEMA, exchange.message.audience, problem=problem))


def _of_model(
    exchange: OperatorMessage, answer: Mapping[str, Any] | None, known: Sequence[WrongEntry]
) -> tuple[Mistake | None, str]:
    """What a model found, as far as its quotation and its values are really there; with how to check it."""
    if answer is None or answer["kind"] != "memory":
        return None, ""
    text, said = exchange.message.text, exchange.said.text if exchange.said else ""
    quote = answer["quote"].strip()
    if not telling(quote) or folded(quote) not in folded(text):
        return None, REFUSED
    old, new = answer["old"].strip(), answer["new"].strip()
    if not (old and new and holds(text, new) and holds(said, old)) or holds(old, new):
        return Mistake(quote), answer["check"].strip()
    return by_value(exchange, quote, old, new, known), answer["check"].strip()


# what is written


def _evidence(exchange: OperatorMessage) -> tuple[Evidence, ...]:
    message = exchange.message
    return (Evidence(f"m:{message.id}", message.origin, message.audience, shortened(message.text, _MOST_TOLD)),)


def _logged(exchange: OperatorMessage, found: Mistake, number: int = 1, check: str = "") -> ChangeSet:
    """The block of CORRECTIONS.md; one message may make several."""
    message, said = exchange.message, exchange.said
    wrong = found.wrong or (said.text if said is not None and not found.old and exchange.flag(RECALL) else "")
    sure = bool(exchange.flag(RECALL)) or exchange.given is not None or bool(explicit(message.text))
    means = found.means or found.right
    stated = " ".join(swapped(means, found.new, "").split()) if found.new else ""
    if len(telling(stated)) < _TELLING or stated.endswith("?"):
        stated = found.right
    text = written(
        [
            ("Trigger", shortened(exchange.flag(RECALL) or exchange.flag(SOFT) or found.right, 120)),
            ("Trigger confidence", "high" if sure else "medium"),
            ("Asked", shortened(exchange.asked, 200) if found.wrong else ""),
            ("Said", shortened(wrong, _MOST_TOLD)),
            ("Correct", shortened(message.text if len(message.text) <= _WHOLE else found.right, _MOST_TOLD)),
            ("Means", shortened(means, _MOST_TOLD) if means != found.right else ""),
            ("Wrong value", found.old),
            ("Right value", found.new),
            ("Check", check or stated),
            ("Re-embedded", "false"),
        ]
    )
    when = message.time.astimezone(exchange.zone)
    fields = {"conf": "1", "src": f"m:{message.id}"}
    if message.audience != OWNER:
        fields["place"] = str(message.audience)
    gone = [*(p.entry.id for p, _ in found.places if not _is_fit(exchange, p)), *(f"m:{m.id}" for m in found.messages)]
    if gone:
        fields["supersedes"] = ",".join(dict.fromkeys(gone))
    title = f"{when:%Y-%m-%d %H:%M} {offset(when)}"
    add = Add(Name(exchange.workspace, "CORRECTIONS.md"), text, title=title, fields=fields)
    key = f"correction:{message.id}" if number == 1 else f"correction:{message.id}:{number}"
    return ChangeSet((add,), AUTHOR, "corrected by the operator", key, _evidence(exchange))


def _is_fit(exchange: OperatorMessage, place: WrongEntry) -> bool:
    """Whether the operator's words may stand where the entry does."""
    said_to = exchange.message.audience
    return said_to.fits(place.audience) or OWNER == said_to == exchange.seen(place.audience)


def _corrected(exchange: OperatorMessage, found: Mistake) -> list[ChangeSet]:
    """Each entry with the one value changed, the old words kept as a comment; each by itself, for some may have to wait."""
    return [
        ChangeSet(
            (_rewording(exchange, place, change),),
            AUTHOR,
            "corrected by the operator",
            f"corrected:{exchange.message.id}:{place.name.path}:{place.entry.id}",
            _evidence(exchange),
        )
        for place, change in found.places
        if _is_fit(exchange, place)  # else its readers may not see these words: it is only hidden
    ]


def _rewording(exchange: OperatorMessage, place: WrongEntry, change: ValueChange) -> Replace:
    fields = {"conf": "1", "seen": exchange.day.isoformat(), "src": f"m:{exchange.message.id}"}
    return Replace(place.name, place.entry.id, change.applied(place.entry.text), fields, keep_old=True)
