"""What the middle needs of the world: small protocols, each with a fake in `testing` and one contract suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime

    import numpy as np
    from numpy.typing import NDArray

    from oldsoul.values.audience import View
    from oldsoul.values.changes import Author
    from oldsoul.values.digest import Digest
    from oldsoul.values.history import Change, Record, Snapshot, Stray
    from oldsoul.values.messages import Logged, Message, Thread, Wanted
    from oldsoul.values.models import Call, Reply, Spent
    from oldsoul.values.names import Name
    from oldsoul.values.recall import Chunk, Filed, Filters, Hit, Prepared
    from oldsoul.values.runtime import Machine
    from oldsoul.values.skills import Skill, Skills
    from oldsoul.values.usage import Reuse, Use


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time now, with its zone."""
        ...


class Places(Protocol):
    """Where workspaces lie."""

    def folder(self, workspace: str) -> str:
        """The workspace's folder."""
        ...

    def roots(self, workspace: str) -> Sequence[str]:
        """Every folder that files of the workspace lie below."""
        ...

    def is_there(self, workspace: str) -> bool:
        """Whether its folder is there; `BadInput` when something else is in its place."""
        ...

    def prepare(self, workspace: str, folders: Sequence[str], *, git: bool) -> None:
        """Make the folder and those in it, if they are not there; a git repository, if asked for."""
        ...


class Store(Protocol):
    """Documents with versions, and the records that are committed with them."""

    def read(self, name: Name) -> Snapshot:
        """The document as it stands, in or out of history."""
        ...

    def version(self, name: Name) -> str:
        """The version `read` gives, told without reading where that can be: asked for of all documents in a row."""
        ...

    def touched(self, name: Name) -> int:
        """A number that is the greater, the later the document was changed, by whomever; 0 when that cannot be told."""
        ...

    def size(self, name: Name) -> int:
        """How many bytes the document has, told without reading it; 0 for one that is not there."""
        ...

    def names(self, workspace: str, under: str = "") -> list[Name]:
        """The documents there are, or those below one folder, in order."""
        ...

    def hold(self, workspace: str) -> AbstractContextManager[Held]:
        """The workspace for one writer at a time; what an interrupted one left is finished or dropped first."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class History(Protocol):
    """What the store remembers. The same object as the store, seen by those who only look back."""

    def changes(
        self,
        workspace: str,
        *,
        name: Name | None = None,
        author: Author | None = None,
        since: str = "",
        before: int | None = None,
        limit: int = 1000,
    ) -> list[Change]:
        """Changes, newest first: of one document, of one author, not older than a time, before a change."""
        ...

    def latest(self, workspace: str) -> int:
        """The number of the latest change; 0 when there is none. It is asked for before every search."""
        ...

    def recorded(self, name: Name) -> str | None:
        """The document's version as history knows it; None when it was never seen."""
        ...

    def known(self, workspace: str) -> list[Name]:
        """The documents history has ever seen, in order."""
        ...

    def change(self, change_id: int) -> Change | None:
        """One change."""
        ...

    def content(self, version: str) -> bytes | None:
        """The bytes of a version that history knows; None for one it does not, or that was absent."""
        ...

    def records(self, workspace: str, kind: str) -> dict[str, str]:
        """All records of a kind: key to JSON."""
        ...

    def record(self, workspace: str, kind: str, key: str) -> str | None:
        """One record's JSON; None when there is none of that key."""
        ...


class Held(Protocol):
    """A workspace while one writer holds it."""

    def settled(self, name: Name) -> bool:
        """Whether nobody is in the middle of saving the document."""
        ...

    def strays(self) -> Sequence[Stray]:
        """Saves that came in while we wrote and are quiet now; to be merged on top."""
        ...

    def spent(self, key: str) -> Change | None:
        """The change that spent this key; None when it is free."""
        ...

    def commit(
        self,
        change: Change,
        documents: Mapping[Name, bytes | None],
        records: Sequence[Record] = (),
        *,
        also: Mapping[str, bytes] | None = None,
    ) -> Change:
        """All of it, durably, or nothing: the documents, the change with its number, the records.

        `also` names further versions that history knows from now on, with the bytes to remember of each.
        """
        ...

    def erase(self, redacted: Mapping[str, bytes], changes: Sequence[Change]) -> None:
        """Put redacted bytes in the place of versions, and redacted changes in the place of changes, for good."""
        ...


