"""The lines of a correction's block: the labels people may write, and what each stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.documents import Form
from oldsoul.lazy import pattern

if TYPE_CHECKING:
    from oldsoul.documents import Entry

FIELD = pattern(r"(?m)^\s*(?:[-*+]\s*)?\*\*([^*\n]{1,40}?)(?::\*\*|\*\*:)[ \t]*(.*?)\s*$")
_LABELS = {
    **dict.fromkeys(("said", "agent said", "the agent said", "what the agent said"), "Said"),
    **dict.fromkeys(("correct", "correct information", "the correct information", "what is correct"), "Correct"),
    **dict.fromkeys(("what the correct information is", "correction"), "Correct"),
    **{label: label.capitalize() for label in ("wrong value", "old value", "was", "right value", "new value", "now")},
    **{label: label.capitalize() for label in ("asked", "means", "check", "trigger confidence", "re-embedded")},
    **dict.fromkeys(("trigger", "trigger phrase"), "Trigger"),
}
"""What people may call the fields of a correction, and what we do."""
_ANY_LABEL = "|".join(sorted(map(re.escape, _LABELS), key=len, reverse=True))
_BOLD = pattern(rf"(?im)^(\s*(?:[-*+]\s*)?)\*\*({_ANY_LABEL})(?::\*\*|\*\*:)")
_PLAIN_LABEL = pattern(rf"(?im)^(\s*(?:[-*+]\s*)?)({_ANY_LABEL})[ \t]*[:：]")
_WRONG_LABELS = frozenset({"Said", "Was", "Old value", "Wrong value"})
_RIGHT_LABELS = frozenset({"Correct", "Now", "New value", "Right value"})


def labelled(body: str) -> str:
    """A correction's lines with the labels that we give them, whatever a person called them.

    Labels that are not bold count where one says what was wrong and another what is right: elsewhere they are words.
    """
    bold = _BOLD.sub(_label, body)
    found = _PLAIN_LABEL.sub(_label, bold)
    labels = {label for label, _ in FIELD.findall(found)}
    return bold if labels.isdisjoint(_WRONG_LABELS) or labels.isdisjoint(_RIGHT_LABELS) else found


def states_right(entry: Entry) -> bool:
    """Whether a correction says what is right, in a line with such a label or with none."""
    own = labelled(entry.body).split("\n")[entry.form is Form.DATED :]
    lines = [line for line in own if line.strip()]
    labels = [match[1].strip() if (match := FIELD.match(line)) else "" for line in lines]
    return any(not label or label in _RIGHT_LABELS for label in labels)


def right(text: str) -> str:
    """What a correction says is right, as a sentence where it has one, without the labels it is kept under."""
    fields = {label: value for label, value in FIELD.findall(labelled(text)) if value}
    told = next(
        (fields[label] for label in ("Means", "Correct", "Now", "New value", "Right value") if label in fields), ""
    )
    return told or FIELD.sub("", text).strip() or text


def _label(found: re.Match[str]) -> str:
    return f"{found[1]}**{_LABELS[found[2].casefold()]}:**"
