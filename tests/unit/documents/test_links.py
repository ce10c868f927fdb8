"""Links: both of S2's forms are read, anchors stay, and nothing leads out of the workspace."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.documents import Link, links, parse
from oldsoul.documents.links import relative, resolved

SESSION = "memory/2026-02-04/cli_1.md"
KNOWN = {SESSION, "memory/2026-02-03/cli_1.md", "memory/_longterms/acct_42/_index.md", "MEMORY.md", "memory/a b.md"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [Previous day](../2026-02-03/cli_1.md) and [here](#notes)\n", [(0, "../2026-02-03/cli_1.md", "Previous day"), (0, "#notes", "here")]),
        ("# See [a](b.md)\n\ntext\nwith [c `d`](<e f.md> 'title')\n", [(0, "b.md", "a"), (3, "e f.md", "c d")]),
        ("- a\n  - [b](c)\n\n  > [d](e)\n", [(1, "c", "b"), (3, "e", "d")]),
        ("[![photo](p.png)](b.md) ![alone](q.png)\n", [(0, "b.md", "photo")]),
        ("`[a](b)` \\[c](d) <https://x.org> <mailto:a@b.cc>\n", []),
        ("<https://x.org> [a](b) <c@d.ee>\n", [(0, "b", "a")]),
        ("```\n[a](b)\n```\n\n    [c](d)\n\n<!-- [e](f) -->\n", []),
        ("[a][r], [r][] and [R]\n\n- x\n\n[r]: t.md 'T'\n", [(0, "t.md", "a"), (0, "t.md", "r"), (0, "t.md", "R")]),
        ('---\nsee: "[a](b)"\n---\n[c][d]\n\n[d]: e.md\n', [(3, "e.md", "c")]),
        ("[一](二.md)\r\n\r\n- [三](四.md#五)\r\n", [(0, "二.md", "一"), (2, "四.md#五", "三")]),
        ("a\r[b](c)\n[d](e)\n", [(0, "c", "b"), (1, "e", "d")]),
        ("[[Wiki|w]] [no] (x) [open](y\n", []),
    ],
)  # fmt: skip
def test_the_links_of_a_text(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert links(parse(text.encode())) == [Link(*link) for link in expected]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../2026-02-03/cli_1.md", "memory/2026-02-03/cli_1.md"),  # relative to the file
        ("2026-02-03/cli_1.md", "memory/2026-02-03/cli_1.md"),  # relative to memory/
        ("./2026-02-03/../2026-02-03/cli_1.md#tasks", "memory/2026-02-03/cli_1.md#tasks"),
        ("_longterms/acct_42/_index.md", "memory/_longterms/acct_42/_index.md"),
        ("../_longterms/acct_42/_index.md#key-facts", "memory/_longterms/acct_42/_index.md#key-facts"),
        ("../../MEMORY.md", "MEMORY.md"),
        ("../MEMORY.md", "MEMORY.md"),  # from memory/
        ("#notes", f"{SESSION}#notes"),
        ("cli_1.md", SESSION),
        ("cli_1.md?raw=1#a", f"{SESSION}#a"),
        ("../a%20b.md", "memory/a b.md"),
        ("a%20b.md", "memory/a b.md"),
        ("unknown.md", "memory/2026-02-04/unknown.md"),  # relative to the file, when nobody knows it
        ("../../../MEMORY.md", None),
        ("../../../memory/../../x.md", None),
        ("/etc/passwd", None),
        ("%2Fetc/passwd", None),
        ("%2e%2e/%2e%2e/%2e%2e/etc/passwd", None),
        ("..\\..\\x.md", None),
        ("..%5C..%5Cx.md", None),
        ("a%00b.md", None),
        ("a%0Ab.md", None),
        ("https://example.org/a.md", None),
        ("//example.org/a.md", None),
        ("mailto:a@b.cc", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("C:/x.md", None),
        ("data:text/html,x#y", None),
    ],
)
def test_both_forms_are_resolved_and_nothing_leads_out(target: str, expected: str | None) -> None:
    assert resolved(target, SESSION, KNOWN) == expected


def test_a_link_from_the_top_of_the_workspace() -> None:
    assert resolved("memory/2026-02-03/cli_1.md", "MEMORY.md", KNOWN) == "memory/2026-02-03/cli_1.md"
    assert resolved("2026-02-03/cli_1.md", "MEMORY.md", KNOWN) == "memory/2026-02-03/cli_1.md"
    assert resolved("../MEMORY.md", "MEMORY.md") == "MEMORY.md"  # leads out from here, but not from memory/
    assert resolved("../../MEMORY.md", "MEMORY.md") is None


PARTS = st.lists(st.sampled_from(["..", ".", "a", "b c", "%2e%2e", "%2F", "%5c", "\\", "", "~", "memory", "é", "#x", "?y", "c:"]), max_size=7)  # fmt: skip
PATHS = st.lists(st.sampled_from(["memory", "2026-02-04", "a", "é"]), min_size=1, max_size=4).map("/".join)


@given(PARTS.map("/".join), PATHS)
def test_what_is_resolved_is_a_plain_path_inside_the_workspace(target: str, path: str) -> None:
    found = resolved(target, path)
    if found is not None:
        where = found.partition("#")[0]
        assert not where.startswith("/")
        assert ".." not in where.split("/")
        assert posixpath.normpath(where) == where
        assert "\\" not in where


@given(PATHS, PATHS)
def test_a_written_link_resolves_to_where_it_points(path: str, to: str) -> None:
    assert resolved(relative(path, to), path, {to}) == to
