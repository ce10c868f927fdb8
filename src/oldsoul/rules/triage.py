"""A first look at every incoming message: tables of patterns, a linear-time engine, no model."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from oldsoul.language.lexicon import word_list
from oldsoul.rules.options import TriageOptions
from oldsoul.values.messages import Flag
from oldsoul.values.origin import Origin

MINER, VALIDATOR = "memory-miner", "recall-validator"
_FOR_ALL = (MINER, "session-summarizer")
MEMORY, RECALL, SOFT, CUSTOM = "memory", "recall", "soft", "custom"
MAX_CUSTOM = 200
MAX_PATTERN = 1000
_MAX_PHRASE = 200
_MEMORY_BYTES = 16 * 1024 * 1024
_APOSTROPHES = "['’‘ʼ＇]"


class Trigger(NamedTuple):
    """One table of patterns and what a match of any of them means."""

    name: str
    """`memory`, `recall` or `soft`"""
    route: str
    """the keeper it leads to"""
    confidence: str
    """how sure a match is of what it means"""
    patterns: tuple[str, ...]
    """the patterns; an apostrophe stands for any kind of apostrophe"""


_MEANS = ((MEMORY, MINER, "high"), (RECALL, VALIDATOR, "high"), (SOFT, VALIDATOR, "medium"))


@cache
def table(language: str) -> tuple[Trigger, ...]:
    """The patterns of a language, which are in its file (`triage` lines); nothing for one that has none."""
    kinds = word_list("triage").get(language, {})
    return tuple(
        Trigger(name, route, confidence, tuple(kinds[name].split(" | ")))
        for name, route, confidence in _MEANS
        if name in kinds
    )


def bounded(pattern: str) -> str:
    """A pattern that begins and ends with whole words, where its script has such; any apostrophe fits."""
    source = pattern.replace("'", _APOSTROPHES)
    begins = r"\b" if pattern[0].isascii() and pattern[0].isalpha() else ""
    return f"{begins}(?:{source})" + (r"\b" if pattern[-1].isascii() and pattern[-1].isalpha() else "")


class Triage:
    """The patterns of some languages and of the operator, prepared once."""

    def __init__(self, options: TriageOptions) -> None:
        import re2  # noqa: PLC0415 - only incoming messages need it

        self.problems: list[str] = []
        """what is wrong with the operator's own patterns; those are left out"""
        self._error: type[Exception] = re2.error
        self._compile = re2.compile
        self._options: Any = re2.Options()
        self._options.case_sensitive = False
        self._options.log_errors = False
        self._options.never_capture = True
        self._options.max_mem = _MEMORY_BYTES
        self._ours: list[tuple[Trigger, str]] = []
        for language in word_list("triage") if options.enabled else ():
            self._ours += [(trigger, bounded(p)) for trigger in table(language) for p in trigger.patterns]
        self._which = re2.Set.SearchSet(self._options)
        """tells in one pass over a text which of them match"""
        for _, source in self._ours:
            self._which.Add(source)
        self._which.Compile()
        self._theirs = [*self._custom(options)] if options.enabled else []

    def _custom(self, options: TriageOptions) -> Iterable[tuple[Trigger, Any]]:
        if len(options.custom_patterns) > MAX_CUSTOM:
            self.problems.append(f"only the first {MAX_CUSTOM} custom patterns are used")
        for number, custom in enumerate(options.custom_patterns[:MAX_CUSTOM], 1):
            if not custom.pattern or len(custom.pattern) > MAX_PATTERN:
                self.problems.append(
                    f"custom pattern {number} is left out: it is empty or has more than {MAX_PATTERN} characters"
                )
                continue
            try:
                compiled = self._compile(custom.pattern, self._options)
            except self._error as error:
                reason = error.args[0] if error.args else error
                text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
                self.problems.append(f"custom pattern {number} is left out: {custom.pattern!r}: {text}")
                continue
            yield Trigger(CUSTOM, custom.route, custom.confidence, (custom.pattern,)), compiled

    def flags(self, text: str) -> tuple[Flag, ...]:
        """What the message holds, table by table, each kind of flag once with the first words that matched."""
        data = text.encode("utf-8", "replace")  # as bytes, the engine need not count characters
        matched = [self._ours[number] for number in sorted(self._which.Match(data) or ())] if self._ours else []
        found: dict[tuple[str, str, str], Flag] = {}
        for trigger, pattern in (*matched, *self._theirs):
            kind = (trigger.name, trigger.route, trigger.confidence)
            if kind in found:
                continue
            compiled = self._compile(pattern, self._options) if isinstance(pattern, str) else pattern
            if match := compiled.search(data):
                found[kind] = Flag(*kind, phrase=match[0].decode("utf-8", "replace")[:_MAX_PHRASE])
        return tuple(found.values())


@lru_cache(maxsize=64)
def triage(options: TriageOptions) -> Triage:
    """The patterns these settings ask for."""
    return Triage(options)


def leads_to(flag: Flag, origin: Origin, *, related: bool) -> str:
    """The keeper a flag of a message leads to; empty when it leads nowhere.

    Others than the operator reach those keepers alone that take everybody's words; a soft one reaches the validator only
    where there is a related memory it could mean.
    """
    if flag.route in _FOR_ALL:
        return flag.route
    if origin is not Origin.OPERATOR or (flag.route == VALIDATOR and flag.confidence != "high" and not related):
        return ""
    return flag.route
