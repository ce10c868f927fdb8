"""Masks keys, tokens and passwords in a text before anything keeps it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Masked:
    """A text that is safe to keep."""

    text: str
    """The text with every secret replaced by a mark such as `[masked: github token]`; its line breaks stay."""
    found: tuple[tuple[str, int], ...]
    """Which kinds were masked, and how often; never the secret."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to recognise a secret."""

    kind: str
    """What the mark says."""
    hints: tuple[str, ...]
    """Literals a match starts with, in lower case unless case matters; a text without any costs the rule nothing."""
    pattern: str
    """Matched at a hint; its last group is masked, or all of it. Repetition is bounded or possessive: time is linear."""
    holds: Callable[[str, re.Match[str]], bool] | None = None
    """Says whether the value found is a secret indeed."""
    issued: bool = False
    """True when a match always has a run of 20 token characters, so that a text without one need not be searched."""


def mask(text: str) -> Masked:
    """Return the text with its secrets masked; masking that again finds nothing."""
    due = _due(text)
    if not due:
        return Masked(text, ())
    work, kept = _fold(text)
    found: Counter[str] = Counter()
    before = -1
    while before != found.total():  # a mark can free what stood beside it, so stop when a whole round finds nothing
        before = found.total()
        for rule in due:
            spans = _spans(rule, work)
            if spans:
                found[rule.kind] += len(spans)
                work = _marked(work, spans, chr(_FIRST + _KINDS.index(rule.kind)))
    return Masked(_unfold(work, kept), tuple(found.items())) if found else Masked(text, ())


# While rules run, a mark is one private-use character: nothing matches inside it, and a telling word in it is mute.
_KEPT = 0x10F000
_FIRST = _KEPT + 1
_PRIVATE = "\U0010f000-\U0010ffff"
_BREAK = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LONGEST = 250  # what a pattern takes of a value; the rest of a longer one is masked without looking
_RUN = b"a" * 20
_RUNS = bytes(97 if chr(i).isascii() and (chr(i).isalnum() or chr(i) in "_-") else 32 for i in range(256))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled on first use: most texts need none, and starting up should not pay for all."""
    return re.compile(pattern)


def _due(text: str) -> list[Rule]:
    """Return the rules that have a hint in the text, in order: the cheap look that spares most texts the rest."""
    low = _lower(text)
    seen = {hint for hint in _WORD_HINTS if hint in low}
    if _RUN in text.encode("utf-8", "replace").translate(_RUNS):
        long = " ".join(word for word in text.split() if len(word) >= len(_RUN))
        seen.update(hint for hint in _ISSUED_HINTS if hint in long)
    return [rule for rule in _RULES if not seen.isdisjoint(rule.hints)] if seen else []


def _lower(text: str) -> str:
    """Return the text in lower case, each character at its place."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "i").lower()  # the one letter that grows


def _fold(text: str) -> tuple[str, list[str]]:
    """Return the text with earlier marks (and characters that look like ours) as one character each, and those."""
    kept: list[str] = []
    if text.isascii() and "[masked: " not in text:
        return text, kept

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return chr(_KEPT)

    return _compiled(rf"\[masked: [a-z ]{{2,24}}\]|[{_PRIVATE}]").sub(keep, text), kept


def _unfold(work: str, kept: list[str]) -> str:
    """Return the text with its marks written out; no rule masks a kept one, so their order holds."""
    rest = iter(kept)

    def write(match: re.Match[str]) -> str:
        number = ord(match[0])
        return next(rest) if number == _KEPT else f"[masked: {_KINDS[number - _FIRST]}]"

    return _compiled(f"[{_PRIVATE}]").sub(write, work)


