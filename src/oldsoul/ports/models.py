"""Language models, what they cost, and what turns texts into vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from oldsoul.values.models import Call, Piece, Reply, Request, Spent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Model(Protocol):
    """A language model."""

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """Its answer, meant to have the form of the schema; `Unavailable` when it does not answer."""
        ...


class Talker(Protocol):
    """A language model that holds a conversation."""

    def talk(self, request: Request) -> Iterator[Piece]:
        """What it says, piece by piece, `Usage` last; `Unavailable` when it does not answer, or stops in the middle."""
        ...


@runtime_checkable
class Accountable(Protocol):
    """A model that writes down who asked it."""

    def on_behalf_of(self, keeper: str) -> Model:
        """The same model, its questions written down as this keeper's."""
        ...


class Spending(Protocol):
    """What questions to language models took, of all processes of a home."""

    def note(self, call: Call) -> None:
        """Write down one question, durably; its day is that of its time as it is given."""
        ...

    def spent(self, day: date) -> Spent:
        """What the questions of one day took together."""
        ...

    def calls(self, day: date) -> list[Call]:
        """The questions of one day, in the order they were written down; times are in UTC."""
        ...


class Tables(Protocol):
    """The static tables texts are compared by, each by its number."""

    @property
    def count(self) -> int:
        """How many there are; none when only words are compared."""
        ...

    def tokens(self, table: int, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        ...


class Embedder(Protocol):
    """Turns whole texts into vectors."""

    @property
    def name(self) -> str:
        """What the index calls these vectors: provider, place, model, length; another name means other vectors."""
        ...

    def embed(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """One unit vector a text; `Unavailable` when it cannot."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class ChosenEmbedder(Embedder, Protocol):
    """The embedder of the settings, or who takes its place."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should be told: that another has taken over, and why."""
        ...

    @property
    def width(self) -> int:
        """How long its vectors are, once it is settled who embeds."""
        ...

    @property
    def is_quick(self) -> bool:
        """Whether it embeds a text in milliseconds, and asks nobody."""
        ...

    def settle(self) -> None:
        """Find out who embeds and its name, before vectors are stored under it; `Unavailable` when nobody does."""
        ...

    def empty(self) -> None:
        """Keep no vector that was made before."""
        ...
