"""What of a message is worth keeping, by rules: what was asked for, decided, or stated plainly. In doubt nothing is.

No rule keeps ordinary chat clean, so these are strict: a sentence must say by its form that it holds for longer than the
moment. What merely looks telling is ranked, for a person to decide. Nothing is reworded; a relative date gets the day it
means beside it. The chat log has everything else, and is searched too.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from oldsoul.rules import mining_japanese
from oldsoul.rules.correcting_values import hands_over
from oldsoul.rules.dates import spans
from oldsoul.rules.japanese import DANGLING, LEAD, is_japanese
from oldsoul.rules.promotion import wanted
from oldsoul.rules.sentences import cleaned, sentences, shortened
from oldsoul.rules.standing import is_standing
from oldsoul.rules.typed_values import typed_values
from oldsoul.rules.words import is_unspaced, words
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oldsoul.rules.typed_values import Value

DECISION, EVENT, KNOWLEDGE, SKILL = "decision", "event", "knowledge", "skill"
_MOST_TEXT = 20_000
_LONGEST = 320
_FEWEST, _MOST = 3, 60
_WANTED = 1.2
"""From here on a statement is suggested: half of what was is worth keeping."""


@frozen
class Nugget:
    """A statement that is worth keeping, or might be."""

    text: str
    """the person's own words"""
    tag: str
    """its primary tag"""
    why: str
    """by which rule: asked, decided, instruction, oneself, reference, value, relation, howto; empty when it is only ranked"""
    rank: float
    """how telling it looks"""

    @property
    def is_plain(self) -> bool:
        """Whether it is kept, and not only suggested."""
        return bool(self.why)


_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
_LEAD = re.compile(
    r"(?i)^(?:(?:so|and|also|anyway|btw|by the way|oh|ok|okay|well|right|right so|one thing|hey|fyi|for main|for the record|note|"
    r"one more thing|one thing before i forget|yes|yeah|no wait|but|because|cause|plus|still|ps|p\.s\.)\b[\s,:.!–-]*)+"
)
_OPINION = re.compile(
    r"(?i)\b(?:is|are|was|looks?|sounds?) (?:so |way |much |really |just )*(?:nicer|better|worse|cooler|great|fine|perfect|lovely|nice|good|bad|ugly|boring|fun|funny)\b|\banyway$"
)
_QUESTION = re.compile(
    r"(?i)^(?:what|who|when|where|why|how|which|whose)\s+(?:did|do|does|is|are|was|were|can|could|would|will|should|has|have|the hell|on earth)\b|[?？]\s*[\"'”’)]*$|(?:吗|嗎|么|麼|呢|か|かな|っけ)[。.!！]?$"
)
_HEDGED = re.compile(
    r"(?i)\b(?:maybe|perhaps|might|probably|possibly|i (?:think|guess|suppose|wonder|hope|wish)|not sure|no idea|could be|would be|should (?:i|we)|"
    r"seems?|apparently|kind of|sort of|if only|thinking (?:of|about)|considering|unless|or something|whatever|hm+|haha|lol|joking|kidding)\b"
    r"|也许|也許|可能|大概|好像|不知道|不确定|不確定|或许|或許|想不想|要不要|哈哈"
)
_YOU = re.compile(r"(?i)\b(?:you|your|yours|u|ya)\b|你|您")
_MOMENT = re.compile(
    r"(?i)\b(?:right now|at the moment|just now|currently|for now|so far|(?:seconds?|minutes?|hours?) ago|this (?:morning|afternoon|evening)|tonight|brb|omw|on my way|i'm here|gotta|gonna|back in|or so|picking up|in a (?:bit|sec|minute)|later|"
    r"i'm (?:so |very |really |too )?(?:tired|hungry|sick|bored|back|home|late|off|out|sorry|done|ready|fine|ok|okay|good|busy|scared|afraid|freezing|exhausted|annoyed|happy|sad))\b"
    r"|现在|現在|刚才|剛才|刚刚|剛剛|今天|今晚|累死|好累|先去|等会|等會|待会|待會|等下|一会儿|一會兒"
)
_NOISE = re.compile(
    r"(?m)^[ \t]*(?:\$ |> |>>>|at \S+\(|File \"|Traceback|[A-Z]+(?:Error|Exception)\b|ERROR\b|WARN(?:ING)?\b|INFO\b|DEBUG\b|\d{4}-\d\d-\d\dT\d\d)|"
    r"(?<!\w)\w{1,60}\(\)|^[ \t]*(?:git|npm|pip|docker|kubectl|curl|sudo|ssh) \S|=>|\{\s*\"|</?\w+>|```|\b[0-9a-f]{16,}\b|\b\d{1,3}%\s+/|Filesystem\s"
)
_DANGLING = re.compile(
    r"(?i)^(?:it|its|it's|that|that's|this|these|those|there|they|they're|them|he|he's|she|she's|him|her|so|which|who|one|some|same|both|such)\b"
    r"|^(?:这|這|那|它|他|她)(?:个|個|件|些|样|樣|们|們)?"
)
_MOOD = re.compile(
    r"(?i)^i(?:'m| am) (?:a|an) (?:bit|little|mess|wreck|idiot|fool|fan|genius|disaster|tiny|lot|zombie|monster|failure|terrible|bad|good|big|huge)\b"
)

