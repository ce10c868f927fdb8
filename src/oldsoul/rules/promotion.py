"""What of a conversation becomes long-term memory: only what was asked for, and only what is made to last.

A table of asking phrases tells what a person wants kept; tables of words tell what will not last, what is a task, and
what is true of the person and therefore belongs in their profile. In doubt nothing is kept: the chat log has it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.language.japanese import FIRST
from oldsoul.language.sentences import sentences
from oldsoul.language.words import words
from oldsoul.rules.confidence import mentions
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oldsoul.documents import Entry
    from oldsoul.values.usage import Reuse

INDEX, PROFILE, TASK = "index", "profile", "task"
GOALS, FACTS = "Long-Term Goals / Projects", "Key Facts"
IDENTITY, PREFERENCES, CONSTRAINTS = "Identity", "Preferences", "Constraints"
_FEWEST_WORDS = 3
_MOST_CHARACTERS = 300
_LONGEST_ASKING = 500


@frozen
class Asked:
    """Something a person asked to be remembered."""

    kind: str
    """`index` for long-term memory, `profile` for what is true of the person, `task` for what is to be done"""
    section: str
    """the heading it belongs under"""
    words: str
    """the person's own words, without those that ask"""


_LEAD = (
    r"^(?:(?:by the way|btw|oh|and|also|ok|okay|so|now|hey|hi|hello|well|please|pls|plz|good|thanks|thank you|yes|"
    r"just|alright|one more thing|for the future|from now on)\b[,:!.]?\s*)*"
    r"(?:(?:i want you to|i'd like you to|i would like you to|you should|you must|can you|could you|make sure (?:to|you)|"
    r"always|be sure to)\s+)?(?:please\s+|pls\s+)?"
)
_VERB = r"(?:remember|don't forget|do not forget|dont forget|never forget|keep in mind|bear in mind|make a note)"
_INTO = r"(?:add|put|save|store|write|note)\s+(?:this|it|that|the following)\s+(?:to|in|into|down in)\s+(?:your\s+|my\s+|the\s+)?(?:long[- ]term\s+)?memory"

_EN_TASK = re.compile(
    rf"{_LEAD}(?:remember|don't forget|do not forget|dont forget|never forget)\s+to\s+(?P<words>.+)$", re.IGNORECASE
)
_EN_THAT = re.compile(
    rf"{_LEAD}(?:{_VERB}(?:\s+that\b|\s+this\s*:|\s*[:,]|\s+the following\s*:)|{_INTO}\s*[:,])\s*(?P<words>.+)$",
    re.IGNORECASE,
)
_EN_BARE = re.compile(
    rf"{_LEAD}{_VERB}\s+(?P<words>(?!to\b|when\b|how\b|what\b|why\b|who\b|where\b|if\b|me\b).+)$", re.IGNORECASE
)
_EN_LAST = re.compile(
    rf"^(?P<words>.+?)\s*[,;–—-]\s*(?:so\s+|and\s+)?(?:please\s+|pls\s+)?{_VERB}(?:\s+(?:that|this|it))?$",
    re.IGNORECASE,
)

_ZH_LEAD = r"^(?:(?:对了|對了|还有|還有|另外|哦|噢|好的?|那么?|嗯|顺便|順便|你好|谢谢|謝謝|以后|以後)[，,、！!\s]*)*(?:(?:请|請|麻烦|麻煩|拜托|务必|務必|一定|帮我|幫我|给我|給我|你|要|得|希望|也|都)\s*)*"
_ZH_KEEP = r"(?:记住|記住|记下来?|記下來?|记一下|記一下|记着|記著|记好|記好|牢记|牢記)"
_ZH_INTO = r"把?(?:这|這|以下|下面)(?:条|條|个|個|句|件事)?[^，。：:]{0,4}(?:加|存|写|寫|记|記|放)(?:到|进|進|入|在)(?:你的|我的)?(?:长期|長期)?(?:记忆|記憶)(?:里|裡|中|库|庫)?"

