"""`config completion`: the script that completes our commands in a shell."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click
from click import shell_completion

from oldsoul.errors import NotFound
from oldsoul.faces.cli.frame import Frame
from oldsoul.faces.cli.output import clean, counted, styled, table
from oldsoul.faces.cli.verbs import Verb, Verbs, common, pass_frame
from oldsoul.settings import describe
from oldsoul.values.callers import Caller
from oldsoul.values.sessions import OWNER_SUBJECT
from oldsoul.views import home
from oldsoul.wiring import change_setting, config_file, settings_at

if TYPE_CHECKING:
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
    value = [home.setting(each, loaded) for each in found]
    shown = value if everything or path else [each for each in value if each.source != "default"]
    rows = [(each.path, _as_text(each.value), _source(each)) for each in shown]
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


def _source(about: home.SettingShown) -> str:
    line = f":{about.line}" if about.line else ""
    return f"{'config.yaml' if about.source == 'agent' else about.source}{line}"


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
    place = config_file(frame.home_folder)
    same = "does not set it" if did == "unset" else "already has this value"
    text = f"{path} is {did} in {place}." if changed else f"{place} {same}; nothing was changed."
    value = {"path": path, "changed": changed, "file": place, "problems": problems}
    frame.say("\n".join([text, *(f"Note: {clean(problem)}" for problem in problems)]), value)
