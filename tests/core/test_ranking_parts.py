"""The parts of ranking: terms, marks, dates, questions, the static tables."""

from __future__ import annotations

import hashlib
from datetime import date
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.adapters.embedders import static
from oldsoul.adapters.embedders.sentences import SentenceEncoder
from oldsoul.adapters.embedders.static import UNKNOWN, StaticTable, WordPieces, cut
from oldsoul.errors import Damaged, Unavailable
from oldsoul.language.words import stem
from oldsoul.ranking.answers import unanswerable
from oldsoul.ranking.marks import Mark, length, marked
from oldsoul.ranking.pool import Asked, Static
from oldsoul.ranking.question import Kind, asked, members
from oldsoul.ranking.terms import prefix, terms, told
from oldsoul.ranking.translations import abroad
from oldsoul.ranking.vectors import directions, embedded, raw_means, weights
from oldsoul.reading.dates import spans

PORTER = {
    "caresses": "caress",
    "ponies": "poni",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "hopping": "hop",
    "falling": "fall",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "conditional": "condit",
    "valenci": "valenc",
    "digitizer": "digit",
    "operator": "oper",
    "feudalism": "feudal",
    "decisiveness": "decis",
    "callousness": "callous",
    "formaliti": "formal",
    "sensitiviti": "sensit",
    "triplicate": "triplic",
    "formative": "form",
    "electrical": "electr",
    "hopeful": "hope",
    "goodness": "good",
    "revival": "reviv",
    "allowance": "allow",
    "inference": "infer",
    "airliner": "airlin",
    "gyroscopic": "gyroscop",
    "adjustable": "adjust",
    "replacement": "replac",
    "adoption": "adopt",
    "communism": "commun",
    "effective": "effect",
    "probate": "probat",
    "rate": "rate",
    "cease": "ceas",
    "roll": "roll",
}


@pytest.mark.parametrize(("word", "expected"), PORTER.items())
def test_words_are_cut_as_porter_cut_them(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_shapes_of_a_word_and_words_of_a_family_are_one_term() -> None:
    for group in ("went goes going gone", "children kid kids child's", "Mother mom MUM", "films movie", "ran running"):
        assert len({tuple(terms(word)) for word in group.split()}) == 1


def test_terms_keep_their_order_and_lose_case_width_and_accents() -> None:
    assert terms("Café ＡＢＣ and Zürich") == ["cafe", "abc", "and", "zurich"]


def test_scripts_without_spaces_give_characters_and_pairs() -> None:
    assert terms("北京") == ["北", "北京", "京"]
    assert terms("iPhone手机") == ["iphon", "手", "手机", "机"]
    assert terms("東京タワー")[:3] == ["東", "東京", "京"]


@given(st.text())
def test_any_text_has_terms_marks_and_a_question(text: str) -> None:
    assert all(terms(text))
    marked(text, date(2026, 1, 1))
    question = asked(text, ("Anna", "小明"), on=date(2026, 1, 1))
    assert len(question.terms) == len(question.members)


def test_prefixes_bring_related_words_together() -> None:
    assert prefix(terms("baker")[0]) == prefix(terms("bakeries")[0])


def test_what_is_told_without_its_word_is_found_by_it() -> None:
    assert told("Lotte turns 40 on Sunday") == told("he turned thirty") == terms("birthday")
    assert told("the oven turns 180 degrees") == told("turn left") == []


@pytest.mark.parametrize(
    ("text", "mine"),
    [
        ("What is my blood type?", 1.0),
        ("Who is our landlord?", 0.5),
        ("Where does Anna live?", 0.0),
        ("我住在哪里？", 1.0),
        ("我们什么时候搬家？", 0.5),
        ("Which islands are warm?", 0.0),
    ],
)
def test_whoever_asks_may_ask_about_themselves(text: str, mine: float) -> None:
    assert asked(text).mine == mine


def test_kinds_of_things_know_what_belongs_to_them() -> None:
    assert terms("violin")[0] in members(*terms("instruments"))
    assert terms("karate")[0] in members("martial", "art")
    assert members("quark") == ()


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("We met two years ago.", Mark.TIME | Mark.NUMBER | Mark.FIRST_PERSON),
        ("Have you been to Rome?", Mark.NAME | Mark.ASKS | Mark.ONLY_ASKS),
        ("It is warm. Is it Rome?", Mark.NAME | Mark.ASKS),
        ("the boat leaves before noon, can you check it?", Mark.ASKS),
        ("if the boat leaves early, can you check it?", Mark.ASKS | Mark.ONLY_ASKS),
        ("wenn das boot früh ablegt, was dann?", Mark.ASKS | Mark.ONLY_ASKS),
        ("It was nice.", Mark(0)),
        ("我去年去了北京。", Mark.TIME | Mark.FIRST_PERSON | Mark.FOREIGN),
        ("你吃了吗？", Mark.ASKS | Mark.ONLY_ASKS | Mark.FOREIGN),
        ("Мы живём в Москве.", Mark.FOREIGN),
        ("Bin in 台南 gewesen", Mark(0)),
        ("A book called “Dune”", Mark.NAME),
        ("That was €40, or 35 pounds", Mark.NUMBER | Mark.MONEY),
        ("She prefers tea", Mark.LIKES),
        ("她喜欢喝茶", Mark.LIKES | Mark.FOREIGN),
        ("The choir meets at Olga's instead", Mark.NAME | Mark.CHANGES),
        ("swimming is off this term", Mark.CHANGES),
        ("会议改到晚上了", Mark.CHANGES | Mark.FOREIGN),
        ("以后别叫我老板", Mark.FIRST_PERSON | Mark.FOREIGN),
    ],
)
def test_a_text_is_marked_by_what_it_holds(text: str, flags: Mark) -> None:
    assert Mark(marked(text).flags) == flags