_ZH_TASK = re.compile(
    rf"{_ZH_LEAD}(?:别忘了|別忘了|别忘记|別忘記|不要忘了|不要忘记|不要忘記|记得|記得)[，,：:]?\s*(?P<words>.+)$"
)
_ZH_THAT = re.compile(rf"{_ZH_LEAD}(?:{_ZH_KEEP}|{_ZH_INTO})[，,：:]?\s*(?P<words>.+)$")
_ZH_LAST = re.compile(
    rf"^(?P<words>.+?)[，,；;]\s*(?:请|請|你要|要|一定要|务必|務必|帮我|幫我|麻烦|麻煩)*(?:{_ZH_KEEP}|别忘了|別忘了)$"
)

_JA_LEAD = r"^(?:(?:あと|ちなみに|そういえば|えっと|それと|はい|うん|あっ?|ねえ|お願い|よろしく|念のため)[、，,！!\s]+)*(?:これも?[、，]?)?"
_JA_MAY = r"(?:ね|よ|ください|下さい|くださいね|ほしい(?:です)?|欲しい(?:です)?|くれ(?:る)?|もらえる)*(?:んだけど|んですが|のですが|んですけど)?"
_JA_KEEP = rf"(?:覚え(?:ておいて|といて|ていて|てて)|(?:メモ|記憶|記録)し(?:ておいて|といて|て)|メモっ(?:ておいて|といて|て)|忘れないで){_JA_MAY}"
_JA_LINK = r"(?:(?:っていう|という|って|だって)?こと(?:を|は|も)?|(?:だ|です)?から|ので|だ?って|と|を|のを)?"

_JA_TASK = re.compile(
    rf"{_JA_LEAD}(?P<words>[^。]{{2,}}?[うくぐすつぬむぶる])(?:の|こと)(?:を|は|も)?[、，]?(?:絶対に?)?忘れない(?:で|ように){_JA_MAY}$"
)
_JA_THAT = re.compile(rf"{_JA_LEAD}{_JA_KEEP}[、，,：:！!\s]+(?P<words>(?!って|と(?:言|い)).+)$")
_JA_LAST = re.compile(
    rf"{_JA_LEAD}(?P<words>[^？?]+?){_JA_LINK}[、，,；;]?\s*(?:しっかり|ちゃんと|ぜひ|絶対に?)?{_JA_KEEP}$"
)

_ASKING = (
    (TASK, _EN_TASK),
    ("", _EN_THAT),
    ("", _EN_LAST),
    ("bare", _EN_BARE),
    (TASK, _ZH_TASK),
    ("", _ZH_THAT),
    ("", _ZH_LAST),
    (TASK, _JA_TASK),
    ("", _JA_THAT),
    ("", _JA_LAST),
)

