"""Masks keys, tokens and passwords in a text before anything keeps it."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[str, re.Match[str]], bool]


@frozen
class Masked:
    """A text that is safe to keep."""

    text: str
    """The text with every secret replaced by a mark such as `[masked: github token]`; its line breaks stay."""
    found: tuple[tuple[str, int], ...]
    """Which kinds were masked, and how often; never the secret."""


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
        low = work.lower()
        for rule in due:
            for hint in rule.hints.split():
                marked, hits = _apply(rule, hint, low if hint.islower() else work, work)
                if hits:
                    work, low = marked, marked.lower()
                    found[rule.kind] += hits
    return Masked(_unfold(work, kept), tuple(found.items())) if found else Masked(text, ())


class Rule(NamedTuple):
    """A row of the table below: one way to recognise a secret."""

    kind: str
    """What the mark says."""
    hints: str
    """Literals, one of which a match starts with, in lower case unless case matters."""
    pattern: str
    """Matched at a hint; its last group is masked, or all of it. Repetition is bounded or possessive: time is linear."""
    holds: Check | None = None
    """Says whether the value found is a secret indeed."""
    scope: str = "text"
    """Where to look for hints: `text`, or `run`: only where 20 token characters stand together, or `word`: in those."""


# While rules run, a mark is one private-use character: nothing matches inside it, and a telling word in it is mute.
_KEPT, _FIRST = 0x10F000, 0x10F001
_PRIVATE = "\U0010f000-\U0010ffff"
_BREAK = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LONGEST = 250  # what a pattern takes of a value; the rest of a longer one is masked without looking
_REST = r"(?:[A-Za-z0-9+/_=]|[.~%$!@#^*:-](?=[A-Za-z0-9]))*+"
_RUN = b"a" * 20
_RUNS = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZbcdefghijklmnopqrstuvwxyz0123456789_-+/", b"a" * 65)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled on first use: most texts need none, and starting up should not pay for all."""
    return re.compile(pattern, re.ASCII)  # no K of Kelvin for a k, in hints and patterns alike


@cache
def _numbers(scope: str) -> dict[str, list[int]]:
    """Return the hints of a scope with the rules they belong to."""
    numbers: dict[str, list[int]] = {}
    for number, rule in enumerate(_RULES):
        for hint in rule.hints.split() if rule.scope == scope else ():
            numbers.setdefault(hint, []).append(number)
    return numbers


def _due(text: str) -> list[Rule]:
    """Return the rules that have a hint in the text, in order: the cheap look that spares most texts the rest."""
    raw = text.encode("utf-8", "replace")
    low = raw.lower().decode()  # hints are ASCII or have no case, and bytes are lowered several times faster
    seen = [numbers for hint, numbers in _numbers("text").items() if hint in low]
    if _RUN in raw.translate(_RUNS):
        words = " ".join(word for word in text.split() if len(word) >= len(_RUN))
        seen += [numbers for hint, numbers in _numbers("word").items() if hint in words]
        seen += [numbers for hint, numbers in _numbers("run").items() if hint in low]
    return [_RULES[number] for number in sorted({number for numbers in seen for number in numbers})]


def _fold(text: str) -> tuple[str, list[str]]:
    """Return the text with earlier marks, characters that look like ours and İ as one character each, and those."""
    if text.isascii() and "[masked: " not in text:
        return text, []
    marks = _compiled(rf"\[masked: [a-z ]{{2,24}}\]|[{_PRIVATE}İ]")  # İ alone grows in lower case, which moves places
    return marks.sub(chr(_KEPT), text), marks.findall(text)


def _unfold(work: str, kept: list[str]) -> str:
    """Return the text with its marks written out; no rule masks a kept one, so their order holds."""
    rest = iter(kept)
    parts = _compiled(f"([{_PRIVATE}])").split(work)
    parts[1::2] = [next(rest) if ord(p) == _KEPT else f"[masked: {_KINDS[ord(p) - _FIRST]}]" for p in parts[1::2]]
    return "".join(parts)


