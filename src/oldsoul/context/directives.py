"""What a model writes into a reply for the program and not for people: taken out, also while the reply still comes.

Thinking in `<think>` and the tags of `<final>` are at the beginning, and so is the tag that says which message is
answered. The words for "nothing to say" stand alone, at the beginning or at the end. In the middle of a reply all of
these are words like others.
"""

from __future__ import annotations

from oldsoul.context.sections import HEARTBEAT_OK, SILENT_REPLY

_THINK, _THOUGHT = "<think>", "</think>"
_FINAL, _ENDED = "<final>", "</final>"
_TAG, _TAG_END = "[[reply_to", "]]"
_CURRENT = "_current"
_LONGEST_TAG = 200
_TOKENS = (SILENT_REPLY, HEARTBEAT_OK, f"`{SILENT_REPLY}`", f"`{HEARTBEAT_OK}`")
_HEADS = (_THINK, _FINAL, _ENDED, _TAG, *_TOKENS)


class Directives:
    """A reply while it comes: `feed` gives what can be delivered of it, `end` the rest."""

    def __init__(self) -> None:
        self.silent = False
        """whether the model said that nothing is to be delivered"""
        self.reply_to = ""
        """the message that the reply answers: `current`, or an id; empty when it does not say"""
        self._held = ""
        self._last = ""
        self._at_head = True
        self._thinks = self._is_final = self._is_over = False

    def feed(self, text: str) -> str:
        """Take more of the reply; gives what is certain to be words for people."""
        if self._is_over:
            return ""
        self._held += text
        if self._at_head and not self._past_head():
            return ""
        words, end, _ = self._held.partition(_ENDED) if self._is_final else (self._held, "", "")
        if end:
            self._is_over, self._held = True, words
            return self._rest()
        kept = len(words) - _unsure(words, (*_TOKENS, _ENDED) if self._is_final else _TOKENS)
        self._held, self._last = words[kept:], words[kept - 1 : kept] if kept else self._last
        return words[:kept]

    def end(self) -> str:
        """The reply has ended; gives what is left of its words."""
        return "" if self._is_over or self._thinks else self._rest()

    def _rest(self) -> str:
        text, self._held = self._held.rstrip(), ""
        token = next((each for each in _TOKENS if text.endswith(each)), "")
        if self._at_head:
            self.silent |= bool(text) and text == token
            return "" if text == token else text
        before = text.removesuffix(token)
        return before.rstrip() if token and not (self._last + before)[-1:].strip() else text

    def _past_head(self) -> bool:
        """Take out what is at the beginning; whether the words of the reply have begun."""
        while True:
            if self._thinks:
                _, end, rest = self._held.partition(_THOUGHT)
                self._thinks, self._held = not end, rest if end else self._held[-len(_THOUGHT) :]
                if not end:
                    return False
            self._held = self._held.lstrip()
            if self._held.startswith(_THINK):
                self._thinks, self._held = True, self._held.removeprefix(_THINK)
            elif self._held.startswith(_FINAL) and not self._is_final:
                self._is_final, self._held = True, self._held.removeprefix(_FINAL)
            elif self._held.startswith(_ENDED) and self._is_final:
                self._is_over = True
                return False
            elif not (self._takes_tag() or self._takes_token()):
                break
        if any(head.startswith(self._held) for head in _HEADS) or self._is_begun_tag():
            return False
        self._at_head = self.silent = False
        return True

    def _takes_tag(self) -> bool:
        tag, end, rest = self._held.partition(_TAG_END)
        if not (end and tag.startswith(_TAG) and len(tag) <= _LONGEST_TAG):
            return False
        named = tag.removeprefix(_TAG)
        self.reply_to = "current" if named == _CURRENT else named.lstrip(":").strip()
        self._held = rest
        return True

    def _is_begun_tag(self) -> bool:
        return self._held.startswith(_TAG) and _TAG_END not in self._held and len(self._held) <= _LONGEST_TAG

    def _takes_token(self) -> bool:
        token = next((each for each in _TOKENS if self._held.startswith(each)), "")
        following = self._held[len(token) : len(token) + 1]
        if not token or not following or following.isalnum() or following == "_":
            return False
        self.silent, self._held = True, self._held.removeprefix(token)
        return True


def _unsure(text: str, endings: tuple[str, ...]) -> int:
    """How many characters at the end may still turn out to be none of the words: blanks, and the beginning of an ending."""
    bare = text.rstrip()
    sizes = [
        size
        for ending in endings
        for size in ((len(ending),) if bare != text else range(1, len(ending) + 1))
        if bare.endswith(ending[:size])
    ]
    return len(text) - len(bare[: len(bare) - max(sizes, default=0)].rstrip())


def delivered(text: str) -> tuple[str, Directives]:
    """A whole reply as people get it, and what it said to the program."""
    read = Directives()
    return read.feed(text) + read.end(), read
