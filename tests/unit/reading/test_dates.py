"""Times in languages that the list names: read as in English, with accents and without, and seldom where there are none."""

from __future__ import annotations

from datetime import date

import pytest

from oldsoul.ranking.marks import Mark, marked
from oldsoul.reading.dates import spans
from oldsoul.reading.times import codes_of

ASKED = date(2026, 10, 28)
"""A Wednesday."""
TIMES = {
    "2026-10-26": """vorgestern; sie kam vorgestern; avant-hier; anteayer; anteontem; l'altro ieri; eergisteren;
        przedwczoraj; позавчера; i förrgår; evvelsi gün; 그저께; 이틀 전""",
    "2026-10-27": """Was habe ich gestern gemacht?; Qu'est-ce que j'ai acheté hier ?; ayer; ontem; ieri; gisteren; wczoraj;
        вчера; igår; i går; dün; 어제 뭐 했어?""",
    "2026-10-28": "heute; aujourd'hui; aujourd’hui; hoy; hoje; oggi; vandaag; dziś; dzisiaj; сегодня; idag; bugün; 오늘",
    "2026-10-29": "morgen; demain; Qué hago mañana?; amanhã; amanha; domani; jutro; завтра; imorgon; yarın; 내일",
    "2026-10-25": """vor drei Tagen; il y a trois jours; hace tres días; hace 3 dias; há três dias; ha 3 dias; tre giorni fa;
        drie dagen geleden; trzy dni temu; три дня назад; för tre dagar sedan; üç gün önce; 3일 전에""",
    "2026-10-11/2026-10-17": """vor zwei Wochen; il y a 2 semaines; hace dos semanas; duas semanas atrás; due settimane fa;
        twee weken geleden; dwa tygodnie temu; две недели назад; för två veckor sedan; iki hafta önce; 2주 전""",
    "2026-10-18/2026-10-24": "vor einer Woche; een week geleden; tydzień temu; неделю назад; bir hafta önce; 일주일 전",
    "2025-04-29/2026-04-28": """vor einem Jahr; il y a un an; hace un año; há um ano; un anno fa; een jaar geleden; rok temu;
        год назад; för ett år sedan; bir yıl önce; 1년 전""",
    "2026-10-19/2026-10-25": """letzte Woche; la semaine dernière; la semaine derniere; la semana pasada; semana passada;
        la settimana scorsa; vorige week; w zeszłym tygodniu; w zeszlym tygodniu; на прошлой неделе; förra veckan;
        forra veckan; geçen hafta; gecen hafta; 지난주에; 지난 주""",
    "2026-11-01/2026-11-30": """nächsten Monat; naechsten Monat; le mois prochain; el próximo mes; próximo mês;
        il mese prossimo; volgende maand; w przyszłym miesiącu; в следующем месяце; nästa månad; gelecek ay; 다음 달""",
    "2025-01-01/2025-12-31": """letztes Jahr; l'année dernière; l'an dernier, il est parti; el año pasado; o ano passado;
        l'anno scorso; vorig jaar; w zeszłym roku; в прошлом году; förra året; geçen yıl; 작년""",
    "2026-10-23": """am Freitag; letzten Freitag; vendredi dernier; el viernes; na sexta-feira; venerdì scorso; op vrijdag;
        w piątek; в пятницу; в прошлую пятницу; i fredags; cuma günü; 지난 금요일; Freitag; vendredi; viernes; 금요일""",
    "2026-10-30": "nächsten Freitag; vendredi prochain; volgende vrijdag; w przyszły piątek; på fredag; 다음 금요일",
    "2024-03-05": """am 5. März 2024; le 5 mars 2024; el 5 de marzo de 2024; 5 de março de 2024; il 5 marzo 2024; 5 maart 2024;
        5 marca 2024; 5 марта 2024; den 5 mars 2024; 5 Mart 2024; 2024년 3월 5일""",
    "2026-05-05": "am 5. Mai; 5 de mayo; 5 de maio; il 5 maggio; 5 mei; 5 maja jest; 5 мая; 5 maj var; 5 mayıs; 5월 5일",
    "2025-12-01/2025-12-31": """Dezember 2025; décembre 2025; diciembre de 2025; dezembro de 2025; dicembre 2025;
        Was war im Dezember?; grudzień 2025; что было в декабре; aralık 2025; 2025년 12월; on était où en décembre ?""",
}


@pytest.mark.parametrize(
    ("text", "days"), [(text.strip(), days) for days, texts in TIMES.items() for text in texts.split(";")]
)
def test_everyday_times_are_read_in_many_languages(text: str, days: str) -> None:
    found = {f"{date.fromordinal(each.first)}/{date.fromordinal(each.last)}" for each in spans(text, ASKED)}
    assert found == {days if "/" in days else f"{days}/{days}"}
    assert Mark(marked(text, ASKED).flags) & Mark.TIME


