"""A call of every public verb of an agent, and of a home, for tests that must hold for all of them."""

from __future__ import annotations

import inspect
from datetime import date
from typing import TYPE_CHECKING, Any

from oldsoul.app import Agent
from oldsoul.app.asynchronous import SERVICES
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.app import Oldsoul
    from oldsoul.values.sessions import Session

MEMORY = Name("main", "MEMORY.md")

WITH_SESSION: dict[str, Callable[[Agent, Session], Any]] = {
    "answer": lambda agent, session: agent.answer("x-1", "{}", session=session),
    "append_daily_log": lambda agent, session: agent.append_daily_log("It rained", session=session),
    "call_tool": lambda agent, session: agent.call_tool("memory_search", {"query": "hello"}, session=session),
    "context": lambda agent, session: agent.context("hello", session=session),
    "end_session": lambda agent, session: agent.end_session(session),
    "entries": lambda agent, session: agent.entries(session=session),
    "exchange": lambda agent, session: agent.exchange("hello there", session=session),
    "get": lambda agent, session: agent.get("MEMORY.md", session=session),
    "hear": lambda agent, session: agent.hear("hello there", session=session),
    "load_workspace_memory": lambda agent, session: agent.load_workspace_memory(session=session),
    "prompt": lambda agent, session: agent.prompt("hello", session=session),
    "readable": lambda agent, session: agent.readable(session=session),
    "recall": lambda agent, session: agent.recall("hello", session=session),
    "respond": lambda agent, session: agent.respond("hello there", session=session),
    "search": lambda agent, session: agent.search("hello", session=session),
    "stream": lambda agent, session: agent.stream("hello there", session=session),
    "team": lambda agent, session: agent.team("hello there", session=session),
    "work": lambda agent, session: agent.work(session=session),
}
WITHOUT: dict[str, Callable[[Agent], Any]] = {
    "review.approve": lambda agent: agent.review.approve("x"),
    "files.blame": lambda agent: agent.files.blame("MEMORY.md"),
    "files.bootstrap": lambda agent: agent.files.bootstrap(),
    "calendar": lambda agent: agent.calendar(date(2026, 2, 1), date(2026, 2, 4)),
    "files.change": lambda agent: agent.files.change(1),
    "review.conflicts": lambda agent: agent.review.conflicts(),
    "correct": lambda agent: agent.correct("The cat is called Mia"),
    "day": lambda agent: agent.day(date(2026, 2, 4)),
    "days": Agent.days,
    "files.delete": lambda agent: agent.files.delete("Rooms/none.md"),
    "files.diff": lambda agent: agent.files.diff(1),
    "edit": lambda agent: agent.edit("MEMORY.md", "nothing", "The boat is red"),
    "entry": lambda agent: agent.entry("MEMORY.md", "nothing"),
    "files.ensure_workspace": lambda agent: agent.files.ensure_workspace(),
    "files.file": lambda agent: agent.files.file("SOUL.md"),
    "files.all": Agent.files,
    "find": lambda agent: agent.find("cat"),
    "forget": lambda agent: agent.forget(MEMORY, "nothing"),
    "forget_message": lambda agent: agent.forget_message(10**6),
    "forget_secret": lambda agent: agent.forget_secret("nothing"),
    "files.history": lambda agent: agent.files.history(),
    "import_messages": lambda agent: agent.import_messages([]),
    "index.status": lambda agent: agent.index.status(),
    "files.load_agents_md": lambda agent: agent.files.load_agents_md(),
    "load_room_context": lambda agent: agent.load_room_context("dev"),
    "files.load_soul": lambda agent: agent.files.load_soul(),
    "message": lambda agent: agent.message(10**6),
    "messages": lambda agent: agent.messages(Wanted()),
    "review.preview": lambda agent: agent.review.preview("x"),
    "promote": lambda agent: agent.promote("Likes tea", "acct:ann"),
    "review.proposal": lambda agent: agent.review.proposal("x"),
    "review.proposals": lambda agent: agent.review.proposals(),
    "files.put": lambda agent: agent.files.put("MEMORY.md", b"- one\n"),
    "index.rebuild": lambda agent: agent.index.rebuild(),
    "review.reject": lambda agent: agent.review.reject("x"),
    "remember": lambda agent: agent.remember("The boat is green"),
    "files.reset": lambda agent: agent.files.reset("AGENTS.md"),
    "restore_day": lambda agent: agent.restore_day(date(2026, 2, 4)),
    "rooms": Agent.rooms,
    "run": lambda agent: agent.run("soul-history", dry_run=True),
    "secrets": Agent.secrets,
    "session": lambda agent: agent.session("nobody"),
    "sessions": Agent.sessions,
    "settings": lambda agent: agent.settings,
    "review.settle": lambda agent: agent.review.settle("nothing", "both"),
    "files.show": lambda agent: agent.files.show("MEMORY.md"),
    "files.soul_diff": lambda agent: agent.files.soul_diff("now"),
    "files.soul_rollback": lambda agent: agent.files.soul_rollback("1"),
    "files.soul_versions": lambda agent: agent.files.soul_versions(),
    "start": lambda agent: agent.start("nothing"),
    "index.sync": lambda agent: agent.index.sync(),
    "tools": Agent.tools,
    "undo": lambda agent: agent.undo(1),
    "files.name": lambda agent: agent.files.name("MEMORY.md"),
    "files.plain": lambda agent: agent.files.plain("MEMORY.md", b"- one\n"),
    "files.reconciled": lambda agent: agent.files.reconciled("MEMORY.md", b"- one\n", ""),
    "files.seed": lambda agent: agent.files.seed("MEMORY.md"),
    "files.soul_text": lambda agent: agent.files.soul_text("now"),
    "files.summaries": lambda agent: agent.files.summaries([]),
    "files.template": lambda agent: agent.files.template("MEMORY.md"),
    "files.versions": lambda agent: agent.files.versions("MEMORY.md"),
    "files.version_at": lambda agent: agent.files.version_at("MEMORY.md", 1),
    "withdraw": lambda agent: agent.withdraw("x"),
}
NO_VERBS = {"allowed", "caller", "id", "parts", *SERVICES}
"""What an agent has that is no verb."""


