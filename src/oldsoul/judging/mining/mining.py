"""What of a message is worth keeping, by rules: what was asked for, decided, or stated plainly. In doubt nothing is.

No rule keeps ordinary chat clean, so these are strict: a sentence must say by its form that it holds for longer than the
moment. What merely looks telling is ranked, for a person to decide. Nothing is reworded; a relative date gets the day it
means beside it. The chat log has everything else, and is searched too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.values import hands_over
from oldsoul.judging.mining import mining_japanese
from oldsoul.judging.mining.chatter import (
    ANYBODY,
    ASKS_ONCE,
    CHEERS,
    EMOJI,
    GUSH,
    HEDGED,
    MADE_UP,
    MOMENT,
    MOOD,
    NARRATES,
    NOISE,
    ONCE,
    OPINION,
    PLAY,
    REACTS,
    STATE,
    TALE,
    WANTS,
    WAS,
    YOU,
)
from oldsoul.judging.mining.plain_forms import ABOUT_SOMEBODY, form, is_measure, is_seal
from oldsoul.judging.mining.standing import asks_manner, is_manner, is_standing
from oldsoul.language.alike import telling
from oldsoul.language.japanese import DANGLING, LEAD, is_japanese
from oldsoul.language.sentences import cleaned, sentences, shortened
from oldsoul.language.words import is_unspaced, words
from oldsoul.reading.dates import spans
from oldsoul.reading.referents import named_before, with_name
from oldsoul.reading.typed_values import typed_values
from oldsoul.rules.promotion import wanted
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oldsoul.reading.typed_values import Value

    _Rule = Callable[[str, list[Value]], tuple[str, str]]

DECISION, EVENT, KNOWLEDGE, SKILL = "decision", "event", "knowledge", "skill"
_NOTHING = ("", "")
_MOST_TEXT = 20_000
_LONGEST = 320
_FEWEST, _FEW, _MOST = 3, 5, 60
_WANTED = 1.3
"""From here on a statement is suggested: four of five that are, are worth keeping."""


@frozen
class Nugget:
    """A statement that is worth keeping, or might be."""

    text: str
    """the person's own words"""
    tag: str
    """its primary tag"""
    why: str
    """by which rule: asked, decided, instruction, oneself, reference, value, relation, howto, or the name of a plain form;
    empty when it is only ranked"""
    rank: float
    """how telling it looks"""
    leans: bool = False
    """whether it begins with what was said in the message before, which names whom it is about"""

    @property
    def is_plain(self) -> bool:
        """Whether it is kept, and not only suggested."""
        return bool(self.why)


