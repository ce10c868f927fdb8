"""The sentence encoder that comes with Oldsoul: the same as the model it was made from, for any text, whatever stands beside."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.adapters.embedders import sentences
from oldsoul.adapters.embedders.cached import gathered
from oldsoul.adapters.embedders.sentences import WIDTH, SentenceEncoder
from scale import scaled

ENCODER = SentenceEncoder()
# How alike the model itself finds them: what its release on PyPI gives, of which `scripts/table.py` made ours.
PAIRS = [
    ("The cat sleeps on the sofa.", "A kitten is napping on the couch.", 0.80),
    ("The cat sleeps on the sofa.", "The bank raised its interest rates.", 0.12),
    ("What pets do we have?", "I named him Steve, he barks at the postman.", 0.16),
    ("When does the train leave?", "Der Zug fährt um acht Uhr ab.", 0.37),
    ("When does the train leave?", "火车八点出发。", 0.41),
    ("¿Dónde vive tu hermana?", "My sister lives in Lisbon.", 0.40),
    ("Я не ем мясо.", "I am a vegetarian.", 0.63),
    ("今日は雨が降っています。", "It is raining today.", 0.84),
    ("Ik ben allergisch voor noten.", "Nuts make me ill.", 0.50),
    ("What should I cook tonight?", "I can't stand mushrooms, and I love spicy food!", 0.27),
]


def encoded(*texts: str) -> np.ndarray:
    return gathered(ENCODER.pieces(texts), len(texts))


@pytest.mark.parametrize(("one", "other", "alike"), PAIRS)
def test_texts_are_as_alike_as_the_model_finds_them(one: str, other: str, alike: float) -> None:
    made = encoded(one, other)
    assert float(made[0] @ made[1]) == pytest.approx(alike, abs=0.07)


@settings(max_examples=scaled(10, 100))
@given(
    texts=st.lists(
        st.text(max_size=40) | st.sampled_from(["", " ", "\ud800", "the key " * 3000]), min_size=1, max_size=4
    )
)
def test_any_text_has_one_vector_of_length_one_whatever_is_read_with_it(texts: list[str]) -> None:
    made = encoded(*texts)
    assert made.shape == (len(texts), WIDTH)
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-4)
    for text, vector in zip(texts, made, strict=True):
        assert np.array_equal(encoded(text)[0], vector)


@pytest.mark.parametrize("seen", [2000, 140])
def test_a_text_has_the_same_vector_whatever_was_read_before(monkeypatch: pytest.MonkeyPatch, seen: int) -> None:
    monkeypatch.setattr(sentences, "_SEEN", seen)
    encoder, texts = SentenceEncoder(), [text for pair in PAIRS for text in pair[:2]]
    chance = random.Random(7)  # noqa: S311 - a test, no secret
    for _ in range(60):
        some = " ".join(chance.sample(" ".join(texts).split(), 12))
        for text in (some, chance.choice(texts)):
            after, fresh = (next(each.pieces([text]))[1] for each in (encoder, SentenceEncoder()))
            assert np.array_equal(after, fresh)


def test_a_text_is_read_while_another_thread_throws_away_what_was_seen() -> None:
    encoder = SentenceEncoder()

    class Leaving(dict[int, np.ndarray]):
        def __contains__(self, number: object) -> bool:
            encoder._given = {}  # as another thread does, at the worst moment
            return super().__contains__(number)

    text = PAIRS[0][0]
    alone = next(encoder.pieces([text]))[1]
    encoder._given = Leaving(encoder._given)
    assert np.array_equal(next(encoder.pieces([text]))[1], alone)


def test_the_order_of_words_counts() -> None:
    made = encoded("the dog bites the man", "the man bites the dog")
    assert float(made[0] @ made[1]) < 0.99
