"""What answers hold: the models that several endpoints share. The values come from `oldsoul.views`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, model_validator

from oldsoul.app.home.sealing import change, inside, line, message, reference


class Shown(BaseModel):
    """A value as a client gets it. A field that the model does not know is a mistake, not a surprise."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _whole_characters(cls, value: Any) -> Any:
        """Bytes that are no text become question marks."""
        return {name: _text(each) for name, each in value.items()} if isinstance(value, dict) else value


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_text(each) if isinstance(each, str) else each for each in value]
    if isinstance(value, dict):
        return {name: _text(each) if isinstance(each, str) else each for name, each in value.items()}
    return value


Time = Annotated[str, Field(examples=["2026-02-04T09:00:00+00:00"])]
Version = Annotated[str, Field(examples=["sha256:9f86d081884c7d65"])]
ChangeNumber = Annotated[int, PlainSerializer(change, return_type=int), Field(examples=[7])]
MessageNumber = Annotated[int, PlainSerializer(message, return_type=int), Field(examples=[118])]
Reference = Annotated[str, PlainSerializer(reference, return_type=str), Field(examples=["m:118"])]
Key = Annotated[str, PlainSerializer(reference, return_type=str)]
Inside = Annotated[str, PlainSerializer(inside, return_type=str)]
EntryId = Annotated[str, Field(examples=["k3f9w2m7qa"])]
PathShown = Annotated[str, Field(examples=["MEMORY.md"])]
Next = Annotated[str | None, Field(description="Give it as `cursor` for the next page; null after the last.")]


class Placed(Shown):
    """A value with a place in a file, or in a conversation: there, lines are numbers of messages."""

    @model_validator(mode="before")
    @classmethod
    def _in_talk(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        path = str(value.get("path", value.get("document")))
        return {name: line(path, one) if name in ("start_line", "end_line") else one for name, one in value.items()}


class Evidence(Shown):
    """What a change or a proposal rests on."""

    ref: Reference
    """Where it is found: a message, or a line of a file."""
    origin: Annotated[str, Field(examples=["operator"])]
    """Who caused it."""
    audience: Annotated[str, Field(examples=["owner"])]
    """Who may see it."""
    quote: str
    """The words, where they may be kept."""


class Effect(Shown):
    """What a change did to one file."""

    path: PathShown
    before: Version
    after: Version
    entries: list[EntryId]


class Change(Shown):
    """A change in the history."""

    change: ChangeNumber
    """Its number."""
    at: Time
    author: Annotated[str, Field(examples=["operator:acct:owner"])]
    reason: str
    files: list[Effect]
    evidence: list[Evidence]
    notes: dict[str, str]
    """Further facts: the change it undoes, who approved it."""


class Promoted(Shown):
    """An entry that went to long-term memory."""

    path: PathShown
    text: str


class Step(Shown):
    """One change of a run, made, proposed or refused."""

    files: list[PathShown]
    reason: str
    change: ChangeNumber | None
    proposal: str | None
    repeated: bool
    promoted: list[Promoted]
    masked: int
    """How many secrets were masked."""
    warnings: list[str]
    problem: str
    """Why it was not done; empty when it was."""
    waits: bool = False
    """In a dry run: whether it would wait for approval."""
    diff: str = ""
    """In a dry run: what it would change."""


class Report(Shown):
    """A run of a keeper: what it did, and what it asked of the language model."""

    keeper: Annotated[str, Field(examples=["recall-validator"])]
    run: Inside
    """What tells this run from others; empty for others than the operator."""
    done: bool
    """Whether it is finished; if not, start it again."""
    steps: list[Step]
    notes: list[str]
    problems: list[str]
    asked: int
    tokens_in: int
    tokens_out: int
    cost: float
    facts: dict[str, str]


def linked(status: int, *, agent: bool = True, **to: dict[str, str]) -> dict[int | str, dict[str, Any]]:
    """Where an answer leads, for OpenAPI: endpoints by their names, each with what it is given of the answer.

    Those of an agent are given the agent that was asked.
    """
    same = {"name": "$request.path.name"} if agent else {}
    links = {
        endpoint: {"operationId": endpoint, "parameters": {**same, **parameters}} for endpoint, parameters in to.items()
    }
    return {status: {"links": links}}


_FILE = {"agent_name": "$request.path.agent_name", "filename": "$response.body#/filename"}
_STANDING = {**_FILE, "header.if-match": "$response.header.ETag"}
_CHANGE = {"name": "$request.path.agent_name", "number": "$response.body#/change"}
_PAST = {"name": "$request.path.agent_name", "path": "$response.body#/filename"}
_WITH_FILE = {
    "update_workspace_file": _STANDING,
    "reset_workspace_file": _STANDING,
    "delete_workspace_file": {**_STANDING, "confirm": "$response.body#/filename"},
    "list_changes": _PAST,
    "blame": _PAST,
}
READ_FILE = linked(200, agent=False, **_WITH_FILE)[200]
"""Where a file that was read leads."""
SAVED_FILE = linked(200, agent=False, **_WITH_FILE, read_workspace_file=_FILE, show_change=_CHANGE, undo=_CHANGE)[200]
"""Where a file that was saved leads."""
DELETED_FILE = linked(
    200, agent=False, read_workspace_file=_FILE, list_changes=_PAST, show_change=_CHANGE, undo=_CHANGE
)[200]
"""Where a file that was deleted leads."""
