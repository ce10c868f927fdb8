"""Builds what prompts tell of: skills, the machine, tokens, and what others keep beside us."""

from __future__ import annotations

import os
from pathlib import Path

from oldsoul.adapters.extra_files import external, profiles
from oldsoul.adapters.machine import SystemRuntime
from oldsoul.adapters.skills import FolderSkills, Root
from oldsoul.adapters.tokens import counter, vocabulary
from oldsoul.context.options import SkillsOptions
from oldsoul.values.skills import BUNDLED, PLUGIN, USER, WORKSPACE
from oldsoul.wiring.homes import expanded

__all__ = ["FolderSkills", "SystemRuntime", "counter", "external", "profiles", "skills", "vocabulary"]


def skills(home: Path, folder: str, options: SkillsOptions, known: FolderSkills | None) -> FolderSkills:
    """Where the skills of the agent in a folder are looked for; what was read of them is known until its settings change."""
    named = [folder for folder in dict.fromkeys(options.plugin_dirs) if folder.strip()]
    roots = [
        Root(WORKSPACE, folder, "skills", optional=True),
        Root(USER, str(home / "skills"), optional=True),
        *(Root(PLUGIN, expanded(folder, home)) for folder in named),
        Root(BUNDLED, str(Path(__file__).parent.parent / "templates" / "skills")),
    ]
    if known is not None and known.roots == tuple(roots):
        return known
    return FolderSkills(roots, os.path.expanduser("~"))  # noqa: PTH111 - also without one
