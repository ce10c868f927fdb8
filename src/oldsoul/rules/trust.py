"""Whose words a message counts as: from who is authenticated, never from what the message says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Collection

    from oldsoul.values.sessions import Subject


def origin_of(role: str, subject: Subject | None, operators: Collection[str], *, vouched: bool) -> Origin:
    """The origin of a message said in this role by this person; `vouched` when somebody we trust says it was them."""
    match role:
        case "user" if subject is not None and subject.id in operators and vouched:
            return Origin.OPERATOR
        case "user":
            return Origin.PARTICIPANT
        case "assistant":
            return Origin.AGENT
        case "system":
            return Origin.SYSTEM
        case _:
            return Origin.UNTRUSTED
