"""What a keeper asks while it works, and what it gives back: values alone, so that anything may answer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.values.audience import Audience
    from oldsoul.values.changes import ChangeSet
    from oldsoul.values.names import Name


@frozen
class Ask:
    """A question for a language model. The answer is what the schema says, or None where nobody can answer."""

    system: str
    """who is asked, and by which rules"""
    text: str
    """the question with everything it is about"""
    schema: Mapping[str, Any]
    """the form of the answer, as a JSON schema"""
    audience: Audience
    """who may see what it is about: one question never mixes audiences"""


@frozen
class Read:
    """Documents as they stand now. The answer maps each name to its bytes, None for one that is not there."""

    names: tuple[Name, ...]
    """which"""


@frozen
class Reused:
    """How much entries were used. The answer maps ids to `Reuse`; those that never were are left out."""

    entries: tuple[str, ...]
    """which, by their ids"""


Question = Ask | Read | Reused


@frozen
class Findings:
    """What a keeper's work comes to."""

    sets: tuple[ChangeSet, ...] = ()
    """the changes it wants, each decided by itself, in order"""
    notes: tuple[str, ...] = ()
    """what a person should know: what was left out, and why"""
    facts: Mapping[str, str] = field(default_factory=dict)
    """figures of the run, for its report"""


Keeper = Generator[Question, Any, Findings]
"""A keeper at work."""
