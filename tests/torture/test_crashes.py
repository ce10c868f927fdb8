"""A store stopped at every call it makes, and the power cut: the whole set is old or new, and the next start cleans up."""

from __future__ import annotations

import errno
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oldsoul.adapters.folder.disk import Disk
from oldsoul.adapters.folder.store import FolderStore, WorkspacePath
from oldsoul.documents.marks import new_id
from oldsoul.errors import BadInput, Conflict, NotFound, OldsoulError
from oldsoul.ledger import Ledger
from oldsoul.testing import FrozenClock
from oldsoul.values.changes import Add, Author, ChangeSet, Delete, Move, Operation, Put, Remove, Replace, Role
from oldsoul.values.history import ABSENT, version_of
from oldsoul.values.names import Name
from scale import scaled
from torture.fake_disk import CALLS, Crash, FakeDisk, Plan, Watched, copied, cuts, watch_commits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torture.fake_disk import Cut

MAIN = "main"
OPERATOR = Author(Role.OPERATOR, "acct:owner")
AGENT = Author(Role.AGENT, MAIN)
MEMORY = Name(MAIN, "MEMORY.md")
SOUL = Name(MAIN, "SOUL.md")
SESSION = Name(MAIN, "memory/2026-02-04/dm.md")
EMPTY = Name(MAIN, "rooms/empty.md")
NEW = Name(MAIN, "rooms/new.md")
THIRD = Name(MAIN, "rooms/third.md")
DEEP = Name(MAIN, "memory/_longterms/acct_42/_index.md")
ARCHIVE = Name(MAIN, "Archive/Memory/2026-02.md")
WORDS = "the cat is called Schnurzel"
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES)
RANDOM_CUTS = range(scaled(1, 40))
FEWER_CUTS = range(scaled(1, 40))
KINDS = (
    "files are swapped",
    "no exchange",
    pytest.param("no exchange and no links", marks=pytest.mark.torture),
)
"""What the file system can do."""

Bytes = dict[Name, bytes | None]


def entry(key: str, ordinal: int = 0) -> str:
    """The id of an entry that the change of this key wrote."""
    return new_id(key, ordinal)


def change(key: str, *operations: Operation, author: Author = OPERATOR) -> ChangeSet:
    return ChangeSet(operations, author, "a test", key)


@dataclass(frozen=True)
class Mutation:
    """One kind of change, what comes before it, and what somebody else does meanwhile."""

    act: Callable[[Ledger], object]
    before: Callable[[FakeDisk], None] = lambda _: None
    """what a person did before, outside"""
    meanwhile: dict[str, Callable[[FakeDisk], None]] = field(default_factory=dict)
    """what a person does just before the first call of a name"""
    key: str = ""
    """the key it spends"""
    first: Callable[[Ledger], object] | None = None
    """what it does first, as a change of its own"""


def applies(key: str, *operations: Operation) -> Mutation:
    return Mutation(lambda ledger: ledger.apply(change(key, *operations)), key=key)


def text(disk: FakeDisk, name: Name) -> bytes:
    found = disk.read(name.path)
    assert found is not None
    return found[0]


def edit_session(disk: FakeDisk) -> None:
    """A person adds a line, once."""
    if b"typed by hand" not in text(disk, SESSION):
        disk.save(SESSION.path, text(disk, SESSION) + b"- typed by hand\n")


def stale_session(disk: FakeDisk) -> None:
    """A person saves a buffer from before the ledger's last entry, with a line of their own."""
    lines = [line for line in text(disk, SESSION).splitlines(keepends=True) if entry("session2").encode() not in line]
    disk.save(SESSION.path, b"".join(lines) + b"- typed in an old buffer\n")


def approve(ledger: Ledger) -> object:
    (proposal,) = ledger.proposals(MAIN, state="")
    return ledger.approve(MAIN, proposal.id, OPERATOR)


def undo(ledger: Ledger) -> object:
    (made,) = (c for c in ledger.history(MAIN) if c.key == "three")
    return ledger.undo(made.id, OPERATOR)


