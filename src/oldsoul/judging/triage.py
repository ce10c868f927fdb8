"""What a message would be flagged for, where each flag leads, and what it would correct of what was said before it."""

from __future__ import annotations

from typing import NamedTuple

from oldsoul.judging.corrections.corrections import ValueChange, change, explicit
from oldsoul.language.sentences import sentences
from oldsoul.rules.options import TriageOptions
from oldsoul.rules.secrets import mask
from oldsoul.rules.triage import leads_to, triage
from oldsoul.values.messages import Flag
from oldsoul.values.origin import Origin


class Lead(NamedTuple):
    """A flag and the keepers it leads to."""

    flag: Flag
    """what was seen"""
    operator: str
    """the keeper, when the operator says it; empty for none"""
    others: str
    """the keeper, when anybody else says it"""
    needs_related: bool
    """whether a memory must be near for it to lead anywhere"""


class Triaged(NamedTuple):
    """What triage sees in a message."""

    enabled: bool
    """whether triage is switched on"""
    leads: tuple[Lead, ...]
    """what it would be flagged for"""
    correction: ValueChange | None
    """what it would correct of the words before it"""
    problems: tuple[str, ...]
    """what is wrong with the operator's own patterns"""


def triaged(text: str, before: str, options: TriageOptions) -> Triaged:
    """What triage sees in a text that was said after `before`."""
    patterns = triage(options)
    made = (change(one, sentence) for one in explicit(text) for sentence in sentences(before))
    return Triaged(
        options.enabled,
        tuple(_lead(flag) for flag in patterns.flags(mask(text).text)),
        next((one for one in made if one is not None), None),
        tuple(patterns.problems),
    )


def _lead(flag: Flag) -> Lead:
    alone = leads_to(flag, Origin.OPERATOR, related=False)
    near = leads_to(flag, Origin.OPERATOR, related=True)
    return Lead(flag, near, leads_to(flag, Origin.PARTICIPANT, related=False), alone != near)
