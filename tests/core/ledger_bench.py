"""A ledger on a store of either kind, and short words for what tests do with it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from adapters.store_contract import opened
from oldsoul.documents import Document, Entry, parse
from oldsoul.ledger import Ledger, LedgerOptions, Outcome
from oldsoul.testing import FrozenClock
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.changes import Add, Author, ChangeSet, Evidence, Operation, Put, Role
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from adapters.store_contract import Bench

OPERATOR = Author(Role.OPERATOR, "acct:owner")
AGENT = Author(Role.AGENT, "main")
MINER = Author(Role.KEEPER, "memory-miner")
SOUL_KEEPER = Author(Role.KEEPER, "soul-keeper")
GUEST = Author(Role.PARTICIPANT, "acct:7")
SYSTEM = Author(Role.SYSTEM, "templates")

MEMORY = Name("main", "MEMORY.md")
SOUL = Name("main", "SOUL.md")
USER = Name("main", "USER.md")
DAILY = Name("main", "memory/2026-02-04.md")
SESSION = Name("main", "memory/2026-02-04/dm_acct_7.md")
ROOM = Name("main", "rooms/r1.md")
OTHER_ROOM = Name("main", "rooms/r2.md")
PERSON = Name("main", "memory/_longterms/acct_7/_index.md")
CORRECTIONS = Name("main", "CORRECTIONS.md")
CONFLICTS = Name("main", "CONFLICTS.md")
ARCHIVE = Name("main", "Archive/Memory/2026-02.md")

R1, R2, P7 = Audience.room("r1"), Audience.room("r2"), Audience.person("acct:7")
KINDS = st.sampled_from([*["memory"] * 11, "folder"])
"""Where a property is tried: mostly on the quick store, now and then on the real one."""


def said(origin: Origin = Origin.OPERATOR, audience: Audience = OWNER, quote: str = "", ref: str = "m:1") -> Evidence:
    return Evidence(ref, origin, audience, quote)


BY_OPERATOR = (said(),)
BY_GUEST = (said(Origin.PARTICIPANT, P7),)
IN_ROOM = (said(Origin.PARTICIPANT, R1),)
FROM_WEB = (said(Origin.UNTRUSTED, PUBLIC),)


def seed(name: Name) -> bytes:
    return b"# %s\n" % name.path.encode()


@dataclass(slots=True)
class House:
    """A ledger at work."""

    bench: Bench
    ledger: Ledger
    clock: FrozenClock
    keys: Iterator[int] = field(default_factory=count)

    def change(
        self,
        *operations: Operation,
        author: Author = OPERATOR,
        evidence: tuple[Evidence, ...] = (),
        key: str = "",
        versions: Mapping[Name, str] | None = None,
        reason: str = "a test",
    ) -> ChangeSet:
        return ChangeSet(operations, author, reason, key or f"key {next(self.keys)}", evidence, versions or {})

    def do(
        self,
        *operations: Operation,
        author: Author = OPERATOR,
        evidence: tuple[Evidence, ...] = (),
        key: str = "",
        versions: Mapping[Name, str] | None = None,
        reason: str = "a test",
    ) -> Outcome:
        return self.ledger.apply(
            self.change(*operations, author=author, evidence=evidence, key=key, versions=versions, reason=reason)
        )

    def put(self, name: Name, text: str) -> str:
        """A document as the operator writes it; gives its version."""
        self.do(Put(name, text.encode()))
        return self.ledger.read(name).version

    def add(self, name: Name, text: str, author: Author = OPERATOR, evidence: tuple[Evidence, ...] = ()) -> str:
        """An entry's id."""
        title = "2026-02-04 12:00" if name.is_log else ""
        outcome = self.do(Add(name, text, title=title), author=author, evidence=evidence)
        assert outcome.change is not None
        return next(e.entries[0] for e in outcome.change.effects if e.name == name)

    def text(self, name: Name) -> str:
        return (self.ledger.read(name).data or b"").decode()

    def document(self, name: Name) -> Document:
        return parse(self.ledger.read(name).data or b"", is_log=name.is_log)

    def entry(self, name: Name, entry_id: str) -> Entry:
        return self.document(name).find(entry_id)

    def entries(self, name: Name) -> list[str]:
        return [entry.text for entry in self.document(name).entries]

    def ids(self, name: Name) -> list[str]:
        return [entry.id for entry in self.document(name).entries]


@contextmanager
def house_of(kind: str, options: LedgerOptions | None = None) -> Iterator[House]:
    """A fresh house."""
    with opened(kind) as bench:
        clock = FrozenClock()
        yield House(bench, Ledger(bench.store, clock, seed, options), clock)
