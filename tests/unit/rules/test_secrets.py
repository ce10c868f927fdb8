from __future__ import annotations

import json
import lzma
import re
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oldsoul.rules.secrets import Masked, mask, rules

GOLDEN = Path(__file__).parents[2] / "golden" / "secrets.md"
BLOCKS = re.compile(r"^## (.+)\n((?:```(?:in|out|same)\n(?:.*\n)*?```\n)+)", re.MULTILINE)
MARK = re.compile(r"\[masked: [a-z0-9 ]+\]")
BREAKS = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
SIZE = 200_000


def golden() -> list[tuple[str, str, str]]:
    """Title, text, expected text of each case; a block `same` expects what it says."""
    cases = []
    for title, blocks in BLOCKS.findall(GOLDEN.read_text(encoding="utf-8")):
        named: dict[str, str] = dict(re.findall(r"^```(\w+)\n(.*?)\n```$", blocks, re.MULTILINE | re.DOTALL))
        text = named.get("same", named.get("in", ""))
        cases.append((title, text, named.get("out", text)))
    return cases


@pytest.mark.parametrize(("text", "expected"), [pytest.param(t, e, id=title) for title, t, e in golden()])
def test_a_text_is_masked_as_the_golden_file_says(text: str, expected: str) -> None:
    masked = mask(text)
    assert masked.text == expected
    assert sum(count for _, count in masked.found) == len(MARK.findall(expected)) - len(MARK.findall(text))
    assert mask(expected) == Masked(expected, ())


def test_the_golden_file_holds_as_many_innocent_texts_as_secrets() -> None:
    cases = golden()
    titles = [title for title, _, _ in cases]
    assert len(cases) >= 180
    assert len(set(titles)) == len(titles) == GOLDEN.read_text(encoding="utf-8").count("\n## ")
    assert 2 * sum(text == expected for _, text, expected in cases) >= len(cases)


def test_the_report_counts_kinds_and_holds_no_secret() -> None:
    masked = mask("password: hunter2, PIN: 1234\nmy password is hunter3; ghp_EXAMPLEexampleEXAMPLE0123")
    assert dict(masked.found) == {"github key": 1, "password": 2, "pin": 1}
    assert "hunter" not in repr(masked)


@pytest.mark.parametrize("statement", ["token = {}", "ghp_{}", "?token={} x", "key: {}", "password: {}!", "Bearer {}"])
def test_a_secret_longer_than_a_pattern_takes_is_masked_whole(statement: str) -> None:
    assert "Q9zR7bW2" not in mask(statement.format("f4K3ex4MPl3T0k3nQ9zR7bW2" * 40)).text


def test_the_letter_that_grows_in_lower_case_moves_nothing() -> None:
    assert mask("İİİ password: hunter2 İ").text == "İİİ password: [masked: password] İ"


def test_private_use_characters_and_old_marks_survive() -> None:
    text = "\U0010f000\U0010f001 [masked: old kind] password: {} [masked: x y]\U0010ffff"
    assert mask(text.format("hunter2")).text == text.format("[masked: password]")


def test_lone_surrogates_do_no_harm() -> None:
    assert mask("\ud800 password: hunter2 \udfff").text == "\ud800 password: [masked: password] \udfff"


LETTERS = string.ascii_letters + string.digits


def made(size: int, alphabet: str = LETTERS) -> st.SearchStrategy[str]:
    """Strings as a machine makes them: all classes, changing often."""
    return st.text(alphabet, min_size=size, max_size=size + 12).map(lambda body: f"q7{body}Z3x9Kd")


