"""How answers look: bytes that always can be written, aligned tables, colour for people only, times they can read."""

from __future__ import annotations

import os
import sys
import unicodedata
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oldsoul.app import Agent
    from oldsoul.driver import Report, RunStep
    from oldsoul.ledger import Outcome
    from oldsoul.values.audience import Audience
    from oldsoul.values.changes import Author


_COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bold": 1, "dim": 2}
_SCALES = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (2_592_000, 86_400, "d"))
_BAR = 8
_NARROWEST = 12
_VISIBLE = 0.01


def to_stdout(text: str, *, exact: bool = False, end: str = "\n") -> None:
    """The text as UTF-8, whatever it holds; lone surrogates are escaped (in JSON) or replaced (for people)."""
    _write(sys.stdout, text + end, exact=exact)


def to_stderr(text: str, *, exact: bool = False, end: str = "\n") -> None:
    """The same, beside the answer."""
    _write(sys.stderr, text + end, exact=exact)


def raw(data: bytes) -> None:
    """Bytes as they are."""
    _put(sys.stdout, data)


def _write(stream: TextIO | None, text: str, *, exact: bool) -> None:
    _put(stream, text.encode("utf-8", "backslashreplace" if exact else "replace"))


def _put(stream: TextIO | None, data: bytes) -> None:
    if stream is not None:  # None when whoever called us closed it
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether a person looks at it."""
    looked_at: TextIO | None = stream or sys.stdout
    return looked_at is not None and looked_at.isatty()


def styled(text: str, *styles: str) -> str:
    """The text in colour, where a person sees it and has not said NO_COLOR."""
    if not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    codes = ";".join(str(_COLOURS[style]) for style in styles)
    return f"\x1b[{codes}m{text}\x1b[0m" if codes else text


def clean(text: str) -> str:
    """The text without characters that would move a terminal's cursor or change its colours."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def width_of(text: str) -> int:
    """How many columns the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(c) or unicodedata.category(c) in ("Cf", "Mn", "Me")
        else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def shortened(text: str, columns: int) -> str:
    """The text in at most that many columns."""
    if width_of(text) <= columns:
        return text
    kept, used = [], 1
    for character in text:
        used += width_of(character)
        if used > columns:
            break
        kept.append(character)
    return "".join(kept) + "…"


def columns() -> int:
    """How wide the terminal is; 0 when nobody looks, so nothing is cut."""
    if not is_terminal():
        return 0
    from shutil import get_terminal_size  # noqa: PLC0415 - only a terminal needs it

    return max(40, get_terminal_size((80, 24)).columns)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Any]], *, flexible: int = -1, styles: Sequence[str] = ()
) -> str:
    """Aligned columns; numbers to the right; the flexible column shrinks when the terminal is narrow.

    `styles` colours the rows, one by one.
    """
    cells = [[clean(str(cell)) for cell in row] for row in rows]
    right = {i for i in range(len(heads)) if _are_numbers([row[i] for row in cells])}
    widths = [max(width_of(row[i]) for row in [list(heads), *cells]) for i in range(len(heads))]
    room = columns()
    surplus = sum(widths) + 2 * (len(widths) - 1) - room
    if room and surplus > 0:
        widths[flexible] = max(_NARROWEST, widths[flexible] - surplus)
    lines = [styled(_row(heads, widths, right), "dim")]
    for number, row in enumerate(cells):
        style = styles[number] if number < len(styles) else ""
        line = _row(row, widths, right)
        lines.append(styled(line, style) if style else line)
    return "\n".join(lines)


def _row(cells: Sequence[str], widths: Sequence[int], right: set[int]) -> str:
    parts = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        text = shortened(cell, width)
        space = " " * (width - width_of(text))
        parts.append(space + text if number in right else text + space)
    return "  ".join(parts).rstrip()


def _are_numbers(column: Sequence[str]) -> bool:
    """Whether a column holds numbers, and nothing else but dashes for those that are not there."""
    found = [text.replace(",", "") for text in column if text != "–"]
    return bool(found) and all(text.isdecimal() for text in found)


def bar(size: int, limit: int) -> str:
    """How full something is, as a small bar and a share."""
    share = size / limit if limit else 0.0
    full = min(_BAR, round(share * _BAR)) or int(share >= _VISIBLE)
    return f"{'█' * full}{'·' * (_BAR - full)} {100 * share:3.0f} %"


def coloured_diff(text: str) -> str:
    """A difference with its lines in the usual colours."""
    return "\n".join(_diff_line(clean(line)) for line in text.split("\n"))


def _diff_line(line: str) -> str:
    if line.startswith(("+++", "---")):
        return styled(line, "bold")
    colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
    return styled(line, colour) if colour else line


def when(at: str, now: datetime) -> str:
    """A time, in the zone of `now`; how long ago, on a terminal."""
    then = datetime.fromisoformat(at)
    with suppress(OverflowError):  # at the ends of the calendar there is no other zone
        then = then.astimezone(now.tzinfo)
    seconds = int((now - then).total_seconds())
    if is_terminal() and 0 <= seconds < _SCALES[-1][0]:
        unit, name = next((unit, name) for below, unit, name in _SCALES if seconds < below)
        return f"{seconds // unit} {name} ago"
    return f"{then:%Y-%m-%d %H:%M}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


class ProgressLine:
    """A line on standard error that is written over until it is cleared."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._total = total
        self._shown = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb" and not quiet

    def show(self, done: int, text: str) -> None:
        """So much is done."""
        if self._shown:
            share = f"{bar(min(done, self._total), self._total)}  " if self._total else ""
            to_stderr(f"\r\x1b[K{share}{text}", end="")

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            to_stderr("\r\x1b[K", end="")


