"""Who may come in: the tokens of programs."""

from __future__ import annotations

from typing import Protocol

from oldsoul.values.callers import Token


class Credentials(Protocol):
    """The tokens that let programs in, for all processes of a home. Of a secret only the hash is kept."""

    def add(self, token: Token, digest: str) -> None:
        """Keep a token, durably, with the hash of its secret.

        `Conflict` when there is one of that id; `Refused` when the one that it is made from is gone: `a.b` is made from `a`.
        """
        ...

    def find(self, digest: str) -> Token | None:
        """The token with this hash of a secret, if any; it takes no longer when there are many."""
        ...

    def all(self) -> list[tuple[Token, str]]:
        """The tokens, each with the hash of its secret, in the order they were added; times are in UTC."""
        ...

    def revoke(self, token_id: str) -> bool:
        """Take a token away, durably, together with those made from it; whether it was there."""
        ...
