"""Masks keys, tokens and passwords in a text before anything keeps it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from math import log2
from typing import NamedTuple

from oldsoul.language.lexicon import word_list
from oldsoul.values.frozen import frozen

Check = Callable[[str, re.Match[str]], bool]


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
    """Whether words that are called a recovery phrase are one, though its checksum may be wrong: most are in the list."""
    said = re.findall(r"[a-z]+", text.lower())
    return 3 * sum(word in _recovery_words() for word in said) >= 2 * len(said)


def has_recovery_words(text: str) -> bool:
    """Whether as many words of the recovery list are together as a phrase has: the quick look before the slow one."""
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
    """The lines of a file in this folder."""
    return resources.files("oldsoul").joinpath("rules", file).read_text("utf-8").splitlines()


class Rule(NamedTuple):
    """A row of the table below: one way to recognise a secret."""

    kind: str
    """What the mark says."""
    hints: Sequence[str]
    """Literals, one of which a match starts with, in lower case unless case matters; without any, it starts anywhere."""
    pattern: str
    """Matched at a hint; its last group is masked, or all of it. Repetition is bounded or possessive: time is linear."""
    holds: Check | None = None
    """Says whether the value found is a secret indeed."""
    scope: str = "text"
    """Where to look for hints: `text`, or `run`: only where 20 token characters are together, or `word`: in those.

    A match of a rule for `anywhere` (or `somewhere`: where such a run is) does not start at a hint.
    """
    look: Callable[[str], bool] | None = None
    """A quick look at the text that tells whether the rule is worth its while."""
    published: bool = False
    """Whether it tells a secret by a form that its issuer publishes, whatever is around it."""


ANYWHERE = ("anywhere", "somewhere")
PRIVATE = "\U0010f000-\U0010ffff"
LONGEST = 250  # what a pattern takes of a value; the rest of a longer one is masked without looking
_PIECE = re.compile(r"%([A-Z_]+)(?: ([a-z]+))?%")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled on first use: most texts need none, and starting up should not pay for all."""
    return re.compile(pattern, re.ASCII)  # no K of Kelvin for a k, in hints and patterns alike


@cache
def _table() -> tuple[dict[str, str], tuple[list[str], ...]]:
    """Return the pieces of patterns by name, and the rows of rules, as the file has them."""
    lines = [line for line in read("secret_rules.txt") if line and not line.startswith("#")]
    pieces = dict(line.split(" = ", 1) for line in lines if re.match(r"[A-Z_]+ = ", line))
    return pieces, tuple(line.split("\t") for line in lines if not re.match(r"[A-Z_]+ = ", line))


@cache
def _piece(name: str) -> re.Pattern[str]:
    """Return a piece of the file as a pattern."""
    return compiled(_filled(f"%{name}%"))


def _filled(pattern: str) -> str:
    """Return a pattern of the file with its pieces put in."""
    return _PIECE.sub(lambda piece: _named(piece[1], piece[2] or ""), pattern)


def _named(name: str, kind: str) -> str:
    match name:
        case "LONGEST" | "PRIVATE":
            return str(LONGEST) if name == "LONGEST" else PRIVATE
        case "RECOVERY":
            return recovery_word()
        case "PROSE":
            return word_list("secret")["en"]["prose"]
        case "ANY":
            return _any(_words(kind))
    return _filled(_table()[0][name])


def _words(kind: str) -> Sequence[str]:
    """Return the words that announce a secret of this kind; the word pin alone is a verb, a needle and a brooch."""
    match kind:
        case "pass" | "onepin":
            return [kind.removeprefix("one")]
        case "notpin" | "longpin":
            return [pin for pin in announcing("pin") if (pin != "pin" if kind == "notpin" else len(pin) > len("pin"))]
        case "parted" | "attached":  # Thai, Chinese, Japanese and Korean attach them
            return [word for word in announcing("is") if (word < "\u0e00") == (kind == "parted")]
        case "given":
            return (*announcing("is"), "as", "als", "for")
    return announcing(kind)


