"""Words that mean the same to a search though they do not look it: irregular forms, families of words."""

from __future__ import annotations

from oldsoul.language.stemming import stem
from oldsoul.language.word_lists import word_list


def _families() -> dict[str, str]:
    """Every listed word and its stem, with the stem that stands for it: families between bars, first the word for all."""
    heads: dict[str, str] = {}
    for family in word_list("words")["en"]["families"].split("|"):
        listed = family.split()
        if listed:
            cut = [stem(word) for word in listed]
            for word in (*listed, *cut):
                heads.setdefault(word, cut[0])
    return heads


FAMILY = _families()
"""What stands for a word, by the word and by its stem."""