def test_words_are_counted_in_any_script() -> None:
    assert length("one two three") == 3
    assert length("我昨天去了北京") == 3
    assert length("") == 0


SAID = date(2023, 5, 8)  # a Monday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 7 May 2023", date(2023, 5, 7), date(2023, 5, 7)),
        ("May 7, 2023", date(2023, 5, 7), date(2023, 5, 7)),
        ("2023-05-07", date(2023, 5, 7), date(2023, 5, 7)),
        ("2023年5月7日", date(2023, 5, 7), date(2023, 5, 7)),
        ("in February 2022", date(2022, 2, 1), date(2022, 2, 28)),
        ("what happened in June", date(2022, 6, 1), date(2022, 6, 30)),
        ("yesterday", date(2023, 5, 7), date(2023, 5, 7)),
        ("昨天", date(2023, 5, 7), date(2023, 5, 7)),
        ("last week", date(2023, 5, 1), date(2023, 5, 7)),
        ("last Friday", date(2023, 5, 5), date(2023, 5, 5)),
        ("next Monday", date(2023, 5, 15), date(2023, 5, 15)),
        ("last Monday", date(2023, 5, 1), date(2023, 5, 1)),
        ("3 days ago", date(2023, 5, 5), date(2023, 5, 5)),
        ("去年", date(2022, 1, 1), date(2022, 12, 31)),
        ("上个月", date(2023, 4, 1), date(2023, 4, 30)),
        ("in 2019", date(2019, 1, 1), date(2019, 12, 31)),
    ],
)
def test_times_are_read_and_relative_ones_resolved(text: str, first: date, last: date) -> None:
    found = spans(text, SAID)
    assert [(date.fromordinal(each.first), date.fromordinal(each.last)) for each in found] == [(first, last)]


ASKED = date(2026, 10, 28)
"""A Wednesday."""


