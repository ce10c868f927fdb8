"""What is made of documents is made once of the same bytes, and again as soon as they change."""

from __future__ import annotations

from datetime import date

from oldsoul.app.talk.session_files import SessionFiles
from oldsoul.documents.cached import DocumentCache
from oldsoul.testing import MemoryStore
from oldsoul.values.names import Name

MEMORY, USER = Name("main", "MEMORY.md"), Name("main", "USER.md")
OLD, NEW = "memory/2026-01-30/a.md", "memory/2026-02-01/a.md"


def test_the_same_bytes_are_read_once_and_others_again() -> None:
    read: list[bytes] = []

    def text(_: Name, data: bytes) -> str:
        read.append(data)
        return data.decode()

    reading = DocumentCache(text)
    assert [reading(MEMORY, bytes([65])), reading(MEMORY, bytes([65])), reading(MEMORY, b"B")] == ["A", "A", "B"]
    assert [reading(USER, b"B"), reading(MEMORY, b"A")] == ["B", "A"]
    assert read == [b"A", b"B", b"B", b"A"]


def test_no_more_than_so_many_bytes_are_remembered() -> None:
    read: list[Name] = []
    reading = DocumentCache(lambda name, _: read.append(name), most=10)
    for name in (MEMORY, USER, USER, MEMORY, MEMORY):
        reading(name, b"123456")
    assert read == [MEMORY, USER, MEMORY]


def test_of_a_document_that_changes_often_only_the_last_is_remembered() -> None:
    read: list[Name] = []
    reading = DocumentCache(lambda name, _: read.append(name), most=10)
    reading(USER, b"12345")
    for size in (1, 2, 3, 4):
        reading(MEMORY, b"1" * size)
    reading(USER, b"12345")
    assert read == [USER, *[MEMORY] * 4]


def paths(files: SessionFiles) -> list[str]:
    return [name.path for name in files.between(date(2026, 1, 1), date(2026, 2, 28))]


def test_files_of_sessions_that_come_and_go_are_seen_on_the_days_that_are_looked_at() -> None:
    store = MemoryStore()
    first, last = date(2026, 1, 30), date(2026, 2, 1)
    store.save_outside(Name("main", OLD), b"x")
    store.save_outside(Name("main", "memory/2026-01-30.md"), b"a day, and no session")
    files = SessionFiles(store, "main")
    assert paths(files) == [OLD]
    store.save_outside(Name("main", NEW), b"x")
    store.save_outside(Name("main", "memory/2026-02-01/b.md"), b"x")
    assert files.before("a", date(2026, 2, 2)) == Name("main", OLD)
    files.look(last, last)
    assert paths(files) == [OLD, NEW, "memory/2026-02-01/b.md"]
    assert [files.before("a", day) for day in (first, last, date(2026, 2, 2))] == [
        None,
        Name("main", OLD),
        Name("main", NEW),
    ]
    store.save_outside(Name("main", OLD), None)
    store.save_outside(Name("main", NEW), None)
    files.look(last, last, first)
    assert (paths(files), files.before("a", date(2026, 2, 2))) == (["memory/2026-02-01/b.md"], None)
    store.save_outside(Name("main", OLD), b"x")
    files.look(date(2020, 1, 1), last)
    assert paths(files) == [OLD, "memory/2026-02-01/b.md"]
