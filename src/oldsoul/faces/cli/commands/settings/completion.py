"""Prints the script that teaches a shell to complete our commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click import shell_completion

from oldsoul.faces.cli import cli
from oldsoul.faces.cli.verbs import Verb, pass_frame

if TYPE_CHECKING:
    from oldsoul.faces.cli.frame import Frame

SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Verb)
@click.argument("shell", type=click.Choice(SHELLS))
@pass_frame
def completion(frame: Frame, shell: str) -> None:
    """Print the completion script for SHELL (bash, zsh or fish).

    \b
    bash:  oldsoul completion bash > ~/.local/share/bash-completion/completions/oldsoul
    zsh:   oldsoul completion zsh > "${fpath[1]}/_oldsoul"
    fish:  oldsoul completion fish > ~/.config/fish/completions/oldsoul.fish
    """  # noqa: D301 - \b is click's sign for lines that are not to be wrapped
    made = shell_completion.get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"click cannot complete for {shell}")
    script = made(cli, {}, "oldsoul", "_OLDSOUL_COMPLETE")
    text = script.source_template % script.source_vars()
    frame.say(text.strip("\n"), {"shell": shell, "script": text})
