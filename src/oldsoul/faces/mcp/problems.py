"""Errors as a client is told of them: the operator reads the whole message, others nothing of servers and disks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput, Busy, Conflict, NotFound, Refused, SettingsError, Unavailable, Unwritable
from oldsoul.values.callers import CallerRole

if TYPE_CHECKING:
    from oldsoul.values.callers import Caller

_log = logging.getLogger("oldsoul")
_OPEN = (BadInput, NotFound, Refused, Conflict)
"""Their messages are about what the client gave."""
_TOLD_ANYBODY = (NotFound, Refused)
"""Their messages are for somebody who is not let in, too: there is no such agent, or it is not for them."""
_INSTEAD: tuple[tuple[type[Exception], str], ...] = (
    (Busy, "memory is busy; try again"),
    (Unavailable, "something that memory needs does not answer; the operator can run `oldsoul doctor`"),
    (Unwritable, "nothing was written: the disk is full or read-only; tell the operator"),
)
_ELSE = "memory cannot do this now; the operator can run `oldsoul doctor`"


def message(error: Exception, caller: Caller | None) -> str:
    """What a caller is told of an error, or somebody who is not let in; what is not told is logged."""
    is_open = isinstance(error, _OPEN if caller else _TOLD_ANYBODY) and not isinstance(error, SettingsError)
    if is_open or (caller and caller.role is CallerRole.OPERATOR):
        return str(error)
    _log.warning("mcp, %s: %s: %s", caller.subject if caller else "nobody", type(error).__name__, error)
    return next((told for kind, told in _INSTEAD if isinstance(error, kind)), _ELSE)