def _is_password(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a password can be one: no placeholder, no code, no prose."""
    bare = match.lastgroup == "bare"
    if len(value) < 4 or _piece("INNOCENT").fullmatch(value) or (bare and _piece("CODE").match(value)):  # noqa: PLR2004
        return False
    if compiled(r"[A-Z0-9_]{4,}=$").search(
        match.string, max(0, match.start(match.lastgroup or 0) - 60), match.start(match.lastgroup or 0)
    ):
        return True  # NAME=value, as the environment has it: no prose
    words = value.rstrip("!").lower().split(" ")
    prose = [word for word in words if _piece("PROSE").fullmatch(word.rpartition("-")[2])]
    if len(words) > 1:
        return match["loose"] is None and bool(words[0] and words[-1]) and len(prose) < 2 and "password" not in words  # noqa: PLR2004
    if _piece("WORD").fullmatch(value):
        ends = _piece("CLAUSE_END").match(match.string, match.start(match.lastgroup or 0) + len(value))
        identifier = "_" in value or re.search(r"[a-z][A-Z]", value)
        return match["loose"] is None and not prose and (not bare or (ends is not None and not identifier))
    mixed = re.search(r"[A-Za-zÀ-ӿ]", value) and re.search(r"[0-9!@#$%^&*+=?~]", value)
    return not prose and (value.isdecimal() or bool(mixed))


def _is_key(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a key or token looks made by a machine."""
    mixed = re.search(r"(?=[A-Za-z]{0,5}[0-9])(?=[0-9]{0,5}[A-Za-z])[A-Za-z0-9]{6}", value[:64])
    if " " in value or not (mixed or _is_jumbled(value, match)):
        return False
    return not (_piece("INNOCENT").fullmatch(value) or _piece("CODE").match(value))


def _is_jumbled(value: str, _match: re.Match[str]) -> bool:
    """Return whether characters change class as often as in a random string of some length, and few repeat."""
    start = value[:64]
    runs = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", start)
    word = re.search(r"(?<![A-Za-z0-9])[A-Z]?[a-z]{3,}(?![A-Za-z0-9])", start)
    if word or len(start) < 16 or sum(map(len, runs)) > 3 * len(runs):  # noqa: PLR2004
        return False
    return sum(n / len(start) * log2(len(start) / n) for n in Counter(start).values()) >= 3.2  # noqa: PLR2004


def _any(words: Sequence[str]) -> str:
    """Return a pattern for any of these words; a short one is no part of another."""
    short = [word for word in words if word.isascii() and len(word) <= 4]  # noqa: PLR2004
    long = [word for word in words if word not in short]
    return "|".join(
        [*map(re.escape, long), *([f"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, short))})"] if short else [])]
    )


def _is_issued(key: Issued, whole: str, match: re.Match[str]) -> bool:
    """Return whether what follows a service's prefix is made by a machine."""
    value = whole[len(key.prefix) :]
    if len(value) == key.rest and not value.islower():
        return True
    words = re.search(r"(?<![A-Za-z0-9])[A-Za-z]?[a-z]{3,}(?![A-Za-z0-9])", value)
    if words:
        return bool(re.search(r"[A-Z]", value) and re.search(r"[0-9]", value))
    return re.search(r"[0-9]", value) is not None or _is_jumbled(value, match)


def _is_strong(value: str, match: re.Match[str]) -> bool:
    """Return whether a value that a sentence gives as a password is one: no word, no name, nothing that is no secret."""
    if re.match(r"(?i)pass\b", match[0]):
        after = match.string[match.end(match.lastgroup or 0) :]
        if (value.isdecimal() and re.match(r" [a-z]", after)) or (value[:1] == "@" and "\n" in (match["said"] or "")):
            return False  # a mountain pass has a height, and a statement that does nothing a decorator below it
    if value.isdecimal() and len(value) >= 4:  # noqa: PLR2004
        return not match["apart"] and not re.fullmatch(r"(?:19|20)\d\d", value)
    if len(value) < 4 or _piece("INNOCENT").fullmatch(value) or _piece("NO_VALUE").search(value):  # noqa: PLR2004
        return False
    inner = value.strip("!?.*:")
    mixed = re.search(r"[^\W\d_]", inner) and re.search(r"[0-9@#$%^&*+=?!~]|[a-z][A-Z]|[^\W\d_]_[^\W\d_]", inner)
    in_code = match[0].lower().startswith(("pass", "pw")) and not re.search(r"[^\W\d_]", match["said"] or "")
    spoken = not in_code and "\n" not in (match["said"] or "")
    if not mixed or not (spoken or re.search(r"[0-9@#$%^&*+=?!~]", inner) or _is_jumbled(value, match)):
        return False
    if match["apart"] or match["then"]:  # other words are between: so do names of machines and people
        return not re.fullmatch(r"[^\W\d_]+-?\d{1,2}|\d+[^\W\d_]+|[a-z0-9]+(?:[-_.][a-z0-9]+)+|[a-z]+\d[a-z]*", value)
    return True


def _is_stated(value: str, _match: re.Match[str]) -> bool:
    """Return whether what a password is changed to is one: nothing that only describes it."""
    inner = value.strip("!?.*:")
    plain = inner.isalpha() and inner.islower()
    return not (plain or _piece("INNOCENT").fullmatch(value) or _piece("PROSE").fullmatch(inner.lower()))


def _is_argument(value: str, _match: re.Match[str]) -> bool:
    """Return whether the text at the place of a command's password is one, and not a placeholder."""
    return not _piece("INNOCENT").fullmatch(value)


def _is_given(value: str, _match: re.Match[str]) -> bool:
    """Return whether a value that is called a password after it is one: letters, digits, and more than a name has."""
    if _piece("INNOCENT").fullmatch(value) or re.search(r"://|@\w+\.", value):
        return False
    return bool(re.search(r"[a-z][A-Z]|[@#$%^&*+=?!~_.-]|\d{2}", value))


def _is_alone(value: str, match: re.Match[str]) -> bool:
    """Return whether a run that nothing announces is a key all the same: random, and no line of a public block."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    return _is_jumbled(value, match) and "-----BEGIN" not in match.string and "public" not in before.lower()


def _is_pin(value: str, match: re.Match[str]) -> bool:
    """Return whether digits after such a word are a secret: a year is one only where the sentence says so."""
    counted = re.match(rf"(?i:pins?)[ \t]+(?:{'|'.join(announcing('part'))})(?!\w)", match[0])
    return not counted and (match["said"] is not None or not re.fullmatch(r"(?:1[5-9]|20)\d\d", value))


def _is_seed(value: str, _match: re.Match[str]) -> bool:
    """Return whether this can be the secret of one-time codes: digits among its letters."""
    return bool(re.search(r"[2-7]", value))


_CHECKS: dict[str, Check] = {
    "password": _is_password,
    "key": _is_key,
    "jumbled": _is_jumbled,
    "argument": _is_argument,
    "strong": _is_strong,
    "given": _is_given,
    "alone": _is_alone,
    "pin": _is_pin,
    "seed": _is_seed,
    "long": lambda value, _: re.search(r"[\w%+/-]{16}", value) is not None,
    "words": lambda value, _: is_phrase(value),
    "told": _is_stated,
    "phrase": lambda value, _: has_phrase(value),
    "card": lambda value, _: is_card(value),
    "iban": lambda value, _: is_iban(value),
    "said": lambda value, match: match["said"] is not None and _is_strong(value, match),
}
_HINTS = {"<any>": "", "<space>": " "}


@cache
def rules() -> tuple[Rule, ...]:
    """Return the table of rules, in order; it is kept in a file, like its words and prefixes."""
    found: list[Rule] = []
    for row in _table()[1]:
        if row == ["keys"]:
            found += map(_of_service, issued())
            continue
        kind, scope, check, listed, pattern = row
        hints = _words(listed[1:]) if listed[0] == "@" else [_HINTS.get(hint, hint) for hint in listed.split(" ")]
        look = has_recovery_words if check == "phrase" else None
        published = scope != "text" and check == "-" and not any(rule.kind == "authorization" for rule in found)
        found.append(Rule(kind, hints, _filled(pattern), _CHECKS.get(check), scope, look, published))
    return tuple(found)


def _of_service(key: Issued) -> Rule:
    """Return the rule for the keys that a service issues with its own prefix."""
    value = rf"(?P<bare>{re.escape(key.prefix)}[\w=+/.-]{{{min(key.rest, 20)},{LONGEST}}}+)"
    return Rule(
        f"{key.service} key",
        [key.prefix],
        rf"(?<![A-Za-z0-9])(?<![_-]){value}",
        partial(_is_issued, key),
        "word",
        published=True,
    )


@cache
def kinds() -> tuple[str, ...]:
    """Return what marks say, each once."""
    return tuple(dict.fromkeys(rule.kind for rule in rules()))


@frozen
class Masked:
    """A text that is safe to keep."""

    text: str
    """The text with every secret replaced by a mark such as `[masked: github token]`; its line breaks stay."""
    found: tuple[tuple[str, int], ...]
    """Which kinds were masked, and how often; never the secret."""


def mask(text: str) -> Masked:
    """Return the text with its secrets masked; masking that again finds nothing.

    Code in a fence is full of words that announce secrets and of values that are none: there, what is masked has a form that
    its issuer publishes. A fence around a single line is a quotation mark, and no code.
    """
    if "```" not in text and "~~~" not in text:
        return _masked(text)
    parts = compiled(_FENCE).split(text)
    done = [_masked(part, published=number % 2 == 1) for number, part in enumerate(parts)]
    found: Counter[str] = Counter()
    for part in done:
        found.update(dict(part.found))
    return Masked("".join(part.text for part in done), tuple(found.items()))


def _masked(text: str, *, published: bool = False) -> Masked:
    due = [(rule, hints) for rule, hints in _due(text) if rule.published or not published]
    if not due:
        return Masked(text, ())
    plain = compiled(f"[{_INVISIBLE}]").sub("", text)
    if plain != text and (seen := _masked(plain, published=published)).found:
        return seen  # letters that nobody sees hide nothing, and are no loss
    work, kept = _fold(text)
    found: Counter[str] = Counter()
    before = -1
    while before != found.total():  # a mark can separate what was next to it, so stop when a whole round finds nothing
        before = found.total()
        low = work.lower()
        for rule, hints in due:
            for hint in hints[:1] if rule.scope in ANYWHERE else hints:
                marked, hits = _apply(rule, hint, low if hint.islower() else work, work)
                if hits:
                    work, low = marked, marked.lower()
                    found[rule.kind] += hits
    return Masked(_unfold(work, kept), tuple(found.items())) if found else Masked(text, ())


# While rules run, a mark is one private-use character: nothing matches inside it, and a telling word in it is mute.
_FENCE = r"(?m)(^[ \t]*(?:```|~~~)[^\n]*\n(?:(?![ \t]*(?:```|~~~))[^\n]*\n){2,}(?:[ \t]*(?:```|~~~)[ \t]*$)?)"
_KEPT, _FIRST = 0x10F000, 0x10F001
_INVISIBLE = r"\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
_REST = r"(?:[A-Za-z0-9+/_=]|[.~%$!@#^*:-](?=[A-Za-z0-9]))*+"
_RUN = b"a" * 20
_RUNS = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZbcdefghijklmnopqrstuvwxyz0123456789_-+/", b"a" * 65)


@cache
def _hints(*scopes: str) -> dict[str, list[int]]:
    """Return the hints of some scopes with the rules they belong to."""
    numbers: dict[str, list[int]] = {}
    for number, rule in enumerate(rules()):
        for hint in rule.hints if rule.scope in scopes else ():
            numbers.setdefault(hint, []).append(number)
    return numbers


def _due(text: str) -> list[tuple[Rule, list[str]]]:
    """Return the rules that have a hint in the text, in order, with it: the cheap look that spares most texts the rest."""
    raw = text.encode("utf-8", "replace")
    low = raw.lower().decode() if text.isascii() else compiled(f"[{_INVISIBLE}]").sub("", text).lower()
    places = [(_hints("text", "anywhere"), low)]
    if _RUN in raw.translate(_RUNS):
        words = " ".join(word for word in text.split() if len(word) >= len(_RUN))
        places += [(_hints("word"), words), (_hints("run", "somewhere"), low)]
    seen: dict[int, list[str]] = {}
    for hints, place in places:
        for hint, numbers in hints.items():
            for number in numbers if hint in place else ():
                seen.setdefault(number, []).append(hint)
    found = [(rules()[number], seen[number]) for number in sorted(seen)]
    return [(rule, hints) for rule, hints in found if rule.look is None or rule.look(text)]


def _fold(text: str) -> tuple[str, list[str]]:
    """Return the text with earlier marks, characters that look like ours and İ as one character each, and those."""
    if text.isascii() and "[masked: " not in text:
        return text, []
    marks = compiled(rf"\[masked: [a-z0-9 ]{{2,24}}\]|[{PRIVATE}İ]")  # İ alone grows in lower case, which moves places
    return marks.sub(chr(_KEPT), text), marks.findall(text)


def _unfold(work: str, kept: list[str]) -> str:
    """Return the text with its marks written out; no rule masks a kept one, so their order holds."""
    rest = iter(kept)
    parts = compiled(f"([{PRIVATE}])").split(work)
    parts[1::2] = [next(rest) if ord(p) == _KEPT else f"[masked: {kinds()[ord(p) - _FIRST]}]" for p in parts[1::2]]
    return "".join(parts)


def _apply(rule: Rule, hint: str, hay: str, text: str) -> tuple[str, int]:
    """Return the text with what the rule finds from a hint in the hay as marks, and how many there are."""
    pieces: list[str] = []
    done = 0
    anywhere = rule.scope in ANYWHERE
    at = 0 if anywhere else hay.find(hint)
    while at >= 0:
        match = compiled(rule.pattern).search(text, at) if anywhere else compiled(rule.pattern).match(text, at)
        if anywhere and not match:
            break
        at = (match.end() if rule.look else match.start() + 1) if match else at + 1
        if match:
            start, end = match.span(match.lastgroup or 0)
            if match.lastgroup == "bare":
                end = start + len(text[start:end].rstrip(".,;:?)]}*"))
            if rule.holds is None or rule.holds(text[start:end], match):
                if end - start >= LONGEST and match.lastgroup != "quoted":
                    end += len(compiled(_REST).match(text, end)[0])  # type: ignore[index]
                mark = chr(_FIRST + kinds().index(rule.kind))
                # Breaks stay, with indent and quote sign, so that line numbers and lists hold; a bare \r must not meet a \n.
                breaks = compiled(r"(?:\r\n|[\n\r])[ \t>]*+").findall(text, start, end)
                pieces += [text[done:start], "".join([mark, *(b + mark if b == "\r" else b for b in breaks)])]
                done = at = end
        at = at if anywhere else hay.find(hint, at)
    return "".join([*pieces, text[done:]]), len(pieces) // 2
