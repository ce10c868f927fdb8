"""The soul keeper: what SOUL.md should learn from what the operator corrected, asked for and praised.

Rules find it; a model, if there is one, may find more. Whoever does, an edit is one entry, rests on the operator's own
words and is worded as behaviour, for everyone reads SOUL.md. What a correction once put there stays until a newer one
says the opposite. The ledger snapshots and logs each edit; drift is told, never edited away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form, parse
from oldsoul.judging.mining import soul as rules
from oldsoul.judging.mining.soul import SECTIONS, SKILLS, Instruction, Principle, goes_against, praised
from oldsoul.keepers.questions import (
    NUMBER,
    Findings,
    Keeper,
    Listed,
    Question,
    Read,
    asked,
    choice,
    is_quoted,
    items,
    numbered,
    record,
    text,
)
from oldsoul.keepers.soul.fit import (
    Edit,
    Fitting,
    Growth,
    SoulCorrection,
    cited,
    corrections,
    is_operators,
    mistakes,
    remembered,
    rule_of,
    words_of,
)
from oldsoul.language.likeness import telling
from oldsoul.rules.diary import offset
from oldsoul.rules.own_words import stated
from oldsoul.rules.policy import SOUL_KEEPER, is_correction
from oldsoul.values.audience import OWNER
from oldsoul.values.changes import Add, ChangeSet, Evidence
from oldsoul.values.messages import Message
from oldsoul.values.names import Kind, Name, keeper_prompt
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from oldsoul.documents import Document


_MOST = 3
_MOST_CHARACTERS = 60_000
_LONGEST_TITLE = 40

SCHEMA = record(
    edits=items(
        _MOST,
        record(
            section=choice(*SECTIONS),
            title=text(_LONGEST_TITLE),
            text=text(rules.LONGEST),
            replaces=text(20),
            message=NUMBER,
            correction=text(20),
            quote=text(2000),
        ),
    ),
    drift=items(_MOST, record(entry=text(20), message=NUMBER, quote=text(2000))),
)
"""The form of a model's answer."""


