"""What every index promises, whatever keeps it."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.index_material import (
    AGENTS,
    AUDIENCES,
    BEGINNING,
    EVERYTHING,
    FILTERS,
    INHERITED,
    PUTS,
    QUESTIONS,
    TINY,
    Opened,
    Preparing,
    alike,
    chunk,
    dice,
    everything,
    filed,
    lets_through,
    mixture,
    places,
    prepare,
    texts_of,
)
from oldsoul.ranking.order import Wishes, rank
from oldsoul.ranking.question import asked
from oldsoul.ranking.vectors import units
from oldsoul.values.audience import PUBLIC, Audience, View
from oldsoul.values.recall import SEEN, SESSIONS, Chunk, ChunkSource, Filed, Filters
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oldsoul.values.recall import Prepared


NAMES = ("Ann", "Ben", "Zeb")
OUTSIDERS = [
    replace(EVERYTHING, owner=False, every_room=False, rooms=frozenset(rooms), people=frozenset(people))
    for rooms in ((), (AUDIENCES[2].id,))
    for people in ((), (AUDIENCES[4].id,))
]


class Held(Chunk):
    """A chunk of which it is known how many there are."""

    now = most = 0

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        Held.now += 1
        Held.most = max(Held.most, Held.now)

    def __del__(self) -> None:
        Held.now -= 1


class IndexContract:
    """The tests; a class below gives `opened`."""

    # documents come and go

    def test_what_is_put_is_found_first_and_what_is_gone_is_not(self, opened: Opened) -> None:
        index = opened()
        index.put(
            [filed("a.md", "the attic key is under the lamp", "tea in the garden"), filed("b.md", "to Berlin")], prepare
        )
        assert places(index, "where is the attic key?")[0] == ("a.md", 1)
        index.put([filed("a.md", "tea in the garden", digest="2")], prepare)
        assert texts_of(index, "a.md") == ["tea in the garden"]
        assert sorted(places(index, "attic key lamp")) == [("a.md", 1), ("b.md", 1)]
        index.put([Filed("a.md", "", ())], prepare)
        assert index.documents() == {"b.md": "1"}
        assert index.rows_of("a.md") == []
        assert places(index, "tea garden") == [("b.md", 1)]

    def test_of_a_long_document_few_pieces_are_held_at_a_time(self, opened: Opened) -> None:
        index = opened()
        texts = [" ".join(f"w{n % 97} x{n}" for n in range(line, line + 15)) for line in range(1, 9000)]

        def long(last: str) -> Filed:
            lines = enumerate((*texts, last), 1)
            return Filed("a.md", last, ChunkSource(lambda: (Held("a.md", n, n, text, PUBLIC) for n, text in lines)))

        for last in ("cat", "dog"):
            Held.now = Held.most = 0
            index.put([long(last)], prepare)
            assert 0 < Held.most < len(texts) / 2
        assert len(index.rows_of("a.md")) == len(texts) + 1
        assert texts_of(index, "a.md")[-2:] == [texts[-1], "dog"]

    def test_a_chunk_comes_back_as_it_was_put(self, opened: Opened) -> None:
        index = opened()
        given = Filed(
            "notes/ä 猫.md",
            "v 1",
            (
                Chunk(
                    "notes/ä 猫.md",
                    3,
                    9,
                    "Tea, 猫 and \0 ~ 'quoted' \\ %s",
                    Audience.room("dev"),
                    "sessions",
                    "Heading",
                ),
                Chunk(
                    *("notes/ä 猫.md", 1 << 40, 1 << 41, "", PUBLIC, "extra", "", "Ann", BEGINNING, "m:118", "fact"),
                    *("dev", "acct:7", 0.25, True, True, True, True, "One / Two", True, True),
                ),
            ),
        )
        index.put([given], prepare)
        assert index.chunks(index.rows_of(given.path)) == list(given.chunks)
        assert index.chunks([]) == []
        assert index.documents() == {given.path: "v 1"}
        assert index.speakers == ("Ann",)

    def test_an_index_that_holds_nothing_answers_with_nothing(self, opened: Opened) -> None:
        index = opened()
        assert (index.documents(), index.speakers, index.rows_of("a.md")) == ({}, (), [])
        assert everything(index, "where is the key?") == []
        index.put([], prepare)
        index.weigh()
        assert everything(index, "where is the key?") == []
        assert index.missing_vectors("embedder", 5) == []
        assert index.seen(["key"], Filters(EVERYTHING)) == {}

    def test_chunks_are_added_at_the_end(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("chat/a", "the first", digest="1")], prepare, append=True)
        index.put([filed("chat/a", "the second", "the third", digest="3", first=2)], prepare, append=True)
        assert texts_of(index, "chat/a") == ["the first", "the second", "the third"]
        assert index.documents() == {"chat/a": "3"}
        assert places(index, "the third one")[0] == ("chat/a", 3)

    def test_what_somebody_else_added_meanwhile_is_not_added_twice(self, opened: Opened) -> None:
        index = opened()
        index.put([replace(filed("chat/a", "one cat", digest="1"), after="")], prepare, append=True)
        for _ in range(2):
            index.put([replace(filed("chat/a", "two dogs", digest="2"), after="1")], prepare, append=True)
        assert [chunk.text for chunk in index.chunks(index.rows_of("chat/a"))] == ["one cat", "two dogs"]
        assert index.documents() == {"chat/a": "2"}

    def test_only_chunks_that_are_new_are_prepared(self, opened: Opened) -> None:
        index, preparing = opened(), Preparing()
        index.put([filed("a.md", "one", "two", "three")], preparing)
        rows = index.rows_of("a.md")
        index.put([filed("a.md", "one", "two", "three", "four", digest="2")], preparing)
        assert preparing.asked == ["one", "two", "three", "four"]
        assert index.rows_of("a.md")[:3] == rows
        preparing.asked.clear()
        index.put([filed("a.md", "one", "2", "three", "four", digest="3")], preparing)
        assert preparing.asked == ["2", "three", "four"]
        preparing.asked.clear()
        index.put([filed("a.md", "one", "2", digest="4")], preparing)
        index.put([filed("a.md", "one", "2", digest="4")], preparing)
        assert preparing.asked == []
        assert texts_of(index, "a.md") == ["one", "2"]
        index.put([filed("a.md", "one", "2", digest="5", audience=PUBLIC)], preparing)
        assert preparing.asked == ["one", "2"], "other facts make another chunk"
        marked = filed("a.md", "one", "2", digest="6", audience=PUBLIC)
        one, *others = marked.chunks
        marked = replace(marked, chunks=(replace(one, superseded=True), *others))
        index.put([marked], preparing)
        assert index.chunks(index.rows_of("a.md")) == list(marked.chunks)
        assert index.documents() == {"a.md": "6"}

    def test_a_document_that_is_given_twice_is_what_it_was_last(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", "one", "two"), filed("b.md", "x"), filed("a.md", "one", "three", digest="2")], prepare)
        assert texts_of(index, "a.md") == ["one", "three"]
        assert index.documents() == {"a.md": "2", "b.md": "1"}

    def test_what_is_redacted_stands_where_it_stood_as_if_it_had_never_been_otherwise(self, opened: Opened) -> None:
        said = ["the cat is on the roof", "the vault opens with xylophone", "tea at five", "a word: zeppelin", "bye"]
        now = ["the cat is on the roof", "the vault opens with [erased]", "tea at five", "[erased]", "bye"]
        others = [filed("a.md", "the garden key", "xylophone lessons"), filed("b.md", "to be gone")]
        index, fresh, preparing = opened(next(AGENTS)), opened(next(AGENTS)), Preparing()
        for each, texts in ((index, said), (fresh, now)):
            each.put([filed("chat/a", *texts[:4])], prepare, append=True)
            each.put([*others, filed("chat/b", *texts)], prepare)
            each.put([filed("chat/a", texts[4], digest="5", first=5)], prepare, append=True)
        rows = [row for row, _ in index.missing_vectors("embedder", 3)]
        index.fill("embedder", rows, np.eye(4)[:3])
        index.put([Filed("b.md", "", ())], prepare)
        fresh.put([Filed("b.md", "", ())], prepare)
        redacted = [filed(path, *now) for path in ("chat/a", "chat/b", "chat/none")]
        index.erase([replace(redacted[0], chunks=[*redacted[0].chunks][1:2]), *redacted[1:]], preparing)
        assert preparing.asked == [now[1], now[1], now[3]]
        assert texts_of(index, "chat/a") == [*now[:3], said[3], now[4]]
        index.erase(redacted, prepare)
        index.erase([], prepare)
        index.put([filed("chat/a", "and more", digest="6", first=6)], prepare, append=True)
        fresh.put([filed("chat/a", "and more", digest="6", first=6)], prepare, append=True)
        assert texts_of(index, "chat/a") == [*now, "and more"]
        assert index.documents() == fresh.documents()
        for each in (index, fresh):
            each.weigh()
        for question in (*QUESTIONS, "which word opens the vault?", "zeppelin xylophone"):
            assert sorted(everything(index, question)) == sorted(everything(fresh, question))
        assert index.seen(["zeppelin", "xylophon"], Filters(EVERYTHING)).keys() == {"xylophon"}

    def test_a_put_that_fails_changes_nothing(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", "the attic key", speaker="Ann")], prepare)
        before = everything(index, "attic key")

        def failing(chunks: Iterable[Chunk]) -> Iterator[Prepared]:
            yield from prepare(list(chunks)[:-1])
            raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            index.put([filed("a.md", "new words", "more", speaker="Bob"), filed("b.md", "tea")], failing)
        assert index.documents() == {"a.md": "1"}
        assert everything(index, "attic key") == before
        index.put([filed("b.md", "words that are newer", speaker="Eve")], prepare)
        assert index.speakers == ("Ann", "Eve")
        assert places(index, "newer words")[0] == ("b.md", 1)

    @settings(max_examples=scaled(6, 60), suppress_health_check=INHERITED)
    @given(PUTS)
    def test_an_index_made_again_answers_like_the_one_that_was_kept(
        self, opened: Opened, puts: list[tuple[str, list[str], Audience, bool, int]]
    ) -> None:
        name = next(AGENTS)
        kept, other, again = opened(name), opened(name), opened(f"{name} again")
        there: dict[str, list[Chunk]] = {}
        for number, (path, texts, audience, append, keep) in enumerate(puts):
            old = there.get(path, [])
            begin = old if append else old[:keep]
            new = [*begin, *filed(path, *texts, audience=audience, first=len(begin) + 1).chunks]
            given_now = Filed(path, str(number), tuple(new[len(old) :] if append else new))
            (other if keep == 1 else kept).put([given_now], prepare, append=append)
            there[path] = new
        for path in sorted(there, key=lambda path: path[::-1]):
            again.put([Filed(path, "1", tuple(there[path]))], prepare)
            assert kept.chunks(kept.rows_of(path)) == there[path]
        for index in (kept, again):
            index.weigh()
        for question in QUESTIONS:
            found = everything(kept, question)
            assert alike(found, everything(again, question))
            assert found == everything(other, question)
        assert kept.documents().keys() == there.keys()
        for index in (kept, other, again):
            index.close()

    # who may see what

    @settings(max_examples=scaled(8, 80), suppress_health_check=INHERITED)
    @given(st.integers(0, 1 << 30), st.lists(FILTERS, min_size=1, max_size=5))
    def test_everybody_is_given_what_they_may_see_and_asked_for_and_nothing_else(
        self, opened: Opened, seed: int, asked_for: list[Filters]
    ) -> None:
        index = opened(next(AGENTS))
        documents = mixture(seed)
        index.put(documents, prepare)
        for filters in asked_for:
            expected = sorted(
                (each.path, each.start_line) for one in documents for each in one.chunks if lets_through(filters, each)
            )
            for question in QUESTIONS:
                assert sorted(places(index, question, filters)) == expected
                few, _ = index.look(asked(question), filters, TINY.tokens, 2)
                assert all(lets_through(filters, each) for each in index.chunks(few.row.tolist()))
                assert len(few) >= min(2, len(expected))
            having = defaultdict(list)
            for one in documents:
                let = [each for each in one.chunks if lets_through(filters, each)]
                for each in prepare(let):
                    for term in set(each.terms):
                        having[term].append((one.path, each.chunk.start_line))
            seen = index.seen({*having, "zebra", "", "\0", "key"}, filters)
            assert seen.keys() == having.keys()
            for term, rows in seen.items():
                there = [(each.path, each.start_line) for each in index.chunks(rows)]
                assert len(set(there)) == len(there) == min(len(having[term]), SEEN)
                assert set(there) <= set(having[term])
        index.close()

    def test_candidates_bring_their_neighbours_in_order(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", *(f"line {number} of many" for number in range(1, 30)), "the attic key")], prepare)
        pool, _ = index.look(asked("attic key"), Filters(EVERYTHING), TINY.tokens, 1)
        lines = [each.start_line for each in index.chunks(pool.row.tolist())]
        assert lines == sorted(lines)
        assert lines[-3:] == [28, 29, 30]
        assert len(lines) <= 8
        numbers = pool.ordinal.tolist()
        assert [b - a == 1 for a, b in pairwise(numbers)] == [b - a == 1 for a, b in pairwise(lines)]

    def test_what_is_in_another_script_is_looked_at_too(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", *(f"line {number} of many" for number in range(40)))], prepare)
        assert not index.holds_other(asked("the cat"), EVERYTHING)
        assert index.holds_other(asked("猫"), EVERYTHING)
        index.put([filed("b.md", "河边的花园", "猫在睡觉", "数据库")], prepare)
        assert index.holds_other(asked("the cat"), EVERYTHING)
        for text, there in (("zebra", "b.md"), ("斑马", "a.md")):
            pool, _ = index.look(asked(text), Filters(EVERYTHING), TINY.tokens, 3)
            assert there in {each.path for each in index.chunks(pool.row.tolist())}, text
        question = replace(asked("the cat"), abroad=(("猫", "貓"), ("狗",)))
        pool, statistics = index.look(question, Filters(EVERYTHING), TINY.tokens, 1)
        assert [known.members_frequency for known in statistics.abroad] == [1, 0]
        found = rank(pool, statistics, question, Wishes(limit=50))
        words = {index.chunks([row])[0].text: found.scored.coverage[n] for n, row in enumerate(pool.row.tolist())}
        assert max(words, key=words.__getitem__) == "猫在睡觉"

    def test_what_is_of_a_named_day_is_looked_at_whatever_its_words(self, opened: Opened) -> None:
        index = opened()
        texts = (f"the attic key number {number}" for number in range(1, 60))
        index.put([filed("a.md", *texts), filed("b.md", "tea", first=70)], prepare)
        there = BEGINNING + timedelta(days=70)
        for text in (f"which attic key on {there:%Y-%m-%d}?", f"what was on {there:%Y-%m-%d}?"):
            question = asked(text)
            pool, _ = index.look(question, Filters(EVERYTHING), TINY.tokens, 4)
            assert "b.md" in {each.path for each in index.chunks(pool.row.tolist())}, text
            hidden, _ = index.look(question, Filters(replace(EVERYTHING, owner=False)), TINY.tokens, 4)
            assert not len(hidden)

    def test_copies_do_not_take_the_place_of_everything_else(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", *["water the attic plants"] * 200)], prepare)
        index.put([filed("b.md", "the attic plants were brought by somebody who left in spring")], prepare)
        pool, _ = index.look(asked("who brought the attic plants?"), Filters(EVERYTHING), TINY.tokens, 16)
        assert "b.md" in {each.path for each in index.chunks(pool.row.tolist())}
        pool, _ = index.look(asked("attic plants"), Filters(EVERYTHING), TINY.tokens, 16)
        assert "b.md" in {each.path for each in index.chunks(pool.row.tolist())}

    def test_words_that_begin_alike_bring_rows_where_words_change_their_ends(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", *(f"Der Garten Nummer {number}" for number in range(60)))], prepare)
        index.put([filed("b.md", "Zahnarzttermin")], prepare)
        pool, _ = index.look(asked("Wann muss ich zum Zahnarzt?"), Filters(EVERYTHING), TINY.tokens, 2)
        assert "b.md" in {each.path for each in index.chunks(pool.row.tolist())}

    def test_whom_a_view_has_heard_is_told(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", "I have the attic key", speaker="Ann", audience=PUBLIC)], prepare)
        index.put([filed("b.md", "Is it tea?", speaker="Ben", audience=Audience.room("dev"))], prepare)
        index.put([filed("c.md", "my secret", speaker="Zeb", audience=Audience.person("acct:7"))], prepare)
        index.put([filed("e.md", "restarted at noon", speaker="Gateway", audience=PUBLIC)], prepare)
        everybody = ("Ann", "Ben", "Zeb", "Nobody", "Gateway")
        nobody = replace(EVERYTHING, owner=False, every_room=False, people=frozenset())
        assert index.heard(everybody, EVERYTHING) == {"Ann", "Ben", "Zeb"}
        assert index.heard(everybody, nobody) == {"Ann"}
        assert index.heard(everybody, replace(nobody, rooms=frozenset({Audience.room("dev").id}))) == {"Ann", "Ben"}
        index.put([filed("d.md", "my tea again", speaker="Zeb", audience=PUBLIC)], prepare)
        assert index.heard(["Zeb"], nobody) == {"Zeb"}
        index.put([filed("chat/1", "restarted", speaker="Gateway", audience=PUBLIC, source=SESSIONS)], prepare)
        assert index.heard(["Gateway"], nobody) == {"Gateway"}
        assert index.heard([], EVERYTHING) == set()

    def test_how_rare_a_word_is_tells_nothing_of_what_may_not_be_seen(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", "the attic key", audience=PUBLIC)], prepare)
        index.put([filed("b.md", "the garden key", audience=Audience.person("acct:7"))], prepare)
        nobody = replace(EVERYTHING, owner=False, every_room=False, people=frozenset())
        for view, expected in ((EVERYTHING, [2, 1, 1, 0]), (nobody, [1, 1, 0, 0])):
            _, statistics = index.look(asked("key attic garden zebra"), Filters(view), TINY.tokens, 9)
            assert [known.frequency for known in statistics.known] == expected

    @settings(max_examples=scaled(4, 30), suppress_health_check=INHERITED)
    @given(st.integers(0, 1 << 30), st.sampled_from(OUTSIDERS))
    def test_texts_that_may_not_be_seen_change_nothing_of_what_is_found(
        self, opened: Opened, seed: int, view: View
    ) -> None:
        """Not which rows are found, in which order and with which scores: rare words, kin, weights, neighbours."""
        with_all, without = opened(next(AGENTS)), opened(next(AGENTS))
        documents = mixture(seed, documents=20)
        names = dice(seed)
        given = [
            replace(each, chunks=tuple(replace(one, speaker=names.choice(NAMES)) for one in each.chunks))
            for each in documents
        ]
        hidden = Filed("hidden.md", "1", tuple(chunk("hidden.md", n, f"keyless keyboard {n} 猫") for n in range(1, 40)))
        with_all.put([hidden], prepare)
        with_all.put(given, prepare)
        seen = [replace(each, chunks=tuple(one for one in each.chunks if view.sees(one.audience))) for each in given]
        without.put([each for each in seen if each.chunks], prepare)
        for question in (*QUESTIONS, "Ann and Zeb in the garden", "which keys?"):
            wanted = asked(question)
            assert with_all.holds_other(wanted, view) == without.holds_other(wanted, view)
            assert with_all.heard(NAMES, view) == without.heard(NAMES, view)
            found = [everything(index, question, Filters(view)) for index in (with_all, without)]
            assert found[0] == found[1]
            few = [index.look(wanted, Filters(view), TINY.tokens, 3) for index in (with_all, without)]
            rows = [index.chunks(pool.row.tolist()) for index, (pool, _) in zip((with_all, without), few, strict=True)]
            assert rows[0] == rows[1]
        with_all.close()
        without.close()

    def test_whose_words_are_the_askers_is_told(self, opened: Opened) -> None:
        index = opened()
        whose = ("acct:7", "acct:8", "", "ext:phone:7")
        chunks = tuple(chunk("a.md", n, f"key number {n}", person=person) for n, person in enumerate(whose, 1))
        index.put([Filed("a.md", "1", chunks)], prepare)
        for people in ({"acct:7", "ext:phone:7"}, {"acct:9"}, set[str]()):
            view = replace(EVERYTHING, people=frozenset(people))
            pool, _ = index.look(asked("which key is mine?"), Filters(view), TINY.tokens, 9)
            assert pool.own.tolist() == [person in people for person in whose]

    def test_agents_do_not_mix(self, opened: Opened) -> None:
        one, other = opened("one"), opened("other")
        one.put([filed("a.md", "the attic key", speaker="Ann")], prepare)
        other.put([filed("a.md", "tea in Berlin", "and coffee", speaker="Bob")], prepare)
        one.supersede({chunk("a.md", 2, "").entry: None}, [])
        one.note("k", "one's")
        other.weigh()
        assert places(one, "tea Berlin attic key") == [("a.md", 1)]
        assert texts_of(one, "a.md") == ["the attic key"]
        assert len(places(other, "tea Berlin attic key")) == 2
        assert (one.speakers, other.speakers) == (("Ann",), ("Bob",))
        assert (one.noted("k"), other.noted("k")) == ("one's", None)
        one.put([Filed("a.md", "", ())], prepare)
        assert (one.documents(), other.documents()) == ({}, {"a.md": "1"})
        assert len(places(other, "tea")) == 2

    # an embedder that is no table

    def test_vectors_of_an_embedder_are_filled_in_row_by_row(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", "one", "two", "three"), filed("b.md", "four")], prepare)
        first = index.missing_vectors("e", 3)
        assert [each.text for _, each in first] == ["one", "two", "three"]
        index.fill("e", [row for row, _ in first], np.eye(3, 8))
        assert [each.text for _, each in index.missing_vectors("e", 3)] == ["four"]
        index.put([filed("a.md", "one", "two", "five", digest="2")], prepare)
        named = {each.text: row for row, each in index.missing_vectors("e", 9)}
        assert named.keys() == {"four", "five"}
        index.put([filed("b.md", "six")], prepare)
        assert "four" not in texts_of(index, "b.md")
        index.fill("e", list(named.values()), np.array([np.eye(8)[4 if text == "four" else 5] for text in named]))
        assert [each.text for _, each in index.missing_vectors("e", 9)] == ["six"]
        question = ("e", np.eye(8)[5])
        pool, statistics = index.look(asked("?"), Filters(EVERYTHING), TINY.tokens, 9, question)
        texts = [each.text for each in index.chunks(pool.row.tolist())]
        place = next(n for n, each in enumerate(statistics.asked) if each.static is None)
        meant = statistics.asked[place].vector
        assert meant is not None
        near = pool.spaces[place].vectors @ meant
        assert texts[int(np.argmax(near))] == "five"
        assert abs(near.max() - 1) < 0.02
        assert len(pool.spaces) == len(statistics.asked) == 2

    def test_the_nearest_by_an_embedder_are_among_the_candidates(self, opened: Opened) -> None:
        index = opened()
        index.put([filed(f"{n}.md", "the same words") for n in range(30)], prepare)
        rows = index.missing_vectors("e", 50)
        vectors = units(np.random.default_rng(1).standard_normal((30, 16)).astype("f4"))
        index.fill("e", [row for row, _ in rows], vectors)
        for number in (3, 17, 29):
            pool, _ = index.look(asked("something"), Filters(EVERYTHING), TINY.tokens, 1, ("e", vectors[number]))
            assert rows[number][0] in pool.row
        without, statistics = index.look(asked("something"), Filters(EVERYTHING), TINY.tokens, 1, ("f", vectors[0]))
        assert all(each.static is not None for each in statistics.asked), "nobody filled in vectors by f"
        assert len(without.spaces) == 1

    def test_vectors_of_another_embedder_are_dropped(self, opened: Opened) -> None:
        index, other = opened(), opened()
        index.put([filed("a.md", "one", "two")], prepare)
        rows = [row for row, _ in index.missing_vectors("e", 9)]
        index.fill("e", rows, np.eye(2, 8))
        assert index.missing_vectors("e", 9) == other.missing_vectors("e", 9) == []
        assert [row for row, _ in other.missing_vectors("f", 9)] == rows
        index.fill("e", rows, np.eye(2, 8))
        assert len(other.missing_vectors("f", 9)) == 2, "what comes too late is not taken for the new one's"
        other.fill("f", rows, np.eye(2, 4))
        assert index.missing_vectors("f", 9) == []
        _, statistics = index.look(asked("one"), Filters(EVERYTHING), TINY.tokens, 9, ("f", np.eye(4)[0]))
        assert any(each.static is None for each in statistics.asked)
        index.weigh()
        assert index.missing_vectors("f", 9) == [], "weighing does not touch them"

    def test_a_question_is_compared_with_vectors_of_its_own_length_alone(self, opened: Opened) -> None:
        index = opened()
        index.put([filed("a.md", "one", "two", "three")], prepare)
        index.fill("e", [row for row, _ in index.missing_vectors("e", 9)], np.eye(3, 8))
        pool, statistics = index.look(asked("two"), Filters(EVERYTHING), TINY.tokens, 9, ("e", np.eye(16)[1]))
        assert all(each.static is not None for each in statistics.asked)
        assert [each.text for each in index.chunks(pool.row.tolist())] == ["one", "two", "three"]
        _, statistics = index.look(asked("two"), Filters(EVERYTHING), TINY.tokens, 9, ("e", np.eye(8)[1]))
        assert any(each.static is None for each in statistics.asked)

    # corrections and notes

    def test_what_a_correction_took_the_place_of_is_not_found(self, opened: Opened) -> None:
        index = opened()
        index.put(
            [
                filed("a.md", "The attic key is under the lamp.", "the ATTIC key  is under the lamp today"),
                filed("b.md", "The attic key is under the lamp.", time=None),
                filed("c.md", "It is not so that the attic key is under the lamp.", correction=True, time=None),
                filed("d.md", "tea in Berlin", "tea in Berlin"),
            ],
            prepare,
        )
        everywhere = sorted(places(index, "attic key"))
        words_of = [("The attic key is under the lamp", BEGINNING + timedelta(days=2))]
        index.supersede({}, words_of)
        assert sorted(places(index, "attic key")) == [("a.md", 2), ("c.md", 1), ("d.md", 1), ("d.md", 2)]
        entries = {chunk("d.md", line, "").entry: BEGINNING + timedelta(days=1, hours=1) for line in (1, 2)}
        index.supersede(entries, [("no such words anywhere", None)])
        assert sorted(places(index, "attic key")) == [place for place in everywhere if place != ("d.md", 1)]
        index.supersede({"no such entry": None, **dict.fromkeys(entries)}, [])
        assert sorted(places(opened(), "attic key")) == [place for place in everywhere if place[0] != "d.md"]
        index.supersede({}, [])
        assert sorted(places(index, "attic key")) == everywhere

    def test_an_entry_is_superseded_by_its_whole_name_and_no_other(self, opened: Opened) -> None:
        index = opened()
        names = [
            "m:1",
            "m:12",
            "m:1%",
            "m:_",
            'm:1"',
            "m:1\\",
            "a name far longer than ours",
            "a name far longer",
            "中",
        ]
        pieces = [chunk("a.md", n, "attic key", entry=name) for n, name in enumerate(names, 1)]
        odd = chunk("b.md", 1, "attic key", entry="", heading='"entry": "m:1"', confidence=float("nan"))
        index.put([Filed("a.md", "1", tuple(pieces)), Filed("b.md", "1", (odd,))], prepare)
        everywhere = sorted(places(index, "attic key"))
        assert len(everywhere) == len(names) + 1
        for line, name in enumerate(names, 1):
            index.supersede({name: None}, [])
            assert sorted(places(index, "attic key")) == [place for place in everywhere if place != ("a.md", line)]
        index.supersede({"": None, "m:": None, "a name": None, **dict.fromkeys(names)}, [])
        assert places(index, "attic key") == [("b.md", 1)]

    def test_notes_hold_until_rows_are_weighed_anew(self, opened: Opened) -> None:
        index, other = opened(), opened()
        index.put([filed("a.md", "one", "two", "three", "four")], prepare)
        assert index.noted("k") is None
        index.note("k", "v")
        index.note("k", "v 猫 2")
        assert index.noted("k") == other.noted("k") == "v 猫 2"
        other.weigh()
        assert index.noted("k") is None
        index.note("k", "v3")
        assert other.noted("k") == "v3"
        index.put([filed("b.md", *(f"line {number}" for number in range(20)))], prepare)
        assert other.noted("k") is None, "it has grown much, so it was weighed"

    # several at once

    def test_handles_see_what_others_write(self, opened: Opened) -> None:
        one, other = opened(), opened()
        for number in range(4):
            writer, reader = (one, other) if number % 2 else (other, one)
            writer.put([filed(f"{number}.md", f"number {number} of tea", speaker=f"S{number}")], prepare)
            assert f"{number}.md" in reader.documents()
            assert len(places(reader, f"tea number {number}")) == number + 1
            assert reader.speakers[-1] == f"S{number}"
            assert everything(one, "tea") == everything(other, "tea")

    def test_a_steady_look_is_of_one_moment(self, opened: Opened) -> None:
        reader, writer = opened(), opened()
        writer.put([filed("a.md", "the attic key", "tea")], prepare)
        with reader.steady():
            before = everything(reader, "attic key")
            rows = reader.rows_of("a.md")
            writer.put([filed("a.md", "something else", digest="2"), filed("b.md", "attic key")], prepare)
            writer.weigh()
            writer.put([Filed("b.md", "", ())], prepare)
            with reader.steady():
                assert everything(reader, "attic key") == before
            assert reader.rows_of("a.md") == rows
            assert [each.text for each in reader.chunks(rows)] == ["the attic key", "tea"]
            assert reader.documents() == {"a.md": "1"}
        assert texts_of(reader, "a.md") == ["something else"]
        assert reader.documents() == {"a.md": "2"}

    def test_a_killed_writer_loses_nothing_it_acknowledged_and_leaves_whole_documents(self, opened: Opened) -> None:
        acknowledged: list[str] = []
        for cycle in range(scaled(4, 20)):
            reading, writing = os.pipe()
            process = os.fork()
            if not process:
                os.close(reading)
                _write_until_killed(opened, cycle, writing)
            os.close(writing)
            with os.fdopen(reading) as told:
                acknowledged += [next(told).strip() for _ in range(3 + 2 * cycle % 7)]
                os.kill(process, 9)
                os.waitpid(process, 0)
                acknowledged += [line.strip() for line in told if line.endswith("\n")]
            index = opened()
            assert set(acknowledged) <= index.documents().keys()
            for path in index.documents():
                assert [each.start_line for each in index.chunks(index.rows_of(path))] == [1, 2]
            assert len(everything(index, "river tea")) == 2 * len(index.documents())
            index.close()


def _write_until_killed(opened: Opened, cycle: int, told: int) -> None:
    try:
        index = opened()
        for number in count():
            path = f"{cycle}-{number}.md"
            index.put([filed(path, f"document {number} of the river", "a line about tea")], prepare)
            os.write(told, f"{path}\n".encode())
    finally:
        os._exit(1)
