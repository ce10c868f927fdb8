"""The recall validator: what the operator had to put right is logged, corrected where it stands, and never said again.

Only the operator's words start it. What is right is taken from the operator's message, never from a model: a model may
say which of its words they are, and which of the agent's were wrong, and what it quotes has to be there.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oldsoul.documents import parse
from oldsoul.documents.model import folded
from oldsoul.judging.corrections.corrections import corrections, read, written
from oldsoul.judging.corrections.putting import (
    STRAIGHT,
    Putting,
    agrees,
    announced,
    clause,
    holds,
    own_words,
    putting_otherwise,
    putting_right,
    says_something,
    supposes,
    swapped,
)
from oldsoul.keepers.exchange import WHOLE, Exchange, answered
from oldsoul.keepers.mistakes import Found, Place, places, repeated, wrong
from oldsoul.keepers.questions import Findings, Listed, Read, asked
from oldsoul.language.alike import telling
from oldsoul.language.quoting import AGENT
from oldsoul.language.sentences import sentences, shortened
from oldsoul.rules.diary import offset
from oldsoul.rules.policy import is_correction
from oldsoul.rules.triage import RECALL, SOFT, VALIDATOR
from oldsoul.values.audience import OWNER, Reach
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Replace, Role
from oldsoul.values.names import Kind, Name, keeper_prompt, longterm, profile
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from oldsoul.documents import Entry
    from oldsoul.keepers.questions import Keeper, Question
    from oldsoul.values.changes import Operation
    from oldsoul.values.messages import Message

KEEPER = "recall-validator"
AUTHOR = Author(Role.KEEPER, KEEPER)
ROUTED = "external"
"""The fact of a run that says: this was about a tool, and is for the operator's own program."""
REFUSED = "refused"
NAMED = "named"
"""The fact of a run that says: the wrong value and the right one are known."""
_TELLING = 2
_MOST_TOLD = 600
_TOOL = re.compile(
    r"(?i)\byou(?:'ve|\s+have|\s+already\s+have|\s+do\s+have)?\s+(?:got\s+)?(?:a|an|the|that)\s+(?:\w+[ -]){0,3}(?:tool|script|skill|command|plugin|integration|function|api|access)\b"
    r"|\byou\s+(?:can|could|are\s+able\s+to|know\s+how\s+to)\s+(?:\w+\s+){0,2}(?:search|look\s+(?:it|that)\s+up|run|use|call|send|read|open|browse|execute|fetch|check\s+the\s+web)\b"
    r"|\buse\s+(?:the|your|that)\s+(?:\w+[ -]){0,3}(?:tool|script|skill|command|plugin)\b"
    r"|你(?:可以|能|会|會|有)(?:用|搜索|搜尋|查|运行|執行|执行|打开|打開|工具)|(?:用|使用)(?:那个|那個|你的)?(?:工具|脚本|腳本|命令|插件)"
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "quote", "correct", "old", "new", "check"],
    "properties": {
        "kind": {"type": "string", "enum": ["memory", "tool", "none"]},
        "quote": {"type": "string", "maxLength": 600},
        "correct": {"type": "string", "maxLength": 600},
        "old": {"type": "string", "maxLength": 200},
        "new": {"type": "string", "maxLength": 200},
        "check": {"type": "string", "maxLength": 300},
    },
}
"""The form of a model's answer."""


def is_started(message: Message, before: Sequence[Message]) -> bool:
    """Whether a message may put something right: the operator's alone, flagged, or at odds with what the agent just said."""
    if message.role != "user" or message.origin is not Origin.OPERATOR or message.audience.reach is Reach.PERSON:
        return False  # what is said in another person's own talk stays there
    plain = folded(own_words(message.text))
    if any(flag.route == VALIDATOR and folded(flag.phrase.translate(STRAIGHT)) in plain for flag in message.flags):
        return True
    said = answered(message, before)
    if said is None:
        return announced(message.text) is not None
    if putting_right(message.text, said.text) is not None:
        return True
    return said is before[-1] and bool(putting_otherwise(message.text, said.text))


