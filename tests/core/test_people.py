"""Who is who: names bound to accounts, memory that is joined, and what an unbinding leaves."""

from __future__ import annotations

import pytest

from core.blocks import block
from oldsoul.errors import BadInput, BadName, NotFound
from oldsoul.values.audience import Audience
from oldsoul.values.names import longterm, profile
from oldsoul.values.origin import Origin
from oldsoul.values.sessions import Session
from talk_bench import Talk, talk

TELEGRAM = Session.dm("ext:telegram:7")
ACCOUNT = Session.dm("acct:7")


def facts(t: Talk, person: str) -> list[str]:
    return [e.title for e in t.document(longterm("main", person)).entries if e.kind == "item"]


def tell(t: Talk, session: Session, what: str) -> None:
    t.say(session, f"please remember that the {what} key is under the brass lamp")
    t.end(session)


def test_binding_a_name_joins_their_memory_and_an_unbinding_parts_what_comes_after() -> None:
    t = talk()
    tell(t, TELEGRAM, "attic")
    t.say(TELEGRAM, "remember that I'm allergic to peanuts")
    t.end(TELEGRAM)
    tell(t, ACCOUNT, "cellar")
    assert t.soul.bind("ext:telegram:7", "acct:7") == ["main"]
    assert facts(t, "acct:7") == ["Cellar key", "Attic key"]
    assert t.agent._parts.read(longterm("main", "ext:telegram:7")).data is None
    assert "peanuts" in t.text(profile("main", "acct:7").path)
    while_bound = t.say(TELEGRAM, "hello").message
    assert while_bound.audience == Audience.person("acct:7")
    assert while_bound.subject is not None
    assert while_bound.subject.id == "acct:7"
    t.end(TELEGRAM)
    assert t.soul.unbind("ext:telegram:7") == "acct:7"
    later = Session.dm("ext:telegram:7", id="later")
    tell(t, later, "garden")
    assert facts(t, "acct:7") == ["Cellar key", "Attic key"]
    assert facts(t, "ext:telegram:7") == ["Garden key"]


def test_a_person_sees_what_they_said_under_a_name_that_is_theirs() -> None:
    t = talk()
    t.say(TELEGRAM, "The attic is full of old letters")
    t.end(TELEGRAM)
    assert "old letters" not in block(t.agent._parts, ACCOUNT).text
    t.soul.bind("ext:telegram:7", "acct:7")
    assert "old letters" in block(t.agent._parts, ACCOUNT).text
    assert "old letters" in block(t.agent._parts, TELEGRAM).text
    t.soul.unbind("ext:telegram:7")
    assert "old letters" not in block(t.agent._parts, ACCOUNT).text


def test_a_name_bound_to_the_operator_speaks_as_the_operator() -> None:
    t = talk()
    assert t.say(TELEGRAM, "x").message.origin is Origin.PARTICIPANT
    t.soul.bind("ext:telegram:7", "acct:owner")
    assert t.say(TELEGRAM, "x").message.origin is Origin.OPERATOR
    assert t.soul._home.people.view(TELEGRAM).owner


def test_binding_is_checked_and_repeated_harmlessly() -> None:
    t = talk()
    t.soul.bind("ext:telegram:7", "acct:7")
    assert t.soul.bind("ext:telegram:7", "acct:7") == []
    with pytest.raises(BadInput, match="already bound to acct:7"):
        t.soul.bind("ext:telegram:7", "acct:8")
    for name, account in (("acct:1", "acct:2"), ("ext:a:1", "ext:a:2"), ("acct:7", "ext:telegram:7")):
        with pytest.raises(BadInput, match="bind a name"):
            t.soul.bind(name, account)
    with pytest.raises(BadInput):
        t.soul.bind("telegram", "acct:7")
    with pytest.raises(BadName):
        t.soul.bind("", "acct:7")
    with pytest.raises(NotFound, match="not bound to an account"):
        t.soul.unbind("ext:telegram:8")


def test_a_join_that_was_stopped_in_the_middle_is_finished_by_binding_again() -> None:
    t = talk("timezone: UTC\nagents: {list: [{id: main}, {id: code}]}\n")
    tell(t, TELEGRAM, "attic")
    other = t.soul.agent("code")
    other.hear("please remember that the red door is never locked", session=TELEGRAM)
    other.talk.end(TELEGRAM)
    with pytest.MonkeyPatch.context() as patch:
        join = t.soul._home.people.join

        def stopped(workspace: str, *who: object) -> bool:
            if workspace == "code":
                raise KeyboardInterrupt
            return join(workspace, *who)  # type: ignore[arg-type]

        patch.setattr(t.soul._home.people, "join", stopped)
        with pytest.raises(KeyboardInterrupt):
            t.soul.bind("ext:telegram:7", "acct:7")
    assert other._parts.read(longterm("code", "ext:telegram:7")).data is not None
    assert t.soul.bind("ext:telegram:7", "acct:7") == ["code"]
    assert other._parts.read(longterm("code", "ext:telegram:7")).data is None


def test_everyone_who_is_known_is_listed_once() -> None:
    t = talk()
    tell(t, TELEGRAM, "attic")
    t.say(Session.dm("ext:irc:bo"), "hi")
    t.say(Session.group("dev"), "hi", person="acct:3")
    t.say(Session.group("dev"), "hi", person="acct:4")
    t.soul.bind("ext:telegram:7", "acct:7")
    assert [tuple(person) for person in t.soul._home.people.everyone()] == [
        ("acct:3", False, (), 0),
        ("acct:4", False, (), 0),
        ("acct:7", False, ("ext:telegram:7",), 1),
        ("acct:owner", True, (), 0),
        ("ext:irc:bo", False, (), 0),
    ]


def test_a_change_of_who_is_who_stands_in_history_with_its_author() -> None:
    t = talk()
    t.soul.bind("ext:telegram:7", "acct:7")
    (change,) = t.soul._home.ledger.history("_shared", limit=1)
    assert (str(change.author), change.reason) == ("operator:acct:owner", "ext:telegram:7 bound to acct:7")


def test_a_name_bound_while_a_session_goes_on_counts_from_its_beginning() -> None:
    t = talk()
    t.say(TELEGRAM, "please remember that the attic key is under the brass lamp")
    t.soul.bind("ext:telegram:7", "acct:7")
    t.say(TELEGRAM, "and the weather is fine")
    (report,) = t.end(TELEGRAM)
    assert report.problems == []
    assert facts(t, "acct:7") == ["Attic key"]
    assert "Attic key" in block(t.agent._parts, ACCOUNT).text
    matter = t.document(t.agent._parts.name("memory/2026-02-04/dm_ext_telegram_7.md")).matter
    assert (matter.text("audience"), matter.text("contact_id")) == ("person:acct:7", "acct:7")
