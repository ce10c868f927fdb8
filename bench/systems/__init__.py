"""The systems that are compared, each behind one small adapter: texts go in, pieces of them come back."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bench.systems.texts import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bench.systems.texts import System
    from bench.systems.vectors import Vectors

# Before numpy is loaded, as Oldsoul's own start does it: threads that spin cost more than small products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ADAPTERS = {
    "oldsoul": "bench.systems.oldsoul:Ours",
    "oldsoul-fast": "bench.systems.oldsoul:OursFast",
    "oldsoul-words": "bench.systems.oldsoul:OursWords",
    "fts5": "bench.systems.fts5:Fts5",
    "fts5-lines": "bench.systems.fts5:Fts5Lines",
    "grep": "bench.systems.grep:Grep",
    "chroma": "bench.systems.chroma:Chroma",
    "memsearch": "bench.systems.memsearch:Memsearch",
    "mem0": "bench.systems.mem0:Mem0",
    "lancedb": "bench.systems.lancedb:LanceDb",
    "qdrant": "bench.systems.qdrant:Qdrant",
    "qdrant-edge": "bench.systems.qdrant_edge:QdrantEdge",
}
DEFAULT = ",".join(name for name in ADAPTERS if name not in {"oldsoul-fast", "oldsoul-words", "fts5-lines"})


def adapter(name: str) -> Any:
    """The class behind a name."""
    if name not in ADAPTERS:
        raise SystemExit(f"no system is called {name}; there are {', '.join(ADAPTERS)}")
    module, _, attribute = ADAPTERS[name].partition(":")
    return getattr(import_module(module), attribute)


def open_system(name: str, folder: Path, vectors: Vectors) -> System:
    """A system that keeps what it is given in this folder; `Missing` where it is not installed."""
    folder.mkdir(parents=True, exist_ok=True)
    found: System = adapter(name)(folder, vectors)
    return found


def missing(names: Iterable[str]) -> dict[str, str]:
    """Those of the systems that are not installed, with what to do about it."""
    found = {}
    for name in names:
        tops = {module.partition(".")[0] for module in adapter(name).modules}
        absent = sorted(top for top in tops if find_spec(top) is None)
        if absent:
            found[name] = _advice(adapter(name).package, absent[0])
    return found


def loaded(module: str, package: str) -> Any:
    """A module of a system that may not be installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise Missing(_advice(package, error.name or module)) from error


def _advice(package: str, module: str) -> str:
    return f"not installed: pip install {package} (no module named {module})"