def validate(exchange: Exchange) -> Keeper:
    """What becomes of something that the operator put right."""
    if exchange.given is None and not is_started(exchange.message, exchange.before):
        return Findings()
    told = f"{exchange.message.text} {exchange.said.text if exchange.said else ''}"
    if exchange.flag(RECALL) and _TOOL.search(exchange.message.text):
        return _routed(exchange)
    understood = yield from _understood(exchange)
    if isinstance(understood, Findings):
        return understood
    putting, check, refused = understood
    standing = yield from places(exchange)
    found = yield from wrong(exchange, putting, standing, check)
    alone = yield from _said_alone(exchange, found, standing)
    if alone:
        return Findings(alone, refused, {"corrected": "0", "hidden": str(len(found.messages)), NAMED: "yes"})
    signed = putting.signed and not found.of_others
    if putting.spoken and not (putting.sure or signed or exchange.flag(RECALL)):
        return Findings(notes=refused)
    found = found.spoken_of(sure=signed or bool(exchange.flag(RECALL)))
    if putting.held and not found.is_held:
        if not exchange.flag(RECALL):
            return Findings(notes=refused)
        found = replace(found, putting=Putting(putting.right))  # something was forgotten, and what is only guessed
    before = yield from _block(exchange)
    stays = not (found.places or found.messages or found.putting.wrong)
    if stays and exchange.given is None and not exchange.flag(RECALL):
        note = f"m:{exchange.message.id} changes nothing that is remembered: {shortened(told, 80)}"
        return Findings(notes=refused if before else (*refused, note))
    logged = _logged(exchange, found)
    if before is not None and found.putting.old and not read(before).old:
        logged = _completed(logged, before, exchange)  # a model says now what rules did not see at once
    sets = [logged, *_corrected(exchange, found)]
    clear = bool(found.putting.old) or bool(exchange.flag(RECALL)) or exchange.begins or putting.held
    if exchange.given is None and not (clear and found.putting.sure):
        # A soft sign, or one that can mean something else: the operator says whether it is a correction.
        every = tuple(operation for made in sets for operation in made.operations)
        sets = [replace(logged, operations=every, key=f"{logged.key}:asked", suggested=True)]
    facts = {"corrected": str(len(found.places)), "hidden": str(len(found.messages))}
    return Findings(tuple(sets), refused, facts | ({NAMED: "yes"} if found.putting.old else {}))


def _said_alone(
    exchange: Exchange, found: Found, standing: Sequence[Place]
) -> Generator[Question, Any, tuple[ChangeSet, ...]]:
    """What becomes of something wrong that the agent alone said: it is logged, and those words of the agent are hidden.

    Nothing becomes of it here where the message puts it right in so many words.
    """
    putting = found.putting
    if exchange.given is not None or not found.is_agents:
        return ()
    if putting.sure and not putting.held and not putting.spoken:
        return ()
    others = exchange.otherwise
    weighed = putting.held and putting.sure and putting.old and not agrees(exchange.message.text)
    if not others and weighed and exchange.said is not None and holds(exchange.said.text, putting.old):
        others = [replace(putting, spoken=True)]
    alone = []
    for other in others:
        each = found if other.old == putting.old else (yield from wrong(exchange, other, standing, ""))
        if each.is_agents:
            alone.append(each.of_agent(other))
    return tuple(_logged(exchange, each, number) for number, each in enumerate(alone, 1))


def put_right_again(workspace: str, operators: Sequence[str]) -> Keeper:
    """What becomes of what the operators' own memory took in after it was put right: a session may end later."""
    logs = tuple(name for name in (yield Listed((Kind.CORRECTIONS, Kind.ARCHIVE))) if is_correction(name))
    own = tuple(of(workspace, operator) for operator in operators for of in (longterm, profile))
    documents = yield Read((*logs, *own))
    known = corrections((name, parse(documents[name] or b"", is_log=True)) for name in logs)
    private = [one for one in known if not one.place]  # what was said before others stays as it is, and is hidden
    sets = []
    for name in own:
        for place, one in repeated(name, documents[name] or b"", private):
            line = swapped(place.entry.text, one.old, one.new)
            fields = {"conf": "1", "seen": one.day, "src": one.source}
            change = Replace(name, place.entry.id, line, fields, keep_old=True)
            key = f"corrected:{one.source.removeprefix('m:')}:{name.path}:{place.entry.id}"
            cited = (Evidence(one.source, Origin.OPERATOR, OWNER),)
            sets.append(ChangeSet((change,), AUTHOR, "corrected by the operator", key, cited))
    return Findings(tuple(sets))


