"""A secret in a file that only its owner can read, for their programs on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from oldsoul.errors import Unwritable


class SecretFile:
    """The file at a path."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> str:
        """The secret; empty when there is none that can be read."""
        try:
            return self._path.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def write(self, secret: str) -> None:
        """Put a secret in the place of the one before."""
        fresh = self._path.with_name(f"{self._path.name}.{os.urandom(4).hex()}")
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write(f"{secret}\n")
            fresh.replace(self._path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise Unwritable(f"{self._path} cannot be written: {error.strerror}") from None