_ASKED = re.compile(
    r"(?i)^(?:note to self|important|for the record|fyi|for (?:the )?(?:record|later)|for main|for your (?:notes|records)|write (?:this|it|that) down|"
    r"(?:please\s+)?note|heads[- ]up|don't forget|remember|for the future|(?:lesson )?learned|lesson|(?:just )?so you know|keep in mind|(?:my )?rule(?: for me| of mine)?)\s*[:,–-]\s*(?P<words>.+)$"
    r"|^(?P<before>.{8,200}?),? (?:so (?:please )?(?:keep|remember|note) (?:that|this|it)(?: in mind)?|just so you know(?: where to look)?|so plan for that\b.*|for the record)[.!]*$"
    r"|^(?P<zh_before>[^，。]{2,40}[，,].{0,60}?)[，,](?:帮我)?记(?:一下|着|住|下来)[^，。]{0,12}[。！]?$"
    r"|^(?:备忘|備忘|备注|備註|重要|注意|大事|備忘録|メモ|メモお願い)[：:]\s*(?P<zh>.+)$"
)
_DECIDED = re.compile(
    r"(?i)\b(?:(?:we|i)(?:'ve| have)?\s+(?:all\s+|both\s+|now\s+|finally\s+|just\s+)?(?:decided|agreed|settled on|chose|signed up|committed to)|the plan is|decision:|it'?s (?:official|decided|settled|agreed)|"
    r"(?:we'll|we will|let's|i'll|i will) (?:go|stick) with|(?:we|we're|we are) (?:go|going|went) with (?:['\"“]|(?-i:[A-Z]))|(?:^|[.,;] )going with (?:['\"“]|(?-i:[A-Z]))|we said (?:it'?s )?(?=\S*\d)|(?:is|was|got) (?:decided|agreed|settled|confirmed|approved)|"
    r"(?:^|[.,;] )decided\b)"
    r"|(?:我们|我們|我)(?:已经|已經|都|就)?(?:决定|決定|说好|說好|商定|约定|約定|约好|定了)|^(?:决定|決定)(?:了|是)?[：:，,]"
)
_HOWTO = re.compile(
    r"(?i)\b(?:works? like this|here'?s how|how to \w+|the trick is|the way to \w+|step(?:s| one| 1)\b)|^if [^:]{3,60}:\s*\w+.*,.*|^to \w+ [^:]{2,60}:\s*\w+.*,"
    r"|(?:方法|步骤|步驟|做法)(?:是|如下)?[：:]"
)
_INSTRUCTS = re.compile(
    r"(?i)\bfrom now on\b|\bgoing forward\b|\b(?:please|pls)\s+(?:don't|do not|never|always|stop|keep|use|write|answer|reply|call|avoid)\b"
    r"|^(?:never|always|don't ever|do not ever)\s+(?:merge|deploy|push|send|use|write|call|book|buy|touch|delete|share|post|answer|reply|put|add|include|ask|check|keep|leave|round|sign|assume|suggest|recommend|mention|schedule|commit|run|print|order|pay|speak|text|wake|remind|eat|drink|lend|sell|store|name|tell|show|start|end|open|close|plan|cook|serve|bring|take) (?!never)\w+|\bcall me\b|\b(?:answer|reply|write|speak)(?: to me)? (?:only )?in\b"
    r"|^i (?:always|never) (?!see|seen|saw|thought|said|knew|know|will|want|understood|understand|get|got|had|did|liked|met|forget)\w+ (?!it\b|that\b|this\b|them\b|again\b)\w+"
    r"|(?:^|[:;,] |\band )(?:please |pls )?(?:never|always|don't ever) (?:merge|deploy|push|send|use|write|call|book|buy|touch|delete|share|post|answer|reply|put|add|include|ask|check|keep|leave|round|sign|assume|suggest|recommend|mention|schedule|commit|run|print|order|pay|speak|text|wake|remind|eat|drink|lend|sell|store|name|tell|show|start|end|open|close|plan|cook|serve|bring|take) (?!it\b|that\b|again\b)\w+|\bdon't (?:suggest|recommend|use|send|write|book|call|touch|mention)\b.*\b(?:pls|please|again|anymore|ever)\b"
    r"|\bno more [\w ]{3,30} (?:tips|suggestions|advice|reminders|links|jokes)\b|\balways in \w+|\bevery time[.!]?$|\bnothing with \w+ ever\b"
    r"|\b(?:closed|open|off|free) (?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|以后(?!再)|以後(?!再)|今后|今後|从现在起|從現在起|(?:请|請)(?:不要|别|別|用|叫)|叫我(?!一[声聲下]|起|怎)|每次"
)
_ONCE = re.compile(
    r"(?i)\b(?:it|this|that) (?:shorter|longer|again|better|up|out|down)\b|\bin this (?:answer|reply|text|mail|chat)\b|\b(?:one|a few|two|three) (?:words?|sentences?|lines?)\b|\byes or no\b|\bwith (?:yes|no|ok)\b|^(?:please |pls )?(?:write|use|make|keep) (?:it|this|that|more|less)\b"
)
"""Asks for one answer, not for all."""
_AWAY = re.compile(
    r"(?i)^(?:i'm|i am|we're|we are) (?:out|away|off|on (?:leave|vacation|holidays?)) (?:from|until|till|between|the)\b|^i(?:'ll| will)? (?:take|do|handle|own|cover) .{3,60}\b(?:by|until|before)\b"
)
"""Is of the moment by its form, and holds for the days it names."""
_DROPPED = re.compile(
    r"(?i)^(?:we|i)(?:'ve| have)? (?:drop(?:ped)? (?:support|(?-i:[A-Z]))|gave up on|given up on|stopped using|switched to|migrated to|sold the|sold our|cancelled the|canceled the|renamed the) ?(?!it\b|that\b|this\b|them\b)\w+|\b(?:that'?s|it'?s|is) (?:fixed|final)(?: now)?\b|^(?:i|we)\b.{0,40}\bfor good\b"
)
_REFERENCE = re.compile(
    r"(?i)^(?!i\b|we went\b|so\b|it\b)(?:the |our |my |all |new )*[a-z][\w -]{2,50}? (?:is|are|=|live|lives|runs on|goes? to|go to|sits? (?:at|on)|(?:is|are) (?:now )?(?:at|on|under))(?: now)?(?: at| on| under| in| the| folder| host| box){0,3} "
    r"(?:[\w-]+ ){0,4}?(?P<code>(?:[\w-]+\.){2,}[a-z]{2,}(?::\d+)?(?:/\S*)?|[\w-]+\.[a-z]{2,4}:\d+|\d+\.\d+\.\d+\.\d+(?::\d+)?|/[\w.-]+/[\w./-]+)(?=[\s,;.)]|$)"
)
_ASKS = re.compile(
    r"(?i)^(?:can|could|would|please|pls|look|check|open|run|see|try|fix|help|why|what|how|show|read|write|update|delete|move|copy|rename|add|create|make|find|go|click|visit)\b|\b(?:error|failed|failing|fails|exception|line \d+|cannot|can't|timed out|timeout|down|broken|loss|trace|problem|answer|please|pls|summari[sz]e|searched|unreachable|refused|tmp)\b"
)
_SETTLED = re.compile(r"(?i)^(?:it'?s|that'?s) (?:official|decided|settled|agreed|confirmed)\b")
_SEALS = re.compile(
    r"(?i)^(?:decided|agreed|deal|settled|it'?s decided|that'?s decided|done deal|就这么定了|就這麼定了|说定了|說定了)\W*$"
)
_CLAUSE = re.compile(r"[,;:–，；：]\s*|\s+(?:and|but|so)\s+(?=(?:i|i'm|my|our)\b)", re.IGNORECASE)
_FAMILY = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|child(?:ren)?|mother|mum|mom|father|dad|parents|brother|sister|"
    r"grand(?:mother|father|ma|pa)|aunt|uncle|cousin|niece|nephew|boss|neighbou?r|landlord|dentist|doctor|gp|vet|surgeon|therapist|lawyer|accountant|"
    r"cat|dog|horse|rabbit|parrot|hamster|boat|car|bike|van|house|flat|apartment|office|server|laptop|phone|router|company|team|publisher|bank)"
)
_SELF = re.compile(
    r"(?i)^(?:"
    rf"(?:my|our) (?:[\w'-]+ ){{0,3}}?(?:name|birthday|address|number|pronouns?|favou?rite|allerg\w+|job|email|e-mail|pin|code|size|blood type|diet|{_FAMILY})\b.{{0,60}}?\b(?:is|are|was|lives?|works?|has|have|called|named|turns?|wants?|needs?|hates?|loves?|prefers?|can't|doesn't)\b"
    r"|(?:my|our) [\w' -]{2,40} (?:is|are) (?:called|named|at|in|on|from|allergic|born|due)\b"
    r"|i(?:'m| am) (?:severely |very |badly |also )?(?:allergic|vegetarian|vegan|diabetic|coeliac|celiac|lactose|left-handed|colou?r-?blind|pregnant|married|divorced|widowed|half|from|born|retired|asthmatic|intolerant)\b"
    r"|i(?:'m| am) (?:a|an) (?:[\w-]+ ){0,2}(?:nurse|doctor|teacher|translator|engineer|developer|programmer|lawyer|plumber|carpenter|baker|cook|chef|writer|editor|student|pilot|farmer|designer|architect|manager|"
    r"musician|artist|scientist|driver|electrician|journalist|\w+ist|\w+ian|\w+eer)\b"
    r"|i (?:live|work|grew up|was born|teach|study|studied|come from) (?:in|at|as|for|on|with|near)\b"
    r"|i(?:'ve| have) (?:been|had|lived|worked|known) .{2,60}\b(?:since|for) \w+"
    r"|i (?:really |just |absolutely )?(?:prefer|can't stand|cannot stand|hate|dislike|detest|don't (?:eat|drink|like|work)|never (?:eat|drink|work|use|wear|fly|drive|answer|read)|always (?:eat|drink|work|use|wear|take|sit|fly|answer|read)) (?!it\b|that\b|this\b|you\b|when\b|everyone\b|everything\b|myself\b|how\b|what\b|him\b|her\b|them\b|to\b|"
    r"the (?:first|second|third|last|other|latter|former|one|left|right|top|bottom|old|new)\b)\w+"
    r"|i (?:always|never) (?!see|seen|saw|thought|said|knew|know|will|understood|understand|get|got|had|did|liked|met|forget|really|been|heard|felt|realised|realized|imagined|meant|expected|believed)[a-z]+ (?!it\b|that\b|this\b|them\b|again\b|you\b|him\b|her\b|to\b|how\b|what\b)\w+"
    r"|i(?:'ve| have)?(?: just)? moved (?:back )?to (?-i:[A-Z])\w+"
    r"|(?:i get|i got) (?:really |very |so )?(?:sick|hives|migraines?|headaches?|nauseous|a rash) from\b|[\w -]{3,30} gives? me (?:nightmares|headaches?|migraines?|hives|heartburn|a rash|the creeps)\b"
    r"|(?:we|i) only (?:work|accept|take|use|eat|drink|pay|ship|sell|buy|wear|fly|travel) (?!it\b|that\b|this\b)\w+"
    r"|(?:[\w-]+ ){1,4}and (?:me|i) (?:are not friends|don't get along)"
    r"|call me [A-Z]\w+"
    r")"
    r"|^我(?:叫(?!了)|姓|住在|来自|來自|出生|对[^，。]{1,10}过敏|對[^，。]{1,10}過敏|从不|從不|不吃(?!了)|不喝(?!了)|是[^，。]{1,8}(?:师|師|士|员|員|生|人)|在[^，。]{1,12}(?:工作|上班|当|當)|每(?:天|周|週|个|個)|最喜欢|最喜歡|讨厌|討厭|不能吃)"
    r"|^我的?(?:妈妈|媽媽|爸爸|母亲|母親|父亲|父親|先生|太太|老公|老婆|儿子|兒子|女儿|女兒|孩子|哥哥|弟弟|姐姐|妹妹|老板|医生|醫生|猫|狗|生日|地址|电话|電話|名字)[^，。]{0,20}(?:叫|是|住|在|有|岁|歲|号|號)"
    r"|^我(?:们|們)?的?(?:英文名|公司|学校|學校|手机号|手機號|邮箱|郵箱|团队|團隊|部门|部門|老家|车牌|車牌)[^，。]{0,12}(?:是|在|叫|有)"
)
_RELATION = re.compile(
    rf"^(?:(?:Dr|Mr|Mrs|Ms|Prof|Frau|Herr)\.?\s+)?[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?(?:'s| is| was| has been)\s+(?:still\s+|now\s+)?(?:my|our|the)\s+(?:[\w-]+\s+){{0,3}}?\w+"
    rf"|^(?:[A-Z][\w'-]+)(?: is| turns|, who is)\s+(?:\d{{1,2}}|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen)\b"
    rf"|\b(?:our|my) {_FAMILY} [A-Z][\w'-]+"
    r"|^(?:(?:my|our|the|My|Our|The) )?[\w-]+(?: [\w-]+)? is (?:called|named) [A-Z][\w'-]+"
    r"|^[A-Z][\w'-]+ (?:hates|loves|prefers|can't (?:eat|stand|have)|doesn't (?:eat|drink|like|work)|is allergic|only (?:accepts?|takes?|works?|eats?|drinks?|wants?)|handles (?!it\b|that\b|this\b|them\b)\w|does the)\b"
)
_STATES = re.compile(
    r"(?i)\b(?:is|are|costs?|takes?|needs?|has|have|starts?|ends?|opens?|closes?|closed|leaves?|arrives?|runs?|due|lasts?|weighs?|measures?|holds?|seats?|moved to|meets?|departs?|lands?|comes|goes|wants?|expires?|"
    r"operates?|till|until|every)\b|[是在要有需]"
)
_NARRATES = re.compile(
    r"(?i)^(?:i|we)(?:'ve|'d| have| had| just| was| were)?\s+(?:just\s+)?(?:went|saw|got|was|were|had|did|ate|bought|came|made|found|lost|broke|fell|slept|woke|watched|read|spent|walked|tried|forgot|dropped|talked|met|called|said)\b"
)
_OPEN_DATE = ("date",)
_SUBJECT = re.compile(
    r"(?i)^(?:the|our|my|next|every|each|a|an|[A-Z][\w'-]+|[\w'-]+ (?:is|are|takes|costs|opens|closes))\b|^\S*[\u4e00-\u9fff]"
)
_RELATIVE = re.compile(
    r"(?i)\b(?:yesterday|tomorrow|the day (?:before yesterday|after tomorrow)|(?:last|this past|next|this coming|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:\d{1,2}|two|three|four|five|six|seven|ten) days ago|in (?:\d{1,2}|two|three|four|five|six|seven|ten) days)\b|昨天|明天|前天|后天|後天|上周[一二三四五六日]|下周[一二三四五六日]"
    r"|一昨日|昨日|明後日|明日(?!香)|おととい|あさって|(?:先々|再来|先|今|来)週の?[月火水木金土日]曜日?"
)
_AHEAD = re.compile(r"(?i)in (\w+) days")
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_REGULAR = re.compile(r"(?i)\b(?:every|each|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekly|daily|always)\b|每|都是")
_FLEETING = frozenset(
    {"degree", "minute", "min", "hour", "second", "day", "night", "percent", "time", "page", "step", "people", "person"}
)
_STATE = re.compile(
    r"(?i)\b(?:today|again|broken|bouncing|stolen|battery|percent|on fire|in my game|this song|too much|option (?:one|two|three|[a-d]|\d))\b|\d%"
)
"""Is so at the moment, or of this talk only."""
_FIRST = re.compile(r"(?i)\b(?:i|i'm|i've|my|we|we've|our|me|us)\b|我")
_NAME = re.compile(r"(?<=[^\W\d_.!?] )(?!I\b|I')[A-Z][\w'-]+")
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")


