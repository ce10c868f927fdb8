"""A first look at every incoming message: tables of patterns, a linear-time engine, no model."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from oldsoul.values.messages import Flag
from oldsoul.values.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oldsoul.rules.options import TriageOptions

MINER, VALIDATOR = "memory-miner", "recall-validator"
_FOR_ALL = (MINER, "session-summarizer")
MEMORY, RECALL, SOFT, CUSTOM = "memory", "recall", "soft", "custom"
MAX_CUSTOM = 200
MAX_PATTERN = 1000
_MAX_PHRASE = 200
_MEMORY_BYTES = 16 * 1024 * 1024
_LATIN = ("en",)
_APOSTROPHES = "['’‘ʼ＇]"


class Trigger(NamedTuple):
    """One table of patterns and what a match of any of them means."""

    name: str
    """`memory`, `recall` or `soft`"""
    route: str
    """the keeper it leads to"""
    confidence: str
    """how sure a match is of what it means"""
    patterns: tuple[str, ...]
    """the patterns; an apostrophe stands for any kind of apostrophe"""


TABLES = {
    "en": (
        Trigger(
            MEMORY,
            MINER,
            "high",
            (
                r"remember (that|this|when)",
                r"don't forget",
                r"important:",
                r"decision:",
                r"we agreed",
                r"the plan is",
                r"note to self",
            ),
        ),
        Trigger(
            RECALL,
            VALIDATOR,
            "high",
            (
                r"i (already|just) told you",
                r"we (talked|discussed|went over) (about |this)",
                r"you forgot",
                r"remember when i said",
                r"i mentioned (this|that|it) (before|earlier|already|yesterday|last)",
                r"no,? (i said|it's|it was|my)",
                r"how many times",
                r"don't you remember",
            ),
        ),
        Trigger(
            SOFT,
            VALIDATOR,
            "medium",
            (
                r"actually,? (it's|it was|the|I|we|that)",
                r"no,? (it's|that's|the) ",
                r"i (changed|switched|moved|updated|stopped|started) ",
                r"that's (not right|wrong|outdated|old)",
                r"it's .{1,30} now",
            ),
        ),
    ),
    "zh": (
        Trigger(
            MEMORY,
            MINER,
            "high",
            (
                r"(请|請|帮我|幫我|你要|一定要|务必|務必|给我|給我)[^，。！？,.!?]{0,4}(记住|記住|记好|記好|记下|記下)",
                r"^[^，。！？,.!?]{0,2}(记住|記住|记下|記下)",
                r"(别|別|不要|勿)忘(了|记|記)",
                r"(重要|注意|关键|關鍵)[：:]",
                r"(决定|決定|结论|結論)(是|了)?[：:]",
                r"我们(说好|商定|约定|约好|决定|谈好|定了)|我們(說好|商定|約定|約好|決定|談好|定了)",
                r"(计划|計劃|方案|安排)(是|就是)[：:，,]?",
                r"(备忘|備忘|备注|備註|提醒自己|给自己提个醒)",
            ),
        ),
        Trigger(
            RECALL,
            VALIDATOR,
            "high",
            (
                r"我(不是)?(已经|已經|刚刚|剛剛|刚才|剛才|刚|剛|早就|都)(跟|和|对|對|告诉|告訴)(过|過)?你(们|們)?(说|說|讲|講|提)?(过|過|了)?",
                r"我们(之前|上次|昨天|已经|早就)?(聊过|谈过|讨论过|说过)这|我們(之前|上次|昨天|已經|早就)?(聊過|談過|討論過|說過)這",
                r"你(又|怎么|怎麼|是不是|居然|竟然|都)*忘(了|记|記)",
                r"(记得|記得)我(说|說|讲|講|提)过?過?.{0,6}(吗|嗎|吧)",
                r"我(之前|以前|昨天|上次|上周|上週|早上|刚才|剛才)(就|已经|已經|不是|跟你|和你|都)*(说|說|提|讲|講)(过|過)",
                r"不[，, ]?(我说的是|我說的是|我说过|我說過|是我的|我的是)",
                r"(说|說|讲|講|告诉|告訴|提醒)[^，。！？]{0,4}(多少|几|幾|好几|好幾)(次|遍|回)",
                r"你(不|没|沒)(记得|記得|记住|記住)(了)?",
            ),
        ),
        Trigger(
            SOFT,
            VALIDATOR,
            "medium",
            (
                r"(其实|其實|实际上|實際上)[，, ]?(是|应该|應該|不是|我|我们|我們|那个|那個|这个|這個)",
                r"(不对|不對|不是|错了|錯了)[，,。！! ]{1,2}(是|应该|應該|那是|那个|那個)",
                r"我(已经|已經|刚|剛|最近|现在|現在|又)?(换|換|改|搬|更新|停|开始|開始)(成|到|用|了|去)",
                r"(不对|不對|错了|錯了)[，,。！! ]{1,2}[^，。！？,.!?]{0,8}(改|换|換|搬|延|推迟|推遲|提前|挪|调|調)(到|成|为|為|至|了)",
                r"(这|這|那)(个|個)?(不对|不對|错了|錯了|过时了|過時了|是旧的|是舊的|已经过期|已經過期)",
                r"(现在|現在).{0,12}(改成|改为|改為|变成|變成|换成|換成|是).{1,20}了",
            ),
        ),
    ),
    "ja": (
        Trigger(
            MEMORY,
            MINER,
            "high",
            (
                r"覚え(て(おい|い)?て|といて|とけ|とき)(ね|よ|ください|下さい|ほしい|欲しい|くれ)?(んだけど|んですが)?([、。！!：:\s]|$)",
                r"(メモ|記憶|記録)(し|っ)(て|と)(お?い)?(て)?(ね|よ|ください|下さい|ほしい|くれ)?([、。！!：:\s]|$)",
                r"(忘れない(で|ように)|お忘れなく)(ね|よ|ください|下さい|ほしい|して)*([、。！!：:\s]|$)",
                r"(^|[。！!\n])\s*(重要|注意|大事|備忘|備忘録|メモ|メモお願い|決定|決定事項)[：:]",
                r"(^|[、。！!\n])[^、。！？!?をが]{1,20}は[^、。！？!?をが]{1,20}[にで](決めた|決めました|決まった|決まりました|決定した|決定しました)(よ|んだ|んです|から)*([、。！!\s]|$)",
                r"(^|[、。！!\n])[^、。！？!?が]{1,30}ことに(決めた|決めました|決まった|決まりました|なりました)(よ|んだ|んです|から)*([、。！!\s]|$)",
                r"(来週|来月|来年|今後|次回|月|日|曜|年|春|夏|秋|冬)から[^。！？!?、]{1,30}ことにし(た|ました)(よ|んだ|んです|から)*([、。！!\s]|$)",
                r"(これから|今後)は[^。！？!?]{2,40}(て|ないで|ように)(して)?(ね|よ|ください|下さい|ほしい|くれ|お願いします)*[。！!]*($|\n)",
                r"(私|わたし|僕|ぼく|俺|おれ)(のこと)?[をは][^。！？!?、]{1,12}(と|って)呼んで(ね|ください|下さい|ほしい|くれ)*([、。！!\s]|$)",
                r"(^|[。！!\n、])(私|わたし|僕|ぼく|俺|おれ|うち)は[^。！？!?、]{1,20}(が|は)(大)?(好き|嫌い|苦手)(だ|です|なんだ|なんです)?(よ|から)*([、。！!\s]|$)",
                r"(^|[。！!\n、])(私|わたし|僕|ぼく|俺|おれ)は[^。！？!?、]{1,15}に住んで(い)?(る|ます)(よ|んだ|んです)*([、。！!\s]|$)",
                r"(^|[。！!\n、])((私|僕|俺|うち|妻|夫|娘|息子|母|父|犬|猫)の){1,2}(名前|誕生日)は[^。！？!?]{0,20}[^。！？!?いくう](だ|です|といいます|と言います)(よ)?([、。！!\s]|$)",
                r"^誕生日は[^。！？!?がを]{0,6}[0-9一二三四五六七八九十]{1,3}月[^。！？!?がを]{1,6}(だ|です)(よ)?([、。！!\s]|$)",
                r"アレルギー(があります|がある|があって|なんです|なんだ|持ちです|です)(よ|から|ので)*([、。！!\s]|$)",
            ),
        ),
        Trigger(
            RECALL,
            VALIDATOR,
            "high",
            (
                r"(さっき|前に|この前|以前|もう|先日|昨日)(も|にも)?[^。！？!?、]{0,6}(言った|話した|伝えた|説明した|言いました)(よね|でしょ|じゃん|のに|けど|はず|だろ)",
                r"(^|[、。！!\n])(もう|だから|ねえ|さっきから)?、?(何度|何回|なんど)(も)?(言って(い)?る|言って(い)?ます|言った(よ|で)|言えば|言ったら|説明すれば)",
                r"(^|[、。！!\n])[^、。！？!?「『]{0,8}(また|もう|なんで)忘れ(た|ちゃった|てる|ました)(の|んですか|か)[？?。！!]*$",
                r"(^|[、。！!\n])[^、。！？!?「『]{0,12}(覚えて(い)?ない|忘れちゃった|忘れた)(の|んですか|わけ)[？?]",
            ),
        ),
        Trigger(
            SOFT,
            VALIDATOR,
            "medium",
            (
                r"^(いや|いえ|いいえ|ううん|あ)?[、。,！! ]{0,2}(違う){0,2}(違うよ|違うって|違います|違う|ちがうよ|ちがいます|ちがう)(よ|んだ|んです)?[、。，,！!：: ]+[^、。！？!?]{1,25}(だ|です|た|曜|曜日|[0-9](日|時|円|人|歳))(よ)?([、。！! ]|$)",
                r"(^|[。！!、])(そう(じゃ|では)(なくて|なくって|なく|ないよ|ないです|ありません)|そうじゃない)([、。，,！! ]|$)",
                r"(それ|これ|そこ)?(は|が)?(間違(って|えて)(い)?(る|ます)|間違いです|古い(情報|やつ)(だ|です))(よ)?([、。！! ]|$)",
                r"(^|[。！!、\n])(正しくは|正確には)、?[^、。！？!?]{1,25}(だ|です)(よ)?[。！!]*$",
                r"(^|[。！!\n])訂正(です|します)?([：:][^、。！？!?]{1,30}(だ|です)|[：:、。][^、。！？!?]{1,20}は[^、。！？!?]{1,20})",
                r"(^|[。！!、\n])[^、。！？!? ]{1,15}[は][^、。！？!? ]{1,15}(じゃなくて|ではなくて?)、?[^、。！？!? をて]{1,15}[。！!]*$",
                r"(曜日?|[0-9一二三四五六七八九十](月|日|時|歳|円|人|階))(から)?(じゃなくて|ではなくて?|じゃないよ?、)、?[^、。！？!?をて]{1,15}[。！!]*$",
                r"^(いや|いいえ|いえ|ううん)、[^、。！？!?]{1,20}じゃなくて[^。！？!?をて]{1,15}[。！!]*$",
                r"(^|[、。！!])(私は|僕は|俺は|先月|去年|今は)?[^、。！？!?はがもに]{1,10}に引っ越し(ました|た)(よ|んだ|んです)*[。！!]*$",
                r"(^|[。！!\n])[^、。！？!?：:]{1,25}[は、][^、。！？!?：:]{0,12}[0-9一二三四五六七八九十曜][^、。！？!?：:]{0,8}に(変わった|変わりました|変更になった|変更になりました|変更した|変更しました|延期になった|延期になりました)(よ|んだ|んです)*[。！!]*$",
            ),
        ),
    ),
}


class _Table(NamedTuple):
    """The patterns of one language, made ready."""

    which: Any
    """tells in one pass which of them match; None for a language nobody knows"""
    patterns: list[tuple[Trigger, Any]]
    """each with the table it stands in"""
    ascii: bool
    """whether a text of ASCII alone can match"""


class Triage:
    """The patterns of some languages and of the operator, made ready once."""

    def __init__(self, options: TriageOptions) -> None:
        import re2  # noqa: PLC0415 - only incoming messages need it

        self.problems: list[str] = []
        """what is wrong with the operator's own patterns; those are left out"""
        self._error: type[Exception] = re2.error
        self._compile = re2.compile
        self._options: Any = re2.Options()
        self._options.case_sensitive = False
        self._options.log_errors = False
        self._options.never_capture = True
        self._options.max_mem = _MEMORY_BYTES
        self._ours = [
            self._table(language, re2) for language in dict.fromkeys(options.languages if options.enabled else ())
        ]
        self._theirs = [*self._custom(options)] if options.enabled else []

    def _table(self, language: str, engine: Any) -> _Table:
        """The patterns of a language: one pass over a text tells which of them match."""
        if language not in TABLES:
            self.problems.append(f"triage knows no language {language!r}, only {', '.join(TABLES)}")
            return _Table(None, [], ascii=True)
        which = engine.Set.SearchSet(self._options)
        patterns = []
        for trigger in TABLES[language]:
            for pattern in trigger.patterns:
                source = pattern.replace("'", _APOSTROPHES)
                which.Add(source)
                patterns.append((trigger, self._compile(source, self._options)))
        which.Compile()
        return _Table(which, patterns, ascii=language in _LATIN)

    def _custom(self, options: TriageOptions) -> Iterable[tuple[Trigger, Any]]:
        if len(options.custom_patterns) > MAX_CUSTOM:
            self.problems.append(f"only the first {MAX_CUSTOM} custom patterns are used")
        for number, custom in enumerate(options.custom_patterns[:MAX_CUSTOM], 1):
            if not custom.pattern or len(custom.pattern) > MAX_PATTERN:
                self.problems.append(f"custom pattern {number} is left out: it has no or over {MAX_PATTERN} characters")
                continue
            try:
                compiled = self._compile(custom.pattern, self._options)
            except self._error as error:
                reason = error.args[0] if error.args else error
                text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
                self.problems.append(f"custom pattern {number} is left out: {custom.pattern!r}: {text}")
                continue
            yield Trigger(CUSTOM, custom.route, custom.confidence, (custom.pattern,)), compiled

    def flags(self, text: str) -> tuple[Flag, ...]:
        """What the message holds, table by table, each kind of flag once with the first words that matched."""
        is_ascii = text.isascii()
        data = text.encode("utf-8", "replace")  # as bytes, the engine need not count characters
        candidates = list(self._theirs)
        for table in reversed(self._ours):
            if table.which is not None and (table.ascii or not is_ascii):
                candidates[:0] = [table.patterns[n] for n in sorted(table.which.Match(data) or ())]
        found: dict[tuple[str, str, str], Flag] = {}
        for trigger, compiled in candidates:
            kind = trigger[:3]
            if kind not in found and (match := compiled.search(data)):
                found[kind] = Flag(*kind, phrase=match[0].decode("utf-8", "replace")[:_MAX_PHRASE])
        return tuple(found.values())


@lru_cache(maxsize=64)
def triage(options: TriageOptions) -> Triage:
    """The patterns these settings ask for."""
    return Triage(options)


def leads_to(flag: Flag, origin: Origin, *, related: bool) -> str:
    """The keeper a flag of a message leads to; empty when it leads nowhere.

    Others than the operator reach those keepers alone that take everybody's words; a soft one reaches the validator only
    where there is a related memory it could mean.
    """
    if flag.route in _FOR_ALL:
        return flag.route
    if origin is not Origin.OPERATOR or (flag.route == VALIDATOR and flag.confidence != "high" and not related):
        return ""
    return flag.route
