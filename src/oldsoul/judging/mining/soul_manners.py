"""Manners an agent may have or leave, how people speak of them, and how a soul words them for everyone to read."""

from __future__ import annotations

from typing import NamedTuple

from oldsoul.language.words import words

SECTIONS = ("Identity", "Core Truths", "Boundaries", "Vibe", "Skills")
"""The sections of a soul that grow."""
TRUTHS, VIBE, SKILLS = "Core Truths", "Vibe", "Skills"


class Manner(NamedTuple):
    """One thing an agent may do or leave."""

    kind: str
    title: str
    section: str
    about: str
    """how it is spoken of"""
    no: str
    """the principle of one who leaves it; empty when there is none"""
    yes: str
    """the principle of one who does it; empty when there is none"""
    leaving: str = ""
    """words that mean leaving it by themselves"""


MANNERS = (
    Manner(
        "length",
        "Length",
        VIBE,
        r"long(?:er)?(?: answers| replies)?|wordy|verbose|detail(?:s|ed)?|in depth|ramble|rambling|essays?|walls? of text",
        "keep answers short.",
        "answer at length, with the details.",
        r"short(?:er)?|brief(?:er|ly)?|concise(?:ly)?|to the point|terse",
    ),
    Manner("emojis", "Emojis", VIBE, r"emojis?|emoticons?|smileys?|smilies", "none.", "welcome."),
    Manner("exclamation", "Punctuation", VIBE, r"exclamation (?:marks?|points?)", "no exclamation marks.", ""),
    Manner(
        "lists",
        "Lists",
        VIBE,
        r"bullet(?: ?points?| lists?|s)?|lists",
        "write sentences, not bullet points.",
        "use bullet points where several things are listed.",
    ),
    Manner("tables", "Tables", VIBE, r"tables?", "no tables.", "use a table where things are compared."),
    Manner(
        "headings",
        "Headings",
        VIBE,
        r"headings?|headlines?|markdown",
        "no headings in answers.",
        "use headings in answers.",
    ),
    Manner(
        "apologies",
        "Apologies",
        VIBE,
        r"apologi[sz](?:e|ing)|apolog(?:y|ies)|(?:say(?:ing)?|being) sorry|sorry",
        "do not apologise; put it right.",
        "",
    ),
    Manner(
        "flattery",
        "Flattery",
        VIBE,
        r"flatter(?:y|ing)?|compliment(?:s|ing)?|praise|praising|(?:great|good) questions?|suck(?:ing)? up",
        "no flattery and no praise for questions.",
        "",
    ),
    Manner(
        "jargon", "Jargon", VIBE, r"jargon|buzzwords?|technical terms", "plain words, no jargon.", "", r"plain words"
    ),
    Manner("jokes", "Humour", VIBE, r"jok(?:es?|ing)|puns?|humou?r|funny", "no jokes.", "jokes are welcome."),
    Manner(
        "small_talk",
        "Small talk",
        VIBE,
        r"small ?talk|chit ?chat|pleasantries",
        "leave out small talk.",
        "small talk is welcome.",
    ),
    Manner(
        "sources",
        "Sources",
        TRUTHS,
        r"sources?|cite|citations?|where (?:it|that|this) comes from",
        "",
        "name the source of what you state.",
    ),
    Manner(
        "guessing",
        "Guessing",
        TRUTHS,
        r"guess(?:es|ing)?|mak(?:e|ing) (?:things|stuff|it|something|facts) up|mak(?:e|ing) up (?:things|stuff|facts)|invent(?:ing)?",
        "do not guess; say that you do not know.",
        "",
    ),
    Manner(
        "asking",
        "Ask first",
        TRUTHS,
        r"ask(?: me)? (?:first|before (?:acting|you act|doing (?:anything|something)|you do (?:anything|something)))$",
        "",
        "ask before you act.",
    ),
    Manner(
        "one_question",
        "Questions",
        VIBE,
        r"(?:one|a single) question at a time|several questions(?: at once)?|many questions(?: at once)?",
        "ask one question at a time.",
        "ask one question at a time.",
    ),
    Manner(
        "repeating",
        "Repeating",
        VIBE,
        r"repeat(?:ing)?(?: yourself| my question| the question| my words)?",
        "do not repeat what was just said.",
        "",
    ),
    Manner("metric", "Units", VIBE, r"metric(?: units)?", "", "use metric units."),
)
"""Manners in the order they are looked for, each with what it says of one who does it and of one who does not."""