def question(
    soul: Document, fresh: Sequence[SoulCorrection], talk: Sequence[Message], now: datetime
) -> tuple[str, list[str]]:
    """What a model is told to do, and of what: the soul with its entries' ids, the new corrections, the operator's talk."""
    entries = [f"[{e.id}] {e.section} | {e.body}" for e in soul.entries if e.form in (Form.ITEM, Form.NUMBERED)]
    corrected = [f"[{one.id}] {one.when}: {one.correct}" for one in fresh]
    said = [
        f"#{number} {m.time.astimezone(now.tzinfo):%Y-%m-%d %H:%M} {m.role}: {m.text}"
        for number, m in numbered(talk).items()
    ]
    while said and sum(map(len, said)) > _MOST_CHARACTERS:
        del said[: max(len(said) // 4, 1)]  # the newest tells most
    task = (
        f"Today is {now:%Y-%m-%d}. First comes what the soul holds: an edit that rewords one of these names its id in\n"
        "`replaces`. Then new corrections by the operator: an edit that rests on one names its id in `correction`, else\n"
        "leaves it empty. Then what was said since: an edit that rests on a message names its number in `message`, else 0;\n"
        "`user` is the operator."
    )
    return task, [*(entries or ["(nothing)"]), "", *(corrected or ["(none)"]), "", *said]


def suggestions(
    answer: Mapping[str, Any],
    soul: Document,
    fresh: Sequence[SoulCorrection],
    talk: Sequence[Message],
    growth: Growth,
    *,
    notes: list[str],
) -> Iterator[Edit]:
    """What of an answer can be used, resting on the operator's words; what cannot is told, without its words."""
    by_number = numbered(talk)
    grounds: dict[str | int, tuple[str, Evidence, date, str]] = {
        **{one.id: (one.correct, one.evidence, one.when, f"c:{one.id}") for one in fresh},
        **{
            number: (stated(m.text), cited(m), growth.day(m), f"m:{m.id}")
            for number, m in by_number.items()
            if is_operators(m)
        },
    }
    private = rules.vocabulary([*(m.text for m in talk), *(f"{one.correct} {one.old} {one.new}" for one in fresh)])
    known = rules.vocabulary(entry.body for entry in soul.entries)
    for raw in answer["edits"]:
        found = grounds.get(raw["correction"]) or grounds.get(raw["message"])
        if found is None or not is_quoted(raw["quote"], found[0]):
            notes.append("the model's edit was rejected: nothing the operator said supports it")
            continue
        title, text = (" ".join(raw[key].split()) for key in ("title", "text"))
        if not text or not all(rules.is_public(part, private, known) for part in (title, text)):
            notes.append("the model's edit was rejected: not everyone may read its text")
            continue
        principle = Principle(raw["section"], title, text, rules.rule_of(title, text))
        _, ground, when, source = found
        if source.startswith("m:"):
            ground = replace(ground, quote=raw["quote"])
        # What a model worded is the agent's word, and waits, unless it only put the operator's words in order.
        if not (rules.is_plain(principle.line) and telling(principle.text) <= telling(raw["quote"])):
            ground = replace(ground, origin=ground.origin.weaker(Origin.AGENT))
        reason = f"what the operator said on {when}, reworded by the model"
        yield Edit(principle, (ground,), source, when, reason, raw["replaces"], by_model=True)
    entries = {entry.id: entry for entry in soul.entries}
    for raw in answer["drift"]:
        reply = by_number.get(raw["message"])
        if raw["entry"] in entries and reply and reply.role == "assistant" and is_quoted(raw["quote"], reply.text):
            notes.append(f"drift found by the model: m:{reply.id} contradicts entry {raw['entry']} of SOUL.md")
        else:
            notes.append("the model's finding of drift was rejected: nothing the agent said supports it")


KEEPER = "soul-keeper"
_FEWEST_DRIFTED = 2
_CITED = 5


def grow(growth: Growth) -> Keeper:
    """What the soul should learn."""
    soul = Name(growth.workspace, "SOUL.md")
    names = yield Listed((Kind.CORRECTIONS, Kind.ARCHIVE, Kind.MEMORY, Kind.SKILL))
    logs = [name for name in names if is_correction(name)]
    memories = [name for name in names if name.kind is Kind.MEMORY]
    held = yield Read((soul, *logs, *memories))
    notes: list[str] = []
    found = [one for name in logs for one in corrections(name, held[name], growth.now)]
    fresh = [one for one in found if one.id not in growth.known]
    skills = [name.path.split("/")[-2] for name in names if name.kind is Kind.SKILL]
    kept = [one for name in memories for one in remembered(name, held[name], growth.now) if one.id not in growth.known]
    edits = [*_by_rules(growth, found, fresh, notes)]
    for one in kept:  # standing instructions that the operator had remembered
        told = rules.instructions(one.correct)
        edits += _taught(told, one.evidence, f"e:{one.id}", one.when, how="had remembered", notes=notes)
    edits += [*_skills(growth, skills)]
    edits += yield from _by_model(growth, held[soul], fresh, notes)
    # The soul may have moved while somebody thought: it is read again, and only what stands is changed.
    data = (yield Read((soul,)))[soul]
    if data is None:
        return Findings(notes=("there is no SOUL.md",))
    fitting = Fitting(growth, soul, parse(data), notes)
    sets = fitting.sets(edits)
    sets += _drift(growth, parse(data), notes)
    facts = {"edits": str(len(fitting.done)), "left": ",".join(fitting.left)}
    return Findings(tuple(sets), tuple(dict.fromkeys(notes)), facts)


def idle() -> Keeper:
    """What there is to say where settings, and not SOUL.md, tell who the agent is."""
    yield from ()
    return Findings(
        notes=(
            (
                "SOUL.md is still the template and the settings describe this agent; the soul keeper starts once you"
                " have edited SOUL.md"
            ),
        )
    )


# what rules find


def _by_rules(
    growth: Growth, found: Sequence[SoulCorrection], fresh: Sequence[SoulCorrection], notes: list[str]
) -> Iterator[Edit]:
    """Corrections first, the mistakes that repeat, then what the operator asked for and praised."""
    for one in fresh:
        told = rules.instructions(one.correct, correction=True)
        yield from _taught(told, one.evidence, f"c:{one.id}", one.when, how="corrected", notes=notes)
    known = {one.id for one in fresh}
    for kind, pair in mistakes(found):
        if pair[-1].id in known:
            reason = f"corrected on {pair[0].when} and again on {pair[-1].when}"
            evidence = tuple(one.evidence for one in pair)
            yield Edit(rules.warning(kind), evidence, f"c:{pair[-1].id}", pair[-1].when, reason)
    corrected = {one.source for one in found}
    replies: dict[str, Message] = {}
    for message in growth.messages:
        if message.role == "assistant":
            replies[message.session.id] = message
        if not is_operators(message) or f"m:{message.id}" in corrected:
            continue
        day = growth.day(message)
        told = rules.instructions(message.text)
        yield from _taught(told, cited(message), f"m:{message.id}", day, how="asked for", notes=notes)
        reply = replies.get(message.session.id)
        if reply is not None and rules.is_praise(stated(message.text)):
            liked = praised(reply.text)
            if liked is not None:
                evidence = (cited(message), cited(reply))
                yield Edit(liked, evidence, f"m:{message.id}", day, f"the operator praised a reply like this on {day}")


def _taught(
    told: Iterable[Instruction], evidence: Evidence, source: str, when: date, *, how: str, notes: list[str]
) -> Iterator[Edit]:
    """What the operator tells the agent about its behaviour, as edits; what everyone may not read is noted."""
    for one in told:
        if one.principle is not None:
            quoted = replace(evidence, quote=one.said) if source.startswith("m:") else evidence
            yield Edit(one.principle, (quoted,), source, when, f"the operator {how} this on {when}")
            continue
        notes.append(
            f"what you {how} on {when} ({source}) contains something that not everyone may read, so it is not"
            " proposed for SOUL.md; write it there yourself if it belongs there"
        )


def _skills(growth: Growth, skills: Sequence[str]) -> Iterator[Edit]:
    """Skills that were used in a conversation until the operator said that it worked."""
    spoken: defaultdict[str, list[str]] = defaultdict(list)
    for message in growth.messages:
        if message.role in ("assistant", "tool"):
            spoken[message.session.id].append(message.text.casefold())
        elif is_operators(message) and rules.is_doubted(stated(message.text)):
            spoken.pop(message.session.id, None)
        elif is_operators(message) and rules.is_confirmed(stated(message.text)):
            last = " ".join(spoken.pop(message.session.id, [])[-_CITED:])
            used = [name for name in skills if rules.names_skill(last, name.casefold())]
            for name in used if len(used) == 1 else ():
                day = growth.day(message)
                principle = Principle(SKILLS, name, "shown to work.", f"skill:{name}")
                yield Edit(
                    principle, (cited(message),), f"m:{message.id}", day, f"the operator said on {day} that it worked"
                )


# what a model finds


def _by_model(
    growth: Growth, soul: bytes | None, fresh: Sequence[SoulCorrection], notes: list[str]
) -> Generator[Question, Any, list[Edit]]:
    """What a model would add, as far as it rests on the operator's words. It is asked about the operator's own talk alone."""
    talk = [m for m in growth.messages if m.audience == OWNER and m.role in ("user", "assistant")]
    if not fresh and not any(is_operators(message) for message in talk):
        return []
    document = parse(soul or b"")

    def problem(answer: Mapping[str, Any]) -> str:
        told: list[str] = []
        found = any([*suggestions(answer, document, fresh, talk, growth, notes=told)])
        return told[0] if told and not found and all("rejected" in note for note in told) else ""

    prompt = keeper_prompt(growth.workspace, KEEPER)
    answer = yield from asked(prompt, *question(document, fresh, talk, growth.now), SCHEMA, OWNER, problem=problem)
    if answer is None:
        return []
    return list(suggestions(answer, document, fresh, talk, growth, notes=notes))


# drift


def _drift(growth: Growth, soul: Document, notes: list[str]) -> list[ChangeSet]:
    """Replies that plainly go against the soul, told in CHANGELOG.md: by their numbers and day, without their words."""
    replies = [m for m in growth.messages if m.role == "assistant" and m.origin is Origin.AGENT]
    sets: list[ChangeSet] = []
    for entry in soul.entries:
        rule, since = rule_of(entry), entry.fields.get("seen", "") or entry.added
        against = [m for m in replies if rule and growth.day(m).isoformat() > since and goes_against(rule, m.text)]
        if len(against) < _FEWEST_DRIFTED:
            continue
        days = sorted({growth.day(message) for message in against})
        numbers = ", ".join(f"m:{message.id}" for message in against[:_CITED])
        notes.append(
            f"drift: {len(against)} replies contradict entry {entry.id} of SOUL.md, {entry.section} ({numbers})"
        )
        block = Add(
            Name(growth.workspace, "CHANGELOG.md"),
            "Drift: the agent does not act as its soul says. SOUL.md was not changed.",
            title=f"{growth.now:%Y-%m-%d %H:%M} {offset(growth.now)}",
            children=(
                f"**Against** ({entry.section}): {words_of(entry)}",
                f"**Evidence:** {len(against)} of {len(replies)} replies, {days[0]} to {days[-1]}: {numbers}",
            ),
        )
        evidence = tuple(cited(message) for message in against[:_CITED])
        reason = f"drift from entry {entry.id} of SOUL.md"
        sets.append(ChangeSet((block,), SOUL_KEEPER, reason, f"drift:{entry.id}:{against[-1].id}", evidence))
    return sets
