"""What the shell may complete: agents, files, changes, proposals, sessions. Never fails, never makes a home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.errors import OldsoulError
from oldsoul.faces.cli.frame import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click


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
