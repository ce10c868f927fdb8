"""Telling the operator of growth: after a run that changed or proposed something, and never at the run's cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.test_soul import CORRECTION, OPERATOR, SOUL, corrected, home
from oldsoul.adapters.notify import Command, Mail, Webhook
from oldsoul.errors import Unavailable
from oldsoul.settings import load
from oldsoul.values.messages import Wanted
from oldsoul.wiring.around import channel

if TYPE_CHECKING:
    from oldsoul.values.history import Digest
    from talk_bench import Talk


class Told:
    """A channel that keeps what it is given."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem
        self.digests: list[Digest] = []

    def send(self, digest: Digest) -> None:
        self.digests.append(digest)
        if self.problem:
            raise Unavailable(self.problem)


def telling(channel: Told, growth: str = "ask") -> Talk:
    t = home(growth, SOUL)
    vars(t.soul._home.world.host)["notify"] = lambda _: channel
    return t


def test_a_digest_follows_a_run_that_changed_or_proposed_something_and_no_other() -> None:
    channel = Told()
    t = telling(channel, "auto")
    t.say(OPERATOR, "hello")
    t.agent.run("soul-keeper")
    assert channel.digests == []
    corrected(t, CORRECTION)
    t.say(OPERATOR, "don't use tables")
    t.agent.run("soul-keeper", dry_run=True)
    assert channel.digests == []
    t.agent.run("soul-keeper")
    (digest,) = channel.digests
    assert digest.subject == "The soul of main: 2 changes"
    assert [one.text for one in digest.changes] == ["**Emojis**: none.", "**Tables**: no tables."]
    t.agent.run("soul-keeper")
    assert len(channel.digests) == 1


def test_a_digest_of_proposals_has_their_numbers() -> None:
    channel = Told()
    t = telling(channel)
    t.say(OPERATOR, "don't use tables")
    t.agent.run("soul-keeper")
    (digest,) = channel.digests
    assert digest.subject == "The soul of main: 1 proposal"
    assert [(one.text, one.section) for one in digest.proposals] == [("**Tables**: no tables.", "Vibe")]
    assert digest.proposals[0].number == t.agent.review.proposals()[0].id


def test_a_channel_that_fails_is_noted_and_the_run_is_done() -> None:
    channel = Told("nobody is there")
    t = telling(channel)
    t.say(OPERATOR, "don't use tables")
    (report,) = t.agent.run("soul-keeper")
    assert report.done
    assert report.notes == ("nobody is there",)
    assert len(t.agent.review.proposals()) == 1
    assert "**Tables**: no tables." in t.text("CHANGELOG.md")
    assert t.agent.run("soul-keeper") == []


def test_in_a_room_only_what_everyone_may_read_is_said() -> None:
    t = home("auto", SOUL, more="keepers: {digest: {channel: room, room: kitchen}}\n")
    corrected(t, CORRECTION)
    t.say(OPERATOR, "don't use tables")
    t.agent.run("soul-keeper")
    (said,) = t.agent._parts.log.messages(Wanted(room="kitchen"))
    assert (said.role, said.text) == (
        "assistant",
        "The soul of main: 2 changes.\n- **Emojis**: none.\n- **Tables**: no tables.",
    )
    assert str(said.audience) == "room:kitchen"


def test_a_room_that_is_not_named_is_noted() -> None:
    t = home(before=SOUL, more="keepers: {digest: {channel: room}}\n")
    t.say(OPERATOR, "don't use tables")
    (report,) = t.agent.run("soul-keeper")
    assert (report.done, report.notes) == (True, ("the digest was not delivered: set keepers.digest.room to a room",))


def test_without_a_channel_the_digest_stands_in_the_changelog() -> None:
    t = home(before=SOUL)
    t.say(OPERATOR, "don't use tables")
    (report,) = t.agent.run("soul-keeper")
    assert report.notes == ()
    assert "Proposed for SOUL.md" in t.text("CHANGELOG.md")


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ("{}", type(None)),
        ("{channel: none}", type(None)),
        ("{channel: room, room: r}", type(None)),
        ("{channel: webhook, webhook_url: 'http://127.0.0.1/x'}", Webhook),
        ("{channel: command, command: [/bin/true]}", Command),
        ("{channel: mail, smtp_host: h, mail_to: [c@d]}", Mail),
    ],
)
def test_the_settings_choose_the_channel(config: str, kind: type) -> None:
    assert isinstance(channel(load(f"keepers: {{digest: {config}}}\n").settings), kind)
