"""The settings of recall: what is searched, how texts are embedded and stored, and how results are ranked."""

from oldsoul import plugins
from oldsoul.values.options import OFF, ON, group, option, options

_EMBEDDERS = ("bundled", "local", "openai", "gemini", "voyage", "ollama")


@options
class RemoteOptions:
    """The embedding service, when one is used."""

    base_url: str = option(
        "",
        "Address of the embedding service. Empty: the provider's own.",
        names="address",
    )
    api_key: str = option(
        "",
        "API key of the embedding service; best set in the environment.",
        secret=True,
        env="OLDSOUL_EMBEDDER_API_KEY",
    )
    headers: tuple[tuple[str, str], ...] = option((), "Additional HTTP headers to send.", secret=True)


@options
class LocalOptions:
    """An embedding model on this machine."""

    model_path: str = option("", "File or folder of the model that `provider: local` uses.", names="path")


@options
class StoreOptions:
    """Where the index is kept. It is derived: deleted, it comes back."""

    driver: str = option(
        "sqlite",
        "`sqlite`: a file in the home. `postgres`: the server of `storage.postgres_dsn`.",
        choices=("sqlite", "postgres"),
    )
    path: str = option(
        "",
        "A different path for the index file; {agentId} is replaced by the agent's name. Empty: in the home's"
        " `cache/`.",
        names="path",
    )


@options
class ChunkingOptions:
    """How files are cut into the pieces that are found."""

    tokens: int = option(
        400, "Approximate number of tokens in a piece. An entry is never cut.", minimum=50, maximum=8000
    )
    overlap: int = option(
        80, "Approximate number of tokens a piece shares with the one before, in running text.", minimum=0, maximum=4000
    )


@options
class SessionSyncOptions:
    """When new messages of the chat log are indexed."""

    delta_bytes: int = option(
        100_000, "Index a conversation's new messages once they have this many bytes; 0 for at once.", minimum=0
    )
    delta_messages: int = option(
        50, "Index a conversation's new messages once there are this many; 0 for at once.", minimum=0
    )


@options
class SyncOptions:
    """When the index is brought up to date."""

    on_session_start: bool = option(ON, "Update the index with the first message of a session.")
    on_search: bool = option(ON, "Update the index before a search.")
    watch: bool = option(ON, "Update the index when files change, while a server or `oldsoul index watch` runs.")
    interval_minutes: int = option(
        0, "Where files are watched, also check every file at this interval in minutes; 0 for never.", minimum=0
    )
    sessions: SessionSyncOptions = group(SessionSyncOptions, "When new messages of the chat log are indexed.")


@options
class TemporalDecayOptions:
    """Age as a tie-breaker."""

    enabled: bool = option(
        ON, "Prefer the newer of equally good results. An old entry that is the only answer still comes first."
    )
    half_life_days: float = option(30.0, "Days after which the effect of age is halved.", minimum=0.01)


@options
class HybridOptions:
    """How words and meaning are weighed against each other."""

    mode: str = option(
        "calibrated",
        "`calibrated`: the scores are made comparable for this memory. `weighted`: the two fixed weights below"
        " are used.",
        choices=("calibrated", "weighted"),
    )
    vector_weight: float = option(0.7, "Weight of meaning in `weighted` mode.", minimum=0, maximum=1)
    text_weight: float = option(0.3, "Weight of words in `weighted` mode.", minimum=0, maximum=1)
    temporal_decay: TemporalDecayOptions = group(TemporalDecayOptions, "Age as a tie-breaker.")


@options
class QueryOptions:
    """What a search gives."""

    max_results: int = option(6, "Maximum number of results.", minimum=1, maximum=1000)
    min_score: float = option(
        0.35,
        "Results below this score are left out. It applies only if you set it or `hybrid.mode` is `weighted`.",
        minimum=0,
        maximum=1,
    )
    hybrid: HybridOptions = group(HybridOptions, "How words and meaning are weighed against each other.")


@options
class Mem0Options:
    """Mem0 as a further source (S0 section 5)."""

    enabled: bool = option(OFF, "Search Mem0 as well.")
    store_enabled: bool = option(OFF, "Store conversations in Mem0 as well.")


@options
class SearchOptions:
    """Search over memory files and conversations (S3 section 3)."""

    enabled: bool = option(ON, "Keep an index and search it.")
    sources: tuple[str, ...] = option(
        ("memory", "sessions"),
        "What is searched: the memory files, the chat log, or both.",
        choices=("memory", "sessions"),
    )
    extra_paths: tuple[str, ...] = option(
        (), "Additional Markdown files and folders to search; only the operator sees them.", names="path"
    )
    provider: str = option(
        "auto",
        "What turns texts into vectors. `auto` is the bundled model, which needs no network; `fast` is its table of words"
        " without the sentence encoder; `none` compares words only.",
        aliases=("memory.embedder.provider",),
        choices=("auto", *_EMBEDDERS, "fast", "none"),
        plugins=plugins.EMBEDDERS,
    )
    fallback: str = option(
        "none",
        "What is used when the provider fails; `none`: words and the bundled model, with a note in the answer.",
        choices=(*_EMBEDDERS, "none"),
    )
    model: str = option(
        "", "The embedding model. Empty: the provider's usual one.", aliases=("memory.embedder.config.model",)
    )
    correction_relevance_boost: float = option(
        1.5,
        "How much more a correction counts than other entries.",
        aliases=("correction_relevance_boost",),
        minimum=1,
        maximum=10,
        where="tunable",
    )
    remote: RemoteOptions = group(RemoteOptions, "The embedding service, when one is used.")
    local: LocalOptions = group(LocalOptions, "An embedding model on this machine.")
    store: StoreOptions = group(StoreOptions, "Where the index is kept.")
    chunking: ChunkingOptions = group(ChunkingOptions, "How files are split into pieces for the index.")
    sync: SyncOptions = group(SyncOptions, "When the index is updated.")
    query: QueryOptions = group(QueryOptions, "What a search returns.")
    mem0: Mem0Options = group(Mem0Options, "Mem0 as an additional source.", aliases=("memory.mem0_search",))
