"""The settings of the memory rules: what is kept, for how long, who sees it and who may change it."""

from oldsoul.values.options import ON, group, option, options

KEEPERS = (
    "memory-miner",
    "soul-keeper",
    "recall-validator",
    "conflict-detector",
    "memory-compactor",
    "session-summarizer",
)

_AUDIENCE_HELP = "`table`: each conversation sees what it is entitled to. "


@options
class WorkspaceOptions:
    """The Markdown files of an agent or team (S0 section 5)."""

    enabled: bool = option(ON, "Keep the agent's Markdown files: seed, read and write them.")
    max_file_size: int = option(
        16384,
        "Most bytes SOUL.md, AGENTS.md, USER.md, MEMORY.md or a room's file may have. A write past it is refused, never cut.",
        minimum=4096,
        maximum=1048576,
    )
    max_log_size: int = option(
        1048576,
        "Most bytes a daily log, session file or keeper's log may have before the next part file is begun.",
        minimum=16384,
        maximum=67108864,
    )
    daily_log_retention_days: int = option(
        30,
        "After how many days a daily log is summarised and archived. It and `compaction_age_days` are one: the smaller one that is set counts.",
        minimum=1,
    )


@options
class InjectionOptions:
    """The memory block put into a prompt (S2 section 11)."""

    enabled: bool = option(ON, "Put a block of remembered summaries into the prompt.")
    max_items: int = option(50, "Most lines of that block.", minimum=0)


def _number(number: int, meaning: str, *, least: int = 1, alias: str = "") -> int:
    """A number of days, hours or tokens."""
    return option(number, meaning, aliases=(alias,) if alias else (), minimum=least, where="tunable")


def _share(share: float, meaning: str, *, alias: str = "") -> float:
    """A number from 0 to 1."""
    return option(share, meaning, aliases=(alias,) if alias else (), minimum=0, maximum=1, where="tunable")


@options
class ConfidenceOptions:
    """How sure a memory is, and how that changes with time (S4 section 8)."""

    decay_interval_days: int = _number(
        30, "Every so many days without a mention take some confidence away.", alias="confidence_decay_interval_days"
    )
    decay_amount: float = _share(
        0.05, "How much confidence one such interval takes away.", alias="confidence_decay_amount"
    )
    floor: float = _share(0.2, "Confidence never decays below this.", alias="confidence_floor")
    boost_per_mention: float = _share(
        0.05, "How much confidence a repeated mention adds.", alias="confidence_boost_per_mention"
    )


@options
class RetentionOptions:
    """When memories are summarised, archived and tidied up (S4 sections 5.5 and 13)."""

    recent_hours: int = _number(
        48,
        "How far back recent memory reaches: every local day these hours touch.",
        least=0,
        alias="memory_retention_hours",
    )
    compaction_age_days: int = _number(
        30,
        "After how many days daily logs become a chronicle. It and `daily_log_retention_days` are one: the smaller one that is set counts.",
        alias="compaction_age_days",
    )
    correction_archive_days: int = _number(
        14,
        "After how many days a correction moves from CORRECTIONS.md to the archive, where it still holds.",
        alias="correction_archive_days",
    )
    corrected_embedding_grace_days: int = _number(
        7,
        "How many days the index keeps a text after it was corrected.",
        least=0,
        alias="corrected_embedding_grace_days",
    )
    embedding_staleness_days: int = _number(
        90,
        "After how many days a text that was mentioned only once is marked stale in the index.",
        alias="embedding_staleness_days",
    )
    stale_grace_days: int = _number(7, "How many days a text stays in the index after it was marked stale.", least=0)
    prune_confidence: float = _share(
        0.3, "An entry of MEMORY.md that the operator did not state may be archived when its confidence is below this."
    )
    prune_unmentioned_days: int = _number(
        60, "An entry of MEMORY.md is archived for low confidence only when nobody mentioned it for so many days."
    )