MUTATIONS = {
    "create a document": applies("create", Add(NEW, "first")),
    "create a document in new folders": applies("deep", Add(DEEP, "first")),
    "append": applies("append", Add(MEMORY, "one more")),
    "append to an empty document": applies("empty", Add(EMPTY, "not empty any more")),
    "replace": applies("replace", Replace(MEMORY, entry("memory"), "other words")),
    "remove": applies("remove", Remove(MEMORY, entry("memory"))),
    "delete a document": applies("delete", Delete(SESSION)),
    "put a document": applies("put", Put(SOUL, b"# Soul\n\nQuite another one.\n")),
    "a set over three documents": applies(
        "set", Add(MEMORY, "a"), Replace(SESSION, entry("session"), "b"), Add(DEEP, "c"), Delete(EMPTY)
    ),
    "a move to the archive": applies("move", Move(MEMORY, entry("memory"), to=ARCHIVE)),
    "an approval": Mutation(approve, key=f"approve:{new_id('soul', 1_000_000)}"),
    "an undo": Mutation(undo),
    "forgetting": Mutation(lambda ledger: ledger.forget(MEMORY, entry("secret"), OPERATOR, "asked for")),
    "an outside edit taken in": Mutation(lambda ledger: ledger.read(SESSION), before=edit_session),
    "a stale outside save merged": Mutation(lambda ledger: ledger.read(SESSION), before=stale_session),
    "an outside edit before an append": Mutation(
        lambda ledger: ledger.apply(change("both", Add(SESSION, "ours"))),
        before=stale_session,
        key="both",
        first=lambda ledger: ledger.read(SESSION),
    ),
}

MEANWHILE = {
    "a save just before the swap": Mutation(
        lambda ledger: ledger.apply(change("stray", Add(SESSION, "ours"))),
        meanwhile={"exchange": edit_session, "link": edit_session},
        key="stray",
    ),
    "a save where a document was to be created": Mutation(
        lambda ledger: ledger.apply(change("stray", Add(NEW, "ours"))),
        meanwhile={"place": lambda disk: disk.save(NEW.path, b"- typed by hand\n")},
        key="stray",
    ),
    "a save just before a deletion": Mutation(
        lambda ledger: ledger.apply(change("stray", Delete(SESSION))),
        meanwhile={"place": edit_session},
        key="stray",
    ),
}


class Machine:
    """A disk and a ledger's file, and what runs on them."""

    def __init__(self, folder: Path, disk: FakeDisk, database: Path | None = None) -> None:
        self.folder = folder
        self.disk = disk
        self.plan = Plan()
        folder.mkdir(parents=True)
        if database is not None:
            copied(database, folder / "state")
        self.store = FolderStore(str(folder / "state"), lambda _: WorkspacePath(disk.root), lambda _: self._watched())
        watch_commits(self.store, self.plan)
        self.ledger = Ledger(self.store, FrozenClock(), lambda name: f"# {name.path}\n\n".encode())

    def _watched(self) -> Disk:
        return Watched(self.disk, self.plan)

    def run(self, mutation: Mutation) -> bool:
        """Whether the mutation was acknowledged; False when the machine stopped before."""
        for what, person in mutation.meanwhile.items():
            self.plan.hooks[what] = lambda person=person: person(self.disk)  # type: ignore[misc]
        try:
            mutation.act(self.ledger)
        except Crash:
            return False
        return True

    def cut(self, cut: Cut, folder: Path) -> Machine:
        """The machine when the power is back. Nothing of the old one is touched."""
        database = Path(self.store.db.path)
        if self.plan.lazy is not None and not cut.keep():
            database = self.plan.lazy
        return Machine(folder, self.disk.after(cut), database)

    def bytes(self) -> Bytes:
        names = (*self.store.names(MAIN), *self.store.known(MAIN))
        return {name: data for name in names if (data := self.store.read(name).data) is not None}

    def forsake(self) -> None:
        """Let the file go without telling it anything."""
        self.store.db._connection.close()


