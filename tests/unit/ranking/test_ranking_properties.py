"""Ranking takes whatever names, texts and dates there are: every function gives an answer, and always the same one."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oldsoul.ranking
from core.ranking_toy import Said, Toy, ints
from oldsoul.documents import parse
from oldsoul.language.sentences import ends_in_question
from oldsoul.ranking.answers import (
    Answer,
    Limits,
    Signals,
    answer,
    calibrated,
    certainty,
    confidence,
    explained,
    signals,
    unanswerable,
)
from oldsoul.ranking.chunks import (
    bare_words,
    day_in,
    document_chunks,
    estimated_tokens,
    extra_chunks,
    message_chunk,
    said,
    says_just,
)
from oldsoul.ranking.lexical import matches, rarity
from oldsoul.ranking.marks import Mark, length, marked
from oldsoul.ranking.options import ChunkingOptions
from oldsoul.ranking.order import Wishes, faded, rank
from oldsoul.ranking.people import mentions
from oldsoul.ranking.question import (
    MOST_READ,
    asked,
    asks_what_was_said,
    content_words,
    is_question,
    members,
    readable,
)
from oldsoul.ranking.relevance import about, relevant
from oldsoul.ranking.scoring import (
    Neighbours,
    agents,
    best_of_documents,
    fitting,
    has,
    of_its_days,
    other_script,
    said_by,
    score,
    summed,
)
from oldsoul.ranking.spelling import doubtful, is_name, may_slip, reads_english, respelt, slips
from oldsoul.ranking.terms import joined, prefix, term, terms, told, word_terms
from oldsoul.ranking.translations import abroad
from oldsoul.ranking.vectors import (
    around,
    close,
    directions,
    distinct,
    embedded,
    own_weights,
    raw_means,
    runs,
    units,
    weights,
)
from oldsoul.ranking.weights import Weights
from oldsoul.rules.options import ConfidenceOptions
from oldsoul.values.audience import OWNER
from oldsoul.values.messages import Message
from oldsoul.values.names import Name
from oldsoul.values.origin import Origin
from oldsoul.values.recall import PARTS
from oldsoul.values.sessions import Session
from scale import scaled

_NAMED = "Ben Smith Ann Anna-Lena Dr. Mr O'Brien's May Will Mel Robert Bob I - ' 小明 王 健太 김 อารี Ωmega İ ß é e\u0301 {name} ("
NAMED = _NAMED.split()
_SAID = (
    "what when where who did do does I my tell ? ？ ؟ . , and or both yesterday last Friday 2 days ago on 29 February in May "
    "2026-02-30 0001-01-01 9999-12-31 99999999999 cat pottery violin Wi-Fi turned 40 我 昨天 去年 吗 いつ ですか 어제 गाँव में n=² _ \n \ud800"
)
SAID = _SAID.split(" ")
NAMES = st.lists(st.sampled_from(NAMED), max_size=3).map(" ".join) | st.text(max_size=12)
ALIKE = st.lists(st.sampled_from(["Ben", "Smith", "Ann", "王"]), min_size=1, max_size=3).map(" ".join)
PEOPLE = st.lists(NAMES, max_size=6) | st.lists(ALIKE, min_size=2, max_size=6)
TEXTS = (
    st.lists(st.sampled_from(NAMED + SAID) | st.text(max_size=8), max_size=14).map(" ".join)
    | st.text()
    | ALIKE.map("what did I tell {}".format)
)
DAYS = st.none() | st.dates()
TIMES = st.none() | st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone
ZONES = st.sampled_from([UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Niue")])
SPEAKERS = st.sampled_from(["", "Ben", "Ben Smith", "Ann", "小明"])
ROWS = st.lists(
    st.builds(Said, SPEAKERS, TEXTS, st.integers(0, 3), TIMES, st.sampled_from([0, *map(int, Mark)])), max_size=8
)
FEW = settings(max_examples=scaled(15, 300))


def test_a_name_that_begins_another_is_named_where_the_text_ends() -> None:
    assert mentions("what did I tell Ben", ["Ben", "Ben Smith"]) == {"Ben": ("Ben",)}
    assert mentions("what did I tell Ben Smith", ["Ben", "Ben Smith"]) == {"Ben Smith": ("Ben Smith",)}
    assert mentions("what did I tell Ben", ["Ben Smith"]) == {"Ben Smith": ("Ben",)}


def test_every_function_of_ranking_stands_in_this_file() -> None:
    source = Path(__file__).read_text("utf-8")
    rooms = [
        importlib.import_module(f"oldsoul.ranking.{each.name}")
        for each in pkgutil.iter_modules(oldsoul.ranking.__path__)
    ]
    public = {
        name
        for room in rooms
        for name, made in inspect.getmembers(room, inspect.isroutine)
        if made.__module__ == room.__name__ and not name.startswith("_")
    }
    assert len(public) > 40
    assert sorted(name for name in public if f"{name}(" not in source) == []


@given(TEXTS, st.integers(0, 3))
def test_so_much_of_a_text_is_looked_up_as_a_question_may_have(text: str, times: int) -> None:
    long = " ".join([text] * times + [text * MOST_READ])
    found = readable(long)
    assert long.startswith(found)
    assert found == long if len(long) <= MOST_READ else len(found) <= MOST_READ


@given(TEXTS)
def test_who_asks_for_what_was_said_asks_however_it_goes_on(text: str) -> None:
    assert asks_what_was_said(f"what did you tell me about it? {text}")
    assert asks_what_was_said(text) == asks_what_was_said(text[:MOST_READ])


@given(TEXTS, PEOPLE)
def test_who_is_named_is_one_of_the_people_by_words_of_the_text(text: str, people: list[str]) -> None:
    found = mentions(text, people)
    assert found == mentions(text, list(people))
    assert list(found) == [name for name in dict.fromkeys(people) if name in found]
    for name, forms in found.items():
        assert forms
        assert all(form in text or (form == name and name.casefold() in text.casefold()) for form in forms)


@given(TEXTS, PEOPLE, DAYS, ZONES)
def test_any_question_is_taken_apart(text: str, people: list[str], on: date | None, zone: ZoneInfo) -> None:
    found = asked(text, people, on=on)
    assert found == asked(text, people, on=on)
    assert len(found.terms) == len(set(found.terms)) == len(found.members)
    assert found.members == tuple(map(members, found.terms, (*found.terms, "")[1:]))
    assert set(found.people) <= set(people)
    assert found.subject in (*found.people, "")
    assert all(1 <= month <= 12 for month in found.months)
    assert all(span.first <= span.last for span in found.dates)
    assert set(found.timely) <= set(range(len(found.terms)))
    there = replace(found, zone=zone)
    assert all(begin < end for begin, end in there.moments)
    assert all(there.begin(span.first) <= there.begin(span.last) for span in found.dates)
    assert all(all(kind) for kind in abroad(found))
    assert unanswerable(people, found.language) == unanswerable(people, found.language)
    assert len(unanswerable(people, "en")) == len(unanswerable((), "en")) > 0


@given(TEXTS)
def test_any_text_has_terms_and_content_words(text: str) -> None:
    assert terms(text) == terms(text)
    assert all(terms(text) + told(text) + joined(text.lower()))
    assert word_terms(text) == tuple(terms(text))
    assert all(each.startswith(prefix(each)) and prefix(each) for each in terms(text))
    assert all(isinstance(term(each), str) for each in text.lower().split())
    assert len(content_words(text)) == len(set(content_words(text)))
    assert all(content_words(text))


@given(TEXTS, DAYS, st.integers(0, int(Mark.BEGINS)))
def test_any_text_is_marked(text: str, said_on: date | None, own: int) -> None:
    found = marked(text, said_on, own_flags=own)
    assert found == marked(text, said_on, own_flags=own)
    assert ends_in_question(text) == bool(marked(text).flags & Mark.ASKS) >= bool(marked(text).flags & Mark.ONLY_ASKS)
    assert is_question(text, "en") >= ends_in_question(text)
    assert found.flags & own == own
    assert 0 <= found.event_from <= found.event_to
    assert 0 <= found.length == length(text)


@given(TEXTS, st.dictionaries(st.sampled_from(["cat", "ben", "we", "a.b", "小明"]), st.text(max_size=6)))
def test_slips_are_looked_for_in_any_text(text: str, read: dict[str, str]) -> None:
    question = asked(text)
    for word in may_slip(question):
        assert word not in slips(word)
        assert all(1 <= len(each) <= len(word) + 1 for each in slips(word))
    assert all(isinstance(is_name(word, text), bool) for word in content_words(text))
    assert respelt(text, {}) == text
    assert respelt(text, read) == respelt(text, dict(read))
    assert reads_english(content_words(text), content_words(text), ())


@given(TEXTS, TEXTS, TIMES, ZONES, st.sampled_from(["MEMORY.md", "memory/2026-02-04.md", "CORRECTIONS.md", "notes.md"]))
def test_any_document_is_cut_into_pieces_of_its_own_lines(
    text: str, sender: str, time: datetime | None, zone: ZoneInfo, path: str
) -> None:
    data = text.encode("utf-8", "surrogatepass")
    name = Name("main", path)
    document = parse(data, is_log=name.is_log)
    options = ChunkingOptions(tokens=20, overlap=5)
    pieces = list(document_chunks(name, document, options, zone))
    assert pieces == list(document_chunks(name, parse(data, is_log=name.is_log), options, zone))
    elsewhere = list(extra_chunks(f"/x/{path}", "main", document, ChunkingOptions(), zone))
    assert {piece.audience for piece in elsewhere} <= {OWNER}
    for piece in (*pieces, *elsewhere):
        assert piece.text.strip()
        assert 1 <= piece.start_line <= piece.end_line <= max(len(document.lines), 1)
        assert says_just(piece, piece.text)
        assert estimated_tokens(piece.text) > 0
    assert said(said(text)) in text
    day = day_in(text)
    assert day is None or day.isoformat() in text
    assert bare_words(bare_words(text)) == bare_words(text) or "(added" in text
    message = Message(
        "main", Session.dm(), "user", sender, None, text, time or datetime.now(UTC), Origin.OPERATOR, OWNER, "k"
    )
    assert message_chunk(message) == message_chunk(message)


@FEW
@given(
    ROWS,
    TEXTS,
    st.dates(date(2, 1, 1), date(9998, 1, 1)),
    st.sampled_from([(True, "calibrated"), (True, "weighted"), (False, "weighted")]),
)
def test_any_question_ranks_any_rows_with_scores_between_0_and_1(
    rows: list[Said], text: str, on: date, how: tuple[bool, str]
) -> None:
    vectors, mode = how
    toy = Toy(rows, vectors=vectors, asker="Ben")
    question = asked(text, toy.people, on=on)
    statistics = toy.statistics(question)
    pool = faded(toy.pool, int(datetime(on.year, on.month, on.day, tzinfo=UTC).timestamp()), ConfidenceOptions())
    wishes = Wishes(limit=3, mode=mode, now=int(pool.time.max(initial=0)))
    ranked = rank(pool, statistics, question, wishes)
    again = rank(pool, statistics, question, wishes)
    assert ranked.order.tolist() == again.order.tolist()
    assert np.array_equal(ranked.shown, again.shown)
    assert len(ranked.order) == len(set(ranked.order.tolist())) == min(3, len(rows))
    assert np.isfinite(ranked.shown).all()
    assert ((ranked.shown >= 0) & (ranked.shown <= 1)).all()
    assert all(abs(value) > 0 for place in ranked.order for value in ranked.why(int(place)).values())
    assert ranked.parts.keys() <= PARTS.keys()
    likely = about(pool, statistics, question, ranked.scored)
    assert ((likely >= 0) & (likely <= 1)).all()
    handed = rank(pool, statistics, question, replace(wishes, minimum=None)).order
    assert relevant(pool, likely)[handed].all()
    scored = score(pool, statistics, question, Weights())
    assert np.allclose(summed(scored.parts, len(pool)), scored.score, atol=1e-4)
    found = signals(pool, question, scored)
    calibration = calibrated([found, found])
    assert np.isfinite([certainty(found, calibration, Limits()), *explained(found, calibration).values()]).all()
    assert 0 <= confidence(found, calibration, Limits()) <= 1
    states = [not Mark(int(pool.flags[place])) & Mark.ONLY_ASKS for place in range(len(rows))]
    order = rank(pool, statistics, question, replace(wishes, limit=99)).order.tolist()
    echoes = [bool(scored.echo[place]) for place in order]
    assert echoes == sorted(echoes)
    assert any(states) or found == Signals(None, 0.0, 0.0)
    assert answer(found, calibration, question, disputed=False, limits=Limits()) is not Answer.CONFLICTING
    assert answer(found, calibration, question, disputed=True, limits=Limits()) is Answer.CONFLICTING
    assert set(doubtful(may_slip(question), question, pool, statistics)) <= set(may_slip(question))


@FEW
@given(ROWS, TEXTS, DAYS)
def test_the_parts_of_a_ranking_are_finite_and_one_for_each_row(rows: list[Said], text: str, on: date | None) -> None:
    toy = Toy(rows, asker="Ben")
    pool, question = toy.pool, asked(text, toy.people, on=on)
    statistics = toy.statistics(question)
    gains, most = fitting(pool, question, Weights())
    assert most >= 0
    for part in (*gains.values(), other_script(pool, question), of_its_days(pool, question), said_by(pool, toy.people)):
        assert part.shape == (len(rows),)
        assert np.isfinite(part).all()
    ours = agents(pool, question)
    assert ours is None or ours.tolist() == has(pool, Mark.AGENT).tolist()
    met = matches(pool, statistics, [])
    assert (met.terms >= 0).all()
    assert met.present.shape == (len(rows), len(question.terms))
    assert (met.related | ~met.present).all()
    near = Neighbours(pool, ours)
    assert np.isfinite(near.smoothed(met.terms, 0.5, 0.8, Weights())).all()
    assert (near.nearby(met.present.astype(np.float32), pool.own) >= met.present).all()
    for space in pool.spaces:
        whole = space.vectors @ np.eye(1, space.vectors.shape[1], dtype=np.float32)[0]
        assert (np.abs(around(space.vectors, whole, near.before)) <= 1 + 1e-3).all()
    best = best_of_documents(met.terms, pool.document)
    assert best.shape == met.terms.shape
    assert (best <= met.terms.max(initial=0) + 1e-4).all()
    picked = np.arange(len(rows))
    for space, wanted in zip(pool.spaces, statistics.asked, strict=True):
        assert wanted.static is not None
        pointing = directions(wanted, wanted.static)
        assert (np.abs(pointing.whole @ space.vectors.T) <= 1 + 1e-4).all()
        closely = close(space, wanted, pointing, picked, [1.0] * len(question.content))
        assert closely is None or np.isfinite(closely.late + closely.sentence).all()
        kept = embedded(space.tokens, space.token_start, space.sentence_start, wanted.static)
        assert np.allclose(kept.vectors, space.vectors, atol=1e-5)


@given(
    st.lists(st.integers(0, 50), max_size=40), st.lists(st.integers(0, 1 << 40), max_size=8), st.integers(0, 1 << 40)
)
def test_numbers_of_ranking_are_finite(tokens: list[int], frequencies: list[int], count: int) -> None:
    rare = rarity(frequencies, count)
    assert np.isfinite(rare).all()
    assert (rare >= 0).all()
    used, at = distinct(ints(tokens), 51)
    assert used[at].tolist() == tokens
    table = np.arange(51 * 4, dtype=np.float32).reshape(51, 4) - 100
    weight = weights(np.bincount(ints(tokens), minlength=51))
    assert ((weight > 0) & (weight <= 1)).all()
    means = raw_means(ints(tokens), np.array([0, len(tokens), len(tokens)]), table, weight)
    assert not means[1].any()
    for own in own_weights(np.bincount(ints(tokens), minlength=51), table):
        assert np.isfinite(own.mean).all()
    lengths = np.linalg.norm(units(means), axis=1)
    assert all(value == pytest.approx(1, abs=1e-4) or value == 0 for value in lengths)
    sizes = np.array(tokens, dtype=np.int64)
    places = runs(np.zeros(len(sizes), np.int64), sizes)
    assert places.tolist() == [each for size in tokens for each in range(size)]
