"""The command line: parse, call one verb, format. Each command's module is loaded when that command runs."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from oldsoul import __version__
from oldsoul.faces.cli.frame import Frame, leave
from oldsoul.faces.cli.verbs import Verbs, common

if TYPE_CHECKING:
    from collections.abc import Sequence

# Each command by its group, the module it is in, and its line in the list of commands.
GROUPS = {
    "Start": {
        "init": ("homes", "Create the home and every workspace."),
        "agents": ("homes", "List agents, teams and the shared workspace."),
        "demo": ("homes", "Create a home with two weeks of a believable life in it."),
        "tour": ("homes", "Walk through the main commands, with real output."),
    },
    "Memory": {
        "remember": ("entries", "Add an entry to memory."),
        "forget": ("entries", "Erase an entry or a message for good, from history too."),
        "correct": ("entries", "Correct a wrong memory; list corrections and check that they hold."),
        "show": ("entries", "List the agent's files, or print one."),
        "edit": ("entries", "Edit a file in your editor, or reset it to its template."),
    },
    "Ask": {
        "chat": ("chat", "Talk with the agent."),
        "ask": ("chat", "Ask the agent one question."),
        "proxy": ("servers", "Let OpenAI clients talk with your agents."),
        "mcp": ("servers", "Serve memory to an MCP client."),
        "search": ("search", "Ask memory a question, or search for words."),
        "context": ("context", "Show what the agent is given before a reply, and where it comes from."),
        "skills": ("search", "List skills, and why some are not offered."),
    },
    "Conversations": {
        "messages": ("messages", "List, log, import and export messages."),
        "sessions": ("sessions", "List sessions; end one, so that it becomes memory."),
        "people": ("sessions", "List people; bind their names to accounts."),
        "days": ("sessions", "List the daily logs; print, archive and restore them."),
    },
    "Look after": {
        "review": ("health", "List the changes that wait for your approval; decide on them."),
        "keepers": ("schedule", "Show the keepers' schedule; run them now or on schedule."),
        "index": ("health", "Show the state of the search index; rebuild it, watch for changes."),
        "doctor": ("health", "Check that everything is in order."),
        "backup": ("health", "Write the home to one file, while it is in use."),
        "restore": ("health", "Restore a home from a backup."),
    },
    "History": {
        "log": ("changes", "List changes, newest first, or who wrote each line of a file."),
        "diff": ("changes", "Show what a change did, or how a file changed."),
        "undo": ("changes", "Undo one change and keep later ones."),
        "soul": ("changes", "List the versions of SOUL.md; compare them, roll back."),
    },
    "Serve": {
        "serve": ("servers", "Serve the HTTP API, watch files and run the keepers."),
        "openapi": ("servers", "Print the OpenAPI document of the HTTP API."),
    },
    "Settings": {
        "config": ("configuration", "Show, explain and change settings; shell completion."),
        "token": ("servers", "Add, list and revoke the tokens that let programs in."),
    },
}
TABLE = {name: about for group in GROUPS.values() for name, about in group.items()}
_EPILOG = """\b
Exit codes:
  0  all went well               4  conflict: the file changed meanwhile
  1  doctor found an error,      5  refused by policy or privacy
     or something else failed    6  busy: another process holds it
  2  bad input or usage          7  stored data is damaged
  3  not found                   8  the disk is full, or can only be read
                               130  stopped with Ctrl-C

Every command takes --json, and --help for its options.
"""


class Commands(Verbs):
    """The table of commands; a module is imported for the one command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order people meet them."""
        del ctx
        return list(TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        del ctx
        if cmd_name not in TABLE:
            return None
        module = import_module(f"oldsoul.faces.cli.commands.{TABLE[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without loading any of them."""
        del ctx
        widest = max(map(len, TABLE))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:<{widest}}", line) for name, (_, line) in commands.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run one command and leave with its exit code."""
        del standalone_mode, windows_expand_args
        # Whatever the locale says, words are UTF-8.
        given = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]]
        given = given if args is None else list(args)
        options = given[: given.index("--")] if "--" in given else given
        frame = Frame(wants_json="--json" in options, wants_traceback="--debug" in options)
        self._main_shell_completion({"obj": frame}, "oldsoul", complete_var)

        def run() -> None:
            with self.make_context(prog_name or "oldsoul", given, obj=frame, **extra) as context:
                self.invoke(context)

        leave(frame, run)


def _version(context: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.find_object(Frame).say(f"oldsoul {__version__}", {"version": __version__})  # type: ignore[union-attr]
        context.exit()


@click.group(cls=Commands, invoke_without_command=True, epilog=_EPILOG, context_settings={"max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version and stop."
)
@common
@click.pass_context
def cli(context: click.Context) -> None:
    """Oldsoul: memory and identity for LLM agents, kept in plain Markdown.

    Start with `oldsoul init`, then `oldsoul remember "..."`; `oldsoul tour` shows the rest.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _open_closed_streams() -> None:
    """Whoever called us may have closed standard streams; no file of ours may take their place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def main() -> NoReturn:
    """What the command `oldsoul` runs."""
    # One command is soon over: looking for garbage and taking the interpreter apart would cost a fifth of its time.
    gc.disable()
    _open_closed_streams()
    try:
        cli.main(prog_name="oldsoul")
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 0)