@pytest.fixture(scope="module")
def quick() -> Iterator[Path]:
    """A folder in memory where there is one: what is durable is the fake disk's to say, and commits are steps."""
    where = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - the folder below it is ours alone
    folder = Path(tempfile.mkdtemp(prefix="oldsoul-", dir=where))
    yield folder
    shutil.rmtree(folder)


@dataclass
class Start:
    """The state every mutation starts from."""

    folder: Path
    disk: FakeDisk
    database: Path
    runs: int = 0

    def machine(self, mutation: Mutation, **plan: int | bool) -> Machine:
        """A fresh machine in that state, with what the person did before."""
        disk = self.disk.after(cuts(range(0))[0])
        mutation.before(disk)
        machine = Machine(self.place(), disk, self.database)
        for what, value in plan.items():
            setattr(machine.plan, what, value)
        return machine

    def cuts(self) -> list[Cut]:
        """The ways in which the power goes; the rare file systems make do with fewer in `make test`."""
        return cuts(RANDOM_CUTS if self.disk.swaps else FEWER_CUTS)

    def place(self) -> Path:
        self.runs += 1
        return self.folder / f"run{self.runs}"


@pytest.fixture(scope="module", params=KINDS)
def start(request: pytest.FixtureRequest, quick: Path) -> Start:
    disk = FakeDisk("/workspace", swaps="no" not in request.param, links="links" not in request.param)
    place = Path(tempfile.mkdtemp(prefix=request.param.replace(" ", "-"), dir=quick))
    machine = Machine(place / "start", disk)
    ledger = machine.ledger
    first: dict[str, Operation] = {
        "memory": Add(MEMORY, "words"),
        "secret": Add(MEMORY, WORDS),
        "session": Add(SESSION, "a session's words"),
        "session2": Add(SESSION, "more of them"),
        "put": Put(EMPTY, b"x"),
        "soul-put": Put(SOUL, b"# Soul\n\n- kind\n"),
    }
    for key, operation in first.items():
        ledger.apply(change(f"start-{key}" if key == "put" else key, operation))
    disk.save(EMPTY.path, b"")
    ledger.notice(MAIN)
    ledger.apply(change("three", Add(MEMORY, "t1"), Add(SESSION, "t2"), Add(THIRD, "t3")))
    ledger.apply(change("soul", Add(SOUL, "curious"), author=AGENT))
    ledger.apply(change("new", Add(NEW, "to be deleted")))
    ledger.apply(change("gone", Delete(NEW)))
    machine.store.close()
    assert disk.hidden() == []
    return Start(place, disk, Path(machine.store.db.path))


def check_history(machine: Machine) -> None:
    """History says the same as the files, and its versions follow one another."""
    known: Bytes = machine.bytes()
    latest: dict[Name, str] = {}
    for made in reversed(machine.store.changes(MAIN, limit=10_000)):
        for effect in made.effects:
            assert latest.get(effect.name, ABSENT) == effect.before, f"history of {effect.name} is broken"
            latest[effect.name] = effect.after
            if effect.after != ABSENT:
                assert machine.store.content(effect.after) is not None
    assert {name: v for name, v in latest.items() if v != ABSENT} == {n: version_of(d) for n, d in known.items()}


def words_in_history(machine: Machine, words: str) -> bool:
    return any(
        words.encode() in (machine.store.content(effect.after) or b"")
        for made in machine.store.changes(MAIN, limit=10_000)
        for effect in made.effects
    )


def outcomes(start: Start, mutation: Mutation) -> tuple[list[Bytes], Bytes, int]:
    """The states that may be found after a crash, the one that must be after the work is done, and its calls."""
    machine = start.machine(mutation)
    found = [machine.bytes()]
    if mutation.first is not None:
        mutation.first(machine.ledger)
        found.append(machine.bytes())
    machine.forsake()
    machine = start.machine(mutation)
    machine.run(mutation)
    calls = len(machine.plan.calls)
    new = machine.bytes()
    machine.forsake()
    return [*found, new], new, calls