def _spans(rule: Rule, text: str) -> list[tuple[int, int]]:
    """Return where the rule's secrets stand, in order and apart."""
    pattern = _compiled(rule.pattern)
    low = _lower(text)
    found: list[tuple[int, int]] = []
    for hint in rule.hints:
        hay = low if hint == hint.lower() else text
        at = hay.find(hint)
        while at >= 0:
            match = pattern.match(text, at)
            at += 1
            if match:
                start, end = match.span(match.lastgroup or 0)
                if match.lastgroup == "bare":
                    end = start + len(text[start:end].rstrip(".,;:?)]}*"))
                if rule.holds is None or rule.holds(text[start:end], match):
                    if end - start >= _LONGEST and match.lastgroup != "quoted":
                        end = _compiled(r"[A-Za-z0-9+/_=.~%-]*+").match(text, end).end()  # type: ignore[union-attr]
                    found.append((start, end))
                    at = max(at, end)
            at = hay.find(hint, at)
    spans: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _marked(text: str, spans: list[tuple[int, int]], mark: str) -> str:
    """Return the text with the mark for each span; breaks stay, with indent and quote sign, so line numbers hold."""
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        pieces += [text[end:start], mark, *_compiled(r"[\n\r][ \t>]*+").findall(text, start, stop)]
        end = stop
    return "".join([*pieces, text[end:]])


# What a value looks like. A word after "password is" is far more often an adjective than a password.
_STOP = frozenset(
    """about account active again alphanumeric also always and are argon argument available back basic bcrypt been
    before being below blank but byte bytes can case changeme char character characters chars confirm correct
    different digit digits easy email empty english enter exactly example factor false field file fine flag for free
    from gone good hard hash here hidden important impossible incorrect inherit input insecure invalid its just kept
    known least length letters like local login long longer lost lowercase mandatory match maximum may minimum missing
    more must name never none not null now oauth object once only option our page parameter perfect plain plaintext
    please private public quite random ready redacted remember repeat required reset retype right safe same scrypt
    secure see sensitive sent set shared short should simple single some something still string strong submit such
    temporary test text that the their them then there these they this those too true type undefined unique unknown
    unsafe unset uppercase user username valid value very visible void want was weak what when where which will with
    without word words wrong you your yours""".split()
)
_INNOCENT = (
    r"(?is:[*•.…_x-]+|<.*|\[.*|\{.*|\$[{(].*|\$[a-z_]+[0-9]?|%[a-z(].*|![a-z]+|your[-_ ].*|.*[-_ ]here"  # placeholders
    r"|1?(?:pass|password|passwd|pwd|secret|token|key|api[_-]?key)"
    r"|[a-z][a-z0-9+.-]{1,20}://.*|arn:.*|(?:~|\.{1,2})?/[a-z0-9_.~/-]*|[a-z]:\\.*"  # addresses, paths, files
    r"|[a-z0-9_./-]+\.(?:crt|env|js|json|key|md|pem|py|toml|ts|txt|ya?ml)|[a-z0-9_.+-]+@[a-z0-9.-]+\.[a-z]{2,6}"
    r"|\d{4}-\d\d(?:-\d\d)?(?:[t ].*)?|v?\d+(?:\.\d+)+(?:[-+.].*)?|0x[0-9a-f]{40}"  # dates, versions, public addresses
    r"|(?:base|sha|md|utf|aes|rsa|[hrepd]s|ed|oauth|x|rfc)[-_]?\d+(?:[-_].*|[a-z]*)|\d+(?:bits?|bytes?|chars?))"
)
_CODE = (  # what stands bare in code: a call, an attribute, a variable named for the secret it holds
    r"[A-Za-z_][A-Za-z0-9_.]*[(\[]|(?:[A-Za-z_]+\.)+[A-Za-z_]+(?:_?\d{1,2})?$"
    r"|(?i:[a-z_]*(?:passw(?:or)?d|secret|token|pwd|api_?key|_key)[a-z_]*(?:_\d{1,2})?)$"
)
_WORD = r"[A-Za-zÀ-ӿ]+(?:[-_'][A-Za-zÀ-ӿ]+)*!*"
_PARTICIPLE = r"[a-z]{3,}(?:ed|ing|able|ible|ly|less|ive|ory|ous|tion)"
_CLAUSE_END = rf"[ \t]*+(?:\Z|[{_BREAK}.,;!?)\]}}(<#|&\"'`*”’」』。，；！？、）]|[A-Za-z_-]{{1,20}}+[ \t]?[:=])"


