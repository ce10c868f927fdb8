"""The memory miner: what it takes by rules and with a model, from whom, where to, and once."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.errors import Unavailable
from oldsoul.judging.mining import dated, nuggets
from oldsoul.testing import ScriptedModel
from oldsoul.values.sessions import Session
from scale import scaled
from talk_bench import Talk, talk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oldsoul.values.models import Reply

OWN, ROOM, ANN = Session.dm(id="own"), Session.group("dev", id="r"), Session.dm("acct:7", id="ann")
DAY = date(2026, 2, 4)


def answer(*items: dict[str, Any]) -> str:
    return json.dumps({"items": items})


def item(text: str, message: int, quote: str, tag: str = "knowledge") -> dict[str, Any]:
    return {"text": text, "message": message, "quote": quote, "tag": tag}


def memory(t: Talk, path: str = "MEMORY.md") -> list[tuple[str, str, str]]:
    entries = t.document(t.agent._parts.name(path)).entries
    return [
        (e.text.partition(" (added")[0], e.fields.get("conf", ""), e.fields.get("origin", ""))
        for e in entries
        if e.form != "prose"
    ]


# with a model


def test_a_models_items_must_quote_what_was_said_and_their_wording_is_not_the_operators() -> None:
    given_items = (
        item("the landlord is called Wulff", 1, "the landlord is called Wulff"),
        item("Rent goes to Mr Wulff", 1, "landlord is called Wulff"),
        item("The landlord drinks", 1, "he drinks a lot"),
        item("nobody said this", 99, "the landlord"),
    )
    t = talk(model=ScriptedModel(answer(*given_items)))
    t.say(OWN, "by the way the landlord is called Wulff", sender="Nora", person="acct:owner")
    (report, _, *_) = [r for r in t.agent.run("memory-miner") if r.run.key.startswith("mine")]
    assert memory(t) == [
        ("Nora: the landlord is called Wulff", "0.95", ""),
        ("Nora: Rent goes to Mr Wulff", "0.6", "agent"),
    ]
    assert sum("rejected" in note for note in report.notes) == 2


@settings(max_examples=scaled(10, 200))
@given(
    st.lists(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 2)), min_size=1, max_size=8), min_size=1, max_size=3)
)
def test_an_entry_counts_no_more_mentions_than_there_are_messages_that_it_rests_on(
    runs: list[list[tuple[int, int]]],
) -> None:
    wordings = ("the landlord is called Wulff", "landlord is called Wulff", "the landlord is called Wulff indeed")
    model = ScriptedModel()
    t = talk(model=model)
    for number, found in enumerate(runs):
        for _ in range(2):
            t.say(OWN, "by the way the landlord is called Wulff indeed", person="acct:owner")
        items = [item(wordings[which], min(said, 2 * number + 2), wordings[0]) for said, which in found]
        model.answers[:] = [answer(*items)] * 3
        t.agent.run("memory-miner")
        t.agent.run("memory-compactor")
    changes = t.agent.files.history(limit=500)
    cited = {e.ref for change in changes if change.effects for e in change.evidence if e.ref.startswith("m:")}
    entries = [
        e for e in t.document(t.agent._parts.name("MEMORY.md")).entries if e.fields.get("src", "").startswith("m:")
    ]
    assert entries
    assert all(int(entry.fields.get("n", "1")) <= len(cited) for entry in entries)


def test_one_message_that_a_model_returns_four_times_is_one_mention() -> None:
    once = item("the landlord is called Wulff", 1, "the landlord is called Wulff")
    t = talk(model=ScriptedModel(answer(once, once, once, once)))
    t.say(OWN, "by the way the landlord is called Wulff", sender="Nora", person="acct:owner")
    t.agent.run("memory-miner")
    (entry,) = [e for e in t.document(t.agent._parts.name("MEMORY.md")).entries if e.form != "prose"]
    assert (entry.fields.get("n"), entry.fields["conf"]) == (None, "0.95")


class Watching:
    """A model that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
        del system, schema
        self.asked.append(text)
        raise Unavailable("busy")


def test_one_question_never_mixes_audiences_and_private_talk_of_others_is_not_asked_about() -> None:
    model = Watching()
    t = talk(model=model)
    t.say(OWN, "my canary is aaa", sender="Nora", person="acct:owner")
    t.say(ROOM, "our canary is bbb", sender="Ann", person="acct:7")
    t.say(ANN, "my canary is ccc", sender="Ann")
    t.say(Session.group("ops", id="o"), "our canary is ddd", sender="Ann", person="acct:7")
    t.agent.run("memory-miner")
    mined = [text for text in model.asked if "Messages of people alone" in text]
    assert [[word for word in ("aaa", "bbb", "ccc", "ddd") if word in text] for text in mined] == [
        ["aaa"],
        ["bbb"],
        ["ddd"],
    ]


