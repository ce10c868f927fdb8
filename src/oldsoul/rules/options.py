"""The settings of the memory rules: what is kept, for how long, who sees it and who may change it."""

from oldsoul.rules.policy import unknown_file
from oldsoul.values.keepers import PROMPTED
from oldsoul.values.options import ON, group, option, options


@options
class WorkspaceOptions:
    """The Markdown files of an agent or team (S0 section 5)."""

    enabled: bool = option(ON, "Create, read and write the agent's Markdown files.")
    max_file_size: int = option(
        16384,
        "Maximum size in bytes of SOUL.md, AGENTS.md, USER.md, MEMORY.md or a room's file. A larger write is"
        " refused; nothing is cut.",
        minimum=4096,
        maximum=1048576,
    )
    daily_log_retention_days: int = option(
        30,
        "After how many days a daily log is summarised in a chronicle and archived.",
        aliases=("compaction_age_days",),
        minimum=1,
        where="tunable",
    )


@options
class InjectionOptions:
    """The memory block put into a prompt (S2 section 11)."""

    enabled: bool = option(ON, "Put a block of remembered summaries into the prompt.")
    max_items: int = option(50, "Maximum number of lines in that block.", minimum=0)


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
        30,
        "Confidence is reduced each time an entry was not mentioned for this many days.",
        alias="confidence_decay_interval_days",
    )
    decay_amount: float = _share(0.05, "How much confidence is lost each time.", alias="confidence_decay_amount")
    floor: float = _share(0.2, "Confidence never decays below this.", alias="confidence_floor")
    boost_per_mention: float = _share(
        0.05, "How much confidence a repeated mention adds.", alias="confidence_boost_per_mention"
    )


@options
class RetentionOptions:
    """When memories are summarised, archived and tidied up (S4 sections 5.5 and 13)."""

    recent_hours: int = _number(
        48,
        "How many hours back recent memory reaches; every day that they touch is included.",
        least=0,
        alias="memory_retention_hours",
    )
    correction_archive_days: int = _number(
        14,
        "After how many days a correction moves from CORRECTIONS.md to the archive, where it still applies.",
        alias="correction_archive_days",
    )
    corrected_embedding_grace_days: int = _number(
        7,
        "How many days the index keeps a text after it was corrected.",
        least=0,
        alias="corrected_embedding_grace_days",
    )


@options
class TrustOptions:
    """Whose words a text counts as."""

    outside_edits: str = option(
        "operator",
        "Who counts as the author of a file that was changed in an editor.",
        choices=("operator", "participant", "untrusted"),
    )


@options
class SoulOptions:
    """How SOUL.md grows (S4 sections 5.2 and 9)."""

    growth: str = option(
        "ask",
        "`ask`: changes to SOUL.md wait for the operator's approval. `auto`: the soul keeper makes them itself,"
        " with a snapshot, and they can be undone.",
        choices=("ask", "auto"),
    )
    max_tokens: int = _number(
        800,
        "Maximum number of tokens in SOUL.md; the soul keeper adds nothing beyond it.",
        least=100,
        alias="soul_max_tokens",
    )
    history_retention_days: int = _number(
        90,
        "For how many days every snapshot of SOUL.md is kept; of older ones, one a month.",
        alias="soul_history_retention_days",
    )


@options
class TriagePattern:
    """One pattern of your own that incoming messages are looked through for."""

    pattern: str = option("", "The regular expression to search for; case is ignored.")
    route: str = option("memory-miner", "The keeper that gets the message.", choices=PROMPTED)
    confidence: str = option("medium", "How certain a match is.", choices=("high", "medium"))


@options
class TriageOptions:
    """What incoming messages are looked through for (S4 section 7)."""

    enabled: bool = option(ON, "Check incoming messages for things to remember and to correct.")
    custom_patterns: tuple[TriagePattern, ...] = option(
        (),
        "Your own patterns, each with the keeper that gets the message.",
        aliases=("heartbeat_custom_patterns",),
        where="tunable",
    )


@options
class MemoryOptions:
    """Memory as a whole."""

    enabled: bool = option(ON, "The main switch: without it nothing is remembered, recalled or put into prompts.")
    dir: str = option("", "A different folder for an agent's memory. Empty: `memory/` in its workspace.", names="path")
    short_term_days: int = option(7, "Session summaries of this many past days are loaded.", minimum=0, maximum=3650)
    policy: tuple[tuple[str, str], ...] = option(
        (),
        "What a change to a file needs, instead of the built-in rules: a file name such as MEMORY.md, and auto,"
        " ask or never. The operator's own changes need nothing, and what the built-in rules never allow stays so.",
        aliases=("policy",),
        choices=("auto", "ask", "never"),
        refuses=unknown_file,
    )
    workspace: WorkspaceOptions = group(WorkspaceOptions, "The Markdown files of an agent or team.")
    injection: InjectionOptions = group(InjectionOptions, "The block of summaries put into a prompt.")
    confidence: ConfidenceOptions = group(ConfidenceOptions, "How certain an entry is, and how that changes with time.")
    retention: RetentionOptions = group(RetentionOptions, "When entries are summarised, archived and tidied up.")
    trust: TrustOptions = group(TrustOptions, "Who counts as the author of a text.", aliases=("trust",))
    soul: SoulOptions = group(SoulOptions, "How SOUL.md grows.", aliases=("soul",))
    triage: TriageOptions = group(TriageOptions, "What incoming messages are checked for.")