def _days(text: str, *, told: bool = False) -> list[str]:
    """What a text names, as `first/last`, or as one day."""
    found = [
        (date.fromordinal(each.first), date.fromordinal(each.last)) for each in spans(text, ASKED, is_statement=told)
    ]
    return [f"{first}/{last}" if first != last else f"{first}" for first, last in found]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("the day before yesterday", "2026-10-26"),
        ("the day after tomorrow", "2026-10-30"),
        ("the night before last", "2026-10-26"),
        ("this afternoon", "2026-10-28"),
        ("the week before last", "2026-10-12/2026-10-18"),
        ("the month after next", "2026-12-01/2026-12-31"),
        ("the Friday before last", "2026-10-16"),
        ("two Fridays ago", "2026-10-16"),
        ("this Monday", "2026-10-26"),
        ("this Friday", "2026-10-30"),
        ("this Wednesday", "2026-10-28"),
        ("next Friday", "2026-10-30"),
        ("eleven days ago", "2026-10-17"),
        ("twenty days ago", "2026-10-08"),
        ("a dozen days ago", "2026-10-16"),
        ("half a year ago", "2026-01-28/2026-07-29"),
        ("a year and a half ago", "2024-10-28/2025-10-27"),
        ("in the last 3 days", "2026-10-25/2026-10-28"),
        ("the past two weeks", "2026-10-14/2026-10-28"),
        ("the next few days", "2026-10-28/2026-10-31"),
        ("next December", "2026-12-01/2026-12-31"),
        ("next May", "2027-05-01/2027-05-31"),
        ("this December", "2026-12-01/2026-12-31"),
        ("last October", "2025-10-01/2025-10-31"),
        ("between 3 and 5 March", "2026-03-03/2026-03-05"),
        ("from the 3rd to the 5th of March 2025", "2025-03-03/2025-03-05"),
        ("March 3-5, 2025", "2025-03-03/2025-03-05"),
        ("5.3.2026", "2026-03-05"),
        ("31/10/2025", "2025-10-31"),
        ("10/31/2025", "2025-10-31"),
        ("last summer", "2026-06-01/2026-08-31"),
        ("last fall", "2025-09-01/2025-11-30"),
        ("in spring", "2026-03-01/2026-05-31"),
        ("this winter", "2026-12-01/2027-02-28"),
        ("next spring", "2027-03-01/2027-05-31"),
        ("the summer of 2024", "2024-06-01/2024-08-31"),
        ("on Monday", "2026-10-26"),
        ("Monday", "2026-10-26"),
        ("on December 3", "2025-12-03"),
        ("on 29 February", "2024-02-29"),
        ("大前天", "2026-10-25"),
        ("大后天", "2026-10-31"),
        ("十二天前", "2026-10-16"),
        ("二十一天前", "2026-10-07"),
        ("半年前", "2026-01-28/2026-07-29"),
        ("兩個星期前", "2026-10-11/2026-10-17"),
        ("前年", "2024-01-01/2024-12-31"),
        ("上上周五", "2026-10-16"),
        ("星期一", "2026-10-26"),
        ("十月二十七日", "2026-10-27"),
        ("去年夏天", "2025-06-01/2025-08-31"),
        ("一昨年", "2024-01-01/2024-12-31"),
        ("二週間前", "2026-10-11/2026-10-17"),
        ("3か月前", "2026-07-15/2026-08-14"),
        ("今週", "2026-10-26/2026-11-01"),
        ("月曜日", "2026-10-26"),
    ],
)
def test_everyday_times_are_read_as_they_are_meant(text: str, days: str) -> None:
    assert _days(text) == [days]


@pytest.mark.parametrize(
    "text",
    ["every Monday", "on the 5th floor", "a fall from the ladder", "13/13/2026", "32.1.2026", "每周一", "毎週月曜日"],
)
def test_what_is_no_time_or_comes_again_and_again_is_not_read(text: str) -> None:
    assert _days(text) == []


def test_a_day_that_comes_soon_is_asked_for_as_well_as_the_last_one_and_told_of_if_it_is_nearer() -> None:
    assert _days("on October 30") == ["2025-10-30", "2026-10-30"]
    assert _days("on October 30", told=True) == ["2026-10-30"]
    assert _days("on October 20", told=True) == ["2026-10-20"]
    assert _days("on the 5th?") == ["2026-10-05", "2026-11-05"]
    assert _days("on the 5th", told=True) == ["2026-11-05"]
    assert _days("on the 5th we met", told=True) == ["2026-10-05"]
    assert _days("on the 20th we met", told=True) == ["2026-10-20"]


def test_a_date_with_slashes_that_may_be_read_in_two_ways_is() -> None:
    assert sorted(_days("03/05/2026")) == ["2026-03-05", "2026-05-03"]
    assert _days("05/05/2026") == ["2026-05-05"]


def test_a_weekday_alone_is_a_day_in_a_question_only() -> None:
    assert _days("Monday is for laundry", told=True) == []
    assert _days("on Monday we met", told=True) == ["2026-10-26"]


@pytest.mark.parametrize("text", ["We were there in the summer", "我两周前搬家了", "二週間前に引っ越した"])
def test_a_text_with_such_a_time_is_marked(text: str) -> None:
    assert Mark(marked(text, ASKED).flags) & Mark.TIME


