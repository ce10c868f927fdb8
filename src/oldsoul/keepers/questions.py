"""What a keeper asks while it works, and what it gives back: values alone, so that anything may answer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.values.audience import Audience
    from oldsoul.values.changes import ChangeSet
    from oldsoul.values.messages import Wanted
    from oldsoul.values.names import Kind, Name


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


@frozen
class Listed:
    """The documents there are now. The answer is their names, in order."""

    kinds: tuple[Kind, ...]
    """of these kinds"""


@frozen
class Messages:
    """What was said. The answer is the messages, in the order that is asked for."""

    wanted: Wanted
    """which"""


@frozen
class Find:
    """What says nearly the same as some texts. The answer has, for each text, its `Match`es among others, the best first."""

    texts: tuple[str, ...]
    """what is looked for"""
    among: tuple[str, ...]
    """where it is looked for"""
    least: float
    """how alike they must be where vectors compare them"""
    least_words: float
    """what share of their words they must have in common where words do"""


class Match(NamedTuple):
    """Something that says nearly the same."""

    number: int
    """which of those it was looked for among"""
    score: float
    """how alike they are, from 0 to 1"""


Question = Ask | Read | Reused | Listed | Messages | Find


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
