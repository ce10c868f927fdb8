"""What of a message are the sender's own words: all but what it quotes, fences, forwards or hands over to be worked on.

Whatever takes something out of a message asks here first: what others wrote is logged and found, and becomes nobody's memory.
It is recognised by its form: quotes, fences, block quotes, the headers of a mail, turns of a talk, times before lines, code. And by
its place: below, or after the colon of, a line that asks for work on a text. Words for that are in the language files
(`own` lines).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from oldsoul.language.cues import any_cue, straight
from oldsoul.language.sentences import ends_in_question
from oldsoul.language.words import is_unspaced
from oldsoul.rules.diary import is_first_person

NOTHING = "\x00"
"""Marks where words of others were taken out; no pattern matches across it."""
_SECTION = "own"
_FENCE = re.compile(r"(?ms)^[ \t>]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)|```.*?(?:```|\Z)")
_IN = r"(?:[^'\n]|(?<=\w)'(?=\w)){1,2000}"
_PAIRS = (("“", "”"), ("«", "»"), ("‹", "›"), ("「", "」"), ("『", "』"))
_QUOTED = re.compile(
    "|".join(
        (
            r"\"([^\"]{1,4000})(?<!\s)\"",
            r"„([^“”\"]{1,4000})[“”\"]",
            *(f"{opens}([^{closes}]{{1,4000}}){closes}" for opens, closes in _PAIRS),
            rf"(?<!\w)'({_IN})'(?!\w)",
            r"`([^`\n]{1,300})`",
        )
    )
)
_OPEN = re.compile(r"(?<!\S)[\"“„«「『](?=\S)")
_LINE = re.compile(r"[^\n]*\n?")
_TIMED = re.compile(
    r"^\W{0,2}(?:\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}:\d\d)(?:[T,\s]+\d{1,2}:\d\d)?[\d:.,Z]*"
)
_TURN = re.compile(r"^\s*(?:\[[^\]\n]{1,40}\]\s*)?[^\W\d_][^\n:：?？]{0,40}[:：](?:\s|$)")
_SAYS = re.compile(r"^\s*\[[^\]\n]{1,40}\][ \t]*[^\W\d_][^\n:：]{0,40}[:：]\s")
_RULE = re.compile(r"^\s*(?:[-_=*]{3,}[^\n]*[-_=*]{3,}|[-_=]{3,})\s*$|^[\d:.,\s]+-->[\d:.,\s]+")
_CODE = re.compile(r"^(?:\s*[>|]|\t| {4}|[+$]\s?\S|#\S)|[{};\[]\s*$|^\s*[}\])]|</?\w+(?:\s[^>\n]*)?/?>")
_ITEM = re.compile(r"^\s*(?:[-*+•–·]|\(?\d{1,3}[.)）]|§)\s")
_GREETING = re.compile(r"^\s*[^\W\d_][^\s,，、]*(?:\s+[^\s,，]+){0,4}[,，、]\s*$")
_COLON = re.compile(rf"：|:(?=[\s{NOTHING}\"“„«「『']|$)|\s[-–—]+(?=\s)")
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>")
_HEADING = re.compile(r"^#{1,6}\s+\S")
_STOP = re.compile(r"[.!?…](?=\s)|[。！？](?=.)")
_CLOSED = re.compile(rf"\s*(?:{NOTHING}+|{_QUOTED.pattern})[.!?…,;。、]*(?=\s|$|(?<=[。、]))")
_ENDS_OPEN = re.compile(r"[:：]\s*$")
_MOST_IN_NAME, _SHORT, _SHORT_UNSPACED = 6, 30, 8
_LONGEST_HEAD = 200
_MOST_LINES = 300
"""Nobody says so much in one go: what follows was handed over."""


@lru_cache(maxsize=4096)
def own_words(text: str) -> str:
    """A message without what others wrote: `NOTHING` is in its place, and every other character is as it was."""
    plain = straight(text)
    made, at = [], 0
    for start, end in _merged(sorted(_of_others(plain))):
        made += [text[at:start], f" {NOTHING}{chr(10) * plain[start:end].endswith(chr(10))}"]
        at = end
    return "".join([*made, text[at:]])


def stated(text: str) -> str:
    """The same as people read it: dots stand for what others wrote."""
    return own_words(text).replace(NOTHING, "…")


def _merged(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last = (0, 0)
    for start, end in spans:
        if start > last[1]:
            if last[1]:
                yield last
            last = (start, end)
        else:
            last = (last[0], max(last[1], end)) if last[1] else (start, end)
    if last[1]:
        yield last


def _of_others(plain: str) -> Iterator[tuple[int, int]]:
    """Where words of others begin and end."""
    marked = plain
    for found in (_fenced, _tagged, _quoted):
        spans = found(marked)
        yield from spans
        marked = _blanked(marked, spans)
    yield from _by_lines(marked)


def _fenced(text: str) -> list[tuple[int, int]]:
    return [fence.span() for fence in _FENCE.finditer(text)]


def _quoted(text: str) -> list[tuple[int, int]]:
    """Where something is quoted that is no name or value, and is not asked to be kept; from an open quotation, all that follows."""
    quotes = list(_QUOTED.finditer(text))
    bare = _blanked(text, [quote.span() for quote in quotes])
    found = [quote.span() for quote in quotes if not _is_value(quote) and not _is_kept(bare, *quote.span())]
    opened = _OPEN.search(bare)
    if opened is not None and opened.start() not in {quote.start() for quote in quotes}:
        return [*(span for span in found if span[0] < opened.start()), (opened.start(), len(text))]
    return found


def _tagged(text: str) -> list[tuple[int, int]]:
    """Where something stands between a tag and the last one that closes it."""
    tags = list(_TAG.finditer(text))
    closing = {tag[2]: tag for tag in tags if tag[1]}
    found: list[tuple[int, int]] = []
    for tag in tags:
        last = closing.get(tag[2])
        if last is not None and not tag[1] and tag.end() <= last.start() and (not found or tag.start() >= found[-1][1]):
            found.append((tag.start(), last.end()))
    return found


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks there: whoever looks on finds every line where it was, and nothing in it."""
    made, at = [], 0
    for start, end in spans:
        made += [text[at:start], re.sub(r"[^\n]", NOTHING, text[start:end])]
        at = end
    return "".join([*made, text[at:]])


