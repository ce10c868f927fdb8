"""`config completion`: the script that completes our commands in a shell."""

from __future__ import annotations

import click
from click import shell_completion

from oldsoul.faces.cli.frame import Frame
from oldsoul.faces.cli.verbs import Verb

SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Verb)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for SHELL (bash, zsh or fish).

    \b
    bash:  oldsoul config completion bash > ~/.local/share/bash-completion/completions/oldsoul
    zsh:   oldsoul config completion zsh > "${fpath[1]}/_oldsoul"
    fish:  oldsoul config completion fish > ~/.config/fish/completions/oldsoul.fish
    """  # noqa: D301 - \b is click's sign for lines that are not to be wrapped
    made = shell_completion.get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"click cannot complete for {shell}")
    script = made(context.find_root().command, {}, "oldsoul", "_OLDSOUL_COMPLETE")
    text = script.source_template % script.source_vars()
    context.ensure_object(Frame).say(text.strip("\n"), {"shell": shell, "script": text})
