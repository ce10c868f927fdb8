"""One message of a conversation, as it is logged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.values.audience import Audience
    from oldsoul.values.origin import Origin
    from oldsoul.values.sessions import Session


@frozen
class Message:
    """One message as it came in: who said what, where and when."""

    session: Session
    """the conversation it belongs to"""
    role: str
    """`user`, `assistant`, `system` or `tool`"""
    sender: str
    """the name it was sent under, as the channel gives it"""
    text: str
    """the words, secrets masked"""
    time: datetime
    """when it was said, with its zone"""
    origin: Origin
    """who caused it, by authentication"""
    audience: Audience
    """who may see it, by the session it was said in"""
    channel: str = ""
    """where it came through: `cli`, `telegram` …"""
    key: str = ""
    """the same key is stored once"""
