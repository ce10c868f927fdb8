"""A call of every public verb of an agent, and of a home, for tests that must hold for all of them."""

from __future__ import annotations

import inspect
from datetime import date
from typing import TYPE_CHECKING, Any

from oldsoul.app import Agent
from oldsoul.app.asynchronous import SERVICES
from oldsoul.values.messages import Wanted
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oldsoul.app import Oldsoul

MEMORY = Name("main", "MEMORY.md")

WITH_SESSION: dict[str, Callable[[Agent, Session], Any]] = {
    "keepers.answer": lambda agent, session: agent.keepers.answer("x-1", "{}", session=session),
    "talk.append_daily_log": lambda agent, session: agent.talk.append_daily_log("It rained", session=session),
    "call_tool": lambda agent, session: agent.call_tool("memory_search", {"query": "hello"}, session=session),
    "context": lambda agent, session: agent.context("hello", session=session),
    "talk.end": lambda agent, session: agent.talk.end(session),
    "memory.entries": lambda agent, session: agent.memory.entries(session=session),
    "exchange": lambda agent, session: agent.exchange("hello there", session=session),
    "memory.get": lambda agent, session: agent.memory.get("MEMORY.md", session=session),
    "hear": lambda agent, session: agent.hear("hello there", session=session),
    "memory.load_workspace_memory": lambda agent, session: agent.memory.load_workspace_memory(session=session),
    "prompt": lambda agent, session: agent.prompt("hello", session=session),
    "memory.readable": lambda agent, session: agent.memory.readable(session=session),
    "skills": lambda agent, session: agent.skills(session=session),
    "skills_section": lambda agent, session: agent.skills_section(("read",), session=session),
    "recall": lambda agent, session: agent.recall("hello", session=session),
    "respond": lambda agent, session: agent.respond("hello there", session=session),
    "stream": lambda agent, session: agent.stream("hello there", session=session),
    "team": lambda agent, session: agent.team("hello there", session=session),
    "keepers.work": lambda agent, session: agent.keepers.work(session=session),
}
WITHOUT: dict[str, Callable[[Agent], Any]] = {
    "review.approve": lambda agent: agent.review.approve("x"),
    "files.blame": lambda agent: agent.files.blame("MEMORY.md"),
    "files.bootstrap": lambda agent: agent.files.bootstrap(),
    "talk.calendar": lambda agent: agent.talk.calendar(date(2026, 2, 1), date(2026, 2, 4)),
    "files.change": lambda agent: agent.files.change(1),
    "review.conflicts": lambda agent: agent.review.conflicts(),
    "correct": lambda agent: agent.correct("The cat is called Mia"),
    "talk.day": lambda agent: agent.talk.day(date(2026, 2, 4)),
    "talk.days": lambda agent: agent.talk.days(),
    "files.delete": lambda agent: agent.files.delete("Rooms/none.md"),
    "files.diff": lambda agent: agent.files.diff(1),
    "memory.edit": lambda agent: agent.memory.edit("MEMORY.md", "nothing", "The boat is red"),
    "memory.entry": lambda agent: agent.memory.entry("MEMORY.md", "nothing"),
    "files.ensure_workspace": lambda agent: agent.files.ensure_workspace(),
    "files.file": lambda agent: agent.files.file("SOUL.md"),
    "files.all": lambda agent: agent.files.all(),
    "memory.find": lambda agent: agent.memory.find("cat"),
    "forget": lambda agent: agent.forget(MEMORY, "nothing"),
    "talk.forget_message": lambda agent: agent.talk.forget_message(10**6),
    "memory.forget_secret": lambda agent: agent.memory.forget_secret("nothing"),
    "files.history": lambda agent: agent.files.history(),
    "talk.import_messages": lambda agent: agent.talk.import_messages([]),
    "index.status": lambda agent: agent.index.status(),
    "files.load_agents_md": lambda agent: agent.files.load_agents_md(),
    "memory.load_room_context": lambda agent: agent.memory.load_room_context("dev"),
    "files.load_soul": lambda agent: agent.files.load_soul(),
    "talk.message": lambda agent: agent.talk.message(10**6),
    "talk.messages": lambda agent: agent.talk.messages(Wanted()),
    "review.preview": lambda agent: agent.review.preview("x"),
    "memory.promote": lambda agent: agent.memory.promote("Likes tea", "acct:ann"),
    "review.proposal": lambda agent: agent.review.proposal("x"),
    "review.proposals": lambda agent: agent.review.proposals(),
    "files.put": lambda agent: agent.files.put("MEMORY.md", b"- one\n"),
    "index.rebuild": lambda agent: agent.index.rebuild(),
    "review.reject": lambda agent: agent.review.reject("x"),
    "remember": lambda agent: agent.remember("The boat is green"),
    "files.reset": lambda agent: agent.files.reset("AGENTS.md"),
    "talk.restore_day": lambda agent: agent.talk.restore_day(date(2026, 2, 4)),
    "talk.rooms": lambda agent: agent.talk.rooms(),
    "run": lambda agent: agent.run("soul-history", dry_run=True),
    "memory.secrets": lambda agent: agent.memory.secrets(),
    "talk.session": lambda agent: agent.talk.session("nobody"),
    "talk.sessions": lambda agent: agent.talk.sessions(),
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
    "memory.check_corrections": lambda agent: agent.memory.check_corrections(),
    "memory.corrections": lambda agent: agent.memory.corrections(),
    "budget": lambda agent: agent.budget,
    "count_tokens": lambda agent: agent.count_tokens("the cat"),
    "display_name": lambda agent: agent.display_name,
    "files.folder": lambda agent: agent.files.folder,
    "files.paths": lambda agent: agent.files.paths(),
    "files.read": lambda agent: agent.files.read("MEMORY.md"),
    "keepers.all": lambda agent: agent.keepers.all(),
    "keepers.history": lambda agent: agent.keepers.history("memory-miner"),
    "keepers.run": lambda agent: list(agent.keepers.run("soul-history", dry_run=True)),
    "keepers.runs": lambda agent: agent.keepers.runs(),
    "model": lambda agent: agent.model,
    "now": lambda agent: agent.now(),
    "price": lambda agent: agent.price,
    "replies_by_model": lambda agent: agent.replies_by_model,
    "talk.archive_days": lambda agent: agent.talk.archive_days(),
    "talk.asked": lambda agent: agent.talk.asked("nobody"),
    "talk.audience": lambda agent: agent.talk.audience(Session.group("dev")),
    "talk.conversation": lambda agent: agent.talk.conversation(room="dev"),
    "talk.correct_again": lambda agent: agent.talk.correct_again(),
    "talk.correct_imported": lambda agent: agent.talk.correct_imported([]),
    "talk.days_kept": lambda agent: agent.talk.days_kept,
    "talk.every": lambda agent: list(agent.talk.every(Wanted())),
    "talk.files": lambda agent: agent.talk.files("nobody"),
    "talk.log_lines": lambda agent: agent.talk.log_lines([]),
    "talk.person": lambda agent: agent.talk.person("acct:ann"),
    "talk.unsummarised": lambda agent: agent.talk.unsummarised(agent.talk.session("nobody")),
    "zone": lambda agent: agent.zone,
    "memory.withdraw": lambda agent: agent.memory.withdraw("x"),
}
NO_VERBS = {"allowed", "caller", "id", *SERVICES}
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
    "bindings": lambda soul, _: soul.bindings(),
    "created": lambda soul, _: soul.created,
    "ensure_workspaces": lambda soul, _: soul.ensure_workspaces(),
    "folder": lambda soul, _: soul.folder,
    "loaded_settings": lambda soul, _: soul.loaded_settings(),
    "now": lambda soul, _: soul.now(),
    "operators": lambda soul, _: soul.operators,
    "people": lambda soul, _: soul.people(),
    "person": lambda soul, _: soul.person(Subject("ext:telegram:7")),
    "seal": lambda soul, _: soul.seal(),
    "searched": lambda soul, _: soul.searched(),
    "show_rebuilding": lambda soul, _: soul.show_rebuilding(lambda _done, _total: None),
    "timetable": lambda soul, _: soul.timetable.agents(),
    "workspace_folder": lambda soul, _: soul.workspace_folder("main"),
    "workspaces": lambda soul, _: soul.workspaces(),
}
NO_HOME_VERBS = {"close"}
"""What a home has that is no verb to be called while it is open."""