def nuggets(text: str, said: date) -> list[Nugget]:
    """The statements of a message that are kept or might be, in order; `said` is its local day."""
    text = cleaned(text)[:_MOST_TEXT].translate(_STRAIGHT)
    if hands_over(text) or _NOISE.search(text):
        return []
    found: list[Nugget] = []
    for sentence in _whole(sentences(text)):
        made = _judged(sentence, said)
        if made is not None:
            found.append(made)
    return found


def _whole(parts: list[str]) -> Iterator[str]:
    """Sentences; one that begins with a word for what was said before is put with the one that said it."""
    held = ""
    for part in parts:
        if (
            held
            and (_DANGLING.match(part) or _SEALS.match(part))
            and len(held) + len(part) < _LONGEST
            and not _QUESTION.search(part)
        ):
            held = f"{held} {part}"
            continue
        if held:
            yield held
        held = part
    if held:
        yield held


def _judged(sentence: str, said: date) -> Nugget | None:
    asked_for = _asked_for(sentence)
    bare = asked_for or LEAD.sub("", _LEAD.sub("", sentence)).strip()
    count = len(words(bare))
    if (
        not _FEWEST <= count <= _MOST * (2 if is_unspaced(bare) else 1)
        or len(bare) > _LONGEST
        or _QUESTION.search(sentence)
    ):
        return None
    if (_DANGLING.match(bare) or DANGLING.match(bare)) and not _SETTLED.match(bare):
        return None
    values = typed_values(bare)
    why, tag = ("asked", _tag(bare, values)) if asked_for else _plain(bare, values)
    rank = _rank(bare, values)
    if not why and rank < _WANTED:
        return None
    return Nugget(dated(shortened(bare.rstrip(" ,;"), _LONGEST), said), tag or _tag(bare, values), why, rank)


