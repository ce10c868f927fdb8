"""What is an English word, by the list of an installed package; the package's own code is never imported."""

from __future__ import annotations

import gzip
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np

_LIST = "spellchecker/resources/en.json.gz"
_PACKAGE = "pyspellchecker"
_NEW = """
    airbnb anthropic backend bitcoin blockchain burndown chai chatbot chatgpt codebase covid coworking crypto cron dataset devops
    ebike emoji etsy frontend fullstack gitlab grafana hashtag influencer intranet kanban keto kombucha kubernetes lyft matcha
    microservice middleware mockup nginx nvme oauth offboarding offsite onboarding onsite openai paywall playlist podcast
    postgres postgresql prometheus quinoa ramen realtime redis refactor roadmap selfie serverless signup siri smartphone smartwatch
    spotify standup sudo telehealth terraform tiktok timezone todo tofu uber uptime vite vlan vlog webcam webhook webinar whatsapp
    wifi workflow yaml
"""
_NEWER = frozenset(_NEW.split())
"""Words that came into use after the list was made."""


class EnglishWords:
    """The words of the list. It is opened when first asked for; where it is not there or damaged, hardly anything is a word."""

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (word in _NEWER or _is_listed(word))


@lru_cache(maxsize=1 << 12)
def _is_listed(word: str) -> bool:
    """Looked for in the text of the list, which is in order: to make a set of it would take ten times the time and memory."""
    if not (word.isascii() and word.isalpha()):
        return False
    text, wanted = _listed(), word.encode()
    low, high = 0, len(text)
    while low < high:
        start = text.rfind(b"\n", 0, (low + high) // 2) + 1
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        found = text[start:end].partition(b'"')[2].partition(b'"')[0]
        if found == wanted:
            return True
        if found < wanted:
            low = end + 1
        else:
            high = start - 1
    return False


@lru_cache(maxsize=1)
def _listed() -> bytes:
    path = Path(np.__file__).parents[1] / _LIST
    if not path.is_file():
        from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 - slow, and seldom needed

        try:
            path = next(Path(str(file.locate())) for file in files(_PACKAGE) or () if file.as_posix() == _LIST)
        except (PackageNotFoundError, StopIteration):
            return b""
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        return b""
