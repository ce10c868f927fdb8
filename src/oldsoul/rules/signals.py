"""Whether a conversation is private: one function, from whatever a channel tells. Doubt means a group."""

from __future__ import annotations

from oldsoul.values.frozen import frozen

_TWO = 2


@frozen
class Signals:
    """What a channel tells about a conversation; None where it does not say."""

    marked_direct: bool | None = None
    """whether the account marks it as a direct chat"""
    members: int | None = None
    """how many take part, the agent included"""
    named: bool | None = None
    """whether it has a name of its own"""
    invited_direct: bool | None = None
    """whether the invitation called it direct"""


def is_dm(signals: Signals) -> bool:
    """Whether it is certain that only one person reads along."""
    if signals.members is not None and signals.members > _TWO:
        return False
    if False in (signals.marked_direct, signals.invited_direct) and signals.members is None:
        return False
    says_so = signals.marked_direct or signals.invited_direct
    return bool(says_so) and (signals.members is not None or not signals.named)
