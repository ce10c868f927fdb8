"""What an agent is made of: each part is built when it is first needed, from those it stands on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from oldsoul.app.agent_recall import AgentRecall

if TYPE_CHECKING:
    from oldsoul.app.deciding import Deciding
    from oldsoul.app.entries import Listing
    from oldsoul.app.forgetting import Forgetting
    from oldsoul.app.keepers.keeping import Keeping
    from oldsoul.app.keepers.thinking import Thinking
    from oldsoul.app.keepers.waiting import Questions
    from oldsoul.app.prompts.context import Gathering
    from oldsoul.app.prompts.prompting import Prompt
    from oldsoul.app.prompts.tools import Tool
    from oldsoul.app.remembering import Remembering
    from oldsoul.app.soul import SoulPast
    from oldsoul.app.talk.conversations import Conversations
    from oldsoul.app.talk.days import Days
    from oldsoul.app.talk.log import Log
    from oldsoul.context.prompt_facts import PromptFacts
    from oldsoul.values.audience import View
    from oldsoul.values.changes import Author
    from oldsoul.values.sessions import Session


class Parts(AgentRecall):
    """The parts of one agent. This is a lazy seam: a command loads those it uses."""

    @cached_property
    def log(self) -> Log:
        """What was said to it."""
        from oldsoul.app.talk.log import Log  # noqa: PLC0415 - a lazy seam

        return Log(self)

    @cached_property
    def questions(self) -> Questions:
        """What its keepers want to know, as it is stored."""
        from oldsoul.app.keepers.waiting import Questions  # noqa: PLC0415 - a lazy seam

        return Questions(self)

    @cached_property
    def days(self) -> Days:
        """Its diary."""
        from oldsoul.app.talk.days import Days  # noqa: PLC0415 - a lazy seam

        return Days(self, self.questions)

    @cached_property
    def keeping(self) -> Keeping:
        """Its keepers."""
        from oldsoul.app.keepers.keeping import Keeping  # noqa: PLC0415 - a lazy seam

        return Keeping.of(self, self.log, self.days, self.questions)

    @cached_property
    def talk(self) -> Conversations:
        """What becomes of what is said to it."""
        from oldsoul.app.talk.conversations import Conversations  # noqa: PLC0415 - a lazy seam

        return Conversations(self.keeping)

    @cached_property
    def thinking(self) -> Thinking:
        """Gives its keepers' questions out, and takes answers."""
        from oldsoul.app.keepers.thinking import Thinking  # noqa: PLC0415 - a lazy seam

        return Thinking(self.keeping, self.talk)

    @cached_property
    def past(self) -> SoulPast:
        """Its soul through time."""
        from oldsoul.app.soul import SoulPast  # noqa: PLC0415 - a lazy seam

        return SoulPast(self)

    def remembering(self, author: Author) -> Remembering:
        """Writes down what an author wants to be remembered."""
        from oldsoul.app.remembering import Remembering  # noqa: PLC0415 - a lazy seam

        return Remembering(self, author)

    def deciding(self, author: Author) -> Deciding:
        """What an author decides."""
        from oldsoul.app.deciding import Deciding  # noqa: PLC0415 - a lazy seam

        return Deciding(self, author)

    def forgetting(self, author: Author) -> Forgetting:
        """What an author wants to be nowhere any more."""
        from oldsoul.app.forgetting import Forgetting  # noqa: PLC0415 - a lazy seam

        return Forgetting(self, self.log, author)

    def entries(self, view: View | None) -> Listing:
        """Its entries as a view sees them."""
        from oldsoul.app.entries import Listing  # noqa: PLC0415 - a lazy seam

        return Listing(self, view)

    def gathering(self, session: Session, message: str) -> Gathering:
        """One context, ready to be gathered."""
        from oldsoul.app.prompts.context import Gathering  # noqa: PLC0415 - a lazy seam

        return Gathering(self, session, message)

    def prompt(self, message: str, session: Session, facts: PromptFacts | None) -> Prompt:
        """What a model gets for a message."""
        from oldsoul.app.prompts.toolbox import prompted  # noqa: PLC0415 - a lazy seam

        return prompted(self, self.questions, message, session, facts)

    def tools(self) -> list[Tool]:
        """The tools it has."""
        from oldsoul.app.prompts.toolbox import toolbox  # noqa: PLC0415 - a lazy seam

        return toolbox(self, self.questions)

    def get(self, path: str, session: Session, first: int | None, lines: int | None) -> dict[str, Any]:
        """A piece of a document or a conversation."""
        from oldsoul.app.prompts.tools import memory_get  # noqa: PLC0415 - a lazy seam

        return memory_get(self, session, path, first, lines)
