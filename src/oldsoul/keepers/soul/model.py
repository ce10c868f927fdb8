"""What a model may suggest for a soul: how it is asked, and what of its answer can be used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oldsoul.documents import Form
from oldsoul.judging.mining import soul as rules
from oldsoul.judging.mining.soul import SECTIONS, Principle
from oldsoul.keepers.questions import is_quoted, numbered
from oldsoul.keepers.schema import NUMBER, choice, items, record, text
from oldsoul.keepers.soul.fitting import Edit, cited, is_operators
from oldsoul.language.alike import telling
from oldsoul.rules.own_words import stated
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date, datetime

    from oldsoul.documents import Document
    from oldsoul.keepers.soul.corrections import Correction
    from oldsoul.keepers.soul.fitting import Growth
    from oldsoul.values.changes import Evidence
    from oldsoul.values.messages import Message

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
    soul: Document, fresh: Sequence[Correction], talk: Sequence[Message], now: datetime
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
    fresh: Sequence[Correction],
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
