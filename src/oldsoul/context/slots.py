"""Which pieces go into which slot, within budget: cuts fall between pieces, and what is left out is said."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from oldsoul.context.excerpts import GAP, laid_out
from oldsoul.values.audience import View
from oldsoul.values.context import Context, ContextPiece, Filled, Included, LeftOut, Slot
from oldsoul.values.frozen import frozen

_WORD = re.compile(r"\w+")
_FORM = re.compile(
    r"\(added [\d-]+\)|^\W*[\d: -]+:|#\w+$|^ *- (?:Users|Datetime): .*$|^ *- Event: (?:[\w:]+: )?", re.MULTILINE
)
"""What a piece has around its words: dates, tags, the fields of a session's file."""
_OF_A_DAY = re.compile(r"memory/\d")
CUT = "[… the rest of this file is left out: it is longer than its budget]"
_SLASH = 2
_NO_ROOM = "no room in its slot"
_TWICE = "already in another slot"
_AGAIN = "a better line in its slot says the same"


@frozen
class SlotSource:
    """What a slot could hold, the most wanted first."""

    heading: str
    """what is above it"""
    pieces: tuple[ContextPiece, ...]
    """in the order in which they are wanted"""
    ordered: bool = False
    """whether it is one text, whose beginning is kept and whose cut is marked"""
    by_time: bool = False
    """whether what was chosen is shown in the order of time"""
    talk: bool = False
    """whether it is talk: conversations in the order of time, with gaps marked"""
    closing: str = ""
    """a line that is at its end, whatever is chosen"""
    repeats: tuple[ContextPiece, ...] = ()
    """what is not wanted, since one of the pieces says the same"""


@frozen
class Budget:
    """Tokens: of each slot, and of all together."""

    total: int
    """of all"""
    slots: Mapping[Slot, int]
    """of each"""


def assemble(sources: Mapping[Slot, SlotSource], view: View, budget: Budget, count: Callable[[str], int]) -> Context:
    """The context a session gets. It never costs more than its budget, nor does it hold what the view does not see.

    `count` gives the tokens of lines; those of lines that follow one another add up.
    """
    costs = {slot: _cost(sources[slot], view, count) for slot in Slot if slot in sources}
    allowed = shared({slot: cost.wanted for slot, cost in costs.items()}, budget)
    filled: list[Filled] = []
    included: list[Included] = []
    left_out: list[LeftOut] = []
    shown = _Shown(set(), [])
    for slot in Slot:
        room = allowed.get(slot, 0)
        chosen = _chosen(slot, costs[slot], room, shown) if slot in costs else _Chosen((), (), "", 0)
        shown.entries.update(piece.entry for piece, _ in chosen.pieces if piece.entry)
        shown.words.extend(_words(piece.text) for piece, _ in chosen.pieces)
        filled.append(Filled(slot, budget.slots.get(slot, 0), room, chosen.tokens, chosen.text))
        included += [
            Included(
                slot,
                p.document,
                p.start_line,
                p.end_line,
                p.entry,
                round(p.score, 4),
                tokens,
                p.text,
                p.audience,
                p.under,
            )
            for p, tokens in chosen.pieces
        ]
        left_out += [
            LeftOut(slot, p.document, p.start_line, p.entry, tokens, why, p.text, p.audience, p.under)
            for p, tokens, why in chosen.left
        ]
    return Context(tuple(filled), tuple(included), tuple(left_out))


def shared(wanted: Mapping[Slot, int], budget: Budget) -> dict[Slot, int]:
    """How much each slot may use: its own, then what others leave unused, then what less important ones would use.

    No slot but recall gets more than twice its own. The most important come first; they take from the least important.
    """
    own = {slot: min(wanted.get(slot, 0), budget.slots.get(slot, 0)) for slot in Slot}
    left = budget.total
    for slot in Slot:  # where the slots together are meant to have more than there is, the last get less
        own[slot] = min(own[slot], left)
        left -= own[slot]
    for slot in Slot:
        most = 2 * budget.slots.get(slot, 0) if slot is not Slot.RECALL or not budget.slots.get(slot) else budget.total
        more = min(wanted.get(slot, 0), most) - own[slot]
        lent = max(min(more, left), 0)
        own[slot] += lent
        left -= lent
        more -= lent
        for other in reversed(Slot):
            if more <= 0 or other <= slot:
                break
            taken = min(more, own[other])
            own[other] -= taken
            own[slot] += taken
            more -= taken
    return own


