"""Settings of earlier versions: a file that still has one is read, and whoever opens the home is told what to do instead."""

SAID = "this setting was removed: "
"""How every message about one begins."""

_FIXED = "it is always {} now; remove the line"
_NO_EFFECT = "it had no effect; remove the line"
_USE = "use {}"
_NO_AUDIENCE = "it had no effect: each conversation sees the entries for its audience; remove the lines"

REMOVED = {
    "agents.list[].default": _USE.format("default_agent"),
    "agents.list[].name": _USE.format("display_name"),
    "audience": _NO_AUDIENCE,
    "context.extra_system_prompt": _USE.format("AGENTS.md, or extra of the facts given to agent.prompt"),
    "context.heartbeat": _USE.format("agents.defaults.heartbeat_prompt; while that is empty there are no heartbeats"),
    "context.model_aliases": _USE.format("model_aliases of the facts given to agent.prompt"),
    "context.owner_numbers": _USE.format("owner_numbers of the facts given to agent.prompt"),
    "context.price_per_million_tokens": _USE.format("keepers.model.input_price"),
    "context.reasoning_level": _USE.format("levels of the facts given to agent.prompt"),
    "context.reasoning_tags": _USE.format("levels of the facts given to agent.prompt"),
    "context.replies.history_chars": _FIXED.format("40,000"),
    "context.replies.seconds": _USE.format(
        "keepers.model.timeout_seconds; a reply may take two and a half times as long"
    ),
    "context.replies.tool_result_bytes": _FIXED.format("32,768"),
    "context.skills.bundled": _USE.format("context.skills.disabled"),
    "context.skills.limits": "its limits are fixed now (300, 200, 150, 30,000 and 256,000); remove the lines",
    "context.skills.load": _USE.format("context.skills.plugin_dirs"),
    "context.skills.managed_dir": _USE.format("context.skills.plugin_dirs"),
    "context.skills.max_candidates_per_root": _FIXED.format("300"),
    "context.skills.max_skill_file_bytes": _FIXED.format("256,000"),
    "context.skills.max_skills_in_prompt": _FIXED.format("150"),
    "context.skills.max_skills_loaded_per_source": _FIXED.format("200"),
    "context.skills.max_skills_prompt_chars": _FIXED.format("30,000"),
    "context.skills.user_dir": _USE.format("skills/ in the home, or context.skills.plugin_dirs"),
    "context.subagent_prompt_mode": _FIXED.format("minimal"),
    "context.think_level": _USE.format("levels of the facts given to agent.prompt"),
    "context.time_format": _USE.format("clock of the facts given to agent.prompt"),
    "context.tokenizer": _FIXED.format("chosen by the model"),
    "context.user_timezone": _USE.format("timezone, or clock of the facts given to agent.prompt"),
    "cron_soul_history": _USE.format("keepers.schedule.soul_history"),
    "cron_vector_hygiene": _USE.format("keepers.schedule.vector_hygiene"),
    "digest": _USE.format("keepers.digest"),
    "embedding_staleness_days": _FIXED.format("90"),
    "keepers.digest.mail_from": _USE.format("keepers.digest.smtp_user, or else the first of mail_to sends"),
    "keepers.digest.smtp_port": _USE.format("keepers.digest.smtp_host, as in mail.example.org:465"),
    "keepers.model.api_key_file": _USE.format("OLDSOUL_MODEL_API_KEY in the environment"),
    "keepers.model.max_retries": _FIXED.format("2"),
    "keepers.recall_handler_max_output_bytes": _FIXED.format("65,536"),
    "keepers.recall_handler_timeout_seconds": _FIXED.format("10"),
    "keepers.schedule.catch_up_hours": _FIXED.format("24"),
    "logging": "warnings go to standard error, and where the program logs; remove the lines",
    "memory.audience": _NO_AUDIENCE,
    "memory.embedder.config.api_key": _USE.format("memory.search.remote.api_key"),
    "memory.embedder.config.base_url": _USE.format("memory.search.remote.base_url"),
    "memory.embedder.config.dimensions": _FIXED.format("the model's own"),
    "memory.embedder.config.embedding_dims": _FIXED.format("the model's own"),
    "memory.embedder.config.host": _USE.format("memory.search.remote.base_url"),
    "memory.longterm_max_chars": _FIXED.format("3,000"),
    "memory.longterm_max_items": _FIXED.format("100"),
    "memory.merge_similarity": _FIXED.format("0.8"),
    "memory.retention.compaction_age_days": _USE.format("memory.workspace.daily_log_retention_days"),
    "memory.retention.embedding_staleness_days": _FIXED.format("90"),
    "memory.retention.prune_confidence": _FIXED.format("0.3"),
    "memory.retention.prune_unmentioned_days": _FIXED.format("60"),
    "memory.retention.stale_grace_days": _FIXED.format("7"),
    "memory.search.cache": "embeddings are always stored now, at most 50,000; remove the lines",
    "memory.search.dimensions": _FIXED.format("the model's own"),
    "memory.search.experimental": _USE.format("memory.search.sources"),
    "memory.search.local.model_cache_dir": _NO_EFFECT,
    "memory.search.max_file_size": _FIXED.format("8,388,608"),
    "memory.search.query.hybrid.candidate_multiplier": _FIXED.format("2"),
    "memory.search.query.hybrid.enabled": _USE.format("memory.search.query.hybrid.mode: weighted, with a weight of 0"),
    "memory.search.query.hybrid.mmr": "results are never reordered for variety now; remove the lines",
    "memory.search.remote.api_key_file": _USE.format("OLDSOUL_EMBEDDER_API_KEY in the environment"),
    "memory.search.remote.batch": "texts are always sent in batches now, two at a time; remove the lines",
    "memory.search.remote.timeout_seconds": _FIXED.format("60"),
    "memory.search.store.vector": _USE.format("memory.search.provider: none, which compares words only"),
    "memory.search.sync.watch_debounce_ms": _FIXED.format("1,500"),
    "memory.triage.languages": _FIXED.format("all of them"),
    "memory.workspace.max_log_size": _FIXED.format("1,048,576"),
    "model": _USE.format("keepers.model"),
    "replies": _USE.format("context.replies"),
    "schedule": _USE.format("keepers.schedule"),
    "skills": _USE.format("context.skills"),
    "teams[].display_name": _NO_EFFECT,
    "time_format": _USE.format("clock of the facts given to agent.prompt"),
    "time_zone": _USE.format("timezone"),
    "triage": _USE.format("memory.triage"),
    "user_timezone": _USE.format("timezone, or clock of the facts given to agent.prompt"),
}
"""Each by its path, or its group's where all of a group went, and what to do."""


def removal(group: str, name: str, *, anywhere: bool = False) -> str:
    """What to say of a name in a group that was a setting once; empty for a name that never was one.

    `anywhere` says that every setting of the tree may stand in that group.
    """
    path = f"{group}.{name}" if group else name
    remedy = REMOVED.get(path) or (REMOVED.get(name) if anywhere else None)
    return f"{SAID}{remedy}" if remedy else ""