def verbs() -> dict[str, Any]:
    """Each public verb of an agent and of its services, by its name: `recall`, `review.approve`."""
    kinds: dict[str, type] = {"": Agent, **{f"{name}.": kind for name, kind in SERVICES.items()}}
    return {
        f"{service}{name}": inspect.getattr_static(kind, name)
        for service, kind in kinds.items()
        for name in dir(kind)
        if not name.startswith("_") and not (kind is Agent and name in NO_VERBS)
    }


HOME_VERBS: dict[str, Callable[[Oldsoul, Path], Any]] = {
    "add_token": lambda soul, _: soul.add_token("reader"),
    "agent": lambda soul, _: soul.agent(),
    "agents": lambda soul, _: soul.agents(),
    "append_daily_log": lambda soul, _: soul.append_daily_log("main", "It rained"),
    "backup": lambda soul, folder: soul.backup(folder / "verb.tar"),
    "bind": lambda soul, _: soul.bind("ann", "acct:ann"),
    "boot": lambda soul, _: soul.boot(),
    "check_token": lambda soul, _: soul.check_token("os_none"),
    "claim": lambda soul, _: soul.claim(dry_run=True),
    "events": lambda soul, _: soul.events(),
    "finish_forgetting": lambda soul, _: soul.finish_forgetting(),
    "job": lambda soul, _: soul.job("none"),
    "jobs": lambda soul, _: soul.jobs(),
    "load_team_workspace": lambda soul, _: soul.load_team_workspace("none"),
    "log_in": lambda soul, _: soul.log_in(),
    "open": lambda soul, folder: type(soul).open(folder / "home").close(),
    "restore": lambda soul, folder: type(soul).restore(folder / "verb.tar", folder / "restored"),
    "revoke_token": lambda soul, _: soul.revoke_token("none"),
    "scheduler": lambda soul, _: soul.scheduler(),
    "settings": lambda soul, _: soul.settings,
    "spending": lambda soul, _: soul.spending(date(2026, 2, 1), date(2026, 2, 4)),
    "teams": lambda soul, _: soul.teams(),
    "tokens": lambda soul, _: soul.tokens(),
    "try_services": lambda soul, _: soul.try_services(),
    "unbind": lambda soul, _: soul.unbind("ann"),
    "watch": lambda soul, _: soul.watch(),
    "workspaces": lambda soul, _: soul.workspaces(),
}
NO_HOME_VERBS = {"close"}
"""What a home has that is no verb to be called while it is open."""
