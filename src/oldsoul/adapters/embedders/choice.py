"""Who embeds whole texts, by the settings: the provider, or the fallback when the provider cannot."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from oldsoul import plugins
from oldsoul.adapters.embedders.cached import BatchedEmbedder, Cached, Identity, checked, gathered, name_of
from oldsoul.adapters.embedders.remote import SERVICES
from oldsoul.adapters.embedders.sentences import PROVIDER, SentenceEncoder
from oldsoul.errors import Unavailable
from oldsoul.ranking.options import RemoteOptions, SearchOptions

if TYPE_CHECKING:
    from oldsoul.adapters.embedders.cached import Piece, Vectors
    from oldsoul.ports import Embedder


LOCAL = "local"
_BUNDLED = ("auto", "bundled")
_PROBE = "Does anybody answer?"
_MOST_CACHED = 50_000  # embeddings that are stored; the least recently used go first


class Candidate(NamedTuple):
    """Somebody who could embed."""

    provider: str
    """as in `memory.search.provider`"""
    make: Callable[[], BatchedEmbedder]
    """makes it without sending anything; `Unavailable` says what is missing"""


class ConfiguredEmbedder:
    """The embedder of the settings, which hands over to the fallback when it cannot work.

    Vectors of two models are never mixed: one of them embeds for the life of this object, and `name` says whose vectors
    they are. Who it is, is settled by `settle`, or by the first `embed` of other texts than a question, or when there is
    a fallback. A provider that fails after that is not replaced: `embed` raises `Unavailable`, and a later object may
    settle otherwise. So whoever stores vectors calls `settle` first, then compares `name` with what the index has, then
    embeds. When a service's vectors get another length, `embed` raises `Unavailable` once; from then on `name` is
    another one.
    """

    def __init__(self, candidates: Sequence[Candidate], keep: Callable[[BatchedEmbedder], Embedder]) -> None:
        """Args: candidates are tried in this order; keep puts a cache before an embedder."""
        self._candidates = list(candidates)
        self._keep = keep
        self._made: tuple[BatchedEmbedder, Embedder] | None = None
        self._settled = False
        self._failures: list[str] = []
        self._guard = threading.RLock()

    @property
    def name(self) -> str:
        """What the index calls these vectors; it changes when it is settled who embeds, and with their length."""
        return self._first()[1].name

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know: that a fallback has taken over, and why."""
        with self._guard:
            return tuple(f"{each}; {self._candidates[0].provider} is used instead" for each in self._failures)

    @property
    def width(self) -> int:
        """How long its vectors are, once it is settled who embeds."""
        return self._first()[0].width

    @property
    def is_quick(self) -> bool:
        """Whether it embeds a text in milliseconds, and asks nobody."""
        with self._guard:
            return self._candidates[0].provider in _BUNDLED

    def settle(self) -> None:
        """Find out who embeds, by one short text that no cache answers; `Unavailable` when nobody does."""
        with self._guard:
            while not self._settled:
                source, _ = self._first()
                try:
                    gathered(source.pieces([_PROBE], question=True), 1)
                except Unavailable as error:
                    self._pass_on(error)
                else:
                    self._settled = True

    def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:
        """One unit vector a text; `Unavailable` when it cannot."""
        with self._guard:
            if len(self._candidates) > 1 or not question:  # a question alone tells as well how long vectors are
                self.settle()
            _, embedder = self._first()
        return embedder.embed(texts, question=question)

    def empty(self) -> None:
        """Keep no vector that was made before."""
        with self._guard:
            if self._made is not None and isinstance(self._made[1], Cached):
                self._made[1].empty()

    def close(self) -> None:
        """Close everything."""
        with self._guard:
            if self._made is not None:
                self._made[1].close()
            self._made = None

    def _first(self) -> tuple[BatchedEmbedder, Embedder]:
        """The first who can be made; those who cannot are passed over."""
        with self._guard:
            while self._made is None:
                try:
                    source = self._candidates[0].make()
                except Unavailable as error:
                    self._pass_on(error)
                else:
                    self._made = source, self._keep(source)
            return self._made

    def _pass_on(self, error: Unavailable) -> None:
        """Go on with the next; when there is none, it is reported, and may be tried again."""
        if len(self._candidates) == 1:
            raise Unavailable("; ".join([*self._failures, str(error)])) from None
        self.close()
        del self._candidates[0]
        self._failures.append(str(error))


