"""Plots of the results as SVG, drawn by hand: bars for what is found, lines on logarithmic axes for what it takes."""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

_INK, _PALE, _GRID, _OURS = "#1f2328", "#656d76", "#e4e7eb", "#0b6bcb"
_COLOURS = {
    "oldsoul": _OURS,
    "oldsoul-fast": "#3f8fdd",
    "oldsoul-words": "#66a9e8",
    "fts5": "#8a6d3b",
    "fts5-lines": "#c2a878",
    "grep": "#8c959f",
    "chroma": "#d4731f",
    "memsearch": "#b0358b",
    "mem0": "#7a52c7",
    "lancedb": "#1a8a5a",
    "qdrant": "#e0526e",
    "qdrant-edge": "#a3122f",
}
_DASHES = {"words + vectors + tokens": "", "words + vectors": "", "vectors": "7 4", "words": "2 4"}
_ROW, _LABELS, _BAR = 26, 104, 330
_SIDE, _HIGH, _GAP = 330.0, 250.0, 76.0
_WIDE, _LINE = 560.0, 13.0


class Panel(NamedTuple):
    """A square with two logarithmic axes."""

    title: str
    """what is drawn"""
    key: str
    """which figure"""
    left: float
    """where it begins"""
    top: float
    """the same downwards"""


class Point(NamedTuple):
    """A figure at a size."""

    size: float
    """how many chunks"""
    value: float
    """the figure"""


class Drawing:
    """Shapes and words, and at the end a file."""

    def __init__(self, width: float, height: float) -> None:
        self._size = width, height
        self._parts: list[str] = []

    def text(self, x: float, y: float, words: str, **style: Any) -> None:
        """Some words."""
        given = {"fill": _INK, "font-size": 12} | {name.replace("_", "-"): value for name, value in style.items()}
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{_attributes(given)}>{escape(words)}</text>')

    def line(self, points: Sequence[tuple[float, float]], **style: Any) -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        given = {"fill": "none"} | {name.replace("_", "-"): value for name, value in style.items()}
        self._parts.append(f'<polyline points="{path}"{_attributes(given)}/>')

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """A rectangle."""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._parts.append(f'<rect {place} rx="2" fill="{fill}"/>')

    def dot(self, x: float, y: float, fill: str) -> None:
        """A dot."""
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{fill}" stroke="#fff"/>')

    def write(self, path: Path) -> None:
        """The file."""
        width, height = self._size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        head += f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="system-ui, Helvetica, Arial, sans-serif">'
        back = '<rect width="100%" height="100%" fill="#fff"/>'
        path.write_text("\n".join([head, back, *self._parts, "</svg>"]) + "\n", "utf-8")


def _attributes(given: dict[str, Any]) -> str:
    return "".join(f' {name}="{value}"' for name, value in given.items())


# what is found


def recall_plot(folder: Path, which: str) -> None:
    """Bars for those benches of recall that have results; `which` is the end of their names."""
    charts = []
    for stem, name, title in (
        ("recall-messages", "R@10", "Turns found among the first 10"),
        ("recall-messages", "sessions@5", "Sessions found among the first 5"),
        ("recall-markdown", "share within 1,500 tokens", "Evidence within 1,500 tokens of Markdown"),
    ):
        file = folder / f"{stem}-{which}.json"
        if file.exists():
            result = json.loads(file.read_text("utf-8"))
            bars = [(key, one["all"][name]) for key, one in result["systems"].items() if "all" in one]
            charts.append((title, sorted(bars, key=lambda bar: -bar[1]), result))
    if not charts:
        return
    wide = _LABELS + _BAR + 56
    drawing = Drawing(wide * len(charts) + 20, 96 + _ROW * max(len(bars) for _, bars, _ in charts))
    result = charts[0][2]
    about = "seven conversations held out" if result["held out"] else "the three conversations tuned on"
    drawing.text(20, 26, "LoCoMo: what is found", font_size=17, font_weight=600)
    told = f"{about}, {result['questions']} questions, the same {result['vectors']} vectors for all; percent"
    drawing.text(20, 45, told, fill=_PALE)
    for number, (title, bars, _) in enumerate(charts):
        _bars(drawing, 20 + wide * number, 76, title, bars)
    drawing.write(folder / f"recall-{which}.svg")
    file = folder / f"recall-messages-{which}.json"
    if file.exists():
        result = json.loads(file.read_text("utf-8"))
        points = [(one["p50_ms"], one["all"]["R@10"], name) for name, one in result["systems"].items() if "all" in one]
        time_plot(folder / f"recall-{which}-time.svg", points, "LoCoMo: turns", f"{result['questions']} questions")