LANGUAGES = {
    "english": "English",
    "german": "German",
    "french": "French",
    "spanish": "Spanish",
    "italian": "Italian",
    "portuguese": "Portuguese",
    "dutch": "Dutch",
    "chinese": "Chinese",
    "mandarin": "Chinese",
    "japanese": "Japanese",
    "russian": "Russian",
}
"""The languages a soul may be told to speak, by the names people give them."""

VOCABULARY = frozenset(
    words(
        """
        a an the this that these those it its one ones two some any all each every both other another same such more most less
        least fewer few many much too very so just only also even again still yet once twice first last next then than as at by
        for from in into of off on onto or out over to up with without about after before between during per and but nor not no
        never always often usually sometimes ever if when whenever while until unless because instead rather please now later
        here there back away enough
        i me my mine myself you your yours yourself we us our they them their he she him her who whom whose what which where
        why how everyone anyone someone somebody anybody everybody nobody people person user users
        am is are was were be been being do does did doing done don doesn didn have has had having will would can could cannot
        should shouldn must mustn may might need needs let lets want wants like likes prefer t s d ll ve re m
        answer answers answering reply replies replying respond responding response responses say says saying said tell tells
        telling told talk talking speak speaking write writes writing written read reading ask asks asking asked question
        questions explain explains explaining explanation explanations describe show shows showing give gives giving mention
        mentions mentioning repeat repeating quote quotes quoting cite citing name names naming call calling greet greeting
        thank thanking apologise apologize apologising apologizing apology apologies sorry joke jokes joking flatter flattery
        praise praising compliment compliments guess guesses guessing invent inventing assume assumes assuming assumption
        assumptions check checks checking look looking search searching find finding verify confirm confirming think thinking
        wait waiting try trying use uses using used avoid avoiding stop stopping keep keeping start starting begin beginning end
        ending finish finishing make makes making put puts add adding leave leaving skip skipping drop include including change
        changing edit editing delete deleting remove removing send sending sent post posting publish publishing share sharing
        save saving store storing write remember remembering remind reminding suggest suggesting suggestion suggestions propose
        offer offering decide deciding plan planning act acting work working go going come be get getting take taking help
        helping summarise summarize summarising summarizing summary summaries translate translating list lists listing count
        word words sentence sentences paragraph paragraphs line lines page text texts message messages email emails mail letter
        letters draft drafts title titles heading headings headline headlines bullet bullets point points table tables step steps
        example examples detail details detailed source sources link links reference references fact facts opinion opinions
        reason reasons date dates time times number numbers unit units metric result results option options choice choices
        alternative alternatives file files code comment comments test tests task tasks reminder reminders note notes memory
        emoji emojis emoticon emoticons smiley smileys exclamation mark marks markdown bold italics format formatting style tone
        language jargon buzzwords terms term technical acronyms abbreviations small talk chitchat pleasantries humour humor puns
        filler intro introduction introductions preamble disclaimer disclaimers warning warnings caveat caveats greeting greetings
        short shorter brief briefly concise long longer lengthy plain simple simply clear clearly direct directly polite politely
        formal formally informal casual friendly honest honestly precise precisely exact exactly careful carefully slow slowly
        quick quickly calm sure unsure certain important real true false right wrong good better best bad great nice new old own
        know knows knowing knew mean means meaning yes ok thing things something anything nothing everything stuff way ways case
        cases part parts whole rest bit lot kind kinds sort form forms private privately public group groups chat conversation
        conversations permission approval okay yourselves straight away point double lie lies lying
        """
    )
)
"""Words of talking and working: what is made of them alone gives nobody's affairs away."""
