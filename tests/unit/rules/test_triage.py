"""Triage: every pattern of the tables fires, nothing stalls, and only the operator reaches the validator."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.rules.options import TriageOptions, TriagePattern
from oldsoul.rules.triage import MAX_CUSTOM, MAX_PATTERN, Triage, leads_to, table
from oldsoul.values.messages import Flag
from oldsoul.values.origin import Origin

TRIAGE = Triage(TriageOptions())

SAID = {
    "remember (that|this|when)": ("Remember THAT one", "please remember this", "do you remember when"),
    "don't forget": ("Don't forget the milk", "DON’T FORGET", "donʼt forget"),
    "important:": ("IMPORTANT: read", "important: a"),
    "decision:": ("Decision: Postgres",),
    "we agreed": ("but We Agreed on it",),
    "the plan is": ("the plan is simple",),
    "note to self": ("Note to self: breathe",),
    "i (already|just) told you": ("I already told you", "i JUST told you"),
    "we (talked|discussed|went over) (about |this)": (
        "we talked about it",
        "We discussed this",
        "we went over this",
        "we discussed about it",
    ),
    "you forgot": ("You forgot my name",),
    "remember when i said": ("Remember when I said so?",),
    "i mentioned (this|that|it) (before|earlier|already|yesterday|last)": (
        "I mentioned this before",
        "i mentioned that earlier",
        "I mentioned it already",
        "I mentioned it yesterday",
        "I mentioned it last week",
    ),
    "no,? (i said|it's|it was|my)": ("No, I said blue", "no it’s mine", "No, it was Tuesday", "no my name"),
    "how many times": ("How many times!",),
    "don't you remember": ("Don't you remember?", "don’t you remember"),
    "actually,? (it's|it was|the|I|we|that)": (
        "Actually, it's Tuesday",
        "actually it was red",
        "Actually the door",
        "actually, I meant",
        "Actually we",
        "Actually, that",
    ),
    "no,? (it's|that's|the)[ ]": ("no, it's blue", "No that’s green", "no, the red one"),
    "i (changed|switched|moved|updated|stopped|started)[ ]": (
        "I changed jobs",
        "I switched to tea",
        "i moved house",
        "I updated it",
        "I stopped smoking",
        "I started running",
    ),
    "that's (not right|wrong|outdated|old)": (
        "That's not right",
        "that’s wrong",
        "that's outdated",
        "That's old",
    ),
    "it's .{1,30} now": ("It's blue now", "it’s in the kitchen cupboard now"),
}
KINDS = {"memory": "high", "recall": "high", "soft": "medium"}


def test_the_tables_are_those_of_the_specification_seven_eight_and_five() -> None:
    assert [len(trigger.patterns) for trigger in table("en")] == [7, 8, 5]
    assert [pattern for trigger in table("en") for pattern in trigger.patterns] == list(SAID)


@pytest.mark.parametrize("pattern", SAID)
def test_a_pattern_fires_in_any_case_and_with_any_apostrophe(pattern: str) -> None:
    trigger = next(trigger for trigger in table("en") if pattern in trigger.patterns)
    for text in SAID[pattern]:
        flag = next(flag for flag in TRIAGE.flags(f"Hm. {text}") if flag.trigger == trigger.name)
        assert (flag.route, flag.confidence) == (trigger.route, KINDS[trigger.name])
        assert flag.phrase in text


@given(st.text(max_size=200) | st.lists(st.sampled_from([s for said in SAID.values() for s in said])).map(" ".join))
def test_the_flags_are_those_the_patterns_say_one_by_one(text: str) -> None:
    """The plain meaning of the tables, read by another engine."""
    found = {flag.trigger for flag in TRIAGE.flags(text)}
    for trigger in table("en"):
        sources = [rf"(?<!\w)(?:{p})(?!\w)".replace("'", "['’‘ʼ＇]") for p in trigger.patterns if p[-1].isalpha()]
        assert (trigger.name in found) >= any(re.search(s, text, re.IGNORECASE) for s in sources)


@pytest.mark.parametrize(
    "text",
    ["At the casino, it's loud", "the piano, it's out of tune", "we agreedly", "unimportant: a", "Casino my love"],
)
def test_a_pattern_is_of_whole_words(text: str) -> None:
    assert TRIAGE.flags(text) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("请记住，我的航班是六点", "memory"),
        ("別忘了明天要交報告", "memory"),
        ("决定：用 Postgres", "memory"),
        ("我们说好了周五上线", "memory"),
        ("我已经跟你说过了", "recall"),
        ("你又忘了我的名字", "recall"),
        ("都跟你说了多少遍了", "recall"),
        ("你不记得了吗", "recall"),
        ("其实是星期二", "soft"),
        ("我搬到柏林了", "soft"),
        ("这个过时了", "soft"),
        ("不对,改到11月23日了", "soft"),
        ("錯了，會議已經改到週四了", "soft"),
    ],
)
def test_chinese_is_shipped(text: str, kind: str) -> None:
    assert kind in {flag.trigger for flag in TRIAGE.flags(text)}


@pytest.mark.parametrize(
    "text", ["", "What a nice day", "Do you like trains?", "今天天气不错", "\ud800", "\0", "ok 👍", "明天见"]
)
def test_ordinary_talk_has_no_flags(text: str) -> None:
    assert TRIAGE.flags(text) == ()


def test_ones_own_patterns_name_their_route_and_bad_ones_are_left_out_and_told() -> None:
    triage = Triage(
        TriageOptions(
            custom_patterns=(
                TriagePattern(pattern="project (aurora|zephyr)", route="memory-miner", confidence="high"),
                TriagePattern(pattern="zum hafen", route="session-summarizer"),
                TriagePattern(pattern="(unclosed"),
                TriagePattern(pattern=""),
                TriagePattern(pattern="x" * (MAX_PATTERN + 1)),
                TriagePattern(pattern="(?=look)ahead"),
                TriagePattern(pattern="((a{1000}){1000}){1000}"),
            ),
        )
    )
    assert triage.flags("About PROJECT Aurora: zum hafen das") == (
        Flag("custom", "memory-miner", "high", "PROJECT Aurora"),
        Flag("custom", "session-summarizer", "medium", "zum hafen"),
    )
    assert [problem.split(" is ")[0] for problem in triage.problems] == [
        *(f"custom pattern {n}" for n in (3, 4, 5, 6, 7)),
    ]
    many = Triage(TriageOptions(custom_patterns=(TriagePattern(pattern="a"),) * (MAX_CUSTOM + 1)))
    assert many.problems == [f"only the first {MAX_CUSTOM} custom patterns are used"]


def test_a_hostile_pattern_does_not_stall_a_message() -> None:
    """In a backtracking engine each of these takes longer than the universe is old."""
    evil = ("(a+)+$", "(a|a)*b", "(.*a){25}", "([a-z]+)*=", "(x+x+)+y")
    triage = Triage(TriageOptions(custom_patterns=tuple(TriagePattern(pattern=p) for p in evil)))
    assert not triage.problems
    for text in ("a" * 50_000 + "!", "x" * 50_000, "z" * 50_000):
        triage.flags(text)


def test_it_can_be_switched_off() -> None:
    off = Triage(TriageOptions(enabled=False, custom_patterns=(TriagePattern(pattern="a"),)))
    assert off.flags("remember that a") == ()


@pytest.mark.parametrize("origin", Origin)
def test_only_the_operators_words_reach_the_validator_and_soft_ones_need_a_related_memory(origin: Origin) -> None:
    (recall,) = (f for f in TRIAGE.flags("You forgot it") if f.trigger == "recall")
    (soft,) = TRIAGE.flags("Actually, the weather is nice")
    (memory,) = TRIAGE.flags("Decision: tea")
    custom = Flag("custom", "recall-validator", "high", "x")
    operator = origin is Origin.OPERATOR
    assert leads_to(recall, origin, related=False) == ("recall-validator" if operator else "")
    assert leads_to(custom, origin, related=True) == ("recall-validator" if operator else "")
    assert leads_to(soft, origin, related=False) == ""
    assert leads_to(soft, origin, related=True) == ("recall-validator" if operator else "")
    assert leads_to(memory, origin, related=False) == "memory-miner"
