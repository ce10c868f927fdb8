"""What a person puts right in Japanese: `違うよ、金曜日だよ`, `木曜じゃなくて金曜`, `京都に引っ越したよ`.

Each way is strict, like those in other languages: what could be about something else, of the moment, told by others or
asked for puts nothing right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.corrections.values import Putting, as_said, has_words, holds
from oldsoul.language.japanese import DANGLING, PASSING, PLACE, QUESTION, YOU, content, has, is_meant
from oldsoul.language.lexicon import things
from oldsoul.language.sentences import sentences
from oldsoul.reading.typed_values import agree, comparable, typed_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oldsoul.reading.typed_values import Value

_MOST = 3
_SHORT = 5
"""So long is a name that is said by itself: what is longer is often a thing."""
_AGREES = re.compile(
    r"^\W*(?:はい|うん(?!うん)|ええ|そう(?:だ|です|そう|、|。|ね)|その(?:とお|通)り|正解|合って|あってる|了解|OK|ok)"
)
_SIGN = (
    r"(?:(?:違う)?違(?:う(?:よ|って|わ|んだ|んです)?(?:よ)?|います(?:よ)?|いますね)|ちが(?:う(?:よ|って)?|います(?:よ)?)"
    r"|そう(?:じゃ|では)(?:なく(?:って|て)?|ない(?:です)?(?:よ)?|ありません)|間違(?:って|えて)(?:い)?(?:る|ます)(?:よ)?|間違いです(?:よ)?|訂正(?:です|します)?)"
)
_STRONG = re.compile(
    rf"^\W*(?:(?:いや|いえ|いいえ|ううん|あ)+[、。，,！!…\s]*)?(?:それは|それ)?(?:{_SIGN}[、。，,！!：:…\s]+|違うよ|違うって|正しくは|正確には)"
)
_MILD = re.compile(r"^\W*(?:いやいや|いや|いいえ|いえ|ううん)[、。，,！!…\s]+")
_BREAK = re.compile(r"[、。，,！!…\n]+")
_END = r"(?:(?:から|まで|発|着|開始|集合|スタート)?(?:なん)?(?:だ|です|である)(?:よ|ね|よね|わ|ぞ|って|ってば|から|けど|が)*|(?:だ|です)?よ|に(?:なった|なりました|変わった|変わりました|変更)(?:んだ|んです|よ|になりました|しました|した)*)?[。！!\s]*$"
_ENDS = re.compile(rf"^{_END}")
_VALUE = r"[^、。，,！!？?：:\sはがもをに]{1,15}"
_BOTH = re.compile(
    rf"(?:^|[、。，,！!\s：:]|(?P<who>[^、。，,！!？?：:\n]{{1,30}}?)[はが])(?P<old>{_VALUE}?)(?:じゃなく(?:って|て)?|では?なく(?:て)?|じゃない(?:です)?(?:よ)?[、。！!])[、,\s]*(?P<new>{_VALUE}?)(?P<end>{_END})"
)
_BOTH_AFTER = re.compile(
    rf"(?:^|[、。，,！!\s]|(?P<who>[^、。，,！!？?：:\n]{{1,30}}?)[はが])(?P<new>{_VALUE}?)(?:だよ|です(?:よ)?|だ)?[、。！!]\s*(?P<old>{_VALUE}?)(?:じゃなくて|じゃない(?:です)?(?:よ)?|ではな(?:い|くて)(?:です)?)[。！!\s]*$"
)
_CHANGED = re.compile(
    r"^に(?:(?:変わ|変更|延期|移|ずれ|繰り[上下])[^、。]{0,8}(?:た|ました)|(?:なっ|なりまし)た)(?:んだ|んです|よ|から|ので)*[。！!\s]*$"
)
_BESIDE = re.compile("次の日|翌|前の日|前日|後日")
_COUNTED = re.compile(r"(?:\d+|[一二三四五六七八九十]+)[^\d一二三四五六七八九十]+$")
_WHERE = r"(?P<{}>[^、。，,！!？?：:\sはがもをにの]{{1,10}})"
_HOME = re.compile(_WHERE.format("old") + r"に(?:住んで|お住まい)")
_MOVED = re.compile(
    r"^(?:(?:今は|もう|私は|僕は|俺は|先月|去年)?)"
    + _WHERE.format("new")
    + r"(?P<how>に(?:引っ?越し|越し|移り)(?:た|ました)|に住んで(?:い)?(?:る|ます)|(?:だ|です))(?:んだ|んです|よ|ってば|って|けど)*[。！!\s]*$"
)
_PLACE = re.compile(PLACE)
_INVERTED = re.compile(r"(?:は|が|の日|の話|の方)[。！!\s]*$")
_NAMED = re.compile(r"名前は(?P<old>[^、。，,！!？?\sはがをの]{1,12}?)(?:です|だ|でし|とい|$|。)")
_CALLED = re.compile(
    r"^(?:[^、。]{0,10}名前は)?(?P<new>[^、。，,！!？?\sはがをにの]{1,12}?)(?:だ|です|といいます|って(?:いう|言う)(?:んだ|んです|の)?)(?:よ|ってば|けど)*[。！!\s]*$"
)
_IS = re.compile(
    r"^(?P<who>[^、。，,！!？?：:\n]{1,30}?)は(?P<old>[^、。，,！!？?\sはがもをにで]{1,15}?)(?:です|だ|でした|$)(?:よ|ね|よね)*[。！!\s]*$"
)
_IT_IS = re.compile(
    r"^(?:(?P<who>[^、。，,！!？?：:\n]{1,30}?)は)?(?P<new>[^、。，,！!？?\sはがもをにで]{1,15}?)(?:なん)?(?:だ|です)(?:よ|ってば|って|けど|から)*[。！!\s]*$"
)
_TITLES = re.compile("(?:さん|先生|くん|君|ちゃん|様|氏)$")
_NAME = re.compile(r"[ァ-ヺー・]{2,}|[A-Z][\w.+-]+")
_NO_VALUE = re.compile(
    r"^(?:.*(?:的|中|そう|だけ|だけど|こと|もの|やつ|ところ|方|ほう|よう|つもり|感じ|次第|ばかり|くらい|ぐらい)|冗談|嘘|うそ|ウソ|逆|無理|ムリ|駄目|だめ|ダメ|本当|ほんと|ホント|マジ|まじ|大丈夫|平気|別|結構|十分|同じ|残念|完璧|最高|最悪|元気|大変|面倒|秘密|内緒|別にいい"
    r"|バカ|デブ|クソ|ヤバ|イヤ|いや|嫌|好き|嫌い|ワガママ|ヤンチャ|オシャレ|キレイ|シャイ|イケメン|メス|オス|オタク|ファン|ネタ|ドジ|アホ|シンプル|リアル|ベスト|ラッキー|オッケー|OK|何|誰|どこ|いつ|そこ|ここ|それ|これ|あれ|どれ|私|僕|俺|君|.*(?:い|く|て|た|る|れば|ない))$"
)
_ASKED_FOR = re.compile(
    r"(?:て|で)(?:ください|下さい|ほしい|欲しい|くれ|ね|もらえ|お願い)?[。！!]*$|たい(?:な|です|けど|んだ)*[。！!]*$|お願い|(?:しよう|ましょう)|(?:が|で|も|の方が)いい|よかった|良かった"
)
_MORE = re.compile(r"も[あいやだ]|にも|他の|ほかの|別の|もう一[つ人]|または|それとも|以外|たまに|時々|だけ")
_COMPLAINT = re.compile(
    r"^.{0,12}?(?:さっき|前に|この前|昨日|何度|何回|もう|以前|先日)(?:も|に|にも|から)*[^、。]{0,6}?(?:言っ(?:た|て(?:い)?(?:る|ます))|話した|伝えた|説明した|言いました)(?:よね|でしょう?|じゃん|のに|けど|はず(?:だけど|だよ|です)?|だろ)[、。！!？?…\s]*"
)
_STATES = re.compile(r"^[^、。？?]{1,30}(?:は|が|に)[^？?]{1,60}$")


def put_right(plain: str, told: Sequence[str]) -> Putting | None:
    """What a message puts right of what the agent told."""
    if _AGREES.match(plain) or not is_meant(plain):
        return None
    asks = bool(told) and QUESTION.search(told[-1]) is not None
    stated = [sentence for sentence in told if not QUESTION.search(sentence)]
    both = next(_both_named(plain, told), None)
    if both is not None:
        return both
    if asks or not stated:
        return None
    complaint = _COMPLAINT.match(plain)
    strong = complaint or _STRONG.match(plain)
    refuses = strong or _MILD.match(plain)
    rest = plain[refuses.end() :] if refuses else plain
    clauses = _clauses(rest)
    if any(_INVERTED.search(clause) for clause in clauses[1:]) or (len(clauses) > 1 and not refuses):
        return None  # what it is about comes last, or more is said
    for clause in clauses:
        if PASSING.search(clause) or _MORE.search(clause) or QUESTION.search(clause) or _ASKED_FOR.search(clause):
            return None
        found = _value(clause, stated, refuses=bool(refuses)) or _placed(clause, stated, refuses, strong)
        found = found or (_other(clause, stated) if strong else None)
        if found is not None:
            return found
    return None


def _clauses(text: str) -> list[str]:
    return [part for part in _BREAK.split(text) if part.strip()][:_MOST]


def _both_named(plain: str, told: Sequence[str]) -> Iterator[Putting]:
    """Both values, where a message names both; of a matter the agent did not speak of, only where memory holds it."""
    said = "\n".join(told)
    refuses = _STRONG.match(plain) or _MILD.match(plain)
    for sentence in sentences(plain[refuses.end() :] if refuses else plain)[:_MOST]:
        bare = re.sub(r"じゃなくて[。！!]*$", "", sentence)
        if any(sign.search(bare) for sign in (QUESTION, _ASKED_FOR, PASSING, _MORE)):
            continue
        for pattern in (_BOTH, _BOTH_AFTER):
            match = pattern.search(sentence)
            if match is None:
                continue
            old, new = match["old"], match["new"]
            if DANGLING.match(old) or YOU.search(old) or _NO_VALUE.match(new) or holds(old, new):
                continue
            if "の" in new and "の" not in old:
                continue  # it says what kind of thing something is
            if holds(said, old) and holds(said, new):
                continue  # one of two that were offered
            wrong = next((s for s in told if holds(s, old) and _is_of(match["who"] or "", s)), "")
            alike = _comparable(old, new)
            if wrong or alike:
                yield Putting(sentence.strip(), _as_told(old, wrong), new, wrong, held=not wrong)


def _as_told(old: str, wrong: str) -> str:
    """The wrong value as the agent said it."""
    if not wrong or has_words(wrong, old):
        return old
    mine = typed_values(old)
    return next((v.said for v in typed_values(wrong) if mine and comparable(v, mine[0]) and agree(v, mine[0])), old)


def _comparable(old: str, new: str) -> bool:
    ones, others = typed_values(old), typed_values(new)
    return bool(ones) and bool(others) and comparable(ones[0], others[0]) and not agree(ones[0], others[0])


def _is_of(words: str, sentence: str) -> bool:
    """Whether words name nothing that a sentence of the agent does not name."""
    return all(has(sentence, word) for word in content(words))


def _value(clause: str, stated: Sequence[str], *, refuses: bool) -> Putting | None:
    """Another value of the same type as the one the agent gave, after a no, or where something is said to have changed."""
    values = typed_values(clause)
    if len(values) != 1:
        return None
    new = values[0]
    head, tail = clause[: new.start], clause[new.end :]
    changed = _CHANGED.match(tail)
    if not changed and not (_ENDS.match(tail) and (refuses or (tail.strip("。！! ") and not head))):
        return None
    found = _rival(new, stated)
    if (
        found is None
        or not _is_of(head, found[0])
        or _BESIDE.search(head)
        or head.rstrip()[-1:] not in ("", "は", "が", "の", " ", "年", "月", "週")
    ):
        return None
    wrong, old = found
    said, right = as_said(old, new), new.said
    if old.kind == new.kind == "time" and new.said[:1].isdecimal() and (bare := re.search(r"\d.*", old.said)):
        said = bare[0]
    return Putting(clause.strip(), said, right, wrong, sure=refuses or bool(changed), held=not refuses)


def _rival(new: Value, stated: Sequence[str]) -> tuple[str, Value] | None:
    """The one value of the same type that the agent gave; None when it gave the same, or several."""
    others = [(s, value) for s in stated for value in typed_values(s) if comparable(value, new)]
    return others[0] if len(others) == 1 and not agree(others[0][1], new) else None


def _placed(clause: str, stated: Sequence[str], refuses: object, strong: object) -> Putting | None:
    """Another home or name than the agent had; said barely, it has to look like one."""
    for before, after in ((_HOME, _MOVED), (_NAMED, _CALLED)):
        match = after.match(clause)
        if match is None or _NO_VALUE.match(match["new"]) or typed_values(match["new"]):
            continue
        new, head = match["new"], clause[: match.start("new")]
        if after is _MOVED:
            moved = "越" in match["how"] or "移" in match["how"]
            clear = (
                moved
                or (refuses and "住" in match["how"])
                or (strong and _PLACE.fullmatch(new) and not _NAME.fullmatch(new))
            )
        else:
            clear = strong and ("名前は" in head or _is_name(new))
        for sentence in stated if clear else ():
            held = before.search(sentence)
            if held is not None and new not in held["old"] and _is_of(head, sentence):
                return Putting(clause.strip(), held["old"], new, sentence, held=not refuses)
    return None


def _other(clause: str, stated: Sequence[str]) -> Putting | None:
    """What something is instead, where both are of one sort: two people, two names, two of a kind that ends alike."""
    match = _IT_IS.match(clause)
    if match is None or _NO_VALUE.match(match["new"]):
        return None
    new = match["new"]
    for sentence in stated:
        held = _IS.match(sentence)
        if held is None or new in held["old"] or held["old"] in new or not _is_of(match["who"] or "", sentence):
            continue
        old = held["old"]
        titled = _TITLES.search(old), _TITLES.search(new)
        alike = all(titled) or (_is_name(old) and _is_name(new)) or _ends_alike(old, new)
        if alike:
            counted = _COUNTED.search(old) if _COUNTED.fullmatch(new) else None  # 三年生 of 小学三年生
            return Putting(clause.strip(), counted[0] if counted else old, new, sentence)
    return None


def _is_name(text: str) -> bool:
    """Whether a word by itself may be a name, and is no everyday thing."""
    return _NAME.fullmatch(text) is not None and (text.isascii() or len(text) <= _SHORT) and not things(text)


def _ends_alike(old: str, new: str) -> bool:
    """Whether both are of one kind by their ending, such as a hall, a station or a floor."""
    return len(old) > 1 and len(new) > 1 and old[-1] == new[-1] and "\u3400" <= old[-1] <= "\u9fff"


def clause(plain: str) -> str:
    """What is right, of a message that complains and goes on to say it; empty when it says no more."""
    if not is_meant(plain):
        return ""
    match = _COMPLAINT.match(plain) or _STRONG.match(plain)
    rest = plain[match.end() :].strip(" 、。！!") if match else ""
    return rest if states(rest) else ""


def states(text: str) -> bool:
    """Whether words say by themselves what is right: they name what they are about."""
    bare = text.strip(" 、。！!")
    return (
        bool(_STATES.match(bare))
        and bool(content(bare))
        and not (DANGLING.match(bare) or QUESTION.search(text) or _ASKED_FOR.search(bare) or not is_meant(bare))
    )
