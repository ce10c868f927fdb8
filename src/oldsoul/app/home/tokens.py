"""Tokens: which programs are let in, as whom, and until when."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from oldsoul.app.home.storage import Storage
from oldsoul.errors import BadInput, NotFound, Refused
from oldsoul.ports import Credentials
from oldsoul.values.callers import CallerRole, Login, Token
from oldsoul.values.sessions import Subject

_PREFIX = "os_"
"""What every secret begins with, so that people see what it is."""
_SECRET_BYTES, _ID_BYTES = 32, 4
_LONGEST_NAME = 100
_UNDER = "."
"""Stands in an id before what sets a token apart from the one that it was made from."""
_BETWEEN = "."
"""Stands between the halves of a browser's secret, and in no other secret."""
_BROWSER = "browser"
"""What the token of a browser is called."""
_MOST_LOGINS = 50
"""So many browsers of one person are logged in at the same time."""
_LOGIN_DAYS = 30
"""So long a browser stays logged in."""
_NOT_VALID = "this token is not valid: it is unknown, has expired or was revoked"


class NewToken(NamedTuple):
    """A token that was just added."""

    token: Token
    """what is kept of it"""
    secret: str
    """what the program sends; it is not stored, and cannot be shown again"""

    def __repr__(self) -> str:
        return f"<NewToken {self.token.id}>"


class Tokens:
    """The tokens of one home."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    @property
    def _kept(self) -> Credentials:
        """Where they are; `Closed` once the home was closed."""
        return self._storage.world.records.credentials

    def add(self, role: str, person: Subject | str | None, agent: str, expires: datetime | None, name: str) -> NewToken:
        """Make a token for a program."""
        now = self._storage.world.clock.now()
        if role not in [*CallerRole]:
            raise BadInput(f"{role!r} is not a role; use one of {', '.join(CallerRole)}")
        if agent and agent not in (*self._storage.agents(), *self._storage.teams()):
            raise NotFound(f"there is no agent {agent!r}; `oldsoul agents` lists the agents and teams")
        if expires is not None and (expires.tzinfo is None or expires <= now):
            raise BadInput(f"a token cannot expire at {expires}: that is in the past, or has no time zone")
        called = name.strip()
        if len(called) > _LONGEST_NAME or not called.isprintable():
            raise BadInput(f"the name of a token is one line of at most {_LONGEST_NAME} characters")
        whose = self._whose(CallerRole(role), person)
        return self._added(Token(_new_id(), CallerRole(role), whose, agent, called, now, expires), _new_secret())

    def log_in(self, given: Token | None) -> NewToken:
        """Make a browser's token in two halves: with the rights of another, whose id its own begins with, or the operator's."""
        now = self._storage.world.clock.now()
        expires = now + timedelta(days=_LOGIN_DAYS)
        if given is None:
            owner = Subject(self._owner)
            made = Token(_new_id(), CallerRole.OPERATOR, owner, "", _BROWSER, now, expires, Login.COMMAND)
        elif given.role is CallerRole.AGENT:
            raise Refused("the token of an agent does not log a browser in; use one of an operator or a reader")
        elif given.has_expired(now):
            raise Refused(_NOT_VALID)
        else:
            until = min(given.expires, expires) if given.expires else expires
            token_id = f"{given.id}{_UNDER}{_new_id()}"
            made = Token(token_id, given.role, given.person, given.agent, _BROWSER, now, until, Login.TOKEN)
        new = self._added(made, joined(_new_secret(), secrets.token_urlsafe(_SECRET_BYTES)))
        self._thin_out(made, now)
        return new

    def _thin_out(self, newest: Token, now: datetime) -> None:
        """Remove logins that have expired, and of one person all but the latest."""
        logins = [token for token in self.all() if token.login]
        alive = [token for token in logins if not token.has_expired(now)]
        of_one = [token for token in alive if token.person == newest.person]
        above = f"{newest.id}{_UNDER}"
        for token in (*(each for each in logins if each not in alive), *of_one[:-_MOST_LOGINS]):
            if not above.startswith(f"{token.id}{_UNDER}"):
                self._kept.revoke(token.id)

    def _added(self, token: Token, secret: str) -> NewToken:
        self._kept.add(token, _digest(secret))
        return NewToken(token, secret)

    def _whose(self, role: CallerRole, person: Subject | str | None) -> Subject:
        """The person that a token speaks for; nobody becomes the operator because a person was left out."""
        if person is None:
            if role is not CallerRole.OPERATOR:
                raise BadInput(f"say for which person this {role} speaks, such as acct:42; {self._owner} is you")
            return Subject(self._owner)
        known = Subject(person) if isinstance(person, str) else person
        if role is CallerRole.OPERATOR and known.id not in (self._storage.settings.operators or (self._owner,)):
            raise BadInput(f"{known} is not an operator; the role of their token is agent or reader")
        return known

    @property
    def _owner(self) -> str:
        return self._storage.owner.subject

    def all(self) -> list[Token]:
        """The tokens, in the order they were added; those that have expired too."""
        return [token for token, _ in self._kept.all()]

    def revoke(self, which: str) -> Token:
        """Take a token and those made from it away, by its id or its name; `NotFound` when there is none."""
        every = self.all() if which else []
        found = [token for token in every if token.id == which] or [token for token in every if token.name == which]
        if len(found) > 1:
            raise BadInput(f"several tokens are called {which!r}: {', '.join(token.id for token in found)}; give an id")
        if not found or not self._kept.revoke(found[0].id):
            raise NotFound(f"there is no token {which!r}; `oldsoul token list` lists the tokens")
        return found[0]

    def check(self, secret: str) -> Token:
        """The token of a secret; `Refused`, always in the same words, when it lets nobody in."""
        # How long a hash takes to find tells nothing of the secret.
        found = self._kept.find(_digest(secret))
        if found is None or found.has_expired(self._storage.world.clock.now()):
            raise Refused(_NOT_VALID)
        return found


def joined(*halves: str) -> str:
    """The secret of a browser's token, of which each half is worth nothing alone."""
    return _BETWEEN.join(halves)


def halves(secret: str) -> tuple[str, str]:
    """The two halves of the secret of a browser's token."""
    first, _, second = secret.partition(_BETWEEN)
    return first, second


def _new_id() -> str:
    return secrets.token_hex(_ID_BYTES)


def _new_secret() -> str:
    return f"{_PREFIX}{secrets.token_urlsafe(_SECRET_BYTES)}"


def _digest(secret: str) -> str:
    """The hash of a secret. It is random and long, so a slow hash would protect nothing more."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
