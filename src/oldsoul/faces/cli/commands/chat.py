"""`chat` and `ask`: talk with the agent, line by line or with one question."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput, OldsoulError
from oldsoul.faces.cli import given, verbs
from oldsoul.faces.cli.commands.context import receipt_table
from oldsoul.faces.cli.commands.entries import correct, forget, show
from oldsoul.faces.cli.frame import FAILED
from oldsoul.faces.cli.output import clean, is_terminal, styled, to_stderr, to_stdout
from oldsoul.faces.cli.verbs import FreeTextCommand, Verb, pass_frame
from oldsoul.values.messages import Wanted
from oldsoul.views import recall as views
from oldsoul.views.shape import plain

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.app.replying.exchange import Response
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.sessions import Session


_LINES = {
    "/why": "where the last reply's memory came from",
    "/memory": "what is in MEMORY.md",
    "/soul": "what is in SOUL.md",
    "/correct STATEMENT": "correct a wrong memory",
    "/forget WORDS": "erase an entry for good",
    "/help": "this list",
    "/quit": "leave; so does Ctrl-D",
}
_REMEMBERED_LINES = 100


@click.command(cls=FreeTextCommand)
@click.argument("question", nargs=-1, required=True)
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"Ask as this session. {given.SESSIONS}")
@click.option("--why", is_flag=True, help="Also show where the memory in the reply came from.")
@click.option("--no-log", is_flag=True, help="Do not log the question and the reply.")
@pass_frame
def ask(frame: Frame, question: tuple[str, ...], *, who: str, why: bool, no_log: bool) -> None:
    """Ask the agent one question; `-` reads it from standard input.

    With a language model (`oldsoul config explain keepers.model`) the model replies. Without one, the reply comes from
    memory alone: the entry that answers, with its file and line, or that memory does not know.

    Example: oldsoul ask "what is the staging server called?"
    """
    text = given.text(question, 'give the question, as in `oldsoul ask "when do we deploy?"`')
    agent = frame.agent
    session = given.viewer(agent, who)
    if frame.wants_json:
        frame.say("", views.response(agent.respond(text, session=session, channel="cli", keep=not no_log)))
        return
    made = _told(agent, text, session, keep=not no_log)
    _notes(frame, made, set())
    if why:
        to_stdout(f"\n{receipt_table(made.prompt.context, memory_only=True)}")


@click.command(cls=Verb)
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"Talk as this session. {given.SESSIONS}")
@click.option("--session", metavar="ID", shell_complete=verbs.sessions, help="Go on with this session instead.")
@pass_frame
@click.pass_context
def chat(context: click.Context, frame: Frame, *, who: str, session: str | None) -> None:
    """Talk with the agent. Every line is a message; the reply is shown as it comes.

    The conversation goes on where it ended the last time. /help lists what else can be typed. Ctrl-C stops a reply, and
    leaves when there is none. From a pipe, each line is a message, and replies are printed line by line.

    Example: echo "what is the staging server called?" | oldsoul chat
    """
    talk = _Talk(
        context, frame, frame.agent.talk.session(session).thread.session if session else given.viewer(frame.agent, who)
    )
    if is_terminal(sys.stdin) and not frame.wants_json:
        talk.by_person()
    else:
        talk.by_pipe()


class _Talk:
    """One run of `chat`."""

    def __init__(self, context: click.Context, frame: Frame, session: Session) -> None:
        self._context, self._frame, self._session = context, frame, session
        self._last: Response | None = None
        self._noted: set[str] = set()

    def by_person(self) -> None:
        """Lines that somebody types, until they leave."""
        agent = self._frame.agent
        model = agent.model or agent.settings.keepers.model.model
        by = clean(model) if agent.replies_by_model else "no language model: replies come from memory"
        name = clean(agent.display_name)
        to_stderr(styled(f"Talking with {name} ({by}). /help lists commands, Ctrl-D leaves.", "dim"))
        _recall_lines(agent, self._session)
        while True:
            try:
                line = input(_prompt())
            except (EOFError, KeyboardInterrupt):
                to_stderr("")
                return
            if line.strip() in ("/quit", "/exit"):
                return
            try:
                self._do(line)
            except (OldsoulError, click.ClickException) as error:
                told = error.format_message() if isinstance(error, click.ClickException) else str(error)
                to_stderr(styled(f"oldsoul: {told}", "red"))
            except (click.exceptions.Exit, KeyboardInterrupt):
                to_stderr("")

    def by_pipe(self) -> None:
        """Lines of standard input, each a message; the exit code is 1 when one of them got no reply."""
        failed = False
        for line in sys.stdin.buffer if sys.stdin else ():
            text = line.decode("utf-8", "replace").strip()
            if not text:
                continue
            try:
                self._do(text)
            except OldsoulError as error:
                failed = True
                value = json.dumps({"error": {"kind": type(error).__name__, "message": str(error)}}, ensure_ascii=False)
                to_stderr(value if self._frame.wants_json else f"oldsoul: {error}", exact=True)
        if failed:
            raise click.exceptions.Exit(FAILED)

    def _do(self, line: str) -> None:
        """What one line asks for."""
        name, _, rest = line.strip().partition(" ")
        if not name:
            return
        if not name.startswith("/") or name == "/":
            self._reply(line.strip())
        elif name == "/help":
            to_stdout("\n".join(f"  {command:<20}{what}" for command, what in _LINES.items()))
        elif name == "/why":
            if self._last is None:
                raise BadInput("there is no reply yet; /why shows where its memory came from")
            to_stdout(receipt_table(self._last.prompt.context, memory_only=True))
        elif name in ("/memory", "/soul"):
            self._run(show, "show", [f"{name[1:].upper()}.md"])
        elif name == "/correct" and rest.strip():
            self._run(correct, "correct", [rest.strip()])
        elif name == "/forget" and rest.strip():
            self._run(forget, "forget", [*rest.split()])
        else:
            raise BadInput(f"{name} is not a command here, or needs words after it; /help lists the commands")

    def _run(self, command: click.Command, name: str, args: list[str]) -> None:
        with command.make_context(name, ["--", *args], parent=self._context) as context:
            command.invoke(context)

    def _reply(self, text: str) -> None:
        agent = self._frame.agent
        if self._frame.wants_json:
            self._last = agent.respond(text, session=self._session, channel="cli")
            to_stdout(json.dumps(plain(views.response(self._last)), ensure_ascii=False), exact=True)
            return
        self._last = _told(agent, text, self._session, keep=True)
        _notes(self._frame, self._last, self._noted)


def _prompt() -> str:
    """What stands before a line; readline has to know which characters take no room."""
    shown = styled("you> ", "bold")
    if not shown.startswith("\x1b"):
        return shown
    start, _, rest = shown.partition("m")
    words, _, end = rest.partition("\x1b")
    return f"\x01{start}m\x02{words}\x01\x1b{end}\x02"


def _recall_lines(agent: Agent, session: Session) -> None:
    """Have the arrow keys bring back what was said in this session."""
    try:
        import readline  # noqa: PLC0415 - only a terminal needs it, and not every Python has it
    except ImportError:
        return
    wanted = Wanted(session=session.id, newest_first=True, limit=_REMEMBERED_LINES)
    readline.clear_history()
    for message in reversed(agent.talk.messages(wanted)):
        if message.role == "user" and message.text.isprintable():
            readline.add_history(message.text)


def _told(agent: Agent, text: str, session: Session, *, keep: bool) -> Response:
    """A reply, written as it comes; what could move the cursor is left out."""
    reply = agent.stream(text, session=session, channel="cli", keep=keep)
    try:
        for piece in reply:
            to_stdout("\n".join(map(clean, piece.split("\n"))), end="")
    except BaseException:
        reply.close()
        to_stdout("")
        raise
    to_stdout("" if reply.response.text else styled("(no reply)", "dim"))
    return reply.response


def _notes(frame: Frame, made: Response, told: set[str]) -> None:
    """What a person should know of a reply; in one conversation each thing is told once."""
    for note in dict.fromkeys((*made.notes, *made.prompt.context.notes)):
        if note not in told:
            frame.note(styled(clean(note), "dim"))
            told.add(note)
