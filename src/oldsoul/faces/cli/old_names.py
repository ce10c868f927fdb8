"""Commands by the names of the release before: they work once more, unlisted, and say what they are called now."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

OLD_NAMES = {
    "files": ["show"],
    "get": ["show"],
    "reset": ["edit", "--reset"],
    "corrections": ["correct"],
    "promote": ["sessions", "asked"],
    "prompt": ["context", "--prompt"],
    "log-message": ["messages", "log"],
    "import-messages": ["messages", "import"],
    "triage": ["messages", "triage"],
    "end-session": ["sessions", "end"],
    "run": ["keepers", "run"],
    "schedule": ["keepers"],
    "work": ["keepers", "work"],
    "blame": ["log", "--lines"],
    "completion": ["config", "completion"],
}


def renamed(args: list[str], tell: Callable[[str], None]) -> list[str]:
    """The words of a call by an old name, by the new one; whoever called is told."""
    old, rest = args[0], args[1:]
    new = OLD_NAMES[old]
    if old == "get" and not any(word.startswith("--as") for word in rest):
        rest = [*rest, "--as", "dm"]
    elif old == "schedule" and rest[:1] == ["run"]:
        new, rest = ["keepers", "start"], rest[1:]
    elif old == "promote" and any(word.startswith("--to") for word in rest):
        new, rest = ["remember"], [word.replace("--to", "--person", 1) if word[:4] == "--to" else word for word in rest]
    tell(f"oldsoul: `{old}` is called `oldsoul {' '.join(new)}` now; the old name works until the next release.")
    return [*new, *rest]