def time_plot(path: Path, points: Sequence[tuple[float, float, str]], what: str, about: str) -> None:
    """What is found against the time a question takes, and the most that is found within each time.

    Args:
        path: the file.
        points: of each system the milliseconds, the share that it finds, and its name.
        what: what is found.
        about: what was asked.
    """
    drawing = Drawing(_WIDE + 150, _HIGH + 140)
    drawing.text(20, 26, f"{what} found among the first 10, by milliseconds a question", font_size=17, font_weight=600)
    drawing.text(20, 45, f"{about}; p50 on the clock; percent", fill=_PALE)
    left, top = 58.0, 70.0
    across, powers = _scale((time for time, _, _ in points), left, left + _WIDE)
    for power, x in powers:
        drawing.line([(x, top), (x, top + _HIGH)], stroke=_GRID)
        drawing.text(x, top + _HIGH + 17, f"{_short(power)} ms", text_anchor="middle", fill=_PALE, font_size=11)
    for percent in range(0, 101, 20):
        y = top + _HIGH * (1 - percent / 100)
        drawing.line([(left, y), (left + _WIDE, y)], stroke=_GRID)
        drawing.text(left - 7, y + 4, str(percent), text_anchor="end", fill=_PALE, font_size=11)
    best: list[tuple[float, float]] = []
    for time, share, _ in sorted(points):
        y = top + _HIGH * (1 - share)
        if not best or y < best[-1][1]:
            best += [(across(time), best[-1][1])] if best else []
            best.append((across(time), y))
    drawing.line([*best, (left + _WIDE, best[-1][1])], stroke=_PALE, stroke_dasharray="4 4")
    labels: list[tuple[float, float]] = []
    for time, share, name in sorted(points, key=lambda point: -point[1]):
        x, y = across(time), top + _HIGH * (1 - share)
        drawing.dot(x, y, _COLOURS[name])
        while any(abs(x - other) < _LABELS and abs(y - beside) < _LINE for other, beside in labels):
            y += 2
        labels.append((x, y))
        drawing.text(x + 7, y + 4, name, font_weight=600 if name.startswith("oldsoul") else 400, font_size=11)
    drawing.write(path)


def _bars(drawing: Drawing, left: float, top: float, title: str, bars: Sequence[tuple[str, float]]) -> None:
    drawing.text(left, top, title, font_weight=600, font_size=13)
    for row, (name, share) in enumerate(bars):
        y = top + 10 + row * _ROW
        ours = name.startswith("oldsoul")
        weight = 600 if ours else 400
        drawing.text(left + _LABELS - 8, y + 15, name, text_anchor="end", font_weight=weight)
        drawing.box(left + _LABELS, y + 2, _BAR, _ROW - 7, "#f3f5f7")
        drawing.box(left + _LABELS, y + 2, _BAR * share, _ROW - 7, _OURS if ours else "#9fb0c1")
        drawing.text(left + _LABELS + _BAR + 6, y + 15, f"{share * 100:.1f}", font_weight=weight)


# what it takes