def _understood(exchange: Exchange) -> Generator[Question, Any, tuple[Putting, str, tuple[str, ...]] | Findings]:
    """What is right, how to check it, and what was refused; or all there is to say where nothing is put right."""
    putting = _by_rules(exchange)
    check = ""
    refused: tuple[str, ...] = ()
    if exchange.asks and (putting is None or not putting.old):
        answer = yield from _asked(exchange)
        if answer is not None and answer["kind"] == "tool":
            return _routed(exchange)
        found_by_model, check = _of_model(exchange, answer)
        if check == REFUSED:
            refused, check = (f"the model's correction was refused, m:{exchange.message.id} does not say it",), ""
        putting = found_by_model or putting
    if putting is not None:
        return putting, check, refused
    if not exchange.flag(RECALL):
        return Findings(notes=refused)
    return Findings(
        notes=(*refused, f"m:{exchange.message.id} says that something was forgotten, but not what is right")
    )


def _routed(exchange: Exchange) -> Findings:
    return Findings(
        notes=(f"m:{exchange.message.id} is about a tool or an ability, not a memory",),
        facts={ROUTED: str(exchange.message.id)},
    )


# what is right


def _by_rules(exchange: Exchange) -> Putting | None:
    if exchange.given is not None:
        return exchange.given
    text = exchange.message.text
    putting = announced(text) if exchange.said is None else None
    putting = putting or putting_right(text, exchange.said.text if exchange.said else "")
    if putting is not None and (putting.sure or putting.held):
        return putting
    signed = (one for one in exchange.otherwise if one.signed or putting is None)
    putting = next(signed, putting)
    if putting is not None:
        return putting
    if (exchange.flag(RECALL) or exchange.flag(SOFT)) and not supposes(text):
        right = clause(text) or _after(text, exchange.flag(RECALL) or exchange.flag(SOFT))
        if not right and exchange.flag(SOFT):
            phrase = folded(exchange.flag(SOFT))
            right = next((s for s in sentences(text) if phrase in folded(s) and says_something(s)), "")
        if right:
            return Putting(right.strip())
    return None


def _after(text: str, phrase: str) -> str:
    """What a message says after the words that set it off, where that is said in full."""
    _, found, rest = text.partition(phrase)
    rest = rest.strip(" ,.:;!?，。！？")
    return rest if found and says_something(rest) else ""


def _asked(exchange: Exchange) -> Generator[Question, Any, Mapping[str, Any] | None]:
    lines = [f"#{m.id} {m.role}: {shortened(m.text, _MOST_TOLD)}" for m in (*exchange.before, exchange.message)]
    task = (
        f"The operator's message #{exchange.message.id} may put something right that the agent said or remembers.\n"
        "Say of which kind it is: memory, tool or none. For memory, `quote` the operator's words that say what is\n"
        "right, letter for letter; `correct` states it in full; `old` is the wrong value as the agent said it, `new`\n"
        "the right one as the operator said it; `check` is a question that the right value answers."
    )

    def problem(answer: Mapping[str, Any]) -> str:
        return REFUSED if _of_model(exchange, answer) == (None, REFUSED) else ""

    prompt = keeper_prompt(exchange.workspace, KEEPER)
    return (yield from asked(prompt, task, lines, SCHEMA, exchange.message.audience, problem=problem))


def _of_model(exchange: Exchange, answer: Mapping[str, Any] | None) -> tuple[Putting | None, str]:
    """What a model found, as far as its quotation and its values are really there."""
    if answer is None or answer["kind"] != "memory":
        return None, ""
    text, said = exchange.message.text, exchange.said.text if exchange.said else ""
    quote = answer["quote"].strip()
    if not telling(quote) or folded(quote) not in folded(text):
        return None, REFUSED
    old, new = answer["old"].strip(), answer["new"].strip()
    if not (old and new and holds(text, new) and holds(said, old)):
        return Putting(quote), answer["check"].strip()
    wrong = next((s for s in sentences(said) if holds(s, old)), "")
    return Putting(quote, old, new, wrong), answer["check"].strip()


# what is written


def _evidence(exchange: Exchange) -> tuple[Evidence, ...]:
    message = exchange.message
    return (Evidence(f"m:{message.id}", message.origin, message.audience, shortened(message.text, _MOST_TOLD)),)