def _is_value(quote: re.Match[str]) -> bool:
    """Whether what is in quotes is a name or a value of the sentence around it; more words are somebody's."""
    inner = next(group for group in quote.groups() if group is not None).strip()
    if any(map(is_unspaced, inner)):
        return len(inner) <= _SHORT_UNSPACED and "。" not in inner
    parts = inner.split()
    if len(parts) <= 2 and len(inner) <= _SHORT:  # noqa: PLR2004 - a first and a last name
        return True
    named = [part for part in parts if part[:1].isupper() or part[:1].isdigit()]
    whole = len(parts) <= _MOST_IN_NAME and 2 * len(named) > len(parts) and inner[-1] not in ".!?…,;:"
    return whole and parts[0] in named and parts[-1] in named


def _is_kept(text: str, start: int, end: int) -> bool:
    """Whether the sentence around a quotation, which is blank, asks to keep it: what others said is then the sender's to tell."""
    before = re.split(r"[.!?…]\s|[\n。！？]", text[:start])[-1]
    after = re.split(r"[.!?…](?:\s|$)|[\n。！？]", text[end:], maxsplit=1)[0]
    return any(map(_is_about, (before, after))) and not any(_has("work", part) for part in (before, after))


class _MessageLine:
    """A line of a message, and where it is."""

    def __init__(self, match: re.Match[str]) -> None:
        self.start, self.end = match.span()
        self.text = match[0].rstrip("\n")
        self.bare = self.text.replace(NOTHING, "").strip()