@frozen
class _Cost:
    source: SlotSource
    seen: tuple[tuple[ContextPiece, int], ...]
    repeated: tuple[tuple[ContextPiece, int, str], ...]
    heading: int
    closing: int
    cut: int
    count: Callable[[str], int]

    @property
    def wanted(self) -> int:
        """The tokens of everything in it."""
        under = sum(self.count(f"{line}\n") for line in {piece.under for piece, _ in self.seen if piece.under})
        gaps = len(self.seen) * self.count(f"{GAP}\n") if self.source.talk else 0
        pieces = under + gaps + sum(cost for _, cost in self.seen)
        return self.heading + self.closing + pieces if self.seen or self.closing else 0


@frozen
class _Shown:
    """What the slots before hold."""

    entries: set[str]
    """the ids of their entries"""
    words: list[frozenset[str]]
    """the words of each piece"""

    def has(self, slot: Slot, piece: ContextPiece) -> bool:
        """Whether a piece is there already, or says no word that one of those there does not say.

        What recall finds counts by its words only where it is of a day or a session: what was made an entry says it best.
        """
        if piece.entry and piece.entry in self.entries:
            return True
        if piece.needed or slot < Slot.RECALL or (slot is Slot.RECALL and not _OF_A_DAY.match(piece.document)):
            return False
        words = _words(piece.text)
        return bool(words) and any(words <= other for other in self.words)


@frozen
class _Chosen:
    pieces: tuple[tuple[ContextPiece, int], ...]
    left: tuple[tuple[ContextPiece, int, str], ...]
    text: str
    tokens: int


def _cost(source: SlotSource, view: View, count: Callable[[str], int]) -> _Cost:
    # What a session may not see is not among what was left out either: even that it is there is nobody's business.
    return _Cost(
        source=source,
        seen=tuple((piece, _tokens(piece.text, count)) for piece in source.pieces if view.sees(piece.audience)),
        repeated=tuple((p, _tokens(p.text, count), _AGAIN) for p in source.repeats if view.sees(p.audience)),
        count=count,
        heading=count(f"{source.heading}\n") if source.heading else 0,
        closing=count(f"{source.closing}\n") if source.closing else 0,
        cut=count(f"{CUT}\n") if source.ordered else 0,
    )


def _chosen(slot: Slot, cost: _Cost, room: int, shown: _Shown) -> _Chosen:
    """What fits into so much room."""
    source = cost.source
    spent = cost.heading + cost.closing
    kept: list[tuple[ContextPiece, int]] = []
    twice = {id(piece) for piece, _ in cost.seen if shown.has(slot, piece)}
    fresh = [(piece, tokens) for piece, tokens in cost.seen if id(piece) not in twice]
    left = [(piece, tokens, _TWICE) for piece, tokens in cost.seen if id(piece) in twice]
    left += cost.repeated
    if source.ordered:
        kept = _beginning(fresh, room - spent, cost)
        is_cut = sum(t for _, t in kept) < sum(t for _, t in fresh)
        is_cut = is_cut and spent + sum(t for _, t in kept) + cost.cut <= room
    else:
        left_over = room - spent
        above = {piece.under: cost.count(f"{piece.under}\n") for piece, _ in fresh if piece.under}
        gap = cost.count(f"{GAP}\n") if source.talk else 0
        for piece, tokens in sorted(fresh, key=lambda pair: not pair[0].needed):
            heading = above.get(piece.under, 0) + gap
            if tokens + heading <= left_over:
                kept.append((piece, tokens))
                left_over -= tokens + heading
                spent += heading - gap
                above.pop(piece.under, None)
        is_cut = False
    held = {id(piece) for piece, _ in kept} | {id(piece) for piece, _ in fresh[: len(kept)] if source.ordered}
    left += [(piece, tokens, _NO_ROOM) for piece, tokens in fresh if id(piece) not in held]
    if not kept and not (source.closing and spent <= room):
        return _Chosen((), tuple(left), "", 0)
    if source.talk:
        return _talk(cost, kept, left)
    if source.by_time:
        kept.sort(key=_when)
    order = [pair for pair in kept if not pair[0].under]
    lines = [source.heading, *(piece.text for piece, _ in order)]
    for under in dict.fromkeys(piece.under for piece, _ in kept if piece.under):
        group = [pair for pair in kept if pair[0].under == under]
        if source.by_time:
            group.sort(key=_latest, reverse=True)
        lines += [under, *(piece.text for piece, _ in group)]
        order += group
    lines += [CUT if is_cut else "", source.closing]
    tokens = spent + sum(tokens for _, tokens in kept) + (cost.cut if is_cut else 0)
    return _Chosen(tuple(order), tuple(left), "".join(f"{line}\n" for line in lines if line), tokens)


