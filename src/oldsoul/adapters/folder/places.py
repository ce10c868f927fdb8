"""Where workspaces lie on this machine."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from oldsoul.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oldsoul.adapters.folder.store import Place

_PRIVATE = 0o700


class FolderPlaces:
    """Workspaces as folders: the ones settings name, else those in the home."""

    def __init__(self, place: Callable[[str], Place]) -> None:
        self.place = place

    def folder(self, workspace: str) -> str:
        """The workspace's folder."""
        return self.place(workspace).root

    def roots(self, workspace: str) -> list[str]:
        """Every folder that files of the workspace lie below."""
        place = self.place(workspace)
        return [folder for folder in (place.root, place.memory) if folder]

    def is_there(self, workspace: str) -> bool:
        """Whether its folder is there; `BadInput` when something else is in its place."""
        folder = self.folder(workspace)
        if os.path.isdir(folder):
            return True
        if os.path.lexists(folder):
            raise BadInput(f"{folder} is set as the workspace of {workspace}, but it is not a folder")
        return False

    def prepare(self, workspace: str, folders: Sequence[str], *, git: bool) -> None:
        """Make the folder and those in it, if they are not there; a git repository, if asked for."""
        place = self.place(workspace)
        for folder in ("", *folders):
            root, inner = place.root, folder
            if place.memory and (folder == "memory" or folder.startswith("memory/")):
                root, inner = place.memory, folder.removeprefix("memory").lstrip("/")
            os.makedirs(os.path.join(root, inner) if inner else root, mode=_PRIVATE, exist_ok=True)
        if git and not os.path.lexists(os.path.join(place.root, ".git")):
            _git_init(place.root)


def _git_init(folder: str) -> None:
    """A fresh repository; no hook of the person's runs in it."""
    command = ["git", "-c", "core.hooksPath=/dev/null", "init", "--quiet", "--template=", folder]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=30)  # noqa: S603 - our own words; git from PATH
    except FileNotFoundError:
        raise BadInput("git.init is on, but git is not installed; install it or turn the setting off") from None
    except subprocess.CalledProcessError as error:
        raise BadInput(
            f"git could not create a repository in {folder}: {error.stderr.decode(errors='replace').strip()}"
        ) from error
