"""The server's own token: made on its first run, so that programs of the same person can ask it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from oldsoul.errors import Refused, Unwritable

if TYPE_CHECKING:
    from oldsoul.app import Oldsoul

NAME = "server"
"""What the token is called."""


def token_file(soul: Oldsoul) -> Path:
    """Where the secret of the token is."""
    return Path(soul.parts.world.home, "state", "server.token")


def ensure_token(soul: Oldsoul) -> Path:
    """Make an operator's token unless the file holds a valid one; only its owner can read the file."""
    file = token_file(soul)
    with suppress(OSError, Refused, UnicodeDecodeError):
        soul.check_token(file.read_text("ascii").strip())
        return file
    made = soul.add_token("operator", name=NAME)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(f"{made.secret}\n")
        fresh.replace(file)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise Unwritable(f"{file} cannot be written: {error.strerror}") from None
    return file