def test_impossible_dates_are_no_dates() -> None:
    assert spans("31 February 2023") == []
    assert spans("may be, march on") == []
    assert spans("yesterday") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When did Anna move?", Kind.WHEN | Kind.THEN),
        ("Where did Anna live before?", Kind.NAME | Kind.THEN | Kind.BEFORE),
        ("When does Anna move?", Kind.WHEN),
        ("Which words should you never use?", Kind.SUPPOSE | Kind.LIST),
        ("Do you know Anna?", Kind(0)),
        ("How long may your answers be?", Kind.COUNT),
        ("小明对什么过敏？", Kind(0)),
        ("Where does Anna live?", Kind.NAME),
        ("How many cats has Anna?", Kind.COUNT),
        ("What activities does Anna enjoy?", Kind.LIST),
        ("What does Anna do?", Kind(0)),
        ("Would Anna like tea?", Kind.SUPPOSE),
        ("How should I address Anna?", Kind.SUPPOSE),
        ("小明什么时候搬家？", Kind.WHEN),
        ("小明住在哪里？", Kind.NAME),
        ("小明有多少只猫？", Kind.COUNT),
        ("誕生日はいつですか？", Kind.WHEN),
        ("誰が来ましたか？", Kind.NAME | Kind.THEN),
    ],
)
def test_the_kind_of_a_question_is_told(text: str, kind: Kind) -> None:
    assert asked(text, ("Anna", "小明")).kind == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Which oven did you rate highest?", True),
        ("What was your verdict on the ladder?", True),
        ("How deep, according to you, is the well?", True),
        ("What did I tell you about the well?", False),
        ("Can you rate the oven and the ladder?", False),
        ("Could you put a ladder on the plan?", False),
        ("What is your verdict on the ladder?", False),
    ],
)
def test_a_question_about_what_the_agent_said_asks_for_what_was(text: str, said: bool) -> None:  # noqa: FBT001 - a case
    assert (Kind.SAID in asked(text).kind) == said


def test_a_question_is_said_as_the_named_person_would() -> None:
    found = asked("When did Anna's sister move to Rome?", ("Anna", "Ben"))
    assert found.spoken == "my sister move to Rome"
    assert found.people == ("Anna",)
    assert found.content == ("sister", "move", "rome")
    assert asked("What does Mel do?", ("Melanie",)).people == ("Melanie",)


@pytest.mark.parametrize("name", ["Will", "May", "Don", "Can", "So", "An"])
def test_a_name_that_is_a_small_word_too_is_told_by_its_capital(name: str) -> None:
    people = (name, "Ben")
    found = asked(f"What is {name} afraid of?", people)
    assert (found.people, found.subject, found.spoken) == ((name,), name, "I afraid of")
    assert asked(f"{name}'s favourite dish?", people).spoken == "my favourite dish"
    assert asked(f"{name} Ben come?", people).people == ("Ben",)
    assert asked(f"What did Ben say? {name} Ben come?", people).people == ("Ben",)
    assert asked(f"where {name.lower()} ben go", people).people == ("Ben",)


def test_a_month_is_nobody() -> None:
    assert asked("What did Ben do in May?", ("May", "June", "Ben")).people == ("Ben",)
    assert asked("What did Ben do on June 3?", ("May", "June", "Ben")).people == ("Ben",)
    assert asked("What did June do in May?", ("May", "June", "Ben")).people == ("June",)


@pytest.mark.parametrize(
    ("text", "people", "named"),
    [
        ("What is Ann Smith afraid of?", ("Ann Smith", "Ann Jones"), ("Ann Smith",)),
        ("What is Ann afraid of?", ("Ann Smith", "Ann Jones"), ("Ann Smith", "Ann Jones")),
        ("What does Anna like?", ("Anna", "Anna-Lena"), ("Anna",)),
        ("What does Anna-Lena like?", ("Anna", "Anna-Lena"), ("Anna-Lena",)),
        ("what does anna-lena like?", ("Anna", "Anna-Lena"), ("Anna-Lena",)),
        ("What about the Ben-related plans?", ("Ben",), ("Ben",)),
        ("What does Dr. Kim like?", ("Dr. Kim", "Dr. Lee"), ("Dr. Kim",)),
        ("What does Dr. Will like?", ("Will", "Ben"), ("Will",)),
        ("What does Petrov like?", ("Ivan Petrov", "Olga Sidorova"), ("Ivan Petrov",)),
        ("What does Mr Petrov like?", ("Ivan Petrov", "Olga Sidorova"), ("Ivan Petrov",)),
        ("What does Petrov like?", ("Ivan Petrov", "Olga Petrov"), ()),
        ("Who eats fish?", ("Ann Fish", "Ben"), ()),
        ("What does Zoe like?", ("Zoë", "José"), ("Zoë",)),
        ("What does José like?", ("Zoe", "Jose"), ("Jose",)),
        ("What does Bob like?", ("Robert", "Thomas"), ()),
        ("What is the bill for?", ("William", "Ben"), ()),
        ("李娜娜喜欢什么？", ("李娜", "李娜娜"), ("李娜娜",)),
        ("Anna喜欢什么？", ("Anna", "李娜"), ("Anna",)),
    ],
)
def test_people_are_named_by_the_fullest_form_that_stands_there(
    text: str, people: tuple[str, ...], named: tuple[str, ...]
) -> None:
    assert asked(text, people).people == named


