"""Every command there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli import cli

if TYPE_CHECKING:
    from collections.abc import Iterator


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, those of groups too."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", below) for inner, below in command.commands.items())
