"""What the specification asks of conversations and their memory and no other test shows, demand by demand."""

from __future__ import annotations

import json
import shutil
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from core.blocks import block
from oldsoul.keepers.promote import CAPACITY
from oldsoul.rules.options import TriageOptions
from oldsoul.rules.triage import Triage
from oldsoul.testing import ScriptedModel
from oldsoul.values.messages import Wanted
from oldsoul.values.names import longterm
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home
from talk_bench import talk

if TYPE_CHECKING:
    from pathlib import Path

ANN = Session.dm("acct:7", id="ann")
FILE = "memory/2026-02-04/ann.md"
KEY = "ghp_" + "a1B2c3D4e5F6" * 3


# coming in


def test_what_is_heard_is_in_the_log_before_a_file_or_a_model_knows_of_it() -> None:
    model = ScriptedModel()
    t = talk(model=model)
    before = {path: t.text(path) for path in t.paths()}
    heard = t.say(ANN, "Remember that the attic key is under the lamp. You forgot it already!")
    assert t.agent._parts.log.messages(Wanted()) == [heard.message]
    assert {path: t.text(path) for path in t.paths()} == before
    assert model.asked == []


def test_a_pattern_of_ones_own_flags_messages_for_the_keeper_it_names() -> None:
    assert talk().say(ANN, "About Project Aurora").flags == ()
    t = talk("heartbeat_custom_patterns: [{pattern: 'project (aurora|zephyr)', route: conflict-detector}]\n")
    t.say(ANN, "hello")
    flagged = t.say(ANN, "About Project Aurora").message
    assert [(flag.trigger, flag.route) for flag in flagged.flags] == [("custom", "conflict-detector")]
    assert t.agent._parts.log.messages(Wanted(flagged="conflict-detector")) == [flagged]
    assert t.agent._parts.log.messages(Wanted(flagged="memory-miner")) == []


def test_a_long_message_is_looked_through_within_fifty_milliseconds_though_the_patterns_are_made_first() -> None:
    text = "I know, it's here; no, the plan 我们上次说的 is not what you think it is. " * 200

    def seconds() -> float:
        start = time.process_time()
        Triage(TriageOptions()).flags(text)
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) < 0.05


# the diary


def test_daily_log_creates_directory(tmp_path: Path) -> None:
    with open_home(tmp_path / "home", {}) as soul:
        memory = tmp_path / "home/workspace/main/memory"
        shutil.rmtree(memory)
        soul.append_daily_log("main", "It rained all day.")
        (day,) = memory.glob("*.md")
        assert "It rained all day." in day.read_text("utf-8")


# the file of a session


def test_the_time_and_the_summary_of_a_file_are_renewed_when_more_is_written_to_it() -> None:
    t = talk()
    t.say(ANN, "The boat needs new paint soon")
    t.end(ANN)
    first = t.document(t.agent._parts.name(FILE)).matter
    t.clock.advance(timedelta(hours=2))
    t.say(ANN, "A heron came to the lake again")
    t.end(ANN)
    then = t.document(t.agent._parts.name(FILE)).matter
    assert first.text("summary") == "Ann: The boat needs new paint soon"
    assert then.text("summary") == "Ann: The boat needs new paint soon; Ann: A heron came to the lake again"
    assert then.text("created_at") == first.text("created_at")
    assert then.text("updated_at") > first.text("updated_at")


def test_neither_the_one_who_talks_nor_a_model_can_bring_a_secret_into_the_file() -> None:
    where = {"section": "Session Summary", "done": None, "replaces": "", "message": 1, "quote": "the key"}
    item = {**where, "title": f"Key {KEY}", "text": f"the key is {KEY}", "below": [f"Key: {KEY}"]}
    answer = json.dumps({"summary": f"A key, {KEY}.", "items": [item], "promote": None})
    for model in (None, ScriptedModel(answer)):
        t = talk(model=model)
        t.say(ANN, f"Look, the key of the server is {KEY}")
        t.end(ANN)
        assert "key" in t.text(FILE)
        assert all(KEY not in t.text(path) for path in t.paths())


# long-term memory


def test_long_term_memory_has_a_hundred_items_and_three_thousand_characters_at_most() -> None:
    assert CAPACITY == (100, 3000)
    name = longterm("main", "acct:7")
    new = "**Attic key**: the attic key is under the lamp (added 2026-02-04)"
    for count, length, left in ((100, 10, 100), (30, 100, 30)):
        t = talk()
        items = "".join(f"- {f'{n:03} '.ljust(length, 'x')} <!--os {n:010} seen=2026-01-01-->\n" for n in range(count))
        t.store.save_outside(name, f"---\nsummary: x\n---\n\n# Long-Term Memory\n\n## Key Facts\n\n{items}".encode())
        t.say(ANN, "Please remember that the attic key is under the lamp")
        t.end(ANN)
        entries = t.document(name).entries
        assert len(entries) == left
        assert entries[-1].text == new
        assert sum(len(entry.body) for entry in entries) <= 3000
        assert "- 000 x" in t.text("Archive/Memory/acct_7/2026-02.md")


# the start of a session


def test_seven_days_of_sessions_are_loaded_and_not_more() -> None:
    t = talk()
    for day in range(9):
        session = Session.dm("acct:7", id=f"s{day}")
        t.say(session, f"It is day number {day} of the journey")
        t.end(session)
        t.clock.advance(timedelta(days=1))
    t.clock.advance(timedelta(days=-1))
    assert block(t.agent._parts, ANN).paths == tuple(f"2026-02-{4 + day:02}/s{day}.md" for day in range(8, 0, -1))


def test_todays_file_of_the_session_is_loaded_even_where_one_line_is_all_there_may_be() -> None:
    t = talk("timezone: UTC\nmemory: {short_term_days: 0, injection: {max_items: 1}}\n")
    other = Session.dm("acct:7", id="other")
    t.say(ANN, "Please remember that the attic key is under the lamp")
    t.end(ANN)
    t.say(other, "The boat needs new paint soon")
    t.end(other)
    for session in (ANN, other):
        made = block(t.agent._parts, session)
        assert (made.entries, made.paths) == ((), (f"2026-02-04/{session.id}.md",))


def test_of_a_sessions_file_the_block_has_the_summary_and_nothing_of_its_body() -> None:
    t = talk()
    t.say(ANN, "The boat needs new paint soon. TODO: buy a brush. See https://example.org/paint for the colours")
    t.end(ANN)
    text = t.text(FILE)
    made = block(t.agent._parts, ANN).text
    for words in ("buy a brush", "example.org", "Datetime", "Users"):
        assert words in text
        assert words not in made
    assert "- 2026-02-04: Ann: The boat needs new paint soon (2026-02-04/ann.md) [progress: tasks 0/1, " in made
