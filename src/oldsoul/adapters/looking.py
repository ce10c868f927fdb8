"""A home that can only be read: its documents as they stand, its history from a copy that is thrown away."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from oldsoul.adapters.folder_store import FolderStore
from oldsoul.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.adapters.folder_store import Place


class LookingStore(FolderStore):
    """The folder store without its door: nobody holds a workspace, so nothing is written."""

    def __init__(self, state: str, place: Callable[[str], Place], why: str) -> None:
        self._why = why
        self._copy = tempfile.TemporaryDirectory(prefix="oldsoul-")
        try:
            # SQLite writes beside a file even to read it, and cannot do so here.
            for name in ("ledger.db", "ledger.db-wal"):
                if os.path.exists(os.path.join(state, name)):
                    shutil.copyfile(os.path.join(state, name), os.path.join(self._copy.name, name))
            super().__init__(self._copy.name, place)
        except BaseException:
            self._copy.cleanup()
            raise

    @contextmanager
    def hold(self, workspace: str) -> Iterator[NoReturn]:
        """Says why not."""
        raise Refused(f"{workspace} can only be read here: {self._why}")
        yield  # a generator, as the other one

    def close(self) -> None:
        """Let go of the copy."""
        super().close()
        self._copy.cleanup()