def _is_password(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a password can be one: no placeholder, no code, no prose."""
    bare = match.lastgroup == "bare"
    parts = re.split(r"[\s-]+", value.rstrip("!").lower())
    prose = any(part in _STOP or _compiled(_PARTICIPLE).fullmatch(part) for part in parts)
    if prose or _compiled(_INNOCENT).fullmatch(value) or (bare and _compiled(_CODE).match(value)):
        return False
    if _compiled(_WORD).fullmatch(value):
        ends = _compiled(_CLAUSE_END).match(match.string, match.start(match.lastgroup or 0) + len(value))
        identifier = "_" in value or re.search(r"[a-z][A-Z]", value)
        return not bare or (ends is not None and not identifier and not match["loose"])
    mixed = re.search(r"[A-Za-zÀ-ӿ]", value) and re.search(r"[0-9!@#$%^&*+=?~]", value)
    return bool(mixed) or value.isdecimal() or " " in value


def _is_key(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a key or token looks made by a machine."""
    if " " in value or _compiled(_INNOCENT).fullmatch(value) or _compiled(_CODE).match(value):
        return False
    mixed = re.search(r"(?=[A-Za-z]{0,5}[0-9])(?=[0-9]{0,5}[A-Za-z])[A-Za-z0-9]{6}", value)
    return mixed is not None or _is_jumbled(value, match)


def _is_issued(value: str, match: re.Match[str]) -> bool:
    """Return whether what follows a provider's prefix is no name in kebab or camel case."""
    mixed = re.search(r"[0-9]", value) and re.search(r"[A-Z]", value)
    return bool(mixed or re.search(r"(?=[a-z]{0,19}[0-9])[a-z0-9]{20}", value)) or _is_jumbled(value, match)


def _is_jumbled(value: str, _match: re.Match[str]) -> bool:
    """Return whether characters change class as often as in a random string of some length, and few repeat."""
    runs = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", value)
    size = len(value)
    entropy = -sum(n / size * log2(n / size) for n in Counter(value).values())
    return size >= 16 and sum(map(len, runs)) <= 3 * len(runs) and entropy >= 3.2  # noqa: PLR2004


_CLOSE = r"[\"'`*_\])）」』”\\]{0,4}"
_LOOSE = "".join(f"|(?<=-{flag})(?=[ \t])" for flag in ("password", "passwd", "pass", "secret", "token", "key"))
_NAMED = (  # a name that ends here, then `=`, `:`, "is" or 是
    r"(?i:%s)(?:[_-]?(?:base|value|prod|dev|test|staging|\d{1,2}))?(?![A-Za-z0-9_]|-[A-Za-z])"
    r"(?:[ \t](?:for|to|of|on|at|in)(?:[ \t][^\s:=：]{1,24}){1,5}?|[ \t]?[(（][^()（）\n]{1,40}[)）])?"
    rf"{_CLOSE}(?:[ \t\u3000]{{0,4}}(?::=|={{1,2}}>?|[:：＝]|->|→)|(?P<loose>[ \t]{{1,3}}[|–—-](?=[ \t]){_LOOSE})"
    r"|[ \t]{1,3}(?i:is|was|are)(?:[ \t](?:now|still|just|simply|currently))?(?:[ \t]?:)?(?=[ \t])"
    r"|[ \t]?(?:现在|目前|已经?|就|暂时|应该)?(?:是|为|為|改成|改为|换成|设成|设为|设置为|变成)[:：]?)"
    r"\*{0,3}[ \t\u3000]{0,4}\*{0,3}"
)
_VALUE = (  # in quotes, or up to the next space
    rf"(?:(?P<q>\\{{0,3}}[\"'`])(?P<quoted>(?:(?!(?P=q))(?:\\[^{_BREAK}{_PRIVATE}]|[^\\{_BREAK}{_PRIVATE}]))"
    rf"{{4,{2 * _LONGEST}}}+)(?P=q)|[\"'`“‘「『]?(?P<bare>(?:(?![\"'`<>,;&|])[!-~À-ӿ]"
    rf"|[,;&](?=[A-Za-z0-9])(?![A-Za-z0-9_.-]{{1,40}}+[ \t]?[=:])){{4,{_LONGEST}}}+))"
)
_OWNERS = ("api", "access", "auth", "secret", "private", "signing", "encryption", "master", "account", "service")
_KEY_NAMES = "|".join(f"(?<={owner})key|(?<={owner}[ _-])key" for owner in _OWNERS)
_SEP = r"(?:\\[nr]|[ \t\r\n>|#*\"'+,\\])"
_PEM = (  # headers, lines of key, at most two short last ones, and the end if it is there
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_SEP}++(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\\{_BREAK}{_PRIVATE}]{{0,200}}+){{0,8}}+"
    rf"(?:{_SEP}++[A-Za-z0-9+/]{{24,}}+={{0,2}}+)++"
    rf"(?:{_SEP}++=?[A-Za-z0-9+/]{{1,23}}+={{0,2}}+(?={_SEP}*+-----END |[ \t]*+[\"']?(?:[\r\n]|\\[nr]|\Z))){{0,2}}+"
    rf"(?:{_SEP}*+-----END [A-Z0-9 ]{{1,50}}-----)?+"
)
_NEAR = (  # a telling word, and on its line a run of three classes that is no part of an address, file name or checksum
    r"(?i:(?:(?<![A-Za-z])|(?<=api)|(?<=access)|(?<=secret))keys?|tokens?|secrets?|passw(?:or)?ds?|credentials?"
    r"|密[钥码鑰碼]|令牌|口令|私钥|凭证)(?![A-Za-z])"
    rf"(?:{_CLOSE}[ \t]?[:=：][ \t]?[\"'`]?|[^{_BREAK}]{{0,48}}?(?<![A-Za-z0-9+/_=.:%@?&#-]))(?!AAAA[BCE]|(?i:sha)\d)"
    r"(?P<v>(?=[a-z0-9+/_=-]{0,60}+[A-Z])(?=[A-Z0-9+/_=-]{0,60}+[a-z])(?=[A-Za-z+/_=-]{0,60}+[0-9])"
    rf"[A-Za-z0-9+/_=-]{{24,{_LONGEST}}}+)(?![.@:/?][A-Za-z0-9])"
)
_URL_PASSWORD = (
    r"://[^\s/?#:@\"'<>]{0,100}+:(?![${<%*\[]|(?i:pass|password|pwd|secret|x+)@)(?P<v>(?![/?#\"'<>])[!-~À-ӿ]{1,200})@"
    r"(?=[A-Za-z0-9\[_$-])"
)
_HEADER = (
    rf"(?i:authorization){_CLOSE}[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"'\\]{{0,3}}(?i:(?:bearer|basic|token|digest)[ \t]{{1,3}})?"
    r"(?=[A-Za-z0-9._~+/:-]{0,99}?(?:[a-z][A-Z]|[0-9]|=))(?P<v>[A-Za-z0-9._~+/:=-]{8,250}+)"
)
_QUERY = r"[?&](?:amp;)?(?i:%s)=(?P<v>(?:(?![&#\"'`<>()\[\]])[!-~]){%d,250}+)"
_SOLO, _T = r"(?<![A-Za-z0-9])", r"[A-Za-z0-9_-]"
_DISCORD = ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")  # how a number begins in base64