def _apply(rule: Rule, hint: str, hay: str, text: str) -> tuple[str, int]:
    """Return the text with what the rule finds from a hint in the hay as marks, and how many there are."""
    pieces: list[str] = []
    done = 0
    at = hay.find(hint)
    while at >= 0:
        match = _compiled(rule.pattern).match(text, at)
        at += 1
        if match:
            start, end = match.span(match.lastgroup or 0)
            if match.lastgroup == "bare":
                end = start + len(text[start:end].rstrip(".,;:?)]}*"))
            if rule.holds is None or rule.holds(text[start:end], match):
                if end - start >= _LONGEST and match.lastgroup != "quoted":
                    end += len(_compiled(_REST).match(text, end)[0])  # type: ignore[index]
                mark = chr(_FIRST + _KINDS.index(rule.kind))
                # Breaks stay, with indent and quote sign, so that line numbers and lists hold; a bare \r must not meet a \n.
                breaks = _compiled(r"(?:\r\n|[\n\r])[ \t>]*+").findall(text, start, end)
                pieces += [text[done:start], "".join([mark, *(b + mark if b == "\r" else b for b in breaks)])]
                done = at = end
        at = hay.find(hint, at)
    return "".join([*pieces, text[done:]]), len(pieces) // 2


# What a value looks like. A word after "password is" is far more often an adjective than a password.
_PROSE = (
    r"(?:[a-z]{3,}(?:ed|ing|able|ible|ly|less|ive|ory|ous|tion|ent|ful|al)|(?:brok|stol|tak|giv|chos|forgott|writt|hidd)en"
    r"|and|are|basic|bcrypt|better|blank|bool|but|bytes?|can|char(?:acter)?s?|confirm|correct|digits?|easy|email|empty"
    r"|enter|example|factor|false|field|file|fine|flag|for|free|from|gone|good|hard|hash|here|incorrect|input|insecure"
    r"|instead|invalid|its|just|kept|known|least|length|like|login|longe?r?|lost|match|max(?:imum)?|may|minimum|more"
    r"|must|name|never|none|not|now|null|numeric|okay|only|our|plain|plaintext|please|private|public|random|ready"
    r"|repeat|reset|retype|right|safe|same|secure|see|sent|set|short|should|simple|some|stale|still|strings?|strong"
    r"|such|test|text|that|the|their|them|then|there|these|they|this|those|too|true|type|undefined|unique|unknown"
    r"|unsafe|unset|user|username|valid|value|very|was|weak|what|when|where|which|will|with|without|words?|wrong|yours?)"
)
_INNOCENT = (
    r"(?is:[*•.…_x-]+|<.*|\[.*|\{.*|\$[{(].*|\$[a-z_]+[0-9]?|%[a-z(].*|![a-z]+|your[-_ ].*|.*[-_ ]here"  # placeholders
    r"|#[0-9a-f]{3,8}|1?(?:[a-z]+_)*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|(?:api[_-]?)?key|credentials?)"
    r"|[a-z][a-z0-9+.-]{1,20}://.*|arn:.*|(?:~|\.{1,2})?/[a-z0-9_.~/-]*|[a-z]:\\.*"  # addresses, paths, files
    r"|[a-z0-9_./-]+\.(?:crt|env|js|json|key|md|pem|py|toml|ts|txt|ya?ml)|[a-z0-9_.+-]+@[a-z0-9.-]+\.[a-z]{2,6}"
    r"|\d{4}-\d\d(?:-\d\d)?(?:[t ].*)?|v?\d+(?:\.\d+)+(?:[-+.].*)?|0x[0-9a-f]{40}"  # dates, versions, public addresses
    r"|(?:base|sha|md|utf|aes|rsa|[hrepd]s|ed|oauth|x|rfc)[-_]?\d+(?:[-_].*|[a-z]*)|\d+(?:bits?|bytes?|chars?))"
)
_CODE = (  # what stands bare in code: a call, an attribute, a variable named for the secret it holds
    r"[A-Za-z_][A-Za-z0-9_.]*[(\[]|(?:[A-Za-z_]+\.)+[A-Za-z_]+(?:_?\d{1,2})?$"
    r"|(?i:[a-z_]*(?:passw(?:or)?d|secret|token|pwd|api_?key|_key)[a-z_]*(?:_\d{1,2})?)$|.*(?:Private|Public)Key"
)
_WORD = r"[A-Za-zÀ-ӿ]+(?:[-_'][A-Za-zÀ-ӿ]+)*!*"
_CLAUSE_END = rf"[ \t]*+(?:\Z|[{_BREAK}.,;!?)\]}}(<#|&\"'`*”’」』。，；！？、）]|[A-Za-z_-]{{1,20}}+[ \t]?[:=])"