@pytest.mark.parametrize(
    ("text", "name", "spoken", "called"),
    [
        ("What did Rob's sister buy?", "Robert", "my sister buy", "Rob"),
        ("What did Mr. Petrov buy?", "Ivan Petrov", "I buy", "Petrov"),
        ("What did Ann Smith buy?", "Ann Smith", "I buy", "Ann Smith"),
        ("What did Zoe buy?", "Zoë", "I buy", "Zoe"),
    ],
)
def test_the_form_that_stands_in_a_question_becomes_its_speaker(text: str, name: str, spoken: str, called: str) -> None:
    found = asked(text, (name, "Cleo"))
    assert (found.subject, found.spoken, found.called) == (name, spoken, called)
    assert found.content[-1] == "buy"
    assert called.lower() not in found.content


def test_one_form_for_several_people_leaves_open_who_is_meant() -> None:
    assert asked("What did Sam buy?", ("Sam Lee", "Sam Park")).subject == ""
    assert asked("What did Sam Lee tell Sam Park?", ("Sam Lee", "Sam Park")).subject == "Sam Lee"


def test_of_two_people_the_one_who_acts_is_the_subject() -> None:
    people = ("Anna", "Ben")
    assert asked("What did Ben tell Anna?", people).subject == "Ben"
    assert asked("What does Ben think of Anna's plan?", people).subject == "Ben"
    assert asked("What do Anna and Ben share?", people).subject == ""


def test_sixty_foreign_questions_carry_the_stores_names() -> None:
    made = unanswerable(("Anna", "Ben"), "en")
    assert len(set(made)) == 60
    assert all("Anna" in text or "Ben" in text for text in made)
    assert len(unanswerable((), "en")) == 60


def test_a_table_gives_token_numbers_it_has_vectors_for() -> None:
    table = StaticTable()
    texts = ["Hello world, it's 2026!", "", "我昨天去了北京", "naïve Über кошка 🙂", "\ud800"]
    found = table.tokens(texts)
    assert found[1] == []
    assert found[0]
    assert all(0 <= token < len(table.vectors) for ids in found for token in ids)
    assert found == table.tokens(texts)


@given(
    word=st.text(min_size=1, max_size=12),
    known=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 99)),
)
def test_the_pieces_of_a_word_are_the_word(word: str, known: dict[str, int]) -> None:
    names = {number: piece for piece, number in known.items()}
    known = {piece: number for number, piece in names.items()}
    at = 0
    for number in cut(word, known):
        piece = names[number] if number != UNKNOWN else word[at]
        assert word.startswith(piece, at)
        assert number != UNKNOWN or word[at] not in known
        at += len(piece)
    assert at == len(word)


def test_a_word_is_cut_into_few_and_frequent_pieces() -> None:
    known = {"▁har": 9, "bour": 90, "▁h": 1, "▁harbour": 400, "a": 2, "r": 3, "b": 4, "o": 5, "u": 6}
    assert cut("▁harbour", known) == (400,)
    assert cut("▁harbours", known) == (400, UNKNOWN)
    assert cut("▁harbar", known) == (9, 4, 2, 3)


