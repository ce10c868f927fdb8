"""Japanese as people type it: triage, corrections and the miner understand it without a model, and leave chat alone."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.judging.corrections.corrections import change, explicit
from oldsoul.judging.mining import nuggets
from oldsoul.reading.dates import spans
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.options import TriageOptions
from oldsoul.rules.promotion import asked
from oldsoul.rules.triage import Triage
from oldsoul.testing import FrozenClock
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from talk_bench import talk

HERE = Path(__file__).parent
DAY = date(2026, 2, 4)
OWN = Session.dm(id="own")
MEMORY = Name("main", "MEMORY.md")
TRIAGE = Triage(TriageOptions())


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


TALK = lines("japanese_talk.jsonl")
CHAT = [line["text"] for line in TALK if not (line["triage"] or line["mined"])]


def kept(text: str) -> list[str]:
    return [nugget.why for nugget in nuggets(text, DAY) if nugget.is_plain]


@pytest.mark.parametrize("text", CHAT)
def test_ordinary_chat_is_not_kept(text: str) -> None:
    assert kept(text) == []
    assert asked(text) == []


def test_what_was_wrong_is_not_found_any_more(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 2, 4, 10, 0, tzinfo=UTC))
    with open_home(tmp_path / "home", {}, clock) as soul:
        agent = soul.agent()
        agent.remember("次のリハーサルは木曜日")
        agent.remember("歯医者は木曜日")
        agent.hear("次のリハーサルは木曜日です。", session=OWN, role="assistant")
        clock.advance(timedelta(minutes=1))
        agent.hear("木曜日じゃなくて金曜日だよ", session=OWN, sender="美咲", subject="acct:owner")
        found = [hit.chunk.text for hit in agent.recall("リハーサルはいつ？", session=OWN, limit=10).hits]
        assert any("リハーサルは金曜日" in text for text in found)
        assert not any("リハーサルは木曜日" in text for text in found)
        assert any(
            "歯医者は木曜日" in hit.chunk.text for hit in agent.recall("歯医者はいつ？", session=OWN, limit=10).hits
        )


def test_what_another_matter_says_of_the_same_day_stays() -> None:
    t = talk()
    for memory in ("歯医者は木曜日です", "次のリハーサルは木曜日です"):
        t.agent.remember(memory)
    t.say(OWN, "次のリハーサルは木曜日です。", role="assistant")
    t.say(OWN, "木曜日じゃなくて金曜日だよ", sender="Nora", person="acct:owner")
    found = [e.text.partition(" (added")[0] for e in t.document(MEMORY).entries if e.form != "prose"]
    assert found == ["歯医者は木曜日です", "次のリハーサルは金曜日です"]


def test_a_correction_that_names_its_matter_needs_no_word_of_the_agent() -> None:
    t = talk()
    t.agent.remember("歯医者は木曜日")
    t.agent.remember("リハーサルは木曜日")
    t.say(OWN, "いや、歯医者は木曜じゃなくて金曜", sender="Nora", person="acct:owner")
    found = [e.text.partition(" (added")[0] for e in t.document(MEMORY).entries if e.form != "prose"]
    assert found == ["歯医者は金曜", "リハーサルは木曜日"]


def test_the_miner_keeps_who_said_it_and_the_day_that_is_meant() -> None:
    t = talk()
    t.say(OWN, "来週の金曜日にボイラーの点検があるって覚えておいて。", sender="美咲", person="acct:owner")
    t.say(OWN, "私はえびアレルギーなんです。", sender="美咲", person="acct:owner")
    t.agent.run("memory-miner")
    found = [(e.section, e.text.partition(" #")[0]) for e in t.document(MEMORY).entries if e.form != "prose"]
    assert found == [
        ("Knowledge", "美咲: 来週の金曜日にボイラーの点検がある (2026-02-13) (added 2026-02-04)"),
        ("Knowledge", "美咲: 私はえびアレルギーなんです。 (added 2026-02-04)"),
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [("明後日", 2), ("一昨日", -2), ("あさって", 2), ("おととい", -2), ("再来週の月曜日", 12), ("先々週の金曜", -12)],
)
def test_days_are_counted_from_the_day_it_was_said(text: str, first: int) -> None:
    (span,) = spans(text, DAY)
    assert span.first == span.last == DAY.toordinal() + first


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("木曜に", "weekday", "木曜"),
        ("午後三時半から", "time", "午後三時半"),
        ("家賃は8万円", "number", "8万円"),
        ("娘は七歳", "number", "七歳"),
        ("三時間かかる", "number", "三時間"),
    ],
)
def test_values_are_read(text: str, kind: str, said: str) -> None:
    assert [(value.kind, value.said) for value in typed_values(text)] == [(kind, said)]


PIECES = (
    "は",
    "が",
    "の",
    "、",
    "。",
    "違うよ",
    "いや",
    "じゃなくて",
    "木曜",
    "金曜日",
    "です",
    "覚えておいて",
    "これからは",
    "名前は",
)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=80))
def test_any_text_is_looked_at_and_what_it_names_is_there(text: str) -> None:
    for one in explicit(text):
        made = change(one, "次のリハーサルは木曜日です。")
        assert made is None or (made.new in text and made.old == "木曜日")
    nuggets(text, DAY)
    asked(text)


@pytest.mark.parametrize(
    "piece", [*PIECES, "私の", "よね", "んだ", "て", "一二三", "アレルギー", "に住んで", "って", "から"]
)
def test_a_long_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    for look in (explicit, asked, TRIAGE.flags, lambda said: nuggets(said, DAY)):
        look(text)
