"""What other programs keep beside us for prompts: a folder of profiles, a file of context. Unreadable means nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oldsoul.values.audience import OWNER
from oldsoul.values.context import Profile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_BYTES = 256 * 1024
_MOST_FILES = 10_000
_ENDINGS = (".md", ".txt", ".json")


def external(file: str) -> str:
    """The text of a file; JSON as lines of `name: value`. Empty when it cannot be read."""
    return _text(Path(file))


def profiles(folder: str, names: Sequence[str]) -> Iterator[Profile]:
    """The profiles of those who are named, each in a file of their name; the operator's alone."""
    wanted = {name.casefold() for name in names}
    try:
        files = sorted(Path(folder).iterdir())[:_MOST_FILES]
    except OSError:
        return
    for file in files:
        words = file.stem.casefold().replace("-", " ").replace("_", " ").split()
        if file.suffix in _ENDINGS and wanted & {*words, " ".join(words)}:
            text = _text(file).strip()
            if text:
                yield Profile(file.stem, text, OWNER)


def _text(file: Path) -> str:
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
        return "\n".join(_lines(json.loads(text))) if file.suffix == ".json" else text
    except (OSError, ValueError, RecursionError):
        return ""


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """A JSON value as lines."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _lines(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _lines(each, f"{name}.{number}" if name else str(number))
    else:
        shown = value if isinstance(value, str) else json.dumps(value)
        said = shown.encode("utf-8", "replace").decode()
        yield " ".join((f"{name}: {said}" if name else said).split())
