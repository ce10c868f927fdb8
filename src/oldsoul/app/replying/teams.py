"""Teams: one agent speaks for several, and asks those of its members that it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from oldsoul.app.prompts.tools import Tool
from oldsoul.errors import BadInput
from oldsoul.values.callers import Right
from oldsoul.values.sessions import Session

Asked = Callable[[str, str, Session], str]


def ask_member(members: Sequence[str], asked: Asked) -> Tool:
    """The tool with which a team's coordinator asks one of its members; `asked` gives a member's reply."""

    def ask(_agent: object, session: Session, member: str, question: str) -> dict[str, Any]:
        if member not in members:
            raise BadInput(f"member: one of {', '.join(members)}, not {member!r}")
        if not isinstance(question, str) or not question.strip():
            raise BadInput("question: say what the member is to answer")
        return {"member": member, "reply": asked(member, question, session)}

    return Tool(
        "ask_member",
        "Ask Member",
        "Ask one member of your team, who answers from their own memory. Say all they need to know; they have read the "
        "message, but not what you were told beside it. Ask as many as you need, then give one reply for all.",
        {
            "type": "object",
            "properties": {
                "member": {"type": "string", "enum": [*members], "description": "Who is asked."},
                "question": {"type": "string", "description": "What they are to answer."},
            },
            "required": ["member", "question"],
            "additionalProperties": False,
        },
        ask,
        Right.TELL,
    )
