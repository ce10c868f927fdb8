"""Runs a keeper: answers its questions, with a model or by rules, and applies its changes, or only shows them."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from oldsoul.errors import BadInput, NotFound, OldsoulError, OutOfBudget, Refused, TooLarge, Unavailable
from oldsoul.keepers.questions import Ask, Find, Findings, Keeper, Listed, Match, Messages, Question, Read, Reused
from oldsoul.language.words import Likeness
from oldsoul.ledger import ANSWER, Ledger, Outcome, Plan, Stores
from oldsoul.ports import Accountable, Model, UseLog
from oldsoul.rules.merge.lines import diff
from oldsoul.values.audience import Audience
from oldsoul.values.changes import Add, Author, ChangeSet, Replace, Role
from oldsoul.values.frozen import frozen
from oldsoul.values.history import Record
from oldsoul.values.messages import Message, Wanted
from oldsoul.values.names import Kind, Name

_ATTEMPTS = 3
_LASTING = (Kind.LONGTERM, Kind.PROFILE, Kind.MEMORY, Kind.USER, Kind.ROOM)
"""Where things are kept for long."""


@frozen
class Run:
    """One run of one keeper."""

    workspace: str
    """the agent whose memory it works on"""
    keeper: str
    """the keeper's name"""
    key: str
    """the event that caused it; the same run, started again, has the same key"""


@frozen
class PendingQuestion:
    """A question that nobody has answered yet."""

    id: str
    """what tells it from others: of the run, and of all that is asked, so that other evidence makes another question"""
    run: Run
    """the run that waits for it"""
    ask: Ask
    """the question"""


@frozen
class WaitPolicy:
    """What a run does where no model answers: rules do the work at once, or its questions wait, and the run with them."""

    waits: bool = False
    """whether they wait"""
    answers: Mapping[str, str] = field(default_factory=dict)
    """answers that somebody gave, by the ids of their questions"""
    held: frozenset[Audience] = frozenset()
    """whose earlier questions wait: a run that asks before one of these, or nobody, is not made before them"""


@frozen
class RunStep:
    """One change that a keeper wanted, and what was done about it."""

    change_set: ChangeSet
    """the change it wanted"""
    outcome: Outcome | None = None
    """the result, if it was applied or proposed"""
    plan: Plan | None = None
    """in a dry run, what would be done"""
    problem: str = ""
    """why it was not done"""

    @property
    def files(self) -> list[str]:
        """The files it changed, or would change."""
        if self.outcome is not None and self.outcome.change is not None:
            return [effect.name.path for effect in self.outcome.change.effects]
        names = self.plan.after if self.plan is not None else self.change_set.names
        return [name.path for name in sorted(names)]

    @property
    def promoted(self) -> list[tuple[Name, str]]:
        """The entries it adds to lasting memory, each with its text."""
        made = [operation for operation in self.change_set.operations if isinstance(operation, Add | Replace)]
        return [(one.name, one.text) for one in made if one.name.kind in _LASTING]

    @property
    def difference(self) -> str:
        """In a dry run, what it would change, as a diff."""
        if self.plan is None:
            return ""
        before, after = self.plan.before, self.plan.after
        parts = (diff(before[name] or b"", data or b"", name.path) for name, data in sorted(after.items()))
        return "\n".join(part for part in parts if part)


@frozen
class Report:
    """The result of one run of a keeper."""

    run: Run
    """which run: its agent, keeper and event"""
    steps: tuple[RunStep, ...]
    """its changes, in order"""
    notes: tuple[str, ...] = ()
    """notes for people"""
    done: bool = True
    """whether the run is finished; if not, start it again"""
    asked: int = 0
    """how many questions went to the model"""
    tokens_in: int = 0
    """how many tokens were sent"""
    tokens_out: int = 0
    """how many came back"""
    cost: float = 0.0
    """what it cost, in the currency of the prices; 0 when unknown"""
    facts: Mapping[str, str] = field(default_factory=dict)
    """figures of the run"""
    waiting: tuple[PendingQuestion, ...] = ()
    """the questions it waits for"""
    taken: tuple[str, ...] = ()
    """the questions whose answers it used"""

    def __repr__(self) -> str:
        return (
            f"<Report {self.run.workspace} {self.run.keeper}, changes: {self.changes}, problems: {len(self.problems)}>"
        )

    @property
    def changes(self) -> int:
        """How many of its changes were made or proposed."""
        return sum(step.outcome is not None for step in self.steps)

    @property
    def problems(self) -> list[str]:
        """What was not done, and why."""
        return [step.problem for step in self.steps if step.problem]