def _tried(step: RunStep) -> list[str]:
    if step.plan is None:
        return [styled(f"  {', '.join(step.files)}: {clean(step.problem)}", "red")]
    waits = [styled(f"{', '.join(step.files)} would wait for your approval:", "yellow")]
    shown = [*(waits if str(step.plan.verdict) == "ask" else []), coloured_diff(step.difference)]
    return [*shown, *(f"  Note: {clean(warning)}" for warning in step.plan.warnings)]


def _done(step: RunStep) -> list[str]:
    outcome = step.outcome
    words = {name.path: f": {clean(text)}" for name, text in step.promoted}
    if outcome is None:
        return [styled(f"  {', '.join(step.files)}: {clean(step.problem)}", "red")]
    if outcome.repeated:
        return _repeated(step)
    if outcome.proposal is not None:
        waits = f"waits for your approval, `oldsoul review show {outcome.proposal.id}`"
        lines = [styled(f"  {path}{words.get(path, '')} ({waits})", "yellow") for path in step.files]
    else:
        change = f" (change {outcome.change.id})" if outcome.change else ""
        lines = [f"  {path}{words.get(path, '')}{change}" for path in step.files]
    if outcome.masked:
        lines.append(f"  Masked {counted(outcome.masked, 'secret')}.")
    return [*lines, *(f"  Note: {clean(warning)}" for warning in outcome.warnings)]


def _repeated(step: RunStep) -> list[str]:
    """A change whose key was spent: it was made before a run was cut short, or the day's one item was another."""
    outcome = step.outcome
    change = outcome.change if outcome else None
    if change is not None and change.evidence != step.change_set.evidence:
        return [f"  Not kept, one item per session and day: {clean(t)}" for _, t in step.promoted]
    return [f"  {', '.join(step.files)} (already written)"]


def correction_lines(report: Report) -> list[str]:
    """What became of a correction, as people read it: what was done, what waits for approval, what failed."""
    heads = {
        "logged": "Logged as a correction:",
        "done": "Corrected:",
        "waits": "Possible correction; it waits for your approval (`oldsoul review`):",
        "failed": "Could not be corrected:",
    }
    lines: list[str] = []
    for became, head in heads.items():
        steps = tuple(step for step in report.steps if _became(step) == became)
        told = lines_of(replace(report, steps=steps, notes=()), dry_run=False)
        lines += [head, *told] if told else []
    return [*lines, *(f"  Note: {clean(note)}" for note in report.notes)]


def _became(step: RunStep) -> str:
    if step.outcome is None:
        return "failed"
    if step.outcome.proposal is not None:
        return "waits"
    return "logged" if {*step.files} <= {"CORRECTIONS.md"} else "done"


def lines_of(report: Report, *, dry_run: bool) -> list[str]:
    """A run as people read it."""
    lines: list[str] = []
    for step in report.steps:
        lines += _tried(step) if dry_run else _done(step)
    return [*lines, *(f"  Note: {clean(note)}" for note in report.notes)]


def extras(outcome: Outcome) -> list[str]:
    """What else a person should know of a change."""
    lines = [f"Masked {counted(outcome.masked, 'secret')}."] if outcome.masked else []
    return [*lines, *(f"Note: {clean(warning)}" for warning in outcome.warnings)]


def visible_to(audience: Audience) -> str:
    """Who may see something, in words."""
    return {"owner": "you only", "public": "everyone", "room": f"room {audience.id}"}.get(audience.reach, audience.id)


def who(author: Author, agent: Agent) -> str:
    """An author in a word."""
    if author == agent.caller.author:
        return "you"
    return str(author) if author.role in ("operator", "participant") else author.id or str(author.role)
