"""`correct`: correct a wrong memory, and see whether every correction still holds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oldsoul.documents.model import folded
from oldsoul.errors import BadInput, Conflict, NotFound, OldsoulError, TooLarge
from oldsoul.faces.cli import given, verbs
from oldsoul.faces.cli.editor import Draft
from oldsoul.faces.cli.frame import FAILED, Frame
from oldsoul.faces.cli.output import (
    bar,
    clean,
    correction_lines,
    counted,
    extras,
    is_terminal,
    raw,
    shortened,
    styled,
    table,
    to_stderr,
    to_stdout,
)
from oldsoul.faces.cli.verbs import FreeTextCommand, Verb, Whole, pass_frame
from oldsoul.lazy import lazy
from oldsoul.rules.promotion import FACTS, GOALS
from oldsoul.values.sessions import Subject
from oldsoul.views import files, talk, upkeep
from oldsoul.views import files as views

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.documents import Entry
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.ledger import Outcome, copies
    from oldsoul.values.names import Name
    from oldsoul.values.sessions import Session
else:
    (copies,) = lazy("oldsoul.ledger", "copies")  # only `forget` needs it


@click.command(cls=FreeTextCommand)
@click.argument("statement", required=False)
@click.option("--wrong", default="", help="The wrong value, as memory has it.")
@click.option("--right", default="", help="The right value, as STATEMENT has it.")
@click.option("--check", is_flag=True, help="Ask memory for each correction, and report those that do not hold.")
@click.option("--withdraw", metavar="ID", help="Withdraw a correction and undo everything it changed.")
@pass_frame
def correct(frame: Frame, statement: str | None, wrong: str, right: str, *, check: bool, withdraw: str | None) -> None:
    """Correct a wrong memory: STATEMENT is a sentence that says what is true.

    The correction is logged in CORRECTIONS.md and applied to every file that has the wrong value, which stays there as a
    comment; search no longer finds it. Without STATEMENT, the corrections are listed, newest last.

    With --check, each correction is asked for as a question: search must find the right value, and not the wrong one. The
    exit code is 1 when a correction does not hold.

    Example: oldsoul correct "The meeting is on Thursday, not on Tuesday"
    """
    if (statement is not None) + check + (withdraw is not None) > 1:
        raise BadInput("give a statement, --check or --withdraw, one at a time")
    if statement is not None:
        report = frame.agent.correct(statement, wrong=wrong, right=right)
        lines = correction_lines(report)
        if lines and not any(line.startswith(("Corrected", "Possible")) for line in lines):
            lines.append("No other file was changed: none of them has the wrong value.")
        frame.say("\n".join(lines), upkeep.report(report))
    elif withdraw is not None:
        _withdraw(frame, withdraw)
    else:
        _list_corrections(frame, check=check)


def _withdraw(frame: Frame, correction: str) -> None:
    value = upkeep.withdrawn(correction, frame.agent.memory.withdraw(correction))
    frame.say(f"Withdrawn: {clean(correction)}. What it changed is as it was before.", value)


def _list_corrections(frame: Frame, *, check: bool) -> None:
    agent = frame.agent
    problems = {one.correction.id: one.problem for one in agent.memory.check_corrections()} if check else {}
    found = agent.memory.corrections()
    value = [upkeep.correction(one, problems.get(one.id, "")) for one in found]
    rows = [
        (one.id, one.day, one.old or "–", one.new or "–", one.correct, *([_state(one.id, problems)] if check else []))
        for one in found
    ]
    heads = ("ID", "DATE", "WRONG", "RIGHT", "STATEMENT", *(["HOLDS"] if check else []))
    text = table(heads, rows, flexible=4)
    broken = [one for one in found if problems.get(one.id)]
    told = "\n".join([text, *(styled(f"{one.id}: {clean(problems[one.id])}", "red") for one in broken)])
    frame.say(told if rows else "There are no corrections yet.", value)
    if broken:
        raise click.exceptions.Exit(FAILED)


def _state(correction: str, problems: dict[str, str]) -> str:
    if correction not in problems:
        return "–"
    return "no" if problems[correction] else "yes"


_LINES = 200
_COLOUR = {"near limit": "yellow", "over limit": "red", "not ours": "dim"}


@click.command(cls=Verb)
@click.argument("file", required=False, shell_complete=verbs.files)
@click.option("--plain", is_flag=True, help="Leave out bookkeeping comments.")
@click.option(
    "--version",
    "change",
    type=Whole(min=1),
    metavar="CHANGE",
    shell_complete=verbs.changes,
    help="The file as it was after that change.",
)
@click.option("--as", "who", metavar="SESSION", help=f"Only what a session may see. {given.SESSIONS}")
@click.option("--from", "first", type=Whole(min=1), metavar="N", help="Start at this line (or message).")
@click.option("--lines", "count", type=Whole(1, 2000), metavar="N", help="How many lines; 200 by default.")
@pass_frame
def show(
    frame: Frame,
    file: str | None,
    *,
    plain: bool,
    change: int | None,
    who: str | None,
    first: int | None,
    count: int | None,
) -> None:
    """Print FILE byte for byte, or list the agent's files. `soul` or `memory` is enough for SOUL.md or MEMORY.md.

    With --as, FILE (or a conversation, chat/…) is printed as a session sees it, without bookkeeping comments. Lines it may
    not see are left empty, so that the others keep their numbers.

    \b
    States of a file:
    as seeded    unchanged since it was created from its template
    edited       changed since
    near limit   over 80 % of its limit
    over limit   larger than its limit; nothing can be added
    not ours     a Markdown file Oldsoul does not know: shown, never written

    Example: oldsoul show MEMORY.md --plain
    """  # noqa: D301 - \b is click's sign for lines that are not to be wrapped
    if file is None:
        if plain or any(given_ is not None for given_ in (change, who, first, count)):
            raise BadInput("name a file; without one, `oldsoul show` lists them")
        _list_files(frame)
    elif who is not None or file.startswith(("chat/", "/")):
        if plain or change:
            raise BadInput("--plain and --version are for files, and not for what a session sees")
        _part(frame, file, given.viewer(frame.agent, "dm" if who is None else who), first, count)
    else:
        _whole(frame, file, change, (first, count), plain=plain)


def _list_files(frame: Frame) -> None:
    agent = frame.agent
    found = agent.files.all()
    value = [views.file(file) for file in found]
    rows = [
        (each.filename, f"{each.size_bytes:,}", bar(each.size_bytes, each.limit_bytes), each.state) for each in value
    ]
    styles = [_COLOUR.get(each.state, "") for each in value]
    text = table(("FILE", "BYTES", "OF LIMIT", "STATE"), rows, flexible=0, styles=styles)
    folder = agent.files.folder
    frame.say(
        f"{text}\n{counted(len(found), 'file')} in {clean(folder)}" if rows else f"No files yet in {folder}", value
    )


def _whole(frame: Frame, file: str, change: int | None, part: tuple[int | None, int | None], *, plain: bool) -> None:
    agent = frame.agent
    snapshot = agent.files.show(file) if change is None else agent.files.version_at(file, change)
    data = snapshot.data or b""
    if plain:
        data = agent.files.plain(file, data).encode("utf-8", "replace")
    if any(part):
        lines = data.splitlines(keepends=True)
        first = part[0] or 1
        if first > max(len(lines), 1):
            raise BadInput(f"{file} has {counted(len(lines), 'line')}; --from {first} is beyond the end")
        data = b"".join(lines[first - 1 :][: part[1] or _LINES])
    if frame.wants_json:
        frame.say("", views.document(agent.files.name(file).path, snapshot.version, data))
        return
    if is_terminal() and is_terminal(sys.stderr):
        at = f" at change {change}" if change else ""
        to_stderr(styled(f"{agent.id}: {agent.files.name(file).path}{at}, {counted(len(data), 'byte')}", "dim"))
    raw(data)
    if is_terminal() and data and not data.endswith(b"\n"):
        to_stderr("")


def _part(frame: Frame, path: str, session: Session, first: int | None, count: int | None) -> None:
    agent = frame.agent
    found = agent.memory.get(path, session=session, first=first, lines=count)
    if first and first > 1 and not found["lines"]:
        raise BadInput(
            f"{path} has {counted(_lines_of(agent, session, path), 'line')}; --from {first} is beyond the end"
        )
    if frame.wants_json:
        frame.say("", found)
        return
    lines = str(found["text"]).split("\n")
    to_stdout("\n".join(clean(line) for line in lines) if is_terminal() else str(found["text"]))
    if "next" in found:
        frame.note(f"More: --from {found['next']}")


def _lines_of(agent: Agent, session: Session, path: str) -> int:
    """How many lines of a file a session may see."""
    total, following = 0, 1
    while following:
        piece = agent.memory.get(path, session=session, first=following)
        total, following = total + piece["lines"], piece.get("next", 0)
    return total


@click.command(cls=Verb)
@click.argument("file", shell_complete=verbs.files)
@click.option("--from", "source", metavar="FILE|-", help="Read the new text from a file, or from standard input.")
@click.option("--reset", is_flag=True, help="Replace the file by its template; the old text stays in history.")
@click.option("-y", "--yes", is_flag=True, help="With --reset: do not ask for confirmation.")
@pass_frame
def edit(frame: Frame, file: str, *, source: str | None, reset: bool, yes: bool) -> None:
    """Edit FILE in your editor ($VISUAL, $EDITOR, else vi or nano).

    Changes that others make meanwhile are merged with yours. If they conflict, your text is saved to a file and its path
    is shown.

    Example: oldsoul edit USER.md --reset --yes
    """
    if reset:
        if source is not None:
            raise BadInput("give --from or --reset, not both")
        _reset(frame, file, yes=yes)
        return
    agent = frame.agent
    path, start, base = _beginning(agent, file)
    if source is not None:
        data = given.from_stdin() if source == "-" else _from(source)
        _done(frame, agent, path, None if data == start else agent.files.put(path, data, base=base))
        return
    with Draft(path, start) as draft:
        while True:
            draft.open_editor()
            data = draft.text()
            if data == start:
                _done(frame, agent, path, None)
                return
            try:
                outcome = agent.files.put(path, data, base=base)
            except (Conflict, TooLarge) as error:
                draft.keep()
                if not _again(error, draft.path):
                    raise _with_place(error, draft.path) from error
                if isinstance(error, Conflict):
                    text, standing, clashes = agent.files.reconciled(path, data, base)
                    draft.put(text)
                    base, start = standing.version, b""
                    for theirs in clashes:
                        to_stderr(f"Somebody else changed this to: {clean(theirs) or '(removed)'}")
            except OldsoulError:
                draft.keep()
                to_stderr(f"Your text is saved in {draft.path}")
                raise
            else:
                draft.drop()
                _done(frame, agent, path, outcome, merged=_moved(agent, path, data, outcome))
                return


def _from(source: str) -> bytes:
    try:
        return Path(source).expanduser().read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no file {source} to read the text from") from None


def _beginning(agent: Agent, file: str) -> tuple[str, bytes, str]:
    """The file's path, the text to start from and the version it has; a file that is not there starts from its template."""
    try:
        snapshot = agent.files.show(file)
    except NotFound:
        return agent.files.name(file).path, agent.files.template(file), ""
    agent.files.template(file)  # says so when the file is not one of ours to write
    return agent.files.name(file).path, snapshot.data or b"", snapshot.version


