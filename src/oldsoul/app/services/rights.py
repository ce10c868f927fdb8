"""Rights: what a verb needs of its caller is declared on the verb, and checked before it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from oldsoul.app.parts import AgentServices
from oldsoul.errors import Refused
from oldsoul.values.audience import Audience
from oldsoul.values.callers import Caller, CallerRole, Right
from oldsoul.values.changes import Author
from oldsoul.values.ids import segment
from oldsoul.values.sessions import Session

_P = ParamSpec("_P")
_T = TypeVar("_T")
_S = TypeVar("_S", bound="Service")


def needs(
    right: Right, *, unkept: Right | None = None
) -> Callable[[Callable[Concatenate[_S, _P], _T]], Callable[Concatenate[_S, _P], _T]]:
    """Declare the right that a verb needs; `Refused` for a caller who lacks it, in the session that the verb is given.

    `unkept` is the right it needs where nothing of it is kept (`keep=False`).
    """

    def declared(verb: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[_S, _P], _T]:
        owner, _, name = verb.__qualname__.rpartition(".")
        called = name if owner == "Agent" else f"{owner.lower()}.{name}"

        @wraps(verb)
        def checked(self: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
            wanted = unkept if unkept and kwargs.get("keep") is False else right
            session = kwargs.get("session")
            within = session if isinstance(session, Session) else self._caller.session
            self._check(wanted, within, called)
            return verb(self, *args, **kwargs)

        checked.right = right  # type: ignore[attr-defined]
        return checked

    return declared


class Service:
    """Verbs of one agent, for one caller."""

    def __init__(self, parts: AgentServices, caller: Caller) -> None:
        self._parts = parts
        self._caller = caller

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._parts.id} for {self._caller.role} {self._caller.subject}>"

    @property
    def _author(self) -> Author:
        """Who signs what this caller writes."""
        return self._caller.author

    def _check(self, right: Right, session: Session | None, verb: str) -> None:
        """`Refused` unless the caller has this right in this session."""
        self._caller.check(right, verb)
        if self._caller.role is CallerRole.OPERATOR:
            return
        people, eyes = self._parts.home.people, self._caller.session
        if right is Right.INSPECT and (eyes is None or not people.view(eyes).owner):
            raise Refused(f"{verb} shows whole files, which this caller may not see")
        if eyes is None or session is None:
            return
        seen = people.view(session, self._parts.id)
        if not seen.within(people.view(eyes, self._parts.id)):
            raise Refused(f"{verb} was called for a session that this caller may not see")
        if right is Right.TELL and not seen.sees(people.audience(session)):
            raise Refused(f"{verb} adds nothing here: this conversation belongs to no person and no room")

    def _own_key(self, key: str) -> str:
        """A key of this caller: nobody who sees through a session can use up, or ask for, a key of somebody else."""
        eyes = self._caller.session
        if not key or eyes is None or self._caller.role is CallerRole.OPERATOR:
            return key
        return f"{segment(self._caller.subject)}:{self._parts.home.people.audience(eyes)}:{key}"

    def _sees(self, audience: Audience) -> bool:
        """Whether this caller may see a text; a caller without a fixed session sees only what is public here."""
        if self._caller.role is CallerRole.OPERATOR:
            return True
        eyes = self._caller.session or Session.group("")
        return self._parts.home.people.view(eyes, self._parts.id).sees(audience)
