"""Masks keys, tokens and passwords in a text before anything keeps it."""

from __future__ import annotations

from collections import Counter
from functools import cache

from oldsoul.rules.secrets.rules import ANYWHERE, LONGEST, PRIVATE, Rule, compiled, kinds, rules
from oldsoul.values.frozen import frozen


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
