"""The settings of context and prompt: budgets, limits, and how things are presented."""

from oldsoul.values.options import ON, group, option, options

PERSONAS = ("critic", "editor", "engineer", "planner", "researcher", "tutor")
"""The built-in personas; each is a file of that name in `templates/personas`."""


def is_persona(name: str) -> bool:
    """Whether there is a built-in persona of this name, in capitals or not."""
    return name.strip().casefold() in PERSONAS


@options
class SkillsOptions:
    """Which skills are offered, and how many (S3 section 4)."""

    enabled: bool = option(ON, "Offer skills in the prompt.")
    disabled: tuple[str, ...] = option((), "Names of skills that are not offered.")
    plugin_dirs: tuple[str, ...] = option((), "Folders with skills from plugins.", names="path")


@options
class ReplyOptions:
    """The replies of agents: how much of the conversation the model gets, and how long it may use tools."""

    history_messages: int = option(
        40,
        "Maximum number of earlier messages of the session that the model gets; 0 for none.",
        minimum=0,
        maximum=1000,
    )
    tool_rounds: int = option(
        8,
        "How often the model may call tools before it has to reply; 0: it gets no tools (for small models).",
        minimum=0,
        maximum=100,
    )


@options
class ContextOptions:
    """What goes before a reply, and how much of it (S4 section 6, S3 sections 1 and 2)."""

    budget_tokens: int = option(
        6000,
        "Tokens of memory in a prompt, for all slots together.",
        aliases=("context_budget_tokens",),
        minimum=0,
        where="tunable",
    )
    identity_tokens: int = option(
        800, "Slot 1: tokens for SOUL.md.", aliases=("identity_tokens",), minimum=0, where="tunable"
    )
    user_profile_tokens: int = option(
        600, "Slot 2: tokens for USER.md.", aliases=("user_profile_tokens",), minimum=0, where="tunable"
    )
    corrections_tokens: int = option(
        400, "Slot 3: tokens for corrections.", aliases=("corrections_tokens",), minimum=0, where="tunable"
    )
    recent_memory_tokens: int = option(
        1200,
        "Slot 4: tokens for recent days, sessions and the room.",
        aliases=("recent_memory_tokens",),
        minimum=0,
        where="tunable",
    )
    semantic_recall_tokens: int = option(
        1500,
        "Slot 5: tokens for what recall finds for the message.",
        aliases=("semantic_recall_tokens",),
        minimum=0,
        where="tunable",
    )
    crm_tokens: int = option(
        1000,
        "Slot 6: tokens for profiles of the people being talked about.",
        aliases=("crm_tokens", "crm_context_budget"),
        minimum=0,
        where="tunable",
    )
    longterm_memory_tokens: int = option(
        500,
        "Slot 7: tokens for MEMORY.md and the person's long-term memory.",
        aliases=("longterm_memory_tokens",),
        minimum=0,
        where="tunable",
    )
    external_tokens: int = option(
        0,
        "Slot 8: tokens for context from another program.",
        aliases=("external_context_budget",),
        minimum=0,
        where="tunable",
    )
    external_source: str = option(
        "", "The file (text or JSON) that slot 8 is read from.", aliases=("external_context_source",), names="path"
    )
    crm_source: str = option("", "A folder of profiles for slot 6. Empty: each person's `profile.md`.", names="path")
    correction_overflow_strategy: str = option(
        "prioritize_unverified",
        "Which corrections are kept when not all fit: those not yet re-embedded first and then the newest, or"
        " just the newest.",
        aliases=("correction_overflow_strategy",),
        choices=("prioritize_unverified", "newest_first"),
        where="tunable",
    )
    bootstrap_max_chars: int = option(
        20_000,
        "Maximum number of characters of one workspace file in a prompt. Of a longer file the beginning and the"
        " end are kept, with a mark between them.",
        aliases=("bootstrap_max_chars",),
        minimum=100,
    )
    bootstrap_total_max_chars: int = option(
        150_000,
        "Maximum number of characters of all workspace files together.",
        aliases=("bootstrap_total_max_chars",),
        minimum=100,
    )
    citations: str = option(
        "auto",
        "Whether answers name the file and line of their sources: always, never, or where it helps.",
        aliases=("memory.citations",),
        choices=("on", "off", "auto"),
    )
    prompt_mode: str = option(
        "full",
        "How much of the system prompt an agent gets: every section, those that a sub-agent needs, or only the"
        " identity line.",
        choices=("full", "minimal", "none"),
    )
    skills: SkillsOptions = group(SkillsOptions, "Which skills are offered.")
    replies: ReplyOptions = group(ReplyOptions, "The replies of agents.")
