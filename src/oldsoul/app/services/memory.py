"""Memory: the entries of one agent, what was corrected in them, and what a session may read of them."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from oldsoul.app.keepers.correction_checks import Checked
from oldsoul.app.memory_requests import Remembered, new_key
from oldsoul.app.services.rights import Service, needs
from oldsoul.app.talk.kept_secrets import KeptSecret, KeptSecrets
from oldsoul.documents import parse
from oldsoul.errors import BadInput, NotFound
from oldsoul.judging.corrections.corrections import Correction
from oldsoul.lazy import lazy
from oldsoul.ledger import Outcome
from oldsoul.values.audience import Audience
from oldsoul.values.callers import CallerRole, Right
from oldsoul.values.changes import ChangeSet, Replace
from oldsoul.values.names import Name
from oldsoul.values.recall import FILE, Entries, EntryPast, WantedEntries
from oldsoul.values.sessions import Session, Subject
from oldsoul.workspace import checked

if TYPE_CHECKING:
    from oldsoul.app.keepers import correction_checks
    from oldsoul.documents import Entry
else:
    (correction_checks,) = lazy("oldsoul.app.keepers", "correction_checks")


class Memory(Service):
    """The entries of one agent's memory."""

    @needs(Right.SEE)
    def entries(
        self,
        path: str = "",
        *,
        session: Session | None = None,
        tag: str = "",
        words: str = "",
        confidence: float = 0.0,
        at_most: float = 1.0,
        audience: Audience | str | None = None,
        since: date | None = None,
        until: date | None = None,
        order: str = FILE,
        descending: bool = False,
        offset: int = 0,
        limit: int = 100,
    ) -> Entries:
        """Return the entries that a session may see, one page at a time.

        Args:
            path: only this file. Default: all memory files.
            session: read as this session. Default: the caller's; an operator who names none sees everything.
            tag: only entries with this tag.
            words: only entries that contain all of these words.
            confidence: only entries with at least this confidence today.
            at_most: only entries with at most this confidence today.
            audience: only entries for this audience: `public`, `owner`, `room:<id>` or `person:<id>`.
            since: only entries last mentioned on or after this day; entries without a date are left out.
            until: only entries last mentioned on or before this day; entries without a date are left out.
            order: `file` (by file and line), `added`, `seen` (by day) or `confidence`.
            descending: the newest or the surest first. Entries without a date come last.
            offset: how many entries to skip.
            limit: the largest number of entries to return.
        """
        eyes = session or self._caller.session
        if eyes is None and self._caller.role is not CallerRole.OPERATOR:
            raise BadInput("give the session to read as: session=…")
        whom = Audience.parse(audience) if isinstance(audience, str) else audience
        wanted = WantedEntries(path, tag, words, confidence, whom, since, until, at_most, order, descending)
        view = self._parts.home.people.view(eyes, self._parts.id) if eyes else None
        return self._parts.entries(view).page(wanted, offset, limit)

    @needs(Right.INSPECT)
    def entry(self, path: str, entry: str) -> EntryPast:
        """Return one entry of a file with its changes, the newest first; `NotFound` when there is none."""
        return self._parts.entries(None).past(self._parts.name(path), entry)

    @needs(Right.INSPECT)
    def find(self, wanted: str, path: str = "") -> list[tuple[Name, Entry]]:
        """Return the entries with this id, or with these whole words: in one file, or in all of the agent's."""
        return self._parts.find(wanted, path)

    @needs(Right.DECIDE)
    def promote(self, text: str, subject: Subject | str, section: str = "Key Facts") -> Remembered:
        """Add an entry to a person's long-term memory, as the operator. It is durable when this returns.

        Args:
            text: what to remember.
            subject: the person, such as `acct:42`.
            section: the heading to put it under.
        """
        person = Subject(subject) if isinstance(subject, str) else subject
        return self._parts.remembering(self._author).promote(text, person, section)

    @needs(Right.DECIDE)
    def edit(
        self, path: str, entry: str, text: str, *, base: str | None = None, reason: str = "edited by the operator"
    ) -> Outcome:
        """Give an entry other words, as the operator. Its date and its tag stay, and so do the lines below it.

        Args:
            path: the file; logs cannot be edited.
            entry: the id of the entry; `NotFound` when there is none.
            text: the new words of its first line. A date or tag at their end replaces those of the entry.
            base: if given, raise `Conflict` unless this is the current version of the file.
            reason: why, for the history.
        """
        name = checked(self._parts.name(path))
        if name.is_log:
            raise BadInput(f"{name.path} is a log, whose entries are not edited; correct what is wrong instead")
        found = next((e for e in parse(self._parts.read(name).data or b"").entries if e.id == entry), None)
        if found is None:
            raise NotFound(f"there is no entry {entry} in {name.path}")
        (given,) = parse(f"- {' '.join(text.split())}".encode("utf-8", "replace")).entries[:1] or (found,)
        whole = text if given.ending else f"{' '.join(text.split())}{found.ending}"
        made = ChangeSet((Replace(name, entry, whole),), self._author, reason, new_key())
        return self._parts.home.ledger.apply(made, bases={} if base is None else {name: base})

    # corrections

    @needs(Right.INSPECT)
    def corrections(self) -> list[Correction]:
        """Return the corrections that stand, archived ones included."""
        return correction_checks.standing(self._parts)

    @needs(Right.INSPECT)
    def check_corrections(self) -> list[Checked]:
        """Ask memory for each correction that stands, and return what it says and which do not hold."""
        return correction_checks.checked(self._parts)

    @needs(Right.DECIDE)
    def withdraw(self, correction: str) -> list[Outcome]:
        """Take a correction back, with everything it changed, by its id in CORRECTIONS.md. Raises `NotFound`."""
        made = correction_checks.changes_of(self._parts, correction)
        if not made:
            raise NotFound(f"there is no correction {correction!r}; `oldsoul correct` lists the corrections")
        return [self._parts.home.ledger.undo(change.id, self._author) for change in made]

    # secrets

    @needs(Right.DECIDE)
    def secrets(self) -> list[KeptSecret]:
        """Return what the operator asked to be kept as a secret, the oldest first."""
        return KeptSecrets(self._parts).all()

    @needs(Right.DECIDE)
    def forget_secret(self, secret: str) -> None:
        """Erase a secret for good, by its id; `NotFound` when there is none."""
        KeptSecrets(self._parts).forget(secret, self._author)

    # reading

    @needs(Right.SEE)
    def get(self, path: str, *, session: Session, first: int | None = None, lines: int | None = None) -> dict[str, Any]:
        """Return part of a file or a conversation, as this session may see it; `NotFound` when there is nothing to see.

        Args:
            path: a memory file, or `chat/<session>`.
            session: the session to read as.
            first: the first line, from 1, or the number of the first message.
            lines: how many lines or messages.

        Returns:
            `path`, `text`, `from`, `lines`, and `next` when there is more.
        """
        return self._parts.get(path, session, first, lines)

    @needs(Right.SEE)
    def readable(self, *, session: Session) -> list[str]:
        """Return the paths of the files that `get` can read as this session, shared ones after the agent's own."""
        return self._parts.readable(session)

    @needs(Right.SEE)
    def load_workspace_memory(self, room_id: str = "", *, is_dm: bool = False, session: Session | None = None) -> str:
        """Return memory as text to put before a message: for a session, else the operator (`is_dm`), or a room."""
        operator = self._parts.home.people.operators[0]
        wanted = session or (Session.dm(operator) if is_dm else Session.group(room_id))
        self._check(Right.SEE, wanted, "memory.load_workspace_memory")
        return self._parts.gathering(wanted, "").context().block.strip("\n")

    @needs(Right.SEE)
    def load_room_context(self, room_id: str) -> str:
        """Return the text of a room's file, as people in the room may see it; empty when there is none."""
        room = Session.group(room_id)
        self._check(Right.SEE, room, "memory.load_room_context")
        return self._parts.gathering(room, "").room()