def conducted(keeper: Keeper, answer: Callable[[Question], Any]) -> Findings:
    """What a keeper comes to when its questions are answered like this."""
    try:
        question = next(keeper)
        while True:
            question = keeper.send(answer(question))
    except StopIteration as stop:
        findings: Findings = stop.value
        return findings


class Driver:
    """Runs keepers on one home."""

    def __init__(
        self,
        ledger: Ledger,
        store: Stores,
        usage: Callable[[], UseLog],
        model: Model | None,
        *,
        chat: Callable[[str, Wanted], Sequence[Message]] = lambda _workspace, _wanted: (),
        retries: int = 2,
        alike: Callable[[Sequence[tuple[str, str]]], Sequence[float] | None] = lambda _: None,
    ) -> None:
        self.ledger = ledger
        self.store = store
        self.usage = usage
        self.model = model
        self.chat = chat
        """what was said to an agent"""
        self.retries = retries
        self.alike = alike
        """how alike pairs of texts are by their vectors; None where there are none"""

    def run(
        self,
        run: Run,
        work: Callable[[], Keeper],
        *,
        opening: Sequence[Record] = (),
        closing: Callable[[], Sequence[Record]] = tuple,
        objection: Callable[[ChangeSet], str] = lambda _: "",
        wait_policy: WaitPolicy = WaitPolicy(),  # noqa: B008 - a frozen value
    ) -> Report:
        """Do what the keeper wants. Some records are kept with its first change, some say that the run is over.

        Where documents moved on while it worked, it works again on the current ones. A change that somebody
        objects to is refused. Once the model's budget is spent the run stops, and goes on when it is started again; so
        does one whose questions wait. `BadInput` when an answer that somebody gave cannot be used.
        """
        author = Author(Role.KEEPER, run.keeper)
        for attempt in range(1, _ATTEMPTS + 1):
            asking = _Asking(self, run, remember=True, wait_policy=wait_policy)
            try:
                findings = conducted(work(), asking.answer)
            except OutOfBudget as error:
                return asking.report(Findings(notes=(f"stopped: {error}",)), (), done=False)
            if asking.waiting:
                note = f"stopped: {len(asking.waiting)} of its questions wait for an agent to answer them"
                return asking.report(Findings(notes=(note,)), (), done=False)
            if wait_policy.held and (not asking.audiences or asking.audiences & wait_policy.held):
                return asking.report(Findings(), (), done=False)
            steps = [
                self._applied(change_set, () if n else opening, objection) for n, change_set in enumerate(findings.sets)
            ]
            if attempt == _ATTEMPTS or not any(step.problem.startswith("outdated: ") for step in steps):
                break
        done = not any(step.problem and not step.problem.startswith("refused: ") for step in steps)
        if done:
            self.ledger.note(run.workspace, author, f"{run.keeper} finished", f"{run.key}:done", closing())
            answers = [Record(ANSWER, key, None) for key in self._answers(run)]
            if answers:  # by its own key: the same run may be over twice
                self.ledger.note(
                    run.workspace, author, "answers used by this run deleted", f"used:{uuid.uuid4().hex}", answers
                )
        return asking.report(findings, steps, done=done)

    def dry_run(self, run: Run, work: Callable[[], Keeper]) -> Report:
        """Show what the keeper wants, and write nothing."""
        asking = _Asking(self, run, remember=False, wait_policy=WaitPolicy())
        try:
            findings = conducted(work(), asking.answer)
        except OutOfBudget as error:
            findings = Findings(notes=(f"stopped: {error}",))
        return asking.report(findings, [self._tried(change_set) for change_set in findings.sets], done=False)

    def _applied(
        self, change_set: ChangeSet, records: Sequence[Record], objection: Callable[[ChangeSet], str]
    ) -> RunStep:
        problem = objection(change_set)
        if problem:
            return RunStep(change_set, problem=f"refused: {problem}")
        try:
            return RunStep(change_set, outcome=self.ledger.apply(change_set, records))
        except (Refused, TooLarge) as error:  # trying again would not help
            return RunStep(change_set, problem=f"refused: {error}")
        except NotFound as error:
            return RunStep(change_set, problem=f"outdated: {error}")
        except OldsoulError as error:
            return RunStep(change_set, problem=str(error))

    def _tried(self, change_set: ChangeSet) -> RunStep:
        try:
            return RunStep(change_set, plan=self.ledger.trial(change_set))
        except OldsoulError as error:
            return RunStep(change_set, problem=str(error))

    def _answers(self, run: Run) -> list[str]:
        return [key for key in self.store.records(run.workspace, ANSWER) if key.startswith(f"{run.key}\n")]


