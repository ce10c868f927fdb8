"""The settings of a whole home, and the tree that all settings hang on."""

from oldsoul import plugins
from oldsoul.context.options import PERSONAS, ContextOptions, is_persona
from oldsoul.keepers.options import KeeperOptions
from oldsoul.ranking.options import SearchOptions
from oldsoul.reading.dates import FORM, is_zone
from oldsoul.rules.options import MemoryOptions
from oldsoul.values.options import OFF, group, option, options


@options
class AgentOptions:
    """One agent. Any other setting may stand in its entry too, and then holds for this agent alone."""

    id: str = option("", "The agent's name, unique among agents and teams.")
    workspace: str = option(
        "", "Its folder, for example an existing OpenClaw workspace. Empty: a folder in the home.", names="path"
    )
    display_name: str = option("", "The name that people see. Empty: its name.")
    role: str = option("", "Who it is, in a sentence. Ignored once SOUL.md was edited.")
    instructions: str = option("", "What it does and how. Ignored once AGENTS.md was edited.")
    persona: str = option("", "One of the built-in personas.", form=f"one of {', '.join(PERSONAS)}", fits=is_persona)
    model: str = option("", "The language model it answers with; its prompt names it.")


@options
class AgentDefaults:
    """What holds for agents that do not say otherwise. Any other setting may stand here too."""

    workspace: str = option("", "Folder of the default agent, if its own entry has none.", where="home", names="path")
    heartbeat_prompt: str = option(
        "", "The prompt that the default agent gets at a heartbeat.", aliases=(".heartbeat.prompt",), where="home"
    )
    model: str = option("", "The language model agents answer with; their prompts name it.", where="home")


@options
class AgentsOptions:
    """The agents of the home."""

    defaults: AgentDefaults = group(AgentDefaults, "Defaults for all agents. Any other setting may also be set here.")
    list: tuple[AgentOptions, ...] = option(
        (),
        "The agents, as a list, or under `agents` by name. The default agent exists in any case.",
        aliases=(".*",),
        where="home",
    )


@options
class TeamOptions:
    """One team of agents, with its own workspace."""

    name: str = option("", "The team's name, unique among agents and teams.")
    members: tuple[str, ...] = option((), "Its agents: what is added to the team's daily log is added to theirs too.")
    rooms: tuple[str, ...] = option((), "Rooms that share what the team learns in them.")


@options
class MemorySettings(MemoryOptions):
    """Memory, and the search in it."""

    search: SearchOptions = group(SearchOptions, "Search over memory and conversations.", aliases=("memory_search",))


@options
class StorageOptions:
    """Where conversations are stored."""

    chat: str = option(
        "sqlite",
        "`sqlite`: a file in the home. `postgres`: a server.",
        choices=("sqlite", "postgres"),
        plugins=plugins.STORES,
        where="home",
    )
    postgres_dsn: str = option(
        "",
        "Address of the PostgreSQL server; best set in the environment.",
        secret=True,
        env="OLDSOUL_POSTGRES_DSN",
        where="home",
    )


@options
class GitOptions:
    """Workspaces under git."""

    init: bool = option(OFF, "Make a new workspace a git repository.", where="home")


@options
class McpOptions:
    """Clients that use memory by the Model Context Protocol."""

    operator: bool = option(
        OFF,
        "Let an MCP client with an operator's token list and decide proposals, as the operator. Otherwise it is an agent.",
        where="home",
    )


@options
class Settings:
    """All settings of a home, as they hold for one agent."""

    default_agent: str = option("main", "The agent that is used when none is named.", where="home")
    operators: tuple[str, ...] = option(
        ("acct:owner",),
        "The ids of the people who may correct entries, approve proposals and change SOUL.md.",
        where="home",
    )
    timezone: str = option(
        "",
        "Time zone of daily logs, headings and the schedule, as an IANA name. Empty: this machine's.",
        form=FORM,
        fits=is_zone,
    )
    agents: AgentsOptions = group(AgentsOptions, "The agents of the home.")
    teams: tuple[TeamOptions, ...] = option((), "Teams of agents, as a list or by name.", where="home")
    memory: MemorySettings = group(MemorySettings, "Memory in general.")
    context: ContextOptions = group(ContextOptions, "What the agent is shown before a reply, and how much of it.")
    keepers: KeeperOptions = group(KeeperOptions, "The jobs that maintain memory.")
    storage: StorageOptions = group(StorageOptions, "Where conversations are stored.")
    git: GitOptions = group(GitOptions, "Workspaces under git.")
    mcp: McpOptions = group(McpOptions, "Clients that use memory by the Model Context Protocol.")
