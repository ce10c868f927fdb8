"""The words of a line of memory: which of them say something, in what form they are compared, what is a sort of what."""

from __future__ import annotations

from functools import lru_cache

from oldsoul.language.families import FAMILY
from oldsoul.language.stemming import stem
from oldsoul.values.frozen import frozen


@frozen
class Word:
    """One word of a line; in scripts without spaces, one character."""

    text: str
    """in lower case"""
    lemma: str
    """in the form it is compared by"""
    start: int
    """where it begins"""
    clause: int
    """the how-many-th clause it stands in"""
    content: bool
    """whether it says something: no function word, no part of a typed value"""
    name: bool
    """whether it looks like somebody's or something's name"""


def listed(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


FUNCTION = listed(
    "a about above after again all am an and any anyone anything are around as at be because been being below between both "
    "but by can could did do does doing done down during each ever few for from further get gets getting got had has have "
    "having he her here hers herself him himself his how i if in into is it its itself just kind may me might more most much "
    "must my myself no nor not now of off on one only or other others our ours out over own same shall she should so some something "
    "such than that the their theirs them themselves then there these they thing things this those though through to too "
    "under until up upon us very via was we were what when where which while who whom whose will with within without would "
    "yet you your yours yes never none nothing nobody always still already quite rather also either user please back behind "
    "near beside next by before since along across inside outside instead per last ago soon later today "
    "tomorrow yesterday tonight everything everyone fine ok okay new old current latest day days time date dates month months year "
    "years week weeks morning place places been ll ve re d s t m let lets any more longer anymore bit lot lots "
    "year's however else someone somebody anybody everybody neither yeah yep nope hi hello hey oh wow well haha lol really pretty super"
)
_LIGHT = listed(
    "come go take make happen hold run set stand give put become keep stay mean exist occur do have be get say"
)
_LY = listed(
    "family reply italy july apply supply fly ally lily belly jelly early rely bully curly assembly anomaly monopoly"
)
_ALIKE = (
    "live reside dwell inhabit live | work employ | need require pin | like love enjoy adore fond hate dislike detest loathe | start begin commence join "
    "launch | end finish expire conclude | reply answer response | kid child | cost price | store save stored | photo picture | swim swimmer | sing singer | dance dancer | smoke smoker | rise rose risen | "
    "company firm | cut slice chop dice | jump leap | throw toss | grass lawn | motorbike motorcycle | ocean sea | shut close"
)
_ACTIONS = listed("running runner runners holding putting standing taking making giving dropping dropped moving")
"""Forms of light verbs that say what somebody does."""
_ALIAS: dict[str, str] = {}
CJK_FUNCTION = frozenset(
    "的了在是有和也都就还很被把将会要我你他她它们这那个只里上下中到从于对为与及呢吗吧啊已经现目前今年每才几乎最特别左右家能可以想得着过给让所一并且但而后再又共总不没无未改换"
)
CJK_STOPS = frozenset("是在有用住不没去吃喝喜最讨已现每对会能叫做养学读改升搬换戒停,:为")

VERBS = listed(
    "live lives lived work works worked study studies studied prefer prefers preferred like likes liked love loves loved hate "
    "hates hated own owns owned use uses used drink drinks eat eats speak speaks want wants wanted need needs needed require "
    "requires required pin pins start starts started begin begins began end ends ended leave leaves left depart departs departed arrive arrives "
    "expire expires close closes opens run runs ran take takes took make makes made go goes went come comes came give gives "
    "gave keep keeps kept stay stays stayed stand stands hang hangs hung sit sits sat store stores contain contains include "
    "includes cost costs pay pays paid owe owes owed wear wears drive drives drove play plays played teach teaches taught "
    "know knows knew call calls called move moves moved switch switches switched change changes changed raise raises raised migrate migrates "
    "migrated join joins joined stop stops stopped quit quits cancel cancels cancelled retired retires marry marries married became becomes become "
    "met meets meet bought buys buy sold sells reads read writes wrote write watch watches watched visit visits visited enjoy enjoys allow "
    "allows allowed happen happens happened listens restarts uses supports support belongs became lives grew grows born weighs measures waters "
    "feeds walks cleans cooks smokes smoke swim swims deploys commutes subscribes subscribed reduced increased postponed rescheduled "
    "moved adopted adopts has have had is are was were be been am do does did can could will would shall should must may might not never no "
    "gets get got named plays founded created developed wrote directed performed located wants believes believe thinks think rose rises fell falls won wins lost loses"
)
_KIN = listed(
    "mother mum mom father dad brother sister husband wife son daughter uncle aunt cousin grandma grandmother grandpa grandfather "
    "nephew niece girlfriend boyfriend partner boss colleague neighbour neighbor friend roommate fiance fiancee parent parents "
    "哥 姐 弟 妹 爸 妈 爷 奶 儿 女 妻 夫"
)


@lru_cache(maxsize=1 << 16)
def lemma(word: str) -> str:
    """The form a word is compared by: its stem, or that of the family of words it belongs to."""
    known = FAMILY.get(word)
    if known is None:
        cut = stem(word)
        known = FAMILY.get(cut, cut)
    return _ALIAS.get(known, known)


def lemmas(text: str) -> frozenset[str]:
    """The forms the words of a table are compared by."""
    return frozenset(lemma(word) for word in text.split())


def _fill_aliases() -> None:
    for family in _ALIKE.split("|"):
        heads = [lemma(word) for word in family.split()]
        _ALIAS.update((other, heads[0]) for other in heads[1:] if other != heads[0])
    lemma.cache_clear()


_fill_aliases()
_CUES = listed(
    "stopped quit cancelled gave given retired broke rid ditched dropped abandoned discontinued resigned unsubscribed "
    "sold switched changed instead replaced migrated upgraded downgraded raised lowered increased reduced postponed "
    "rescheduled rebooked updated bumped shifted extended corrected moved took longer"
)
"""Words that say that something changed, and nothing about what it was."""
_LIGHT_LEMMAS = frozenset(lemma(word) for word in (*_LIGHT, *_CUES))
_KIN_LEMMAS = frozenset(lemma(word) for word in _KIN)


def says(word: str, form: str, *, named: bool) -> bool:
    """Whether a word tells something, and is not there for grammar alone."""
    if word in _ACTIONS:
        return True
    if word in FUNCTION or form in _LIGHT_LEMMAS:
        return False
    return named or not (word.endswith("ly") and len(word) > len("only") and word not in _LY)


_SORTS = (
    "pet dog cat rabbit hamster parrot goldfish turtle lizard snake ferret gerbil | animal pet dog cat rabbit hamster parrot "
    "turtle horse cow bird | sibling brother sister twin | kid son daughter | spouse husband wife | "
    "meat steak beef pork chicken bacon ham burger hamburger lamb turkey sausage rib hotdog venison | "
    "seafood shrimp fish crab lobster salmon tuna | fish salmon tuna | dairy milk cheese butter yogurt | "
    "alcohol beer wine whisky whiskey vodka tequila rum cocktail | nut peanut almond walnut cashew | "
    "car honda toyota ford tesla bmw audi jeep prius civic camry corolla mustang chevy sedan minivan | "
    "tobacco smoke cigarette | instrument guitar piano violin drum flute cello saxophone trumpet ukulele clarinet | "
    "sport soccer basketball tennis baseball hockey golf volleyball rugby cricket | person man woman boy girl kid"
)


def _sorts() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for family in _SORTS.split("|"):
        head, *sorts = (lemma(word) for word in family.split())
        for each in sorts:
            found[each] = found.get(each, frozenset()) | {head}
    return found


_SORTS_OF = _sorts()


def with_sorts(forms: frozenset[str]) -> frozenset[str]:
    """The lemmas, and what those of them are that are a sort of something."""
    return forms.union(*(_SORTS_OF[form] for form in forms if form in _SORTS_OF))


def is_kin(form: str) -> bool:
    """Whether a lemma names a person by what they are to another."""
    return form in _KIN_LEMMAS
