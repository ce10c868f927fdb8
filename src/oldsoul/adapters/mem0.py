"""Mem0 as a second memory of conversations: on this machine, asking no model and reporting to nobody.

It is filled from the chat log and lies in the cache, so it can be thrown away at any time. Each message is stored under
the name of those who may see it, and a search names those it sees: Mem0 itself finds nothing else.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np

from oldsoul.adapters.embedders.cached import unit
from oldsoul.adapters.embedders.static import NAME, StaticTable
from oldsoul.adapters.locks import locked
from oldsoul.errors import BadInput, Busy, Unavailable
from oldsoul.plugins import imported
from oldsoul.ports import Embedder
from oldsoul.ranking.chunks import message_chunk
from oldsoul.values.audience import OWNER, PUBLIC, Audience, Reach, View
from oldsoul.values.messages import Message
from oldsoul.values.recall import MEM0, Chunk, Hit

if TYPE_CHECKING:
    from oldsoul.adapters.embedders.cached import Vectors


_LEAST = 0.1
"""What is less like a question than this is not given back: Mem0's own measure."""
_PATIENCE = 0.5
"""Seconds for which another process may still hold the store."""
_STATE = "oldsoul.json"
_SAID = ("user", "assistant")
_UNUSED = {"provider": "openai", "config": {"api_key": "unused"}}  # never asked; Mem0 is not made without


class StaticEmbedder:
    """The bundled table as an embedder of whole texts: the mean of a text's word pieces."""

    name = NAME
    least = 0.3
    """By these vectors any two texts are a little alike."""

    def __init__(self) -> None:
        self._table = StaticTable()

    def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:  # noqa: ARG002 - both are read alike
        """One unit vector a text; a text without words is like no other."""
        table = self._table.vectors
        made = np.zeros((len(texts), table.shape[1] + 1), np.float32)
        for row, pieces in enumerate(self._table.tokens(texts)):
            mean = table.take(pieces).astype(np.float32).mean(axis=0) if pieces else np.zeros(0)
            made[row, : len(mean)] = mean
            made[row, -1] = not mean.any()
        return unit(made)

    def close(self) -> None:
        """There is nothing to close."""


