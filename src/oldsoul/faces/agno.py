"""An Agno agent made of a workspace: SOUL.md and AGENTS.md, memory before each message, a log of what is said, tools."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from oldsoul.app import Agent
from oldsoul.app.prompts.tools import Tool
from oldsoul.app.replying.exchange import Exchange
from oldsoul.context.directives import delivered
from oldsoul.context.persona import AGENTS, SOUL
from oldsoul.context.presentation import item, one_line
from oldsoul.errors import BadInput, OldsoulError, Refused
from oldsoul.values.frozen import frozen
from oldsoul.values.messages import Message
from oldsoul.values.sessions import Session

try:
    from agno.agent import Agent as AgnoAgent
    from agno.exceptions import InputCheckError
    from agno.run import RunContext
    from agno.tools import Function, Toolkit
    from agno.utils.log import log_warning
except ModuleNotFoundError as missing:
    raise ImportError(f"oldsoul.faces.agno: {missing}; pip install 'oldsoul[agno]'") from missing

if TYPE_CHECKING:
    from agno.models.base import Model
    from agno.run.agent import RunInput, RunOutput

    from oldsoul.app.prompts.prompt import Prompt


Key = tuple[str, str, str]

SessionOf = Callable[[str, str], Session]
"""Gives the session of a run from Agno's `session_id` and `user_id` (empty where Agno has none)."""
SenderOf = Callable[[str, str], str]
"""Gives the display name of who speaks, from the same two."""

_OURS = ("role", "instructions", "system_message", "build_context")
"""What the workspace decides; a host adds to it with Agno's `additional_context`."""
_SECTIONS = ("Safety", "Skills", "Memory Recall", "Further Instructions")
"""The sections of our system prompt that Agno has nothing for."""
_CLOCK = "Current Date & Time"
_SO_FAR = "## This conversation so far\n→ marks what you replied."
_MOST_RUNS = 200
"""So many runs are held at most; those that are answered go first."""


def agno_agent(
    agent: Agent, *, session: Session | SessionOf, model: Model, sender: str | SenderOf = "", **more: Any
) -> AgnoAgent:
    """Return an Agno agent that is who the workspace says, knows what memory holds, and logs what is said.

    Args:
        agent: the Oldsoul agent.
        session: the conversation that every run belongs to, whatever ids it is run with; or, for a host with several
            people, a function that gives the session from Agno's `session_id` and `user_id`. Whoever calls the host
            may choose these ids: give nobody a private session before you know who it is.
        model: a model of Agno's.
        sender: the display name of who speaks, or a function as for `session`.
        more: further arguments of Agno's `Agent`. Its hooks and tools are kept beside ours.

    Raises:
        BadInput: an argument of Agno's that the workspace decides, such as `role`.
    """
    wrong = next((name for name in _OURS if name in more), "")
    if wrong:
        raise BadInput(f"{wrong}: SOUL.md and AGENTS.md decide this; use additional_context to add to them")
    tools = more.pop("tools", None) or []
    if callable(tools):
        raise BadInput("tools: give a list; a function that makes tools cannot be combined with those of memory")
    behind = _Behind(agent, session, sender)
    # Agno would put its own values where a text has {name} or $name, in SOUL.md, memory and messages too.
    settings = {"name": agent.id, "telemetry": False, "resolve_in_context": False, **more}
    return AgnoAgent(
        **{
            **settings,
            "model": model,
            "role": behind.role,
            "instructions": behind.instructions,
            "tools": [*tools, behind.toolkit()],
            "pre_hooks": [*(more.get("pre_hooks") or ()), behind.before],  # logged is what theirs let through
            "post_hooks": [*(more.get("post_hooks") or ()), behind.after],
        }
    )


@frozen
class _Run:
    """A run of Agno's that has begun."""

    exchange: Exchange
    """the message, logged, and what becomes of it"""
    session: Session
    """its conversation"""
    told: str
    """what the model gets instead of the message: memory, then the message"""
    instructions: str
    """what the system prompt says, but for the role"""

    def is_again(self, content: Any, session: Session) -> bool:
        """Whether Agno tries the same run once more, with the message as this one left it."""
        return session == self.session and content in (self.told, self.exchange.text)