RANDOM = st.lists(
    st.tuples(*map(st.sampled_from, (string.ascii_lowercase, string.digits, string.ascii_uppercase))),
    min_size=9,
    max_size=20,
    unique_by=lambda triple: triple[0],
).map(lambda triples: "".join(map("".join, triples)))
PLANTED = {
    "aws key id": ("id {}", st.text(string.ascii_uppercase + "234567", min_size=16, max_size=16).map("AKIA{}".format)),
    "aws secret key": ("aws_secret_access_key = {}", made(32).map(lambda s: s[:40])),
    "github token": ("{}", made(28).map("ghp_{}".format)),
    "github token (fine-grained)": ("{}", made(60, LETTERS + "_").map("github_pat_{}".format)),
    "gitlab token": ("{}", made(12, LETTERS + "_-").map("glpat-{}".format)),
    "slack token": ("{}", made(16, LETTERS + "-").map("xoxb-{}".format)),
    "slack webhook": ("https://hooks.slack.com/services/{}", made(24).map("T0A/B0A/{}".format)),
    "discord webhook": ("https://discord.com/api/webhooks/123456789/{}", made(50, LETTERS + "_-")),
    "discord token": ("{}", made(27, LETTERS).map(lambda s: f"MTIzNDU2Nzg5MDEyMzQ1Njc4.Gx7y2z.{s}")),
    "telegram token": ("1234567890:{}", made(24).map(lambda s: f"AA{s}"[:35])),
    "openai key": ("{}", made(30, LETTERS + "_-").map("sk-proj-{}".format)),
    "anthropic key": ("{}", made(60, LETTERS + "_-").map("sk-ant-api03-{}".format)),
    "google key": ("{}", made(27, LETTERS + "_-").map("AIza{}".format)),
    "google token": ("{}", made(40, LETTERS + "_-").map("ya29.{}".format)),
    "stripe key": ("{}", made(16).map("sk_live_{}".format)),
    "stripe webhook": ("{}", made(24).map("whsec_{}".format)),
    "twilio key": ("{}", st.text("0123456789abcdef", min_size=32, max_size=32).map("SK{}".format)),
    "twilio pair": ("AC00000000aaaaaaaa00000000aaaaaaaa:{}", st.text("0123456789abcdef", min_size=32, max_size=32)),
    "sendgrid key": ("{}", made(35, LETTERS + "_-").map("SG.abcdefghijABCDEFGHIJ01.{}".format)),
    "npm token": ("{}", made(28).map("npm_{}".format)),
    "pypi token": ("{}", made(60, LETTERS + "_-").map("pypi-AgEIcHlwaS5vcmc{}".format)),
    "huggingface token": ("{}", made(26).map("hf_{}".format)),
    "digitalocean token": ("{}", st.text("0123456789abcdef", min_size=64, max_size=64).map("dop_v1_{}".format)),
    "azure key": ("AccountKey={}", made(78).map("{}==".format)),
    "json web token": ("{}", st.tuples(made(20), made(20)).map(lambda p: f"eyJhbGciOiJIUzI1NiJ9.eyJ{p[0]}.{p[1]}")),
    "bearer": ("Authorization: Bearer {}", made(12)),
    "basic": ("Authorization: Basic {}", made(8).map("{}=".format)),
    "url password": ("https://bob:{}@example.com/x", made(4)),
    "query": ("https://example.com/?a=1&token={}&b=2", made(4)),
    "assigned password": ("password = {}", made(2)),
    "quoted password": ('"password": "{}"', made(2)),
    "exported secret": ("export FOO_SECRET={}", made(2)),
    "yaml api key": ("api_key: '{}'", made(4)),
    "said password": ("my password is {}", made(2)),
    "said in Chinese": ("密码是{}", made(2)),
    "with a full-width colon": ("密码：{}", made(2)),
    "pin": ("the PIN is {}", st.integers(1000, 99_999_999).map("{}".format)),
    "random string": ("here is the key you wanted, {}", RANDOM),
    "private key": (
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
        made(52, LETTERS + "+/").map(lambda s: s[:64]),
    ),
    "private key without end": ("-----BEGIN PRIVATE KEY-----\n{}", made(52, LETTERS + "+/").map(lambda s: s[:64])),
    "private key in one line": (
        r"-----BEGIN EC PRIVATE KEY-----\n{}\n-----END EC PRIVATE KEY-----\n",
        made(52, LETTERS + "+/").map(lambda s: s[:64]),
    ),
}
AROUND = st.text(st.characters(exclude_characters="\"'`\\"), max_size=40)


@pytest.mark.parametrize("kind", PLANTED)
@given(data=st.data())
def test_a_planted_secret_never_survives(kind: str, data: st.DataObject) -> None:
    statement, secrets = PLANTED[kind]
    secret = data.draw(secrets)
    before, after = data.draw(AROUND), data.draw(AROUND)
    assume(secret not in before + after)
    text = f"{before}\n{statement.format(secret)}\n{after}"
    masked = mask(text)
    assert secret not in masked.text
    assert masked.found
    assert BREAKS.findall(masked.text) == BREAKS.findall(text)
    assert mask(masked.text) == Masked(masked.text, ())


PIECES = st.sampled_from(
    """password passwd pwd secret client_secret token api_key key PIN 密码 口令 密钥 令牌 credential bearer Authorization is
    was are 是 为 = : ： -> => | - -- for (x) hunter2 swordfish required "hunter2" 'a b' ` " ' \\ \\" \\n ghp_ sk- eyJ eyJhb
    ghp_EXAMPLEexampleEXAMPLE0123 sk-EXAMPLE0example1EXAMPLE2 AKIAIOSFODNN7EXAMPLE f4K3ex4MPl3T0k3nQ9zR7bW2 1234 :// @ / ? &
    https://bob:hunter2@example.com ?token=EXAMPLEabc123 -----BEGIN -----END PRIVATE KEY----- -----BEGIN_RSA_PRIVATE_KEY-----
    EXAMPLEexampleEXAMPLEexampleEXAMPLE0 EXAMPLE= [masked: password] [masked: ] İ ß \U0010f000 \U0010f005 , ; ! . * ** _ > #
    """.replace("\n", " ").split(" ")
).map(lambda piece: piece.replace("_RSA_PRIVATE_KEY", " RSA PRIVATE KEY"))
GLUE = st.sampled_from(["", "", " ", " ", " ", "\n", "\r\n", "\r", "\n> ", "\t", "\u2028", "\x85", "\u3000", "=", ": "])
TANGLES = st.lists(st.tuples(PIECES, GLUE), max_size=24).map(lambda pairs: "".join(a + b for a, b in pairs))