def _asked_for(sentence: str) -> str:
    """What a sentence asks to be kept, without the words that ask; empty when it asks for nothing."""
    match = _ASKED.match(_LEAD.sub("", sentence) if not _ASKED.match(sentence) else sentence)
    if match is not None:
        return next(filter(None, match.group("words", "before", "zh_before", "zh")), "").strip()
    return wanted(sentence)


def _plain(bare: str, values: list[Value]) -> tuple[str, str]:
    """By which rule a statement is plain, and its tag; nothing for one that is not."""
    if _HEDGED.search(bare) or _EMOJI.search(bare):
        return "", ""
    if is_japanese(bare):
        return mining_japanese.plain(bare, values)
    if _HOWTO.search(bare):
        return "howto", SKILL
    if _INSTRUCTS.search(bare) and is_standing(bare) and not _ONCE.search(bare):
        return "instruction", KNOWLEDGE
    if any(_SELF.search(clause) and _is_calm(clause) and not _STATE.search(clause) for clause in _CLAUSE.split(bare)):
        return "oneself", KNOWLEDGE
    dates = [value for value in values if value.kind in _OPEN_DATE]
    if dates and _AWAY.match(bare):
        return "decided", EVENT
    if not _is_calm(bare):
        return "", ""
    if _REFERENCE.search(bare) and not _ASKS.search(bare):
        return "reference", KNOWLEDGE
    if _DECIDED.search(bare) or _DROPPED.search(bare):
        return "decided", DECISION
    if _RELATION.search(bare):
        return "relation", KNOWLEDGE
    measured = [value for value in values if _lasts(value, bare)]
    if (
        (dates or measured)
        and _STATES.search(bare)
        and _SUBJECT.match(bare)
        and not _NARRATES.match(bare)
        and not _OPINION.search(bare)
        and "today" not in words(bare)
    ):
        return "value", EVENT if dates else KNOWLEDGE
    return "", ""