class _Behind:
    """The Oldsoul agent behind an Agno agent: its hooks, instructions and tools. Agno gives what a parameter names.

    One Agno agent may run in several threads at once, so what belongs to a run is kept by the id of the run. Whoever
    calls a server of Agno's may choose that id, so session and user belong to the key.
    """

    def __init__(self, agent: Agent, session: Session | SessionOf, sender: str | SenderOf) -> None:
        self._agent = agent
        self._session = session
        self._sender = sender
        self._runs: OrderedDict[Key, _Run] = OrderedDict()
        self._guard = Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> _Behind:
        return self  # a server of Agno's copies its agents for each request; the workspace behind them is one

    @property
    def role(self) -> str | None:
        """SOUL.md as the session sees it. Where there are several it is in the instructions: Agno has one role for all."""
        if not isinstance(self._session, Session):
            return None
        return _file(self._agent.prompt(session=self._session), SOUL) or None

    def before(self, run_input: RunInput, run_context: RunContext, agent: AgnoAgent) -> None:
        """Log the message, and put what the model is told in its place. Runs before Agno writes the system prompt."""
        with self._guard:
            begun = self._runs.pop(_key(run_context), None)
        try:
            session = self._session_of(run_context)
            if begun is None or not begun.is_again(run_input.input_content, session):
                begun = self._begun(run_input.input_content, session, run_context)
        except (OldsoulError, OSError) as error:  # Agno goes on after any error of a hook but this one
            raise InputCheckError(str(error)) from error
        with self._guard:
            self._runs[_key(run_context)] = begun
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)
        run_input.input_content = begun.told
        if isinstance(self._session, Session):
            agent.role = _file(begun.exchange.prompt, SOUL) or None

    def after(self, run_output: RunOutput, run_context: RunContext) -> None:
        """Log the reply, without what the model wrote for the program; give Agno reply and message as people see them."""
        reply = run_output.content
        if isinstance(reply, str):
            reply = run_output.content = delivered(reply)[0]
        elif reply is not None:
            reply = run_output.get_content_as_string()
        run = self._run(run_context)
        if run is None:  # a run that another process began
            return
        if run_output.input is not None:
            run_output.input.input_content = run.exchange.text
        run.exchange.answered(reply or "")
        for note in run.exchange.notes:
            log_warning(note)
        with self._guard:
            if _key(run_context) in self._runs:
                self._runs.move_to_end(_key(run_context), last=False)

    def instructions(self, run_context: RunContext | None = None) -> str:
        """What the system prompt says. A run whose message could not be logged ends here, before the model is asked."""
        if run_context is None:  # somebody looks at them
            return self._agent.files.load_agents_md() or ""
        run = self._run(run_context)
        if run is None:
            raise Refused("the message was not logged, so the model is not asked; Oldsoul's hook has to run before it")
        return run.instructions

    def toolkit(self) -> Toolkit:
        """The agent's tools."""
        return Toolkit(name="oldsoul", tools=[self._function(tool) for tool in self._agent.tools()])

    def _function(self, tool: Tool) -> Function:
        def call(run_context: RunContext, **arguments: Any) -> str:
            run = self._run(run_context)
            session = self._session_of(run_context) if run is None else run.session
            return self._agent.call_tool(tool.name, arguments, session=session)

        return Function(name=tool.name, description=tool.description, parameters=dict(tool.parameters), entrypoint=call)

    def _run(self, run_context: RunContext) -> _Run | None:
        with self._guard:
            return self._runs.get(_key(run_context))

    def _session_of(self, run_context: RunContext) -> Session:
        if isinstance(self._session, Session):
            return self._session
        return self._session(run_context.session_id, run_context.user_id or "")

    def _begun(self, text: Any, session: Session, run_context: RunContext) -> _Run:
        if not isinstance(text, str):
            raise BadInput("give the message as text: only text can be logged and searched for")
        sender = self._sender
        if not isinstance(sender, str):
            sender = sender(run_context.session_id, run_context.user_id or "")
        exchange = self._agent.exchange(text, session=session, sender=sender, channel="agno")
        soul = "" if isinstance(self._session, Session) else _file(exchange.prompt, SOUL)
        return _Run(exchange, session, _told(exchange), _joined(soul, _rules(exchange.prompt)))


def _key(run_context: RunContext) -> Key:
    return run_context.run_id, run_context.session_id, run_context.user_id or ""


def _file(prompt: Prompt, name: str) -> str:
    return next((file.text for file in prompt.contents if file.name == name), "")


def _rules(prompt: Prompt) -> str:
    """AGENTS.md, then the other files of the workspace, then what to know of its skills and its memory."""
    files = [f"## {file.name}\n\n{file.text}" for file in prompt.contents if file.name not in (AGENTS, SOUL)]
    sections = [part.text for part in prompt.system.parts if part.name in _SECTIONS]
    return _joined(_file(prompt, AGENTS), *files, *sections)


def _told(exchange: Exchange) -> str:
    """What the model is told on the user's side: the time, memory, the conversation so far, and last the message."""
    prompt = exchange.prompt
    clock = [part.text for part in prompt.system.parts if part.name == _CLOCK]
    so_far = "\n".join([_SO_FAR, *map(_line, exchange.earlier)]) if exchange.earlier else ""
    return _joined(*clock, prompt.context.block.strip("\n"), so_far, exchange.signed)


def _line(message: Message) -> str:
    """A message as a line; nobody can name themselves so that their words look like a reply."""
    who = "→" if message.role == "assistant" else f"- {one_line(message.sender) or 'User'}:"
    return f"{who} {item(message.text)}"


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))
