"""Forms of a sentence that say by themselves that it holds for long.

A label and its value, who has which part, what must be so, what was settled, what became of a date or a price, what somebody
cannot eat, where a thing is kept. A form is known by how the sentence is built and by the typed values in it, less by the
words it has. Each is a row of the table at the end: a name, a tag, and a plain function of the sentence and its values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.language.alike import telling
from oldsoul.language.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oldsoul.reading.typed_values import Value

    _Test = Callable[[str, Sequence[Value]], bool]

DECIDED, RULE, LABEL, ROLE, NEED, CHANGED, PLACE, EVENT = (
    "decided",
    "rule",
    "label",
    "relation",
    "need",
    "changed",
    "place",
    "event",
)

_NOBODY = (
    r"(?i:(?!(?:i|im|for|with|you|u|he|she|it|its|they|we|this|that|these|those|there|who|what|which|everyone|everybody|every\s?one|"
    r"nobody|no one|someone|somebody|anyone|people|life|god|karma|nothing|something|everything|all|one|some|here|how|why|when|"
    r"where|if|because|and|but|so|or|not|just|only|still|even|maybe|well|ok|okay|yes|no|oh|my god|sorry|happy|last|first|plus|his|her|their|your)\b))"
)
"""What begins so has no thing or person for its subject that could be told from others."""
_THING = rf"{_NOBODY}(?:(?:mrs?|ms|dr|prof)\.? )?(?:(?:the|our|my|all|any|every|each|both|no) )?[^\W\d_][\w'&/+-]*(?: (?!(?:is|are|was|were|i|we|you|u|he|she|they|it|that|which|who)\b)[\w'&/+-]+){{0,4}}?"


# what is settled

_SEALED = re.compile(
    r"(?i)(?:^|[,.;–-] ?|\band )(?:(?:and )?(?:that'?s|this is|it'?s) )?(?:final(?! (?:exam|round|day|week|score))|non[- ]?negotiable|not negotiable|no discussions?|no exceptions|"
    r"end of (?:story|discussion|debate)|full stop|period|no arguments?|nobody argue|no ifs|set in stone|done deal|locked in|就这么定了|就這麼定了)\b(?:[,.] .{0,80})?\W*$"
)
_BOAST = re.compile(r"(?i)\b(?:best|worst|greatest|coolest|funniest|cutest|ever|exams?|of (?:my|all) (?:life|time))\b")
_WE_KEEP = re.compile(
    r"(?i)^we(?:'re| are)? (?:all )?(?:stay|staying|stick|sticking|remain|keep|keeping) (?:on|with|to) (?!it\b|that\b|this\b|him\b|her\b|them\b|the (?:sofa|couch)\b)\w+"
    r"|^we (?:do|use|take|make|serve|order|build|write|ship|buy|run|plant|cook|paint|book|hire|print|play) (?!it\b|that\b|this\b|not\b)[\w' -]{2,50} instead\b"
)
_AS_OF = re.compile(
    r"(?i)^(?:from|as of|starting|with effect from) (?:next (?:week|month|year|\w+day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: (?:of )?[a-z]+)?|january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: on| onwards?)?,? (?!(?:i|you|he|she|it|of|then|there|that|this|to|till|until|and|or)\b)\w+ \w+"
)
_WE_TOOK = re.compile(
    r"(?i)\b(?:we|i)(?:'re| are|'m)? (?:going|went|go) with (?!(?:my|his|her|our|your|them|him|me|us|you|it|that|this|the (?:kids|flow|others|family|girls|boys|guys|dog|bus|train|car|team|wind|whole))\b)(?:the |a |an |our )?[\w'&-]+(?: [\w'&-]+){0,4}(?=$|[,.;!])"
    r"|^(?:we|they)(?:'ve| have)? (?:finally |just )?(?:hired|booked|approved|rejected|cancelled|canceled|postponed|closed on|rented|adopted|enrolled|registered|signed(?: with)?) (?:the|a|an|our|(?-i:[A-Z]))(?! (?:table|card|taxi|cab|uber)\b)"
    r"|^(?:we|i)(?:'ve| have)? settled (?:the|our|on)\b"
)
_WE_TURN = re.compile(
    r"(?i)\bwe(?:'re| are|'ll| will)? (?:all )?(?:move|moving|switch|switching|migrate|migrating|change|changing) (?:over |back )?(?:from [\w' -]{2,30} )?to (?!it\b|that\b|bed\b)\w+"
)


def _settled(text: str, values: Sequence[Value]) -> bool:
    if _SEALED.search(text):
        rest = _SEALED.sub(" ", text)
        return len(telling(rest)) > 1 and not _BOAST.search(text)
    if _WE_KEEP.match(text) or _AS_OF.match(text) or _WE_TOOK.search(text):
        return True
    return bool(_WE_TURN.search(text) and any(value.kind == "date" for value in values))


# what must be so

_ALLOWED = re.compile(
    r"(?i)^(?!(?:i|you|he|she|it|they|that|this|there|what)\b)[\w'&/+-]+(?: [\w'&/+-]+){0,5}? (?:is|are)(?: not|n't| never| only| always| now| strictly)* (?:allowed|permitted|forbidden|required|mandatory|compulsory|banned|prohibited|off[- ]limits|non[- ]?refundable|not refundable)\b"
)
_OVER = re.compile(
    rf"(?i)^{_THING} (?:is|are|uses?|wants?|needs?|takes?|goes|go|comes|runs?|prefers?|eats?|drinks?|speaks?|accepts?) [^,;]{{2,50}}, (?:not|never) (?!(?:that|even|really|sure|just|only|bad|so|too|again|yet|much|good|great|quite|my (?:problem|fault)|because|to)\b)[\w' -]{{2,30}}[.!]?$"
)
_WE_DO = re.compile(
    r"(?i)^we (?:don't |do not |never |only |always |still |now )*(?:use|pin|run|deploy|ship|host|store|pay|bill|invoice|support|require|charge|accept|rent|lease|bank|train|test|build|sell|stock|print|serve|ferment|source|grow|teach|publish|release|tag|lint|archive|back up) "
    r"(?!it\b|that\b|this\b|them\b|these\b|those\b|out\b|late\b|away\b|around\b|too\b|so\b|hard\b|like\b|up\b|into\b|off\b|over\b|each\b|again\b|everything\b|anything\b|nothing\b|for\b|attention\b|you\b|way\b)\w+"
    r"|^we(?:'re| are) with (?-i:[A-Z])\w+"
)
_MUST = re.compile(
    rf"(?i)^{_THING} (?:must|has to|have to|needs? to|should|may|can|will)(?: always| never| only|n't ever| not ever)+ \w+"
    rf"|^{_THING} must (?!be\b|have\b|know\b|think\b|feel\b|love\b|hate\b|like\b|mean\b|want\b|admit\b|say\b)\w+|^{_THING} must be \w+ (?:before|until|when|by|at all times|every|if|after)\b"
    rf"|^{_THING} only (?:takes?|accepts?|works?|opens?|runs?|eats?|drinks?|reads?|ships?|delivers?|sells?|serves?) (?!ever\b|for a\b)\w+"
    rf"|^{_THING} (?:must not|mustn't|must never|may not|may only|can only|is never to|are never to|is only to|are only to) \w+"
    rf"|^(?:the|our|my|all) (?!goal|aim|plan|dream|hope|idea|point|job|trick|key|secret|thing){_THING} (?:is|are) to be (?!honest|fair|continued|expected|seen|determined|clear|with|there|here|together|happy)\w+"
    rf"|^{_THING} (?:gets?|is always|are always|are) (?:ordered|sent|paid|billed|invoiced|delivered|collected|kept|stored|signed|fed|watered|booked|charged|filed) (?:off )?(?:from|to|by|via|through|with|in|at|on) (?!it\b|that\b|me to\b)\w+"
)
_CHOICE = re.compile(
    rf"^{_THING} (?:is|are|gets?|goes|go|comes?|lives?|runs?) \w.*\bNOT (?:the|a|an|in|on|at|from|to|by|with|[A-Z]?[a-z]+)\b"
)
_GUESS = re.compile(
    r"(?i)\bmust (?:be|have)\b(?! (?:shut|closed|locked|signed|kept|on|off|in|at|by|paid|sent)\b| \w+ (?:before|until|when|by|at all times|every|if|after)\b)"
)


def _must(text: str, _values: Sequence[Value]) -> bool:
    if _MUST.match(text) and not _GUESS.search(text):
        return True
    return any(pattern.match(text) for pattern in (_CHOICE, _ALLOWED, _OVER, _WE_DO))


# a label and its value

_LABELLED = re.compile(r"^(?P<label>[^\W\d_][^:.!?,;=]{1,38}?)(?::| =) (?P<value>\S.{3,})$")
_TALK = re.compile(
    r"(?i)\b(?:me|him|her|them|us|you|i|we|he|she|they|it|everyone|question|answers?|edit|update|news|verdict|reviews?|rating|scores?|results?|status|mood|weather|today|tonight|"
    r"tomorrow|yesterday|now|morning|afternoon|evening|night|lunch|dinner|breakfast|supper|snack|jokes?|facts?|fun|spoiler|plot|subject|re|fwd|fw|link|url|source|examples?|proof|reasons?|"
    r"conclusion|moral|thoughts?|ideas?|opinion|take|reminder|todo|to-do|tasks?|lists?|shopping|groceries|options?|choice|guess|bet|vote|poll|quote|song|lyrics|caption|headline|"
    r"summary|tldr|progress|eta|battery|uptime|temperature|steps|count|total|tally|time|attached|file|screenshot|log|output|error|input|prompt|code review|says?|said|asked?|thinks?|"
    r"went|goes|like|is|are|was|were|be|not|did|does|do|got|have|has|wait|look|hey|ok|okay|so|well|yes|no|lol|haha|ps|btw|also|meanwhile|breaking|warning|fun|outfit|quiz\w*|what|why|who|when|where|how|which|if|because|love|hate|feeling|vibe|"
    r"story|dream|dreamt|film|movie|book|game|series|episode|day|week|achievement|diet|menu|recipe|translate|roast|write|make|give|tell|show|explain|rate|compare|draft|fix)\b"
)
"""A label of talk or of the moment."""
_FALSE_START = re.compile(
    r"(?i)^(?:no|yes|nope|yeah|well|ok|haha|lol|oh|hm+|ah|wow|i|i'm|we|you|he|she|they|it|it's|that|this|there|what|who|why|how|where|when|please|pls|can|could|is|are|do|does|did)\b"
)
_PAST = re.compile(
    r"(?i)\b(?:was|were|did|had|went|got|came|saw|said|told|ate|lost|forgot|fell|broke|died|cried|laughed)\b"
)
_MARK = re.compile(r"\b[A-Z]{2,}[ -]?\d+\b|\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{3,}\b|\binstead of\b|#[0-9A-Fa-f]{6}\b")
"""A code, or that one thing was chosen over another."""
_NAMED = re.compile(
    r"(?:^|(?<=[^.!?…:] ))(?!I\b|I'|(?:OK|Ok|No|Yes|Oh|The|A|An|My|We|It|He|She|They|You|This|That)\b)[A-Z][a-z][\w'-]*"
)
_FLEETING = frozenset(
    {
        "degree",
        "minute",
        "min",
        "hour",
        "second",
        "night",
        "time",
        "page",
        "step",
        "people",
        "person",
        "coffee",
        "beer",
        "point",
    }
)


def _labelled(text: str, values: Sequence[Value]) -> bool:
    match = _LABELLED.match(text)
    if match is None or len(match["label"].split()) > 4 or _TALK.search(match["label"]):  # noqa: PLR2004 - a noun and its adjectives
        return False
    value = match["value"]
    if _FALSE_START.match(value) or _PAST.search(value) or len(words(value)) < 2:  # noqa: PLR2004 - a value and what it is of
        return False
    at = match.start("value")
    return bool(
        _MARK.search(value) or _NAMED.search(value) or any(v.start >= at and is_measure(v, text) for v in values)
    )


# who has which part

_TITLE = r"(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ff]rau|[Hh]err|[Ss]ir|[Uu]ncle|[Aa]unt|[Aa]untie)\b\.?"
_PART_IS = re.compile(
    rf"^{_THING.replace('(?:the|our|my|all|any|every|each|both|no)', '(?:[Tt]he|[Oo]ur|[Mm]y)')}(?: is| are|'s| =| will be)(?: now| going to be| gonna be| still)?(?: called| named| with| by| at)? (?:the )?"
    rf"(?:(?:a |the )?{_TITLE} \w+|(?!(?:\w+(?:ish|ese|ian|ean)|French|German|Dutch|Greek|Swiss|Czech|OK|Mon\w*|Tues?\w*|Wed\w*|Thu\w*|Fri\w*|Sat\w*|Sun\w*|Jan\w*|Feb\w*|Mar\w*|Apr\w*|May|Jun\w*|Jul\w*|Aug\w*|Sep\w*|Oct\w*|Nov\w*|Dec\w*|Christmas|Easter)\b)[A-Z]\w*[a-z]\w*)(?! (?:and|or|is|was)\b.*\?)"
)
_NO_PART = re.compile(
    r"(?i)^(?:the |our |my )?(?:\w+ )?(?:winner|loser|answer|moral|problem|point|best|worst|mood|weather|song|film|movie|book|capital|question|word|joke|thing|secret|trick|favou?rite|vibe|score|news|truth|fact|reason|spirit|energy|king|queen|hero|enemy|dream)\b"
)
_PARTS = (
    r"(?:(?!answer|winner|killer|matter|number|disaster|monster|weather|error|horror|other|better|loser|dinner|summer|winter|offer|order|letter|corner|water|paper|never|ever|father|mother|brother|sister|daughter|tiger|spider|lover|hater|mirror|terror|favor|flavor|color|constant|giant|elephant|restaurant|plant|important|instant|list|twist|exist)"
    r"[a-z]+(?:er|or|ist|ant|ician|eer|man|woman|lord|lady|holder|keeper)|client|contact|lead|boss|head|chair|secretary|architect|nurse|doctor|solicitor|vet|tenant|landlord|guide|witness|sponsor|owner|agent|rep)"
)
_CALLED = re.compile(
    rf"(?i)^{_THING} (?:is|are) (?:now )?(?:called|named) (?!it\b|that\b|off\b|for\b|a\b|the\b|to\b|in\b|back\b|out\b|up\b|by\b|after\b)[\w'-]+"
)
_IDENTITY = re.compile(
    rf"(?i)^{_NOBODY}(?:(?:the|our|my) )?(?:[\w'&/+-]+ ){{0,4}}?(?:name|nickname|codename|username|handle|password|passphrase|passcode|code ?word|safe word|domain|channel|branch|hashtag|surname|breed|plate|font|address|subject line|motto) (?:is|=)(?: now)? (?!mud\b|on\b|in\b|at\b|the\b|a\b|an\b|wrong\b|not\b|too\b|so\b|broken\b|down\b|gone\b|up\b|being\b|written\b|hard\b)[\w#@.'-]+"
)
_DOES = re.compile(
    rf"(?i)^{_NOBODY}(?!(?:the|my|our|a|an)\b)(?:{_TITLE} )?[^\W\d_][\w'-]+(?: (?-i:[A-Z])[\w'-]+)? (?:now |also |only )?(?:owns|leads|manages|handles|covers|approves|signs off(?: on)?|reports to|looks after|takes care of|is in charge of|is responsible for|maintains|chairs|coaches|teaches) (?!it\b|that\b|this\b|them\b|me\b|you\b|us\b|him\b|her\b|himself\b|herself\b)\w+"
    r"|^(?!I\b|It\b|He\b|She\b|They\b|Nobody\b|Everyone\b)[A-Z][\w'-]+ (?:plays (?!dumb|dead|along|games|with|on)|speaks (?!up|for|too|so)|sings (?:alto|bass|tenor|soprano|in)|studies (?!the)|works (?:at|for|as|from)|lives in|sits in the)\b ?\w*"
    r"|(?i:^(?:\w+ )?[\w'-]+ does [\w' -]{3,30}?,? (?:and )?i do\b|^i do [\w' -]{3,30}?,? (?:and )?[\w'-]+ does\b)"
    rf"|(?i:^{_NOBODY}(?!(?:the|my|our|a|an)\b)[^\W\d_][\w'-]+ does (?:the |our |all |drop|pick|most )[\w'-]+)"
    rf"|(?i:^{_NOBODY}(?!(?:the|my|our|a|an)\b)[^\W\d_][\w'-]+ (?:turns|turned) \d{{1,2}}\b)"
    rf"|(?i:^{_NOBODY}(?!(?:the|my|our|a|an)\b)[^\W\d_][\w'-]+ is \d{{1,2}},? (?:and )?[^\W\d_][\w'-]+ is \d{{1,2}}\b)"
)
_INTRODUCED = re.compile(rf"^[A-Z][\w'-]+ [A-Z][\w'-]+, (?:the |our |my )?(?:[\w-]+ ){{0,2}}{_PARTS}(?=$|[,.;)])")
_HAS_PART = re.compile(
    rf"(?i)^{_NOBODY}(?!(?:the|my|our|a|an|your|his|her|their)\b)[^\W\d_][\w'-]+(?: [^\W\d_][\w'-]+)?(?: is|'s| will be)(?: now| still)? (?:the|our|my) (?:(?!best|worst|biggest|greatest|real|only)[\w-]+ ){{0,2}}{_PARTS}(?=$|[\s,.;)])(?! (?:of|in) (?:my|this|that) )"
    rf"|(?i:^{_NOBODY}(?!(?:the|my|our|a|an|your|his|her|their)\b)[^\W\d_][\w'-]+(?: is|'s) (?:now )?(?:keyholder|treasurer|chair|secretary|best man|godmother|godfather)\b)"
)


def _part(text: str, _values: Sequence[Value]) -> bool:
    if _NO_PART.match(text):
        return False
    return any(pattern.match(text) for pattern in (_PART_IS, _HAS_PART, _CALLED, _INTRODUCED, _IDENTITY, _DOES))


# what somebody cannot have

_NEEDS = re.compile(
    rf"(?i)^{_NOBODY}(?:(?:my|our|the) )?[^\W\d_][\w'-]*(?: [\w'-]+){{0,3}}?(?: is| are|'s| has gone| have gone| has become| went)(?: now| also| still| \w+ly| a)? "
    r"(?:allergic to|intolerant|(?:lactose|gluten)[- ]intolerant|vegan|vegetarian|pescatarian|coeliac|celiac|diabetic|asthmatic|epileptic|dyslexic|colou?r-?blind|deaf|wheelchair user|on an? [\w -]{2,20}diet)\b"
    rf"|(?i:^{_NOBODY}(?:(?:my|our|the) )?[^\W\d_][\w'-]*(?: [\w'-]+){{0,2}}? (?:can't|cannot|mustn't|must not|doesn't|don't) (?:eat|drink|have|take|touch|tolerate) (?!it\b|that\b|this\b|them\b|him\b|her\b|me\b|you\b|much\b|time\b|a\b|an\b|any\b|anything\b|the\b|to\b|enough\b|no\b|place\b|long\b|care\b)\w+)"
    rf"|(?i:^{_NOBODY}(?:(?:my|our|the) )?[^\W\d_][\w'-]*(?: from [\w' -]{{2,30}})? prefers (?!it\b|that\b|this\b|not\b)\w+)"
    r"|(?i:^i (?:get|have) (?:bad |really bad |terrible |chronic )?(?:migraines|hives|seizures|panic attacks|hay ?fever|asthma|diabetes|epilepsy|adhd|dyslexia|tinnitus|vertigo|high blood pressure|low blood pressure)\b)"
    r"|(?i:^i (?:run|own|manage|co-own|chair|coach) (?:a|an|the|my|our) (?!risk|bath|mile|marathon|fever|temperature|errand|few|lot|bit|little)[\w-]+)"
)


def _need(text: str, _values: Sequence[Value]) -> bool:
    return bool(_NEEDS.match(text))


# what became of it

_TURNED = re.compile(
    r"(?i)\b(?:moved|moves|pushed|bumped|changed|changes|switched|switches|shifted|shifts|cut|raised|lowered|went up|goes up|went from|goes from|goes|put up|brought forward|postponed|rescheduled|delayed|extended|renewed|set|back|up|down)\b"
    r"[^.;]{0,40}?\b(?:to|until|till|til|from|for|at|is now|are now|it'?s|so)\b"
)


_TO_TIME = re.compile(
    rf"(?i)^{_THING}(?:'s| is| has been| was| got)? (?:moved|changed|switched|pushed)(?: back| forward| up)? to (?:\d|noon|midday)"
)


_ITS_NOW = re.compile(
    rf"(?i)^{_THING} (?:has |have )?(?:changed|moved|switched)[,;:.–-]+ ?(?:it'?s|we're|they're|now)(?: now)?(?: at| on| in| with| called)?(?: the)? (?:(?-i:[A-Z])|\d)[\w' -]*"
)
_OFF = re.compile(
    rf"(?i)^(?!.{{0,40}}\b(?:meeting|call|standup|train|bus|flight|class|lunch|dinner|drinks|delivery)\b){_THING}(?:'s| is| are| has been| have been) (?:cancelled|canceled|called off|postponed|discontinued)\b"
)
_BEGINS = re.compile(rf"(?i){_NOBODY}\w|we\b|i(?:'ve)? (?:moved|switched|changed|pushed|rescheduled) (?:the|my|our)\b")


def _changed(text: str, values: Sequence[Value]) -> bool:
    if _ITS_NOW.match(text) or _OFF.match(text):
        return True
    match = _TURNED.search(text)
    if match is None or match.start() == 0 or not _BEGINS.match(text):
        return False
    timed = _TO_TIME.match(text) is not None
    return any(v.start >= match.start() and (is_measure(v, text) or _is_regular(v) or timed) for v in values)


def _is_regular(value: Value) -> bool:
    return value.kind == "weekday" and value.said.endswith("s")


# where a thing is kept

_KEPT = re.compile(
    rf"(?i)^{_THING} (?:hangs?|lives?|is kept|are kept|is stored|are stored|is hidden|sits) (?:up |down )?(?:in|on|under|behind|at|by|next to|inside|above|below|beside|with) (?:the |my |our |a |(?-i:[A-Z]))\w+"
    r"|^(?:the |our |my |a )?(?:[\w'-]+ ){0,3}?(?:spare|keys?|fuse ?box|stopcock|meter|first[- ]aid kit|epipen|inhaler|medicine|ladder|passports?|papers|deeds|contract|charger|manual|documents?|receipts|torch|valve|alarm|extinguisher|toolbox|tools|\w+(?:pril|statin|tan|ine|ol|cillin|pan|done))(?: (?:is|are|'s))? (?:kept )?(?:in|under|behind|on|at|by|next to|inside) (?:the|my|our) (?!hands?\b|pockets?\b|way\b|post\b|mail\b|car\b)\w+"
)
_SOMEWHERE = re.compile(r"(?i)\b(?:somewhere|was|were|again|wrong|still|already|not)\b")


def _place(text: str, _values: Sequence[Value]) -> bool:
    return bool(_KEPT.match(text)) and not _SOMEWHERE.search(text)


# a day and what it is for

_WHAT_FOR = re.compile(
    rf"(?i)^{_NOBODY}(?!(?:from|on|until|til|till|by|at|in|since|then|happy|merry|can't|cannot|roll on|bring on|back|almost|already|yesterday|page|chapter)\b)(?:(?:the|our|my|next) )?[^\W\d_][\w'&/+-]*(?: [\w'&/+-]+){{0,6}}?,? (?:(?:on|from|until|til|till|by|between) )?(?:the )?(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)? )?(?:the )?$"
)
_OWN_TALE = re.compile(
    r"(?i)\b(?:i|i'm|i'll|i've|me|was|were|been|had|did|went|got|said|told|think|thought|believe|feels?|want|asked|remember|wish|until then|gave|took|broke|came|left|lost|made|fell|died|sent|paid|met|ran|saw|won|sold|bought|\w{3,}ed)\b"
)
_OF_WEEK = re.compile(r"(?i)\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)? (?:the )?$")
_OF_WEEK_TOO = re.compile(r"(?i) (?:time|floor|one|day|try|attempt)\b")
_ENOUGH = 6


def _is_day(value: Value, text: str) -> bool:
    if value.kind == "ordinal":
        return bool(_OF_WEEK.search(text[: value.start])) and not _OF_WEEK_TOO.match(text[value.end :])
    return value.kind == "date" and value.key[1] is not None and value.key[2] is not None


def _appointed(text: str, values: Sequence[Value]) -> bool:
    """Something and its day, without a verb: "board meeting 3 June, 10am, Kiel"."""
    days = [value for value in values if _is_day(value, text)]
    if not days or not _WHAT_FOR.match(text[: days[0].start]) or _OWN_TALE.search(text[: days[0].start]):
        return False
    others = sum(value.end <= days[0].start or value.start >= days[0].end for value in values)
    return bool(telling(text[: days[0].start])) and (
        others > 0 or bool(_NAMED.search(text)) or len(words(text)) >= _ENOUGH
    )


# what lasts of a number

_RATE = re.compile(
    r"(?i)^\s?(?:[€$£]|euros?|quid|bucks|eur|pounds?|dollars?|all in)?,? ?(?:(?:a|an|per|each|every|/) ?(?:month|year|week|quarter|head|hour|night|day|person|piece|kilo|seat|page|word|child|session|lesson|class)|/ ?(?:min|hr|h|mo|yr|wk|day)\b|per min(?:ute)?|\+ ?vat|plus vat|incl\.? vat|p\.?[amw]\.?|net|gross)\b"
)


_IS = re.compile(r"(?i)(?: is| are|:| =|'s| ends in)(?: now)? #?$")
_LONG_CODE = 4
_A_DAY = 86_400
_TAKES = re.compile(
    r"(?i)\b(?:takes|lasts|every|within|after)(?: (?:about|around|roughly|up to|at most|only|almost|over))? $"
)
_SHARE = re.compile(
    r"(?i)\b(?:(?:interest|tax|exchange|hourly|day|flat|fixed|mortgage) rate|fees?|tax|vat|discount|interest|commission|deposit|margin|equity|retention|bonus|raise|tip|royalt\w+|stake|pension|down payment|mortgage|loan|surcharge|share of)\b"
)
_NO_UNIT = re.compile(r"(?i)\S+ (?:already|again|please|though|sharp|left|more|guys?|kinda|or)\b")
_HOLDS = re.compile(r"(?i)\b(?:sleeps|seats|fits|holds)(?: up to| about)? $")
_SUM = re.compile(
    r"(?i)\b(?:budget|price|rent|fees?|limit|cost|deposit|quote|salary|rate|premium|allowance|target|cap|maximum|minimum)\b[^,;.]{0,40}? (?:is|are|at|=|to)(?: now| still)? (?:about |around )?$"
)


_WHOSE = re.compile(
    r"(?i)^(?:(?:the|our|my) )?(?!.{0,40}\b(?:delay|queue|line|wait|train|bus|traffic|deploy|build|rate|battery|phone|laptop|progress|load|usage|disk|cpu|chance|lead|humidity)\b)[^,;.]{3,50} (?:is|are)(?: now| still)?(?: about| around| roughly)? $"
)
_OVER_WITH = re.compile(r"\s*(?:$|[,;.])")


def _is_all(value: Value, text: str) -> bool:
    """Whether a number is all that a clause says of its subject: "the drive is 40 minutes"."""
    return bool(_WHOSE.match(text[: value.start]) and _OVER_WITH.match(text, value.end))


def is_measure(value: Value, text: str) -> bool:
    """Whether a value is one that things have for long: a day of a month, a measure, a price, a share, a rate."""
    if value.kind == "date":
        return value.key[1] is not None
    if value.kind in ("version", "often"):
        return True
    if value.kind != "number":
        return False
    if value.unit == "lasting":
        is_long = isinstance(value.key[0], float) and value.key[0] >= _A_DAY
        return is_long or bool(_TAKES.search(text[: value.start])) or _is_all(value, text)
    if value.unit == "percent":
        return bool(_SHARE.search(text)) or _is_all(value, text)
    if value.unit:
        return value.said.casefold() != "one" and value.unit not in _FLEETING and not _NO_UNIT.match(text, value.start)
    if value.said[-1:].lower() == "k" or _RATE.match(text[value.end :]):
        return True
    if _SUM.search(text[: value.start]) or _HOLDS.search(text[: value.start]):
        return True
    return len(value.said) >= _LONG_CODE and value.said.isdecimal() and bool(_IS.search(text[: value.start]))


FORMS: tuple[tuple[str, str, _Test], ...] = (
    (DECIDED, "decision", _settled),
    (RULE, "knowledge", _must),
    (LABEL, "", _labelled),
    (NEED, "knowledge", _need),
    (ROLE, "knowledge", _part),
    (CHANGED, "", _changed),
    (PLACE, "knowledge", _place),
    (EVENT, "event", _appointed),
)
"""In order: the name of a form, the tag of what has it (empty where its values say), and how it is known."""


ABOUT_SOMEBODY = frozenset((NEED, ROLE, RULE, PLACE))
"""Forms that a clause may have by itself."""


def form(text: str, values: Sequence[Value], among: frozenset[str] | None = None) -> tuple[str, str]:
    """The form by which a sentence says that it lasts, and its tag; nothing for one that has none."""
    found = ((name, tag) for name, tag, has in FORMS if (among is None or name in among) and has(text, values))
    return next(found, ("", ""))


def is_seal(text: str) -> bool:
    """Whether a sentence only says that the one before it is settled."""
    return _SEALED.match(text) is not None
