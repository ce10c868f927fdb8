"""The entries of an agent's documents as they are listed: filtered, a page at a time, for the right eyes."""

from __future__ import annotations

import time
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.app import entries
from oldsoul.documents import parse
from oldsoul.errors import BadInput, Refused
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.callers import Caller
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.values.recall import Entry
from oldsoul.values.sessions import Session
from talk_bench import Talk, talk

if TYPE_CHECKING:
    from collections.abc import Iterable

OWN, ANN, DEV = Session.dm("acct:owner"), Session.dm("acct:7"), Session.group("dev")
DOCUMENTS = {
    "MEMORY.md": (
        "# Memory\n\n## Home\n\n"
        "- **Cat**: She is called Miso (added 2026-01-05) #decision"
        " <!--os k3f9w2m7qa conf=0.8 seen=2026-02-03 n=2 src=m:118 origin=participant-->\n"
        "- The boiler is serviced in May (added 2025-06-01)"
        " <!--os k3f9w2m7qb conf=0.6 seen=2025-06-01 superseded=k3f9w2m7qc,2025-08-01-->\n"
        "- The boiler is serviced in June <!--os k3f9w2m7qc conf=0.9 seen=2025-08-01-->\n"
        "  - by Ben\n"
    ),
    "rooms/dev.md": "# Dev\n\n- We deploy on Fridays\n- The password rests with Ben <!--os k3f9w2m7qd aud=owner-->\n",
    "memory/_longterms/acct_7/profile.md": "# Ann\n\n- Ann likes tulips\n",
    "memory/2026-02-01.md": (
        "# 2026-02-01\n\n## Secret plans\n\n- Plans of the owner\n- Said in the room <!--os k3f9w2m7qe aud=room:dev-->\n"
    ),
}


@pytest.fixture
def t() -> Talk:
    made = talk()
    for path in made.paths():
        made.store.save_outside(Name("main", path), None)
    for path, text in DOCUMENTS.items():
        made.store.save_outside(Name("main", path), text.encode())
    return made


def ids(listed: Iterable[Entry]) -> list[str]:
    return [entry.id[-1] if entry.id.startswith("k3f9w2m7q") else entry.text for entry in listed]


def test_an_entry_says_what_it_is_and_how_sure_it_is_today(t: Talk) -> None:
    miso, boiler, newer = t.agent.memory.entries("memory").page
    assert miso == Entry(
        id="k3f9w2m7qa",
        path="MEMORY.md",
        line=5,
        text="**Cat**: She is called Miso (added 2026-01-05) #decision",
        title="Cat",
        section="Home",
        tag="decision",
        stored=0.8,
        confidence=0.8,
        seen=date(2026, 2, 3),
        added=date(2026, 1, 5),
        mentions=2,
        source="m:118",
        origin=Origin.PARTICIPANT,
        audience=OWNER,
        superseded=False,
        searched=True,
    )
    assert (boiler.superseded, newer.superseded) == (True, False)
    assert newer.stored == 0.9 > newer.confidence
    assert newer.text == "The boiler is serviced in June\n  - by Ben"
    t.clock.advance(timedelta(days=2000))
    assert t.agent.memory.entries("memory").page[0].confidence < 0.8
    assert repr(miso) == "<Entry k3f9w2m7qa MEMORY.md:5 '**Cat**: She is called Miso (added 2026…'>"


@pytest.mark.parametrize(
    ("only", "found"),
    [
        ({"tag": "decision"}, ["a"]),
        ({"words": "boiler"}, ["b", "c"]),
        ({"words": "JUNE  boiler"}, ["c"]),
        ({"words": "boil"}, []),
        ({"confidence": 0.75, "path": "MEMORY.md"}, ["a"]),
        ({"audience": "room:dev"}, ["e", "We deploy on Fridays"]),
        ({"audience": Audience.person("acct:7")}, ["Ann likes tulips"]),
        ({"audience": PUBLIC}, []),
        ({"since": date(2026, 2, 1)}, ["a", "Plans of the owner", "e"]),
        ({"since": date(2025, 6, 2), "until": date(2026, 2, 1)}, ["c", "Plans of the owner", "e"]),
        ({"until": date(2025, 6, 1)}, ["b"]),
        ({"path": "rooms/dev.md", "words": "password"}, ["d"]),
        ({"path": "rooms/none.md"}, []),
    ],
)
def test_each_filter_restricts(t: Talk, only: dict[str, Any], found: list[str]) -> None:
    page = t.agent.memory.entries(**only)
    assert ids(page) == found
    assert page.total == len(page) == len(found)