def chosen(
    options: SearchOptions,
    environ: Mapping[str, str],
    cache_path: str,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> ConfiguredEmbedder | None:
    """Who embeds by these settings; None where no whole texts are embedded (`fast`, `none`, vectors off).

    `cache_path` is the file of the embeddings that are kept. The settings of `remote` are the provider's, or the
    fallback's when the provider is no service: a key never goes to a service it was not set for. `model` and
    `dimensions` are the provider's; a fallback uses its usual model.
    """
    candidates = _candidates(options, environ, sleep)
    return ConfiguredEmbedder(candidates, lambda source: _kept(source, cache_path)) if candidates else None


def problem(options: SearchOptions, environ: Mapping[str, str]) -> str:
    """What has to be set before whole texts can be embedded; empty when nothing is missing. Nothing is sent."""
    failures = []
    for candidate in _candidates(options, environ, time.sleep):
        try:
            candidate.make().close()
        except Unavailable as error:
            failures.append(str(error))
    return "; ".join(failures)


def _candidates(options: SearchOptions, environ: Mapping[str, str], sleep: Callable[[float], None]) -> list[Candidate]:
    """The provider and its fallback; nobody where no whole texts are embedded."""
    if options.provider in ("fast", "none"):
        return []

    def candidate(provider: str, own: SearchOptions) -> Candidate:
        if provider in _BUNDLED:
            return Candidate(provider, SentenceEncoder)
        # What few homes have is loaded where they do.
        if provider not in (LOCAL, *SERVICES):
            return Candidate(provider, lambda: PluginEmbedder(provider, plugins.load(plugins.EMBEDDERS, provider)(own)))
        if provider == LOCAL:
            from oldsoul.adapters.embedders.onnx import Onnx  # noqa: PLC0415

            return Candidate(provider, lambda: Onnx(own))
        from oldsoul.adapters.embedders.remote import Remote  # noqa: PLC0415

        return Candidate(provider, lambda: Remote(SERVICES[provider], own, environ, sleep=sleep))

    candidates = [candidate(options.provider, options)]
    if options.fallback not in ("none", options.provider) and options.provider not in _BUNDLED:
        remote = options.remote if options.provider == LOCAL else RemoteOptions()
        candidates.append(candidate(options.fallback, replace(options, model="", remote=remote)))
    return candidates


def _kept(source: BatchedEmbedder, cache_path: str) -> Embedder:
    if source.identity.provider != PROVIDER:
        return Cached(source, cache_path, _MOST_CACHED)
    return UncachedEmbedder(source)


class PluginEmbedder:
    """An embedder of another package, as a source."""

    def __init__(self, provider: str, embedder: Embedder) -> None:
        self._embedder = embedder
        self.identity = Identity(provider, "", embedder.name, 0)
        """whose vectors these are"""
        self.width = 0
        """how long they are, once it has embedded"""

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The vectors of all texts at once."""
        rows = checked(self._embedder.embed(texts, question=question), len(texts), self.width, self.identity.provider)
        self.width = rows.shape[1]
        yield list(range(len(texts))), rows

    def close(self) -> None:
        """Let go of the embedder."""
        self._embedder.close()


class UncachedEmbedder:
    """An embedder that remembers nothing."""

    def __init__(self, source: BatchedEmbedder) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """What the index calls these vectors."""
        return name_of(self._source)

    def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:
        """One unit vector a text; `Unavailable` when it cannot."""
        return gathered(self._source.pieces(texts, question=question), len(texts))

    def close(self) -> None:
        """Release the embedder."""
        self._source.close()
