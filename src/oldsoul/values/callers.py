"""Callers: who calls, in which role, and within which session; and the tokens that programs call with."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from oldsoul.errors import Refused
from oldsoul.values.changes import Author, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.sessions import Session, Subject


class CallerRole(StrEnum):
    """The role of a caller."""

    OPERATOR = "operator"
    AGENT = "agent"
    READER = "reader"


PRESENT = timedelta(minutes=10)
"""So long after a link that the command line gave, a browser is taken for somebody who sits at this machine."""


class Right(StrEnum):
    """The right that a method requires of its caller."""

    SEE = "see"
    """read what its session may see"""
    INSPECT = "inspect"
    """read whole files and their history; only for callers who may see what is the operator's"""
    TELL = "tell"
    """add to memory: messages, the diary, an agent's notes"""
    DECIDE = "decide"
    """change what exists, as the operator"""


RIGHTS = {
    CallerRole.OPERATOR: frozenset(Right),
    CallerRole.AGENT: frozenset({Right.SEE, Right.INSPECT, Right.TELL}),
    CallerRole.READER: frozenset({Right.SEE, Right.INSPECT}),
}
"""The rights of each role, within what its session may see."""


@frozen
class Caller:
    """Who calls. Make it from settings and authentication, never from the text of a message."""

    role: CallerRole
    """operator, agent or reader"""
    subject: str
    """a person such as `acct:owner`, or the name of an agent or a token"""
    session: Session | None
    """the session that limits what it sees; None where the caller may name any"""
    is_present: bool = False
    """whether it sits at this machine: at the command line, or at a page that a link of the command line has just opened"""

    @classmethod
    def operator(cls, subject: str, *, is_present: bool = False) -> Caller:
        """Make an operator, who sees everything and decides."""
        return cls(CallerRole.OPERATOR, subject, None, is_present)

    @classmethod
    def agent(cls, subject: str, *, session: Session | None) -> Caller:
        """Make a caller for an agent or its host: it sees and adds to memory within a session, or any if None."""
        return cls(CallerRole.AGENT, subject, session)

    @classmethod
    def reader(cls, subject: str, *, session: Session | None) -> Caller:
        """Make a reader, who sees what a session sees and changes nothing."""
        return cls(CallerRole.READER, subject, session)

    @property
    def author(self) -> Author:
        """The author of what this caller writes; `Refused` for a reader."""
        if self.role is CallerRole.READER:
            raise Refused("a reader may not change anything; ask the operator")
        return Author(Role(str(self.role)), self.subject)

    def check_present(self, what: str) -> None:
        """Raise `Refused` for everybody who does not sit at this machine, token or not; `what` is to be changed."""
        if not self.is_present:
            minutes = PRESENT // timedelta(minutes=1)
            raise Refused(
                f"{what} names a program, a path, an address or a key: change it in config.yaml, at the command line, or on"
                f" the page within {minutes} minutes of a login link that the command line gave"
            )

    def check(self, right: Right, verb: str) -> None:
        """Raise `Refused` when this role lacks the right; `verb` is the method to name in the message."""
        if right not in RIGHTS[self.role]:
            raise Refused(f"{verb} is not allowed for {self.role}s; ask the operator")


class Login(StrEnum):
    """How a browser got its token."""

    NONE = ""
    """not at all: it is the token of a program"""
    COMMAND = "command"
    """by a link that the command line gave"""
    TOKEN = "token"  # noqa: S105 - a word, no password
    """with another token, or by a link that was made with one"""


@frozen
class Token:
    """What lets a program in, without its secret: whom it speaks for, and what it may do."""

    id: str
    """what it is listed and revoked by"""
    role: CallerRole
    """operator, agent or reader"""
    person: Subject
    """the person whose private conversations it holds"""
    agent: str
    """the one agent or team it is for; empty for all"""
    name: str
    """what the operator calls it; may be empty"""
    created: datetime
    """when it was made"""
    expires: datetime | None = None
    """from when on it is not valid any more; None when it does not end by itself"""
    login: Login = Login.NONE
    """how the browser got it whose token this is"""

    def is_present(self, now: datetime) -> bool:
        """Return whether it was given just now, by a link of the command line."""
        return self.login is Login.COMMAND and now < self.created + PRESENT

    def has_expired(self, now: datetime) -> bool:
        """Return whether its time is over."""
        return self.expires is not None and now >= self.expires