class _Asking:
    """The questions of one run, answered."""

    def __init__(self, driver: Driver, run: Run, *, remember: bool, wait_policy: WaitPolicy) -> None:
        self.driver = driver
        self.run = run
        self.remember = remember
        self.wait_policy = wait_policy
        self.audiences: set[Audience] = set()
        self.waiting: list[PendingQuestion] = []
        self.taken: list[str] = []
        self.notes: list[str] = []
        self.asked = self.tokens_in = self.tokens_out = 0
        self.cost = 0.0

    def answer(self, question: Question) -> Any:
        match question:
            case Read(names=names):
                return {name: self._read(name) for name in names}
            case Reused(entries=entries):
                return self.driver.usage().reuse(self.run.workspace, entries)
            case Listed(kinds=kinds):
                return tuple(name for name in self.driver.store.names(self.run.workspace) if name.kind in kinds)
            case Messages(wanted=wanted):
                return self.driver.chat(self.run.workspace, wanted)
            case Find():
                return self._find(question)
            case Ask():
                return self._ask(question)

    def _read(self, name: Name) -> bytes | None:
        """The current document; a keeper without a prompt in the workspace gets the prompt it would begin with."""
        data = self.driver.ledger.read(name).data
        return self.driver.ledger.seed(name) if data is None and name.kind is Kind.KEEPER else data

    def _find(self, find: Find) -> list[list[Match]]:
        """What says nearly the same: by vectors among those that share words, by words alone where there are none."""
        likeness = Likeness(find.among)
        near = [likeness.candidates(text) for text in find.texts]
        pairs = [(text, find.among[n]) for text, found in zip(find.texts, near, strict=True) for n, _ in found]
        scores = self.driver.alike(pairs) if pairs else None
        if scores is None:
            return [[Match(n, share) for n, share in found if share >= find.least_words] for found in near]
        every = iter(scores)
        matches = [[Match(n, next(every)) for n, _ in found] for found in near]
        return [
            sorted((m for m in some if m.score >= find.least), key=lambda m: (-m.score, m.number)) for some in matches
        ]

    def _ask(self, ask: Ask) -> Any:
        """The answer as it is remembered, as the model has it, or as somebody gave it; None where rules do the work."""
        key = f"{self.run.key}\n{_digest(ask)}"
        self.audiences.add(ask.audience)
        known = self.driver.store.record(self.run.workspace, ANSWER, key)
        if known is not None:
            return json.loads(known)
        model = self.driver.model
        if model is None:
            return self._answered(ask, key) if self.wait_policy.waits else None
        if isinstance(model, Accountable):
            model = model.on_behalf_of(self.run.keeper)
        return self._by_model(model, ask, key)

    def _answered(self, ask: Ask, key: str) -> Any:
        """What somebody answered; where nobody has, the question waits, and the keeper goes on to ask what else it would."""
        waiting = PendingQuestion(hashlib.sha256(key.encode()).hexdigest()[:16], self.run, ask)
        given = self.wait_policy.answers.get(waiting.id)
        if given is None:
            self.waiting.append(waiting)
            return None
        value = ask.taken(given)
        self.taken.append(waiting.id)
        self._keep(key, value)
        return value

    def _by_model(self, model: Model, ask: Ask, key: str) -> Any:
        for _ in range(self.driver.retries + 1):
            try:
                reply = model.answer(ask.system, ask.text, ask.schema)
            except OutOfBudget:
                raise
            except Unavailable as error:
                self.notes.append(f"the model did not answer, so rules were used instead: {error}")
                return None
            self.asked += 1
            self.tokens_in += reply.tokens_in
            self.tokens_out += reply.tokens_out
            self.cost += reply.cost
            try:
                value = ask.taken(reply.text)
            except BadInput as error:
                problem = str(error)
                continue
            self._keep(key, value)
            return value
        self.notes.append(f"the model's answer was rejected, so rules were used instead: {problem}")
        return None

    def _keep(self, key: str, value: Any) -> None:
        if self.remember:
            author = Author(Role.KEEPER, self.run.keeper)
            record = Record(ANSWER, key, json.dumps(value, ensure_ascii=False))
            why, once = f"answer to {self.run.keeper} saved", f"answer:{uuid.uuid4().hex}"
            self.driver.ledger.note(self.run.workspace, author, why, once, [record])

    def report(self, findings: Findings, steps: Sequence[RunStep], *, done: bool) -> Report:
        return Report(
            self.run,
            tuple(steps),
            (*findings.notes, *self.notes),
            done,
            self.asked,
            self.tokens_in,
            self.tokens_out,
            self.cost,
            findings.facts,
            tuple(self.waiting),
            tuple(self.taken),
        )


def _digest(ask: Ask) -> str:
    whole = json.dumps([ask.system, ask.text, ask.schema, str(ask.audience)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
