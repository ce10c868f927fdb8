"""Japanese as people type it: what is Japanese, what a statement is about, and what is not meant as one."""

from __future__ import annotations

import re
from functools import lru_cache

from oldsoul.language.sentences import sentences
from oldsoul.language.words import is_foreign, words

_KANA = re.compile("[ぁ-ねは-ゖァ-ヺ]")
"""Without の, which Chinese signs use too."""
_RUN = re.compile(r"[\u3400-\u9fff々]+|[ァ-ヺー]+|[A-Za-z0-9]+")
_TOPIC = re.compile(r"^(?P<who>[^、。，,！!？?：:\n]{1,40}?)(?:は|って(?=[^\s、。]))")
_MARKED = re.compile(r"^(?P<who>[^、。，,！!？?：:\nをに]{1,30}?)が")
_COMMON = frozenset((*"次今何私僕俺方事日時人君様皆家", "自分", "今度", "今回", "次回"))
"""Says nothing of what a statement is about."""
FIRST = r"(?:私|わたし|あたし|僕|ぼく|俺|おれ|自分|うち)"
KIN = r"(?:お?(?:母|父|兄|姉|祖父|祖母)(?:さん)?|両親|妻|家内|嫁|夫|旦那|主人|息子|娘|長男|長女|次男|次女|弟|妹|彼氏|婚約者|甥|姪|愛犬|愛猫)"
PETS = r"(?:子供|子ども|犬|猫|うさぎ|ハムスター|インコ|鳥|車)"
"""Are somebody's own only where it is said whose."""
_TOWNS = (
    "北海道 青森 岩手 宮城 秋田 山形 福島 茨城 栃木 群馬 埼玉 千葉 東京 神奈川 新潟 富山 石川 福井 山梨 長野 岐阜 静岡 愛知 三重 滋賀 京都 大阪 兵庫 奈良 和歌山"
    " 鳥取 島根 岡山 広島 山口 徳島 香川 愛媛 高知 福岡 佐賀 長崎 熊本 大分 宮崎 鹿児島 沖縄 札幌 仙台 横浜 川崎 名古屋 神戸 金沢 松本 鎌倉 渋谷 新宿 吉祥寺 那覇"
)
PLACE = rf"(?:{'|'.join(_TOWNS.split())}|[^、。はがを\s]{{1,8}}[都道府県市区町村島駅]|[ァ-ヺー]{{3,}})"
QUESTION = re.compile(r"[?？][\"'”’)\]」』）\s]*$|(?:か|かな|かね|かしら|っけ)[。.!！…\s]*$")
"""Asks, with or without a mark."""
HEARSAY = re.compile(
    r"らしい|みたい|(?:だ|た|る|い)って[。！!\s]*$|そうです[よね。]|(?:た|る|い)そうだ|んだって|だってさ|って(?:言|い)(?:う|って|わ|い|っ)|(?:と|って)(?:言|聞|書)(?:っ|い|わ|か)|によると|によれば|という噂|と(?:の|いう)話"
)
"""Tells what others say."""
UNSURE = re.compile(
    r"たぶん|多分|おそらく|もしか|かも(?:しれ|ね|な|。|$)|だろう|でしょう|気がする|と思(?:う|い|っ)|はず(?:だった|なのに)|もし[^、。]*(?:たら|なら|ば)|(?:だっ|でし)?たら(?:いい|どう|なあ|楽)|としたら|なら(?:いい|ば)|ればいい|いいな|"
    r"のに[。！!…]*$|どうしよう|どっちでも|とか[。！!]*$|分からない|わからない|分かりません|わかりません|知らない"
)
JOKES = re.compile(
    r"冗談|なんちゃって|なんてね|嘘だよ|うそうそ|[(（]笑[)）]|笑[。！!]*$|[wｗ]{2,}|[wｗ][。！!]*$|爆笑|草[。！!]*$"
)
PASSING = re.compile(
    r"今日|今朝|今夜|今晩|昨日|昨夜|一昨日|おととい|さっき|今(?:は|も|から|すぐ|だけ|ちょうど|の所|のところ)|今[、,]|いま(?:は|から|すぐ|だけ|、|ちょうど)|ただいま|もう(?!使|電話|送|書|呼)|今回|今週|今度だけ|今だけ|だけ[^、。]{0,8}(?:になった|に変)|とりあえず|一旦|いったん|"
    r"さきほど|先ほど|ちょっと|しばらく|あとで|後で|これから(?!は|も)|先週|先月|昔|以前(?!に)|(?<!名)(?<!人)前は|当時|かつて|元々|もともと|お腹|眠|疲れ"
)
"""Is of the moment, or was so once."""
YOU = re.compile(r"あなた|君(?![津島])|きみ[はがのもに]|お前|おまえ|貴方|そっち|そちら")
DANGLING = re.compile(
    r"^(?:これ(?!から)|それ|あれ|どれ|この|その|あの|どの|ここ|そこ|あそこ|彼ら?|彼女ら?|あいつ|こいつ|そいつ|そういう|こういう|ああいう|そんな|こんな|あんな)(?!氏)"
)
LEAD = re.compile(
    r"^(?:(?:あと|ちなみに|そういえば|えっと|えーと|ええと|あのね|ねえ|ねぇ|ところで|それと|あっ?|実は|一応|念のため|でも|だから|なので|それから|はい|うん|あ)[、,，\s]+)+"
)


def is_japanese(text: str) -> bool:
    """Whether a text is written in Japanese, whatever other words stand in it."""
    return _KANA.search(text) is not None and is_foreign(text)


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """What tells a text from others: its words in Chinese characters, katakana or letters, none of its grammar."""
    runs = (run for run in _RUN.findall(text) if run not in _COMMON)
    return frozenset(word for run in runs for word in words(run))


def has(text: str, word: str) -> bool:
    """Whether a text has one of those in it."""
    return word in text.casefold()


def topic(text: str) -> frozenset[str]:
    """What a statement says to be about: the words before `は`, else before `が`; nothing where it does not say."""
    bare = LEAD.sub("", text.strip())
    match = _TOPIC.match(bare) or _MARKED.match(bare)
    return content(match["who"]) if match else frozenset()


def subject(text: str) -> frozenset[str]:
    """What a text is about by the last of its sentences that says so: what was asked stands before what was answered."""
    return next(filter(None, (topic(sentence) for sentence in reversed(sentences(text)))), frozenset())


def is_meant(text: str) -> bool:
    """Whether words are said as so: neither told by others, nor supposed, nor in jest."""
    return not any(sign.search(text) for sign in (HEARSAY, UNSURE, JOKES))