def points(start: Start, mutation: Mutation) -> Iterator[Machine]:
    """A machine stopped before and after each of its calls, and one that was not; each state once."""
    _, _, calls = outcomes(start, mutation)
    seen = set()
    for at in range(calls + 1):
        for after in (False, True):
            machine = start.machine(mutation, at=at, after=after)
            acknowledged = machine.run(mutation)
            assert acknowledged == (at == calls)
            commits = sum("commit" in call for call in machine.plan.calls)
            if machine.plan.calls and "commit" in machine.plan.calls[-1] and not machine.plan.after:
                commits -= 1
            state = repr((machine.disk.state(), commits, acknowledged, machine.plan.lazy is None))
            if state not in seen:
                seen.add(state)
                yield machine
            machine.forsake()


def again(machine: Machine, mutation: Mutation) -> None:
    """The caller, who does not know what became of it, tries once more."""
    with suppress(Conflict, NotFound, BadInput):
        mutation.act(machine.ledger)


@pytest.mark.parametrize("what", MUTATIONS)
def test_a_crash_at_any_call_leaves_all_of_a_set_or_none(
    start: Start, what: str, record_property: Callable[[str, object], None]
) -> None:
    mutation = MUTATIONS[what]
    allowed, new, _ = outcomes(start, mutation)
    count = 0
    for machine in points(start, mutation):
        acknowledged = not machine.plan.dead
        for cut in start.cuts():
            count += 1
            where = f"{what}, stopped at call {machine.plan.at} {machine.plan.calls[-1:]}, {cut.title}"
            found = machine.cut(cut, start.place())
            with found.store.hold(MAIN):
                pass
            now = found.bytes()
            assert now in allowed, where
            assert now == new or not acknowledged, f"{where}: acknowledged, and lost"
            found.ledger.notice(MAIN)
            check_history(found)
            again(found, mutation)
            assert found.bytes() == new, where
            check_history(found)
            if mutation.key:
                assert sum(c.key == mutation.key for c in found.store.changes(MAIN)) == 1
            if what == "forgetting":
                assert not words_in_history(found, WORDS), where
            found.store.close()
            assert found.disk.hidden() == [], where
            last = found.cut(cuts(range(0))[1], start.place())
            with last.store.hold(MAIN):
                pass
            assert last.bytes() == new, f"{where}: lost when the power went again"
            last.store.close()
            assert last.disk.hidden() == [], f"{where}: left behind when the power went again"
            shutil.rmtree(last.folder)
            shutil.rmtree(found.folder)
        shutil.rmtree(machine.folder)
    record_property("crash points and cuts", count)


@pytest.mark.parametrize("what", ["create a document in new folders", "a set over three documents"])
def test_a_crash_while_recovering_changes_nothing(start: Start, what: str) -> None:
    mutation = MUTATIONS[what]
    allowed, new, _ = outcomes(start, mutation)
    for number, machine in enumerate(points(start, mutation)):
        for cut in cuts(range(0))[number % scaled(4, 3) :: scaled(4, 3)]:
            stride = scaled(13, 5)
            at = number % stride
            while True:
                second = machine.cut(cut, start.place())
                second.plan.at = at
                second.plan.after = bool(at % 2)
                try:
                    with second.store.hold(MAIN):
                        pass
                    second.ledger.notice(MAIN)
                except Crash:
                    pass
                third = second.cut(cuts(range(at, at + 1))[-1], start.place())
                with third.store.hold(MAIN):
                    pass
                assert third.bytes() in allowed
                again(third, mutation)
                assert third.bytes() == new
                third.store.close()
                assert third.disk.hidden() == []
                second.forsake()
                done = not second.plan.dead
                shutil.rmtree(second.folder)
                shutil.rmtree(third.folder)
                if done:
                    break
                at += stride
        shutil.rmtree(machine.folder)


