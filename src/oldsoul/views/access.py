"""Tokens, logins, and what a token opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from oldsoul.values.frozen import frozen
from oldsoul.views.files import AgentShown
from oldsoul.views.shape import Next, Shown, Time, copied, example, one_of

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.app.home.tokens import NewToken
    from oldsoul.values.callers import Token

Role = Annotated[str, one_of("operator", "agent", "reader")]
Person = Annotated[str, example("acct:42")]


@frozen
class TokenShown(Shown):
    """A token, without its secret."""

    id: Annotated[str, example("a1b2c3d4")]
    """Its id."""
    role: Role
    """What it lets its holder do."""
    person: Person
    """The person it speaks for."""
    agent: str | None
    """The one agent it is for; null for all."""
    name: str
    """What it is called."""
    created: Time
    """When it was made."""
    expires: Time | None
    """Until when it is valid; null for always."""
    expired: bool
    """Whether it is not valid any more."""


def token(of: Token, now: datetime) -> TokenShown:
    """A token, without its secret: its id, role, person, agent and name, and until when it is valid."""
    return copied(TokenShown, of, person=of.person.id, agent=of.agent or None, expired=of.has_expired(now))


@frozen
class TokenList(Shown):
    """A page of tokens, in the order they were added."""

    tokens: tuple[TokenShown, ...]
    """The tokens."""
    next: Next
    """Give it as `cursor` for the next page; null after the last."""


@frozen
class TokenMade(TokenShown):
    """A token that was just made."""

    secret: Annotated[str, example("os_…")]
    """What a program sends. It is not stored and cannot be shown again."""


def token_made(of: NewToken, now: datetime) -> TokenMade:
    """A token that was just made, with its secret."""
    return copied(TokenMade, token(of.token, now), secret=of.secret)


@frozen
class LoginLink(Shown):
    """A link that logs a browser in, once."""

    url: Annotated[str, example("http://127.0.0.1:8765/login?code=…")]
    """The link."""
    minutes: int
    """How long it works."""


@frozen
class LoggedIn(Shown):
    """A browser has logged in."""

    key: Annotated[str, example("q7Yc…")]
    """One half of its token, for the header `Oldsoul-Key`. The other is in a cookie; each is worth nothing alone."""


@frozen
class Me(Shown):
    """Whose token this is, and what it is for."""

    role: Role
    """What it lets its holder do."""
    person: Person
    """The person it speaks for."""
    agent: str | None
    """The one agent that it is for; null for all."""
    agents: tuple[AgentShown, ...]
    """The agents that it may use."""
    version: Annotated[str, example("0.1.0")]
    """The version of the server."""
