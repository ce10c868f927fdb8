"""A first look at every incoming message: tables of patterns, a linear-time engine, no model."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.language.word_lists import word_list
from oldsoul.values.messages import Flag
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oldsoul.rules.options import TriageOptions

MINER, VALIDATOR = "memory-miner", "recall-validator"
_FOR_ALL = (MINER, "session-summarizer")
MEMORY, RECALL, SOFT, CUSTOM = "memory", "recall", "soft", "custom"
MAX_CUSTOM = 200
MAX_PATTERN = 1000
_MAX_PHRASE = 200
_MEMORY_BYTES = 16 * 1024 * 1024
_AROUND = " \t\n,.;:!?()\"'-–—"
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
_WORD = re.compile(r"[^\W\d_]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@cache
def table(language: str) -> tuple[Trigger, ...]:
    """The patterns of a language, which stand in its file (`triage` lines); nothing for one that has none."""
    kinds = word_list("triage").get(language, {})
    return tuple(
        Trigger(name, route, confidence, tuple(kinds[name].split(" | ")))
        for name, route, confidence in _MEANS
        if name in kinds
    )


def bounded(pattern: str) -> str:
    """A pattern that begins and ends with whole words, where its script has such; any apostrophe fits."""
    source = pattern.replace("'", _APOSTROPHES)
    if _CJK.search(pattern):
        return source
    begins = r"(?:^|[^\pL\pN_])" if _WORD.match(pattern) else ""
    return f"{begins}(?:{source})" + (r"(?:$|[^\pL\pN_])" if _WORD.match(pattern[-1]) else "")


class _Table(NamedTuple):
    """The patterns of one language, made ready."""

    which: Any
    """tells in one pass which of them match; None for a language nobody knows"""
    patterns: list[tuple[Trigger, Any]]
    """each with the table it stands in"""
    ascii: bool
    """whether a text of ASCII alone can match"""


class Triage:
    """The patterns of some languages and of the operator, made ready once."""

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
        self._ours = [
            self._table(language, re2) for language in dict.fromkeys(options.languages if options.enabled else ())
        ]
        self._theirs = [*self._custom(options)] if options.enabled else []

    def _table(self, language: str, engine: Any) -> _Table:
        """The patterns of a language: one pass over a text tells which of them match."""
        if not table(language):
            self.problems.append(f"triage knows no language {language!r}, only {', '.join(word_list('triage'))}")
            return _Table(None, [], ascii=True)
        which = engine.Set.SearchSet(self._options)
        patterns = []
        for trigger in table(language):
            for pattern in trigger.patterns:
                source = bounded(pattern)
                which.Add(source)
                patterns.append((trigger, self._compile(source, self._options)))
        which.Compile()
        return _Table(which, patterns, ascii=not _CJK.search(patterns[0][0].patterns[0]))

    def _custom(self, options: TriageOptions) -> Iterable[tuple[Trigger, Any]]:
        if len(options.custom_patterns) > MAX_CUSTOM:
            self.problems.append(f"only the first {MAX_CUSTOM} custom patterns are used")
        for number, custom in enumerate(options.custom_patterns[:MAX_CUSTOM], 1):
            if not custom.pattern or len(custom.pattern) > MAX_PATTERN:
                self.problems.append(f"custom pattern {number} is left out: it has no or over {MAX_PATTERN} characters")
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
        is_ascii = text.isascii()
        data = text.encode("utf-8", "replace")  # as bytes, the engine need not count characters
        candidates = list(self._theirs)
        for table in reversed(self._ours):
            if table.which is not None and (table.ascii or not is_ascii):
                candidates[:0] = [table.patterns[n] for n in sorted(table.which.Match(data) or ())]
        found: dict[tuple[str, str, str], Flag] = {}
        for trigger, compiled in candidates:
            kind = trigger[:3]
            if kind not in found and (match := compiled.search(data)):
                found[kind] = Flag(*kind, phrase=match[0].decode("utf-8", "replace").strip(_AROUND)[:_MAX_PHRASE])
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