@given(TANGLES | st.text())
def test_masking_twice_changes_nothing_more(text: str) -> None:
    masked = mask(text)
    assert mask(masked.text) == Masked(masked.text, ())


@given(TANGLES | st.text())
def test_line_breaks_and_all_other_characters_stay(text: str) -> None:
    masked = mask(text)
    assert BREAKS.findall(masked.text) == BREAKS.findall(text)
    at = 0
    for piece in re.split(r"\[masked: [a-z ]+\]|[\n\r]", masked.text):
        assert piece in text[at:]
        at = text.index(piece, at) + len(piece)


@given(TANGLES | st.text())
def test_the_report_agrees_with_the_text(text: str) -> None:
    masked = mask(text)
    assert bool(masked.found) == (masked.text != text)
    assert all(count > 0 for _, count in masked.found)


@given(
    st.text()
    | st.lists(st.sampled_from(["garden", "Lisbon", "2026-02-04", "a=b", "x: y", "“q”", "花园", "\n"])).map(" ".join)
)
def test_a_text_without_telling_words_is_unchanged(text: str) -> None:
    hints = [hint for rule in rules() if "where" not in rule.scope for hint in rule.hints]
    assume(not any(hint.lower() in text.lower() for hint in hints))
    assert mask(text) == Masked(text, ())


HOSTILE = [
    *(
        "a",
        "=",
        "-",
        '"',
        "'",
        "`",
        "\\",
        "\n",
        " ",
        "İ",
        "[masked: ",
        "[masked: a]",
        "eyJ",
        "eyJaaaaaaaaaaaaaaaaaaaaa.",
    ),
    *("-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n\n> ", "password ", "password=", 'password="'),
    *(
        "password for a ",
        "password=a,",
        "password: hunter ",
        "Token=",
        "secret access key ",
        "key=aB1/",
        "key aB1",
        "密码是",
    ),
    *(
        "://",
        "://a:",
        "a:b@",
        "://a:b@",
        "?",
        "&token=",
        "sk-",
        "ghp_",
        "MTaaaaaaaaaaaaaaaaaaaaaaaaa.",
        "bearer ",
        "pin is ",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_is_read_in_one_go(piece: str) -> None:
    """Nothing is timed here: a pattern that is not linear would keep these from ending."""
    text = (piece * SIZE)[:SIZE]
    masked = mask(text)
    assert masked.text.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        'password="' + "a b" * (SIZE // 3),
        "-----BEGIN PRIVATE KEY-----" + "\n" * SIZE,
        "-----BEGIN PRIVATE KEY-----\n" + ("A" * 64 + "\n") * (SIZE // 65),
        "key " * 20 + "aB1" * (SIZE // 3),
        ("key " * 12 + "aB" * 30 + " ") * (SIZE // 109),
    ],
    ids=["open quote", "open block", "long block", "long run", "many runs"],
)
def test_a_long_hostile_text_is_read_in_one_go(text: str) -> None:
    assert mask(text).text.count("\n") == text.count("\n")


MATERIAL = Path(__file__).parents[2] / "material" / "secrets.jsonl.xz"
MACHINE_MADE = re.compile(r"git|commit|hash|sha|digest|uuid|isbn|etag|data.image|base64|fingerprint|checksum")
"""The harmless kinds that no rule may ever take for a key."""


@pytest.fixture(scope="module")
def messages() -> list[dict[str, Any]]:
    return [json.loads(line) for line in lzma.decompress(MATERIAL.read_bytes()).decode("utf-8").splitlines()]


def test_ninety_five_of_a_hundred_secrets_that_others_wrote_are_masked(messages: list[dict[str, Any]]) -> None:
    telling = [message for message in messages if message["secrets"]]
    survived = [m for m in telling if any(secret in mask(m["text"]).text for secret in m["secrets"])]
    assert len(telling) > 700
    assert len(survived) <= 0.05 * len(telling), [message["text"] for message in survived]


def test_what_machines_make_and_nobody_hides_is_never_masked(messages: list[dict[str, Any]]) -> None:
    harmless = [message for message in messages if not message["secrets"]]
    masked = [message for message in harmless if mask(message["text"]).found]
    assert len(harmless) > 800
    assert not [message["text"] for message in masked if MACHINE_MADE.search(message["kind"])]
    assert len(masked) <= 0.005 * len(harmless), [message["text"] for message in masked]