@pytest.mark.parametrize(
    "text",
    [
        "Guten Morgen",
        "Ich bin hier und warte",
        "Hier heb je het",
        "por la mañana",
        "le lundi",
        "내 주머니",
        "3일 전쟁",
        "그제야",
    ],
)
def test_words_that_mean_something_else_there_are_no_times(text: str) -> None:
    assert spans(text, ASKED, is_statement=True) == []


@pytest.mark.parametrize(
    "text",
    [
        "An end to the gun debate, once and for all",
        "The Mars rover has ten wheels",
        "This week in April was fun, and we will be here in August and September",
        "Ben sees the weekend as a gift",
    ],
)
def test_english_takes_the_fast_way(text: str) -> None:
    assert codes_of(text) == ["en"]


@pytest.mark.parametrize(
    "text",
    [
        "Where does Domingo work?",
        "How much did the Freitag bag cost?",
        "Fries taste best with mayo",
        "I bought 3 Mars bars",
    ],
)
def test_words_of_another_language_than_the_text_is_in_are_no_times(text: str) -> None:
    assert spans(text, ASKED) == []
    assert not Mark(marked(text, ASKED).flags) & Mark.TIME


def test_a_korean_word_in_an_english_text_is_no_time() -> None:
    assert spans("The word 오늘 is what she taught me", ASKED) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("What did I say on 10th November 2025?", date(2025, 11, 10)),
        ("What did I say on the 10th of November?", date(2025, 11, 10)),
        ("What did I say on November 10th, 2020?", date(2020, 11, 10)),
        ("Hvad lavede jeg den 5 mars 2024?", date(2024, 3, 5)),
    ],
)
def test_a_date_is_read_in_the_language_of_its_text(text: str, day: date) -> None:
    assert day.toordinal() in {span.first for span in spans(text, ASKED) if span.first == span.last}


def test_a_time_needs_the_day_it_was_said_in_any_language() -> None:
    assert spans("gestern, am 5. Mai, letzte Woche, 어제") == []
    assert len(spans("am 5. Mai 2024, 2024년 5월 3일")) == 2


def test_many_dates_are_read_in_one_go_and_only_where_a_text_begins() -> None:
    assert len(spans("2024-03-05 " * 20_000)) == 909
    assert spans("x" * 10_000 + " 2024-03-05") == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("What happened before 3 November 2025?", "0001-01-01/2025-11-02"),
        ("What happened before yesterday?", "0001-01-01/2026-10-26"),
        ("What happened before May?", "0001-01-01/2026-04-30"),
        ("the week before 3 November 2025", "2025-10-27/2025-11-02"),
        ("the day after 3 November 2025", "2025-11-04/2025-11-04"),
        ("What did I do after 9 October?", "2026-10-10/2026-10-28"),
        ("What is planned after 2026-11-20?", "2026-11-21/2027-11-22"),
        ("What did I do since Monday?", "2026-10-26/2026-10-28"),
        ("since early 2020", "2020-01-01/2026-10-28"),
        ("since last week", "2026-10-19/2026-10-28"),
        ("since the start of the year", "2026-01-01/2026-10-28"),
        ("What was said at the end of last month?", "2026-09-01/2026-09-30"),
        ("What did I plan until 3 October?", "0001-01-01/2026-10-03"),
        ("what was done by the 3rd of October", "0001-01-01/2026-10-03"),
        ("from 2026-11-01 to 2026-11-05", "2026-11-01/2026-11-05"),
        ("between October 1 and October 5", "2026-10-01/2026-10-05"),
        ("between August 11 and August 15 2023", "2023-08-11/2023-08-15"),
        ("from November 20 to January 5", "2025-11-20/2026-01-05"),
        ("from Monday to Tuesday", "2026-10-26/2026-10-27"),
        ("from Monday to Wednesday", "2026-10-26/2026-10-28"),
        ("from Monday to Friday", "2026-10-19/2026-10-23"),
        ("between 2019 and 2021", "2019-01-01/2021-12-31"),
        ("the day before yesterday", "2026-10-26/2026-10-26"),
        ("the week before last", "2026-10-12/2026-10-18"),
    ],
)
def test_what_is_before_or_after_a_time_or_between_two_can_be_asked_for(text: str, days: str) -> None:
    assert [f"{date.fromordinal(each.first)}/{date.fromordinal(each.last)}" for each in spans(text, ASKED)] == [days]


def test_times_told_of_are_read_as_they_stand() -> None:
    assert [span.first for span in spans("It was before 2026-10-05", ASKED, is_statement=True)] == [
        date(2026, 10, 5).toordinal()
    ]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "基本月薪是多少？",
            "日本周边有什么？",
            "明日香は元気？",
            "2026-13-45",
            "bottled in spring water",
            "my PIN is 1999 now",
        ),
        *(
            "What is PIN 1999?",
            "What runs on port 2049?",
            "Who sleeps in room 2023?",
            "It cost 1999 euros",
            "It cost $2000",
        ),
        *("Call 555-2012", "Call 555-2012?", "Did James try Cyberpunk 2077 game?", "Wer schläft in Zimmer 2023?"),
        *("I paid in 2000 euros", "version 2.2020", "Who lives at number 1999"),
    ],
)
def test_numbers_and_words_that_look_like_times_are_none(text: str) -> None:
    assert spans(text, ASKED) == []


