"""What a model writes for the program is taken out of its reply, in whatever pieces it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.context.directives import Directives, delivered

CASES = [
    ("It is Milo.", "It is Milo.", False, ""),
    ("<think>They ask for the cat.</think>\n<final>It is Milo.</final>", "It is Milo.", False, ""),
    ("<think>hm</think>It is Milo.", "It is Milo.", False, ""),
    ("<final>It is Milo.", "It is Milo.", False, ""),
    ("<final>It is Milo.</final> and more", "It is Milo.", False, ""),
    ("<think>never ends", "", False, ""),
    ("[[reply_to_current]] It is Milo.", "It is Milo.", False, "current"),
    ("[[reply_to: 42]]It is Milo.", "It is Milo.", False, "42"),
    ("<final>[[reply_to:42]] Milo</final>", "Milo", False, "42"),
    ("NO_REPLY", "", True, ""),
    (" NO_REPLY \n", "", True, ""),
    ("`NO_REPLY`", "", True, ""),
    ("<final>NO_REPLY</final>", "", True, ""),
    ("<think>quiet</think> HEARTBEAT_OK", "", True, ""),
    ("All is well.\nHEARTBEAT_OK", "All is well.", False, ""),
    ("NO_REPLY\n\nStill, one thing.", "Still, one thing.", False, ""),
    ("NO_REPLYING is no token", "NO_REPLYING is no token", False, ""),
    ("xNO_REPLY", "xNO_REPLY", False, ""),
    ("The token NO_REPLY means silence.", "The token NO_REPLY means silence.", False, ""),
    ("Write `<think>` first, then `</think>`.", "Write `<think>` first, then `</think>`.", False, ""),
    ("[[reply_to", "[[reply_to", False, ""),
    ("a [[reply_to_current]]", "a [[reply_to_current]]", False, ""),
    ("", "", False, ""),
]


@pytest.mark.parametrize(("reply", "words", "silent", "answers"), CASES)
def test_people_get_the_words_and_the_program_what_is_its(reply: str, words: str, silent: bool, answers: str) -> None:  # noqa: FBT001 - a row of the table
    text, read = delivered(reply)
    assert (text, read.silent, read.reply_to) == (words, silent, answers)


TOKENS = [
    "<think>",
    "</think>",
    "<final>",
    "</final>",
    "[[reply_to_current]]",
    "[[reply_to",
    "NO_REPLY",
    "`",
    "HEARTBEAT_OK",
]
REPLIES = st.lists(st.sampled_from([*TOKENS, " ", "\n", "a", "word.", "]]", "_", "ünï"]), max_size=10).map("".join)


@given(st.one_of(REPLIES, st.sampled_from([case[0] for case in CASES])), st.data())
def test_a_reply_that_comes_in_pieces_is_the_reply_that_comes_whole(reply: str, data: st.DataObject) -> None:
    whole, read = delivered(reply)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=6)))
    pieces = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    piecewise = Directives()
    assert "".join([*map(piecewise.feed, pieces), piecewise.end()]) == whole
    assert (piecewise.silent, piecewise.reply_to) == (read.silent, read.reply_to)
    assert whole == whole.rstrip()