def test_texts_of_like_meaning_are_near() -> None:
    table = StaticTable()
    rows = ["the kitten sleeps on the sofa", "quarterly tax report for the bank", "a cat naps on the couch"]
    ids = table.tokens(rows)
    tokens = np.asarray([token for row in ids for token in row], dtype=np.int32)
    starts = np.cumsum([0, *map(len, ids)])
    weight = weights(np.bincount(tokens, minlength=len(table.vectors)))
    static = Static(table.vectors, weight, np.zeros(table.vectors.shape[1], dtype=np.float32))
    kept = embedded(tokens, starts, starts[:-1], static)
    question = Asked(static, tuple(table.tokens(["cat asleep on a sofa"])[0]))
    near = kept.vectors @ directions(question, static).whole[0]
    assert near[1] < min(near[0], near[2])
    assert np.linalg.norm(kept.vectors, axis=1) == pytest.approx(1, abs=1e-4)
    assert raw_means(tokens[:0], np.zeros(3, dtype=np.int64), table.vectors, weight).tolist() == [[0.0] * 256] * 2


def test_the_table_is_the_one_its_readme_tells_of() -> None:
    folder = Path(static.__file__).parents[2] / "tables"
    told = (folder / "README.md").read_text("utf-8")
    for file in ("pieces.npy", "pieces.txt", "projection.npz", "encoder.npz"):
        assert hashlib.sha256((folder / file).read_bytes()).hexdigest() in told
    assert len((folder / "pieces.txt").read_text("utf-8").splitlines()) == len(StaticTable().vectors)
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 25_000_000


@pytest.mark.parametrize(
    ("file", "error"),
    [("pieces.npy", Damaged), ("pieces.txt", Damaged), ("projection.npz", Damaged), ("encoder.npz", Unavailable)],
)
@pytest.mark.parametrize("data", [None, b"", b"\xff no table"])
def test_a_damaged_or_missing_table_is_said_to_be(
    tmp_path: Path, file: str, error: type[Exception], data: bytes | None
) -> None:
    for each in (Path(static.__file__).parents[2] / "tables").iterdir():
        if each.name != file:
            (tmp_path / each.name).symlink_to(each)
    if data is not None:
        (tmp_path / file).write_bytes(data)
    with pytest.raises(error, match="install Oldsoul again"):
        _table_and_encoder(WordPieces(tmp_path))


def test_a_table_of_another_kind_is_said_to_be(tmp_path: Path) -> None:
    np.save(tmp_path / "pieces.npy", np.zeros((2, 2), np.float32))
    with pytest.raises(Damaged, match="does not contain the expected table"):
        len(WordPieces(tmp_path))


def _table_and_encoder(pieces: WordPieces) -> None:
    table = StaticTable(pieces)
    table.vectors.take(table.tokens(["hello there"])[0])
    list(SentenceEncoder(pieces).pieces(["hello there"]))


def test_a_question_names_things_in_other_languages() -> None:
    said = dict(enumerate(abroad(asked("When is my mother's birthday?"))))
    assert any("妈妈" in words for words in said.values())
    assert any("生日" in words for words in said.values())
    assert terms("birthday")[0] in {term for words in abroad(asked("我妈妈的生日是哪天？")) for term in words}
    assert abroad(asked("Quux?")) == ((),)


def test_every_concept_of_the_lexicon_is_said_in_three_languages() -> None:
    lines = resources.files("oldsoul").joinpath("language", "lexicon.txt").read_text("utf-8").splitlines()
    for line in lines:
        english, *others = (part.split(",") for part in line.split(" | "))
        assert all(word.isascii() and word == word.strip() for word in english), line
        assert len(others) == 2
        assert all(word and not word.isascii() for some in others for word in some), line
    assert len({line.partition(" | ")[0] for line in lines}) == len(lines)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("上周五", "2026-11-06", "2026-11-06"),
        ("下个星期天", "2026-11-22", "2026-11-22"),
        ("这周末", "2026-11-14", "2026-11-15"),
        ("先週の金曜日", "2026-11-06", "2026-11-06"),
        ("来週日曜", "2026-11-22", "2026-11-22"),
        ("上周", "2026-11-02", "2026-11-08"),
    ],
)
def test_days_of_a_week_are_read_in_chinese_and_japanese(text: str, first: str, last: str) -> None:
    (span,) = spans(text, date(2026, 11, 12))
    assert (date.fromordinal(span.first), date.fromordinal(span.last)) == (
        date.fromisoformat(first),
        date.fromisoformat(last),
    )


def test_many_digits_are_marked_in_one_go() -> None:
    assert Mark(marked("7" * 200_000).flags) == Mark.NUMBER
    assert Mark(marked("1," * 100_000 + " euros").flags) & Mark.NUMBER
    assert asked("what " * 50_000, ("Ann Smith", "Will", "Anna-Lena")).kind == Kind(0)
