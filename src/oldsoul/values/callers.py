"""Who calls: in what role, as whom, and through which session's eyes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from oldsoul.errors import Refused
from oldsoul.values.changes import Author, Role
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.values.sessions import Session


class CallerRole(StrEnum):
    """In what role somebody calls."""

    OPERATOR = "operator"
    AGENT = "agent"
    READER = "reader"


class Right(StrEnum):
    """What a verb asks of whoever calls it."""

    SEE = "see"
    """sees what its session may see"""
    INSPECT = "inspect"
    """sees whole documents and their history: for those who see what is the owner's"""
    TELL = "tell"
    """adds to memory: what was said, what happened, what an agent noted"""
    DECIDE = "decide"
    """changes what stands, as the operator"""


RIGHTS = {
    CallerRole.OPERATOR: frozenset(Right),
    CallerRole.AGENT: frozenset({Right.SEE, Right.INSPECT, Right.TELL}),
    CallerRole.READER: frozenset({Right.SEE, Right.INSPECT}),
}
"""What each role may do, within what its session may see."""


@frozen
class Caller:
    """Who calls. Made from settings and authentication, never from a message's words."""

    role: CallerRole
    """in what role"""
    subject: str
    """as whom: a person such as `acct:owner`, or the name of an agent or a token"""
    session: Session | None
    """the session through whose eyes it sees; None where the caller may name any"""

    @classmethod
    def operator(cls, subject: str) -> Caller:
        """An operator: sees everything and decides."""
        return cls(CallerRole.OPERATOR, subject, None)

    @classmethod
    def agent(cls, subject: str, *, session: Session | None) -> Caller:
        """An agent or its host: sees and adds to memory within a session, or within any it names."""
        return cls(CallerRole.AGENT, subject, session)

    @classmethod
    def reader(cls, subject: str, *, session: Session | None) -> Caller:
        """A reader: sees what a session sees, and changes nothing."""
        return cls(CallerRole.READER, subject, session)

    @property
    def author(self) -> Author:
        """Who signs what this caller writes; `Refused` for a reader."""
        if self.role is CallerRole.READER:
            raise Refused("a reader may not change anything; ask the operator")
        return Author(Role(str(self.role)), self.subject)

    def check(self, right: Right, verb: str) -> None:
        """`Refused` when this role may not do that."""
        if right not in RIGHTS[self.role]:
            raise Refused(f"{verb} is not allowed for {self.role}s; ask the operator")