_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
_PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|at the moment|for now|currently|just now|soon|later|so far|"
    rf"(?:this|next|last|coming) (?:morning|afternoon|evening|night|week|weekend|month|year|time|{_DAYS})|"
    rf"(?:this|next|last|coming|by|until|till|due) (?:{_DAYS})|"
    r"in (?:a|an|one|two|three|four|five|ten|\d+|a few|a couple of) (?:minutes?|hours?|days?|weeks?|months?))\b"
    r"|今天|今晚|今早|明天|明早|明晚|后天|後天|昨天|昨晚|现在|現在|刚才|剛才|目前|暂时|暫時|马上|馬上|等会|等會|待会|待會|一会儿|一會兒"
    r"|(?:这|這|本|下|上)(?:个|個)?(?:周|週|星期|礼拜|禮拜|月|午)"
    r"|今日|明日|昨日|明後日|あさって|今夜|今晩|今朝|今(?:は|から|だけ)|しばらく|とりあえず|さっき|(?:今|来|先|再来)[週月年]|あとで|後で",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"\b(?:\d{{1,2}}(?::\d\d)?\s?(?:am|pm|o'clock)|\d{{1,2}}:\d\d|\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|"
    rf"(?:on|by|until|till) (?:{_DAYS})|(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})|"
    r"until|deadline)\b"
    r"|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]|[0-9一二三四五六七八九十]{1,3}(?:点|點)(?:半|钟|鐘)?|[0-9一二三四五六七八九十]{1,3}月[0-9一二三四五六七八九十]{1,3}[日号號]?|截止"
    r"|[月火水木金土日]曜|(?:\d{1,2}|[一二三四五六七八九十]{1,3})時(?!間)|締め?切",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"^(?:i|we|my \w+|the \w+)(?:'ve| have| has| was| were| is)?\s+(?:just\s+)?(?:parked|left|put|placed|hid|dropped|locked)\b"
    r"|(?:停|放|落|忘|丢|丟|搁|擱|藏)在.*了$|(?:に|へ)(?:停めた|駐車した|置いてきた|置いた|しまった|隠した)$",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"^(?:this|it|that|these|those|them|him|her|he|she|they|so)\b|^(?:这|這|那|它|他|她)(?:个|個|件|些|点|點)?(?:事|是|就|$|[，,])?"
    r"|^(?:これ(?!から)|それ|あれ|この|その|あの|ここ|そこ|彼女?(?!氏)|そういう)",
    re.IGNORECASE,
)
_VERBLIKE = re.compile(
    r"(?:\b(?:am|is|are|was|were|be|been|has|have|had|will|would|can|could|must|should|may|need|needs|like|likes|love|"
    r"loves|hate|hates|prefer|prefers|live|lives|work|works|belong|belongs|use|uses|run|runs|go|goes|stay|stays|mean|means|"
    r"ship|ships|keep|keeps|stand|stands|cost|costs|own|owns|get|gets|want|wants|speak|speaks|know|knows|call|never|always)\b|'m|'re|n't)",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\s*[\"'”’)]*$|(?:吗|嗎|么|麼|呢|か|かな|っけ)[。.!！]?$")

_IDENTITY = re.compile(
    r"^(?:my (?:full |first |last |middle |nick)?name\b|(?:please )?call me\b|i(?:'m| am) (?:called|named)\b|"
    r"i(?:'m| am) (?:a|an|the|from|born|married|single|divorced|retired|\d+)\b|i (?:live|work|study|teach|was born|grew up|come from)\b|"
    r"my (?:birthday|age|job|profession|occupation|address|e-?mail|phone|pronouns|nationality|mother tongue|native language)\b)"
    r"|^(?:我叫|我的名字|我姓|叫我|我是|我住|我在[^，。]{1,12}(?:工作|上班|上学|上學|读书|讀書)|我来自|我來自|我今年|我的(?:生日|职业|職業|工作|地址|电话|電話|邮箱|郵箱|年龄|年齡))"
    rf"|^(?:{FIRST}の)?(?:名前|本名|苗字|名字|誕生日|住所|電話番号|メールアドレス|職業|仕事|出身地?|年齢|血液型)は|^{FIRST}は[^、。]{{1,20}}(?:に住んで|で働いて|に勤めて|歳|出身|生まれ|(?:師|士|員|生|者|家)(?:だ|です|$))|(?:と|って)呼んで$",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"^i(?:'d| would)? (?:really |much |do |don't |do not |dont |always |usually )?(?:prefer|like|love|enjoy|hate|dislike|adore|rather|favou?r|can't stand)\b"
    r"|^my favou?rite\b"
    r"|^我(?:更|最|很|不|比较|比較|特别|特別|一直|非常|不太|还是|還是)*(?:喜欢|喜歡|偏好|偏爱|偏愛|爱|愛|讨厌|討厭|习惯|習慣|宁愿|寧願|倾向|傾向)"
    rf"|^(?:{FIRST}は)?[^、。は]{{1,25}}(?:が|は|のが)(?:大|一番)?(?:好き|嫌い|苦手)(?:だ|です|なんだ|なんです)?$|^{FIRST}の(?:好物|趣味)は",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"^(?:never|don't|do not|dont|no)\b|^always\b"
    r"|^i(?:'m| am) (?:\w+ )?(?:allergic|intolerant|vegetarian|vegan|diabetic|colou?r-?blind|pregnant|deaf|blind)\b"
    r"|^i (?:can't|cannot|can not|must not|mustn't|may not|won't|will not|never|don't|do not) "
    r"|\bme\b.*\b(?:never|not)\b|^my (?:allerg|diet)"
    r"|过敏|過敏|忌口|^我(?:不|从不|從不|从来不|從來不)(?:能|吃|喝|会|會|可以|抽)"
    r"|^(?:别|別|不要|禁止|不许|不許|不准|绝不|絕不|千万别|千萬別)|(?:不要|别|別|不许|不許|不准)(?:再)?(?:给我|給我|叫我|跟我|对我|對我|找我|联系我|聯繫我)"
    rf"|アレルギー|^(?:{FIRST}は)?[^、。]{{1,15}}(?:食べられ|飲め|食べ|飲ま)(?:ない|ません)$|ないで(?:ください|ほしい)?$",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:projects?|goals?|roadmap|milestones?|mission|vision)\b|项目|專案|項目|目标|目標|长期计划|長期計劃|愿景|願景|プロジェクト|長期計画",
    re.IGNORECASE,
)
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})