def _is_password(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a password can be one: no placeholder, no code, no prose."""
    bare = match.lastgroup == "bare"
    if len(value) < 4 or _compiled(_INNOCENT).fullmatch(value) or (bare and _compiled(_CODE).match(value)):  # noqa: PLR2004
        return False
    words = value.rstrip("!").lower().split(" ")
    prose = [word for word in words if _compiled(_PROSE).fullmatch(word.rpartition("-")[2])]
    if len(words) > 1:
        return match["loose"] is None and bool(words[0] and words[-1]) and len(prose) < 2 and "password" not in words  # noqa: PLR2004
    if _compiled(_WORD).fullmatch(value):
        ends = _compiled(_CLAUSE_END).match(match.string, match.start(match.lastgroup or 0) + len(value))
        identifier = "_" in value or re.search(r"[a-z][A-Z]", value)
        return match["loose"] is None and not prose and (not bare or (ends is not None and not identifier))
    mixed = re.search(r"[A-Za-zÀ-ӿ]", value) and re.search(r"[0-9!@#$%^&*+=?~]", value)
    return not prose and (value.isdecimal() or bool(mixed))


def _is_key(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a key or token looks made by a machine."""
    mixed = re.search(r"(?=[A-Za-z]{0,5}[0-9])(?=[0-9]{0,5}[A-Za-z])[A-Za-z0-9]{6}", value[:64])
    if " " in value or not (mixed or _is_jumbled(value, match)):
        return False
    return not (_compiled(_INNOCENT).fullmatch(value) or _compiled(_CODE).match(value))


def _is_jumbled(value: str, _match: re.Match[str]) -> bool:
    """Return whether characters change class as often as in a random string of some length, and few repeat."""
    start = value[:64]
    runs = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", start)
    word = re.search(r"(?<![A-Za-z0-9])[A-Z]?[a-z]{3,}(?![A-Za-z0-9])", start)
    if word or len(start) < 16 or sum(map(len, runs)) > 3 * len(runs):  # noqa: PLR2004
        return False
    return sum(n / len(start) * log2(len(start) / n) for n in Counter(start).values()) >= 3.2  # noqa: PLR2004


_CLOSE = r"[\"'`*_\]」』”\\]{0,4}"
_NAMED = (  # a name that ends here, then `=`, `:`, "is" or 是; loosely also a dash, a cell, a quote, or the space after a flag
    r"(?i:%s)(?:[_-]?(?:base|value|prod|dev|test|staging|\d{1,2}))?(?![A-Za-z0-9_]|-[A-Za-z])"
    r"(?:[ \t](?:for|to|of|on|at|in)(?:[ \t][A-Za-z0-9À-ӿ'’.@/_-]{1,24}){1,5}?|[ \t]?[(（][^()（）\n]{1,40}[)）])?"
    rf"{_CLOSE}(?:[ \t\u3000]{{0,4}}(?::=|={{1,2}}>?|[:：＝]|->|→)|>(?=[^<>\s]{{4,99}}</)"
    r"|(?P<loose>[ \t]{1,3}[|–—-](?=[ \t])|[ \t](?=[\"'`])|(?:(?<=-password)|(?<=-pass)|(?<=-secret)|(?<=-token)|(?<=-key))(?=[ \t]))"
    r"|[ \t]{1,3}(?i:is|was|are)(?:[ \t](?:now|still|just|simply|currently))?(?:[ \t]?:)?(?=[ \t])"
    r"|[ \t]?(?:现在|目前|已经?|就|暂时|应该)?(?:是|为|為|は|는|改成|改为|换成|设成|设为|设置为|变成)[:：]?)"
    r"\*{0,3}[ \t\u3000]{0,4}\*{0,3}"
)
_BARE = rf"[!#-%(-+\--:=?-_a-{{}}~À-ӿ]{{1,{_LONGEST}}}+"
_VALUE = (  # in quotes, or up to the next space
    rf"(?:(?P<q>\\{{0,3}}[\"'`])(?P<quoted>(?:(?!(?P=q))(?:\\[^{_BREAK}{_PRIVATE}]|[^\\{_BREAK}{_PRIVATE}]))"
    rf"{{4,{2 * _LONGEST}}}+)(?P=q)|[\"'`“‘「『]?(?=[!-~À-ӿ]{{4}})(?P<bare>{_BARE}"
    rf"(?:[,;&](?=[A-Za-z0-9])(?!(?:quot|amp|[lg]t);|[A-Za-z0-9_.-]{{1,40}}+[ \t]?[=:]){_BARE}){{0,8}}+))"
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
    r"(?i:(?:(?<![A-Za-z])(?<!public[ _-])|(?<=api)|(?<=access)|(?<=secret))keys?|tokens?|secrets?|passw(?:or)?ds?|credentials?"
    r"|密[钥码鑰碼]|令牌|(?<=口)令|私[钥鑰])(?![A-Za-z])(?:"
    rf"{_CLOSE}[ \t]?[:=：][ \t]?[\"'`]?|[^{_BREAK}]{{0,48}}?(?<![A-Za-z0-9+/_=.:%@?&#-]))(?!AAAA[BCE]|(?i:sha)\d|0x)"
    r"(?P<v>(?=[a-z0-9+/_=-]{0,60}+[A-Z])(?=[A-Z0-9+/_=-]{0,60}+[a-z])(?=[A-Za-z+/_=-]{0,60}+[0-9])"
    rf"[A-Za-z0-9+/_-]{{24,{_LONGEST}}}+={{0,2}}+)(?![.@:/?][A-Za-z0-9])"
)
_HEADER = (
    rf"(?i:authorization){_CLOSE}[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"'\\]{{0,3}}(?i:(?:bearer|basic|token)[ \t]{{1,3}})?"
    r"(?!(?i:your|xxx|aws4))(?=[A-Za-z0-9._~+/:-]{0,99}?(?:[a-z][A-Z]|[0-9]|=))(?P<v>[A-Za-z0-9._~+/:=-]{8,250}+)(?![(\[])"
)
_LOGIN = (
    r"://[^\s/?#:@\"'<>]{0,100}+:(?![${<%*\[]|(?i:pass|password|pwd|secret|x+)@)"
    r"(?P<v>(?:(?![/?#\"'<>])[!-~À-ӿ]){1,200})@(?=[A-Za-z0-9\[_$-])"
)
_QUERY = (
    r"[?&](?:amp;)?(?i:[a-z0-9_.-]{0,24}?(?:token|secret|passw(?:or)?d|api[_-]?key|signature)|(?P<common>key|sig|auth))="
    r"(?P<v>(?(common)(?=[!-~]{16}))(?:(?![&#\"'`<>()\[\]])[!-~]){4,250}+)"
)
_AWS = (
    rf"(?i:secret[ _-]?access[ _-]?key|(?<=aws[ _-])secret(?:[ _-]?key)?)[^{_BREAK}]{{0,24}}?"
    r"(?<![A-Za-z0-9/+])(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)
_PASSES = r"passw(?:or)?ds?|passphrase|passcode|パスワード|비밀번호|(?<=[A-Za-z0-9][_-])pass|(?<=[ \t]--)pass|(?<![A-Za-z])pwd?|密[码碼]|(?<=口)令"
_OWNED = r"(?<=_)secret|(?<=client[ -])secret|(?<=[a-z])(?-i:Secret)"
_KEYS = rf"(?<!:)secret(?:[ _-]?access)?(?:[ _-]?key)?|token|{_KEY_NAMES}|密[钥鑰]|令牌|私[钥鑰]"
_PIN = r"(?<![A-Za-z])pin(?:[ -]?(?:code|number)|码)?"
_T = r"[\w-]"


def _issued(kind: str, hints: str, pattern: str, holds: Check | None = None) -> Rule:
    """Return the rule for what a provider issues with a prefix of its own."""
    return Rule(kind, hints, rf"(?<![A-Za-z0-9]){pattern}", holds, "word")


_RULES = (
    Rule("private key", "-----begin", _PEM, scope="run"),
    _issued("aws key id", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _issued("github token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"g(?:h[pousr]|ithub_pat)_\w{20,250}+"),
    _issued("gitlab token", "glpat-", rf"(?<![_-])glpat-{_T}{{18,250}}+", _is_key),
    _issued("slack token", "xox xapp-", rf"(?<![_-])(?:xox[a-z]|xapp)[-.]{_T}{{15,250}}+", _is_key),
    _issued("slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/[a-z]{1,20}/(?P<v>[A-Za-z0-9/_-]{20,250}+)"),
    _issued("discord webhook", "discord", rf"discord(?:app)?\.com/api/webhooks/\d{{1,25}}+/(?P<v>{_T}{{20,250}}+)"),
    _issued("discord token", "MT Mj Mz ND NT Nj Nz OD OT", rf"(?<![_-])[MNO]{_T}{{22,27}}+\.{_T}{{6}}\.{_T}{{25,}}+"),
    Rule("telegram token", ":A", rf"(?<=[0-9]{{8}}):(?P<v>A{_T}{{33,250}}+)", scope="word"),
    _issued("anthropic key", "sk-ant-", rf"sk-ant-{_T}{{16,250}}+"),
    _issued("openai key", "sk-", rf"(?<![_-])sk-{_T}{{20,250}}+", _is_key),
    _issued("google key", "AIza GOCSPX- ya29.", rf"(?:AIza|GOCSPX-|ya29\.){_T}{{20,250}}+"),
    _issued("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{12,250}+"),
    _issued("stripe key", "whsec_", r"whsec_[A-Za-z0-9+/]{20,250}+={0,2}"),
    _issued("twilio key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _issued("twilio key", "AC", rf"AC[0-9a-f]{{32}}[^{_BREAK}]{{1,30}}?(?<![A-Za-z0-9])(?P<v>[0-9a-f]{{32}})(?!{_T})"),
    _issued("sendgrid key", "SG.", rf"SG\.{_T}{{16,64}}+\.{_T}{{20,250}}+"),
    _issued("npm token", "npm_", r"npm_[A-Za-z0-9]{20,250}+", _is_key),
    _issued("pypi token", "pypi-", rf"(?<![_-])pypi-{_T}{{20,250}}+", _is_key),
    _issued("huggingface token", "hf_", r"hf_(?:[A-Za-z]{34}(?!\w)|(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,250}+)"),
    _issued("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[A-Za-z0-9]{20,250}+"),
    _issued("json web token", "eyJ", rf"(?<![_-])eyJ{_T}{{17,}}+\.{_T}{{8,}}+\.{_T}{{8,}}+"),
    Rule("azure key", "key", r"(?i:(?<=account|daccess)key)=(?P<v>[A-Za-z0-9+/]{30,250}+={0,2})", scope="run"),
    Rule("aws secret key", "secret", _AWS, _is_key, scope="run"),
    Rule("authorization", "authorization", _HEADER),
    Rule("authorization", "bearer", r"(?i:bearer)[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/=-]{16,250}+)", _is_key),
    Rule("password", "://", _LOGIN),
    Rule("secret", "? &", _QUERY, _is_key),
    Rule("password", "pass pw 密 令 パスワード 비밀번호", _NAMED % _PASSES + _VALUE, _is_password),
    Rule("secret", "secret", _NAMED % _OWNED + _VALUE, _is_password),
    Rule("secret", "secret token key 密 令 私", _NAMED % _KEYS + _VALUE, _is_key),
    Rule("pin", "pin", _NAMED % _PIN + r"[\"'`“]?(?P<v>[0-9]{4,8})(?![A-Za-z0-9_-]|\.\d)"),
    Rule("secret", "key token secret pass credential 密 令 私", _NEAR, _is_jumbled, scope="run"),
)
_KINDS = tuple(dict.fromkeys(rule.kind for rule in _RULES))