def _by_lines(plain: str) -> Iterator[tuple[int, int]]:
    """The lines that others wrote; from the first that begins what was handed over, all that follow."""
    lines = [_MessageLine(found) for found in _LINE.finditer(plain) if found[0]]
    yield from ((line.start, line.end) for line in lines if _CODE.search(line.text))
    prose = [line for line in lines if line.bare and not _CODE.search(line.text)]
    if not prose:
        return
    if len(prose) > _MOST_LINES:
        yield prose[_MOST_LINES].start, len(plain)
        prose = prose[:_MOST_LINES]
    for number, line in enumerate(prose):
        before = prose[number - 1] if number else None
        after = prose[number + 1] if number + 1 < len(prose) else None
        if _begins(line, before, after) or (
            before is not None and _hands_over(before.bare, is_apart=before.end < line.start)
        ):
            yield line.start, len(plain)
            prose = prose[:number]
            break
        handed = [(line.start + start, line.start + end) for start, end in _after_heads(line.text)]
        if handed and handed[-1][1] == line.start + len(line.text):
            yield from handed[:-1]
            yield handed[-1][0], len(plain)
            break
        yield from handed
    if len(prose) > 1 and "\n\n" in plain[prose[0].start : prose[-1].start]:
        letter = _GREETING.match(prose[0].text) is not None
        if _points_back(prose[-1].bare) or (letter and any(_has(kind, prose[-1].bare) for kind in ("work", "write"))):
            yield 0, prose[-1].start


def _begins(line: _MessageLine, before: _MessageLine | None, after: _MessageLine | None) -> bool:
    """Whether something forwarded begins with a line, by its form."""
    text = line.text
    if _RULE.match(text) or _SAYS.match(text):
        return True
    if _TIMED.match(text) and ((after and _TIMED.match(after.text)) or _TURN.match(_TIMED.sub("x", text))):
        return True
    if _TURN.match(text) and after is not None and _TURN.match(after.text) and not _is_about(line.bare):
        return True
    if _HEADING.match(text) and not _is_about(line.bare):
        return True
    return bool(before and after and _GREETING.match(text) and after.start == line.end)


def _after_heads(line: str) -> Iterator[tuple[int, int]]:
    """What the heads in a line hand over: a quotation that is closed, after which the sender goes on, or the rest of the line."""
    at = 0
    while (end := _head(line[at:])) >= 0:
        start = at + end + 1
        closed = _CLOSED.match(line, start)
        at = closed.end() if closed is not None and line[closed.end() :].strip() else len(line)
        yield start, at


def _hands_over(head: str, *, is_apart: bool) -> bool:
    """Whether a line hands over what stands below it, to be worked on; `is_apart` when a blank line is between them."""
    if _is_about(head):
        return False
    if _ENDS_OPEN.search(head):
        return True
    head = head[-_LONGEST_HEAD:]
    if _has("work", head):
        return True
    named = _has("text", head), _has("this", head)
    if is_apart and all(named):
        return True
    return any(named) and (_has("write", head) or "?" in head or "？" in head or ends_in_question(head))


def _points_back(tail: str) -> bool:
    """Whether the last line asks for work on what is above it."""
    return len(tail) <= _LONGEST_HEAD and _has("work", tail) and (_has("text", tail) or _has("this", tail))


def _head(line: str) -> int:
    """Where the head of a line ends that hands over the rest of it; -1 where there is none."""
    for colon in _COLON.finditer(line):
        head, is_dash = line[: colon.start()], colon[0][0].isspace()
        if len(head) > _LONGEST_HEAD or _is_about(head):
            break
        if _has("work", head) or (not is_dash and (_has("write", head) or _has("said", head))):
            return colon.end() - 1
    for stop in _STOP.finditer(line):
        head = line[: stop.start()]
        if len(head) > _LONGEST_HEAD or _is_about(head):
            continue
        asks = _has("work", head) and (_has("this", head) or len(head.split()) == 1)
        if asks or (stop[0] in ".!。！" and _tells_to(head)):
            return stop.end() - 1
    return -1


def _tells_to(head: str) -> bool:
    """Whether a sentence tells to do something with this text, whatever its verb is, which comes right before "this text"."""
    lead = any_cue("keep", "lead").match(head)
    said = head[lead.end() if lead is not None else 0 :].strip(" ,、")
    pointed = any_cue(_SECTION, "this").search(said)
    if pointed is None or not _has("text", said) or is_first_person(said):
        return False
    return len(said[: pointed.start()].split()) == (0 if is_unspaced(said[0]) else 1)


def _is_about(head: str) -> bool:
    """Whether a line says that what follows is about whoever writes, or to be kept."""
    return _has("about", head)


def _has(kind: str, text: str) -> bool:
    return any_cue(_SECTION, kind).search(text) is not None
