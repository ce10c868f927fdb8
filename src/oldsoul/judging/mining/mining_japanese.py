"""What of a Japanese statement is worth keeping, by rules: what was decided, asked for from now on, or stated plainly.

As strict as the rules for other languages: a statement must say by its form that it holds for longer than the moment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oldsoul.judging.mining.standing import is_standing
from oldsoul.language.japanese import DANGLING, FIRST, KIN, PASSING, PETS, PLACE, YOU, is_meant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oldsoul.reading.typed_values import Value

_STOP = r"(?:よ|ね|よね|んだ|んです|わ|から|ので)*[。！!\s]*$"
_IS = rf"(?:なん)?(?:だ|です|である)?{_STOP}"
_DOES = rf"(?:てい?(?:る|ます)|でい?(?:る|ます)){_STOP}"
_MAY = r"(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|くれ|お願い(?:します)?)?(?:ね|よ)?[。！!\s]*$"
_CLAUSE = re.compile(r"[、，,；;]\s*")
_OWN = rf"(?:(?:{FIRST}|{KIN})の)*"
_THEIRS = rf"(?:{_OWN}{KIN}|(?:(?:{FIRST}|{KIN})の)+{PETS})"
_WHOM = rf"(?:{FIRST}|{_THEIRS})"
_WHOSE = rf"(?:{_WHOM}の)?"
_BY_NAME = r"(?:さん|くん|君|ちゃん|氏|選手|大臣|首相|監督|社長|部長|会社|政府|彼|彼女|友達|友人|同僚|先輩|後輩|先生)"
_TOLD = r"(?:よ|んだ|んです|から|ので)*[。！!\s]*$"
DECIDED = re.compile(
    rf"(?:に|で|と)(?:決め(?:た|ました)|決まっ(?:た|たん)|決まりました|決定し(?:た|ました)){_TOLD}"
    rf"|ことに(?:し(?:た|ました)|決め(?:た|ました)|決まりました|決まった|なった|なりました){_TOLD}|^決定(?:事項)?[：:]"
)
_OTHERS = re.compile(
    rf"^[^、。]{{0,20}}?(?:{_BY_NAME}|{KIN}|市|国|店|社)(?:は|が)[^、。]*(?:に決め|こと)|^[^、。は]{{1,20}}が[^、。]*こと|^(?:[A-Z]\w+|[ァ-ヺー]+)は[^、。]*[をで][^、。]*ことにし"
)
_WILL = re.compile(r"ことに(?:し|決め)")
_LASTING = re.compile(
    rf"[月年週春夏秋冬]から|今年|来年|毎[日週月朝晩]|^(?:{FIRST}|私たち|僕たち|うち|みんな|家族|夫婦)(?:は|で)|は[^、。]{{2,}}こと|(?:飼う|習う|(?:辞|や|止)める|始める|引っ越す|買う|売る|住む|結婚する|離婚する|転職する|続ける|通う|使う|受ける|申し込む|建てる|契約する|解約する|留学する|(?:食べ|飲ま|買わ|使わ|吸わ)ない)こと"
)
"""A will that lasts, and not what somebody does next."""
HOWTO = re.compile(r"(?:方法|手順|やり方|コツ|直し方|使い方)は?[：:]")
_INSTRUCTS = re.compile(
    rf"(?:これから(?:は|も)|今後(?:は|も|、)|以後(?:は|、)|次(?:回)?からは?)[^。？?]{{2,60}}(?:て|ないで|ように(?:して)?){_MAY}"
    rf"|(?:使わ|送ら|書か|呼ば|出さ|勧め|すすめ|提案し|予約し|電話し|連絡し|起こさ|入れ|付け|つけ|含め|共有し|削除し|触ら|マージし|デプロイし|コミットし|質問し|返信し|かけ)ないで{_MAY}"
    rf"|(?:いつも|必ず|毎回|常に)[^。？?]{{1,40}}(?:答え|返事し|返信し|返し|書い|話し|使っ|付け|つけ|送っ|確認し)て{_MAY}"
    rf"|{FIRST}(?:のこと)?[はを][^。？?]{{1,15}}(?:と|って)呼んで{_MAY}|^[^、。はをが]{{1,12}}(?:と|って)呼んで{_MAY}"
    rf"|(?:日本語|英語|中国語|韓国語|敬語|タメ口|関西弁|丁寧語|箇条書き)(?:だけ)?で(?:答え|返事し|返し|話し|書い)て{_MAY}"
)
_ONCE = re.compile(
    r"まだ|気を(?:つけ|付け)|注意し|頑張|がんば|いつも(?:の|[^、。]{1,10}(?:てる|ている|てた))|これ[をはに]|この|その|それ|あの|今回|もう一度|もう一回|一文|一言|一行|待って|ここ|さっき|今[はの、]"
)
_WORK = r"(?:看護師|医師|医者|歯科医|教師|先生|講師|教授|弁護士|会計士|税理士|美容師|調理師|料理人|保育士|介護士|薬剤師|獣医|警察官|消防士|公務員|会社員|主婦|主夫|学生|大学生|高校生|大学院生|エンジニア|プログラマー?|デザイナー|ライター|編集者|記者|翻訳者|通訳|作家|画家|写真家|音楽家|研究者|建築士|運転手|農家|漁師|フリーランス|パイロット)"
_STATE = r"(?:[^、。はがを]{0,12}アレルギー|花粉症|喘息|ぜんそく|糖尿病|高血圧|低血圧|乳糖不耐症|ベジタリアン|ヴィーガン|ビーガン|菜食主義者?|左利き|色覚異常|妊娠中|独身|既婚|[ABO]{1,2}型)"
_NOUN = r"[\u3400-\u9fff々ァ-ヺーA-Z][\u3400-\u9fff々ァ-ヺーA-Za-z・ ]{0,12}[ぁ-ゖ]{0,3}?"
_PROPERTY = (
    rf"(?:(?:名前|本名|苗字|名字|下の名前|あだ名)は(?:{_NOUN}|[ぁ-ゖ]{{2,6}}?)|(?:誕生日|結婚記念日|命日)は[^、。]{{0,6}}\d{{1,2}}月\d{{1,2}}日|(?:誕生日|結婚記念日|命日)は[一二三四五六七八九十]{{1,2}}月[一二三四五六七八九十]{{1,3}}日|"
    rf"(?:出身地?|実家|住所|職場|勤務先|最寄り駅)は[^、。]{{0,6}}?{PLACE}(?:に(?:あります|ある))?|(?:電話番号|メールアドレス)は[\w.@+-]{{5,40}}|血液型は[ABO]{{1,2}}型?|(?:職業|仕事)は[^、。]{{0,6}}?{{work}}|"
    rf"(?:趣味|好物)は[^、。がを]{{0,8}}?(?:[ァ-ヺー]{{2,}}|鑑賞|観賞|料理|読書|釣り|登山|旅行|散歩|園芸|写真|編み物|書道|囲碁|将棋|水泳|巡り|こと)|身長は\d{{2,3}}(?:センチ|cm)?|(?:靴|服)のサイズは\w{{1,6}}|(?:母語|母国語)は[^、。]{{1,6}}語|専攻は[^、。]{{1,8}}学)"
)
_SELF = re.compile(
    rf"^{_WHOSE}{_PROPERTY.replace('{work}', _WORK)}(?:なん)?(?:だ|です|と申します|と言います|といいます|である|(?<=にある)|(?<=にあります)){_STOP}"
    rf"|^(?:{_WHOM}は)?[^、。はがをも？?]{{1,15}}に住ん{_DOES}"
    rf"|^(?:{_WHOM}(?:は|には?|、)?)?{_STATE}(?:が(?:ある|あります)|持ち|で){_IS}|^(?:{_WHOM}は)(?:[^、。]{{0,6}}の)?{_STATE}{_IS}|^[^、。はがをの]{{1,10}}アレルギー(?:なん)?(?:だ|です){_STOP}"
    rf"|^(?:{_WHOM}は)?[^、。は？?]{{1,20}}(?:が|のが)(?:大|一番|とても|本当に|すごく|あまり)?(?:好き|嫌い|苦手){_IS}|^{_WHOM}は[^、。は？?]{{1,15}}(?:が|は)?(?:大)?(?:好き|嫌い|苦手){_IS}"
    rf"|^(?:{_WHOM}は)?[^、。はが？?]{{0,15}}{_WORK}(?:をし{_DOES}|とし?て働い{_DOES})|^{_WHOM}は[^、。はが？?]{{0,12}}{_WORK}{_IS}"
    rf"|^(?:{_WHOM}は)[^、。？?]{{1,20}}(?:を教え|で働い|に勤め|に通っ|を勉強し|を専攻し|を飼っ|を習っ){_DOES}|^[^、。はが？?]{{1,12}}(?:に勤め|を飼っ){_DOES}"
    rf"|^(?:{FIRST}は)?[^、。がを？?]{{1,12}}(?:は|が)(?:一切|絶対に?|全く|まったく)?(?:食べられ|飲め)(?:ない|ません){_STOP}|^(?:{FIRST}は)?[^、。がを？?]{{1,12}}は(?:一切|絶対に?)(?:食べ|飲み|飲ま)(?:ない|ません){_STOP}"
    rf"|^{_THEIRS}(?:の[^、。はが？?]{{1,8}})?は[^、。？?]{{0,12}}(?:\d{{1,3}}|[一二三四五六七八九十]{{1,3}})歳(?:で$|{_IS})|^{_THEIRS}は[^、。？?]{{1,15}}(?:という名前|といいます|と言います){_IS}"
    rf"|^{FIRST}は[^、。？?]{{1,15}}(?:出身|生まれ|育ち){_IS}|^(?:{FIRST}は)?[^、。はがを？?]{{1,12}}で(?:生まれ(?:た|ました)|育(?:った|ちました)){_STOP}"
)
_LOOSE = re.compile(
    r"[こそあ]れに決|(?:方|ほう|番目|案|やつ|奴)が|未定|考え中|秘密|内緒|以上は|[a-z]+[A-Z_]\w*|忘れ|(?:みんな|皆)[^、。]{0,12}(?:好き|嫌い|苦手)|誰|人もいる|人は|だね[。！!]*$|よね[。！!]*$|ですね[。！!]*$"
)
"""Is of one of several, not known, of everybody, or asks to agree."""
_STATES = re.compile(
    r"^[^、。，,は？?]{2,25}は[^？?]{1,40}?(?:(?:まで|から|開始|締め?切り?)?(?:なん)?(?:だ|です|である)|(?:円|日|時|曜|から|まで|に変わった|に変わりました))(?:よ|から|ので)*[。！!\s]*$"
)
_DAYS = re.compile(
    r"^(?:今日|明日|昨日|明後日|今|現在|ここ|来週|先週|週末)|^(?:クリスマス|元[日旦]|大晦日|バレンタイン|ハロウィン|ひな祭り)|^[^、。は]{0,10}(?:(?<!結婚)記念日|誕生日|祝日|命日)は"
)
_PAID = re.compile("月|年|週|家賃|会費|給料|月謝|保険|予算|時給")
_REGULAR = re.compile(r"毎[日週月年朝晩]")
_MEASURED = frozenset({"money", "g", "metre", "byte"})


def plain(bare: str, values: Sequence[Value]) -> tuple[str, str]:
    """By which rule a statement is plain, and its tag; nothing for one that is not."""
    if not is_meant(bare) or DANGLING.match(bare) or YOU.search(bare):
        return "", ""
    if HOWTO.search(bare):
        return "howto", "skill"
    if _INSTRUCTS.search(bare) and is_standing(bare) and not _ONCE.search(bare):
        return "instruction", "knowledge"
    if PASSING.search(bare) or _LOOSE.search(bare):
        return "", ""
    if any(_SELF.search(clause) and not DANGLING.match(clause) for clause in _CLAUSE.split(bare)):
        return "oneself", "knowledge"
    if DECIDED.search(bare):
        passing = _OTHERS.search(bare) or (_WILL.search(bare) and not _LASTING.search(bare))
        return ("", "") if passing else ("decided", "decision")
    dated = [value for value in values if value.kind == "date" and value.key[2] is not None]
    lasting = [value for value in values if value.unit in _MEASURED or value.kind in ("weekday", "time")]
    stated = _STATES.match(bare)
    if (
        stated
        and not _DAYS.match(bare)
        and (dated or (lasting and (_REGULAR.search(bare) or _is_measure(lasting, bare))))
    ):
        return "value", "event" if dated else "knowledge"
    return "", ""


def _is_measure(values: Sequence[Value], text: str) -> bool:
    """Whether a measure is one that things have for long; a price is, where it is paid again and again."""
    return any(value.unit in _MEASURED and (value.unit != "money" or _PAID.search(text)) for value in values)