def speed_plot(folder: Path) -> None:
    """Lines over the sizes that were measured."""
    results = [one for one in json.loads((folder / "speed.json").read_text("utf-8")) if "p50_ms" in one]
    if not results:
        return
    titles = {
        "p50_ms": "A question, p50 (ms)",
        "upsert_10_ms": "A changed file of 10 chunks, p50 (ms)",
        "first_ms": "Opened cold, first answer (ms)",
        "rss_mb": "Memory of a process that asks (MB)",
        "disk_mb": "Disk (MB)",
        "build_s": "Building (s)",
    }
    drawing = Drawing(3 * _SIDE + 3 * _GAP, 2 * _HIGH + 70 + 168)
    drawing.text(24, 28, "What it takes, by how much is remembered", font_size=17, font_weight=600)
    told = "the best six of a quarter of all chunks, the question's embedding included; each system in its own process"
    drawing.text(24, 48, told, fill=_PALE)
    kinds = {one["system"]: one["does"] for one in results}
    _legend(drawing, 24, 74, kinds)
    for number, (key, title) in enumerate(titles.items()):
        left, top = 58 + (number % 3) * (_SIDE + _GAP), 132 + (number // 3) * (_HIGH + 70)
        _panel(drawing, Panel(title, key, left, top), results, kinds)
    drawing.write(folder / "speed.svg")


def _legend(drawing: Drawing, left: float, y: float, kinds: dict[str, str]) -> None:
    x = left
    for name, does in kinds.items():
        drawing.line([(x, y - 4), (x + 26, y - 4)], **_stroke(name, does))
        drawing.text(x + 32, y, name, font_weight=600 if name == "oldsoul" else 400)
        x += 32 + 7.2 * len(name) + 22
    kinds_told = "solid: words and vectors; dashed: vectors alone; dotted: words alone"
    drawing.text(left, y + 20, kinds_told, fill=_PALE, font_size=11)


def _stroke(name: str, does: str) -> dict[str, Any]:
    dash = {"stroke-dasharray": _DASHES[does]} if _DASHES[does] else {}
    return {"stroke": _COLOURS[name], "stroke_width": 3.2 if name == "oldsoul" else 1.8, **dash}


def _panel(drawing: Drawing, panel: Panel, results: list[dict[str, Any]], kinds: dict[str, str]) -> None:
    drawing.text(panel.left, panel.top - 10, panel.title, font_weight=600, font_size=13)
    lines = {
        name: [
            Point(one["chunks"], max(one[panel.key], 0.05))
            for one in results
            if one["system"] == name and panel.key in one
        ]
        for name in kinds
    }
    across = _scale((point.size for points in lines.values() for point in points), panel.left, panel.left + _SIDE)
    down = _scale((p.value for points in lines.values() for p in points), panel.top + _HIGH, panel.top)
    for power, x in across[1]:
        drawing.line([(x, panel.top), (x, panel.top + _HIGH)], stroke=_GRID)
        drawing.text(x, panel.top + _HIGH + 17, _short(power), text_anchor="middle", fill=_PALE, font_size=11)
    for power, y in down[1]:
        drawing.line([(panel.left, y), (panel.left + _SIDE, y)], stroke=_GRID)
        drawing.text(panel.left - 7, y + 4, _short(power), text_anchor="end", fill=_PALE, font_size=11)
    for name in sorted(lines, key=lambda name: name == "oldsoul"):
        drawn = [(across[0](point.size), down[0](point.value)) for point in sorted(lines[name])]
        drawing.line(drawn, stroke_linejoin="round", **_stroke(name, kinds[name]))
        for x, y in drawn:
            drawing.dot(x, y, _COLOURS[name])


def _scale(
    values: Iterable[float], start: float, end: float
) -> tuple[Callable[[float], float], list[tuple[float, float]]]:
    """Where a value lies on a logarithmic axis, and the powers of ten along it."""
    logs = [math.log10(value) for value in values] or [0.0]
    low, high = math.floor(min(logs) + 1e-9), math.ceil(max(logs) - 1e-9)
    high = max(high, low + 1)

    def place(value: float) -> float:
        return start + (math.log10(value) - low) / (high - low) * (end - start)

    return place, [(10.0**power, place(10.0**power)) for power in range(low, high + 1)]


def _short(value: float) -> str:
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"
