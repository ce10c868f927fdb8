"""Builds what is around a home: leases, programs, channels, further files, skills, the machine and tokens."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from oldsoul.adapters import notify
from oldsoul.adapters.extra_files import FolderExtras, external, profiles
from oldsoul.adapters.folder.store import WorkspacePath
from oldsoul.adapters.locks import FolderLeases
from oldsoul.adapters.machine import SystemRuntime
from oldsoul.adapters.programs import run_program
from oldsoul.adapters.skills import FolderSkills, SkillRoot
from oldsoul.adapters.tokens import counter, vocabulary
from oldsoul.context.options import SkillsOptions
from oldsoul.ports import Extras, Notify
from oldsoul.settings import Loaded, Settings
from oldsoul.values.names import SHARED
from oldsoul.values.skills import BUNDLED, PLUGIN, USER, WORKSPACE
from oldsoul.wiring.homes import expanded

__all__ = [
    "FolderLeases",
    "FolderSkills",
    "SystemRuntime",
    "channel",
    "counter",
    "external",
    "extras",
    "profiles",
    "run_program",
    "skills",
    "vocabulary",
]


def channel(settings: Settings) -> Notify | None:
    """The channel of the soul keeper's digest; a room is no channel of ours, the agent speaks there itself."""
    options = settings.keepers.digest
    if options.channel not in ("webhook", "command", "mail"):
        return None
    if options.channel == "webhook":
        return notify.Webhook(options.webhook_url)
    if options.channel == "command":
        return notify.Command(options.command)
    host, _, port = options.smtp_host.partition(":")
    number = int(port) if port.isdecimal() else notify.MAIL_PORT
    server = notify.MailServer(host, number, options.smtp_user, options.smtp_password)
    sender = options.smtp_user if "@" in options.smtp_user else next(iter(options.mail_to), "")
    return notify.Mail(server, sender, options.mail_to)


def extras(
    home: Path, workspace: str, settings_of: Callable[[str | None], Loaded], place: Callable[[str], WorkspacePath]
) -> Extras | None:
    """The further files an agent's settings name, but for those of workspaces and our own."""
    memory = settings_of(workspace).settings.memory
    named = [path for path in memory.search.extra_paths if path.strip()]
    if not named:
        return None
    whole = settings_of(None).settings
    everybody = {whole.default_agent, SHARED, *(a.id for a in whole.agents.list), *(t.name for t in whole.teams)}
    places = [place(name) for name in everybody if name]
    ours = [str(home / folder) for folder in ("workspace", "state", "cache")]
    ours += [folder for each in places for folder in (each.root, each.memory) if folder]
    return FolderExtras([expanded(path, home) for path in named], ours)


def skills(home: Path, folder: str, options: SkillsOptions, known: FolderSkills | None) -> FolderSkills:
    """Where the skills of the agent in a folder are looked for; what was read of them is known until its settings change."""
    named = [folder for folder in dict.fromkeys(options.plugin_dirs) if folder.strip()]
    roots = [
        SkillRoot(WORKSPACE, folder, "skills", optional=True),
        SkillRoot(USER, str(home / "skills"), optional=True),
        *(SkillRoot(PLUGIN, expanded(folder, home)) for folder in named),
        SkillRoot(BUNDLED, str(Path(__file__).parent.parent / "templates" / "skills")),
    ]
    if known is not None and known.roots == tuple(roots):
        return known
    return FolderSkills(roots, os.path.expanduser("~"))  # noqa: PTH111 - also without one
