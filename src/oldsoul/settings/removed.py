"""Settings of earlier versions: a file that still has one is read, and whoever opens the home is told what to do instead."""

SAID = "this setting was removed: "
"""How every message about one begins."""

_FIXED = "it is always {} now; remove the line"
_NO_EFFECT = "it had no effect; remove the line"
_USE = "use {}"

REMOVED = {
    "memory.search.remote.batch.wait": _NO_EFFECT,
    "memory.search.remote.batch.poll_interval_ms": _NO_EFFECT,
    "memory.search.remote.batch.timeout_minutes": _NO_EFFECT,
    "memory.search.local.model_cache_dir": _NO_EFFECT,
    "memory.search.store.vector.extension_path": _NO_EFFECT,
}
"""Each by its path, or its group's where all of a group went, and what to do."""


def removal(group: str, name: str, *, anywhere: bool = False) -> str:
    """What to say of a name in a group that was a setting once; empty for a name that never was one.

    `anywhere` says that every setting of the tree may stand in that group.
    """
    path = f"{group}.{name}" if group else name
    remedy = REMOVED.get(path) or (REMOVED.get(name) if anywhere else None)
    return f"{SAID}{remedy}" if remedy else ""
