"""Golden cases: what text becomes what entries and pieces, what is stripped, what each edit makes of a document."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oldsoul.documents import Document, Entry, edits, parse, render, stripped
from oldsoul.documents.edits import NewEntry
from oldsoul.errors import DocumentError
from oldsoul.language.headings import OVER
from oldsoul.ranking.chunks import document_chunks
from oldsoul.ranking.options import ChunkingOptions
from oldsoul.values.names import Name

if TYPE_CHECKING:
    from collections.abc import Callable

    from oldsoul.values.recall import Chunk

GOLDEN = Path(__file__).parents[1] / "golden"
CASE = re.compile(r"^## (.+)\n((?:````\w+.*\n(?:.*\n)*?````\n)+)", re.MULTILINE)
BLOCK = re.compile(r"^````(\w+)(.*)\n((?:.*\n)*?)````$", re.MULTILINE)
ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\0": "\0", "\\u2028": "\u2028"}


def cases(name: str) -> list[tuple[str, dict[str, str], str]]:
    """Title, blocks by name, and the flags of the first block."""
    found = []
    for title, blocks in CASE.findall((GOLDEN / name).read_text("utf-8")):
        pieces = BLOCK.findall(blocks)
        found.append((title, {block: text for block, _, text in pieces}, pieces[0][1]))
    assert len({title for title, _, _ in found}) == len(found)
    return found


def params(name: str) -> list[object]:
    return [pytest.param(blocks, flags, id=title) for title, blocks, flags in cases(name)]


def document(text: str, flags: str) -> Document:
    """The document of a block; flags say what cannot be seen: `bom`, `crlf`, `cut` (no final line feed), `log`."""
    data = text.removesuffix("\n" if "cut" in flags else "").replace("\n", "\r\n" if "crlf" in flags else "\n").encode()
    return parse((b"\xef\xbb\xbf" if "bom" in flags else b"") + data, is_log="log" in flags)


def shown(entry: Entry) -> str:
    """An entry as the golden file has it: what is as usual is left out."""
    lines = f"{entry.line + 1}" if entry.end == entry.line + 1 else f"{entry.line + 1}-{entry.end}"
    head = [f"{entry.form} {lines} {entry.id if entry.written else 'derived'}", f"  text: {entry.text}"]
    facts = {"title": entry.title, "section": entry.section, "added": entry.added}
    facts["tag"] = "" if entry.tag == "knowledge" else entry.tag
    facts["done"] = "" if entry.done is None else "yes" if entry.done else "no"
    facts["fields"] = repr(dict(entry.fields)) if entry.fields else ""
    more = [f"  | {line}" for line in entry.body.split("\n")[1:]]
    return "\n".join([*head, *(f"  {key}: {value}" for key, value in facts.items() if value), *more])


@pytest.mark.parametrize(("blocks", "flags"), params("entries.md"))
def test_a_text_has_the_entries_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    found = document(blocks["in"], flags)
    assert "".join(f"{shown(entry)}\n" for entry in found.entries) == blocks["out"]
    assert [entry.id for entry in found.entries] == [
        entry.id for entry in parse(render(found), is_log=found.is_log).entries
    ]


@pytest.mark.parametrize(("blocks", "flags"), params("stripped.md"))
def test_a_text_is_stripped_as_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    found = document(blocks["in"], flags)
    lines = stripped(found)
    assert len(lines) == len(found.lines)
    assert "".join(f"{line}\n" for line in lines) == blocks["out"]


def piece(chunk: Chunk) -> str:
    """A piece as the golden file has it: its lines, what it stands under and who says it, and its words."""
    lines = f"{chunk.start_line}" if chunk.start_line == chunk.end_line else f"{chunk.start_line}-{chunk.end_line}"
    under = OVER.join(filter(None, (chunk.title, chunk.heading)))
    text = chunk.text.replace("\n", "\n  | ")
    return f"{lines}{f' [{under}]' if under else ''}{f' {chunk.speaker} says' if chunk.speaker else ''}: {text}"


@pytest.mark.parametrize(("blocks", "flags"), params("pieces.md"))
def test_a_text_is_cut_into_the_pieces_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    name = Name("main", flags.strip())
    found = document_chunks(
        name, parse(blocks["in"].encode(), is_log=name.is_log), ChunkingOptions(tokens=50, overlap=15), UTC
    )
    assert "".join(f"{piece(chunk)}\n" for chunk in found) == blocks["out"]


def unescaped(text: str) -> str:
    return re.sub(r"\\(?:[nrt0]|u2028)", lambda found: ESCAPES[found[0]], text)


def done(before: Document, order: str) -> Document:
    """The document after the edit that these lines describe."""
    verb, *rest = order.rstrip("\n").split("\n")
    pairs = [(key, unescaped(value)) for key, _, value in (line.partition(": ") for line in rest)]
    given = dict(pairs)
    fields = {key[1:]: value for key, value in pairs if key.startswith("=")}
    children = tuple(value for key, value in pairs if key == "child")
    task = {"": None, "open": False, "done": True}[given.get("task", "")]
    entry = before.entries[int(given["entry"]) - 1] if "entry" in given else None
    plain: dict[str, Any] = {key: given[key] for key in ("title", "tag", "added", "id") if key in given}
    if entry is None:
        verbs: dict[str, Callable[[], Document]] = {
            "add": lambda: edits.add(
                before,
                NewEntry(given.get("text", ""), task=task, children=children, fields=fields, **plain),
                given.get("section", ""),
            ),
            "set key": lambda: edits.set_key(before, given["key"], given.get("value")),
            "refresh": lambda: edits.refreshed(before, given["now"]),
        }
    else:
        verbs = {
            "replace": lambda: edits.replace(before, entry, given["text"], fields, keep_old="keep" in given),
            "remove": lambda: edits.remove(before, entry),
            "tick": lambda: edits.tick(before, entry, done=task is True),
            "set field": lambda: edits.set_field(before, entry, given["key"], given.get("value")),
            "move": lambda: edits.insert(edits.remove(before, entry), [entry.lines], given.get("section", "")),
        }
    return verbs[verb]()


@pytest.mark.parametrize(("blocks", "flags"), params("edits.md"))
def test_an_edit_makes_of_a_text_what_the_golden_file_says(blocks: dict[str, str], flags: str) -> None:
    before = document(blocks["before"], flags)
    if "refused" in blocks:
        with pytest.raises(DocumentError) as caught:
            done(before, blocks["do"])
        assert f"{caught.value}\n" == blocks["refused"]
        return
    after = done(before, blocks["do"])
    assert after == document(blocks["after"], flags)


def test_there_are_enough_cases_and_none_is_overlooked() -> None:
    for name, least in (("entries.md", 30), ("stripped.md", 12), ("edits.md", 25)):
        text = (GOLDEN / name).read_text("utf-8")
        assert len(cases(name)) >= least
        assert len(cases(name)) == len(re.findall(r"^````(?:in|before)", text, re.MULTILINE))
