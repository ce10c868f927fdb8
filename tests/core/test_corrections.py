"""Explicit corrections: which words are one, what each changes, and that nothing else ever changes an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.judging.corrections.corrections import Correction, change, explicit, shares_topic, speaks_of
from oldsoul.judging.corrections.hidden import is_against, without_wrong
from oldsoul.language import lexicon
from oldsoul.values.names import Name
from oldsoul.values.sessions import Session
from scale import scaled
from talk_bench import talk

if TYPE_CHECKING:
    from pathlib import Path

DM = Session.dm(id="own")
MEMORY = Name("main", "MEMORY.md")


def changed(message: str, statement: str) -> str:
    """A statement after a message, by its forms alone."""
    for one in explicit(message):
        made = change(one, statement)
        if made is not None and speaks_of(one, made, statement) and shares_topic(one.message, made, statement):
            return made.applied(statement)
    return statement


@pytest.mark.parametrize(
    ("statement", "message", "after"),
    [
        ("The choir meets on Tuesday", "the choir meets not on Tuesday but on Thursday", "The choir meets on Thursday"),
        (
            "The choir meets on Tuesday",
            "I said the choir meets on Thursday, not Tuesday",
            "The choir meets on Thursday",
        ),
        ("The pump takes 3.5 litres", "the pump isn't 3.5 litres, it's 4.5 litres", "The pump takes 4.5 litres"),
        (
            "Our plumber is called Ferris",
            "Ferris is wrong, the plumber is called Norris",
            "Our plumber is called Norris",
        ),
        (
            "Our plumber is called Ferris",
            "our plumber is called Norris, Ferris is wrong",
            "Our plumber is called Norris",
        ),
        ("The rent is 1,150 euros a month", "the rent is 1,250, not 1,150", "The rent is 1,250 euros a month"),
        ("The key is in the shed", "the key isn't in the shed, it's under the mat", "The key is under the mat"),
        ("Der Kater heißt Mikko", "der Kater heißt nicht Mikko, sondern Miko", "Der Kater heißt Miko"),
        ("La réunion est à Lyon", "la réunion n'est pas à Lyon mais à Dijon", "La réunion est à Dijon"),
        ("El gato se llama Tito", "el gato no se llama Tito sino Tico", "El gato se llama Tico"),
        ("Il treno parte da Parma", "il treno non parte da Parma ma da Pavia", "Il treno parte da Pavia"),
        ("O gato chama-se Tito", "o gato chama-se Tico, não Tito", "O gato chama-se Tico"),
        ("De kat heet Minoes", "de kat heet niet Minoes maar Moortje", "De kat heet Moortje"),
        ("Kot ma na imię Filemon", "kot to nie Filemon, tylko Bonifacy", "Kot ma na imię Bonifacy"),
        ("Кота зовут Барсик", "кота зовут не Барсик, а Мурзик", "Кота зовут Мурзик"),
        ("会议在星期二", "会议不是星期二，是星期四", "会议在星期四"),
        ("犬の名前はポチ", "犬の名前はポチじゃなくてシロだよ", "犬の名前はシロ"),
    ],
)
def test_an_explicit_form_changes_its_value(statement: str, message: str, after: str) -> None:
    assert changed(message, statement) == after


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("The cake needs 1/2 cup of milk", "the cake needs 5, not 2, of milk"),
        ("Version 3.5 is installed", "version 4 is installed, not 5"),
        ("The team is Leeds United", "the team is Hull, not Leeds"),
        ("My sister lives in Rennes", "my cousin lives in Brest, not Rennes"),
        ("The choir meets on Tuesday", "does the choir meet on Thursday, not Tuesday?"),
        ("The choir meets on Tuesday", "if the choir met on Thursday, not Tuesday, I could come"),
        ("The choir meets on Tuesday", "Ben: the choir meets on Thursday, not Tuesday"),
        ("The choir meets on Tuesday", 'the poster says "the choir meets on Thursday, not Tuesday"'),
        ("The choir meets on Tuesday", "> the choir meets on Thursday, not Tuesday\nfunny"),
        ("The choir meets on Tuesday", "```\nthe choir meets on Thursday, not Tuesday\n```"),
        ("The choir meets on Tuesday", "translate: the choir meets on Thursday, not Tuesday"),
        ("The choir meets on Tuesday", "the choir meets on Thursday, not Tuesday. " + "And so on and so forth. " * 20),
        ("The choir meets on Tuesday", "no, it's Thursday"),
        ("The choir meets on Tuesday and Thursday", "the choir meets on Thursday, not Tuesday"),
        ("The bike is red", "my bike is not red"),
        ("会場は市民ホール", "市民ホールじゃなくてよかった"),
    ],
)
def test_what_is_no_certain_correction_changes_nothing(statement: str, message: str) -> None:
    assert changed(message, statement) == statement


def entries(texts: list[str]) -> bytes:
    return ("# Memory\n\n## Knowledge\n\n" + "".join(f"- {text}\n" for text in texts)).encode()


THINGS = ("choir", "boiler", "library", "ferry", "allotment")
VALUES = ("Tuesday", "Friday", "14:30", "9:45", "75 mg", "12 euros", "Halifax", "Norris", "3 May", "8 October")


@given(
    st.lists(
        st.tuples(st.sampled_from(THINGS), st.sampled_from(VALUES)), min_size=1, max_size=4, unique_by=lambda p: p[0]
    ),
    st.sampled_from(VALUES),
    st.sampled_from(
        ["the {thing} is {new}, not {old}", "the {thing} isn't {old}, it's {new}", "the {thing} is not {old} but {new}"]
    ),
)
@settings(max_examples=scaled(10, 100))
def test_an_entry_differs_by_the_corrected_value_alone(known: list[tuple[str, str]], new: str, form: str) -> None:
    t = talk()
    before = [f"The {thing} is {value}, as agreed" for thing, value in known]
    t.agent.files.put("MEMORY.md", entries(before))
    thing, old = known[0]
    t.say(DM, form.format(thing=thing, old=old, new=new), sender="Nora", person="acct:owner")
    after = [e.text for e in t.document(MEMORY).entries if e.form != "prose"]
    assert after[1:] == before[1:]
    assert after[0] in (before[0], f"The {thing} is {new}, as agreed")


WORDS = st.sampled_from(
    [
        "the choir",
        "Tuesday",
        "Thursday",
        "no",
        "it's",
        "actually,",
        "wrong",
        "I said",
        "seven",
        "14:30",
        "is",
        "now",
        "we",
        "?",
    ]
)


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=80))
@settings(max_examples=scaled(20, 200))
def test_a_message_without_an_explicit_form_changes_no_word_of_an_entry(text: str) -> None:
    if explicit(text) or not text.strip():
        return
    t = talk()
    t.agent.files.put("MEMORY.md", entries(["The choir meets on Tuesday at 14:30", "Jonas is seven"]))
    t.say(DM, "The choir meets on Tuesday at 14:30.", role="assistant")
    t.say(DM, text, sender="Nora", person="acct:owner")
    t.agent.run("recall-validator")
    assert [e.text for e in t.document(MEMORY).entries if e.form != "prose"] == [
        "The choir meets on Tuesday at 14:30",
        "Jonas is seven",
    ]


@given(st.text(max_size=200), st.text(max_size=80))
def test_any_text_is_read(message: str, statement: str) -> None:
    for one in explicit(message):
        made = change(one, statement)
        assert made is None or statement[made.start : made.end] == made.old


def right(old: str, new: str, means: str) -> Correction:
    return Correction("c", "2026-02-04", means, means, old, new, "", embedded=True)


@pytest.mark.parametrize(
    "text",
    [
        "The choir meets on Thursdays now, not Tuesdays",
        "The choir no longer meets on Tuesdays",
        "The dentist is on Tuesday",
        "The choir's bus is repaired on Tuesday",
        "Thursday is choir, Tuesday is chess",
    ],
)
def test_what_is_right_denied_or_of_something_else_is_never_hidden(text: str) -> None:
    one = right("Tuesday", "Thursday", "The choir meets on Thursday")
    assert without_wrong([one], text) == text


@pytest.mark.parametrize(
    "text", ["The choir meets on Tuesday", "choir: Tuesdays at 7", "see you all on Tuesday for choir!"]
)
def test_what_says_the_wrong_value_again_of_the_same_matter_is_hidden(text: str) -> None:
    assert is_against(right("Tuesday", "Thursday", "The choir meets on Thursday"), text)


def test_what_else_a_sentence_says_stays_when_its_wrong_clause_is_hidden() -> None:
    one = right("Tuesday", "Thursday", "The choir meets on Thursday")
    text = "our choir sings in the old mill on Bridge Street, always Tuesdays, twelve voices"
    assert without_wrong([one], text) == "our choir sings in the old mill on Bridge Street, twelve voices"


def test_a_language_is_added_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "talk little: zu ze zo mi ta",
        "talk mine: mi",
        "correction forms: zu {old} zo {new}",
        "correction is: ta",
    ]
    (tmp_path / "xx.txt").write_text("\n".join(lines) + "\n", "utf-8")
    made_up = lexicon.read_languages(tmp_path)
    found = {section: {**codes, **made_up.get(section, {})} for section, codes in lexicon._sections().items()}
    monkeypatch.setattr(lexicon, "_sections", lambda: found)
    for cached in ("oldsoul.language.languages._codes", "oldsoul.language.languages.little_words"):
        module, _, name = cached.rpartition(".")
        getattr(__import__(module, fromlist=[name]), name).cache_clear()
    try:
        assert changed("mi pelka ta zu Vorn zo Vusk", "ze pelka ta Vorn") == "ze pelka ta Vusk"
    finally:
        monkeypatch.undo()
        for cached in ("oldsoul.language.languages._codes", "oldsoul.language.languages.little_words"):
            module, _, name = cached.rpartition(".")
            getattr(__import__(module, fromlist=[name]), name).cache_clear()