@pytest.mark.parametrize("what", MEANWHILE)
def test_a_crash_loses_no_save_that_came_in_between(start: Start, what: str) -> None:
    mutation = MEANWHILE[what]
    for machine in points(start, mutation):
        acknowledged = not machine.plan.dead
        for cut in start.cuts():
            where = f"{what}, stopped at call {machine.plan.at} {machine.plan.calls[-1:]}, {cut.title}"
            found = machine.cut(cut, start.place())
            saved = len(machine.plan.hooks) < len(mutation.meanwhile)
            with found.store.hold(MAIN) as held:
                spent = held.spent("stray") is not None
            found.ledger.notice(MAIN)
            together = b"".join(data or b"" for data in found.bytes().values())
            assert (b"typed by hand" in together) == saved, where
            assert (b"ours" in together) == (spent and "deletion" not in what), where
            assert spent or not acknowledged, where
            check_history(found)
            again(found, mutation)
            together = b"".join(data or b"" for data in found.bytes().values())
            assert together.count(b"ours") == ("deletion" not in what), where
            assert together.count(b"typed by hand") == saved, where
            found.store.close()
            assert found.disk.hidden() == [], where
            shutil.rmtree(found.folder)
        shutil.rmtree(machine.folder)


def test_a_save_in_place_that_goes_on_after_the_swap_is_waited_for(start: Start) -> None:
    if not (start.disk.swaps or start.disk.links):
        pytest.skip("a copy cannot follow an editor that goes on writing into the original")
    mutation = MEANWHILE["a save just before the swap"]
    machine = start.machine(mutation)
    before = text(machine.disk, SESSION)
    file = machine.disk.begin_save(SESSION.path, before[:20])
    machine.ledger.apply(change("stray", Add(SESSION, "ours")))
    machine.ledger.apply(change("stray2", Add(SESSION, "ours too")))
    machine.store.close()
    assert len(machine.disk.hidden()) == 1
    machine.disk.end_save(file, before + b"- typed by hand\n")
    later = machine.cut(cuts(range(0))[0], start.place())
    later.ledger.notice(MAIN)
    data = text(later.disk, SESSION)
    for words in (b"- ours <", b"- ours too <", b"- typed by hand\n", *before.split(b"\n")[2:5]):
        assert data.count(words) == 1
    check_history(later)
    later.store.close()
    assert later.disk.hidden() == []


@pytest.mark.parametrize("what", [*MUTATIONS, *MEANWHILE])
def test_an_error_of_the_system_at_any_call_leaves_all_of_a_set_or_none(
    start: Start, what: str, record_property: Callable[[str, object], None]
) -> None:
    mutation = {**MUTATIONS, **MEANWHILE}[what]
    allowed, new, calls = outcomes(start, mutation)
    for at in range(calls):
        for error in ERRORS[at % scaled(3, 1) :: scaled(3, 1)]:
            machine = start.machine(mutation, at=at, error=error)
            where = f"{what}, {errno.errorcode[error]} at call {at}"
            raised = False
            try:
                machine.run(mutation)
            except (OSError, OldsoulError):
                raised = True
            with machine.store.hold(MAIN):
                pass
            now = machine.bytes()
            if not mutation.meanwhile:
                assert now in allowed, f"{where} {machine.plan.calls[at]}"
                assert now == new or raised, where
            machine.ledger.notice(MAIN)
            check_history(machine)
            again(machine, mutation)
            if not mutation.meanwhile:
                assert machine.bytes() == new, where
            check_history(machine)
            machine.store.close()
            assert machine.disk.hidden() == [], where
            shutil.rmtree(machine.folder)
    record_property("errors", calls)


def test_the_fake_disk_has_every_call_of_a_disk() -> None:
    calls = {name for name, value in vars(Disk).items() if callable(value) and not name.startswith("_")}
    assert calls == set(CALLS)
    assert all(name in vars(FakeDisk) for name in calls)
