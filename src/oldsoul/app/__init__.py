"""Oldsoul: one home with its agents and teams. Every face calls this, and nothing below it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from oldsoul.app.agent import Agent
from oldsoul.app.home import Home
from oldsoul.app.home.storage import FORGETTING, NoWorld
from oldsoul.app.home.world import World
from oldsoul.errors import NotFound
from oldsoul.lazy import lazy
from oldsoul.settings import Loaded, Settings
from oldsoul.values.callers import Caller, CallerRole, Token
from oldsoul.values.names import checked_workspace
from oldsoul.values.sessions import Session, Subject

if TYPE_CHECKING:
    from oldsoul.app.clock import scheduler, watcher
    from oldsoul.app.clock.scheduler import Scheduler, SchedulerEvent
    from oldsoul.app.clock.timetable import Timetable
    from oldsoul.app.clock.watcher import SyncEvent, Watcher
    from oldsoul.app.home import seals
    from oldsoul.app.home.people import Person
    from oldsoul.app.home.seals import Seal
    from oldsoul.app.home.services import SpentDay, TriedService
    from oldsoul.app.home.tokens import NewToken
    from oldsoul.app.jobs import Job
    from oldsoul.app.talk.log import Heard
    from oldsoul.driver import Report
    from oldsoul.ledger import Outcome
    from oldsoul.ports import Model, Talker
    from oldsoul.values.context import Profile
    from oldsoul.values.jobs import Happened
    from oldsoul.values.runtime import Backup
else:
    scheduler, watcher = lazy("oldsoul.app.clock", "scheduler", "watcher")
    (seals,) = lazy("oldsoul.app.home", "seals")

__all__ = ["Agent", "Oldsoul", "Session", "Subject", "World"]

_WHOLE = 2000
"""Lines that a MEMORY.md of any allowed size does not have."""


class Oldsoul:
    """One home: its agents, teams and settings. Open it with `Oldsoul.open(home)`."""

    _opener: ClassVar[Callable[..., Oldsoul]]
    """set by `wiring`, which alone knows how to build a world"""
    _restorer: ClassVar[Callable[..., Backup]]
    """as above"""

    def __init__(self, world: World, *, makes: bool = False) -> None:
        self._home = Home(world, makes=makes)

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        model: Model | None = None,
        talker: Talker | None = None,
        profiles: Callable[[Sequence[str]], Iterable[Profile]] | None = None,
    ) -> Oldsoul:
        """Open the home in this folder; a new home is set up.

        Args:
            home: the folder. Default: your own home.
            model: a language model for the keepers: any object with the method of the port `Model`.
            talker: a language model for replies: any object with the method of the port `Talker`.
            profiles: returns what you know about the people and things that a message names (slot 6 of a context).
        """
        return cls._opener(home, model=model, talker=talker, profiles=profiles)

    @classmethod
    def restore(
        cls,
        file: str | Path,
        home: str | Path | None = None,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Backup:
        """Restore a home from a file that `backup` wrote. Nothing is written unless all of it is intact.

        Workspaces that were outside the home are put into it, and its config.yaml leads to them there.

        Args:
            file: the backup.
            home: a folder that is empty or does not exist. Default: your own home.
            on_progress: called with how many bytes of how many are done; an error that it raises stops the work.

        Raises:
            BadInput: the folder is not empty.
            Damaged: the file is damaged, or not a backup.
        """
        return cls._restorer(file, home, on_progress)

    def __repr__(self) -> str:
        return "<Oldsoul closed>" if isinstance(self._home.world, NoWorld) else f"<Oldsoul {self._home.world.home}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the home; calling it twice is fine. Later calls raise `Closed`."""
        self._home.close()

    @property
    def settings(self) -> Settings:
        """The current settings of the home; they may contain secrets."""
        return self._home.settings

    @property
    def folder(self) -> str:
        """The folder of the home."""
        return self._home.world.home

    def workspace_folder(self, name: str) -> str:
        """Return the folder of an agent, a team or the shared workspace."""
        return self._home.world.places.folder(name)

    def loaded_settings(self, agent: str = "") -> Loaded:
        """Return the settings of the home, or of one agent, each with where it was set; they may contain secrets."""
        return self._home.world.settings(agent or None)

    def now(self) -> datetime:
        """Return the time now."""
        return self._home.world.clock.now()

    def ensure_workspaces(self, *, git: bool = False) -> list[str]:
        """Create the folders and template files that are missing in any workspace; `created` has them.

        Args:
            git: also make each workspace a git repository.

        Returns:
            The workspaces that became git repositories.
        """
        self._home.ensure()
        return self._home.use_git() if git else []

    @property
    def created(self) -> dict[str, tuple[str, ...]]:
        """The files that were created from templates since the home was opened, by workspace."""
        return self._home.created

    def show_rebuilding(self, on_progress: Callable[[int, int], None]) -> None:
        """Have an index that needs it rebuilt before a search answers; without this, searches go on meanwhile.

        Args:
            on_progress: called with the number done and the total.
        """
        self._home.rebuilding = on_progress

    def seal(self) -> Seal:
        """Return what seals the numbers of messages and changes for callers who are not the operator."""
        secret = seals.secret_of(self._home)
        return seals.Seal(lambda: secret)

    def agents(self) -> list[str]:
        """Return the ids of the agents, the default one first."""
        return self._home.agents()

    def teams(self) -> list[str]:
        """Return the names of the teams."""
        return self._home.teams()

    def workspaces(self) -> list[str]:
        """Return the names of all workspaces: agents, teams and the shared one."""
        return self._home.workspaces()

    def agent(self, agent_id: str | None = None, *, caller: Caller | None = None) -> Agent:
        """Return one agent or team, for one caller.

        Args:
            agent_id: its id. Default: the default agent.
            caller: who calls. Default: the operator.

        Raises:
            NotFound: the home has no such agent.
        """
        self._home.check_open()
        wanted = checked_workspace(agent_id or self.settings.default_agent)
        if wanted not in self.workspaces():
            there = ", ".join(self.workspaces())
            raise NotFound(
                f"there is no agent {wanted!r}, only {there}; `oldsoul config set agents.{wanted}.role …` adds one"
            )
        self._home.make_new(wanted)
        return Agent(self._home, wanted, caller or self._home.owner)

    def events(
        self, after: str = "", *, caller: Caller | None = None, limit: int = 1000, wait: float = 0.0
    ) -> Happened:
        """Return what happened after a cursor, in one order: changes, proposals, messages, jobs and settings.

        The events come from every process that uses the home.

        Args:
            after: the cursor of an event or of the last page; empty for all that are kept, `now` for new ones only.
            caller: who asks, and so which events are visible. Default: the operator.
            limit: the largest number of events to return.
            wait: if there is no event yet, how many seconds to wait for one.

        Raises:
            Gone: the events after this cursor are no longer kept; start again.
            Closed: the home is closed, or was closed during the wait.
        """
        self._home.check_open()
        who = caller or self._home.owner
        view = None if who.role is CallerRole.OPERATOR else self._home.people.view(who.session or Session.group(""))
        return self._home.events_told.read(after, view, limit, wait)

    def job(self, job_id: str) -> Job:
        """Return a job by its id; `NotFound` when there is none, or it ended long ago."""
        self._home.check_open()
        return self._home.working.get(job_id)

    def jobs(self) -> list[Job]:
        """Return running and recently ended jobs of every process, the latest first."""
        self._home.check_open()
        return self._home.working.every()

    def finish_forgetting(self) -> None:
        """Finish every `forget` that was interrupted."""
        for workspace in self.workspaces():
            if self._home.world.store.records(workspace, FORGETTING):
                self.agent(workspace)._parts.forgetting(self._home.owner.author).finish()

    def watch(
        self, agents: Sequence[str] = (), on_event: Callable[[SyncEvent], None] = lambda _: None, *, every: float = 3.0
    ) -> Watcher:
        """Return a watcher that updates indexes when files change. `start` it in a thread, or `run` it here.

        Args:
            agents: whose indexes. Default: all agents whose settings turn watching on.
            on_event: called with each update or problem.
            every: seconds between two checks of the conversations, and of files on systems that report no changes.
        """
        willing = (name for name in self._home.searched() if self._home.settings_of(name).memory.search.sync.watch)
        return watcher.Watcher(self._home, agents or tuple(willing), on_event, every=every)

    @property
    def timetable(self) -> Timetable:
        """When keepers run, and their results."""
        return self._home.timetable

    def searched(self) -> list[str]:
        """Return the agents and teams whose memory can be searched."""
        return self._home.searched()

    def scheduler(
        self, agents: Sequence[str] = (), on_event: Callable[[SchedulerEvent], None] = lambda _: None
    ) -> Scheduler:
        """Return a scheduler for the keepers. `start` it in a thread, `run` it here, or call `tick` once.

        Args:
            agents: whose keepers. Default: those of all agents.
            on_event: called with each result or problem.
        """
        return scheduler.Scheduler(
            self._home,
            agents,
            on_event,
            perform=lambda job, _slot, progress: scheduler.performed(self._home, self._kept, job, progress),
        )

    def _kept(self, agent: str, keeper: str, on_progress: Callable[[str], None]) -> Iterator[Report]:
        """Run a keeper for the scheduler."""
        return self.agent(agent)._parts.keeping.run(keeper, on_progress=on_progress)

    def append_daily_log(
        self, agents: str | Sequence[str], content: str | Iterable[str], *, key: str = "", **more: Any
    ) -> list[Outcome]:
        """Write what happened into the diary of one agent or of several. A team's entry also goes to its members.

        Args:
            agents: one id or several; nothing is written when one of them does not exist.
            content: the text, or a stream of pieces, which is written when it has ended.
            key: an id of yours for this write; a repeated key is written once.
            **more: further arguments of `agent.talk.append_daily_log`.
        """
        text = content if isinstance(content, str) else "".join(content)
        members = {team.name: team.members for team in self.settings.teams}
        named = [agents] if isinstance(agents, str) else agents
        names = dict.fromkeys(each for name in named for each in (name, *members.get(name, ())))
        every = [self.agent(name) for name in names]  # nobody is written to when one of them is not there
        key = key or f"log:{uuid.uuid4().hex}"
        return [agent.talk.append_daily_log(text, key=f"{key}:{agent.id}", **more) for agent in every]

    def load_team_workspace(self, team: str, *, session: Session | None = None) -> tuple[str, str]:
        """Return the texts of a team's SOUL.md and MEMORY.md, as far as a session may see them; empty without a file.

        Args:
            team: the team's name; `NotFound` when there is none.
            session: read as this session. Default: the operator's private conversation.
        """
        if team not in self.teams():
            raise NotFound(f"there is no team {team!r}; add it to teams in config.yaml")
        agent, eyes = self.agent(team), session or Session.dm(self._home.people.operators[0])
        with suppress(NotFound):
            return agent.files.load_soul() or "", agent.memory.get("MEMORY.md", session=eyes, lines=_WHOLE)["text"]
        return agent.files.load_soul() or "", ""

    def boot(self) -> Heard | None:
        """Log BOOT.md as a message to the default agent, as a server does when it starts; None when the file is empty.

        BOOT.md is text, never run as a script. Only the operator sees the message.
        """
        agent = self.agent()
        text = agent.files.plain("BOOT.md", agent._parts.read(agent.files.name("BOOT.md")).data or b"").strip()
        if not text or not agent.settings.memory.enabled:
            return None
        return agent.hear(text, session=Session.cron("boot"), role="system", sender="BOOT.md")

    @property
    def operators(self) -> tuple[str, ...]:
        """The people who may correct an agent and change its soul, by their ids; the first is you."""
        return self._home.people.operators

    def people(self) -> list[Person]:
        """Return the people that the home knows."""
        return self._home.people.everyone()

    def person(self, subject: Subject) -> Subject:
        """Return a person by their canonical id: the account, where a name in a channel is bound to one."""
        return self._home.people.resolved(subject) or subject

    def bindings(self) -> dict[str, str]:
        """Return the names in channels that are bound, each with its account."""
        return self._home.people.bindings()

    def bind(self, name: str, account: str) -> list[str]:
        """Bind a person's id in a channel to an account and merge their memory.

        Args:
            name: the id in the channel, such as `ext:telegram:7`.
            account: the account, such as `acct:42`.

        Returns:
            The agents whose files were merged.

        Raises:
            BadInput: the ids are not of these forms, or the name is bound to another account.
        """
        return self._home.people.bind(name, account, self._home.owner.author)

    def unbind(self, name: str) -> str:
        """Unbind a person's id in a channel from its account; return the account. `NotFound` when it is not bound."""
        return self._home.people.unbind(name, self._home.owner.author)

    def add_token(
        self,
        role: str,
        *,
        person: Subject | str | None = None,
        agent: str = "",
        expires: datetime | None = None,
        name: str = "",
    ) -> NewToken:
        """Make a token that lets a program in, through the proxy or a server.

        Args:
            role: `operator`, `agent` or `reader`.
            person: the person whose private conversations it holds. Default: the operator, for the role `operator` only.
            agent: the one agent or team it is for. Default: all.
            expires: from when on it is not valid any more, with a time zone. Default: never.
            name: what you call it.

        Returns:
            The token and its secret, which is not stored and cannot be shown again.
        """
        return self._home.tokens.add(role, person, agent, expires, name)

    def log_in(self, token: Token | None = None) -> NewToken:
        """Make the token of a browser that has logged in, for 30 days.

        Args:
            token: what it logged in with: it gets the same rights, and is valid no longer than that one. Default: a link that
                the command line gave, which makes it the operator's.

        Returns:
            The token and its secret, in two halves with a point between them.
        """
        return self._home.tokens.log_in(token)

    def tokens(self) -> list[Token]:
        """Return the tokens, in the order they were added, without their secrets."""
        return self._home.tokens.all()

    def revoke_token(self, which: str) -> Token:
        """Make a token, and those made from it, invalid, by its id or name; return it; `NotFound` when there is none."""
        return self._home.tokens.revoke(which)

    def check_token(self, secret: str) -> Token:
        """Return the token of a secret; `Refused` when it is unknown, has expired or was revoked."""
        return self._home.tokens.check(secret)

    def try_services(self) -> list[TriedService]:
        """Try the embedder and the language model now, each with a short text; return how long each took, or what is wrong."""
        self._home.check_open()
        return self._home.services.tried()

    def spending(self, since: date, until: date) -> list[SpentDay]:
        """Return what language models cost from one day to another, the latest first; days without a question are left out.

        At most 400 days are asked for.
        """
        self._home.check_open()
        return self._home.services.spent(since, until)

    def backup(self, file: str | Path, on_progress: Callable[[int, int], None] = lambda _done, _total: None) -> Backup:
        """Write the home to one file, as it is at one moment, while others may go on writing to the home.

        The file is read back before it gets its name. It contains everything in plain text, the secrets of config.yaml
        too; only its owner may read it.

        Args:
            file: where to write it; nothing is overwritten.
            on_progress: called with how many bytes of how many are done; an error that it raises stops the work.

        Raises:
            BadInput: the file is there already, or is inside the home.
            Unwritable: the disk is full or read-only.
        """
        self._home.check_open()
        return self._home.world.backup(self.workspaces(), str(file), on_progress)

    def claim(self, workspaces: Sequence[str] = (), *, dry_run: bool = False) -> int:
        """Assign conversations that an older version left in PostgreSQL to this home.

        Args:
            workspaces: only those of these workspaces. Default: all.
            dry_run: only count them.

        Returns:
            How many messages.
        """
        return self._home.world.claim(workspaces or self.workspaces(), dry_run=dry_run)