class Extras(Protocol):
    """Further Markdown files that are searched and never written."""

    @property
    def folders(self) -> Sequence[str]:
        """Where they lie: what has to be watched to know of every change."""
        ...

    def scan(self) -> tuple[Mapping[str, str], Sequence[str]]:
        """Every file that can be read, path to version, and what is wrong with the rest, in words."""
        ...

    def read(self, path: str) -> bytes | None:
        """One of these files; None for everything else."""
        ...


class SkillRoots(Protocol):
    """The folders an agent's skills are looked for in."""

    def scan(self) -> Skills:
        """The skills there are now, and what looks like one and is none. Never an error, whatever lies there."""
        ...

    def read(self, skill: Skill) -> bytes | None:
        """All of a skill's SKILL.md; None when it cannot be read any more."""
        ...


class Changes(Protocol):
    """Tells which files change below some folders."""

    def wait(self, seconds: float) -> Collection[str] | None:
        """Paths, as soon as some changed; none when so many seconds are over; None once it is closed."""
        ...

    def close(self) -> None:
        """Have nobody wait any longer; any thread may do so."""
        ...


class ChatLog(Protocol):
    """Every message of every conversation, durably, in the order it came."""

    def append(self, messages: Sequence[Message]) -> list[Logged]:
        """Store messages, all of them or none, durably; one whose key its workspace has is given back as it stands."""
        ...

    def find(self, workspace: str, wanted: Wanted) -> list[Message]:
        """Messages in the order of their time, then of their number."""
        ...

    def threads(self, workspace: str) -> list[Thread]:
        """The sessions there are, the one with the latest message first."""
        ...

    def thread(self, workspace: str, session: str) -> Thread | None:
        """One session, by its id; None when there is none."""
        ...

    def last(self, workspace: str) -> int:
        """The number of the latest message; 0 when there is none."""
        ...

    def people(self, workspace: str) -> list[str]:
        """Who ever said something, by their ids, in order."""
        ...

    def redact(self, workspace: str, texts: Mapping[int, str]) -> None:
        """Put other words in the place of messages' text, by their numbers, for good; their flags go too."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Model(Protocol):
    """A language model."""

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        """Its answer, meant to have the form of the schema; `Unavailable` when it does not answer."""
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


class Notify(Protocol):
    """Tells the operator of growth."""

    def send(self, digest: Digest) -> None:
        """Deliver it; `Unavailable` when that cannot be done."""
        ...


class Usage(Protocol):
    """When entries were of use: put into a context, or given back by recall."""

    def note(self, workspace: str, uses: Sequence[Use]) -> None:
        """Remember that entries were used."""
        ...

    def reuse(self, workspace: str, entries: Sequence[str]) -> dict[str, Reuse]:
        """How often and when these entries were used; those that never were are left out."""
        ...

    def forget(self, workspace: str, entries: Sequence[str]) -> None:
        """Drop what is known of these entries."""
        ...

    def close(self) -> None:
        """Let go of everything."""
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

    def settle(self) -> None:
        """Find out who embeds and its name, before vectors are stored under it; `Unavailable` when nobody does."""
        ...

    def empty(self) -> None:
        """Keep no vector that was made before."""
        ...


class Index(Protocol):
    """Pieces of memory, found by words and by meaning. Derived: lost, it is made again."""

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something."""
        ...

    def heard(self, people: Collection[str], view: View) -> set[str]:
        """Those of some speakers who said something that a view sees."""
        ...

    def documents(self) -> dict[str, str]:
        """What is indexed: path to digest."""
        ...

    def put(
        self, filed: Iterable[Filed], prepare: Callable[[Iterable[Chunk]], Iterable[Prepared]], *, append: bool = False
    ) -> None:
        """Have documents in it as they are now, all of them or none; or add chunks at their ends.

        `prepare` works out what it wants to know of a chunk; it is asked only for those it does not have.
        """
        ...

    def erase(self, redacted: Iterable[Filed], prepare: Callable[[Iterable[Chunk]], Iterable[Prepared]]) -> None:
        """Put chunks in the place of those of their documents that begin at the same lines.

        Afterwards nothing of any row that is gone is in it: no word, and nothing that was worked out of one.
        """
        ...

    def look(
        self,
        question: Any,
        filters: Filters,
        tokens: Callable[..., list[list[int]]],
        count: int,
        asked: tuple[str, Any] | None = None,
    ) -> tuple[Any, Any]:
        """The rows that fit a question best, so many by words and so many by meaning, and what scoring needs of the store.

        `asked` is the embedder's name and the question's vector by it, where there is one. It is compared with vectors
        by the same embedder, of the same length.
        """
        ...

    def seen(self, terms: Collection[str], filters: Filters) -> dict[str, list[int]]:
        """The first `SEEN` rows, or fewer, that filters let through and that have each of some terms; those in none left out."""
        ...

    def holds_other(self, question: Any, view: View) -> bool:
        """Whether it holds pieces that a view sees in another script than the question: not in Latin letters, or in these."""
        ...

    def lacking(self, embedder: str, count: int) -> list[tuple[int, Chunk]]:
        """The next rows, at most so many, that have no vector by this embedder. Those by another are dropped."""
        ...

    def fill(self, embedder: str, rows: Sequence[int], vectors: Any) -> None:
        """Give the rows that `lacking` named their vectors; rows that are gone meanwhile do no harm."""
        ...

    def rows_of(self, path: str) -> list[int]:
        """The rows of one document, in order."""
        ...

    def renewed(self) -> bool:
        """Whether another index took its place since this was last asked: one that may lack what came meanwhile."""
        ...

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Some rows as they are shown."""
        ...

    def steady(self) -> AbstractContextManager[None]:
        """Everything that is looked up within it is of one moment, whoever writes meanwhile."""
        ...

    def supersede(self, entries: Mapping[str, datetime | None], words: Sequence[tuple[str, datetime | None]]) -> None:
        """Have rows not be found that a correction took the place of: by entry, or by words, if they are older."""
        ...

    def noted(self, key: str) -> str | None:
        """What was noted in it under this key, for the rows it has now."""
        ...

    def note(self, key: str, value: str) -> None:
        """Note something that holds until its rows are weighed anew."""
        ...

    def weigh(self) -> None:
        """Bring the statistics of the store up to date."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class SecondMemory(Protocol):
    """Another program's memory of the conversations, asked beside ours. Derived: lost, it is filled again. For one thread."""

    @property
    def reached(self) -> int:
        """The number of the last message it was given; 0 when it is empty."""
        ...

    @property
    def gone(self) -> bool:
        """Whether its store was taken away, so that it has to be opened anew."""
        ...

    def take(self, messages: Sequence[Message]) -> None:
        """Store messages that follow the last one."""
        ...

    def search(self, question: str, view: View, limit: int) -> list[Hit]:
        """What it finds among what the view sees, the best first."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Lease(Protocol):
    """That one process, and no other, is at a piece of work."""

    left: str
    """what the one before noted who did not come to the end; empty when all did"""

    def note(self, text: str) -> None:
        """Say what is being done, for those who look; as well as can be."""
        ...


class Leases(Protocol):
    """Who is at which piece of work."""

    def take(self, workspace: str, work: str) -> AbstractContextManager[Lease | None]:
        """The lease until the block is left, or the process is killed; None, at once, when somebody else has it."""
        ...

    def noted(self, workspace: str, work: str) -> str | None:
        """What whoever is at it says; None when nobody is."""
        ...


class Runtime(Protocol):
    """The machine an agent runs on."""

    def machine(self, folder: str) -> Machine:
        """What is known of it, and of the repository that this folder lies in."""
        ...
