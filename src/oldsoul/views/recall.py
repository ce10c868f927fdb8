"""What memory finds, and what a session is told of it, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oldsoul.language.headings import place
from oldsoul.values.context import IN_SYSTEM_PROMPT

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from oldsoul.app.prompts.prompt import Prompt
    from oldsoul.app.replying.exchange import Response
    from oldsoul.context.bootstrap import FileNote
    from oldsoul.context.skills import Offered, SkillsSection
    from oldsoul.values.context import Context
    from oldsoul.values.recall import Hit, Recalled
    from oldsoul.values.skills import Skill


def recalled(of: Recalled, zone: tzinfo, *, explain: bool) -> dict[str, Any]:
    """The answer to a question: how sure it is, the hits, and what else is to be known, if anything."""
    return {
        "answer": of.answer,
        "confidence": of.confidence,
        "hits": [hit(each, zone, explain=explain) for each in of.hits],
        **({"standing": [hit(each, zone, explain=explain) for each in of.standing]} if of.standing else {}),
        **({"notes": list(of.notes)} if of.notes else {}),
    }


def hit(of: Hit, zone: tzinfo, *, explain: bool) -> dict[str, Any]:
    """A passage that was found, where it is, and its score; what that is made of, where it is to be explained."""
    chunk = of.chunk
    value: dict[str, Any] = {
        "path": chunk.path,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "score": of.score,
        "heading": place(chunk.title, chunk.heading),
        "text": chunk.text,
        "source": chunk.source,
        "date": chunk.day(zone),
        "speaker": chunk.speaker,
        "earlier": of.earlier,
    }
    return {**value, "why": dict(of.why)} if explain else value


def context(of: Context) -> dict[str, Any]:
    """What a session is told of memory: the text, its slots, and the receipt of what is in it and what is not."""
    return {
        "text": of.text,
        "tokens": of.tokens,
        "answer": of.answer,
        "slots": [
            {
                "slot": int(filled.slot),
                "name": filled.slot.name.lower(),
                "budget": filled.budget,
                "allowed": filled.allowed,
                "tokens": filled.tokens,
                "text": filled.text,
            }
            for filled in of.slots
        ],
        "receipt": {
            "included": [
                {
                    "slot": one.slot.name.lower(),
                    "document": one.document,
                    "start_line": one.start_line,
                    "end_line": one.end_line,
                    "entry": one.entry,
                    "score": one.score,
                    "tokens": one.tokens,
                    "text": one.text,
                    "audience": str(one.audience),
                }
                for one in of.included
            ],
            "left_out": [
                {
                    "slot": one.slot.name.lower(),
                    "document": one.document,
                    "start_line": one.start_line,
                    "entry": one.entry,
                    "tokens": one.tokens,
                    "why": one.why,
                    "text": one.text,
                    "audience": str(one.audience),
                }
                for one in of.left_out
            ],
        },
    }


def response(of: Response) -> dict[str, Any]:
    """A reply: its text, the messages it is logged as, the tools that were called, and the receipt of its context."""
    return {
        "text": of.text,
        "silent": of.silent,
        "answer": of.answer,
        "message": of.heard.message.id if of.heard else None,
        "reply": of.logged.id if of.logged else None,
        "reply_to": of.reply_to,
        "tools": [{"name": use.name, "arguments": use.arguments, "result": use.result} for use in of.tools],
        "receipt": context(of.prompt.context)["receipt"],
        "notes": list(of.notes),
    }


def prompt(of: Prompt, count: Callable[[str], int]) -> dict[str, Any]:
    """The prompt a session gets: its text, and what its sections, its files and the context cost in tokens."""
    sections: list[dict[str, Any]] = [
        {"name": part.name, "tokens": count(part.text), "volatile": part.volatile} for part in of.system.parts
    ]
    block = sum(filled.tokens for filled in of.context.slots if filled.slot not in IN_SYSTEM_PROMPT)
    return {
        "system": of.system.text,
        "stable_characters": len(of.system.stable),
        "text": of.text,
        "tokens": sum(part["tokens"] for part in sections) + block,
        "sections": sections,
        "files": [_file(note, count, of) for note in of.files],
        "context": context(of.context),
        "warnings": list(of.notes),
    }


def _file(note: FileNote, count: Callable[[str], int], made: Prompt) -> dict[str, Any]:
    part = next((p for p in made.system.parts if p.name == f"Project Context: {note.path}"), None)
    return {
        "name": note.name,
        "path": note.path,
        "state": str(note.state),
        "characters": note.shown,
        "size": note.size,
        "limit": note.limit,
        "tokens": count(part.text) if part else 0,
    }


def skills(of: Offered) -> dict[str, Any]:
    """The skills there are, those that are not offered with why, and what looks like one and is none."""
    return {
        "skills": [
            *(skill(each) for each in of.skills),
            *(skill(each.skill, each.why) for each in of.left_out),
        ],
        "skipped": [{"location": each.location, "source": each.source, "why": each.why} for each in of.skipped],
    }


def skill(of: Skill, why: str = "") -> dict[str, Any]:
    """A skill: what it is for, where it lies, what it needs, and why it is not offered."""
    return {
        "name": of.name,
        "description": of.description,
        "source": of.source,
        "location": of.location,
        "path": of.path,
        "offered": not why,
        "why": why,
        "primary_env": of.primary_env,
        "requires_env": list(of.requires_env),
        "disable_model_invocation": of.disable_model_invocation,
        "allow_remote": of.allow_remote,
        "license": of.license,
        "compatibility": of.compatibility,
        "allowed_tools": list(of.allowed_tools),
        "notes": list(of.notes),
    }


def skills_section(of: SkillsSection) -> dict[str, Any]:
    """What a prompt says of skills, how many it lists and leaves out."""
    return {"section": of.text, "listed": of.listed, "left_out": of.left_out, "notes": list(of.notes)}
