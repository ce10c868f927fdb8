"""A language is added by one file: dates, values, questions and explicit corrections in it are read."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

WORDS = """\
talk little: ta mo zi vel oro nu ka li do ye
talk also: lumi
talk mine: mo

question when: zamu | ta zamu
question name: koro
question count: velun

date months: 1 unem | 2 dusem | 3 tresem | 6 sisem
date weekdays: 0 lundo | 4 vendro | 6 soldo
date units: 1 dio,dios | 7 semo,semos | 30 meno,menos | 365 anuo
date counts: 1 un | 3 poka
date steps: -1 pasa | 0 cia | 1 vena
date near: -1 yero | 0 hodo | 1 morto
date seasons: 6 somo
date in: ye
date ago: do {count} {unit}
date ahead: post {count} {unit}
date on: ye {weekday}
date past: \\w+is
date plan: \\w+os

number words: 2 du | 3 tri | 4 kwar | 12 dekdu

value decimal: comma
value units: lasting*86400 dio,dios
value money: EUR eurio
value clock: je {hour} horo
value weekday: {weekday}

correction not: nem
correction it: ta zi
correction is: zi
correction forms: {not} {old} sed {new} || {not} {old}, {it} {new}
"""
ASKED = {
    "spans": (
        *("li venis yero", "mo vidos ka morto", "do du dios", "post tri dios", "pasa semo", "la 5 tresem 2024"),
        *("ye vendro mo iris", "ye vendro mo iros", "ye vendro", "ye sisem mo iros", "yero 9 times"),
    ),
    "values": (
        "la 5 tresem 2024",
        "mo zi ta je kwar horo",
        "ye vendro",
        "1.450 eurio zi mo",
        "3,5 dios zi mo",
        "morto",
    ),
    "kinds": ("zamu mo vel venis?", "koro zi ta kato?", "velun dios zi ta?", "ta kato zi mo?"),
    "corrections": ("ta kato zi nem Miso sed Tofu", "nem ye vendro, ta zi ye lundo", "ta kato zi Miso vel Tofu"),
    "language": ("ta kato zi mo vel", "The cat is mine"),
}
CODE = """
import json, sys
from datetime import date
from pathlib import Path
from oldsoul.language import lexicon
lexicon.read_also(Path(sys.argv[1]))
from oldsoul.judging.corrections.corrections import change
from oldsoul.judging.corrections.corrections import explicit
from oldsoul.language.languages import language
from oldsoul.ranking.question import asked
from oldsoul.reading.dates import spans
from oldsoul.reading.typed_values import typed_values
said = date(2026, 2, 4)
day = lambda number: date.fromordinal(number).isoformat()
wanted = json.load(sys.stdin)
stated = ("mo zi ta kato Miso", "ta koro zi ye vendro")
put_right = lambda text: [made.applied(line) for one in explicit(text) for line in stated if (made := change(one, line))]
print(json.dumps({
    "spans": {t: [day(s.first) + "/" + day(s.last) for s in spans(t, said, is_statement=True)] for t in wanted["spans"]},
    "values": {t: [[v.kind, *v.key] for v in typed_values(t)] for t in wanted["values"]},
    "kinds": {t: int(asked(t).kind) for t in wanted["kinds"]},
    "corrections": {t: put_right(t) for t in wanted["corrections"]},
    "language": {t: language(t) for t in wanted["language"]},
}))
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """What a process that has the language makes of texts in it."""
    folder: Path = tmp_path_factory.mktemp("languages")
    (folder / "qx.txt").write_text(WORDS, "utf-8")
    command = [sys.executable, "-c", CODE, str(folder)]
    done = subprocess.run(command, input=json.dumps(ASKED), capture_output=True, text=True, check=True)
    answer: dict[str, dict[str, object]] = json.loads(done.stdout)
    return answer


def test_its_dates_are_read(read: dict[str, dict[str, object]]) -> None:
    assert read["spans"] == {
        "li venis yero": ["2026-02-03/2026-02-03"],
        "mo vidos ka morto": ["2026-02-05/2026-02-05"],
        "do du dios": ["2026-02-02/2026-02-02"],
        "post tri dios": ["2026-02-07/2026-02-07"],
        "pasa semo": ["2026-01-26/2026-02-01"],
        "la 5 tresem 2024": ["2024-03-05/2024-03-05"],
        "ye vendro mo iris": ["2026-01-30/2026-01-30"],
        "ye vendro mo iros": ["2026-02-06/2026-02-06"],
        "ye vendro": [],
        "ye sisem mo iros": ["2026-06-01/2026-06-30"],
        "yero 9 times": ["2026-02-03/2026-02-03"],
    }


def test_its_values_are_read(read: dict[str, dict[str, object]]) -> None:
    assert read["values"] == {
        "la 5 tresem 2024": [["date", 2024, 3, 5]],
        "mo zi ta je kwar horo": [["time", 240, ""]],
        "ye vendro": [["weekday", "4"]],
        "1.450 eurio zi mo": [["number", 1450, "EUR"]],
        "3,5 dios zi mo": [["number", 302400]],
        "morto": [["when", 1, "day"]],
    }


def test_its_questions_are_told_apart(read: dict[str, dict[str, object]]) -> None:
    assert read["kinds"] == {
        "zamu mo vel venis?": 1,
        "koro zi ta kato?": 2,
        "velun dios zi ta?": 4,
        "ta kato zi mo?": 0,
    }


def test_an_explicit_correction_in_it_changes_that_value_alone(read: dict[str, dict[str, object]]) -> None:
    assert read["corrections"] == {
        "ta kato zi nem Miso sed Tofu": ["mo zi ta kato Tofu"],
        "nem ye vendro, ta zi ye lundo": ["ta koro zi ye lundo"],
        "ta kato zi Miso vel Tofu": [],
    }


def test_texts_in_it_are_known_and_those_in_others_still(read: dict[str, dict[str, object]]) -> None:
    assert read["language"] == {"ta kato zi mo vel": "qx", "The cat is mine": "en"}
