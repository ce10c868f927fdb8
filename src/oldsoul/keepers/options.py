"""The settings of the keepers: when they run, with which model, and whom they tell."""

from oldsoul.values.options import ON, group, option, options

_WHEN = (
    r"(?i:off|(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day +|monthly +)?(?:[01]?\d|2[0-3]):[0-5]\d|(?:\S+ +){4}\S+)"
)
_FORM = 'a time: "06:00" for daily, "Sunday 03:00", "monthly 04:00", five cron fields, or "off"'


def _when(time: str, meaning: str, alias: str) -> str:
    return option(time, meaning, aliases=(alias,), pattern=_WHEN, form=_FORM, where="tunable")


@options
class ScheduleOptions:
    """When the keepers run, in the home's time zone (S4 section 11)."""

    enabled: bool = option(ON, "Run keepers by the clock. Off, they run only when started by hand or by system cron.")
    soul_keeper: str = _when("02:30", "When the soul keeper runs.", "cron_soul_keeper")
    memory_miner: str = _when("06:00", "When the memory miner runs.", "cron_memory_miner")
    conflict_detector: str = _when("07:00", "When the conflict detector runs.", "cron_conflict_detector")
    compactor_weekly: str = _when("Sunday 03:00", "When the memory compactor runs.", "cron_compactor_weekly")
    vector_hygiene: str = _when(
        "Sunday 03:30", "When stale and corrected texts leave the index.", "cron_vector_hygiene"
    )
    soul_history: str = _when("monthly 03:45", "When old snapshots of SOUL.md are thinned out.", "cron_soul_history")
    catch_up_hours: int = option(
        24, "A run missed by no more than so many hours is made up for after a pause.", minimum=0
    )


@options
class ModelOptions:
    """The language model of the keepers, for all agents of a home. Without one they work by rules."""

    provider: str = option(
        "none",
        "Who answers the keepers' questions: `openai` is any endpoint that speaks its language; `none` leaves rules alone.",
        choices=("none", "openai", "anthropic", "ollama"),
        where="home",
    )
    base_url: str = option(
        "", "Address of the service, mostly ending in `/v1`. Empty: the provider's own.", where="home"
    )
    model: str = option("", "The model's name, as the service knows it.", where="home")
    api_key: str = option(
        "", "Key of the service; best left in the environment.", secret=True, env="OLDSOUL_MODEL_API_KEY", where="home"
    )
    api_key_file: str = option("", "A file that holds the key and nothing else.", where="home")
    headers: tuple[tuple[str, str], ...] = option((), "Further HTTP headers to send.", secret=True, where="home")
    timeout_seconds: float = option(
        120.0,
        "Seconds after which a question is given up, further tries included.",
        minimum=1,
        maximum=3600,
        where="home",
    )
    max_retries: int = option(
        2, "How often an answer that cannot be used is asked for again.", minimum=0, maximum=10, where="home"
    )
    max_output_tokens: int = option(4096, "Most tokens of one answer.", minimum=16, where="home")
    daily_budget: float = option(
        0.0,
        "Most money the keepers may spend in a day, in the currency of the prices; 0 for no limit.",
        minimum=0,
        where="home",
    )
    daily_token_budget: int = option(
        0, "Most tokens the keepers may use in a day; 0 for no limit.", minimum=0, where="home"
    )
    input_price: float = option(0.0, "Price of a million tokens sent; 0 when unknown.", minimum=0, where="home")
    output_price: float = option(0.0, "Price of a million tokens received; 0 when unknown.", minimum=0, where="home")


@options
class DigestOptions:
    """Where the soul keeper's digest goes after a run."""

    channel: str = option(
        "none",
        "How the operator is told of growth: `none` leaves it in CHANGELOG.md.",
        choices=("none", "webhook", "command", "mail", "room"),
    )
    webhook_url: str = option("", "Address the digest is posted to.", secret=True, env="OLDSOUL_DIGEST_WEBHOOK_URL")
    command: tuple[str, ...] = option(
        (), "Program that gets the digest on its standard input, with its arguments; no shell."
    )
    room: str = option("", "Room the digest is said in.")
    mail_to: tuple[str, ...] = option((), "Addresses the digest is mailed to.")
    mail_from: str = option("", "Address the digest is mailed from.")
    smtp_host: str = option("", "Mail server.")
    smtp_port: int = option(587, "Port of the mail server.", minimum=1, maximum=65535)
    smtp_user: str = option("", "User name at the mail server.")
    smtp_password: str = option("", "Password at the mail server.", secret=True, env="OLDSOUL_SMTP_PASSWORD")


@options
class KeeperOptions:
    """The keepers as a whole."""

    enabled: bool = option(ON, "Let the keepers run at all.")
    recall_handler: tuple[str, ...] = option(
        (),
        "Program, with its arguments, that is started without a shell when the agent forgot a tool rather than a memory.",
        aliases=("recall_external_handler",),
    )
    recall_handler_timeout_seconds: float = option(
        10.0, "Seconds after which that program is stopped.", minimum=0.1, maximum=600
    )
    recall_handler_max_output_bytes: int = option(
        65536, "Most bytes read from that program.", minimum=0, maximum=16777216
    )
    patience_hours: int = option(
        24,
        "Hours that a keeper's question waits for an agent to answer it (`agent.work`); then rules do the work. 0: none waits.",
        minimum=0,
        maximum=8760,
    )
    schedule: ScheduleOptions = group(ScheduleOptions, "When the keepers run.", aliases=("schedule",))
    model: ModelOptions = group(ModelOptions, "The language model of the keepers.", aliases=("model",))
    digest: DigestOptions = group(DigestOptions, "Where the soul keeper's digest goes.", aliases=("digest",))
