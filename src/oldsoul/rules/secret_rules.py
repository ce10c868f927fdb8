"""The table of rules by which secrets are recognised: what announces them, how they look, and what only looks so."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, partial
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from oldsoul.rules.secret_shapes import (
    announcing,
    has_phrase,
    has_recovery_words,
    is_card,
    is_iban,
    issued,
    recovery_word,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oldsoul.rules.secret_shapes import Issued

    Check = Callable[[str, re.Match[str]], bool]


class Rule(NamedTuple):
    """A row of the table below: one way to recognise a secret."""

    kind: str
    """What the mark says."""
    hints: Sequence[str]
    """Literals, one of which a match starts with, in lower case unless case matters; without any, it starts anywhere."""
    pattern: str
    """Matched at a hint; its last group is masked, or all of it. Repetition is bounded or possessive: time is linear."""
    holds: Check | None = None
    """Says whether the value found is a secret indeed."""
    scope: str = "text"
    """Where to look for hints: `text`, or `run`: only where 20 token characters stand together, or `word`: in those.

    A match of a rule for `anywhere` (or `somewhere`: where such a run stands) does not start at a hint.
    """
    look: Callable[[str], bool] | None = None
    """A quick look at the text that tells whether the rule is worth its while."""


ANYWHERE = ("anywhere", "somewhere")
PRIVATE = "\U0010f000-\U0010ffff"
_BREAK = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
LONGEST = 250  # what a pattern takes of a value; the rest of a longer one is masked without looking


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled on first use: most texts need none, and starting up should not pay for all."""
    return re.compile(pattern, re.ASCII)  # no K of Kelvin for a k, in hints and patterns alike


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
    r"(?is:\$_.*|\?[a-z]*|[*•.…_x-]+|<.*|\[.*|\{.*|\$[{(].*|\$[a-z_]+[0-9]?|%[a-z(].*|![a-z]+|your[-_ ].*|.*[-_ ]here"  # placeholders
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
    if len(value) < 4 or compiled(_INNOCENT).fullmatch(value) or (bare and compiled(_CODE).match(value)):  # noqa: PLR2004
        return False
    if compiled(r"[A-Z0-9_]{4,}=$").search(
        match.string, max(0, match.start(match.lastgroup or 0) - 60), match.start(match.lastgroup or 0)
    ):
        return True  # NAME=value, as the environment has it: no prose
    words = value.rstrip("!").lower().split(" ")
    prose = [word for word in words if compiled(_PROSE).fullmatch(word.rpartition("-")[2])]
    if len(words) > 1:
        return match["loose"] is None and bool(words[0] and words[-1]) and len(prose) < 2 and "password" not in words  # noqa: PLR2004
    if compiled(_WORD).fullmatch(value):
        ends = compiled(_CLAUSE_END).match(match.string, match.start(match.lastgroup or 0) + len(value))
        identifier = "_" in value or re.search(r"[a-z][A-Z]", value)
        return match["loose"] is None and not prose and (not bare or (ends is not None and not identifier))
    mixed = re.search(r"[A-Za-zÀ-ӿ]", value) and re.search(r"[0-9!@#$%^&*+=?~]", value)
    return not prose and (value.isdecimal() or bool(mixed))


