"""Questions and memories in other languages than English: which language it is, and how its words are looked for."""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.language.languages import language, spoken_most
from oldsoul.ranking.answers import unanswerable
from oldsoul.ranking.question import Kind, asked
from oldsoul.ranking.terms import terms
from oldsoul.testing import FrozenClock
from oldsoul.values.sessions import Session
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.app import Agent

WRITTEN = {
    "de": "Wann muss ich zum Zahnarzt?",
    "es": "¿Cómo se llama el perro de mi hermana?",
    "fr": "Où est-ce que j'ai rangé les clés ?",
    "it": "Quanto pago di affitto ogni mese?",
    "pt": "Qual é o nome da minha médica?",
    "nl": "Hoe heet de kat van mijn buren?",
    "sv": "Var har jag lagt passet?",
    "da": "Hvornår skal jeg til tandlægen?",
    "pl": "Kiedy mam wizytę u lekarza?",
    "cs": "Kolik stojí nájem, který platím?",
    "ro": "Unde am pus cheile de la mașină?",
    "tr": "Annemin doğum günü ne zaman?",
    "hu": "Mikor kell mennem a fogorvoshoz?",
    "fi": "Milloin minulla on hammaslääkäri?",
    "id": "Kapan saya harus pergi ke dokter gigi?",
    "vi": "Khi nào tôi phải đi khám răng?",
    "ru": "Когда мне нужно к зубному врачу?",
    "uk": "Коли мені потрібно до стоматолога?",
    "zh": "我什么时候去看牙医？",
    "ja": "歯医者はいつですか？",
    "ko": "치과 예약이 언제야?",
    "": "متى موعد طبيب الأسنان؟",
}
ENGLISH = (
    *(
        "When is my dentist appointment?",
        "car model",
        "Kenji's car is an Outback.",
        "Go version changed",
        "half past four",
    ),
    *(
        "Die Hard tickets for Friday",
        "Who did Hans call on the 5th?",
        "The menu: pommes frites, sauerkraut and gelato.",
        "",
    ),
    *("Sara allergies", "Mia shoe size", "Ella birthday", "Café Müller opening hours", "Las Vegas hotel", "La Jolla"),
    *("flight to Los Angeles", "Da Vinci code", "en suite bathroom tiles", "om meditation app"),
    *("What did José say about the café?", "due date", "no", "for i in range(10): print(i)", "Router: 192.168.1.1"),
)


@pytest.mark.parametrize(("code", "text"), WRITTEN.items())
def test_a_language_is_told_by_its_little_words(code: str, text: str) -> None:
    assert language(text) == code


@pytest.mark.parametrize("text", ENGLISH)
def test_what_looks_like_another_language_is_english_still(text: str) -> None:
    assert language(text) == "en"


@given(st.text(max_size=600))
def test_every_text_has_a_language(text: str) -> None:
    assert language(text) in {"en", *WRITTEN}


@pytest.mark.parametrize(
    ("text", "content", "kind"),
    [
        ("Wann muss ich zum Zahnarzt?", ("zahnarzt",), Kind.WHEN),
        ("¿Cuántos primos tengo?", ("primos",), Kind.COUNT),
        ("Qui garde le chien ?", ("garde", "chien"), Kind.NAME),
        ("Сколько я плачу за квартиру?", ("плачу", "квартиру"), Kind.COUNT),
        ("cuanto pago de alquiler", ("pago", "alquiler"), Kind.COUNT),
        ("병원 예약이 언제였지?", ("병원", "예약"), Kind.WHEN),
    ],
)
def test_little_words_are_left_out_and_say_what_is_asked_for(text: str, content: tuple[str, ...], kind: Kind) -> None:
    question = asked(text)
    assert question.content == content
    assert kind in question.kind


@pytest.mark.parametrize(
    ("text", "days", "alone"),
    [
        ("Was habe ich gestern gesagt?", 1, True),
        ("Was habe ich gestern gekauft?", 1, False),
        ("¿Qué hicimos ayer?", 1, True),
        ("Qu'est-ce que j'ai fait il y a deux jours ?", 2, True),
        ("Что я говорил вчера?", 1, True),
        ("Co kupiłem wczoraj?", 1, False),
    ],
)
def test_a_day_is_named_alone_or_with_something_else(text: str, days: int, alone: bool) -> None:  # noqa: FBT001 - a table
    question = asked(text, on=date(2026, 10, 28))
    assert [span.first for span in question.dates] == [date(2026, 10, 28).toordinal() - days]
    assert (Kind.DAY in question.kind) is alone


