"""Oldsoul itself, through its public verbs."""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from bench.systems.texts import File, Piece, System, Turn, taken

from oldsoul.app.talk.imports import import_lines
from oldsoul.language.headings import place
from oldsoul.values.messages import Wanted
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from bench.systems.texts import Cut
    from bench.systems.vectors import Vectors

    from oldsoul.ports import Clock
    from oldsoul.values.context import Context

_INDEX = "oldsoul.adapters.index"
_PER_FILE = 50
_OWNER = str(Session.dm().subject)
_GROUP = {"kind": "group", "room": "talk"}


class Ours(System):
    """A home in the folder, with default settings."""

    modules: ClassVar[tuple[str, ...]] = (
        *("oldsoul.recall", "oldsoul.adapters.embedders.static", _INDEX),
        *(
            f"{_INDEX}.{found.name}"
            for found in pkgutil.iter_modules(import_module(_INDEX).__path__)
            if not found.name.startswith("postgres")  # which is no embedded system
        ),
    )
    provider: ClassVar[str] = "auto"
    does: ClassVar[str] = "words + vectors + tokens"

    def __init__(self, folder: Path, vectors: Vectors, clock: Clock | None = None) -> None:
        super().__init__(folder, vectors)
        config = folder / "config.yaml"
        is_new = not config.exists()
        if is_new:
            provider = "local" if vectors.name == "minilm" and self.provider != "none" else self.provider
            workspace = "{daily_log_retention_days: 36500, max_file_size: 1048576}"
            memory = f"{{search: {{provider: {provider}}}, workspace: {workspace}}}"
            config.write_text(f"timezone: UTC\nmemory: {memory}\n")
        self._soul = open_home(folder, {}, clock=clock) if clock else open_home(folder, {})
        self._agent = self._soul.agent()
        self._keys: dict[str, tuple[str, str]] = {} if is_new else self._known()

    def turns(self, turns: Sequence[Turn]) -> None:
        """Log them as messages of a group, or of the operator with an assistant."""
        lines = [
            json.dumps(
                {
                    "session": turn.session,
                    **({"kind": "dm", "subject": _OWNER, "role": turn.role} if turn.role else _GROUP),
                    "sender": turn.speaker,
                    "text": turn.text,
                    "time": turn.said.isoformat(),
                    "key": turn.key,
                }
            )
            for turn in turns
        ]
        import_lines(self._agent._parts.keeping, lines, vouched=any(turn.role for turn in turns))
        self._keys = self._known()

    def _known(self) -> dict[str, tuple[str, str]]:
        """The keys of its messages, and their sessions."""
        return {f"m:{m.id}": (m.key or "", m.session.id) for m in self._agent._parts.log.every(Wanted())}

    def files(self, files: Iterable[File], cut: Cut | None = None) -> None:  # noqa: ARG002 - it cuts as it does
        """Write them into the workspace."""
        for file in files:
            path = self.folder / "workspace/main" / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, "utf-8")

    def remembered(self, memories: Iterable[str]) -> None:
        """Have the agent remember them by its verb."""
        for memory in memories:
            self._agent.remember(memory)

    def ready(self, told: Callable[[int], None]) -> None:
        """Index what is there."""
        self._agent._parts.recaller.sync(lambda done, _: told(done * _PER_FILE))

    def write(self, file: File) -> None:
        """Write it into the workspace."""
        self.files([file])

    def change(self, file: File, cut: Cut | None = None) -> None:  # noqa: ARG002 - it cuts as it does
        """Bring the index up to date as the next search does: every file is looked at, and new lines get their vectors."""
        self._agent._parts.recaller.sync()

    def ask(self, question: str, limit: int, tag: str = "") -> list[Piece]:
        """What `recall` says to somebody in a direct message."""
        only: dict[str, Any] = {"tag": tag} if tag else {}
        found = []
        recalled = self._agent.recall(question, session=Session.dm(), limit=limit, asked=self.asked, **only)
        for hit in recalled.hits:
            chunk = hit.chunk
            under = chunk.speaker or place(chunk.title, chunk.heading)
            text = f"{under}: {chunk.text}" if under else chunk.text
            key, session = self._keys.get(chunk.entry, ("", ""))
            found.append(Piece(text, key, session or chunk.path, chunk.start_line, chunk.end_line, chunk.tag))
        return found

    def context(self, message: str) -> Context:
        """What `context` hands over to somebody in a direct message."""
        return self._agent.context(message, session=Session.dm())

    def key(self, entry: str) -> str:
        """The key of the turn that an entry is; empty for others."""
        return self._keys.get(entry, ("", ""))[0]

    def answer(self, question: str) -> str:
        """Whether it says that it found something."""
        return self._agent.recall(question, session=Session.dm()).answer

    def close(self) -> None:
        """Close the home."""
        self._soul.close()

    def size(self) -> int:
        """What the index takes; the files are not counted."""
        return taken(self.folder / "cache/index")


class OursFast(Ours):
    """The same without the sentence encoder."""

    provider: ClassVar[str] = "fast"


class OursWords(Ours):
    """The same without vectors."""

    does: ClassVar[str] = "words"
    provider: ClassVar[str] = "none"