def asked(text: str) -> list[Asked]:
    """What a message asks to be remembered, in order."""
    found = (_of_sentence(sentence) for sentence in sentences(text))
    return [one for one in found if one is not None]


def _of_sentence(sentence: str) -> Asked | None:
    if len(sentence) > _LONGEST_ASKING:
        return None
    plain = sentence.translate(_STRAIGHT)
    if _QUESTION.search(plain):
        return None
    plain = plain.rstrip(" .!。！;；…")
    for kind, pattern in _ASKING:
        match = pattern.match(plain)
        if match is not None:
            kept = sentence[match.start("words") : match.end("words")].strip(" ,，:：")
            return _judged(kind, kept)
    return None


def _judged(kind: str, kept: str) -> Asked | None:
    """What becomes of words that were asked to be kept; None when that is not clear, or they will not last."""
    straight = kept.translate(_STRAIGHT)
    count = len(words(kept))
    if not kept or len(kept) > _MOST_CHARACTERS or _DANGLING.match(straight):
        return None
    if kind == TASK:
        return Asked(TASK, "Tasks", kept)
    if count < _FEWEST_WORDS or (kind == "bare" and not _VERBLIKE.search(straight)):
        return None
    if _PASSING.search(straight) or _ONE_OFF.search(straight):
        return None
    for section, pattern in ((CONSTRAINTS, _CONSTRAINT), (PREFERENCES, _PREFERENCE), (IDENTITY, _IDENTITY)):
        if pattern.search(straight):
            return Asked(PROFILE, section, kept)
    if _DATED.search(straight):
        return None
    return Asked(INDEX, GOALS if _GOAL.search(straight) else FACTS, kept)


def wanted(sentence: str) -> str:
    """What a sentence asks to be remembered, whether or not it will last; empty when it asks for nothing, or for a task."""
    if len(sentence) > _LONGEST_ASKING or _QUESTION.search(sentence.translate(_STRAIGHT)):
        return ""
    plain = sentence.translate(_STRAIGHT).rstrip(" .!。！;；…")
    found = ((kind, match) for kind, pattern in _ASKING if (match := pattern.match(plain)) is not None)
    kind, match = next(found, (TASK, None))
    return "" if match is None or kind == TASK else sentence[match.start("words") : match.end("words")].strip(" ,，:：")


def asks(text: str) -> bool:
    """Whether a message asks, in so many words, for something to be kept in memory."""
    plain = [s.translate(_STRAIGHT) for s in sentences(text) if len(s) <= _LONGEST_ASKING]
    return any(
        pattern.match(sentence.rstrip(" .!。！;；…"))
        for sentence in plain
        if not _QUESTION.search(sentence)
        for kind, pattern in _ASKING
        if kind != TASK
    )


def lasts(text: str) -> bool:
    """Whether words are a clear statement that is made to last, and not one about a person's profile."""
    found = _judged("", text.strip())
    return found is not None and found.kind == INDEX


def surplus(
    entries: Sequence[Entry], reuse: Mapping[str, Reuse], keep: frozenset[str], *, items: int, characters: int
) -> list[Entry]:
    """The entries that have to go so that the rest fits: those least used and longest unused first, `keep` never."""
    size = sum(len(entry.body) for entry in entries)
    count = len(entries)
    gone: list[Entry] = []
    for entry in sorted((e for e in entries if e.id not in keep), key=lambda e: _worth(e, reuse)):
        if count <= items and size <= characters:
            break
        gone.append(entry)
        count -= 1
        size -= len(entry.body)
    return gone


def _worth(entry: Entry, reuse: Mapping[str, Reuse]) -> tuple[int, str, int]:
    """How much an entry deserves its place: in how many sessions it was of use, when last, and where it stands."""
    used = reuse.get(entry.id)
    times = (used.sessions if used else 0) + mentions(entry) - 1
    seen = max(entry.fields.get("seen", ""), entry.added)
    last = max(seen, used.last.date().isoformat() if used else "")
    return times, last, entry.line
