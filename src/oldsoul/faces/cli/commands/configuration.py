"""`config completion`: the script that completes our commands in a shell."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click
from click import shell_completion

from oldsoul.errors import NotFound
from oldsoul.faces.cli.frame import Frame
from oldsoul.faces.cli.output import clean, counted, styled, table, when
from oldsoul.faces.cli.verbs import Verb, Verbs, common, pass_frame
from oldsoul.settings import describe
from oldsoul.values.callers import Caller
from oldsoul.values.sessions import OWNER_SUBJECT
from oldsoul.views import upkeep
from oldsoul.wiring import change_setting, settings_at

if TYPE_CHECKING:
    from datetime import datetime

    from oldsoul.settings import Loaded


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


_HERE = Caller.operator(OWNER_SUBJECT, is_present=True)


def _settings(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """What the shell may complete: paths of settings."""
    return [each.path for each in describe() if each.path.startswith(incomplete) and "[]" not in each.path]


@click.group(cls=Verbs, default="show")
@common
def config() -> None:
    """Show, explain and change settings; print shell completion. Without a command: show what is set."""


config.add_command(completion)


@config.command("show")
@click.argument("path", default="", shell_complete=_settings)
@click.option("--all", "everything", is_flag=True, help="Include settings at their default.")
@pass_frame
def show_(frame: Frame, path: str, everything: bool) -> None:
    """Show the settings in force, at and below PATH, and where each was set.

    With -a, the settings of that agent. Secrets are never shown.
    """
    loaded = _loaded(frame)
    found = [each for each in describe(path) if "[]" not in each.path]
    value = [upkeep.setting(each, loaded) for each in found]
    shown = value if everything or path else [each for each in value if each["source"] != "default"]
    rows = [(each["path"], _as_text(each["value"]), _source(each)) for each in shown]
    lines = [table(("SETTING", "VALUE", "SET IN"), rows, flexible=1)] if rows else []
    hidden = len(value) - len(shown)
    if hidden:
        lines.append(f"{counted(hidden, 'setting is', 'settings are')} at their default; --all shows them.")
    lines += [styled(str(problem), "yellow") for problem in loaded.problems if problem.severity != "note"]
    frame.say("\n".join(lines), shown)


def _loaded(frame: Frame) -> Loaded:
    loaded = settings_at(frame.home_folder, None, os.environ)
    if frame.agent_id is None:
        return loaded
    settings = loaded.settings
    known = {settings.default_agent, *(a.id for a in settings.agents.list), *(t.name for t in settings.teams)}
    if frame.agent_id not in known:
        raise NotFound(f"there is no agent {frame.agent_id!r}; there are {', '.join(sorted(known))}")
    return settings_at(frame.home_folder, frame.agent_id, os.environ)


def _as_text(value: Any) -> str:
    return clean(value) if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _source(about: dict[str, Any]) -> str:
    line = f":{about['line']}" if about["line"] else ""
    return f"{'config.yaml' if about['source'] == 'agent' else about['source']}{line}"


@config.command()
@click.argument("path", default="", shell_complete=_settings)
@pass_frame
def explain(frame: Frame, path: str) -> None:
    """Explain every setting at and below PATH: its meaning, type, default and other names.

    Example: oldsoul config explain memory.search
    """
    found = describe(path)
    lines = []
    for each in found:
        lines += [styled(each.path, "bold"), f"  {each.help}", f"  {each.type}; default {each.default}"]
        lines += [f"  also: {', '.join(each.aliases)}"] if each.aliases else []
        lines += [f"  environment: {each.env}"] if each.env else []
        lines.append("")
    frame.say("\n".join(lines).rstrip(), [each._asdict() for each in found])


@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("path", shell_complete=_settings)
@click.argument("value")
@pass_frame
def set_(frame: Frame, path: str, value: str) -> None:
    """Set PATH to VALUE in config.yaml and leave every other line alone.

    With -a, for that agent alone. agents.NAME.SETTING does the same.
    """
    path = _for_agent(frame, path)
    changed = change_setting(frame.home_folder, _HERE, path, value)
    _answer(frame, path, changed=changed, did="set")


@config.command("unset")
@click.argument("path", shell_complete=_settings)
@pass_frame
def unset_(frame: Frame, path: str) -> None:
    """Remove PATH from config.yaml, so that its default applies again."""
    path = _for_agent(frame, path)
    changed = change_setting(frame.home_folder, _HERE, path, None)
    _answer(frame, path, changed=changed, did="unset")


def _for_agent(frame: Frame, path: str) -> str:
    if frame.agent_id is None:
        return path
    _loaded(frame)
    return f"agents.{frame.agent_id}.{path}"


def _answer(frame: Frame, path: str, *, changed: bool, did: str) -> None:
    loaded = _loaded(frame)
    problems = [str(problem) for problem in loaded.problems if problem.severity != "note"]
    place = frame.home_folder / "config.yaml"
    text = f"{path} is {did} in {place}." if changed else f"{place} already has this value; nothing was changed."
    value = {"path": path, "changed": changed, "file": str(place), "problems": problems}
    frame.say("\n".join([text, *(f"Note: {clean(problem)}" for problem in problems)]), value)


_ROLES = ("operator", "agent", "reader")
_LONGEST = 36_500
_NONE = "–"


@click.group(cls=Verbs, default="list")
@common
def token() -> None:
    """Add, list and revoke the tokens that let programs in (see `oldsoul proxy`). Without a command: list them."""


@token.command()
@click.option("--role", type=click.Choice(_ROLES), default="agent", show_default=True, help="What it may do.")
@click.option(
    "--person",
    metavar="PERSON",
    help="The person it speaks for. With the role operator: one of the operators, you by default.",
)
@click.option("--days", type=click.IntRange(1, _LONGEST), metavar="NUMBER", help="Expire after this many days.")
@click.option("--name", default="", metavar="TEXT", help="A name to recognise it by.")
@pass_frame
def add(frame: Frame, role: str, person: str | None, days: int | None, name: str) -> None:
    """Add a token and print it. It is shown only now; a hash of it is stored.

    A program with this token talks with your agents (or with one, with -a) in private conversations of that person. Agents
    and operators are remembered; what readers say is not logged.

    Example: oldsoul token add --role operator --name laptop
    """
    now = _now(frame)
    expires = None if days is None else now + timedelta(days=days)
    agent = frame.agent.id if frame.agent_id else ""
    made = frame.soul.add_token(role, person=person, agent=agent, expires=expires, name=name)
    until = f" until {expires:%Y-%m-%d %H:%M}" if expires else ""
    frame.note(
        f"Token {made.token.id} ({role}) for {clean(made.token.person.id)}, valid{until}. Keep it: it is not shown again."
    )
    frame.say(made.secret, {"token": made.secret, **upkeep.token(made.token, now)})


@token.command("list")
@pass_frame
def list_(frame: Frame) -> None:
    """List the tokens, never what they are: for whom, for which agent, and until when.

    Example: oldsoul token list
    """
    now = _now(frame)
    found = frame.soul.tokens()
    rows = []
    for each in found:
        ends = each.expires and f"{when(each.expires.isoformat(), now)}{' (expired)' if each.has_expired(now) else ''}"
        made = when(each.created.isoformat(), now)
        rows.append(
            (each.id, each.role, each.person.id, each.agent or "all", made, ends or "never", each.name or _NONE)
        )
    heads = ("ID", "ROLE", "PERSON", "AGENT", "ADDED", "EXPIRES", "NAME")
    text = table(heads, rows) if rows else "There are no tokens; `oldsoul token add` adds one."
    frame.say(text, [upkeep.token(each, now) for each in found])


@token.command()
@click.argument("which")
@pass_frame
def revoke(frame: Frame, which: str) -> None:
    """Revoke the token with this id or name. It is not accepted any more, from the next request on.

    Example: oldsoul token revoke laptop
    """
    gone = frame.soul.revoke_token(which)
    frame.say(f"Revoked {gone.id}{f' ({clean(gone.name)})' if gone.name else ''}.", upkeep.token(gone, _now(frame)))


def _now(frame: Frame) -> datetime:
    return frame.soul.agent().parts.today()
