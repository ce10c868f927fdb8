"""Oldsoul: one home, its agents and teams. Every face calls this, and nothing below it."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, ClassVar, Self

from oldsoul.app.agent import Agent
from oldsoul.app.home import Home
from oldsoul.app.home.storage import FORGETTING, NoWorld
from oldsoul.app.home.world import World
from oldsoul.errors import NotFound
from oldsoul.lazy import lazy
from oldsoul.values.callers import CallerRole
from oldsoul.values.names import checked_workspace
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from oldsoul.app.clock import scheduling, watching
    from oldsoul.app.clock.scheduling import Scheduler, Told
    from oldsoul.app.clock.watching import Taken, Watcher
    from oldsoul.app.jobs import Job
    from oldsoul.app.talk.log import Heard
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.ports import Model
    from oldsoul.settings import Settings
    from oldsoul.values.callers import Caller
    from oldsoul.values.context import Profile
    from oldsoul.values.events import Happened
else:
    scheduling, watching = lazy("oldsoul.app.clock", "scheduling", "watching")

__all__ = ["Agent", "Oldsoul", "Session", "Subject", "World"]


class Oldsoul:
    """One home: its agents, teams and settings. Open it with `Oldsoul.open(home)`."""

    _opener: ClassVar[Callable[..., Oldsoul]]
    """set by `wiring`, which alone knows how to build a world"""

    def __init__(self, world: World, *, makes: bool = False) -> None:
        self.parts = Home(world, makes=makes)
        """what it is made of; not part of the public API"""

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        model: Model | None = None,
        profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    ) -> Oldsoul:
        """The home at this folder (by default yours); made ready to use if it is new.

        Args:
            home: the folder.
            model: a language model of your own (anything with the method of the port `Model`) makes the keepers better.
            profiles: gives what you keep of the people and things a message names (slot 6 of a context).
        """
        return cls._opener(home, model=model, profiles=profiles)

    def __repr__(self) -> str:
        return "<Oldsoul closed>" if isinstance(self.parts.world, NoWorld) else f"<Oldsoul {self.parts.world.home}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the home; a second time is fine. Whoever asks something of it afterwards is told, with `Closed`."""
        self.parts.close()

    @property
    def settings(self) -> Settings:
        """The settings of the home as they hold now; they may hold secrets."""
        return self.parts.settings

    def agents(self) -> list[str]:
        """The agents there are, by their ids: the default one first."""
        return self.parts.agents()

    def teams(self) -> list[str]:
        """The teams there are, by their names."""
        return self.parts.teams()

    def workspaces(self) -> list[str]:
        """All that have files of their own: agents, teams, and what they share."""
        return self.parts.workspaces()

    def agent(self, agent_id: str | None = None, *, caller: Caller | None = None) -> Agent:
        """One agent (or team) by its id, for who calls; the default agent when none is named, for the operator when nobody is."""
        self.parts.check_open()
        wanted = checked_workspace(agent_id or self.settings.default_agent)
        if wanted not in self.workspaces():
            there = ", ".join(self.workspaces())
            raise NotFound(f"there is no agent {wanted!r}, only {there}; add it to agents.list in config.yaml")
        self.parts.make_new(wanted)
        return Agent(self.parts, wanted, caller or self.parts.owner)

    def events(
        self, after: str = "", *, caller: Caller | None = None, limit: int = 1000, wait: float = 0.0
    ) -> Happened:
        """What happened after a cursor: changes, proposals, messages, jobs, settings, of every process, in one order.

        Args:
            after: the cursor of an event or of a page before; nothing for all that is kept, `now` for what is to come.
            caller: who asks, and through whose eyes; the operator when left out.
            limit: at most so many events.
            wait: so many seconds are waited for an event when there is none yet; `Closed` when the home is meanwhile.

        `Gone` says that what came after the cursor is no longer kept.
        """
        self.parts.check_open()
        who = caller or self.parts.owner
        view = None if who.role is CallerRole.OPERATOR else self.parts.people.view(who.session or Session.group(""))
        return self.parts.events_told.read(after, view, limit, wait)

    def job(self, job_id: str) -> Job:
        """Long work that was started, by its id; `NotFound` when there is none, or it ended long ago."""
        self.parts.check_open()
        return self.parts.working.get(job_id)

    def jobs(self) -> list[Job]:
        """The long work that runs, and what ended lately, of every process, the latest first."""
        self.parts.check_open()
        return self.parts.working.every()

    def finish_forgetting(self) -> None:
        """Finish what was to be forgotten and was interrupted."""
        for workspace in self.workspaces():
            if self.parts.world.store.records(workspace, FORGETTING):
                self.agent(workspace).parts.forgetting(self.parts.owner.author).finish()

    def watch(
        self, agents: Sequence[str] = (), told: Callable[[Taken], None] = lambda _: None, *, every: float = 3.0
    ) -> Watcher:
        """Who keeps indexes up to date as files change: of these agents, or of all that want it; `start` or `run` it.

        Between two looks at the conversations so many seconds pass; at files too, where nobody tells of changes.
        """
        willing = (name for name in self.parts.searched() if self.parts.settings_of(name).memory.search.sync.watch)
        return watching.Watcher(self.parts, agents or tuple(willing), told, every=every)

    def scheduler(self, agents: Sequence[str] = (), told: Callable[[Told], None] = lambda _: None) -> Scheduler:
        """Who runs the keepers by the clock: those of these agents, or of all; `start` or `run` it, or `tick` for once."""
        return scheduling.Scheduler(
            self.parts,
            agents,
            told,
            perform=lambda job, _slot, progress: scheduling.performed(self.parts, self._kept, job, progress),
        )

    def _kept(self, agent: str, keeper: str, told: Callable[[str], None]) -> Iterator[Report]:
        """What a keeper does by the clock."""
        return self.agent(agent).parts.keeping.run(keeper, told=told)

    def append_daily_log(
        self, agents: str | Sequence[str], content: str | Iterable[str], *, key: str = "", **more: Any
    ) -> list[Outcome]:
        """Write what happened into the diary of one agent, or of each of several; `more` is what the agent's verb takes.

        What a team did stands in its own diary, and in that of each of its members.
        """
        text = content if isinstance(content, str) else "".join(content)
        members = {team.name: team.members for team in self.settings.teams}
        named = [agents] if isinstance(agents, str) else agents
        names = dict.fromkeys(each for name in named for each in (name, *members.get(name, ())))
        every = [self.agent(name) for name in names]  # nobody is written to when one of them is not there
        key = key or f"log:{uuid.uuid4().hex}"
        return [agent.append_daily_log(text, key=f"{key}:{agent.id}", **more) for agent in every]

    def boot(self) -> Heard | None:
        """Hand BOOT.md to the default agent as a message, as a server does when it starts; None when there is nothing in it.

        It is words and never a script: it is logged like any message, for the owner's eyes, and the agent replies to it.
        """
        agent = self.agent()
        text = agent.parts.plain("BOOT.md", agent.parts.read(agent.parts.name("BOOT.md")).data or b"").strip()
        if not text or not agent.settings.memory.enabled:
            return None
        return agent.hear(text, session=Session.cron("boot"), role="system", sender="BOOT.md")

    def bind(self, name: str, account: str) -> list[str]:
        """Say that a name in a channel is an account's, and join their memory; gives the agents whose files were joined."""
        return self.parts.people.bind(name, account, self.parts.owner.author)

    def unbind(self, name: str) -> str:
        """Say that a name is nobody's account any more; gives the account it was bound to."""
        return self.parts.people.unbind(name, self.parts.owner.author)

    def claim(self, workspaces: Sequence[str] = (), *, dry_run: bool = False) -> int:
        """Give this home the conversations of its workspaces (or some) that PostgreSQL has from before homes were told apart.

        Says how many messages; a dry run only counts them.
        """
        return self.parts.world.claim(workspaces or self.workspaces(), dry_run=dry_run)