def test_a_name_that_is_a_little_word_is_none() -> None:
    assert asked("Wanneer is Ben jarig?").content == ("ben", "jarig")
    assert asked("Quando è il compleanno di Mia?").content == ("compleanno", "mia")


def test_letters_and_their_accents_may_be_written_apart() -> None:
    assert asked(unicodedata.normalize("NFD", "Where does Jürgen live?")) == asked("Where does Jürgen live?")


def test_who_asks_is_understood() -> None:
    assert asked("Wo ist mein Fahrrad?").mine == 1.0
    assert asked("Wo steht das Fahrrad?").mine == 0.0


def test_korean_words_are_found_whatever_is_written_on_to_them() -> None:
    assert set(terms("병원")) <= set(terms("병원에서"))
    assert terms("집은")[0] == terms("집에")[0] == "집"


@pytest.mark.parametrize("code", ["en", "zh", "ja", "ko", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "sv", "tr"])
def test_a_store_is_asked_what_it_cannot_know_in_the_language_of_the_question(code: str) -> None:
    made = unanswerable(("Kim",), code)
    assert len(made) == len(set(made)) == (60 if code == "en" else 20)
    assert sum(language(text) == code for text in unanswerable((), code)) >= len(made) - 1


def test_nothing_is_asked_in_a_language_nobody_wrote_questions_in() -> None:
    assert unanswerable(("Kim",), "") == []


@pytest.fixture
def german(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "config.yaml").write_text("timezone: UTC\n")
    with open_home(tmp_path, {}, clock=FrozenClock(datetime(2026, 2, 4, 12, tzinfo=UTC))) as soul:
        for memory in GERMAN:
            soul.agent().remember(memory)
        yield soul.agent()


GERMAN = (
    *(
        "Montags gehe ich mit Kerstin zum Chor.",
        "Die Kinder sind bei der Oma in Kassel.",
        "Das Auto steht in der Werkstatt.",
    ),
    *("Die Katze heißt Mimi und ist elf.", "Wir heizen mit Pellets.", "Im Keller steht das alte Klavier."),
    *("Für den Garten habe ich eine Säge gekauft.", "Onkel Horst feiert bald seinen Siebzigsten."),
    *("Der Zahnarzttermin ist am 3. März um neun.", "Ich trinke morgens nur noch grünen Tee."),
)


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("Wann muss ich zum Zahnarzt?", "Zahnarzttermin"),
        ("In welchen Werkstätten war der Wagen?", "Werkstatt"),
        ("Welche Gärten hat der Onkel, und was feierte er?", "feiert"),
    ],
)
def test_a_word_in_another_form_is_found(german: Agent, question: str, memory: str) -> None:
    assert memory in german.recall(question, session=Session.dm()).hits[0].chunk.text


def test_a_question_without_little_words_is_in_the_language_of_what_is_found(german: Agent) -> None:
    assert "Werkstatt" in german.recall("Werkstätten Wagen", session=Session.dm()).hits[0].chunk.text
    assert german.recall("Katzee Klavierr", session=Session.dm()).notes == ()


def test_most_of_what_is_read_says_which_language_it_is() -> None:
    assert spoken_most(GERMAN) == "de"
    assert spoken_most([*GERMAN[:3], *ENGLISH[:3]]) == "en"
    assert spoken_most(["我什么时候去看牙医？"]) == spoken_most([]) == "en"


def test_what_nobody_told_is_not_called_found_in_another_language(german: Agent) -> None:
    for question in ("Welche Oper hat der Bundeskanzler komponiert?", "Wie tief ist der Baikalsee?"):
        assert german.recall(question, session=Session.dm()).answer != "found"
    assert german.recall("Wie heißt die Katze?", session=Session.dm()).answer == "found"


def test_a_word_of_another_language_is_no_slip(german: Agent) -> None:
    assert german.recall("Wo ist die Katzee und das Klavierr?", session=Session.dm()).notes == ()
