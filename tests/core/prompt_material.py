"""What the tests of the prompt share: facts with every topic filled in, and facts written as YAML in golden files."""

from __future__ import annotations

from typing import Any

import yaml

from oldsoul.context.prompt_facts import (
    AgentFacts,
    ClockFacts,
    ContextFile,
    Docs,
    Levels,
    Messaging,
    Mode,
    ModelFacts,
    PromptFacts,
    Reactions,
    Sandbox,
    ToolFact,
    WorkspaceFacts,
)
from oldsoul.values.runtime import Machine
from oldsoul.values.sessions import SessionKind

TOPICS: dict[str, Any] = {
    "agent": AgentFacts,
    "levels": Levels,
    "clock": ClockFacts,
    "workspace": WorkspaceFacts,
    "sandbox": Sandbox,
    "docs": Docs,
    "messaging": Messaging,
    "reactions": Reactions,
    "model": ModelFacts,
    "machine": Machine,
}


def facts_of(text: str) -> PromptFacts:
    """The facts a golden case names."""
    given: dict[str, Any] = {key: _fixed(value) for key, value in (yaml.safe_load(text) or {}).items()}
    made = {key: TOPICS[key](**value) for key, value in given.items() if key in TOPICS}
    if "tools" in given:
        made["tools"] = tuple(ToolFact(name, summary or "") for name, summary in given["tools"].items())
    if "files" in given:
        made["files"] = tuple(ContextFile(path.split("/w/")[-1], path, text) for path, text in given["files"].items())
    if "mode" in given:
        made["mode"] = Mode(given["mode"])
    return PromptFacts(**{**given, **made})


def _fixed(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return {key: _fixed(each) for key, each in value.items()} if isinstance(value, dict) else value


def rich(mode: Mode) -> PromptFacts:
    """Facts that every section has something to say about."""
    names = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "BOOT.md")
    own = (ContextFile(name, f"/srv/ada/{name}", f"# {name[:-3].title()}\n\nWhat {name} says.") for name in names)
    return PromptFacts(
        mode=mode,
        session=SessionKind.GROUP,
        agent=AgentFacts("ada", "Ada"),
        tools=(
            ToolFact("weather", "Tell the weather"),
            ToolFact("memory_search", "Search memory"),
            ToolFact("memory_get", "Read a piece of memory"),
            ToolFact("subagents", "Start and steer helpers"),
            ToolFact("gateway", "Control the server"),
            ToolFact("message", "Send messages"),
            ToolFact("sessions_send", "Write to another conversation"),
            ToolFact("exec", "Run a command"),
            ToolFact("read", "Read a file"),
        ),
        levels=Levels("medium", "on", tags=True),
        clock=ClockFacts("Europe/Berlin", "Sunday, 15 November 2026, 23:05"),
        files=(*own, ContextFile("_shared/CULTURE.md", "/srv/_shared/CULTURE.md", "We write plainly.")),
        skills="## Skills\n\n(the list of skills)",
        workspace=WorkspaceFacts("/srv/ada", ("Drafts go to `drafts/`.",)),
        sandbox=Sandbox(enabled=True, workspace="/workspace", access="rw", browser="http://localhost:9222"),
        owner_numbers=("+49 30 123456", "+1 555 0100"),
        model_aliases=("fast: openai/gpt-mini",),
        docs=Docs("/usr/share/oldsoul/docs", ("https://oldsoul.example/docs",)),
        messaging=Messaging("telegram", ("inlineButtons", "replies"), ("Stickers are sent by name.",)),
        voice="Replies are read aloud: short sentences, no tables.",
        heartbeat="Anything due?\nLook at HEARTBEAT.md.",
        reactions=Reactions("minimal", "telegram"),
        extra="This room is about the garden.",
        model=ModelFacts("anthropic", "claude"),
        machine=Machine("lighthouse", "Linux 6.12", "x86_64", "3.11.4", "zsh", "/srv", "UTC"),
    )
