"""What an agent is made of: each part is built when it is first needed, from those it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oldsoul.app.agent_workspace import AgentWorkspace
from oldsoul.lazy import lazy
from oldsoul.values.audience import View
from oldsoul.values.callers import Caller
from oldsoul.values.changes import Author
from oldsoul.values.messages import Said
from oldsoul.values.models import Supplied
from oldsoul.values.sessions import Session

if TYPE_CHECKING:
    from oldsoul.app import entries, forgetting, memory_requests
    from oldsoul.app.entries import Listing
    from oldsoul.app.forgetting import Forgetting
    from oldsoul.app.keepers import answers, open_questions, runs
    from oldsoul.app.keepers.answers import KeeperAnswers
    from oldsoul.app.keepers.open_questions import Questions
    from oldsoul.app.keepers.runs import KeeperRuns
    from oldsoul.app.memory_requests import MemoryWriter
    from oldsoul.app.prompts import context, toolbox, tools
    from oldsoul.app.prompts.context import Gathering
    from oldsoul.app.prompts.prompt import Prompt
    from oldsoul.app.prompts.tools import Letting, Tool
    from oldsoul.app.replying import exchange, replies
    from oldsoul.app.replying.exchange import Exchange
    from oldsoul.app.replying.replies import Replies
    from oldsoul.app.talk import conversations, days, log
    from oldsoul.app.talk.conversations import Conversations
    from oldsoul.app.talk.days import Calendar, Days
    from oldsoul.app.talk.log import Log
    from oldsoul.context.prompt_facts import PromptFacts
else:
    entries, forgetting = lazy("oldsoul.app", "entries", "forgetting")
    (memory_requests,) = lazy("oldsoul.app", "memory_requests")
    runs, answers, open_questions = lazy("oldsoul.app.keepers", "runs", "answers", "open_questions")
    context, toolbox, tools = lazy("oldsoul.app.prompts", "context", "toolbox", "tools")
    exchange, replies = lazy("oldsoul.app.replying", "exchange", "replies")
    conversations, days, log = lazy("oldsoul.app.talk", "conversations", "days", "log")


class AgentServices(AgentWorkspace):
    """The parts of one agent. This is a lazy seam: a command loads those it uses."""

    @cached_property
    def log(self) -> Log:
        """What was said to it."""
        return log.Log(self)

    @cached_property
    def questions(self) -> Questions:
        """What its keepers want to know, as it is stored."""
        return open_questions.Questions(self)

    @cached_property
    def days(self) -> Days:
        """Its diary."""
        return days.Days(self, self.questions)

    @cached_property
    def calendar(self) -> Calendar:
        """Its days in numbers, and one by one."""
        return days.Calendar(self, self.days)

    @cached_property
    def keeping(self) -> KeeperRuns:
        """Its keepers."""
        return runs.KeeperRuns.of(self, self.log, self.days, self.questions)

    @cached_property
    def talk(self) -> Conversations:
        """What becomes of what is said to it."""
        return conversations.Conversations(self.keeping)

    @cached_property
    def thinking(self) -> KeeperAnswers:
        """Gives its keepers' questions out, and takes answers."""
        return answers.KeeperAnswers(self.keeping, self.talk)

    def remembering(self, author: Author) -> MemoryWriter:
        """Writes down what an author wants to be remembered."""
        return memory_requests.MemoryWriter(self, author)

    def forgetting(self, author: Author) -> Forgetting:
        """What an author wants to be nowhere any more."""
        return forgetting.Forgetting(self, self.log, author)

    def entries(self, view: View | None) -> Listing:
        """Its entries as a view sees them."""
        return entries.Listing(self, view)

    def gathering(self, session: Session, message: str) -> Gathering:
        """One context, ready to be gathered."""
        return context.Gathering(self, session, message)

    def prompt(self, message: str, session: Session, facts: PromptFacts | None, since: int = 0) -> Prompt:
        """What a model gets for a message; not again what it is told as turns, the session's messages from a number on."""
        return toolbox.prompted(self, self.questions, message, (session, since), facts)

    def exchange(
        self,
        said: Said,
        facts: PromptFacts | None,
        *,
        keep: bool,
        members: Sequence[AgentServices] = (),
        supplied: Supplied | None = None,
    ) -> Exchange:
        """A message, logged, and what is known for its reply; a team's goes to its members too."""
        return exchange.Exchange(self, said, facts, keep=keep, members=members, supplied=supplied)

    def replies(self, acting: Letting, told: Caller, more: Sequence[Tool] = ()) -> Replies:
        """Its replies, with further tools; somebody acts for it when tools are called, and a caller sees the results."""
        return replies.Replies(self, acting, told, [*self.tools(), *more])

    def tools(self) -> list[Tool]:
        """The tools it has."""
        return toolbox.toolbox(self, self.questions)

    def readable(self, session: Session) -> list[str]:
        """The paths of the documents that `get` gives something of."""
        return tools.readable(self, session)

    def get(self, path: str, session: Session, first: int | None, lines: int | None) -> dict[str, Any]:
        """A piece of a document or a conversation."""
        return tools.memory_get(self, session, path, first, lines)
