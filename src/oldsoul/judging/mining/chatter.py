"""Signs that something was said for the moment, to somebody, in play or out of a feeling, and not to hold."""

from __future__ import annotations

import re

OPINION = re.compile(
    r"(?i)\b(?:is|are|was|looks?|sounds?) (?:so |way |much |really |just )*(?:nicer|better|worse|cooler|great|fine|perfect|lovely|nice|good|bad|ugly|boring|fun|funny)\b|\banyway$|'s (?:better|worse|the best|the worst)\b|\b(?:one day|a day) at a time\b|\btoo (?:long|short|late|early|big|small|hot|cold|much|many|loud|slow|expensive|heavy|fast|far)\b|\b(?:is|are|was|were) (?:just |simply )?the (?:best|worst)\b|\bmost important\b|^(?:having|being|taking|seeing|getting|doing)\b"
)
HEDGED = re.compile(
    r"(?i)\b(?:maybe|perhaps|might|probably|possibly|i (?:think|guess|suppose|wonder|hope|wish)|i'd (?:love|like)|^think i|i(?:'m| am) keen|going to try|not sure|no idea|could be|would be|should (?:i|we)|"
    r"seems?|apparently|kind of|sort of|if only|reckons?|claims|thinks|swears|supposedly|allegedly|rumou?r|thinking (?:of|about)|considering|unless|or something|whatever|hm+|haha|lol|joking|kidding)\b"
    r"|也许|也許|可能|大概|好像|不知道|不确定|不確定|或许|或許|想不想|要不要|哈哈"
)
YOU = re.compile(r"(?i)\b(?:you|your|yours|u|ya)\b|你|您")
ANYBODY = re.compile(r"(?i)\b(?P<when>before|if|when|after|unless|until) (?:you|u) ")
"""You, where it means anybody."""
MOMENT = re.compile(
    r"(?i)\b(?:right now|at the moment|just now|currently|for now|so far|(?:seconds?|minutes?|hours?) ago|this (?:morning|afternoon|evening)|tonight|brb|omw|on my way|i'm here|gotta|gonna|back in (?:a|an|\d+|five|ten|two|half)\b|or so|picking up|in a (?:bit|sec|minute)|later|"
    r"i'm (?:so |very |really |too )?(?:tired|hungry|sick|bored|back|home|late|off|out|sorry|done|ready|fine|ok|okay|good|busy|scared|afraid|freezing|exhausted|annoyed|happy|sad))\b"
    r"|现在|現在|刚才|剛才|刚刚|剛剛|今天|今晚|累死|好累|先去|等会|等會|待会|待會|等下|一会儿|一會兒"
)
NOISE = re.compile(
    r"(?m)^[ \t]*(?:\$ |> |>>>|at \S+\(|File \"|Traceback|[A-Z]+(?:Error|Exception)\b|ERROR\b|WARN(?:ING)?\b|INFO\b|DEBUG\b|\d{4}-\d\d-\d\dT\d\d)|"
    r"(?<!\w)\w{1,60}\(\)|^[ \t]*(?:git|npm|pip|docker|kubectl|curl|sudo|ssh) \S|=>|\{\s*\"|</?\w+>|```|\b[0-9a-f]{16,}\b|\b\d{1,3}%\s+/|Filesystem\s"
)
MADE_UP = re.compile(
    r"(?i)\bupdate (?:your|the|ur) (?:files?|records?|notes?|memory|database|brain)\b|\bi lie\b|\bi(?:'m| am) (?:lying|kidding|joking)\b|\bonce upon\b|\bnice try\b|\bwhat if\b"
    r"|^\W*(?:suppose|supposing|assume|hypothetically|for example|example|joke|quiz|breaking|translate|proofread|fwd|fw)\b|^\s*(?://|/\*)"
    r"|(?m:^(?:from|to):\s*\S+@\S)|\bin (?:my|the|our|this|a) (?:novel|story|script|screenplay|dream|game|campaign)\b|\bin (?:act|scene|chapter) \w+\b"
    r"|\bignore (?:all |the |any )*(?:previous|prior|above|earlier) (?:instructions|rules)\b"
)
"""A message none of which is meant."""
PLAY = re.compile(
    r"(?i)\bif (?:i|we|he|she|they|it|[\w']+) (?:were|knew|weren't)\b|\bif (?:i|we) (?:was|had)\b|\bimagine\b|\bpretend\w*\b|\bi'd say\b|"
    r"\bla la\b|\bcover story\b|\bif (?!i\b|we\b|you\b)[\w' ]{2,30}? asks?\b|\bjust say (?:that )?i\b|\bdon't believe\b|"
    r"\b(?:said|says|saying|goes|going|went|like|asked|shouted|told \w+)[,:]? ['\"“][^'\"”]{3,}['\"”]|['\"“][^'\"”]{3,}['\"”],? (?:he|she|they|i|we|\w+) (?:said|says|asked|shouted)\b"
)
"""Is made up, told for others to believe, or retold word for word."""
MOOD = re.compile(
    r"(?i)^i(?:'m| am) (?:a|an) (?:bit|little|mess|wreck|idiot|fool|fan|genius|disaster|tiny|lot|zombie|monster|failure|terrible|bad|good|big|huge)\b"
)
CHEERS = re.compile(
    r"(?i)^(?:(?:always |just )?(?:you(?:'ve| have)? got|you(?:'re| are)|you can do|you don't have to|believe in|do it|stay(?:ing)? |trust |be yourself|be proud|keep going|i'm (?:always )?here|we're (?:always )?here|it's ok|never give up|don't give up|(?:one |that )?(?:time|day|night|evening|summer|winter|trip|party|guy|girl|movie|film|song|place|bar|scene)\b(?! (?:is|are|was|were|has|have|must)\b)))"
)
"""Is said to cheer somebody up, and asks for nothing."""
GUSH = re.compile(
    r"(?i)\b(?:amazing|awesome|incredible|beautiful|wonderful|fantastic|inspir\w+|refreshing|rewarding|exciting|excited|proud|grateful|thankful|thanks|blessed|(?-i:joy)|peaceful|serene|magical|stunning|gorgeous|delicious|adorable|so (?:cute|much|cool|happy|good)|means? (?:a lot|so much|the world)|can't wait|(?-i:lucky)|fave|awe)\b"
)
"""Says how somebody feels about it, more than how it is."""
ONCE = re.compile(
    r"(?i)\b(?:it|this|that) (?:shorter|longer|again|better|up|out|down)\b|\bin this (?:answer|reply|text|mail|chat)\b|\b(?:one|a few|two|three) (?:words?|sentences?|lines?)\b|\byes or no\b|\bwith (?:yes|no|ok)\b|^(?:please |pls )?(?:write|use|make|keep) (?:it|this|that|more|less)\b"
)
"""Asks for one answer, not for all."""
ASKS_ONCE = re.compile(
    r"(?i)^(?:can|could|would|will) (?:you|u)\b|^(?:summari[sz]e|translate|write me|give me|show me|tell me (?:a|the|what|how|why)|list|explain|describe|draft)\b"
)
NARRATES = re.compile(
    r"(?i)^(?:(?:yesterday|today|(?:last|this|the other) \w+|\w+ (?:days|weeks|months|years) ago|once|then|back then),? )?(?:i|we|so i|so we)(?:'ve|'d| have| had| just| was| were)?\s+(?:just\s+|also\s+)?(?:took|wanted|loved|gave|ran|drove|flew|stood|sat|played|cooked|visited|stayed|helped|started|finished|went|saw|got|was|were|had|did|ate|bought|came|made|found|lost|broke|fell|slept|woke|watched|read|spent|walked|tried|forgot|dropped|talked|met|called|said)\b"
)
TALE = re.compile(r"(?i)\b(?:i|we) (?:was|were|had|went|did|swear|saw|ate|fell|slept|woke|sat|stood)\b")
WANTS = re.compile(
    r"(?i)^(?:can|could|would|will|please|pls|explain|tell|show|give|make|write|read|help|find|list|look|let|check|wait|wake me|i need (?:a|an|some|to)|need to|have to|must|let's|lets)\b"
    r"|\b(?:what|how|where|which|who|why)(?:'s|s)? (?:is|are|can|do|does|did|should|would|to|the|i|we|many|much|long)\b|https?://"
)
"""Asks for something now."""
STATE = re.compile(
    r"(?i)\b(?:today|again|broken|bouncing|stolen|battery|percent|on fire(?= ?[.,;!]|$)|in my game|this song|too much|option (?:one|two|three|[a-d]|\d))\b"
)
"""Is so at the moment, or of this talk only."""
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
REACTS = re.compile(
    r"(?i)^(?:perfect|nice|great|cool|impossible|lovely|brilliant|amazing|wow|sweet|good|haha|ugh|argh|damn|finally|phew|yay|nooo*|oof|ouch|hm+|lol|omg|congrats|cheers|thanks|thank you|sure|same|not me|not even|can't believe)\b|`|\bwish (?:me|us)\b|\bi swear\b"
)
"""Answers somebody, out of the moment."""
WAS = re.compile(r"(?i)\b(?:was|were|has (?:been|\w+ed)|did|tried|went|came)\b")
"""Tells what happened."""
