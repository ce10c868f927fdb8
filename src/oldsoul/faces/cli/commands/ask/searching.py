"""`search` and `get`: what memory has to say to a question, and a piece of it, as any session would see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from oldsoul.errors import BadInput
from oldsoul.faces.cli import completing, given
from oldsoul.faces.cli.output import clean, counted, is_terminal, styled, table, to_stdout
from oldsoul.faces.cli.verbs import Telling, Verb, pass_frame
from oldsoul.language.headings import place
from oldsoul.language.words import is_unspaced
from oldsoul.ranking.terms import STOPWORDS, terms
from oldsoul.reading.moments import moment, span
from oldsoul.values.ids import checked_id
from oldsoul.values.recall import asked
from oldsoul.views import asking as views

if TYPE_CHECKING:
    from oldsoul.app import Agent, Session
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.recall import Hit

_TAGS = ("decision", "event", "knowledge", "skill", "correction")
_SOURCES = ("memory", "sessions", "extra")
_WHO = "Through whose eyes: dm, dm:PERSON, group:ROOM or cron; yours if not given."
_SAID = {
    "found": "Found:",
    "unsure": "Not sure. This comes nearest:",
    "unknown": "Probably not in memory. This comes nearest:",
    "conflicting": "Memories disagree:",
}
_RUN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@click.command(cls=Telling)
@click.argument("query", nargs=-1, required=True)
@click.option("--as", "who", metavar="SESSION", default="dm", help=_WHO)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="How many; as settings say if not given.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Leave out what has a lower score.")
@click.option("--source", type=click.Choice(_SOURCES), help="Only memory files, conversations or extra paths.")
@click.option("--since", metavar="TIME", help="Not older than a time, or than the first moment of a day.")
@click.option("--until", metavar="TIME", help="Older than a time, or than the end of a day.")
@click.option("--on", metavar="TIME", help="As if it were asked then: `last week` counts from it.")
@click.option("--tag", type=click.Choice(_TAGS), help="Only entries with this tag.")
@click.option("--room", metavar="ID", help="Only what belongs to one room.")
@click.option("--person", metavar="PERSON", help="Only what belongs to one person, or was said by them.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@pass_frame
def search(
    frame: Frame,
    query: tuple[str, ...],
    *,
    who: str,
    limit: int | None,
    min_score: float | None,
    source: str | None,
    since: str | None,
    until: str | None,
    on: str | None,
    tag: str | None,
    room: str | None,
    person: str | None,
    explain: bool,
) -> None:
    """Ask memory a question, or look for some words; `-` reads them from standard input.

    Files and conversations are searched by words and by meaning. That nothing is found is no error.
    """
    agent = frame.agent
    first, end = span(since, until, agent.parts.zone)
    question = asked(given.text(query, "ask something: a question, or some words to look for"))
    found = agent.recall(
        question,
        session=given.viewer(agent, who),
        limit=limit,
        minimum=min_score,
        asked=moment(on, agent.parts.zone) if on is not None else None,
        sources=(source,) if source else (),
        since=first,
        until=end,
        tag=tag or "",
        room=checked_id(room, "room") if room is not None else "",
        person=agent.parts.log.person(person) if person is not None else "",
    )
    for note in found.notes:
        frame.note(clean(note))
    marked = _Marked(question)
    lines = [_SAID.get(found.answer, found.answer)] if found.hits else ["Nothing found."]
    for hit in found.hits:
        lines += ["", *_lines(agent, hit, marked)]
        if explain:
            lines.append(_parts(hit))
    frame.say("\n".join(lines), views.recalled(found, agent.parts.zone, explain=explain))


def _lines(agent: Agent, hit: Hit, marked: _Marked) -> list[str]:
    chunk = hit.chunk
    last = f"-{chunk.end_line}" if chunk.end_line > chunk.start_line else ""
    where = styled(f"{clean(chunk.path)}:{chunk.start_line}{last}", "cyan")
    day = chunk.day(agent.parts.zone) or ""
    facts = [
        f"{hit.score:.2f}",
        f"{day} (earlier)".strip() if hit.earlier else day,
        clean(chunk.speaker or place(chunk.title, chunk.heading)),
    ]
    head = "  ".join([where, *(styled(fact, "dim") for fact in facts if fact)])
    return [head, *(f"  {marked(clean(line))}" for line in chunk.text.split("\n") if line.strip())]


def _parts(hit: Hit) -> str:
    rows = [(part, f"{value:+.3f}") for part, value in hit.why.items()]
    lines = [*table(("PART", "ADDS"), rows).split("\n"), _sum(hit)]
    return "\n".join(f"    {line}" for line in lines)


def _sum(hit: Hit) -> str:
    """What the parts add up to, and what that is of the most there can be; a score that was cut off does not tell."""
    total = sum(hit.why.values())
    if not 0 < hit.score < 1:
        return f"They sum to {total:.3f}."
    return f"They sum to {total:.3f}, of {total / hit.score:.2f} at most: a score of {hit.score:.2f}."


class _Marked:
    """Puts the words of a question that a text has in colour, for people."""

    def __init__(self, question: str) -> None:
        words = [word for word in _RUN.findall(question) if word.casefold() not in STOPWORDS]
        self._wanted = {term for word in words for term in terms(word)}
        self._plain = styled("x", "bold") == "x"

    def __call__(self, text: str) -> str:
        return text if self._plain else _RUN.sub(lambda found: self._run(found[0]), text)

    def _run(self, run: str) -> str:
        """A word is marked whole; where words are not spaced, the pairs of characters that are asked for."""
        if not any(is_unspaced(char) for char in run):
            return self._coloured(run) if self._wanted.intersection(terms(run)) else run
        pairs = {term for term in self._wanted if len(term) > 1}
        inside = [False] * len(run)
        for at in range(len(run) - 1):
            if run[at : at + 2] in pairs:
                inside[at : at + 2] = [True, True]
        return "".join(self._coloured(char) if mark else char for char, mark in zip(run, inside, strict=True))

    def _coloured(self, text: str) -> str:
        return styled(text, "bold", "yellow")


@click.command(cls=Verb)
@click.argument("path", shell_complete=completing.files)
@click.option("--from", "first", type=click.IntRange(min=1), metavar="N", help="From this line, or this message, on.")
@click.option("--lines", "count", type=click.IntRange(1, 2000), metavar="N", help="How many; 200 if not given.")
@click.option("--as", "who", metavar="SESSION", default="dm", help=_WHO)
@pass_frame
def get(frame: Frame, path: str, first: int | None, count: int | None, who: str) -> None:
    """Print a piece of a memory file, or of a conversation (chat/…), as `search` names it.

    Bookkeeping is left out. Lines that may not be seen are empty, so that the others keep their numbers.
    """
    agent = frame.agent
    session = given.viewer(agent, who)
    found = agent.get(path, session=session, first=first, lines=count)
    if first and first > 1 and not found["lines"]:
        raise BadInput(f"{path} has {counted(_lines_of(agent, session, path), 'line')}; --from {first} is beyond them")
    if frame.wants_json:
        frame.say("", found)
        return
    lines = str(found["text"]).split("\n")
    to_stdout("\n".join(clean(line) for line in lines) if is_terminal() else str(found["text"]))
    if "next" in found:
        frame.note(f"There is more: --from {found['next']}")


def _lines_of(agent: Agent, session: Session, path: str) -> int:
    """How many lines of a file a session may know of."""
    total, following = 0, 1
    while following:
        piece = agent.get(path, session=session, first=following)
        total, following = total + piece["lines"], piece.get("next", 0)
    return total
