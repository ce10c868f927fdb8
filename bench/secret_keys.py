"""Makes the table of key prefixes that masking uses from a list of rules that others maintain.

`python bench/secret_keys.py gitleaks.toml > src/oldsoul/rules/secret_keys.tsv`, with the rules of gitleaks (MIT licence,
`config/gitleaks.toml` of its repository). Taken from them are facts alone: what the keys of a service begin with, and
how many characters follow at least.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

code, parser = (import_module(name) for name in ("re._constants", "re._parser"))  # their types are nowhere the same
SHORTEST_PREFIX = 3
FEWEST_AFTER = 10
MUCH_AFTER = 32
LARGEST_CHOICE = 4  # a class of so few characters is spelt out: xox[abp]-
LEFT_OUT = {"jwt", "private", "curl", "kubernetes", "nuget", "microsoft"}  # what is no key with a beginning of its own
FURTHER = """
sk-ant- 24 anthropic, sk- 20 openai, GOCSPX- 24 google, ya29. 24 google
whsec_ 24 stripe, xapp- 20 slack, xoxe. 20 slack, tskey- 20 tailscale
pypi- 40 pypi, ATCTT3 100 atlassian, sbp_ 40 supabase, gsk_ 40 groq
r8_ 37 replicate, secret_ 40 notion, dckr_pat_ 24 docker, 1//0 40 google
NRAK- 24 newrelic, sl. 60 dropbox, key- 32 mailgun, sq0csp- 40 square
pat 79 airtable, EAA 80 facebook, figd_ 36 figma, xprv 100 wallet
nsec1 58 nostr, nfp_ 36 netlify, sb_secret_ 24 supabase, re_ 24 resend
cio 32 crates, atlasv1. 60 terraform, xsmtpsib- 64 brevo, dp.st. 40 doppler
xai- 40 xai, tvly- 20 tavily, sntrys_ 40 sentry, sk_ 24 elevenlabs
dp.ct. 40 doppler, bkua_ 40 buildkite, sk.eyJ 60 mapbox, tfp_ 40 typeform
"""  # published by the services themselves: prefix, characters after it, service
FLAGS = re.compile(r"\(\?-?i\)")


def beginnings(nodes: Any) -> list[tuple[str, int, bool]]:
    """The literal beginnings of a pattern, how many characters follow each at least, and whether it is whole."""
    found = [("", 0, True)]
    for kind, value in nodes:
        options = step(kind, value)
        found = [
            (head + more, rest + after, whole and more_whole) if whole else (head, rest + len(more) + after, False)
            for (head, rest, whole), (more, after, more_whole) in product(found, options)
        ]
    return found


def step(kind: Any, value: Any) -> list[tuple[str, int, bool]]:
    """The same for one node of a pattern."""
    if kind is code.LITERAL:
        return [(chr(value), 0, True)]
    if kind is code.AT:
        return [("", 0, True)]
    if kind is code.SUBPATTERN:
        return beginnings(value[3])
    if kind is code.BRANCH:
        return [option for branch in value[1] for option in beginnings(branch)]
    if kind is code.IN and len(value) <= LARGEST_CHOICE and all(part is code.LITERAL for part, _ in value):
        return [(chr(char), 0, True) for _, char in value]
    if kind in (code.MAX_REPEAT, code.MIN_REPEAT):
        least, _, what = value
        inner = min(len(head) + rest for head, rest, _ in beginnings(what))
        return [("", least * inner, False)]
    return [("", 1, False)]


def is_telling(head: str, rest: int) -> bool:
    """Whether so begins nothing but a key: long enough, and no word unless much follows."""
    return len(head) >= SHORTEST_PREFIX and (not head.isalpha() or not head.islower() or rest >= MUCH_AFTER)


def service_of(rule: dict[str, Any]) -> str:
    """Who issues the keys of a rule."""
    name: str = rule["id"].partition("-")[0]
    return {"gcp": "google"}.get(name, name)


def main() -> None:
    """Read the rules, print the table."""
    rows: dict[str, tuple[str, int]] = {}
    for one in FURTHER.strip().replace("\n", ", ").split(", "):
        head, least, service = one.split()
        rows[head] = (service, int(least))
    for rule in tomllib.loads(Path(sys.argv[1]).read_text("utf-8"))["rules"]:
        pattern = (
            FLAGS.sub("", rule.get("regex", "")).replace("(?i:", "(?:").replace("(?-i:", "(?:").replace(r"\z", "$")
        )
        for head, rest, whole in beginnings(parser.parse(pattern)):
            plain = re.fullmatch(r"[A-Za-z0-9_.-]+", head)
            if (
                plain
                and service_of(rule) not in LEFT_OUT
                and not whole
                and is_telling(head, rest)
                and rest >= FEWEST_AFTER
            ):
                known = rows.get(head, (service_of(rule), rest))
                rows[head] = (known[0], min(rest, known[1]))
    print(
        "# Made by bench/secret_keys.py from the rules of gitleaks (MIT). Prefix, characters after it at least, service."
    )
    for head, (service, rest) in sorted(rows.items()):
        print(head, rest, service, sep="\t")


if __name__ == "__main__":
    main()