@pytest.mark.parametrize(
    ("session", "found"),
    [
        (None, ["a", "b", "c", "Plans of the owner", "e", "Ann likes tulips", "We deploy on Fridays", "d"]),
        (OWN, ["a", "b", "c", "Plans of the owner", "e", "We deploy on Fridays", "d"]),
        (ANN, ["Ann likes tulips"]),
        (DEV, ["e", "We deploy on Fridays"]),
        (Session.cron("job"), []),
    ],
)
def test_everybody_sees_what_is_theirs(t: Talk, session: Session | None, found: list[str]) -> None:
    page = t.agent.memory.entries(session=session)
    assert ids(page) == found
    assert page.total == len(found)


def test_a_heading_that_is_not_for_these_eyes_is_left_out(t: Talk) -> None:
    (said, _) = t.agent.memory.entries(session=DEV)
    assert said.section == ""
    assert next(entry.section for entry in t.agent.memory.entries(session=OWN) if entry.id == said.id) == "Secret plans"


def test_who_is_no_operator_needs_eyes_and_sees_no_further(t: Talk) -> None:
    host = t.soul.agent(caller=Caller.agent("host", session=None))
    with pytest.raises(BadInput, match="give the session"):
        host.memory.entries()
    assert ids(host.memory.entries(session=ANN)) == ["Ann likes tulips"]
    reader = t.soul.agent(caller=Caller.reader("ann", session=ANN))
    assert ids(reader.memory.entries()) == ids(reader.memory.entries(session=ANN)) == ["Ann likes tulips"]
    with pytest.raises(Refused):
        reader.memory.entries(session=OWN)


def test_pages_hold_every_entry_once(t: Talk) -> None:
    everything = t.agent.memory.entries()
    assert everything.next is None
    for limit in (1, 2, 3, 7, 8, 9):
        found: list[Entry] = []
        offset: int | None = 0
        while offset is not None:
            page = t.agent.memory.entries(offset=offset, limit=limit)
            assert page.total == 8
            assert 0 < len(page) <= limit
            found += page
            offset = page.next
        assert tuple(found) == everything.page
    assert t.agent.memory.entries(offset=8).page == ()
    with pytest.raises(BadInput):
        t.agent.memory.entries(offset=-1)
    with pytest.raises(BadInput):
        t.agent.memory.entries(limit=0)


def test_what_did_not_change_is_not_parsed_again(t: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []

    def counting(data: bytes, *, is_log: bool) -> Any:
        if data.decode() in DOCUMENTS.values() or b"Mondays" in data:  # a document, not its template
            parsed.append(data)
        return parse(data, is_log=is_log)

    monkeypatch.setattr(entries, "parse", counting)
    t.agent.memory.entries()
    t.soul.agent().memory.entries(offset=3, words="boiler")
    assert len(parsed) == len(DOCUMENTS)
    t.store.save_outside(Name("main", "rooms/dev.md"), b"- We deploy on Mondays\n")
    assert ids(t.agent.memory.entries("rooms/dev.md")) == ["We deploy on Mondays"]
    assert len(parsed) == len(DOCUMENTS) + 1
    t.store.save_outside(Name("main", "rooms/dev.md"), None)
    assert ids(t.agent.memory.entries("rooms/dev.md")) == []


def test_fifty_thousand_entries_are_paged_at_once(t: Talk) -> None:
    for number in range(50):
        lines = "".join(f"- Parcel {number}x{line} stands in bay {line}\n" for line in range(1000))
        t.store.save_outside(Name("main", f"notes/{number:02}.md"), lines.encode())
    assert t.agent.memory.entries().total == 50_008
    began = time.process_time()
    page = t.agent.memory.entries(session=OWN, offset=40_000)
    assert (page.total, len(page)) == (50_007, 100)
    assert time.process_time() - began < 2


def test_what_a_template_says_is_nobodys_memory() -> None:
    fresh = talk()
    assert fresh.agent.memory.entries().page == ()
    fresh.agent.remember("The cat is called Mia")
    assert [entry.text for entry in fresh.agent.memory.entries().page] == ["The cat is called Mia (added 2026-02-04)"]
