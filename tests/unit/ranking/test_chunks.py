"""How documents and messages are cut: an entry is never cut, talk turn by turn, prose up to its size, lines kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import parse
from oldsoul.language.headings import called, place
from oldsoul.ranking.chunks import document_chunks, estimated_tokens, message_chunk
from oldsoul.ranking.options import ChunkingOptions
from oldsoul.values.audience import OWNER, PUBLIC, Audience
from oldsoul.values.messages import Message
from oldsoul.values.names import INDEXED, Name
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session, Subject
from oldsoul.workspace import SEEDED, template

if TYPE_CHECKING:
    from oldsoul.values.recall import Chunk

MEMORY = Name("main", "MEMORY.md")
DAY = Name("main", "memory/2026-02-04.md")
SMALL = ChunkingOptions(tokens=50, overlap=15)


def cut(name: Name, text: str, options: ChunkingOptions | None = None) -> list[Chunk]:
    return list(document_chunks(name, parse(text.encode(), is_log=name.is_log), options or ChunkingOptions(), UTC))


def test_entries_are_pieces_with_their_lines_heading_date_and_marks() -> None:
    text = (
        "# Memory\n\n## Decisions\n\n"
        "- **Store**: we use Postgres (added 2026-01-05) #decision <!--os 0000000001 conf=0.8 aud=room:dev-->\n"
        "  - since the spring\n"
        "- by hand\n"
    )
    first, second = cut(MEMORY, text)
    assert (first.start_line, first.end_line, first.heading, first.tag) == (5, 6, "Decisions", "decision")
    assert first.text == "**Store**: we use Postgres (added 2026-01-05) #decision\n- since the spring"
    assert (first.entry, first.confidence, first.time) == ("0000000001", 0.8, datetime(2026, 1, 5, 12, tzinfo=UTC))
    assert first.audience == OWNER  # a mark only ever narrows here
    assert (second.text, second.start_line, second.confidence, second.time) == ("by hand", 7, 0.95, None)


def test_a_long_entry_is_never_cut_and_prose_is_cut_at_its_size_with_an_overlap() -> None:
    (entry,) = cut(MEMORY, "- " + "word " * 500, SMALL)
    assert estimated_tokens(entry.text) > 500
    lines = [f"This is line number {n} of some running text." for n in range(30)]
    pieces = cut(MEMORY, "# Notes\n\n" + "\n".join(lines) + "\n", SMALL)
    assert len(pieces) > 5
    assert all(estimated_tokens(piece.text) <= 50 for piece in pieces)
    assert [piece.start_line for piece in pieces[1:]] != [piece.end_line + 1 for piece in pieces[:-1]]
    assert {n for piece in pieces for n in range(piece.start_line, piece.end_line + 1)} == set(range(3, 33))


def test_talk_in_a_log_is_found_turn_by_turn_with_who_and_when() -> None:
    text = (
        "# 2026-02-04\n\n## 2026-02-04 09:30 +01:00 <!--os 0000000001 aud=room:dev-->\n\n"
        "**Ann**: The boiler is broken.\nBen (by phone): I will call the plumber.\nHe is good.\n\n"
        "## 2026-02-04 11:00 UTC\n\n**Room:** dev\n**User:** Ann\n\nThe plumber came.\n"
    )
    ann, ben, note = cut(DAY, text)
    assert (ann.speaker, ann.text, ann.start_line) == ("Ann", "The boiler is broken.", 5)
    assert (ben.speaker, ben.text, ben.start_line, ben.end_line) == (
        "Ben",
        "I will call the plumber.\nHe is good.",
        6,
        7,
    )
    assert ann.time == ben.time == datetime(2026, 2, 4, 8, 30, tzinfo=UTC)
    assert (ann.audience, note.audience) == (Audience.room("dev"), OWNER)
    assert "The plumber came." in note.text
    assert not note.evergreen


def test_files_of_people_rooms_archives_and_corrections_say_so() -> None:
    (person,) = cut(Name("main", "memory/_longterms/acct_7/_index.md"), "- the key\n")
    assert (person.person, person.audience, person.evergreen) == ("acct:7", Audience.person("acct:7"), True)
    (place,) = cut(Name("main", "rooms/dev.md"), "- the key\n")
    assert (place.room, place.audience) == ("dev", Audience.room("dev"))
    (old,) = cut(Name("main", "Archive/Memory/2026-01.md"), "- the key\n")
    assert old.archived
    (wrong,) = cut(Name("main", "CORRECTIONS.md"), "## 2026-02-04 10:00 UTC\n\nIt is Thursday.\n")
    assert wrong.correction


def test_a_message_is_one_piece() -> None:
    session = Session.group("dev", id="g 1")
    message = Message(
        "main", session, "user", "Ann", Subject("acct:7"), "hello", datetime(2026, 2, 4, tzinfo=UTC),
        Origin.PARTICIPANT, Audience.room("dev"), "k", id=12,
    )  # fmt: skip
    chunk = message_chunk(message)
    assert (chunk.path, chunk.start_line, chunk.entry, chunk.room, chunk.person) == (
        "chat/g~201",
        12,
        "m:12",
        "dev",
        "acct:7",
    )


@given(st.text(alphabet="ab#-*:\n `<!1.|>[]() 猫", max_size=300), st.booleans())
def test_every_piece_has_words_lines_that_are_there_and_no_bookkeeping(text: str, log: bool) -> None:  # noqa: FBT001 - drawn
    name = DAY if log else MEMORY
    document = parse(text.encode(), is_log=log)
    for piece in document_chunks(name, document, SMALL, UTC):
        assert 1 <= piece.start_line <= piece.end_line <= len(document.lines)
        assert piece.text.strip()
        assert "<!--os" not in piece.text


@given(st.text(alphabet="ab. 猫", max_size=900), st.integers(0, 60))
def test_every_word_of_a_long_line_is_in_a_piece_that_is_not_too_long(text: str, overlap: int) -> None:
    document = parse(f"x{text}\n\ny{text}\n".encode())
    options = ChunkingOptions(tokens=50, overlap=overlap)
    pieces = list(document_chunks(Name("main", "notes/x.md"), document, options, UTC))
    assert all(estimated_tokens(piece.text) <= 50 and piece.start_line in (1, 3) for piece in pieces)
    if not overlap:
        assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(f"x{text}y{text}".split())


def test_a_piece_says_what_stands_above_its_heading() -> None:
    text = (
        "# dachs (at home)\n\n## Box\n\n- 32 GB ECC\n\n### Disks\n\n- two mirrors\n\n## Printer\n\nforgets the wifi\n"
    )
    box, disks, printer = cut(Name("main", "memory/server-dachs.md"), text)
    assert (box.title, box.heading) == ("dachs (at home)", "Box")
    assert (disks.title, disks.heading) == ("dachs (at home) / Box", "Disks")
    assert (printer.title, printer.heading) == ("dachs (at home)", "Printer")
    (plain,) = cut(MEMORY, "- tea\n")
    assert (plain.title, plain.heading) == ("", "")
    own, part = cut(Name("main", "rooms/dev.md"), "# Room dev\n\n- tea\n\n## Servers\n\n- heron\n")
    assert (own.title, own.heading, part.title, part.heading) == ("", "", "", "Servers")  # it is the room's, all of it
    several = cut(MEMORY, "# Servers\n\n- heron\n\n# People\n\n- Ann\n")
    assert [piece.heading for piece in several] == ["Servers", "People"]


def test_comments_in_code_are_text_however_the_code_is_cut() -> None:
    code = "\n".join(f"<p>line {n} <!-- note {n} --></p>" for n in range(300))
    pieces = cut(Name("main", "notes/page.md"), f"```html\n{code}\n```\n", ChunkingOptions(tokens=100))
    assert len(pieces) > 3
    text = "\n".join(piece.text for piece in pieces)
    assert all(f"note {n} " in text for n in range(300))


def test_what_is_found_by_itself_is_seen_by_whom_its_marks_let() -> None:
    text = "---\naudience: owner\nplace: attic\n---\n\n## Boiler WK-8812 <!--os aud=owner-->\n\n## Lamp WK-8813\n"
    front, boiler, lamp = cut(Name("_shared", "team.md"), text)
    assert (front.audience, boiler.audience, lamp.audience) == (OWNER, OWNER, PUBLIC)


def test_the_first_piece_under_a_heading_is_marked() -> None:
    text = "- one\n- two\n\n## Box\n\n- three\n- four\n\n## Lid\n\nfive\n"
    assert [piece.begins for piece in cut(Name("main", "memory/x.md"), text)] == [True, False, True, False, True]
    same = "## Meeting\n\n- one\n- [a](b.md)\n- two\n\n## Meeting\n\n- [a](b.md)\n- three\n- four <!--os 0000000001 aud=room:dev-->\n"
    assert [piece.begins for piece in cut(DAY, same)] == [True, False, True, False]


def test_where_a_piece_stands_is_told_without_what_only_says_when() -> None:
    assert place("dachs (at home)", "Box") == "dachs (at home) / Box"
    assert place("2026-02-04", "09:30 cat") == "09:30 cat"
    assert place("", "2026-07-08 video review") == place("", "2026-07-08: video review") == "video review"
    assert (
        place("", "2026-07-08 09:30 +01:00 video review")
        == place("", "2026-07-08T09:30 UTC - video review")
        == "video review"
    )
    assert place("2026-02-04 Wednesday", "2026-02-04 (Wed)") == place("", "") == ""
    kept = (
        "Monday",
        "192.168.1.10",
        "05.01.2026",
        "404",
        "2023",
        "24/7 support",
        "3.5 inch drives",
        "10 Downing Street",
    )
    for heading in (
        *kept,
        "2024-01-01 to 2024-02-01",
        "2026-07-08 – 2026-07-12",
        "3D printing",
        "10:00",
        "+49 170 1234567",
    ):
        assert place("", heading) == heading
    assert place("", "2026-02-04 09:30 UTC **Room:** dev **User:** Bob") == ""
    assert place("", "a\x1b[31mb\0") == "a[31mb"
    assert place("Memory", "Decisions") == ""
    assert place("Memory / Servers", "Notes") == "Servers"


def test_a_files_name_says_what_it_is_about() -> None:
    assert called("memory/server-dachs.md", "memory") == "server dachs"
    assert called("memory/2026-02-04-kick_off.md", "memory") == "kick off"
    assert called("/home/ann/notes/Trip.to.Rome.md", "extra") == "Trip to Rome"
    for path in (
        "MEMORY.md",
        "memory/2026-02-04.md",
        "notes/index.md",
        "memory/_longterms/acct_7/_index.md",
        "rooms/dev.md",
    ):
        assert not called(path, "memory")
    assert not called("chat/dm-7", "sessions")
    assert not called("memory/2026-02-04.2.md", "memory")


def test_what_stands_above_is_told_to_those_alone_who_see_the_document() -> None:
    text = "# The divorce\n\n## Ann's lawyer\n\n- tea at noon <!--os 0000000001 aud=room:dev-->\n- his number\n"
    shared, own = cut(DAY, text)
    assert (shared.audience, shared.title, shared.heading) == (Audience.room("dev"), "", "")
    assert (own.title, own.heading) == ("The divorce", "Ann's lawyer")


def test_a_line_that_begins_with_what_it_is_about_is_nobodys_words() -> None:
    text = "## Network\n\n- Router: on a small box\n- ISP: fibre\n- the cable is old\n"
    assert [(piece.speaker, piece.text) for piece in cut(Name("main", "memory/net.md"), text)] == [
        ("", "Router: on a small box"),
        ("", "ISP: fibre"),
        ("", "the cable is old"),
    ]
    twice = "## Mia\n\n- School: Seebacher\n\n## Tom\n\n- School: Geidorf\n"
    assert {piece.speaker for piece in cut(Name("main", "memory/kids.md"), twice)} == {""}
    meeting = "## 2026-02-04 queue\n\n- Decision: drop it\n- Decision: try the other\n"
    assert {piece.speaker for piece in cut(Name("main", "memory/meetings.md"), meeting)} == {""}
    log = "## 09:30 start\n\nGateway: restarted\n备注: 已更新\nStatus Report: all fine\n"
    assert {piece.speaker for piece in cut(DAY, log)} == {""}
    talk = "## Talk\n\n- Ann: is it off?\n- Ben: it is\n- Ann: good\n"
    assert [piece.speaker for piece in cut(Name("main", "memory/talk.md"), talk)] == ["Ann", "Ben", "Ann"]


def test_a_heading_that_begins_with_a_day_dates_what_stands_under_it() -> None:
    text = "# Meetings\n\n## 2026-07-08 video review\n\n- nobody likes it\n\n### Later\n\n- off by default\n\n## Open\n\n- x\n"
    times = [piece.time for piece in cut(Name("main", "memory/meetings.md"), text)]
    assert times == [datetime(2026, 7, 8, 12, tzinfo=UTC)] * 2 + [None]
    (own,) = cut(Name("main", "memory/meetings.md"), "## 2026-07-08\n\n- tea (added 2026-01-05)\n")
    assert own.time == datetime(2026, 1, 5, 12, tzinfo=UTC)
    (nearest,) = cut(Name("main", "notes/2026-07-01-plans.md"), "# Plans\n\n## 2026-07-08 review\n\n- tea\n")
    assert nearest.time == datetime(2026, 7, 8, 12, tzinfo=UTC)
    for heading in ("2024-13-45 x", "1999 was fun", "2024-01-0199 widgets", "05.01.2026", "on 2026-07-08"):
        (piece,) = cut(Name("main", "memory/meetings.md"), f"## {heading}\n\n- tea\n")
        assert piece.time is None, heading
    for heading, zone in (("0001-01-01 x", "Pacific/Apia"), ("9999-12-31 x", "Etc/GMT+12")):
        document = parse(f"## {heading}\n\n- tea\n".encode())
        (piece,) = document_chunks(Name("main", "memory/x.md"), document, ChunkingOptions(), ZoneInfo(zone))
        assert piece.time is None


def test_what_only_some_may_see_is_of_the_files_day_all_the_same() -> None:
    text = "# 2026-02-04\n\n- the logo is blue <!--os 0000000002 aud=room:dev-->\n"
    (piece,) = cut(DAY, text)
    assert (piece.audience, piece.time) == (Audience.room("dev"), datetime(2026, 2, 4, 12, tzinfo=UTC))


def test_prose_under_headings_of_the_same_name_is_not_put_together() -> None:
    text = "# Journal\n\n## 2026-01-05\n\n### Notes\n\nSet to 10k.\n\n## 2026-01-26\n\n### Notes\n\nRaised to 20k.\n"
    first, second = cut(Name("main", "journal.md"), text)
    assert (first.text, first.time) == ("Set to 10k.", datetime(2026, 1, 5, 12, tzinfo=UTC))
    assert (second.text, second.time) == ("Raised to 20k.", datetime(2026, 1, 26, 12, tzinfo=UTC))


def test_a_heading_that_is_no_heading_does_not_lead_every_line() -> None:
    (piece,) = cut(Name("main", "long.md"), "# " + "lorem ipsum " * 1000 + "\n\n- tea\n")
    assert len(piece.heading) == 200


def test_in_files_that_the_keepers_write_a_line_is_whose_name_it_begins_with() -> None:
    (piece,) = cut(Name("main", "rooms/dev.md"), "## Notes\n\n- Ann: the policy changed\n")
    assert (piece.speaker, piece.text) == ("Ann", "the policy changed")
    (prose,) = cut(Name("main", "net.md"), "Router: 10.0.0.1\nPrinter: 10.0.0.2\n")
    assert (prose.speaker, prose.text) == ("", "Router: 10.0.0.1\nPrinter: 10.0.0.2")


@pytest.mark.parametrize("path", [*SEEDED, "memory/2026-02-04.md", "rooms/dev.md"])
def test_a_template_whose_words_are_gone_has_no_pieces(path: str) -> None:
    name = Name("main", path)
    lines = template(name, datetime(2026, 2, 4, tzinfo=UTC)).decode().split("\n")
    assert cut(name, "\n".join(line for line in lines if line.startswith("#"))) == [] or name.kind not in INDEXED


def test_a_heading_by_itself_is_of_its_day_and_seen_by_those_who_may() -> None:
    (visit,) = cut(DAY, "# 2026-02-04\n\n## 2026-02-03 09:30 +01:00 Dr. Okafor <!--os 0000000001 aud=room:dev-->\n")
    assert (visit.time, visit.audience) == (datetime(2026, 2, 3, 8, 30, tzinfo=UTC), Audience.room("dev"))
    assert (visit.entry, visit.title, visit.heading) == ("0000000001", "", "")
    (note,) = cut(Name("main", "notes/x.md"), "## 2026-02-03 Dr. Okafor\n")
    assert (note.time, note.audience, note.begins) == (datetime(2026, 2, 3, 12, tzinfo=UTC), OWNER, True)


def test_frontmatter_is_seen_by_those_who_see_the_document() -> None:
    (shared,) = cut(Name("_shared", "team.md"), "---\nowner: Ann\n---\n")
    (own,) = cut(Name("main", "notes/x.md"), "---\nowner: Ann\naudience: public\n---\n")
    assert (shared.audience, own.audience) == (PUBLIC, OWNER)