@pytest.mark.parametrize(
    "text",
    [
        *("in 2019", "What did I do in 2019?", "trip to Italy 2019", "the year 2019", "2019 was good", "my 2019 trip"),
        *("Olympics (2019)", "Ich habe 2019 in Rom gewohnt", "In 2019, we moved", "mid-2019", "en 2019"),
    ],
)
def test_years_are_read(text: str) -> None:
    assert [(span.first, span.last) for span in spans(text, ASKED)] == [
        (date(2019, 1, 1).toordinal(), date(2019, 12, 31).toordinal())
    ]


def test_a_season_that_is_none_is_not_marked() -> None:
    assert not Mark(marked("bottled in spring water", ASKED).flags) & Mark.TIME


def test_several_years_and_dates_without_a_space_are_read() -> None:
    assert len(spans("in 2018, 2019 and 2021", is_statement=True)) == 3
    assert len(spans("Seasons: the 2019/2020 one", is_statement=True)) == 2
    assert spans("on December 1,2023") == spans("2023-12-01")
    assert len(spans("本周", ASKED)) == len(spans("我本月很忙", ASKED)) == len(spans("明日", ASKED)) == 1


WEDNESDAY = date(2026, 2, 4)
"""In February."""


def _told(text: str) -> list[str]:
    found = spans(text, WEDNESDAY, is_statement=True)
    return [f"{date.fromordinal(each.first)}/{date.fromordinal(each.last)}" for each in found]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "We will meet on Friday",
            "I'm seeing the dentist on Friday",
            "The exam is on Friday",
            "I fly home on Friday",
        ),
        *("Am Freitag werde ich operiert", "Am Freitag gehe ich ins Kino", "Je vais chez elle vendredi"),
        *(
            "El viernes voy a Madrid",
            "Venerdì andrò a Roma",
            "Op vrijdag ga ik naar Utrecht",
            "W piątek pojadę do domu",
        ),
        *("В пятницу поедем к маме", "我打算周五去北京", "金曜日に行く予定です"),
    ],
)
def test_a_weekday_in_a_plan_is_the_coming_one(text: str) -> None:
    assert _told(text) == ["2026-02-06/2026-02-06"]


@pytest.mark.parametrize(
    "text",
    [
        *("We met on Friday", "On Friday I visited Ann", "She was ill on Friday", "He told me on Friday that it's off"),
        *("Am Freitag war ich im Kino", "Am Freitag habe ich Anna getroffen", "Je suis allé chez elle vendredi"),
        *("El viernes compré pan", "Venerdì ho visto Anna", "Op vrijdag heb ik haar gezien", "W piątek byłem w domu"),
        *("В пятницу я был у мамы", "我周五去了北京", "金曜日に行きました"),
    ],
)
def test_a_weekday_in_a_report_is_the_last_one(text: str) -> None:
    assert _told(text) == ["2026-01-30/2026-01-30"]


@pytest.mark.parametrize(
    "text", ["Dinner on Friday", "Cake on Friday, or not", "Am Freitag Kuchen", "He said we will meet on Friday"]
)
def test_a_weekday_that_may_be_either_is_no_date(text: str) -> None:
    assert _told(text) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The conference is in June", "2026-06-01/2026-06-30"),
        ("We fly to Oslo in June", "2026-06-01/2026-06-30"),
        ("Holiday in June", "2026-06-01/2026-06-30"),
        ("I graduated in June", "2025-06-01/2025-06-30"),
        ("In January we will move", "2027-01-01/2027-01-31"),
        ("We moved in January", "2026-01-01/2026-01-31"),
        ("We want to go to Rome this summer", "2026-06-01/2026-08-31"),
        ("this summer", "2026-06-01/2026-08-31"),
        ("this winter", "2025-12-01/2026-02-28"),
        ("last summer we were in Rome", "2025-06-01/2025-08-31"),
        ("in two weeks", "2026-02-15/2026-02-21"),
        ("We leave in 3 days", "2026-02-07/2026-02-07"),
        ("Wir fahren in drei Tagen", "2026-02-07/2026-02-07"),
        ("Nous partons dans trois jours", "2026-02-07/2026-02-07"),
        ("Через три дня", "2026-02-07/2026-02-07"),
        ("三天后", "2026-02-07/2026-02-07"),
        ("3日後", "2026-02-07/2026-02-07"),
    ],
)
def test_months_seasons_and_what_is_so_many_days_ahead_are_those_that_are_meant(text: str, days: str) -> None:
    assert _told(text) == [days]


@pytest.mark.parametrize(
    "text", ["We are open 24/7", "Add 1/2 cup of sugar", "I learned it in 3 days", "Take 3/4 of it"]
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert _told(text) == []