_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "＇": "'"})
_LEAD = re.compile(
    r"(?i)^(?:[+•*-] +)?(?:(?:so|and|also|anyway|btw|by the way|oh|ok|okay|well|right|right so|one thing|hey|fyi|for main|for the record|note|heads[- ]up|"
    r"one more thing|one thing before i forget|before i forget|between (?:you and me|us)|while (?:i|we)(?:'re|'m)?\b[^:,.]{3,30}(?=[:,])|yes|yeah|nope|nah|no wait|but|because|cause|plus|still|ps|p\.s\.)\b[\s,:.!–-]*)*"
)
_QUESTION = re.compile(
    r"(?i)^(?:what|who|when|where|why|how|which|whose)\s+(?:did|do|does|is|are|was|were|can|could|would|will|should|has|have|the hell|on earth)\b|[?？]\s*[\"'”’)]*$|(?:吗|嗎|么|麼|呢|か|かな|っけ)[。.!！]?$"
)
_DANGLING = re.compile(
    r"(?i)^(?:(?:rang|saw|called|met|told|asked|texted|spoke to|talked to) (?:him|her|them)|it|its|it's|that|that's|this|these|those|there|they|they're|them|he|he's|she|she's|him|her|his|their|hers|theirs|(?:one|two|three|four|some|most|all|both|many|none) of (?:it|them|these|those)|so|which|who|one|some|same|both|such)\b"
    r"|^(?:这|這|那|它|他|她)(?:个|個|件|些|样|樣|们|們)?"
)
_ASKED = re.compile(
    r"(?i)^(?:note to self|important(?: one| bit| thing)?|for the record|fyi|for (?:the )?(?:record|later)|for main|for your (?:notes|records)|write (?:this|it|that) down|"
    r"(?:please\s+)?note|heads[- ]up|don't forget|remember|for the future|(?:lesson )?learned|lesson|(?:just )?so (?:you know|it'?s (?:written|noted|on record|somewhere)[\w ]{0,12})|keep in mind|(?:my )?rule(?: for me| of mine)?)\s*[:,–-]\s*(?P<words>.+)$"
    r"|^(?:for the record|for your (?:notes|records)|(?:can|could|would) you (?:please )?(?:keep|note|save|log|write down|jot down|remember)\b(?: this| that)?\s*[:,]|(?:please |pls )?(?:keep|save|log|jot down|write down)\s*:)\s*(?P<kept>.+)$"
    r"|^(?P<before>.{8,200}?)(?<!'ll)(?<! will)(?<! to)(?<! i)(?<! definitely)(?<! just)(?<! me),? (?:(?:so |and )?(?:please |pls )?(?:keep|remember|note|bear) (?:that|this|it)(?: in mind)?(?: (?:when|for when|for|if|whenever|next time|in future)\b.{0,60})?|just so you know(?: where to look)?|so plan for that\b.*|for the record)[.!]*$"
    r"|^(?P<zh_before>[^，。]{2,40}[，,].{0,60}?)[，,](?:帮我)?记(?:一下|着|住|下来)[^，。]{0,12}[。！]?$"
    r"|^(?:备忘|備忘|备注|備註|重要|注意|大事|備忘録|メモ|メモお願い)[：:]\s*(?P<zh>.+)$"
)
_ASKED_AFTER = re.compile(
    r"(?i)^(?:(?:and|so|but|ok|please|pls)[,\s]+)*(?:(?:write|note|jot|put|get) (?:that|this|it)(?: one)? down\b(?! (?:for|on|in) (?:him|her|them)\b)|(?:remember|don't forget|never forget|save|store|log|note) (?:that|this|it)(?: one)?(?! (?:is|was|i|you|we|he|she|they|it|the|my|our)\b)|"
    r"(?:keep|bear) (?:that|this|it) (?:one )?in mind|(?:that|this)(?: one)? is important|plan (?:with|for|around) (?:that|this|it)|(?:make|take) a note(?: of (?:that|this|it))?)\b.{0,40}$"
)
"""Asks for what was said just before."""
_DECIDED = re.compile(
    r"(?i)\b(?:(?:we|i)(?:'ve| have)?\s+(?:all\s+|both\s+|now\s+|finally\s+|just\s+)?(?:decided|agreed|settled on|signed up|committed to)\b|\bwe(?:'ve| have)? chosen?\b|the plan is|(?:decision|final):|it'?s (?:official|decided|settled|agreed)|"
    r"(?:we'll|we will|let's|i'll|i will) (?:go|stick) with|(?:we|we're|we are) (?:go|going|went) with (?:['\"“]|(?-i:[A-Z]))|(?:^|[.,;] )going with (?:['\"“]|(?-i:[A-Z]))|we said (?:it'?s )?(?=\S*\d)|(?:is|was|got) (?:decided|agreed|settled|confirmed|approved)|"
    r"(?:^|[.,;] )decided\b(?! to\b)|^agreed[,:] (?!th[aoei]\w+\b|it\b|he\b|she\b|such\b|but\b|i\b|you\b|too\b|and\b|what\b|\w+ly\b))"
    r"|(?:我们|我們|我)(?:已经|已經|都|就)?(?:决定|決定|说好|說好|商定|约定|約定|约好|定了)|^(?:决定|決定)(?:了|是)?[：:，,]"
)
_EMPTY = telling(
    "yes no yeah nope now then today already finally it that this them so too all both to on in not never again ok okay fine anyway together enough something nothing everything later"
)
"""Words of a decision that do not say what it is."""
_HOWTO = re.compile(
    r"(?i)\b(?:works? like this|here'?s how (?:to|you|it)\b|how to [\w' -]{2,40}:|the trick (?:is|here is|with [\w ]{2,20} is) (?:to|that|not)\b|the way to \w+[\w' ]{0,30} is\b|steps?(?: one| 1)?:)|\bnote to self and you:|^if [^:]{3,60}:\s*\w+.*,.*|^to \w+ [^:]{2,60}:\s*\w+.*,"
    r"|(?:方法|步骤|步驟|做法)(?:是|如下)?[：:]"
)
_INSTRUCTS = re.compile(
    r"(?i)\bfrom now on\b|\bgoing forward\b|\b(?:please|pls)\s+(?:don't|do not|never|always|stop|keep|use|write|answer|reply|call|avoid)\b"
    r"|^(?:never|always|don't ever|do not ever)\s+(?:merge|deploy|push|send|use|write|call|book|buy|touch|delete|share|post|answer|reply|put|add|include|ask|check|keep|leave|round|sign|assume|suggest|recommend|mention|schedule|commit|run|print|order|pay|speak|text|wake|remind|eat|drink|lend|sell|store|name|tell|show|start|end|open|close|plan|cook|serve|bring|take) (?!never)\w+|(?:^|[,;:.] )(?:please |pls |just |and |everyone )?call me (?!crazy\b|back\b|later\b|when\b|if\b|at\b|on\b|in\b|tomorrow\b|maybe\b|old\b|an?\b|the\b|stupid\b|anytime\b|any time\b|asap\b|now\b)\w+|\bcall me (?-i:[A-Z])|\b(?:answer|reply|write|speak)(?: to me)? (?:only )?in\b"
    r"|^i (?:always|never) (?!\w+[^e]ed\b)(?!feel|felt|love|hope|wonder|dream|end|find|think|try|enjoy|look|mean|cry|laugh|lose|see|seen|saw|thought|said|knew|know|will|want|understood|understand|get|got|had|did|liked|met|forget)\w+ (?!it\b|that\b|this\b|them\b|again\b|any\w*\b|every\w*\b|enough\b|nothing\b|something\b)\w+"
    r"|(?:^|[:;,] |\band )(?:please |pls )?(?:never|always|don't ever) (?:merge|deploy|push|send|use|write|call|book|buy|touch|delete|share|post|answer|reply|put|add|include|ask|check|keep|leave|round|sign|assume|suggest|recommend|mention|schedule|commit|run|print|order|pay|speak|text|wake|remind|eat|drink|lend|sell|store|name|tell|show|start|end|open|close|plan|cook|serve|bring|take) (?!it\b|that\b|again\b)\w+|\bdon't (?:suggest|recommend|use|send|write|book|call|touch|mention)\b.*\b(?:pls|please|again|anymore|ever)\b"
    r"|\bno more [\w ]{3,30} (?:tips|suggestions|advice|reminders|links|jokes)\b|(?<!'m )(?<!am )(?<!'re )(?<!are )(?<!is )\balways in \w+|\bevery time[.!]?$|\bnothing with \w+ ever\b"
    r"|\b(?:closed|open|off|free) (?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|以后(?!再)|以後(?!再)|今后|今後|从现在起|從現在起|(?:请|請)(?:不要|别|別|用|叫)|叫我(?!一[声聲下]|起|怎)|每次"
)
_BIDS = re.compile(
    r"(?i)^(?:please |pls )?(?:don'?t|do not) (?:cc|copy|send|book|schedule|invite|forward|share|assign|order|buy|suggest|recommend|plan|mention|call|mail|email|text|bill|quote|promise|merge|deploy|commit)\b.{2,60}\b(?:anything|anyone|ever|any|before|after|without|unless|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|over it)\b"
    r"|^(?:please |pls )?(?:use|send|write|put|ship|bill) .{3,60}, (?:not|never) (?:the|a|an|in|on|to|from|by|with)?\b ?[\w' -]{2,30}$"
)
"""Tells what is always or never to be done, in the imperative."""
_AWAY = re.compile(
    r"(?i)^(?:i'm|i am|we're|we are) (?:out|away|off|on (?:leave|vacation|holidays?)) (?:from|until|till|between|the)\b|^i(?:'ll| will)? (?:take|do|handle|own|cover) .{3,60}\b(?:by|until|before)\b"
)
"""Is of the moment by its form, and holds for the days it names."""
_DROPPED = re.compile(
    r"(?i)^(?:we|i)(?:'ve| have)? (?:drop(?:ped)? (?:support|(?-i:[A-Z]))|gave up on|given up on|stopped using|switched to|migrated to|sold the|sold our|cancelled the|canceled the|renamed the) ?(?!it\b|that\b|this\b|them\b)\w+|\b(?:that'?s|it'?s|is) (?:fixed|final)(?: now)?\b|^(?:i|we)\b.{0,40}\bfor good\b"
)
_REFERENCE = re.compile(
    r"(?i)^(?!i\b|we went\b|so\b|it\b)(?:the |our |my |all |new )*[a-z][\w -]{2,50}? (?:is|are|=|live|lives|comes? from|runs on|goes? to|go to|sits? (?:at|on)|(?:is|are) (?:now )?(?:at|on|under))(?: now)?(?: at| on| under| in| the| folder| host| box){0,3} "
    r"(?:[\w-]+ ){0,4}?(?P<code>[\w.+-]+@[\w-]+\.[a-z]{2,}|(?:[\w-]+\.){2,}[a-z]{2,}(?::\d+)?(?:/\S*)?|[\w-]+\.[a-z]{2,4}:\d+|\d+\.\d+\.\d+\.\d+(?::\d+)?|/[\w.-]+/[\w./-]+)(?=[\s,;.)]|$)"
)
_ASKS = re.compile(
    r"(?i)^(?:can|could|would|please|pls|look|check|open|run|see|try|fix|help|why|what|how|show|read|write|update|delete|move|copy|rename|add|create|make|find|go|click|visit)\b|\b(?:error|failed|failing|fails|exception|line \d+|cannot|can't|timed out|timeout|down|broken|loss|trace|problem|answer|please|pls|summari[sz]e|searched|unreachable|refused|tmp)\b"
)
_SETTLED = re.compile(r"(?i)^(?:it'?s|that'?s) (?:official|decided|settled|agreed|confirmed)\b")
_SEALS = re.compile(
    r"(?i)^(?:decided|agreed|deal|settled|it'?s decided|that'?s decided|done deal|就这么定了|就這麼定了|说定了|說定了)\W*$"
)
_VERB_FIRST = re.compile(
    r"(?i)^(?:expires?|starts|takes|costs|needs|runs|ends|opens|closes|leaves|arrives|holds|weighs|lives|works)\b(?! (?:in progress|for me|out|fine)\b)"
)
"""Has its subject in the sentence before."""
_CLAUSE = re.compile(r"[,;:–，；：]\s*|\s+(?:and|but|so)\s+(?=(?:i|i'm|my|our)\b)", re.IGNORECASE)
_FAMILY = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|child(?:ren)?|mother|mum|mom|father|dad|parents|brother|sister|"
    r"grand(?:mother|father|ma|pa)|aunt|uncle|cousin|niece|nephew|boss|neighbou?r|landlord|dentist|doctor|gp|vet|surgeon|therapist|lawyer|accountant|manager|colleague|room-?mate|flat-?mate|in-laws|teacher|trainer|coach|tenant|client|contractor|builder|plumber|electrician|cleaner|nanny|babysitter|physio|pediatrician|godson|goddaughter|godchild|"
    r"cat|dog|horse|rabbit|parrot|hamster|boat|car|bike|van|house|flat|apartment|office|server|laptop|phone|router|company|team|publisher|bank)"
)
_SELF = re.compile(
    r"(?i)^(?:"
    rf"(?:my|our) (?:[\w'-]+ ){{0,3}}?(?:name|birthday|address|number|pronouns?|favou?rite|allerg\w+|job|email|e-mail|pin|code|size|blood type|diet|{_FAMILY})\b.{{0,40}}?\b(?:is|are|lives?|works?|has|have|turns?|wants?|needs?|hates?|loves?|prefers?|can't|doesn't)\b(?! (?:so|such|very|really|too|our|all|being|getting|going|doing|having|asleep|awake|here|back|just|still|the best|asking|crying|mad|angry|tired|sick|ill|(?:a|an|the|such a) (?:absolute |total |real )?(?:legend|genius|hero|saint|idiot|nightmare|angel|monster|clown|star|mess|joke|riot|treasure|delight|menace|disaster|darling|worst|best))\b)"
    r"|(?:my|our) [\w' -]{2,40} (?:is|are) (?:called|named|at|in|on|from|allergic|born|due)\b"
    r"|i(?:'m| am) (?:severely |very |badly |also )?(?:allergic|vegetarian|vegan|diabetic|coeliac|celiac|lactose|left-handed|colou?r-?blind|pregnant|married|divorced|widowed|half|from|born|retired|asthmatic|intolerant)\b"
    r"|i(?:'m| am) (?:a|an) (?:[\w-]+ ){0,2}(?:nurse|doctor|teacher|translator|engineer|developer|programmer|lawyer|plumber|carpenter|baker|cook|chef|writer|editor|student|pilot|farmer|designer|architect|manager|"
    r"musician|artist|scientist|driver|electrician|journalist|\w+ist|\w+ian|\w+eer)\b"
    r"|i (?:live|work|grew up|was born|teach|study|studied|come from) (?:in|at|as|for|on|with|near)\b"
    r"|i(?:'ve| have) (?:been|had|lived|worked|known) (?!her\b|him\b|it\b|them\b|this\b|that\b|waiting|trying|thinking|wanting|sitting|looking|meaning|busy).{2,60}\b(?:since (?!this|i |we |then|last|yesterday|morning|breakfast|lunch)\w+|for (?:over |about |almost |nearly |the last |the past )*(?:\d+|a|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|many|several|some) (?:years?|months?|decades?))"
    r"|i (?:really |just |absolutely )?(?:prefer|can't stand|cannot stand|hate|dislike|detest|don't (?:eat|drink|like|work|check|read|answer|drive|own|speak|wear|celebrate)|never (?:eat|drink|work|use|wear|fly|drive|answer|read)|always (?:eat|drink|work|use|wear|take|sit|fly|answer|read)) (?!it\b|that\b|this\b|you\b|when\b|everyone\b|everything\b|myself\b|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|mornings?\b|alarms?\b|waiting\b|traffic\b|printers?\b|meetings?\b|being\b|not being\b|having\b|people\b|my\b|life\b|winter\b|rain\b|queues?\b|how\b|what\b|him\b|her\b|them\b|to\b|not\b|"
    r"the (?:first|second|third|last|other|latter|former|one|left|right|top|bottom|old|new)\b)\w+"
    r"|(?:i|we) (?:always|never) (?!\w+[^e]ed\b)(?!feel|felt|love|hope|wonder|dream|end|find|think|try|enjoy|look|mean|cry|laugh|lose|see|seen|saw|thought|said|knew|know|will|understood|understand|get|got|had|did|liked|met|forget|really|been|heard|felt|realised|realized|imagined|meant|expected|believed)[a-z]+ (?!it\b|that\b|this\b|them\b|again\b|you\b|him\b|her\b|to\b|how\b|what\b|any\w*\b|every\w*\b|enough\b|nothing\b)\w+"
    r"|i(?:'ve| have)?(?: just)? moved (?:back )?to (?-i:[A-Z])\w+"
    r"|(?:i get|i got) (?:really |very |so )?(?:sick|hives|migraines?|headaches?|nauseous|a rash) from\b|[\w -]{3,30} gives? me (?:nightmares|headaches?|migraines?|hives|heartburn|a rash|the creeps)\b"
    r"|(?:we|i) only (?:work|accept|take|use|eat|drink|pay|ship|sell|buy|wear|fly|travel) (?!it\b|that\b|this\b)\w+"
    r"|(?:(?:my|our) [\w' -]{2,30}?|mom|mum|dad|mama|papa|grandma|grandpa|granny|nana|(?-i:[A-Z])[\w-]+)(?:'s| is| are) (?:moving (?:in|out|to|back)|getting (?:married|divorced)|expecting|having a baby|retiring|pregnant|engaged|divorced)\b"
    r"|(?:my|our) (?:birthday|anniversary|address|name|number|due date|last day)'s (?:the |on |in |at |now )?\w+"
    r"|i(?:'m| am) [1-9]\d(?=$|[,.;]| years old| and (?:from|born|live))"
    r"|i can't (?:do|take|make|have|attend|join) [\w ]{2,30}? (?:before|after|on|until) \S"
    r"|i (?:report to|look after|lead|manage|chair|coach|own|handle|speak|owe|teach|volunteer (?:at|for)|commute) (?!no\w*\b|every\w*\b|it\b|that\b|this\b|you\b|up\b|to\b)\w+|i(?:'m| am) the (?:[\w-]+ ){0,2}(?:treasurer|chair|secretary|captain|godmother|godfather|owner|manager|lead|coach|president|organi[sz]er)\b"
    r"|i don't (?:drink|smoke|drive|swim|fly|cook)(?=$|[,.;])|i wear (?:a |an )?(?:size )?\d|i(?:'m| am) (?:on|off) (?:a |an )?(?:\w+ ){0,2}(?:diet|medication|meds|antibiotics|coffee|alcohol|gluten|dairy|sugar|statins|insulin|beta blockers|parental leave|sabbatical)\b"
    r"|(?:[\w-]+ ){1,4}and (?:me|i) (?:are not friends|don't get along)"
    r"|call me [A-Z]\w+"
    r")"
    r"|^我(?:叫(?!了)|姓|住在|来自|來自|出生|对[^，。]{1,10}过敏|對[^，。]{1,10}過敏|从不|從不|不吃(?!了)|不喝(?!了)|是[^，。]{1,8}(?:师|師|士|员|員|生|人)|在[^，。]{1,12}(?:工作|上班|当|當)|每(?:天|周|週|个|個)|最喜欢|最喜歡|讨厌|討厭|不能吃)"
    r"|^我的?(?:妈妈|媽媽|爸爸|母亲|母親|父亲|父親|先生|太太|老公|老婆|儿子|兒子|女儿|女兒|孩子|哥哥|弟弟|姐姐|妹妹|老板|医生|醫生|猫|狗|生日|地址|电话|電話|名字)[^，。]{0,20}(?:叫|是|住|在|有|岁|歲|号|號)"
    r"|^我(?:们|們)?的?(?:英文名|公司|学校|學校|手机号|手機號|邮箱|郵箱|团队|團隊|部门|部門|老家|车牌|車牌)[^，。]{0,12}(?:是|在|叫|有)"
)
_RELATION = re.compile(
    rf"^(?!Here\b|There\b|What\b|Today\b|Thanks\b)(?:(?:Dr|Mr|Mrs|Ms|Prof|Frau|Herr)\.?\s+)?[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?(?:'s| is| was| has been)\s+(?:still\s+|now\s+)?(?:my|our|the)\s+(?:[\w-]+\s+){{0,3}}?\w+"
    rf"|^(?:[A-Z][\w'-]+)(?: is| turns|, who is)\s+(?:\d{{1,2}}|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen)\b"
    rf"|\b(?:our|my) {_FAMILY} [A-Z][\w'-]+"
    r"|^(?:(?:my|our|the|My|Our|The) )?[\w-]+(?: [\w-]+)? is (?:called|named) [A-Z][\w'-]+"
    r"|^[A-Z][\w'-]+ (?:hates|loves|prefers|can't (?:eat|stand|have)|doesn't (?:eat|drink|like|work)|is allergic|only (?:accepts?|takes?|works?|eats?|drinks?|wants?)|handles (?!it\b|that\b|this\b|them\b)\w|does the)\b"
)
_SCHEDULE = re.compile(
    r"(?i)\bevery (?:spring|summer|autumn|fall|winter|season|term|easter|christmas|january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(?:open|hours(?: are|:)?|visiting(?: is| hours)?)(?: are| is)?(?: from)? \d{1,2}(?:[:.]\d\d)? ?(?:am|pm)? ?(?:to|-|–|till?) ?\d{1,2}|\bat \d{1,2}[:.]\d\d (?:and|or) (?:at )?\d{1,2}[:.]\d\d\b"
)
"""When something is done or open, again and again."""
_DAY = re.compile(
    r"(?i)\bmay \d{1,2}(?:st|nd|rd|th)?\b(?! (?:be|have|need))|\bthe \d{1,2}(?:st|nd|rd|th)(?= (?:and|or|to|at|in|for|with|from|by|then|instead|now|of)\b)(?! of (?:the|my|our|his|her|these|those)\b)|"
    r"\b(?:end|start|beginning|middle|late|early|mid)[- ](?:of |in )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
"""A day of a month that is no typed value, for its words mean other things too."""
_STATES = re.compile(
    r"(?i)\b(?:is|are|costs?|takes?|needs?|has|have|starts?|ends?|opens?|closes?|closed|leaves?|arrives?|runs?|due|lasts|turns?|renews?|expires|closes|booked|changes?|falls|becomes|weighs?|measures?|holds?|seats?|moved to|meets?|departs?|lands?|comes|goes|go (?:to|out|live|in|into|on|through|via)|gets|pays?|earns?|charges?|sleeps|fits|speaks?|eats|drinks|wants?|expires?|"
    r"operates?|till|until|every)\b|(?<!nothing)(?<!what)(?<!that)(?<!it)(?<!there)'s (?:only |never |always |now )?(?:in|on|at|off|out|away|closed|open|booked|due|with)\b|[是在要有需]"
)
_PRACTICE = re.compile(
    r"(?i)^(?:i|we) (?:only |always |usually |still |now )?(?:have(?! to\b)|take|do|go|work|train|practi[sc]e|play|teach|swim|run|see|meet|visit|call|cook|clean|shop|eat|fast|commute|volunteer|sing|rehearse|don't \w+) (?!it\b|that\b|this\b|you\b|nothing\b)\w+"
    r"|^(?:i|we)(?:'m|'re| am| are) (?!thinking|hoping|trying|considering|dreaming|counting|waiting|looking|dying|wondering|getting|being|having|doing|sitting|losing|just|so|not)\w+ing\b"
)
"""What one does again and again, or will do on a day that is named."""
_DUE = re.compile(r"(?i)^(?:the |our |my )?[\w' -]{3,30} (?:is|are|starts?|begins?|ends?|opens|closes|due) ")
_TODAYS_NEWS = re.compile(
    r"(?i)[,;] [\w' ]{3,40} (?:came|arrived|rang|wrote|called|told us|said so|confirmed|announced)[\w ]{0,12} today[.!]?$"
)
"""How one came to know it, which was today."""
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
_PIECE = re.compile(r"[,;，；]\s*")
_REGULAR = re.compile(
    r"(?i)\b(?:(?:opens|closes|shuts) at|(?:mon|tues|wednes|thurs|fri|satur|sun)day (?:mornings|afternoons|evenings|nights)|of (?:the|every|each) month|every|each|never|(?:mon|tue|wed|thu|fri|sat|sun)s|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekly|daily|always)\b|每|都是"
)
_FIRST = re.compile(r"(?i)\b(?:i|i'm|i've|my|we|we've|our|me|us)\b|我")
_NAME = re.compile(r"(?<=[^\W\d_.!?] )(?!I\b|I')[A-Z][\w'-]+")


def nuggets(text: str, said: date, before: str = "") -> list[Nugget]:
    """The statements of a message that are kept or might be, in order; `said` is its local day.

    `before` is what the same person said just before: it may name whom the message means by "he" or "she".
    """
    text = cleaned(text)[:_MOST_TEXT].translate(_STRAIGHT)
    if hands_over(text) or NOISE.search(text) or MADE_UP.search(text):
        return []
    parts = list(_whole(sentences(text)))
    leaning = _leaning(parts[0][0], said, before) if parts else None
    found = (_judged(sentence, said, asked=asked) for sentence, asked in (parts[1:] if leaning else parts))
    return [made for made in (leaning, *found) if made is not None]


def _leaning(sentence: str, said: date, before: str) -> Nugget | None:
    """What a sentence about him or her says, after the sentence that names the one who is meant."""
    lead = named_before(cleaned(before)[-_MOST_TEXT:].translate(_STRAIGHT), sentence)
    made = _judged(with_name(sentence), said, asked=False) if lead else None
    if made is None or not made.is_plain or len(lead) + len(sentence) > _LONGEST:
        return None
    return replace(made, text=dated(f"{lead.rstrip(' .')}. {sentence}".rstrip(" ,;"), said), leans=True)


def _whole(parts: list[str]) -> Iterator[tuple[str, bool]]:
    """Sentences, and whether the next asks to keep them; one that begins with a word for what was said before is put with it."""
    held = ""
    for part in parts:
        if held and _ASKED_AFTER.match(part.rstrip(" .!")):
            yield held, True
            held = ""
            continue
        if (
            held
            and (_DANGLING.match(part) or _SEALS.match(part) or _VERB_FIRST.match(part) or is_seal(part))
            and len(held) + len(part) < _LONGEST
            and not _QUESTION.search(part)
        ):
            held = f"{held} {part}"
            continue
        if held:
            yield held, False
        held = part
    if held:
        yield held, False


def _judged(sentence: str, said: date, *, asked: bool) -> Nugget | None:
    asked_for = _asked_for(sentence) or (_LEAD.sub("", sentence).strip() if asked and _is_calm(sentence) else "")
    bare = asked_for or LEAD.sub("", _LEAD.sub("", sentence)).strip()
    count = len(words(bare))
    if (
        not _FEWEST <= count <= _MOST * (2 if is_unspaced(bare) else 1)
        or len(bare) > _LONGEST
        or (_QUESTION.search(sentence) and not asks_manner(bare))
    ):
        return None
    if (
        PLAY.search(sentence)
        or ((_DANGLING.match(bare) or DANGLING.match(bare)) and not _SETTLED.match(bare))
        or (asked_for and (CHEERS.match(bare) or "?" in bare))
    ):
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
        return next(filter(None, match.group("words", "kept", "before", "zh_before", "zh")), "").strip()
    return wanted(sentence)


def _plain(bare: str, values: list[Value]) -> tuple[str, str]:
    """By which rule a statement is plain, and its tag; nothing for one that is not."""
    if asks_manner(bare) or (is_manner(bare) and not EMOJI.search(bare) and not ASKS_ONCE.match(bare)):
        return "instruction", KNOWLEDGE
    if HEDGED.search(bare) or EMOJI.search(bare):
        return _NOTHING
    if is_japanese(bare):
        return mining_japanese.plain(bare, values)
    rules = (*_OF_ANY, *_OF_CALM) if _is_calm(bare) else _OF_ANY
    return next((found for rule in rules if (found := rule(bare, values)) != _NOTHING), _NOTHING)


def _howto(bare: str, _values: list[Value]) -> tuple[str, str]:
    return ("howto", SKILL) if _HOWTO.search(bare) else _NOTHING


def _instruction(bare: str, _values: list[Value]) -> tuple[str, str]:
    told = (_INSTRUCTS.search(bare) and is_standing(bare)) or _BIDS.match(bare)
    return ("instruction", KNOWLEDGE) if told and not ONCE.search(bare) else _NOTHING


def _oneself(bare: str, _values: list[Value]) -> tuple[str, str]:
    clauses = () if GUSH.search(bare) else _CLAUSE.split(bare)
    said = (c for c in clauses if _SELF.search(c) and _is_calm(c) and not STATE.search(c) and "%" not in c)
    return ("oneself", KNOWLEDGE) if any(said) else _NOTHING


def _away(bare: str, values: list[Value]) -> tuple[str, str]:
    return ("decided", EVENT) if _AWAY.match(bare) and _has_date(bare, values) else _NOTHING


def _of_clause(bare: str, _values: list[Value]) -> tuple[str, str]:
    """What one clause says of a person or a thing by its form, whatever the others go on about."""
    if NARRATES.match(bare) or GUSH.search(bare):
        return _NOTHING
    for whole in _CLAUSE.split(bare):
        clause = ANYBODY.sub(r"\g<when> they ", whole)
        if clause and _is_calm(clause) and not STATE.search(clause) and not _DANGLING.match(clause):
            found = form(clause, (), ABOUT_SOMEBODY)
            if found != _NOTHING:
                return found
    return _NOTHING


def _reference(bare: str, _values: list[Value]) -> tuple[str, str]:
    return ("reference", KNOWLEDGE) if _REFERENCE.search(bare) and not _ASKS.search(bare) else _NOTHING


def _decided(bare: str, _values: list[Value]) -> tuple[str, str]:
    settled = (_DECIDED.search(bare) and _says_what(bare)) or _DROPPED.search(bare)
    return ("decided", DECISION) if settled and not GUSH.search(bare) else _NOTHING


def _relation(bare: str, _values: list[Value]) -> tuple[str, str]:
    is_one = _RELATION.search(bare) and not GUSH.search(bare) and not OPINION.search(bare)
    return ("relation", KNOWLEDGE) if is_one else _NOTHING


def _valued(bare: str, values: list[Value]) -> tuple[str, str]:
    dates = _has_date(bare, values)
    return ("value", EVENT if dates else KNOWLEDGE) if _has_value(bare, values, dates=dates) else _NOTHING


def _formed(bare: str, values: list[Value]) -> tuple[str, str]:
    if NARRATES.match(bare) or OPINION.search(bare) or STATE.search(bare) or GUSH.search(bare):
        return _NOTHING
    why, tag = form(bare, values)
    return (why, tag or (EVENT if _has_date(bare, values) else KNOWLEDGE)) if why else _NOTHING


_OF_ANY: tuple[_Rule, ...] = (_howto, _instruction, _oneself, _away, _of_clause)
"""Rules that look at the clause that matters; the rest may be about the moment, or speak to somebody."""
_OF_CALM: tuple[_Rule, ...] = (_reference, _decided, _relation, _valued, _formed)
"""Rules for a statement that is neither."""


def _has_date(bare: str, values: list[Value]) -> bool:
    return any(value.kind in _OPEN_DATE for value in values) or _DAY.search(bare) is not None


def _has_value(bare: str, values: list[Value], *, dates: bool) -> bool:
    """Whether a statement gives something a day, or a value that things have for long."""
    if OPINION.search(bare) or GUSH.search(bare) or "today" in words(_TODAYS_NEWS.sub("", bare)):
        return False
    if not dates and not any(_lasts(value, bare) for value in values) and not _SCHEDULE.search(bare):
        return False
    if _PRACTICE.match(bare) and (dates or _REGULAR.search(bare) or any(v.kind == "often" for v in values)):
        return True
    if not NARRATES.match(bare):
        return bool(_STATES.search(bare) and _SUBJECT.match(bare))
    later = [clause for clause in _CLAUSE.split(bare)[1:] if clause and any(v.said in clause for v in values)]
    return dates and any(_DUE.match(clause) for clause in later)


def _says_what(bare: str) -> bool:
    """Whether a decision says what was decided, beyond yes and no."""
    return len(telling(_DECIDED.sub(" ", bare)) - _EMPTY) > 1


def _lasts(value: Value, text: str) -> bool:
    """Whether a value is one that things have for long: a measure, a price, a version, a day of every week."""
    if value.kind == "number":
        return is_measure(value, text) and _is_predicate(value, text)
    if value.kind in ("weekday", "time"):
        return bool(_REGULAR.search(text))
    return value.kind in ("version", "often")


def _is_predicate(value: Value, text: str) -> bool:
    """Whether a number is what its own clause says of something, and not one more remark."""
    before, after = _PIECE.split(text[: value.start])[-1], _PIECE.split(text[value.end :])[0]
    return (
        value.start == 0
        or any(_STATES.search(piece) for piece in (before, after))
        or before.rstrip()[-1:] in (":", "=")
    )


def _is_calm(text: str) -> bool:
    """Whether a statement is neither about the one who is spoken to nor about the moment."""
    return not (YOU.search(text) or MOMENT.search(text) or MOOD.match(text))


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
    length = len(words(bare))
    rank += min(length, 20) / 20 - 0.3 * (length < _FEW and not is_unspaced(bare))
    return (
        rank
        - 1.0 * bool(YOU.search(bare))
        - 1.0 * bool(HEDGED.search(bare))
        - 0.8 * bool(MOMENT.search(bare))
        - 0.5 * bool(EMOJI.search(bare))
        - 0.6 * bool(NARRATES.match(bare) or TALE.search(bare))
        - 0.6 * bool(GUSH.search(bare) or OPINION.search(bare) or STATE.search(bare))
        - 1.0 * bool(WANTS.search(bare))
        - 0.8 * bool(REACTS.match(bare))
        - 0.4 * bool(WAS.search(bare))
    )


def dated(text: str, said: date) -> str:
    """The text with the day beside every relative date that means one day."""

    def resolved(match: re.Match[str]) -> str:
        ahead = _AHEAD.match(match[0])
        if ahead is not None:
            count = _COUNTS.get(ahead[1].casefold()) or int(ahead[1])
            return f"{match[0]} ({(said + timedelta(days=count)).isoformat()})"
        found = spans(match[0], said, told=True)
        if len(found) != 1 or found[0].first != found[0].last:
            return match[0]
        return f"{match[0]} ({date.fromordinal(found[0].first).isoformat()})"

    return _RELATIVE.sub(resolved, text)