@options
class AudienceOptions:
    """Who sees the agent's two most private kinds of file."""

    memory: str = option(
        "table",
        f"Who sees MEMORY.md. {_AUDIENCE_HELP}`dm`: every private conversation sees it, so that one person may read another's words.",
        choices=("table", "dm"),
    )
    daily: str = option(
        "table",
        f"Who sees the daily logs. {_AUDIENCE_HELP}`agent`: every conversation of the agent sees them whole.",
        choices=("table", "agent"),
    )


@options
class TrustOptions:
    """Whose words a text counts as."""

    outside_edits: str = option(
        "operator",
        "Whose words a change counts as that was made in an editor, past Oldsoul.",
        choices=("operator", "participant", "untrusted"),
    )


@options
class SoulOptions:
    """How SOUL.md grows (S4 sections 5.2 and 9)."""

    growth: str = option(
        "ask",
        "`ask`: changes to SOUL.md wait for the operator. `auto`: the soul keeper makes them, with a snapshot and a way back.",
        choices=("ask", "auto"),
    )
    max_tokens: int = _number(
        800, "How many tokens the soul keeper may let SOUL.md grow to.", least=100, alias="soul_max_tokens"
    )
    history_retention_days: int = _number(
        90,
        "For how many days every snapshot of SOUL.md is kept; after that one a month stays.",
        alias="soul_history_retention_days",
    )


@options
class TriagePattern:
    """One pattern of your own that incoming messages are looked through for."""

    pattern: str = option("", "The regular expression to look for, whatever the case of its letters.")
    route: str = option("memory-miner", "The keeper that gets the message.", choices=KEEPERS)
    confidence: str = option("medium", "How sure a match is of what it means.", choices=("high", "medium"))


@options
class TriageOptions:
    """What incoming messages are looked through for (S4 section 7)."""

    enabled: bool = option(ON, "Look through incoming messages for things to remember and to correct.")
    languages: tuple[str, ...] = option(
        ("en", "zh", "ja", "de", "fr", "es", "it", "pt", "nl", "pl", "ru"),
        "The languages whose built-in patterns are used.",
    )
    custom_patterns: tuple[TriagePattern, ...] = option(
        (),
        "Patterns of your own, each with the keeper it leads to.",
        aliases=("heartbeat_custom_patterns",),
        where="tunable",
    )


@options
class MemoryOptions:
    """Memory as a whole."""

    enabled: bool = option(ON, "The main switch: without it nothing is remembered, recalled or put into prompts.")
    dir: str = option("", "Another folder for an agent's memory. Empty: `memory/` in its workspace.")
    short_term_days: int = option(
        7, "For how many days back the summaries of sessions are loaded.", minimum=0, maximum=3650
    )
    longterm_max_items: int = option(
        100, "Most items of one person's long-term memory; what is used least is archived first.", minimum=1
    )
    longterm_max_chars: int = option(3000, "Most characters of one person's long-term memory.", minimum=200)
    merge_similarity: float = option(
        0.8,
        "The share of their words that makes two items of a session's file one. Above 1: only the same title, task or link does.",
        minimum=0.7,
        maximum=2,
    )
    policy: tuple[tuple[str, str], ...] = option(
        (),
        "What a change needs, document by document, where the built-in rules shall not hold: a name such as MEMORY.md, and auto, ask or never.",
        aliases=("policy",),
        choices=("auto", "ask", "never"),
    )
    workspace: WorkspaceOptions = group(WorkspaceOptions, "The Markdown files of an agent or team.")
    injection: InjectionOptions = group(InjectionOptions, "The block of summaries put into a prompt.")
    confidence: ConfidenceOptions = group(ConfidenceOptions, "How sure a memory is, and how that changes with time.")
    retention: RetentionOptions = group(RetentionOptions, "When memories are summarised, archived and tidied up.")
    audience: AudienceOptions = group(AudienceOptions, "Who sees the most private files.", aliases=("audience",))
    trust: TrustOptions = group(TrustOptions, "Whose words a text counts as.", aliases=("trust",))
    soul: SoulOptions = group(SoulOptions, "How SOUL.md grows.", aliases=("soul",))
    triage: TriageOptions = group(TriageOptions, "What incoming messages are looked through for.", aliases=("triage",))
