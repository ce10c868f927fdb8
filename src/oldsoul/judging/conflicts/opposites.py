"""Words that exclude each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oldsoul.reading.fact_words import lemma, lemmas

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPPOSITES = (
    "open close | marry single | marry divorce | alive dead | allow forbid | enable disable | early late | hot cold | "
    "full empty | always never | public private | left right | north south | east west | inside outside | include "
    "exclude | accept reject | pass fail | win lose | easy hard | cheap expensive | fast slow | safe dangerous | true "
    "false | indoor outdoor | introvert extrovert | healthy sick | rich poor | vegetarian meat | vegan meat | "
    "optional mandatory | manual automatic | happy sad | tall short | long short | young old | asleep awake | oldest youngest | "
    "first last | top bottom | big small | sleep awake | unemployed work | retire work | clean dirty | wet dry | high "
    "low | strong weak | permanent temporary | free paid | online offline | morning night | light dark | alone parent "
    "| alone family | alone partner | alone roommate | male female | shy outgoing | rise fall | smile frown | laugh cry | crowd empty | legal illegal | "
    "possible impossible | appear disappear | agree disagree | visible invisible | correct wrong | "
    "guilty innocent | import export | quiet loud | quiet noisy | thick thin | thin fat | skinny fat | smart stupid | "
    "lazy active | messy tidy | messy organized | spicy mild | beginner expert | urban rural | farm apartment | "
    "good bad | success fail | survive die | approve reject | friend enemy | "
    "ascend descend | attack defend | lock unlock | succeed fail | remember forget | near far | increase decrease | raise lower | increase reduce | rise drop | 开 关 | 胖 瘦 | 早 晚 | 冷 热"
)


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in _OPPOSITES.split("|"):
        one, other = (lemma(word) for word in pair.split())
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


_OPPOSITE_OF = _opposites()
TURNING = lemmas("near far increase decrease raise lower reduce drop")
"""Words for grammar or change that have an opposite all the same."""
_SHORTEST = 4


def opposites(ours: frozenset[str], theirs: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Pairs of ours and theirs that exclude each other: listed ones, and what is so and un-so."""
    for form in sorted(ours):
        for other in sorted(_OPPOSITE_OF.get(form, frozenset()) & theirs):
            yield form, other
        for other in (f"un{form}", form.removeprefix("un")):
            if other != form and other in theirs and min(len(form), len(other)) >= _SHORTEST:
                yield form, other