def _issued(kind: str, hints: str, pattern: str) -> Rule:
    """Return the rule for a token that a provider issues with a prefix of its own."""
    return Rule(kind, tuple(hints.split()), _SOLO + pattern, _is_issued, issued=True)


_RULES = (
    Rule("private key", ("-----begin ",), _PEM),
    _issued("aws key id", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _issued("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,250}+"),
    _issued("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,250}+"),
    _issued("gitlab token", "glpat-", rf"glpat-{_T}{{18,250}}+"),
    _issued("slack token", "xox xapp-", rf"(?:xox[a-z]|xapp)[-.]{_T}{{15,250}}+"),
    _issued("slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/[a-z]{1,20}/(?P<v>[A-Za-z0-9/_-]{20,250}+)"),
    _issued("discord webhook", "discord", rf"discord(?:app)?\.com/api/webhooks/\d{{1,25}}+/(?P<v>{_T}{{20,250}}+)"),
    _issued("discord token", " ".join(_DISCORD), rf"(?<![_-])[MNO]{_T}{{22,27}}+\.{_T}{{6}}\.{_T}{{25,60}}+"),
    Rule("telegram token", (":A",), rf"(?<=[0-9]{{8}}):(?P<v>A{_T}{{33,40}}+)", _is_issued, issued=True),
    _issued("anthropic key", "sk-ant-", rf"sk-ant-{_T}{{16,250}}+"),
    _issued("openai key", "sk-", rf"sk-{_T}{{20,250}}+"),
    _issued("google key", "AIza GOCSPX-", rf"(?:AIza|GOCSPX-){_T}{{20,250}}+"),
    _issued("google token", "ya29.", rf"ya29\.{_T}{{20,250}}+"),
    _issued("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{12,250}+"),
    _issued("stripe key", "whsec_", r"whsec_[A-Za-z0-9+/]{20,250}+={0,2}"),
    _issued("twilio key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _issued("twilio key", "AC", rf"AC[0-9a-f]{{32}}[^{_BREAK}]{{1,30}}?{_SOLO}(?P<v>[0-9a-f]{{32}})(?![A-Za-z0-9])"),
    _issued("sendgrid key", "SG.", rf"SG\.{_T}{{16,64}}+\.{_T}{{20,99}}+"),
    _issued("npm token", "npm_", r"npm_[A-Za-z0-9]{20,250}+"),
    _issued("pypi token", "pypi-", rf"pypi-{_T}{{20,250}}+"),
    _issued("huggingface token", "hf_", r"hf_[A-Za-z0-9]{20,250}+"),
    _issued("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[A-Za-z0-9]{20,250}+"),
    _issued("json web token", "eyJ", rf"(?<![_-])eyJ{_T}{{17,}}+\.{_T}{{8,}}+\.{_T}{{8,}}+"),
    Rule("azure key", ("key",), r"(?i:(?<=account)key|(?<=sharedaccess)key)=(?P<v>[A-Za-z0-9+/]{30,250}+={0,2})"),
    Rule(
        "aws secret key",
        ("secret",),
        rf"(?i:secret[ _-]?access[ _-]?key|(?<=aws[ _-])secret(?:[ _-]?key)?)[^{_BREAK}]{{0,24}}?"
        r"(?<![A-Za-z0-9/+=])(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        _is_issued,
    ),
    Rule("authorization", ("authorization",), _HEADER),
    Rule("authorization", ("bearer",), r"(?i:bearer)[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/=-]{16,250}+)", _is_key),
    Rule("password", ("://",), _URL_PASSWORD),
    Rule(
        "secret",
        ("?", "&"),
        _QUERY % (r"[a-z0-9_.-]{0,24}?(?:token|secret|passw(?:or)?d|api[_-]?key|signature)", 4),
        _is_key,
    ),
    Rule("secret", ("?", "&"), _QUERY % ("key|sig|auth", 16), _is_key),
    Rule(
        "password",
        ("pass", "pw", "密码", "密碼", "口令"),
        _NAMED % r"passw(?:or)?ds?|passphrase|passcode|(?<=[_-])pass|(?<![A-Za-z])pwd?|密[码碼]|口令" + _VALUE,
        _is_password,
    ),
    Rule(
        "secret",
        ("secret",),
        _NAMED % r"(?<=_)secret|(?<=client[ -])secret|(?<=[a-z])(?-i:Secret)" + _VALUE,
        _is_password,
    ),
    Rule(
        "secret",
        ("secret", "token", "key", "credential", "密钥", "密鑰", "令牌", "私钥"),
        _NAMED % rf"secret(?:[ _-]?access)?(?:[ _-]?key)?|token|credentials?|{_KEY_NAMES}|密[钥鑰]|令牌|私钥" + _VALUE,
        _is_key,
    ),
    Rule(
        "pin",
        ("pin",),
        _NAMED % r"(?<![A-Za-z])pin(?:[ -]?(?:code|number)|码)?" + r"[\"'`“]?(?P<v>[0-9]{4,8})(?![A-Za-z0-9_-]|\.\d)",
    ),
    Rule(
        "secret",
        ("key", "token", "secret", "pass", "credential", "密", "令牌", "口令", "私钥", "凭证"),
        _NEAR,
        _is_jumbled,
    ),
)
_KINDS = tuple(dict.fromkeys(rule.kind for rule in _RULES))
_ISSUED_HINTS = tuple(hint for rule in _RULES if rule.issued for hint in rule.hints)
_WORD_HINTS = tuple({hint: None for rule in _RULES if not rule.issued for hint in rule.hints})