def _logged(exchange: Exchange, found: Found, number: int = 1) -> ChangeSet:
    """The block of CORRECTIONS.md; one message may make several."""
    putting, message = found.putting, exchange.message
    said = exchange.said if exchange.answers(putting) else None
    high = (bool(exchange.flag(RECALL)) or exchange.given is not None) and not putting.spoken
    phrase = exchange.flag(RECALL) or exchange.flag(SOFT) or putting.right
    stated = " ".join(swapped(putting.means, putting.new, "").split()) if putting.old and putting.new else ""
    if len(telling(stated)) < _TELLING or stated.endswith("?"):
        stated = putting.right
    text = written(
        [
            ("Trigger", shortened(phrase, 120)),
            ("Trigger confidence", "high" if high else "medium"),
            ("Asked", shortened(exchange.asked, 200) if said else ""),
            ("Said", shortened(putting.wrong or (said.text if said else ""), _MOST_TOLD)),
            ("Correct", shortened(message.text if len(message.text) <= WHOLE else putting.right, _MOST_TOLD)),
            ("Means", shortened(putting.means, _MOST_TOLD) if putting.means != putting.right else ""),
            ("Wrong value", putting.old),
            ("Right value", putting.new),
            ("Check", found.check or stated),
            ("Re-embedded", "false"),
        ]
    )
    when = message.time.astimezone(exchange.zone)
    fields = {"conf": "1", "src": f"m:{message.id}"}
    if putting.spoken:
        fields["of"] = AGENT
    if message.audience != OWNER:
        fields["place"] = str(message.audience)
    gone = [*(p.entry.id for p in found.places if not _is_fit(exchange, p)), *(f"m:{m.id}" for m in found.messages)]
    if gone:
        fields["supersedes"] = ",".join(dict.fromkeys(gone))
    add = Add(
        Name(exchange.workspace, "CORRECTIONS.md"),
        text,
        title=f"{when:%Y-%m-%d %H:%M} {offset(when)}",
        fields=fields,
    )
    key = f"correction:{message.id}" if number == 1 else f"correction:{message.id}:{number}"
    return ChangeSet((add,), AUTHOR, "the operator put this right", key, _evidence(exchange))


def _block(exchange: Exchange) -> Generator[Question, Any, Entry | None]:
    """The block that this message has in CORRECTIONS.md already."""
    name = Name(exchange.workspace, "CORRECTIONS.md")
    data = (yield Read((name,)))[name]
    entries = parse(data or b"", is_log=True).entries
    return next((entry for entry in entries if entry.fields.get("src") == f"m:{exchange.message.id}"), None)


def _completed(logged: ChangeSet, block: Entry, exchange: Exchange) -> ChangeSet:
    """The block with the values it lacked."""
    (add,) = logged.operations
    if not isinstance(add, Add):
        return logged
    change = Replace(add.name, block.id, add.text, add.fields)
    return replace(logged, operations=(change,), key=f"correction:{exchange.message.id}:values")


def _is_fit(exchange: Exchange, place: Place) -> bool:
    """Whether the operator's words may stand where the entry does."""
    said_to = exchange.message.audience
    return said_to.fits(place.audience) or OWNER == said_to == exchange.seen(place.audience)


def _corrected(exchange: Exchange, found: Found) -> list[ChangeSet]:
    """Each entry corrected where it stands, the old words kept as a comment; each by itself, for some may have to wait."""
    sets = []
    for place in found.places:
        if not _is_fit(exchange, place):
            continue  # its readers may not see these words: it is only hidden
        sets.append(
            ChangeSet(
                tuple(_rewording(exchange, found.putting, place)),
                AUTHOR,
                "corrected by the operator",
                f"corrected:{exchange.message.id}:{place.name.path}:{place.entry.id}",
                _evidence(exchange),
            )
        )
    return sets


def _rewording(exchange: Exchange, putting: Putting, place: Place) -> list[Operation]:
    fields = {"conf": "1", "seen": exchange.day.isoformat(), "src": f"m:{exchange.message.id}"}
    line = swapped(place.entry.text, putting.old, putting.new) if putting.old and putting.new else ""
    if not line:
        title = f"**{place.entry.title}**: " if place.entry.title else ""
        tag = f" #{place.entry.tag}" if place.entry.text.endswith(f"#{place.entry.tag}") else ""
        line = f"{title}{shortened(putting.right, _MOST_TOLD)} (added {exchange.day.isoformat()}){tag}"
    return [Replace(place.name, place.entry.id, line, fields, keep_old=True)]
