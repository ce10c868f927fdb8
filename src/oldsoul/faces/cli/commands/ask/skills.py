"""`skills`: which skills an agent is offered, where they come from, and why others are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from oldsoul.app.prompts.skills import skills_of, skills_section
from oldsoul.faces.cli import given
from oldsoul.faces.cli.output import clean, counted, table
from oldsoul.faces.cli.verbs import Verb, pass_frame
from oldsoul.views import asking as views

if TYPE_CHECKING:
    from oldsoul.context.skills import Offered
    from oldsoul.faces.cli.frame import Frame
    from oldsoul.values.skills import Skill


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
        made = skills_section(frame.agent.parts, session, tools or ("read",))
        for note in made.notes:
            frame.note(clean(note))
        frame.say(made.text, views.skills_section(made))
        return
    seen = skills_of(frame.agent.parts, session)
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