def test_a_run_that_was_killed_asks_and_writes_once() -> None:
    class Dying(ScriptedModel):
        def answer(self, system: str, text: str, schema: Mapping[str, Any]) -> Reply:
            if "room:dev" in text and not self.answers:
                raise SystemError
            return super().answer(system, text, schema)

    model = Dying(answer(item("the key hangs here", 1, "the key hangs here")))
    t = talk(model=model)
    t.say(OWN, "the key hangs here", sender="Nora", person="acct:owner")
    t.say(ROOM, "the lamp stands there", sender="Ann", person="acct:7")
    with pytest.raises(SystemError):
        t.agent.run("memory-miner")
    model.answers.append(answer())
    t.say(OWN, "said later", sender="Nora", person="acct:owner")
    t.agent.run("memory-miner")
    assert [text for text, _, _ in memory(t)] == ["Nora: the key hangs here"]
    assert sum("the key hangs here" in question for _, question in model.asked) == 1
    model.answers.append(answer())
    t.agent.run("memory-miner")
    assert "said later" in model.asked[-1][1]


# by rules


def test_what_only_looks_telling_is_suggested_and_not_much_of_it() -> None:
    t = talk()
    for n in range(12):
        t.say(
            OWN,
            f"i think Velthuis {n} may come to Lübeck with my {n + 2} cousins in April",
            sender="Nora",
            person="acct:owner",
        )
    t.agent.run("memory-miner")
    assert memory(t) == []
    assert 0 < len(t.agent.review.proposals()) <= 10
    assert all(proposal.change_set.suggested for proposal in t.agent.review.proposals())


def test_flagged_messages_come_first() -> None:
    model = Watching()
    t = talk(model=model)
    t.say(OWN, "the first thing is plain", sender="Nora", person="acct:owner")
    t.say(OWN, "Remember that the second is flagged", sender="Nora", person="acct:owner")
    t.agent.run("memory-miner")
    (text,) = [text for text in model.asked if "Messages of people alone" in text]
    assert text.index("second is flagged") < text.index("first thing")


def test_a_weaker_repeat_leaves_the_operators_word_as_it_is() -> None:
    t = talk()
    t.say(ROOM, "Remember that the launch is on May 4", sender="Nora", person="acct:owner")
    t.agent.run("memory-miner")
    before = t.agent.files.show("rooms/dev.md").data
    t.say(ROOM, "Remember that the launch is on May 4", sender="Ann", person="acct:7")
    t.agent.run("memory-miner")
    assert t.agent.files.show("rooms/dev.md").data == before


def test_a_repeat_makes_a_participants_word_surer_up_to_its_limit() -> None:
    t = talk()
    for _ in range(6):
        t.say(ROOM, "Remember that the launch is on May 4", sender="Ann", person="acct:7")
        t.agent.run("memory-miner")
        t.clock.advance(timedelta(hours=1))
    assert memory(t, "rooms/dev.md") == [("Ann: the launch is on May 4", "0.94", "participant")]


@pytest.mark.parametrize(
    "text",
    [
        "hi",
        "what time is it?",
        "i'm so tired",
        "you should see this",
        "maybe we go on May 4",
        'Traceback (most recent call last):\n  File "x.py", line 2',
        "that was great",
        "he said it costs 40 euros",
        "好的",
        "今天好累",
        "suppose my name is Ida and I live in Turku",
        "translate 'my name is Ida and I live in Turku'",
        "Write a letter: my name is Ida and I live in Turku",
        "Use SQLite for this one",
        "we've decided no",
        "we agreed on that already",
        "thanks, i'll keep that in mind",
        "remember that night in Trieste?",
        "my wife is in a hurry",
        "she wants me to call her Ida",
        "I need a table for two on Friday",
        "i eat there every night",
        "my bank password is [masked: password]",
    ],
)
def test_ordinary_talk_is_not_kept(text: str) -> None:
    assert plain(text) == []


def test_what_somebody_pasted_is_not_kept() -> None:
    assert nuggets("I live in Kiel. " + "It was a dark and stormy night. " * 40, DAY) == []
    assert nuggets("\n".join(["I live in Kiel", *"abcdefg"]), DAY) == []
    assert nuggets("```\nI live in Kiel\n```", DAY) == []


def plain(text: str) -> list[tuple[str, str]]:
    return [(nugget.why, nugget.tag) for nugget in nuggets(text, DAY) if nugget.is_plain]


