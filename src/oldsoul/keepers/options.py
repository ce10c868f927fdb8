"""The settings of the keepers: when they run, with which model, and whom they tell."""

from typing import TypeVar

from oldsoul import plugins
from oldsoul.values.keepers import KEEPERS
from oldsoul.values.options import ON, group, option, options

_T = TypeVar("_T")
_WHEN = (
    r"(?i:off|(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day +|monthly +)?(?:[01]?\d|2[0-3]):[0-5]\d|(?:\S+ +){4}\S+)"
)
_FORM = 'a time: "06:00" for daily, "Sunday 03:00", "monthly 04:00", five cron fields, or "off"'


def _unknown(name: str) -> str:
    """Why no keeper of that name can be added; empty where one can."""
    known = plugins.offered(plugins.KEEPERS)
    if name in known:
        return ""
    others = f"; there is {', '.join(known)}" if known else ""
    return f"no installed package has a keeper of this name{others}; install the package, or take the name out"


def _timed(kind: type[_T]) -> type[_T]:
    """The class with a setting for each keeper that runs on schedule: when it does."""
    for record in KEEPERS:
        if record.schedule:
            name = record.setting_path.rpartition(".")[2]
            kind.__annotations__[name] = str
            meaning = f"When `{record.name}` runs."
            when = option(record.schedule, meaning, aliases=record.aliases, pattern=_WHEN, form=_FORM, where="tunable")
            setattr(kind, name, when)
    return kind


@options
@_timed
class ScheduleOptions:
    """When the keepers run, in the home's time zone (S4 section 11)."""

    enabled: bool = option(
        ON, "Run the keepers on schedule. Off: they run only when started by hand or by the system's cron."
    )


@options
class ModelOptions:
    """The language model of the keepers and of replies, for all agents of a home. Without one, rules and memory answer."""

    provider: str = option(
        "none",
        "Who replies, and answers the keepers' questions: `openai` is any service with OpenAI's API; `none`: rules only.",
        choices=("none", "openai", "anthropic", "ollama"),
        plugins=plugins.MODELS,
        where="home",
    )
    base_url: str = option(
        "", "Address of the service, usually ending in `/v1`. Empty: the provider's own.", where="home", names="address"
    )
    model: str = option("", "The model's name at that service.", where="home")
    api_key: str = option(
        "",
        "API key of the service; best set in the environment.",
        secret=True,
        env="OLDSOUL_MODEL_API_KEY",
        where="home",
    )
    headers: tuple[tuple[str, str], ...] = option((), "Additional HTTP headers to send.", secret=True, where="home")
    timeout_seconds: float = option(
        120.0,
        "Seconds to wait for an answer, including retries; a whole reply, tools included, may take two and a half times that.",
        minimum=1,
        maximum=3600,
        where="home",
    )
    max_output_tokens: int = option(4096, "Maximum number of tokens in one answer.", minimum=16, where="home")
    daily_budget: float = option(
        0.0,
        "Maximum amount to spend in a day, in the currency of the prices; 0 for no limit.",
        minimum=0,
        where="home",
    )
    daily_token_budget: int = option(
        0, "Maximum number of tokens to use in a day; 0 for no limit.", minimum=0, where="home"
    )
    input_price: float = option(0.0, "Price of a million tokens sent; 0 when unknown.", minimum=0, where="home")
    output_price: float = option(0.0, "Price of a million tokens received; 0 when unknown.", minimum=0, where="home")


@options
class DigestOptions:
    """Where the soul keeper's digest goes after a run."""

    channel: str = option(
        "none",
        "How the operator is informed of changes and proposals for SOUL.md; `none`: only in CHANGELOG.md.",
        choices=("none", "webhook", "command", "mail", "room"),
    )
    webhook_url: str = option(
        "", "URL the digest is posted to.", secret=True, env="OLDSOUL_DIGEST_WEBHOOK_URL", names="address"
    )
    command: tuple[str, ...] = option(
        (),
        "Program, with its arguments, that reads the digest from standard input; it is started without a shell.",
        names="program",
    )
    room: str = option("", "Room the digest is posted in.")
    mail_to: tuple[str, ...] = option((), "Addresses the digest is mailed to.", names="address")
    smtp_host: str = option(
        "", "Mail server, and its port where that is not 587, as in `mail.example.org:465`.", names="address"
    )
    smtp_user: str = option(
        "", "User name at the mail server; an address there is also the sender. Otherwise the first of `mail_to` is."
    )
    smtp_password: str = option("", "Password at the mail server.", secret=True, env="OLDSOUL_SMTP_PASSWORD")


@options
class KeeperOptions:
    """The keepers as a whole."""

    enabled: bool = option(ON, "Whether keepers may run at all, on schedule or by hand.")
    recall_handler: tuple[str, ...] = option(
        (),
        "Program, with its arguments, that is started (without a shell) when the operator says that the agent"
        " forgot a tool or an ability, not a memory.",
        aliases=("recall_external_handler",),
        names="program",
    )
    patience_hours: int = option(
        24,
        "Hours a keeper's question waits for an agent to answer it (`agent.keepers.work`); after that rules are used."
        " 0: do not wait.",
        minimum=0,
        maximum=8760,
    )
    plugins: tuple[tuple[str, str], ...] = option(
        (),
        "Keepers of other packages that run here, each with the time at which it does; `off`: only by hand.",
        pattern=_WHEN,
        form=_FORM,
        refuses=_unknown,
        names="program",
    )
    schedule: ScheduleOptions = group(ScheduleOptions, "When the keepers run.")
    model: ModelOptions = group(ModelOptions, "The language model of the keepers and of replies.")
    digest: DigestOptions = group(DigestOptions, "Where the soul keeper's digest goes.")
