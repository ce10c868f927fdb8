"""How commands are made: with the options that each of them takes, before its name or after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from oldsoul.errors import OldsoulError
from oldsoul.faces.cli.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_MOST_CHANGES = 20


def _frame(context: click.Context) -> Frame | None:
    """The call so far; None when it names no home that is there."""
    frame = context.find_object(Frame)
    return frame if frame and frame.is_home else None


def _quietly(find: Callable[[Frame], Iterable[str]], context: click.Context, incomplete: str) -> list[str]:
    """What is found and fits; nothing when the home cannot be read, for this is no place to complain."""
    try:
        frame = _frame(context)
        return [word for word in find(frame) if word.startswith(incomplete)] if frame else []
    except (OldsoulError, OSError):
        return []


def agents(context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Agents, teams and `_shared`."""
    return _quietly(lambda frame: frame.soul.workspaces(), context, incomplete)


def files(context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The agent's documents."""
    return _quietly(lambda frame: frame.agent.files.paths(), context, incomplete)


def changes(context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The numbers of the latest changes."""
    return _quietly(
        lambda frame: [str(c.id) for c in frame.agent.files.history(limit=_MOST_CHANGES)],
        context,
        incomplete,
    )


def changes_and_files(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """What `diff` takes."""
    return [*changes(context, param, incomplete), *files(context, param, incomplete)]


def proposals(context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Proposals that wait."""
    return _quietly(lambda frame: [p.id for p in frame.agent.review.proposals()], context, incomplete)


def sessions(context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Conversations, the latest first; none where a server would have to be waited for."""

    def found(frame: Frame) -> list[str]:
        if frame.soul.settings.storage.chat != "sqlite":
            return []
        return [held.thread.session.id for held in frame.agent.talk.sessions()]

    return _quietly(found, context, incomplete)


_PORT = 8765
"""Where servers listen, unless another port is given."""


class Whole(click.IntRange):
    """A whole number within bounds; help and refusals call it a number."""

    name = "number"


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(context: click.Context, _param: click.Parameter, value: Any) -> None:
        frame = context.find_object(Frame)
        if value and frame is not None:
            setattr(frame, name, value)

    return keep


def common_options() -> list[click.Option]:
    """Fresh copies of the options that every command takes."""
    silent: dict[str, Any] = {"expose_value": False, "is_eager": True}
    return [
        click.Option(["--home"], metavar="FOLDER", callback=_keep("home"), help="The data folder.", **silent),
        click.Option(
            ["-a", "--agent"],
            metavar="NAME",
            callback=_keep("agent_id"),
            shell_complete=agents,
            help="The agent or team it is about.",
            **silent,
        ),
        click.Option(["--json"], is_flag=True, callback=_keep("wants_json"), help="Answer in JSON.", **silent),
        click.Option(
            ["--debug"], is_flag=True, callback=_keep("wants_traceback"), help="Show where an error arose.", **silent
        ),
    ]


def common(function: Callable[..., None]) -> Callable[..., None]:
    """Gives a group's function the options that every command takes."""
    params: list[click.Parameter] = function.__dict__.setdefault("__click_params__", [])
    params[:0] = reversed(common_options())
    return function


def listening(function: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options that say where a server listens."""
    options = (
        click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
        click.option(
            "--port",
            type=Whole(0, 65535),
            default=_PORT,
            show_default=True,
            help="The port; 0 for any that is free.",
        ),
        click.option("--public", is_flag=True, help="Allow an address that other machines can reach."),
        click.option(
            "--name", "names", multiple=True, metavar="HOST", help="A further host name that clients use for it."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


class Verb(click.Command):
    """A command that takes the common options too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += common_options()


class FreeTextCommand(Verb):
    """A command that is told words of any kind, so that one of them may look like an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words and options; of an option that is none, it is said how to give words that begin with a dash."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            hint = f'Words that begin with a dash go after --, as in: {ctx.command_path} -- "{error.option_name} …"'
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from None


_FLAGS, _VALUED = ("--json", "--debug"), ("--home", "--agent", "-a")


class Verbs(click.Group):
    """A group of such commands, one of which runs when none is named."""

    command_class = Verb

    def __init__(self, *args: Any, default: str = "", takes_words: bool = False, **kwargs: Any) -> None:
        """Args: default is the command that runs when none is named; takes_words says that words are for it, too."""
        super().__init__(*args, **kwargs)
        self._default = default
        self._takes_words = takes_words

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The options, and the command with its own; the default where none is named."""
        place = 0
        while place < len(args) and args[place].startswith((*_FLAGS, *_VALUED)):
            place += 2 if args[place] in _VALUED else 1
        word = args[place] if place < len(args) else ""
        is_named = word in self.commands or (word and not word.startswith("-") and not self._takes_words)
        if self._default and not (is_named or word == "--help" or ctx.resilient_parsing):
            args = [*args[:place], self._default, *args[place:]]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was meant; a misspelt one is named with the nearest."""
        name = args[0] if args else ""
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

            near = get_close_matches(name, self.list_commands(ctx), 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"`{ctx.command_path} --help` lists them."
            raise click.UsageError(f"There is no command {name!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


pass_frame = click.make_pass_decorator(Frame)
