"""The settings of a whole home, and the tree that all settings hang on."""

from oldsoul.context.options import ContextOptions
from oldsoul.keepers.options import KeeperOptions
from oldsoul.ranking.options import SearchOptions
from oldsoul.reading.moments import FORM, is_zone
from oldsoul.rules.options import MemoryOptions
from oldsoul.values.options import OFF, group, option, options


@options
class AgentOptions:
    """One agent. Any other setting may stand in its entry too, and then holds for this agent alone."""

    id: str = option("", "The agent's name, unique among agents and teams.")
    workspace: str = option("", "Its folder, for example an existing OpenClaw workspace. Empty: its own in the home.")
    display_name: str = option("", "What people see it called. Empty: its name.", aliases=(".name",))
    role: str = option("", "Who it is, in a sentence. A SOUL.md that somebody has edited goes before it.")
    instructions: str = option("", "What it does and how. An AGENTS.md that somebody has edited goes before it.")
    persona: str = option("", "One of the built-in personas.")
    model: str = option("", "The language model it answers with, as its prompt tells it.")
    default: bool = option(OFF, "Whether it is the default agent; `default_agent` says the same.")


@options
class AgentDefaults:
    """What holds for agents that do not say otherwise. Any other setting may stand here too."""

    workspace: str = option("", "Folder of the default agent, when its own entry names none.", where="home")
    heartbeat_prompt: str = option(
        "", "What the default agent is asked at a heartbeat.", aliases=(".heartbeat.prompt",), where="home"
    )
    model: str = option("", "The language model agents answer with, as their prompts tell them.", where="home")


@options
class AgentsOptions:
    """The agents of the home."""

    defaults: AgentDefaults = group(
        AgentDefaults, "What holds for agents that do not say otherwise. Any other setting may stand here too."
    )
    list: tuple[AgentOptions, ...] = option(
        (),
        "The agents, as a list, or under `agents` by name. The default agent exists in any case.",
        aliases=(".*",),
        where="home",
    )


@options
class TeamOptions:
    """One team of agents, with a workspace of its own."""

    name: str = option("", "The team's name, unique among agents and teams.")
    members: tuple[str, ...] = option((), "Its agents: what a team's diary takes down, theirs do.")
    rooms: tuple[str, ...] = option(
        (),
        "The rooms whose people may see the team's memory.",
        idle="a team's memory is seen by those who would see an agent's",
    )
    display_name: str = option("", "What people see it called. Empty: its name.")


@options
class MemorySettings(MemoryOptions):
    """Memory, and the search in it."""

    search: SearchOptions = group(SearchOptions, "Search over memory and conversations.", aliases=("memory_search",))


@options
class StorageOptions:
    """Where conversations are stored."""

    chat: str = option(
        "sqlite", "`sqlite`: a file in the home. `postgres`: a server.", choices=("sqlite", "postgres"), where="home"
    )
    postgres_dsn: str = option(
        "",
        "How to reach the PostgreSQL server; best left in the environment.",
        secret=True,
        env="OLDSOUL_POSTGRES_DSN",
        where="home",
    )


@options
class GitOptions:
    """Workspaces under git."""

    init: bool = option(OFF, "Make a new workspace a git repository.", where="home")


@options
class LoggingOptions:
    """What Oldsoul tells of its own doings. No message text is logged."""

    level: str = option("warning", "How much is told.", choices=("debug", "info", "warning", "error"), where="home")
    file: str = option("", "File it is written to. Empty: standard error.", where="home")


@options
class Settings:
    """All settings of a home, as they hold for one agent."""

    default_agent: str = option("main", "The agent that is meant when none is named.", where="home")
    operators: tuple[str, ...] = option(
        ("acct:owner",), "Who may correct memories, approve proposals and change a soul, by subject id.", where="home"
    )
    timezone: str = option(
        "",
        "Time zone of daily logs, headings and the schedule, as an IANA name. Empty: this machine's.",
        aliases=("time_zone",),
        form=FORM,
        fits=is_zone,
    )
    agents: AgentsOptions = group(AgentsOptions, "The agents of the home.")
    teams: tuple[TeamOptions, ...] = option((), "Teams of agents, as a list or by name.", where="home")
    memory: MemorySettings = group(MemorySettings, "Memory as a whole.")
    context: ContextOptions = group(ContextOptions, "What goes before a reply, and how much of it.")
    keepers: KeeperOptions = group(KeeperOptions, "The jobs that maintain memory.")
    storage: StorageOptions = group(StorageOptions, "Where conversations are stored.")
    git: GitOptions = group(GitOptions, "Workspaces under git.")
    logging: LoggingOptions = group(LoggingOptions, "What Oldsoul tells of its own doings.")
