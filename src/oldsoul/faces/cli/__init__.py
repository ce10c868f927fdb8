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

# Each command, the module it stands in, and its line in the list of commands.
TABLE = {
    "init": ("start.starting", "Make the home and every workspace ready."),
    "agents": ("start.starting", "List agents, teams and what they share."),
    "files": ("memory.looking", "List an agent's files, their size and state."),
    "show": ("memory.looking", "Print a file, as it is or as it was."),
    "edit": ("memory.editing", "Change a file in your editor."),
    "reset": ("memory.editing", "Put a file back to its template."),
    "remember": ("memory.remembering", "Write something down in MEMORY.md."),
    "forget": ("memory.remembering", "Erase an entry for good, from history too."),
    "search": ("ask.searching", "Ask memory a question, or look for words."),
    "context": ("ask.context", "Show what a session is told of memory before a reply."),
    "prompt": ("ask.context", "Show the prompt a session gets, and what it costs."),
    "get": ("ask.searching", "Print a piece of memory, as a session sees it."),
    "index": ("upkeep.index", "Show what is searched; rebuild it, keep it fresh."),
    "skills": ("ask.skills", "List skills, and why some are not offered."),
    "log-message": ("conversations.talking", "Log one message of a conversation."),
    "messages": ("conversations.talking", "Look through logged messages, or export them."),
    "import-messages": ("conversations.importing", "Log the messages of a file of JSON lines."),
    "triage": ("conversations.talking", "Show what a message would be flagged for."),
    "sessions": ("conversations.sessions", "List conversations and what of them is memory."),
    "end-session": ("conversations.sessions", "Make memory of what a conversation said."),
    "correct": ("memory.corrections", "Put something right, wherever memory has it wrong."),
    "corrections": ("memory.corrections", "List what was put right; check that it holds."),
    "run": ("upkeep.keepers", "Let a keeper do its work now."),
    "work": ("upkeep.work", "Do the keepers' thinking: see what they ask, and answer."),
    "schedule": ("upkeep.schedule", "Show what keepers run when; run them by the clock."),
    "promote": ("memory.promoting", "See what was asked to be kept; keep something yourself."),
    "people": ("conversations.people", "List people; bind their names to accounts."),
    "days": ("upkeep.days", "List the diary's days; archive them, bring them back."),
    "log": ("history.past", "List changes, newest first."),
    "diff": ("history.past", "Show what a change did, or how a file changed."),
    "blame": ("history.past", "Show who wrote each line of a file."),
    "undo": ("history.past", "Take one change back, leaving later ones."),
    "soul": ("history.soul", "Show how SOUL.md grew; compare versions, roll back."),
    "review": ("upkeep.review", "Look at proposed changes; approve or reject them."),
    "config": ("settings.config", "Show, explain and change settings."),
    "doctor": ("upkeep.doctor", "Check that everything is in order."),
    "tour": ("start.tour", "Walk through the main commands, with real output."),
    "completion": ("settings.completion", "Print the completion script for your shell."),
}
_EPILOG = """\b
Exit codes:
  0  all went well               4  conflict: the file changed meanwhile
  1  doctor found an error,      5  refused by policy or privacy
     or something else failed    6  busy: another process holds it
  2  bad input or usage          7  stored data is damaged
  3  not found                   8  the disk is full, or can only be read
                               130  stopped with Ctrl-C

Every command takes --json and its own --help.
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
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in TABLE.items()])

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
