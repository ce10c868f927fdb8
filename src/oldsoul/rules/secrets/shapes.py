"""What secrets look like: the words that announce them in each language, what services' keys begin with, check digits."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import NamedTuple

from oldsoul.language.word_lists import word_list

_CARDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12,15}|35\d{14}"
)
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_IBAN_LENGTHS = range(15, 35)
_PHRASES = (12, 15, 18, 21, 24)


class Issued(NamedTuple):
    """What a service's keys begin with."""

    prefix: str
    """the beginning"""
    rest: int
    """how many characters follow at least"""
    service: str
    """who issues them"""


@cache
def issued() -> tuple[Issued, ...]:
    """Beginnings of keys, the longest first, as the services publish them (`bench/secret_keys.py` makes the table)."""
    rows = (line.split("\t") for line in read("secret_keys.tsv") if not line.startswith("#"))
    keys = [Issued(prefix, int(rest), service) for prefix, rest, service in rows]
    return tuple(sorted(keys, key=lambda key: -len(key.prefix)))


@cache
def announcing(kind: str) -> tuple[str, ...]:
    """The words of all languages that announce a secret of this kind, the longest first."""
    lists = (kinds.get(kind, "") for kinds in word_list("secret").values())
    words = {word for words in lists for word in words.split(", ") if word}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def is_card(digits: str) -> bool:
    """Whether this is the number of a payment card: of a known network, with its check digit."""
    number = re.sub(r"\D", "", digits)
    if not _CARDS.fullmatch(number):
        return False
    return sum(_DOUBLED[int(d)] if place % 2 else int(d) for place, d in enumerate(reversed(number))) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether this is a bank account's international number, with its check digits."""
    number = re.sub(r"\W", "", text).upper()
    if len(number) not in _IBAN_LENGTHS:
        return False
    return int("".join(str(int(char, 36)) for char in number[4:] + number[:4])) % 97 == 1


def has_phrase(text: str) -> bool:
    """Whether words of the recovery list (BIP-39) hold a wallet's recovery phrase: as many as one has, with its checksum."""
    places = [_recovery_words()[word] for word in re.findall(r"[a-z]+", text.lower())]
    return any(_has_checksum(places[i : i + n]) for n in _PHRASES for i in range(len(places) - n + 1))


def is_phrase(text: str) -> bool:
    """Whether words that are called a recovery phrase are one, though its checksum may be wrong: most stand in the list."""
    said = re.findall(r"[a-z]+", text.lower())
    return 3 * sum(word in _recovery_words() for word in said) >= 2 * len(said)


def has_recovery_words(text: str) -> bool:
    """Whether as many words of the recovery list stand together as a phrase has: the quick look before the slow one."""
    together = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        together = together + 1 if word in _recovery_words() else 0
        if together == _PHRASES[0]:
            return True
    return False


def recovery_word() -> str:
    """A pattern for any word of the recovery list."""
    ends: dict[str, list[str]] = {}
    for word in _recovery_words():
        ends.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{letter}(?:{'|'.join(sorted(rest, key=len, reverse=True))})" for letter, rest in ends.items())


def _has_checksum(places: list[int]) -> bool:
    if 2 * len(set(places)) < len(places):
        return False  # the same word over and over is nobody's secret
    bits = "".join(f"{place:011b}" for place in places)
    size = len(bits) * 32 // 33
    entropy, check = int(bits[:size], 2).to_bytes(size // 8, "big"), bits[size:]
    return f"{sha256(entropy).digest()[0]:08b}".startswith(check)


@cache
def _recovery_words() -> dict[str, int]:
    words = (word for line in read("recovery_words.txt") for word in line.split())
    return {word: place for place, word in enumerate(words)}


def read(file: str) -> list[str]:
    """The lines of a file beside this one."""
    return resources.files("oldsoul").joinpath("rules", file).read_text("utf-8").splitlines()