class Mem0Store:
    """The conversations of one workspace in Mem0, in its own folder. One thread uses it, and one process."""

    def __init__(self, folder: str, workspace: str, embedder: Embedder) -> None:
        self._folder = folder
        self._workspace = workspace
        self._embedder = embedder
        self._least = StaticEmbedder.least if embedder.name == StaticEmbedder.name else _LEAST
        with ExitStack() as held:
            held.callback(embedder.close)
            mem0 = _loaded(os.path.dirname(folder))
            size = int(embedder.embed(["how long is a vector?"]).shape[1])
            try:
                held.enter_context(locked(f"{folder}.lock", "Mem0's store", _PATIENCE))
            except Busy:
                raise Unavailable("another process has its store open, and only one can use it at a time") from None
            self._made, self.reached = self._prepared()
            self._memory = self._opened(mem0, size)
            held.callback(self._memory.close)
            held.callback(self._memory.vector_store.client.close)
            self._held = held.pop_all()

    def _prepared(self) -> tuple[str, int]:
        """What the store is known by, and its last message; one with other vectors is begun again."""
        state = self._state()
        if state.get("made") and state.get("embedder") == self._embedder.name:
            return state["made"], int(state.get("reached", 0))
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder, mode=0o700)
        made = os.urandom(8).hex()
        self._note(made, 0)
        return made, 0

    def _opened(self, mem0: Any, size: int) -> Any:
        store = {"path": f"{self._folder}/qdrant", "embedding_model_dims": size, "on_disk": True}
        memory = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": f"{self._folder}/history.db",
                "llm": _UNUSED,
                "embedder": _UNUSED,
            }
        )
        memory.embedding_model = _Asked(self._embedder)
        memory.vector_store._bm25_encoder = False  # noqa: SLF001 - else it fetches a list of words from the network
        return memory

    @property
    def gone(self) -> bool:
        """Whether the store was taken away meanwhile, since something was erased; what is held here must not be shown."""
        return self._state().get("made") != self._made

    def take(self, messages: Sequence[Message]) -> None:
        """Store what people and agents said, in the order of the numbers; up to where is noted."""
        try:
            for message in messages:
                if message.role in _SAID and message.text.strip():
                    self._add(message)
                self.reached = message.id
        finally:
            if not self.gone:
                self._note(self._made, self.reached)

    def _add(self, message: Message) -> None:
        chunk = message_chunk(message)
        self._memory.add(
            [{"role": message.role, "content": message.text.encode("utf-8", "replace").decode()}],
            user_id=_user(chunk.audience),
            agent_id=self._workspace,
            metadata={
                "eyes": _eyes(chunk.audience),
                "path": chunk.path,
                "number": message.id,
                "speaker": chunk.speaker,
                "room": chunk.room,
                "person": chunk.person,
                "created_at": message.time.astimezone(UTC).isoformat(),
            },
            infer=False,
        )

    def search(self, question: str, view: View, limit: int) -> list[Hit]:
        """What Mem0 finds among what may be seen, the best first; each message once."""
        found = self._memory.search(
            question,
            filters={"agent_id": self._workspace, "eyes": {"in": _seen(view)}},
            top_k=limit,
            threshold=self._least,
        )
        hits = (
            Hit(_chunk(each), round(min(each["score"], 1.0), 4), {MEM0: each["score"]}) for each in found["results"]
        )
        return list({hit.chunk.entry: hit for hit in hits if view.sees(hit.chunk.audience)}.values())

    def close(self) -> None:
        """Close everything."""
        self._held.close()

    def _state(self) -> dict[str, Any]:
        try:
            with open(f"{self._folder}/{_STATE}", encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _note(self, made: str, reached: int) -> None:
        state = {"made": made, "embedder": self._embedder.name, "reached": reached}
        with open(f"{self._folder}/{_STATE}.new", "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(f"{self._folder}/{_STATE}.new", f"{self._folder}/{_STATE}")


class _Asked:
    """Our embedder as Mem0 asks it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One text's vector."""
        return self.embed_batch([text], memory_action)[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """Some texts' vectors."""
        found: list[list[float]] = self._embedder.embed(texts, question=memory_action == "search").tolist()
        return found


def _loaded(folder: str) -> Any:
    """The package, kept from telling anybody of us and from fetching anything; its own files go to this folder."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if "mem0" not in sys.modules:  # it looks at these once
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", folder)
    mem0 = imported("mem0", "mem0", "Mem0 as a further source (memory.search.mem0)")
    if imported("mem0.memory.telemetry", "mem0", "Mem0").MEM0_TELEMETRY:
        raise Unavailable(
            "this process loaded Mem0 with its telemetry on; set MEM0_TELEMETRY=False before Mem0 is loaded"
        )
    if find_spec("spacy") and not find_spec("en_core_web_sm"):
        raise Unavailable("it would download a model for spaCy; run python -m spacy download en_core_web_sm yourself")
    logging.getLogger("mem0").setLevel(logging.ERROR)  # it says again and again that spaCy is not there
    return mem0


def _user(audience: Audience) -> str:
    """The name that those who may see a text have in Mem0, where names have no spaces."""
    return quote(str(audience), safe="")


def _eyes(audience: Audience) -> list[str]:
    """Whom a text is for, as it is looked for; `room` stands for those who see every room."""
    return [_user(audience), *([str(Reach.ROOM)] if audience.reach is Reach.ROOM else [])]


def _seen(view: View) -> list[str]:
    """What a view looks for."""
    seen = [PUBLIC, *([OWNER] if view.owner else [])]
    seen += [Audience(Reach.ROOM, room) for room in sorted(view.rooms)]
    seen += [Audience(Reach.PERSON, person) for person in sorted(view.people)]
    return [*map(_user, seen), *([str(Reach.ROOM)] if view.every_room else [])]


def _chunk(memory: dict[str, Any]) -> Chunk:
    """A memory of Mem0's as the message it was made of. One that does not say whose it is, is the owner's."""
    metadata = memory.get("metadata") or {}
    try:
        audience = Audience.parse(unquote(memory.get("user_id") or ""))
    except BadInput:
        audience = OWNER
    number = int(metadata.get("number", 0))
    return Chunk(
        path=metadata.get("path", MEM0),
        start_line=number,
        end_line=number,
        text=memory["memory"],
        audience=audience,
        source=MEM0,
        speaker=metadata.get("speaker", ""),
        time=datetime.fromisoformat(memory["created_at"]),
        entry=f"m:{number}",
        room=metadata.get("room", ""),
        person=metadata.get("person", ""),
    )