def _again(error: OldsoulError, place: str) -> bool:
    """Whether the person wants another go; asked on a terminal only."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        return False
    to_stderr(f"oldsoul: {error}\nYour text is saved in {place}")
    to_stderr("Open it again? [Y/n] ", end="")
    return sys.stdin.readline().strip().casefold() in ("", "y", "yes")


def _with_place(error: OldsoulError, place: str) -> OldsoulError:
    if isinstance(error, TooLarge):
        return TooLarge(f"your text is saved in {place}; it", error.size, error.limit)
    return Conflict(f"{error}. Your text is saved in {place}")


def _moved(agent: Agent, path: str, data: bytes, outcome: Outcome) -> bool:
    return not outcome.masked and agent.files.show(path).data != data


def _done(frame: Frame, agent: Agent, path: str, outcome: Outcome | None, *, merged: bool = False) -> None:
    change = outcome.change if outcome else None
    value = files.saved(path, outcome, merged=merged)
    if outcome is None or change is None or not change.effects:
        frame.say(f"{path} was not changed.", value)
        return
    did = "Saved and merged with changes of others" if merged else "Saved"
    frame.say("\n".join([f"{did}: {agent.id}/{path} (change {change.id})", *extras(outcome)]), value)


def _reset(frame: Frame, file: str, *, yes: bool) -> None:
    agent = frame.agent
    fresh = agent.files.template(file)
    path = agent.files.name(file).path
    if not fresh:
        raise BadInput(f"{path} has no template")
    try:
        now = agent.files.show(file).data or b""
    except NotFound:
        now = b""
    if now == fresh:
        frame.say(f"{path} already equals its template; nothing was changed.", {"path": path, "change": None})
        return
    lines = counted(now.count(b"\n"), "line")
    frame.note(f"This replaces {agent.id}/{path} ({lines}, {counted(len(now), 'byte')}) with its template.")
    if not yes:
        frame.ask("Continue? The old text stays in history.")
    change = agent.files.reset(file).change
    number = change.id if change else None
    frame.say(
        f"Reset {path} to its template (change {number}). `oldsoul undo {number}` restores the old text.",
        {"path": path, "change": number},
    )


_TAGS = ("decision", "event", "knowledge", "skill")
_SECTIONS = ("facts", "goals")
_MOST_LISTED = 10
_LONGEST_SHOWN = 100


@click.command(cls=FreeTextCommand)
@click.argument("text", nargs=-1, required=True)
@click.option("--title", default="", help="A short title, written in bold before the text.")
@click.option("--tag", type=click.Choice(_TAGS), help="What kind of memory it is; this chooses the section.")
@click.option("--key", default="", help="A name for this request: repeated with the same key, it adds nothing twice.")
@click.option("--person", metavar="PERSON", help="Add it to the long-term memory of this person instead.")
@click.option("--section", type=click.Choice(_SECTIONS), help="With --person: the section; facts by default.")
@pass_frame
def remember(
    frame: Frame,
    text: tuple[str, ...],
    *,
    title: str,
    tag: str | None,
    key: str,
    person: str | None,
    section: str | None,
) -> None:
    """Add TEXT to MEMORY.md as an entry; `-` reads it from standard input.

    When the command returns, the entry is on disk.

    Example: oldsoul remember "Deploys happen on Tuesdays" --tag decision
    """
    agent = frame.agent
    words = given.text(text, 'give the text to remember, as in `oldsoul remember "Mia is the cat"`')
    if person is None:
        if section is not None:
            raise BadInput(
                "--section goes with --person, as in `oldsoul remember --person acct:42 --section goals TEXT`"
            )
        made = agent.remember(words, title=title, tag=tag or "", key=f"cli:{key}" if key else "")
    elif title or tag or key:
        raise BadInput("--title, --tag and --key are for MEMORY.md; leave them out with --person")
    else:
        made = agent.memory.promote(words, Subject(person).id, GOALS if section == "goals" else FACTS)
    value = files.remembered(made, agent.id)
    frame.close()  # an answer means that nothing is left to do
    did = "Already known" if made.repeated else "Remembered"
    place = f"{made.name.path}:{made.line}" if made.line else made.name.path
    frame.say("\n".join([f"{did}: {place} (change {made.change}, entry {made.entry})", *extras(made.outcome)]), value)


@click.command(cls=FreeTextCommand)
@click.argument("what", nargs=-1, metavar="ID|WORDS")
@click.option("--in", "file", default="", metavar="FILE", shell_complete=verbs.files, help="Search only FILE.")
@click.option("--message", type=Whole(1), metavar="NUMBER", help="Erase the text of a logged message instead.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@pass_frame
def forget(frame: Frame, what: tuple[str, ...], file: str, message: int | None, yes: bool) -> None:
    """Erase one entry for good; name it by its id, or by words in it.

    It is erased in all its versions, with what was derived from its evidence alone, the records about it, and copies of
    its whole sentences. Entries that say the same because of other evidence stay, and are listed. Undo cannot bring it
    back.

    Example: oldsoul forget "sister's address" --yes
    """
    if message is not None:
        if what or file:
            raise BadInput("name an entry, or a message with --message, not both")
        _forget_message(frame, message, yes=yes)
        return
    agent = frame.agent
    wanted = " ".join(what)
    if not wanted.strip():
        raise BadInput("name an entry by its id, or by words in it; `oldsoul search` finds it")
    if not file and any(one.id == wanted for one in agent.memory.secrets()):
        if not yes:
            frame.ask("Erase this secret for good?")
        agent.memory.forget_secret(wanted)
        frame.say(f"Erased the secret {wanted}.", {"secret": wanted})
        return
    name, entry = _only(agent, wanted, file)
    lines = entry.body.rstrip().split("\n")
    frame.note("\n".join([f"{name.path}:{entry.line + 1}  {clean(lines[0])}", *map(clean, lines[1:])]))
    told = [folded(line) for line in copies.session_statements(entry)]
    if entry.id != wanted and sum(folded(wanted) in line for line in told) < len(told):
        raise BadInput(
            f"these words are a part of that entry, which tells more; `oldsoul forget {entry.id}` erases all of it, also from "
            "the messages that said it, and `oldsoul forget --message NUMBER` erases one message"
        )
    if not yes:
        frame.ask("Erase this entry for good, from history too?")
    value = files.erased(entry.id, agent.forget(name, entry.id))
    lines = [f"Erased from {', '.join(value.files) or name.path} and from all history (change {value.change})."]
    if value.alike:
        lines.append("The same is said on other evidence by these entries; erase them too with `oldsoul forget ID`?")
        lines += [f"  {each.entry}  {each.path}  {shortened(clean(each.text), _LONGEST_SHOWN)}" for each in value.alike]
    frame.say("\n".join(lines), value)


def _forget_message(frame: Frame, number: int, *, yes: bool) -> None:
    agent = frame.agent
    message = agent.talk.message(number)
    frame.note(f"{message.session.id}, message {number}: {clean(' '.join(message.text.split()))}")
    if not yes:
        frame.ask("Erase the text of this message for good?")
    value = talk.message_erased(agent.talk.forget_message(number))
    more = "Entries made from it alone are erased too."
    frame.say(f"Erased the text of message {number}. {more}", value)


def _only(agent: Agent, wanted: str, file: str) -> tuple[Name, Entry]:
    if file:
        agent.files.show(file)
    found = agent.memory.find(wanted, file)
    if not found:
        raise NotFound(f"no entry {f'of {file} ' if file else ''}has the id or the words {wanted!r}")
    if len(found) > 1:
        listed = [
            f"  {entry.id}  {name.path}:{entry.line + 1}  {shortened(clean(entry.text), _LONGEST_SHOWN)}"
            for name, entry in found[:_MOST_LISTED]
        ]
        more = [f"  and {len(found) - _MOST_LISTED} more"] if len(found) > _MOST_LISTED else []
        head = f"{len(found)} entries have these words; name one by its id, or give more words:"
        raise BadInput("\n".join([head, *listed, *more]))
    return found[0]
