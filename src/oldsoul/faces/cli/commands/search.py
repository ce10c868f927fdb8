"""`search`: what memory answers to a question, as any session would see it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from oldsoul.faces.cli import given
from oldsoul.faces.cli.output import clean, counted, styled, table
from oldsoul.faces.cli.verbs import FreeTextCommand, Verb, Whole, pass_frame
from oldsoul.language.headings import place
from oldsoul.language.words import is_unspaced
from oldsoul.ranking.terms import STOPWORDS, terms
from oldsoul.reading.dates import moment
from oldsoul.values.ids import checked_id
from oldsoul.values.recall import PARTS, asked
from oldsoul.views import recall as views

if TYPE_CHECKING:
    from oldsoul.app import Agent
    from oldsoul.context.skills import Offered
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.recall import Hit
    from oldsoul.values.skills import Skill


_TAGS = ("decision", "event", "knowledge", "skill", "correction")
_SOURCES = ("memory", "sessions", "extra")
_SAID = {
    "found": "Found:",
    "unsure": "Not sure. The nearest results:",
    "unknown": "Probably not in memory. The nearest results:",
    "conflicting": "Memories disagree:",
}
_RUN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@click.command(cls=FreeTextCommand)
@click.argument("query", nargs=-1, required=True)
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"For which session. {given.SESSIONS}")
@click.option("-n", "--limit", type=Whole(1, 1000), help="How many results; see memory.search.query.max_results.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Leave out results with a lower score.")
@click.option("--source", type=click.Choice(_SOURCES), help="Only memory files, conversations, or extra paths.")
@click.option("--since", metavar="TIME", help=given.SINCE)
@click.option("--until", metavar="TIME", help=given.UNTIL)
@click.option("--on", metavar="TIME", help="When the question is asked, if not now: `last week` counts from here.")
@click.option("--tag", type=click.Choice(_TAGS), help="Only entries with this tag.")
@click.option("--room", metavar="ID", help="Only what belongs to this room.")
@click.option("--person", metavar="PERSON", help="Only what is about this person, or was said by them.")
@click.option("--explain", is_flag=True, help="Show how each score was computed.")
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
    """Ask memory a question, or search for words; `-` reads them from standard input.

    Files and conversations are searched by words and by meaning. When nothing is found, the exit code is still 0.

    Example: oldsoul search "what did Ben say about Fridays?" --as group:dev
    """
    agent = frame.agent
    first, end = given.span(agent, since, until)
    question = asked(given.text(query, "give a question, or some words to search for"))
    found = agent.recall(
        question,
        session=given.viewer(agent, who),
        limit=limit,
        minimum=min_score,
        asked=moment(on, agent.zone) if on is not None else None,
        sources=(source,) if source else (),
        since=first,
        until=end,
        tag=tag or "",
        room=checked_id(room, "room") if room is not None else "",
        person=agent.talk.person(person) if person is not None else "",
    )
    for note in found.notes:
        frame.note(clean(note))
    marked = _Marked(question)
    lines = [_SAID.get(found.answer, found.answer)] if found.hits else ["Nothing found."]
    for hit in found.hits:
        lines += ["", *_lines(agent, hit, marked)]
        if explain:
            lines.append(_parts(hit))
    frame.say("\n".join(lines), views.recalled(found, agent.zone, explain=explain))


def _lines(agent: Agent, hit: Hit, marked: _Marked) -> list[str]:
    chunk = hit.chunk
    last = f"-{chunk.end_line}" if chunk.end_line > chunk.start_line else ""
    where = styled(f"{clean(chunk.path)}:{chunk.start_line}{last}", "cyan")
    day = chunk.day(agent.zone) or ""
    facts = [
        f"{hit.score:.2f}",
        f"{day} (earlier)".strip() if hit.earlier else day,
        clean(chunk.speaker or place(chunk.title, chunk.heading)),
    ]
    head = "  ".join([where, *(styled(fact, "dim") for fact in facts if fact)])
    return [head, *(f"  {marked(clean(line))}" for line in chunk.text.split("\n") if line.strip())]


def _parts(hit: Hit) -> str:
    rows = [(PARTS[part], f"{value:+.3f}") for part, value in hit.why.items()]
    lines = [*table(("PART", "ADDS"), rows).split("\n"), _sum(hit)]
    return "\n".join(f"    {line}" for line in lines)


def _sum(hit: Hit) -> str:
    """What the parts add up to, and what that is of the most there can be; a score that was cut off does not tell."""
    total = sum(hit.why.values())
    if not 0 < hit.score < 1:
        return f"Sum: {total:.3f}."
    return f"Sum: {total:.3f} of at most {total / hit.score:.2f}, so the score is {hit.score:.2f}."


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
@click.option("--as", "who", metavar="SESSION", default="dm", help=f"For which session. {given.SESSIONS}")
@click.option("--section", is_flag=True, help="Print the prompt's section about skills.")
@click.option(
    "--tool", "tools", metavar="NAME", multiple=True, help="With --section: a tool the agent has; `read` by default."
)
@pass_frame
def skills(frame: Frame, who: str, section: bool, tools: tuple[str, ...]) -> None:
    """List the skills, and why some are not offered to the agent.

    A skill is a folder with a SKILL.md: in the workspace, in a folder named in settings, or shipped with Oldsoul.
    """
    session = given.viewer(frame.agent, who)
    if section:
        made = frame.agent.skills_section(tools or ("read",), session=session)
        for note in made.notes:
            frame.note(clean(note))
        frame.say(made.text, views.skills_section(made))
        return
    seen = frame.agent.skills(session=session)
    frame.say(_text(seen), views.skills(seen))


def _text(seen: Offered) -> str:
    rows = [(skill.name, skill.source, skill.location, "offered") for skill in seen.skills]
    rows += [(each.skill.name, each.skill.source, each.skill.location, each.why) for each in seen.left_out]
    rows += [("–", each.source, each.location, f"skipped: {each.why}") for each in seen.skipped]
    styles = [""] * len(seen.skills) + ["dim"] * len(seen.left_out) + ["yellow"] * len(seen.skipped)
    if not rows:
        return "There are no skills; put one into skills/NAME/SKILL.md in the workspace."
    lines = [table(("NAME", "SOURCE", "LOCATION", "STATE"), rows, flexible=2, styles=styles)]
    noted = [f"  {clean(skill.name)}: {clean(note)}" for skill in _all(seen) for note in skill.notes]
    if noted:
        lines += ["", f"{counted(len(noted), 'note')}:", *noted]
    return "\n".join(lines)


def _all(seen: Offered) -> list[Skill]:
    return [*seen.skills, *(each.skill for each in seen.left_out)]
