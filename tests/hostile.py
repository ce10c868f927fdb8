"""Big generated Markdown shapes that try to make a parser slow, deep or wrong."""

from __future__ import annotations

from itertools import chain, count, cycle, repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHAPES: dict[str, Callable[[int], bytes]] = {}


def _shape(make: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """The function itself, now listed in SHAPES under its own name."""
    SHAPES[make.__name__] = make
    return make


def _fill(size: int, pieces: Iterable[bytes]) -> bytes:
    """As many whole pieces as it takes to reach the size."""
    taken: list[bytes] = []
    have = 0
    for piece in pieces:
        if have >= size:
            break
        taken.append(piece)
        have += len(piece)
    return b"".join(taken)


def _line(size: int, piece: bytes, end: bytes = b"\n") -> bytes:
    """One line of about the size, made of the same piece again and again."""
    return piece * (max(0, size - len(end)) // len(piece) + 1) + end


def _numbered(template: str) -> Iterator[bytes]:
    """The template with 0, 1, 2, ... put in for {n}."""
    return (template.format(n=number).encode() for number in count())


# Lists


@_shape
def bullets(size: int) -> bytes:
    """One tight list of the shortest items."""
    return _fill(size, repeat(b"- a\n"))


@_shape
def bullets_without_text(size: int) -> bytes:
    """One list of empty items."""
    return _fill(size, repeat(b"-\n"))


@_shape
def bullets_loose(size: int) -> bytes:
    """One loose list: a blank line after every item."""
    return _fill(size, repeat(b"- a\n\n"))


@_shape
def bullets_of_changing_marker(size: int) -> bytes:
    """A new list on every line, because the marker changes."""
    return _fill(size, cycle((b"- a\n", b"* b\n", b"+ c\n")))


@_shape
def bullets_with_lazy_lines(size: int) -> bytes:
    """One item whose paragraph goes on, unindented, to the end."""
    return _fill(size, chain((b"- a\n",), repeat(b"lazy\n")))


@_shape
def bullets_at_creeping_indent(size: int) -> bytes:
    """Items indented by 0 to 3 spaces in turn, all of one list, with a deeper line that is only text."""
    return _fill(size, cycle((b"- a\n", b" - b\n", b"  - c\n", b"   - d\n", b"    - e\n")))


@_shape
def numbers(size: int) -> bytes:
    """One numbered list, counting up past nine digits only if it is that long."""
    return _fill(size, _numbered("{n}. item\n"))


@_shape
def numbers_too_long(size: int) -> bytes:
    """Lines that look like a numbered list but have ten digits, so all are one paragraph."""
    return _fill(size, (b"%d. not an item\n" % (1_000_000_000 + number) for number in count()))


@_shape
def items_with_blocks(size: int) -> bytes:
    """Items that hold a heading, a fence, a quote, code and a table."""
    item = b"- # h\n- ```\n  # c\n  ```\n- > q\n  lazy\n-     code\n\n  | a |\n  |---|\n  | - |\n\n"
    return _fill(size, repeat(item))


@_shape
def long_line_in_item(size: int) -> bytes:
    """One item that is one long line, between two short ones."""
    return b"- short\n- " + _line(size - 18, b"word ") + b"- short\n"


@_shape
def long_paragraph_in_item(size: int) -> bytes:
    """One item with a paragraph of very many indented lines."""
    return _fill(size, chain((b"- start\n",), repeat(b"  more text\n")))


@_shape
def nested_by_indent(size: int) -> bytes:
    """One list nested as deep as the size allows (about its square root), two spaces a level."""
    return _fill(size, (b"  " * level + b"- a\n" for level in count()))


@_shape
def nested_by_tabs(size: int) -> bytes:
    """One list nested as deep as the size allows, one tab a level."""
    return _fill(size, (b"\t" * level + b"- a\n" for level in count()))


@_shape
def nested_numbers(size: int) -> bytes:
    """Numbered items nested as deep as the size allows, loose."""
    return _fill(size, (b"   " * level + b"1. a\n\n" for level in count()))


@_shape
def nested_sixty_deep(size: int) -> bytes:
    """Lists that go down sixty levels and start again, over and over."""
    return _fill(size, cycle([b"  " * level + b"- level %d\n" % level for level in range(60)]))


@_shape
def nested_and_blank(size: int) -> bytes:
    """A deep list (a third of the size) and then blank lines, each of which could belong to every level."""
    return nested_by_indent(size // 3) + _fill(size - size // 3, repeat(b"\n")) + b"  end\n"


@_shape
def bullets_on_one_line(size: int) -> bytes:
    """One line that opens a list inside a list inside a list: `- - - - a`."""
    return _line(size, b"- ", b"a\n")


@_shape
def bullets_on_one_line_alternating(size: int) -> bytes:
    """One line of `- + * 1. ` again and again."""
    return _line(size, b"- + * 1. ", b"a\n")


@_shape
def thematic_break_of_bullets(size: int) -> bytes:
    """One line of `* * * *`, which is a single thematic break."""
    return _line(size, b"* ")


@_shape
def almost_breaks(size: int) -> bytes:
    """Lines of `- - - - a` sixteen deep, each a list that looks like a thematic break until its last letter."""
    return _fill(size, repeat(b"- " * 16 + b"a\n"))


@_shape
def tasks(size: int) -> bytes:
    """Open and done tasks in every marker, some nested."""
    return _fill(size, cycle((b"- [ ] open\n", b"- [x] done\n", b"  - [X] nested\n", b"- [x]none\n", b"- [ ]\n")))


# Quotes


@_shape
def quotes_on_one_line(size: int) -> bytes:
    """One line of `> > > >`, as deep as it is long."""
    return _line(size, b"> ", b"a\n")


@_shape
def quotes_without_spaces(size: int) -> bytes:
    """One line of `>>>>` and a lazy line after it."""
    return _line(size - 5, b">", b"a\n") + b"lazy\n"


@_shape
def quotes_getting_deeper(size: int) -> bytes:
    """Each line is quoted once more than the line before."""
    return _fill(size, (b">" * level + b" a\n" for level in count(1)))


@_shape
def quotes_and_bullets_on_one_line(size: int) -> bytes:
    """One line of `> - > - > -`."""
    return _line(size, b"> - ", b"a\n")


@_shape
def quotes_with_lists(size: int) -> bytes:
    """Quoted items and headings with lazy lines between them."""
    return _fill(size, repeat(b"> - a\nlazy\n> # h\n> 1. b\n>\n"))


# Code and HTML


@_shape
def fences(size: int) -> bytes:
    """Closed fences with headings and items in them."""
    return _fill(size, cycle((b"```sh\n# no\n- no\n```\n", b"~~~~ `x`\n```\n~~~\n~~~~\n")))


@_shape
def fences_never_closed(size: int) -> bytes:
    """A fence opened on every line, none long enough to close the first."""
    return b"``````\n" + _fill(size - 7, cycle((b"```\n", b"````x\n", b"~~~~~~~~\n", b"`````\n")))


@_shape
def fences_never_closed_in_items(size: int) -> bytes:
    """A fence opened in every item and closed only by the item's end."""
    return _fill(size, repeat(b"- ```\n  # no\n"))


@_shape
def fences_getting_shorter(size: int) -> bytes:
    """Fence lines of falling length, so that each could close only what comes later."""
    longest = int((2 * max(size, 1)) ** 0.5)
    return _fill(size, chain((b"`" * length + b"\n" for length in range(longest, 2, -1)), repeat(b"```x\n")))


@_shape
def indented_code(size: int) -> bytes:
    """Indented code that looks like headings and items, with blank lines in it."""
    return _fill(size, cycle((b"    # no\n", b"\n", b"    - no\n", b"\t1. no\n")))


@_shape
def comments_opened(size: int) -> bytes:
    """A comment opened on every line and closed on none."""
    return _fill(size, repeat(b"<!-- - a\n"))


@_shape
def comments_opened_in_items(size: int) -> bytes:
    """A comment opened in every item and closed only by the item's end."""
    return _fill(size, repeat(b"- <!-- a\n"))


@_shape
def comments_opened_in_text(size: int) -> bytes:
    """One line of comment, declaration, CDATA and instruction openings in the middle of text, none closed."""
    return b"a " + _line(size - 2, b"<!-- <!A <![CDATA[ <? ")


@_shape
def html_blocks(size: int) -> bytes:
    """HTML blocks of all seven kinds with items and headings inside."""
    block = (
        b"<pre>\n- no\n\n# no\n</pre>\n<!--\n- no\n\n-->\n<?\n# no\n?>\n<!X\n- no\n>\n"
        b"<![CDATA[\n# no\n]]>\n<div>\n- no\n\n<b>\n- no\n\n- yes\n"
    )
    return _fill(size, repeat(block))


@_shape
def tags_never_closed(size: int) -> bytes:
    """One line of tags whose quoted attribute never ends."""
    return b"a " + _line(size - 2, b'<a b="')


# References, links and other inline text


@_shape
def reference_definitions(size: int) -> bytes:
    """Definitions with different labels, one a line."""
    return _fill(size, _numbered("[label {n}]: https://example.org/{n} 'title {n}'\n"))


@_shape
def reference_definitions_and_uses(size: int) -> bytes:
    """Definitions for the first half, uses of them for the second."""
    half = size // 2
    return _fill(half, _numbered("[{n}]: /{n}\n")) + b"\n" + _fill(size - half - 1, _numbered("[{n}] [a][{n}]\n"))


@_shape
def reference_definitions_broken(size: int) -> bytes:
    """Definitions whose title opens and never closes, so each could swallow the rest."""
    return _fill(size, _numbered("[{n}]: /{n}\n'title\n"))


@_shape
def reference_colons(size: int) -> bytes:
    """The end of a definition on every line, without its beginning."""
    return _fill(size, repeat(b"a]: b\n"))


@_shape
def reference_label_never_closed(size: int) -> bytes:
    """A label opened on the first line and closed nowhere."""
    return _fill(size, chain((b"[label\n",), repeat(b"more\n")))


@_shape
def brackets_open(size: int) -> bytes:
    """One run of opening brackets."""
    return _line(size, b"[")


@_shape
def brackets_nested(size: int) -> bytes:
    """Brackets opened for the first half and closed for the second."""
    return b"[" * (size // 2) + b"a" + b"]" * (size // 2) + b"\n"


@_shape
def links_opened(size: int) -> bytes:
    """One line of links whose address never ends."""
    return _line(size, b"[a](<b ")


@_shape
def links_nested(size: int) -> bytes:
    """Link texts inside link texts, closed with addresses at the end."""
    depth = size // 5 + 1
    return b"[" * depth + b"](a)" * depth + b"\n"


@_shape
def links(size: int) -> bytes:
    """Items full of links of every shape."""
    line = b"- [a](b.md) [c](<d e.md> 't') ![i](p.png) <https://x.org/> [[Wiki Page|w]] [r][1] [s](u(v)w) \\[no](x)\n"
    return _fill(size, repeat(line))


@_shape
def wikilinks_opened(size: int) -> bytes:
    """One line of `[[a|` that is never closed."""
    return _line(size, b"[[a|")


@_shape
def stars(size: int) -> bytes:
    """One run of stars in text."""
    return b"a" + _line(size - 1, b"*", b"b\n")


@_shape
def underscores(size: int) -> bytes:
    """One run of underscores in text."""
    return b"a " + _line(size - 2, b"_", b"b\n")


@_shape
def emphasis_opened(size: int) -> bytes:
    """One line of emphasis that opens and never closes."""
    return _line(size, b"*a **b _c __d ")


@_shape
def emphasis_crossing(size: int) -> bytes:
    """One line of emphasis whose ends cross."""
    return _line(size, b"**a _b** c_ ***d* e** ")


@_shape
def backticks(size: int) -> bytes:
    """One run of backticks in text."""
    return b"a " + _line(size - 2, b"`")


@_shape
def backticks_of_rising_length(size: int) -> bytes:
    """Runs of 1, 2, 3, ... backticks, none of which closes another."""
    return _fill(max(0, size - 2), (b"a" + b"`" * length for length in count(1))) + b"a\n"


@_shape
def backslashes(size: int) -> bytes:
    """Lines that start with an escaped marker."""
    return _fill(size, cycle((b"\\- a\n", b"\\# b\n", b"1\\. c\n", b"\\\\\\\\\n", b"\\> d\\\n")))


@_shape
def entities(size: int) -> bytes:
    """One line of entities, known, unknown and unfinished."""
    return _line(size, b"&amp; &#35; &#x23; &nosuch; &#0; &#99999999; &copy &")


@_shape
def autolinks_opened(size: int) -> bytes:
    """One line of autolinks that never end."""
    return b"a " + _line(size - 2, b"<https://a")


# Headings, tables, blank lines


@_shape
def headings(size: int) -> bytes:
    """A heading on every line, all six levels in turn."""
    return _fill(size, (b"#" * (number % 6 + 1) + b" h%d\n" % number for number in count()))


@_shape
def headings_with_long_tails(size: int) -> bytes:
    """One heading closed by a very long run of hashes, after one that is not."""
    return b"# a #b\n# c " + _line(size - 11, b"#", b" \n")


@_shape
def setext_headings(size: int) -> bytes:
    """Setext headings without a blank line between them."""
    return _fill(size, cycle((b"one\n===\n", b"two\nlines\n---\n", b"- not\n---\n")))


@_shape
def setext_heading_of_many_lines(size: int) -> bytes:
    """One paragraph of very many lines that the last line makes a heading."""
    return _fill(size - 4, repeat(b"text\n")) + b"===\n"


@_shape
def table_rows(size: int) -> bytes:
    """One table with very many rows."""
    return b"| a | b |\n|---|:-:|\n" + _fill(size - 20, repeat(b"| - c | `|` \\| |\n"))


@_shape
def table_columns(size: int) -> bytes:
    """One table whose two rows are very wide."""
    return _line(size // 3, b"|a") + _line(size // 3, b"|-") + _line(size - 2 * (size // 3), b"|b")


@_shape
def pipes_and_dashes(size: int) -> bytes:
    """Line after line that could be a table's head or its ruler."""
    return _fill(size, cycle((b"a | b\n", b"--|--\n", b":-:\n")))


@_shape
def blank_lines(size: int) -> bytes:
    """Nothing but newlines."""
    return b"\n" * size


@_shape
def space_lines(size: int) -> bytes:
    """Lines of spaces and tabs after an item, then one more line of it."""
    return b"- a\n" + _fill(size - 10, cycle((b"    \n", b"\t\n", b" \n"))) + b"  end\n"


@_shape
def one_line(size: int) -> bytes:
    """One long line of words without a newline at its end."""
    return _line(size, b"word ", b"")


@_shape
def one_word(size: int) -> bytes:
    """One long line without a single space."""
    return _line(size, b"a")


@_shape
def short_lines(size: int) -> bytes:
    """One paragraph of very many lines of one letter."""
    return _fill(size, repeat(b"a\n"))


# Bytes


@_shape
def crlf(size: int) -> bytes:
    """Headings, items, fences and text with CRLF everywhere."""
    return _fill(size, repeat(b"# h\r\n\r\n- a\r\n  b\r\n\r\n```\r\n- no\r\n```\r\ntext\r\n"))


@_shape
def lone_returns(size: int) -> bytes:
    """One line whose only line breaks are lone carriage returns."""
    return _line(size, b"- a\r# b\r\r")


@_shape
def chinese(size: int) -> bytes:
    """Items and prose in Chinese, with full-width spaces and digits at line starts."""
    lines = (
        "## 记忆\n",
        "- **标题**：用户喜欢安静的早晨。\n",
        "\u3000\u3000段落开头。\n",
        "１. 不是列表\n",
        "- 甲\u2028乙\n",
    )
    return _fill(size, cycle([line.encode() for line in lines]))


@_shape
def combining_marks(size: int) -> bytes:
    """One letter with very many combining marks, in an item."""
    return b"- e" + _line(size - 3, "\u0301\u20dd".encode())


@_shape
def not_utf8(size: int) -> bytes:
    """Headings and items made of every kind of byte that is not UTF-8."""
    return _fill(size, cycle((b"# \xff\xfe\n", b"- \xe4\xb8\n", b"\xed\xa0\x80\n", b"- \xc0\x8a\xf8\n", b"\x80\n")))


@_shape
def control_characters(size: int) -> bytes:
    """NUL, form feed, escape and DEL where markers and spaces would be."""
    return _fill(size, cycle((b"-\x00a\n", b"\x0c# b\n", b"- \x1b[0m\n", b"\x00\n", b"#\x0bc\n", b"\x7f- d\n")))


# Frontmatter


@_shape
def frontmatter(size: int) -> bytes:
    """A file whose frontmatter is nearly all of it."""
    head, tail = b"---\n", b"---\n\n- a\n"
    return head + _fill(size - len(head) - len(tail), _numbered("key_{n}: value {n} # note\n")) + tail


@_shape
def frontmatter_never_closed(size: int) -> bytes:
    """A file that opens frontmatter and never closes it."""
    return b"---\n" + _fill(size - 4, cycle((b"key: value\n", b" ---\n", b"- item\n", b"----\n")))


@_shape
def frontmatter_of_one_value(size: int) -> bytes:
    """Frontmatter with one very long value."""
    return b"---\nkey: " + _line(size - 14, b"value ") + b"---\n"


@_shape
def frontmatter_of_brackets(size: int) -> bytes:
    """Frontmatter with a flow list nested as deep as it is long."""
    return b"---\nkey: " + _line(size - 14, b"[") + b"---\n"


@_shape
def frontmatter_of_aliases(size: int) -> bytes:
    """Frontmatter in which each key holds the key before it nine times."""
    rows = (f"a{number}: &a{number} [" + f"*a{number - 1}, " * 9 + "]\n" for number in count(1))
    filled = (row.encode() for row in rows)
    return b"---\na0: &a0 lol\n" + _fill(size - 20, filled) + b"---\n"


@_shape
def many_frontmatters(size: int) -> bytes:
    """Frontmatter again and again, of which only the first is any."""
    return _fill(size, repeat(b"---\na: b\n---\n"))


# Memory files

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PEOPLE = ("Maya", "Tomás", "the user", "林", "Ines from support", "Dr. Okafor", "the night crew")
_TOPICS = (
    "Coffee",
    "Deploys",
    "Invoice format",
    "Garden sensors",
    "Standup",
    "Backups",
    "Spanish lessons",
    "旅行",
    "Tone",
)
_CLAIMS = (
    "prefers short answers with the command first",
    "moved the weekly review to Thursday, see [the plan](plans/review.md)",
    "wants no changes on Fridays; **never** after 16:00",
    "uses `make check` before every push, and `-x` when it fails",
    "is allergic to hazelnuts (asked twice)",
    "decided on PostgreSQL over SQLite for the shared part, see [[Storage]]",
    "keeps the keys in the blue folder, *not* the red one",
    "喜欢在早上讨论计划",
    "reads mail at <mailto:maya@example.org> only in the evening",
)
_TAGS = ("#decision", "#preference", "#fact", "#todo #work", "#家")
_PROSE = (
    (
        "These notes were put together after the move. Some of them are older than the file and\n"
        "were checked again in February; where two disagree, the later one is right.\n"
    ),
    (
        "Most of what follows came up in conversation. It is kept short on purpose: one line each,\n"
        "with a date, and a link when there is more to read.\n"
    ),
    (
        "Nothing here is secret, but not all of it is for everyone. See [the rules](RULES.md#sharing)\n"
        "before quoting it elsewhere.\n"
    ),
)


def _key(number: int) -> str:
    """Ten letters and digits that look random and are the same every time."""
    value = (number + 1) * 0x9E3779B97F4A7C15 % 2**50
    return "".join(_ALPHABET[value >> 5 * place & 31] for place in range(10))


def _date(number: int) -> str:
    """A date in 2026."""
    return f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}"


def _entry(number: int) -> bytes:
    """One entry as Oldsoul writes it: title, text, date, tag, bookkeeping comment."""
    title = f"{_TOPICS[number % len(_TOPICS)]} {number}"
    text = f"{_PEOPLE[number % len(_PEOPLE)]} {_CLAIMS[number * 5 % len(_CLAIMS)]}"
    books = (
        f"<!--os {_key(number)} conf=0.{number % 9 + 1} seen={_date(number + 3)} n={number % 7 + 1}"
        f" src=m:{number * 3 + 1} origin=participant aud=owner-->"
    )
    return f"- **{title}**: {text} (added {_date(number)}) {_TAGS[number % len(_TAGS)]} {books}\n".encode()


def _memory_lines() -> Iterator[bytes]:
    """The blocks of an endless memory file."""
    for section in count():
        yield f"## {_TOPICS[section * 4 % len(_TOPICS)]} and {_TOPICS[(section + 3) % len(_TOPICS)]}\n\n".encode()
        if section % 2 == 0:
            yield _PROSE[section // 2 % len(_PROSE)].encode() + b"\n"
        for step in range(5 + section % 4):
            number = section * 8 + step
            yield _entry(number)
            if number % 6 == 2:
                yield f"  - said in [{_date(number)}](daily/{_date(number)}.md), still true\n".encode()
            if number % 11 == 5:
                yield b"  It was confirmed later,\n  in writing.\n"
        yield b"\n"
        if section % 3 == 1:
            yield b"### Open\n\n- [ ] ask again in spring\n- [x] send the photos to Maya\n\n"
        if section % 5 == 4:
            yield b"> Keep it simple.\n\n```sh\n# how the backups run\nmake backup\n```\n\n"


def _daily_lines() -> Iterator[bytes]:
    """The blocks of an endless daily log."""
    for number in count():
        yield f"## {_date(number // 20)} {number % 24:02}:{number * 7 % 60:02} UTC\n\n".encode()
        yield f"**Room:** !{_key(number)}:example.org\n**User:** {_PEOPLE[number % len(_PEOPLE)]}\n\n".encode()
        yield f"{_CLAIMS[number % len(_CLAIMS)]}\n\n- noted\n- {_CLAIMS[number * 4 % len(_CLAIMS)]}\n\n".encode()


@_shape
def entries(size: int) -> bytes:
    """One list of entries, each with its bookkeeping comment."""
    return _fill(size, map(_entry, count()))


@_shape
def entries_forged(size: int) -> bytes:
    """Entries whose bookkeeping comments are broken, doubled, in code or never closed."""
    lines = (
        "- a <!--os k3f9w2m7qa conf=0.8--> <!--os k3f9w2m7qa conf=0.1-->\n"
        "- b `<!--os k3f9w2m7qb n=2-->`\n"
        "- c <!--os k3f9w2m7qc conf=\n"
        "  0.8-->\n"
        "- d <!--os--> <!-- os k3f9w2m7qd --> <!--OS k3f9w2m7qd-->\n"
        "- e <!--os k3f9w2m7qe conf=1e999 n=-1 seen=9999-99-99 src=--> text after it\n"
        "- f <!--os k3f9w2m7qf\n"
    )
    return _fill(size, repeat(lines.encode()))


@_shape
def daily_log(size: int) -> bytes:
    """A daily log: a heading with date and time, room and user, some text, a short list."""
    return _fill(size, chain((b"# Daily log\n\n",), _daily_lines()))


@_shape
def memory(size: int) -> bytes:
    """A memory file as a person and Oldsoul would write it together: frontmatter, headings, prose, entries, tasks."""
    head = "---\ntitle: What I remember\ncreated: 2026-01-04\ntags: [memory, long-term]\n---\n\n# Memory\n\n"
    return _fill(size, chain((head.encode(), _PROSE[1].encode(), b"\n"), _memory_lines()))