def _is_key(value: str, match: re.Match[str]) -> bool:
    """Return whether a value given as a key or token looks made by a machine."""
    mixed = re.search(r"(?=[A-Za-z]{0,5}[0-9])(?=[0-9]{0,5}[A-Za-z])[A-Za-z0-9]{6}", value[:64])
    if " " in value or not (mixed or _is_jumbled(value, match)):
        return False
    return not (compiled(_INNOCENT).fullmatch(value) or compiled(_CODE).match(value))


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
    rf"{_CLOSE}(?:[ \t\u3000]{{0,4}}(?::=|={{1,2}}>?|[:：＝]|->|→)|[ \t]+value[ \t]?=|(?<=[\"']),[ \t]?(?=[\"'])|>(?=[^<>\s]{{4,99}}</)"
    r"|(?P<loose>[ \t]{1,3}[|–—-](?=[ \t])|[ \t](?=[\"'`])|(?:(?<=-password)|(?<=-pass)|(?<=-secret)|(?<=-token)|(?<=-key))(?=[ \t]))"
    r"|[ \t]{1,3}(?i:is|was|are)(?:[ \t](?:now|still|just|simply|currently))?(?:[ \t]?:)?(?=[ \t])"
    r"|[ \t]?(?:现在|目前|已经?|就|暂时|应该)?(?:是|为|為|は|는|改成|改为|换成|设成|设为|设置为|变成)[:：]?)"
    r"\*{0,3}[ \t\u3000]{0,4}\*{0,3}"
)
_BARE = rf"[!#-%(-+\--:=?-_a-{{}}~À-ӿ]{{1,{LONGEST}}}+"
_BARE_VALUE = rf"(?P<bare>{_BARE}(?:[,;&](?=[A-Za-z0-9])(?!(?:quot|amp|[lg]t);|[A-Za-z0-9_.-]{{1,40}}+[ \t]?[=:]){_BARE}){{0,8}}+)"
_VALUE = (  # in quotes, or up to the next space
    rf"(?:(?P<q>\\{{0,3}}[\"'`])(?P<quoted>(?:(?!(?P=q))(?:\\[^{_BREAK}{PRIVATE}]|[^\\{_BREAK}{PRIVATE}]))"
    rf"{{4,{2 * LONGEST}}}+)(?P=q)|[\"'`“‘「『]?(?=[!-~À-ӿ]{{4}}){_BARE_VALUE})"
)
_OWNERS = (
    "api",
    "app",
    "preshared",
    "access",
    "auth",
    "secret",
    "private",
    "signing",
    "encryption",
    "master",
    "account",
    "service",
)
_KEY_NAMES = "|".join(f"(?<={owner})key|(?<={owner}[ _-])key" for owner in _OWNERS)
_SEP = r"(?:\\[nr]|[ \t\r\n>|#*\"'+,\\])"
_PEM = (  # headers, lines of key, at most two short last ones, and the end if it is there
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_SEP}++(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\\{_BREAK}{PRIVATE}]{{0,200}}+){{0,8}}+"
    rf"(?:{_SEP}++[A-Za-z0-9+/]{{24,}}+={{0,2}}+)++"
    rf"(?:{_SEP}++=?[A-Za-z0-9+/]{{1,23}}+={{0,2}}+(?={_SEP}*+-----END |[ \t]*+[\"']?(?:[\r\n]|\\[nr]|\Z))){{0,2}}+"
    rf"(?:{_SEP}*+-----END [A-Z0-9 ]{{1,50}}-----)?+"
)
_NEAR = (  # a telling word, and on its line a run of three classes that is no part of an address, file name or checksum
    r"(?i:(?:(?<![A-Za-z])(?<!public[ _-])|(?<=api)|(?<=access)|(?<=secret))keys?|tokens?|secrets?|passw(?:or)?ds?|credentials?"
    r"|密[钥码鑰碼]|令牌|(?<=口)令|私[钥鑰])(?![A-Za-z])(?:"
    rf"{_CLOSE}[ \t]?[:=：][ \t]?[\"'`]?|[^{_BREAK}]{{0,48}}?(?<![A-Za-z0-9+/_=.:%@?&#-]))(?!AAAA[BCE]|(?i:sha)\d|0x)"
    r"(?P<v>(?=[a-z0-9+/_=-]{0,60}+[A-Z])(?=[A-Z0-9+/_=-]{0,60}+[a-z])(?=[A-Za-z+/_=-]{0,60}+[0-9])"
    rf"[A-Za-z0-9+/_-]{{24,{LONGEST}}}+={{0,2}}+)(?![.@:/?][A-Za-z0-9])"
)
_HEADER = (
    rf"(?i:authorization){_CLOSE}[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"'\\]{{0,3}}(?i:(?:bearer|basic|token)[ \t]{{1,3}})?"
    r"(?!(?i:your|xxx|aws4))(?=[A-Za-z0-9._~+/:-]{0,99}?(?:[a-z][A-Z]|[0-9]|=))(?P<v>[A-Za-z0-9._~+/:=-]{8,250}+)(?![(\[])"
)
_LOGIN = (
    r"://[^\s/?#:@\"'<>]{0,100}+:(?![${<%*\[]|(?i:pass|password|pwd|secret|x+)@)"
    r"(?P<v>(?:(?![/?\"'<>])[!-~À-ӿ]){1,200})@(?=[A-Za-z0-9\[_$-])"
)
_QUERY = (
    r"[?&](?:amp;)?(?i:[a-z0-9_.-]{0,24}?(?:token|secret|passw(?:or)?d|api[_-]?key|signature)|(?P<common>key|sig|auth))="
    r"(?P<v>(?(common)(?=[!-~]{16}))(?:(?![&#\"'`<>()\[\]])[!-~]){4,250}+)"
)
_MADE = (  # a run of three classes that is no part of an address, a path, a checksum or a block of key or certificate
    r"(?<![A-Za-z0-9+/_=.:%@?&#~,-])(?!AAAA[BCE]|(?i:sha)\d|0x|[13][1-9A-HJ-NP-Za-km-z]{25,34}(?![A-Za-z0-9]))"
    r"(?P<v>(?=[a-z0-9_-]{0,60}+[A-Z])(?=[A-Z0-9_-]{0,60}+[a-z])(?=[A-Za-z_-]{0,60}+[0-9])"
    rf"[A-Za-z0-9_-]{{24,{LONGEST}}}+={{0,2}}+)(?![.@:/?+][A-Za-z0-9+/])"
)
_AWS = (
    rf"(?i:secret[ _-]?access[ _-]?key|(?<=aws[ _-])secret(?:[ _-]?key)?)[^{_BREAK}]{{0,24}}?"
    r"(?<![A-Za-z0-9/+])(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)
_OWNED = r"(?<=_)secret|(?<=client[ -])secret|(?<=[a-z])(?-i:Secret)"
_KEYS = rf"(?<!:)secret(?:[ _-]?access)?(?:[ _-]?key)?|token|{_KEY_NAMES}|密[钥鑰]|令牌|私[钥鑰]"
_T = r"[\w-]"
_COMMANDS = (  # a password as an argument
    r"(?:curl[^\n|;&]{0,200}?[ \t](?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,80}:"
    r"|(?:sshpass|mysql|mysqldump|mysqladmin|mariadb)[^\n|;&]{0,120}?[ \t]-p[ ]?"
    r"|redis-cli[^\n|;&]{0,120}?[ \t](?:-a|--pass)[ ]|htpasswd[ \t]{1,4}-\w{0,4}b\w{0,4}[ \t]{1,4}\S{1,80}[ \t]{1,4}\S{1,80}[ \t]"
    r"|(?:az|openssl|smbclient|docker|zip|unzip|7z|ldapsearch)[^\n|;&]{0,200}?[ \t](?:-p|-P|-w|-pass(?:in|out)?|--password)[ =](?:pass:)?|(?:mongosh|mongo|mongodump|psql)[^\n|;&]{0,200}?[ \t](?:-p|--password)[ =]|xfreerdp[^\n|;&]{0,120}?/p:|7z[^\n|;&]{0,60}?[ \t]-p|(?i:converttosecurestring|convertto-securestring)[ \t]+(?:-string[ \t]+)?|smbclient[^\n|;&]{0,120}?-U[ ]?[\"']?[^\s%\"']{1,60}%"
    r"|(?:echo|printf)[^\n|]{1,24}?[ \t](?=[^\n|]{4,90}\|[ \t]?(?:sudo[ ]-S|chpasswd|docker[ ]login|docker[ ]secret|passwd))[\"']?(?:[\w.-]{1,40}:)?"
    r"|(?:echo|printf)[ \t](?=[^\n|]{4,90}\|[ \t]?(?:sudo[ ]-S|chpasswd|docker[ ]login|docker[ ]secret|passwd))[\"']?(?:[\w.-]{1,40}:)?"
    r"|net[ ]use[ ]\S{2}[ ]\S{3,80}[ ]|login\([\"'][^\"'\n]{1,80}[\"'],[ ]?"
    r"|login[ \t]{1,4}\S{1,80}[ \t\n]{1,9}password[ \t]{1,4})"
    r"(?:(?P<q>[\"'])(?P<quoted>[^\"'\n]{4,200})(?P=q)|(?P<v>[^\s\"'|;&]{4,200}))"
)
_COOKIE = rf"(?i:cookie)s?{_CLOSE}[ \t]?:[ \t]{{0,3}}[\"']?(?P<v>[\w.-]{{1,60}}=[^{_BREAK}\"']{{8,1000}})"
_CARD = r"(?<![\w.+-])(?P<v>[2-6]\d{3}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}|3\d{3}[ -]?\d{6}[ -]?\d{4,5})(?![\w-]|\.\d)"
_IBAN = r"(?<![A-Za-z0-9])(?P<v>[A-Za-z]{2}\d{2}(?:[A-Za-z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?))(?![A-Za-z0-9])"
_SPACED = r"(?:[ \t,]{1,3}|[ \t]{0,4}\r?\n[ \t]{0,4})(?:\d{1,2}[.):]?[ \t]{0,3})?"
_PHRASE = rf"(?<![\w'-])(?P<v>(?i:%s)(?:{_SPACED}(?i:%s)(?![\w'-])){{11,47}}+)"
_ONE = r"(?:(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9]{4,16}+(?:-[A-Za-z0-9]{3,12}+){0,8}+|[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){1,5})"
_CODE_LIST = rf"(?P<v>(?:\d{{1,2}}[.)][ \t]*)?{_ONE}(?:(?:[ \t]{{0,4}}[,;\n]{{1,3}}[ \t]{{0,4}}(?:[-*•]|\d{{1,2}}[.)])?[ \t]{{0,4}}|[ \t]{{1,4}}){_ONE}(?![\w-])){{0,23}})(?![\w-])"
_REVERSED = (
    r"(?<![^\s\"'`(])[\"'`]?(?P<v>(?=[^\s\"'`]{0,59}\d)(?=[^\s\"'`]{0,59}[A-Za-z])[^\s\"'`,;(){}\[\]]{8,60}+)[\"'`]?,?[ \t]"
    r"(?iu:%s)(?:[ \t][^\s\d]{1,20}){0,4}?[ \t](?iu:%s)s?(?!\w)"
)


def _any(words: Sequence[str]) -> str:
    """Return a pattern for any of these words; a short one is no part of another."""
    short = [word for word in words if word.isascii() and len(word) <= 4]  # noqa: PLR2004
    long = [word for word in words if word not in short]
    return "|".join(
        [*map(re.escape, long), *([f"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, short))})"] if short else [])]
    )


def _stated(words: Sequence[str], between: int = 3) -> str:
    """Return what leads from a word of any language to the secret it announces, on this line or the next.

    `said` is what joins the two, where something does; without, at most some words stand between them.
    """
    apart = _any([word for word in announcing("is") if word < "\u0e00"])
    attached = _any([word for word in announcing("is") if word >= "\u0e00"])  # Thai, Chinese, Japanese, Korean
    joined = rf"[ \t\u3000]{{0,3}}(?:[:：=＝→—–]|->|-(?=[ \t])|{attached})|,?[ \t]{{1,3}}(?iu:{apart})(?![^\W\d_])"
    word = r"[ \t][^\s\d:=,;.!?\"'`—–]{1,24}"
    comma = ",?" if between else ""
    lines = r"(?:[ \t]{0,3}\r?\n[ \t>]{0,8}){1,2}"
    return (
        rf"(?iu:{_any(words)})(?iu:[a-zà-ӿ]{{0,4}})(?![A-Za-z0-9_])(?:['’]s(?=[ \t]))?[\"'`*]{{0,2}}"
        rf"(?:(?P<said>(?:,?{word}){{0,7}}?(?:(?:{joined}){{1,2}}(?:{lines}|(?P<then>(?:{word}){{1,2}}?(?=[ \t]))??[ \t\u3000]{{0,3}})|{lines}))"
        rf"|(?P<apart>(?:,?{word}){{0,{between}}}?){comma}[ \t]{{1,3}})[-*•\"'`“„«「『(]{{0,3}}[ \t]?"
    )


def _issued(kind: str, hints: Sequence[str], pattern: str, holds: Check | None = None) -> Rule:
    """Return the rule for what a provider issues with a prefix of its own."""
    return Rule(kind, hints, rf"(?<![A-Za-z0-9]){pattern}", holds, "word")


def _is_issued(key: Issued, whole: str, match: re.Match[str]) -> bool:
    """Return whether what follows a service's prefix is made by a machine."""
    value = whole[len(key.prefix) :]
    if len(value) == key.rest and not value.islower():
        return True
    words = re.search(r"(?<![A-Za-z0-9])[A-Za-z]?[a-z]{3,}(?![A-Za-z0-9])", value)
    if words:
        return bool(re.search(r"[A-Z]", value) and re.search(r"[0-9]", value))
    return re.search(r"[0-9]", value) is not None or _is_jumbled(value, match)


_NO_VALUE = r"[(){}\[\]]|://|^[?$]|=$|^[\d.,]+-?[A-Za-z%]{0,3}$|^\d+-[a-z]+$|^[a-z_]+(?:\.[a-z_]+)+$"


def _is_strong(value: str, match: re.Match[str]) -> bool:
    """Return whether a value that a sentence gives as a password is one: no word, no name, nothing that is no secret."""
    if value.isdecimal() and len(value) >= 4:  # noqa: PLR2004
        return not match["apart"] and not re.fullmatch(r"(?:19|20)\d\d", value)
    if len(value) < 4 or compiled(_INNOCENT).fullmatch(value) or compiled(_NO_VALUE).search(value):  # noqa: PLR2004
        return False
    inner = value.strip("!?.*:")
    mixed = re.search(r"[^\W\d_]", inner) and re.search(r"[0-9@#$%^&*+=?!~]|[a-z][A-Z]|[^\W\d_]_[^\W\d_]", inner)
    in_code = match[0].lower().startswith(("pass", "pw")) and not re.search(r"[^\W\d_]", match["said"] or "")
    spoken = not in_code and "\n" not in (match["said"] or "")
    if not mixed or not (spoken or re.search(r"[0-9@#$%^&*+=?!~]", inner) or _is_jumbled(value, match)):
        return False
    if match["apart"] or match["then"]:  # other words stand between: so do names of machines and people
        return not re.fullmatch(r"[^\W\d_]+-?\d{1,2}|\d+[^\W\d_]+|[a-z0-9]+(?:[-_.][a-z0-9]+)+|[a-z]+\d[a-z]*", value)
    return True


def _is_argument(value: str, _match: re.Match[str]) -> bool:
    """Return whether what stands where a command takes its password is one, and not a place to put it."""
    return not compiled(_INNOCENT).fullmatch(value)


def _is_given(value: str, _match: re.Match[str]) -> bool:
    """Return whether a value that is called a password after it is one: letters, digits, and more than a name has."""
    if compiled(_INNOCENT).fullmatch(value) or re.search(r"://|@\w+\.", value):
        return False
    return bool(re.search(r"[a-z][A-Z]|[@#$%^&*+=?!~_.-]|\d{2}", value))


def _is_alone(value: str, match: re.Match[str]) -> bool:
    """Return whether a run that nothing announces is a key all the same: random, and no line of a public block."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    return _is_jumbled(value, match) and "-----BEGIN" not in match.string and "public" not in before.lower()


def _is_pin(value: str, match: re.Match[str]) -> bool:
    """Return whether digits after such a word are a secret: a year is one only where the sentence says so."""
    return match["said"] is not None or not re.fullmatch(r"(?:1[5-9]|20)\d\d", value)


def _is_seed(value: str, _match: re.Match[str]) -> bool:
    """Return whether this can be the secret of one-time codes: digits among its letters."""
    return bool(re.search(r"[2-7]", value))


@cache
def rules() -> tuple[Rule, ...]:
    """Return the table of rules, in order; its words and prefixes stand in files."""
    passwords, pins, codes, seeds, cards, named = map(announcing, ("password", "pin", "codes", "seed", "card", "key"))
    long_pins = [pin for pin in pins if pin != "pin"]  # the word alone is a verb, a needle and a brooch
    keys = [
        _issued(
            f"{key.service} key",
            [key.prefix],
            rf"(?<![_-])(?P<bare>{re.escape(key.prefix)}[\w=+/.-]{{{min(key.rest, 20)},{LONGEST}}}+)",
            partial(_is_issued, key),
        )
        for key in issued()
    ]
    return (
        Rule("private key", ["-----begin"], _PEM, scope="run"),
        _issued("slack webhook", ["hooks.slack.com/"], r"hooks\.slack\.com/[a-z]{1,20}/(?P<v>[A-Za-z0-9/_-]{20,250}+)"),
        _issued(
            "discord webhook", ["discord"], rf"discord(?:app)?\.com/api/webhooks/\d{{1,25}}+/(?P<v>{_T}{{20,250}}+)"
        ),
        _issued(
            "discord token",
            ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
            rf"(?<![_-])[MNO]{_T}{{22,27}}+\.{_T}{{6}}\.{_T}{{25,}}+",
        ),
        Rule("telegram token", [":A"], rf"(?<=[0-9]{{8}}):(?P<v>A{_T}{{33,250}}+)", scope="word"),
        _issued(
            "aws secret key",
            ["AKIA", "ASIA"],
            rf"A[KS]IA[A-Z0-9]{{16}}[^{_BREAK}]{{1,40}}?(?<![A-Za-z0-9/+])(?P<v>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
        ),
        Rule("azure key", ["Q~"], r"(?<=[\w~.]{3}\d)Q~[\w~.-]{31,34}", scope="word"),
        _issued("twilio key", ["SK"], r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
        _issued(
            "twilio key", ["AC"], rf"AC[0-9a-f]{{32}}[^{_BREAK}]{{1,30}}?(?<![A-Za-z0-9])(?P<v>[0-9a-f]{{32}})(?!{_T})"
        ),
        _issued("json web token", ["eyJ"], rf"(?<![_-])eyJ{_T}{{17,}}+\.{_T}{{8,}}+\.{_T}{{8,}}+"),
        Rule("session", ["sess"], r"(?i:sess(?:ion)?[\w-]{0,12})=(?P<v>[^\s;'\"]{16,250}+)"),
        Rule("password", [":"], r"(?<=:)\d{4,5}:[\w*-]{1,60}:[\w*.-]{1,60}:(?P<v>\S{4,80})", _is_argument),
        Rule("azure key", [""], r"(?<![\w-])(?=[a-z]{0,51}[2-7])[a-z2-7]{52}(?![\w-])", None, "somewhere"),
        Rule("asana key", ["/"], r"(?<![\w/])\d/\d{14,18}/\d{14,18}:[0-9a-f]{32}(?!\w)", None, "somewhere"),
        Rule(
            "mail key", ["-"], r"(?<![\w-])[0-9a-f]{32}-(?:us\d{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?!\w)", None, "somewhere"
        ),
        *keys,
        Rule("azure key", ["key"], r"(?i:(?<=account|daccess)key)=(?P<v>[A-Za-z0-9+/]{30,250}+={0,2})", scope="run"),
        Rule("aws secret key", ["secret"], _AWS, _is_key, scope="run"),
        Rule("authorization", ["authorization"], _HEADER),
        Rule("authorization", ["bearer"], r"(?i:bearer)[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/=-]{16,250}+)", _is_key),
        Rule("cookie", ["cookie"], _COOKIE, lambda value, _: re.search(r"[\w%+/-]{16}", value) is not None),
        Rule("password", ["://"], _LOGIN),
        Rule(
            "password",
            [
                "curl",
                "sshpass",
                "mysql",
                "mariadb",
                "redis-cli",
                "htpasswd",
                "login",
                "docker",
                "az",
                "openssl",
                "smbclient",
                "zip",
                "unzip",
                "7z",
                "ldapsearch",
                "mongo",
                "xfreerdp",
                "convertto",
                "echo",
                "printf",
                "net",
            ],
            _COMMANDS,
            _is_argument,
        ),
        Rule("secret", ["?", "&"], _QUERY, _is_key),
        Rule(
            "recovery phrase",
            [" "],
            _PHRASE % (recovery_word(), recovery_word()),
            lambda value, _: has_phrase(value),
            "anywhere",
            has_recovery_words,
        ),
        Rule("card number", "3456", _CARD, lambda value, _: is_card(value), "anywhere"),
        Rule("iban", "0123456789", _IBAN, lambda value, _: is_iban(value), "anywhere"),
        Rule("backup code", codes, rf"{_stated(codes)}{_CODE_LIST}"),
        Rule(
            "seed",
            seeds,
            rf"{_stated(seeds)}(?P<v>[A-Z2-7]{{16,64}}|(?:[A-Z2-7]{{4}}[ -]?){{4,16}}|(?:[a-z2-7]{{4}}[ -]){{3,15}}[a-z2-7]{{4}})(?![A-Za-z0-9])",
            _is_seed,
        ),
        Rule("card code", cards, rf"(?<![A-Za-z]){_stated(cards, 0)}(?P<v>[0-9]{{3,4}})(?![\w.-])"),
        Rule("password", passwords, _NAMED % _any(passwords) + _VALUE, _is_password),
        Rule(
            "password",
            passwords,
            rf"{_stated(passwords)}(?=\S{{0,80}}?(?:[0-9@#$%^&*+=?!~]|[a-z][A-Z]|_[A-Za-z])){_BARE_VALUE}",
            _is_strong,
        ),
        Rule("password", ["pass"], _NAMED % r"(?<=[A-Za-z0-9][_-])pass|(?<=[ \t]--)pass" + _VALUE, _is_password),
        Rule(
            "password",
            ["pass"],
            rf"(?<![A-Za-z])(?=(?i:pass)(?![A-Za-z])){_stated(['pass'], 0)}{_BARE_VALUE}",
            lambda value, match: match["said"] is not None and _is_strong(value, match),
        ),
        Rule(
            "secret",
            ["token", "secret", "api_key"],
            rf"(?:TOKEN|SECRET|API_KEY)[A-Za-z0-9_]{{0,40}}=[\"']?{_BARE_VALUE}",
            _is_key,
            "run",
        ),
        Rule("secret", ["secret"], _NAMED % _OWNED + _VALUE, _is_password),
        Rule("secret", ["secret", "token", "key", "密", "令", "私"], _NAMED % _KEYS + _VALUE, _is_key),
        Rule(
            "password",
            passwords,
            _REVERSED % (_any((*announcing("is"), "as", "als", "for")), _any(passwords)),
            _is_given,
            "anywhere",
        ),
        Rule("secret", named, rf"{_stated(named, 1)}(?P<v>[A-Za-z0-9+/_.=-]{{16,{LONGEST}}}+)", _is_key),
        Rule("password", ["wifi:"], r"(?i:wifi:)(?:[A-OQ-Z]:[^;\n]{0,64};){0,4}P:(?P<v>[^;\n]{4,80});"),
        Rule(
            "pin",
            pins,
            rf"(?<![A-Za-z]){_stated(pins, 0)}(?P<v>[0-9]{{4,8}}#?|(?=[a-z]*\d+[a-z]+)[a-z0-9]{{4,12}})(?![A-Za-z0-9_-]|[.:]\d)",
            _is_pin,
        ),
        Rule(
            "pin",
            ["PIN"],
            rf"(?<![A-Za-z])(?=PIN(?![A-Za-z])){_stated(['pin'], 3)}(?P<v>[0-9]{{4,8}})(?![A-Za-z0-9_-]|[.:]\d)",
            _is_pin,
        ),
        Rule(
            "pin",
            ["combination", "kombination"],
            r"(?i:k?c?ombination)[ \t:]{1,4}(?P<v>\d{1,2}(?:-\d{1,2}){2,4})(?![\w-])",
        ),
        Rule(
            "pin",
            long_pins,
            rf"(?<![A-Za-z]){_stated([pin for pin in pins if len(pin) > len('pin')], 2)}(?P<v>[0-9]{{4,8}}#?|(?=[A-Za-z]*\d+[A-Za-z]+\d)[A-Za-z0-9]{{4,12}})(?![A-Za-z0-9_-]|[.:]\d)",
        ),
        Rule(
            "secret",
            ["key", "token", "secret", "pass", "credential", "密", "令", "私"],
            _NEAR,
            _is_jumbled,
            scope="run",
        ),
        Rule("secret", [""], _MADE, _is_alone, "somewhere"),
    )


@cache
def kinds() -> tuple[str, ...]:
    """Return what marks say, each once."""
    return tuple(dict.fromkeys(rule.kind for rule in rules()))