def _lasts(value: Value, text: str) -> bool:
    """Whether a value is one that things have for long: a measure, a price, a version, a day of every week."""
    if value.kind == "number":
        return bool(value.unit) and value.unit not in _FLEETING
    if value.kind in ("weekday", "time"):
        return bool(_REGULAR.search(text))
    return value.kind in ("version", "often")


def _is_calm(text: str) -> bool:
    """Whether a statement is neither about the one who is spoken to nor about the moment."""
    return not (_YOU.search(text) or _MOMENT.search(text) or _MOOD.match(text))


def _tag(bare: str, values: list[Value]) -> str:
    if _DECIDED.search(bare) or mining_japanese.DECIDED.search(bare):
        return DECISION
    if _HOWTO.search(bare):
        return SKILL
    return EVENT if any(value.kind in _OPEN_DATE for value in values) else KNOWLEDGE


def _rank(bare: str, values: list[Value]) -> float:
    """How telling a statement looks: it names a time, a number or a name, and speaks of somebody's own."""
    rank = 0.9 * any(value.kind in ("date", "time", "weekday") for value in values) + 0.5 * bool(values)
    rank += 0.6 * bool(_NAME.search(bare)) + 0.5 * bool(_FIRST.search(bare)) + 0.4 * bool(_RELATIVE.search(bare))
    rank += min(len(words(bare)), 20) / 20
    return (
        rank
        - 1.0 * bool(_YOU.search(bare))
        - 1.0 * bool(_HEDGED.search(bare))
        - 0.8 * bool(_MOMENT.search(bare))
        - 0.5 * bool(_EMOJI.search(bare))
    )


def dated(text: str, said: date) -> str:
    """The text with the day beside every relative date that means one day."""

    def resolved(match: re.Match[str]) -> str:
        ahead = _AHEAD.match(match[0])
        if ahead is not None:
            count = _COUNTS.get(ahead[1].casefold()) or int(ahead[1])
            return f"{match[0]} ({(said + timedelta(days=count)).isoformat()})"
        found = spans(match[0], said)
        if len(found) != 1 or found[0].first != found[0].last:
            return match[0]
        return f"{match[0]} ({date.fromordinal(found[0].first).isoformat()})"

    return _RELATIVE.sub(resolved, text)
