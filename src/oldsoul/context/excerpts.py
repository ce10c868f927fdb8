"""Excerpts of talk: what was found with the turns beside it, by conversation and day, in the order it was said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta, tzinfo

from oldsoul.context.presentation import item, one_line
from oldsoul.language.sentences import ends_in_question, sentences
from oldsoul.values.context import ContextPiece
from oldsoul.values.recall import Chunk, Hit, is_talk

_FIRST = 6
"""So many of the best are wanted before the turns beside them, and get both; others get the other half of what is asked."""
_SAME_TALK = timedelta(hours=1)
"""What was said later than that is no reply."""
_PERSON, _AGENT, _ASKED_FOR = 160, 60, 400
"""So many words of one message of a person, and of the agent, are shown; of longer ones the sentences that matter.

And so many of the agent's where the message asks for what it said.
"""
GAP = "…"
"""Is where turns or sentences are left out."""


def excerpts(
    hits: Sequence[tuple[Hit, str]],
    zone: tzinfo,
    *,
    here: str = "",
    telling: Callable[[str], frozenset[str]],
    asked: frozenset[str],
    until: datetime,
    untold: Iterable[str] = (),
    agents_words: bool = False,
) -> Iterator[ContextPiece]:
    """Turns of the conversations that hits are from, the most wanted first; each hit with a note on it.

    Args: asked are the telling words of the message; until is now: what is dated later is left out; untold are entries
    that are left out; agents_words says that the message asks for what the agent said.
    """
    known = set(untold)

    def shown(place: int, chunk: Chunk, note: str = "", score: float = 0.0) -> Iterator[ContextPiece]:
        if chunk.entry in known or (chunk.time is not None and chunk.time > until):
            return
        known.add(chunk.entry)
        most = (_ASKED_FOR if agents_words else _AGENT) if chunk.by_agent else _PERSON
        text = item(_what_matters(chunk.text, most, lambda each: len(asked & telling(each))))
        who = f"{one_line(chunk.speaker)}: " if chunk.speaker else ""
        yield ContextPiece(
            text=f"- {who}{text}{f' ({note})' if note else ''}",
            document=chunk.path,
            audience=chunk.audience,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            entry=chunk.entry,
            score=score,
            time=chunk.time,
            under=_heading(chunk, zone, here),
            place=place,
        )

    def beside(hit: Hit, *, belongs: bool = False) -> Iterator[ContextPiece]:
        """The turns before and after; those that belong to it are a question and its reply."""
        own = next(place for place, chunk in hit.around if chunk.entry == hit.chunk.entry)
        for place, chunk in hit.around:
            asks = ends_in_question(chunk.text if place < own else hit.chunk.text)
            if place != own and _is_near(chunk, hit.chunk) and (asks or not belongs):
                yield from shown(place, chunk)

    def itself(hit: Hit, note: str) -> Iterator[ContextPiece]:
        place = next((place for place, chunk in hit.around if chunk.entry == hit.chunk.entry), -1)
        yield from shown(place, hit.chunk, note, hit.score)

    for hit, note in hits[:_FIRST]:
        yield from itself(hit, note)
    for hit, _ in hits[:_FIRST]:
        yield from beside(hit)
    for hit, note in hits[_FIRST:]:
        yield from itself(hit, note)
        yield from beside(hit, belongs=True)


def is_excerpt(hit: Hit) -> bool:
    """Whether a hit is something that was said in a conversation of ours."""
    return bool(hit.around) and is_talk(hit.chunk.path)


def laid_out(pieces: Sequence[tuple[ContextPiece, int]]) -> Iterator[tuple[str, ContextPiece | None]]:
    """The lines of a slot in the order of time: what stands alone, then conversations, each under its heading.

    Where turns between two are left out, a line says so. Each line comes with the piece it shows.
    """
    alone = sorted((piece for piece, _ in pieces if not piece.under), key=_time)
    yield from ((piece.text, piece) for piece in alone)
    groups: dict[tuple[str, str], list[ContextPiece]] = {}
    for piece, _ in pieces:
        if piece.under:
            groups.setdefault((piece.under, piece.document), []).append(piece)
    for own in groups.values():
        own.sort(key=lambda piece: (piece.place, *_time(piece)))
    last = ""
    for (under, _), own in sorted(groups.items(), key=lambda pair: _time(pair[1][0])):
        yield (under, None) if under != last else (GAP, None)
        last = under
        for n, piece in enumerate(own):
            if n and piece.place != own[n - 1].place + 1:
                yield GAP, None
            yield piece.text, piece


def _heading(chunk: Chunk, zone: tzinfo, here: str) -> str:
    """The day of a conversation, and its room unless that is `here`."""
    day = f"{chunk.time.astimezone(zone):%Y-%m-%d, %A}" if chunk.time else "undated"
    return f"### {day}{f', in {one_line(chunk.room)}' if chunk.room and chunk.room != here else ''}"


def _is_near(one: Chunk, other: Chunk) -> bool:
    return one.time is None or other.time is None or abs(one.time - other.time) <= _SAME_TALK


def _what_matters(text: str, most: int, shared: Callable[[str], int]) -> str:
    """A text of at most about so many words: of a longer one the sentences that share most with what is asked."""
    if len(text.split()) <= most and len(text) <= 10 * most:
        return text
    said = sentences(text)
    order = sorted(range(len(said)), key=lambda n: (-shared(said[n]), n))
    kept: list[int] = []
    left = most
    for n in order:
        words = said[n].split()
        if kept and (len(words) > left or not shared(said[n])):
            continue
        kept.append(n)
        said[n] = said[n] if len(words) <= left and len(said[n]) <= 10 * most else f"{said[n][: 8 * most].rstrip()} …"
        left -= len(words)
        if left <= 0:
            break
    kept.sort()
    lines = []
    for before, n in zip([-1, *kept], kept, strict=False):
        lines += [GAP] if n != before + 1 else []
        lines.append(said[n])
    return " ".join([*lines, *([GAP] if kept[-1] != len(said) - 1 else [])])


def _time(piece: ContextPiece) -> tuple[bool, float, str, int]:
    return piece.time is not None, piece.time.timestamp() if piece.time else 0.0, piece.document, piece.start_line