def _talk(
    cost: _Cost, kept: Sequence[tuple[ContextPiece, int]], left: Sequence[tuple[ContextPiece, int, str]]
) -> _Chosen:
    """Conversations as they are laid out; what marks gaps costs what was kept free for it, or less."""
    lines = list(laid_out(kept))
    costs = {id(piece): tokens for piece, tokens in kept}
    order = tuple((piece, costs[id(piece)]) for _, piece in lines if piece is not None)
    others = sum(cost.count(f"{line}\n") for line, piece in lines if piece is None)
    text = [cost.source.heading, *(line for line, _ in lines), cost.source.closing]
    tokens = cost.heading + cost.closing + others + sum(tokens for _, tokens in order)
    return _Chosen(order, tuple(left), "".join(f"{line}\n" for line in text if line), tokens)


def _beginning(pieces: Sequence[tuple[ContextPiece, int]], room: int, cost: _Cost) -> list[tuple[ContextPiece, int]]:
    """All pieces if they fit, else as many of the first as fit with the mark of the cut.

    A paragraph that alone is longer than the room would hide all that follows it: its beginning is kept.
    """
    sums = list(accumulate((tokens for _, tokens in pieces), initial=0))
    if sums[-1] <= room or not pieces:
        return list(pieces)
    most = max((n for n, total in enumerate(sums) if total + cost.cut <= room), default=0)
    kept = list(pieces[:most])
    piece, tokens = pieces[most]
    left = room - cost.cut - sums[most]
    if tokens + cost.cut > room and left > 0:
        words = piece.text.split(" ")
        some = bisect_right(range(len(words)), left, key=lambda n: _tokens(" ".join(words[:n]), cost.count)) - 1
        if some > 0:
            text = " ".join(words[:some])
            kept.append((replace(piece, text=text), _tokens(text, cost.count)))
    return kept


@lru_cache(maxsize=1 << 13)
def _words(text: str) -> frozenset[str]:
    """What a piece says: its words and figures."""
    return frozenset(_WORD.findall(_FORM.sub("", text).casefold()))


def _tokens(text: str, count: Callable[[str], int]) -> int:
    """What a piece costs with the end of its line. A slash after a line's end is taken together with that by some."""
    return count(f"{text}\n") + (_SLASH if text.startswith("/") else 0)


def _latest(pair: tuple[ContextPiece, int]) -> tuple[bool, float, str]:
    """This session's own first, then by the time, then by the file, which is named by its day."""
    return pair[0].needed, pair[0].time.timestamp() if pair[0].time else 0.0, pair[0].document


def _when(pair: tuple[ContextPiece, int]) -> tuple[bool, float, str, int]:
    piece = pair[0]
    return piece.time is None, piece.time.timestamp() if piece.time else 0.0, piece.document, piece.start_line