@pytest.mark.parametrize(
    ("text", "why", "tag"),
    [
        ("Decision: we use PostgreSQL", "decided", "decision"),
        ("we decided to go with the blue one", "decided", "decision"),
        ("I'm allergic to penicillin", "oneself", "knowledge"),
        ("btw my daughter is called Lotte", "oneself", "knowledge"),
        ("I live in Kiel", "oneself", "knowledge"),
        ("I have swimming twice a week", "oneself", "knowledge"),
        ("from now on answer in German", "instruction", "knowledge"),
        ("never merge on a Friday", "instruction", "knowledge"),
        ("Ich bin allergisch gegen Nüsse", "oneself", "knowledge"),
        ("wir haben uns für Hamburg entschieden", "decided", "decision"),
        ("Je m'appelle Odile", "oneself", "knowledge"),
        ("A partir de ahora escribe más corto", "instruction", "knowledge"),
        ("non mangio carne e sono allergica alle noci", "oneself", "knowledge"),
        ("moro em Braga", "oneself", "knowledge"),
        ("ik ben allergisch voor pinda's", "oneself", "knowledge"),
        ("mam uczulenie na orzechy", "oneself", "knowledge"),
        ("я живу в Казани", "oneself", "knowledge"),
        ("我住在台南", "oneself", "knowledge"),
        ("我们决定周五发布", "decided", "decision"),
        ("私は札幌に住んでいます", "oneself", "knowledge"),
        ("集合は駅前に決まりました", "decided", "decision"),
    ],
)
def test_what_is_decided_or_stated_plainly_of_oneself_is_kept(text: str, why: str, tag: str) -> None:
    assert plain(text) == [(why, tag)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("note to self: renew the passport", "renew the passport"),
        ("Add to long-term memory: the boiler is serviced by Nilsson", "the boiler is serviced by Nilsson"),
        ("please remember that the gate sticks in winter", "the gate sticks in winter"),
        ("for the record: the fence belongs to the neighbours", "the fence belongs to the neighbours"),
        ("The gate sticks in winter. Keep that in mind.", "The gate sticks in winter."),
        ("Merk dir: der Schlüssel liegt bei Frau Thoma", "der Schlüssel liegt bei Frau Thoma"),
        ("Retiens que la clé est chez Madame Roux", "la clé est chez Madame Roux"),
        ("记住：钥匙在王阿姨家", "钥匙在王阿姨家"),
        ("鍵は田中さんの家にあるって覚えておいて", "鍵は田中さんの家にある"),
    ],
)
def test_what_was_asked_for_is_kept_without_the_asking(text: str, kept: str) -> None:
    assert [(nugget.why, nugget.text) for nugget in nuggets(text, DAY)] == [("asked", kept)]


def test_words_about_oneself_say_whose_they_are() -> None:
    t = talk()
    t.agent.hear("Remember that my birthday is 4 May", session=OWN)
    t.agent.hear("Remember that the gate sticks", session=OWN)
    t.agent.run("memory-miner")
    assert {text for text, _, _ in memory(t)} == {"Operator: my birthday is 4 May", "the gate sticks"}


def test_there_are_ten_suggestions_a_week_the_best_ones_and_they_expire() -> None:
    t = talk()
    for day in range(5):
        for n in range(6):
            t.say(OWN, f"maybe Velthuis {day}{n} comes to Lübeck with my cousin in April", person="acct:owner")
        t.agent.run("memory-miner")
        t.clock.advance(timedelta(days=1))
    assert len(t.agent.review.proposals()) == 10
    t.say(OWN, "my mother was in Turku with our cousin Ida on 3 May 2019 and every summer since 1980")
    t.agent.run("memory-miner")
    assert len(t.agent.review.proposals()) == 10
    assert any("Turku" in str(proposal.change_set.operations) for proposal in t.agent.review.proposals())
    t.clock.advance(timedelta(days=40))
    t.say(OWN, "hello")
    t.agent.run("memory-miner")
    assert t.agent.review.proposals() == []
    assert len(t.agent.review.proposals("expired")) == 31


def test_a_relative_date_that_means_one_day_gets_it() -> None:
    assert dated("it broke yesterday and comes back tomorrow", DAY) == (
        "it broke yesterday (2026-02-03) and comes back tomorrow (2026-02-05)"
    )
    assert dated("gestern war es kaputt", DAY) == "gestern (2026-02-03) war es kaputt"
    assert dated("it is on 4 May", DAY) == "it is on 4 May"
    assert dated("some day last week", DAY) == "some day last week"


@given(st.text(max_size=300))
def test_any_text_is_looked_at_and_nothing_is_made_up(text: str) -> None:
    squeezed = "".join(text.split())
    for nugget in nuggets(text, DAY):
        words = nugget.text.split(" (20")[0]
        assert nugget.tag in ("event", "knowledge", "skill", "decision")
        assert (
            "".join(words.rstrip("…").split())[:20] in squeezed.translate({0x2019: "'", 0x2018: "'"})
            or not text.isascii()
        )


# the daily logs


def test_daily_logs_are_mined_once_but_for_what_tells_of_a_conversation() -> None:
    t = talk()
    t.agent.talk.append_daily_log("We decided to paint the boat red.", key="one")
    t.say(OWN, "we decided to sell the van", sender="Nora", person="acct:owner")
    t.end(OWN)
    own = "\n## 2026-02-04 12:00 UTC\n\nNote to self: the spare key is with Ben.\n"
    day = t.agent.files.show("memory/2026-02-04.md").data or b""
    t.agent.files.put("memory/2026-02-04.md", day + own.encode())
    for _ in range(2):
        t.agent.run("memory-miner")
    assert sorted(memory(t)) == [
        ("Nora: we decided to sell the van", "0.95", ""),
        ("We decided to paint the boat red.", "0.6", "agent"),
        ("the spare key is with Ben", "0.95", ""),
    ]
    t.agent.talk.append_daily_log("We decided to buy new oars.", key="two")
    t.agent.run("memory-miner")
    assert len(memory(t)) == 4
