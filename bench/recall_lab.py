"""Ranking alone, without an engine: how much of LoCoMo's evidence is found, what a question costs, and a Chinese probe.

python bench/recall_lab.py --data ../shared/bench/locomo10.json [--report] [--words] [--pools]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that spin cost more than these small products

import numpy as np

from oldsoul.adapters.embedders.static import StaticTable
from oldsoul.language.sentences import sentences
from oldsoul.ranking.answers import Answer, Limits, Signals, answer, calibrated, signals, unanswerable
from oldsoul.ranking.lexical import matches
from oldsoul.ranking.marks import marked
from oldsoul.ranking.order import Wishes, rank
from oldsoul.ranking.pool import Asked, Known, Pool, Space, Static, Statistics
from oldsoul.ranking.question import Question, asked
from oldsoul.ranking.terms import prefix, terms
from oldsoul.ranking.vectors import directions, embedded, raw_means, runs, weights

TUNING = ("conv-26", "conv-30", "conv-41")
ANSWERABLE = (1, 2, 3, 4)
ID = re.compile(r"D\d+:\d+")

CUTS = (5, 10, 20)


@dataclass
class Turn:
    """One turn of a conversation."""

    id: str
    speaker: str
    text: str
    said: datetime
    document: int
    ordinal: int


class Lab:
    """One store in memory, asked the way an engine asks."""

    def __init__(self, turns: list[Turn], tables: list[StaticTable]) -> None:
        self.turns, self.tables = turns, tables
        self.people = tuple(dict.fromkeys(turn.speaker for turn in turns))
        self.numbers: dict[str, int] = {}
        self.frequency: Counter[int] = Counter()
        rows = []
        for turn in turns:
            line = terms(f"{turn.said.day} {turn.said:%B %Y} {turn.speaker} {turn.text}")
            rows.append([self.numbers.setdefault(term, len(self.numbers)) for term in line])
            self.frequency.update(set(rows[-1]))
        self.kin: dict[str, list[int]] = defaultdict(list)
        for term, number in self.numbers.items():
            self.kin[prefix(term)].append(number)
        made = [self._space(table) for table in tables]
        self.statics = [static for static, _ in made]
        notes = [marked(turn.text, turn.said.date()) for turn in turns]
        self.average = sum(map(len, rows)) / max(1, len(rows))
        self.pool = Pool(
            row=np.arange(len(turns)),
            document=_ints(turn.document for turn in turns),
            ordinal=_ints(turn.ordinal for turn in turns),
            time=np.asarray([int(turn.said.timestamp()) for turn in turns], dtype=np.int64),
            speaker=_ints(self.people.index(turn.speaker) for turn in turns),
            speakers=self.people,
            own=np.zeros(len(turns), dtype=bool),
            flags=_ints(note.flags for note in notes),
            length=_ints(note.length for note in notes),
            event_from=_ints(note.event_from for note in notes),
            event_to=_ints(note.event_to for note in notes),
            confidence=np.ones(len(turns), dtype=np.float32),
            terms=_ints(number for row in rows for number in row),
            term_start=np.cumsum([0, *map(len, rows)]),
            spaces=tuple(space for _, space in made),
        )

    def _space(self, table: StaticTable) -> tuple[Static, Space]:
        flat: list[int] = []
        starts, begins = [0], []
        for turn in self.turns:
            for part in filter(None, table.tokens(sentences(turn.text))):
                begins.append(len(flat))
                flat += part
            starts.append(len(flat))
        tokens, token_start = _ints(flat), np.asarray(starts, dtype=np.int64)
        weight = weights(np.bincount(tokens, minlength=len(table.vectors)))
        mean = raw_means(tokens, token_start, table.vectors, weight).mean(0)
        static = Static(table=table.vectors, weight=weight, mean=mean)
        sentence_start = np.asarray(begins, dtype=np.int64)
        kept = embedded(tokens, token_start, sentence_start, static)
        return static, Space(kept.vectors, tokens, token_start, sentence_start, kept.sentence_norm)

    def statistics(self, question: Question) -> Statistics:
        """What an engine looks up for a question."""
        known = []
        for term, belonging in zip(question.terms, question.members, strict=True):
            number = self.numbers.get(term, -1)
            kin = self.kin.get(prefix(term), [])
            own = [self.numbers[each] for each in belonging if each in self.numbers]
            known.append(Known(number, self.frequency[number], tuple(kin), self._sum(kin), tuple(own), self._sum(own)))
        return Statistics(
            rows=len(self.turns),
            average_terms=self.average,
            known=tuple(known),
            asked=tuple(
                Asked(
                    static, tuple(table.tokens([question.spoken])[0]), tuple(map(tuple, table.tokens(question.content)))
                )
                for table, static in zip(self.tables, self.statics, strict=True)
            ),
        )

    def _sum(self, numbers: list[int]) -> int:
        return sum(self.frequency[number] for number in numbers)

    def candidates(self, statistics: Statistics, most: int) -> Pool:
        """The best by words and the best by vectors with their neighbours, as an engine would pick them."""
        met = matches(self.pool, statistics, [])
        best = set(np.argsort(-(met.terms + met.members), kind="stable")[:most].tolist())
        for space, given in zip(self.pool.spaces, statistics.asked, strict=True):
            if given.static is not None:
                spoken, content = directions(given, given.static).whole
                query = spoken + 0.8 * content
                best |= set(np.argsort(-(space.vectors @ query), kind="stable")[:most].tolist())
        document = self.pool.document
        wide = {at + step for at in best for step in range(-2, 3) if 0 <= at + step < len(document)}
        near = [at for at in wide if any(b in best and document[b] == document[at] for b in range(at - 2, at + 3))]
        return taken(self.pool, np.asarray(sorted(near), dtype=np.int64))


def _ints(values: Any) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.asarray(list(values), dtype=np.int32)


def taken(pool: Pool, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Pool:
    """Some rows of a pool as a pool."""
    columns = (
        "row",
        "document",
        "ordinal",
        "time",
        "speaker",
        "flags",
        "length",
        "event_from",
        "event_to",
        "confidence",
    )
    sizes = np.diff(pool.term_start)[rows]
    return Pool(
        **{name: getattr(pool, name)[rows] for name in columns},
        speakers=pool.speakers,
        terms=pool.terms[runs(pool.term_start[rows], sizes)],
        term_start=np.append(0, np.cumsum(sizes)),
        spaces=tuple(_taken_space(space, rows) for space in pool.spaces),
    )


def _taken_space(space: Space, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Space:
    sizes = np.diff(space.token_start)[rows]
    places = runs(space.token_start[rows], sizes)
    inside = np.isin(space.sentence_start, places)
    return Space(
        vectors=space.vectors[rows],
        tokens=space.tokens[places],
        token_start=np.append(0, np.cumsum(sizes)),
        sentence_start=np.searchsorted(places, space.sentence_start[inside]),
        sentence_norm=space.sentence_norm[inside],
    )


def turns_of(sample: dict[str, Any], first: int = 0) -> list[Turn]:
    """The turns of a conversation; what a picture shows stands with its turn. Documents are numbered from `first`."""
    talk = sample["conversation"]
    found = []
    for number in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        said = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for ordinal, turn in enumerate(talk[f"session_{number}"]):
            text = turn["text"] + (f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            found.append(Turn(turn["dia_id"], turn["speaker"], text, said, first + number, ordinal))
    return found


@dataclass
class Tally:
    """What was found."""

    per: dict[int, list[tuple[float, ...]]] = field(default_factory=lambda: defaultdict(list))
    skipped: int = 0
    seconds: float = 0.0
    sizes: list[int] = field(default_factory=list)

    def add(self, category: int, order: list[int], documents: list[int], good: set[int], held: set[int]) -> None:
        """One question: the rows in order, their documents, and where the evidence is."""
        shares = [len(good & set(order[:cut])) / len(good) for cut in CUTS]
        first = list(dict.fromkeys(documents))[: CUTS[0]]
        self.per[category].append((*shares, len(held & set(first)) / len(held)))

    def show(self, title: str) -> None:
        """Print a table."""
        every = [line for lines in self.per.values() for line in lines]
        print(
            f"\n{title}: {len(every)} questions, {self.skipped} malformed evidence ids skipped, "
            f"{1000 * self.seconds / len(every):.2f} ms CPU a question, {np.mean(self.sizes):.0f} rows in the pool"
        )
        print("            n    R@5   R@10   R@20  sessions@5")
        for name, lines in [("all", every), *((f"category {key}", self.per[key]) for key in sorted(self.per))]:
            cells = "  ".join(f"{100 * value:5.1f}" for value in np.mean(lines, axis=0))
            print(f"{name:10s} {len(lines):4d}  {cells}")


def evaluate(lab: Lab, samples: list[tuple[dict[str, Any], int]], tally: Tally, most: int | None = None) -> None:
    """Ask all answerable questions of the samples, whose turns begin at these rows of the store."""
    for sample, start in samples:
        place = {turn.id: start + at for at, turn in enumerate(turns_of(sample))}
        for item in sample["qa"]:
            ids = {found for each in item["evidence"] for found in ID.findall(each)}
            good = {place[each] for each in ids if each in place}
            if item["category"] not in ANSWERABLE:
                continue
            tally.skipped += len(ids) - len(good)
            if not good:
                continue
            pool, begun = lab.pool, time.process_time()
            question = asked(str(item["question"]), lab.people)
            known = lab.statistics(question)
            if most is not None:
                tally.seconds += time.process_time() - begun
                pool = lab.candidates(known, most)
                begun = time.process_time()
            ranked = rank(pool, known, question, Wishes(limit=len(pool), now=2_000_000_000))
            tally.seconds += time.process_time() - begun
            tally.sizes.append(len(pool))
            held = {int(lab.pool.document[each]) for each in good}
            tally.add(
                item["category"], pool.row[ranked.order].tolist(), pool.document[ranked.order].tolist(), good, held
            )


def judged(samples: list[dict[str, Any]], tables: list[StaticTable]) -> None:
    """How often `unknown` is said: rightly of category 5, wrongly of the others."""
    said: dict[bool, Counter[Answer]] = {True: Counter(), False: Counter()}
    for sample in samples:
        lab = Lab(turns_of(sample), tables)

        def look(text: str, lab: Lab = lab) -> tuple[Question, Signals]:
            question = asked(text, lab.people)
            ranked = rank(lab.pool, lab.statistics(question), question, Wishes())
            return question, signals(lab.pool, question, ranked.scored)

        calibration = calibrated([look(text)[1] for text in unanswerable(lab.people, "en")])
        for item in sample["qa"]:
            question, found = look(str(item["question"]))
            verdict = answer(found, calibration, question, disputed=False, limits=Limits())
            said[item["category"] in ANSWERABLE][verdict] += 1
    for answerable, counts in said.items():
        total = sum(counts.values())
        shares = ", ".join(f"{verdict} {100 * counts[verdict] / total:.1f} %" for verdict in list(Answer)[:3])
        print(f"{'answerable (1-4)' if answerable else 'unanswerable (5)'}: {shares} of {total}")


def chinese(tables: list[StaticTable]) -> None:
    """The Chinese probe: first hits and hits among three."""
    turns = [
        Turn(str(at), "", text, datetime(2026, 1, 1 + at % 28, tzinfo=UTC), at, 0) for at, (text, _) in enumerate(PROBE)
    ]
    lab = Lab(turns, tables)
    places = []
    for at, (_, text) in enumerate(PROBE):
        question = asked(text)
        ranked = rank(lab.pool, lab.statistics(question), question, Wishes(limit=len(PROBE), half_life_days=None))
        places.append(ranked.order.tolist().index(at))
    print(
        f"Chinese: {sum(p == 0 for p in places)} first hits, {sum(p < 3 for p in places)} among three, of {len(PROBE)}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--report", action="store_true", help="the seven conversations that were not tuned on, too")
    parser.add_argument("--words", action="store_true", help="compare words alone, not their meaning")
    parser.add_argument("--pools", action="store_true", help="what it costs to rank only the best candidates")
    given = parser.parse_args()
    tables = [] if given.words else [StaticTable()]
    data = json.loads(given.data.read_text("utf-8"))
    parts = {"tuning": [sample for sample in data if sample["sample_id"] in TUNING]}
    if given.report:
        parts["held out"] = [sample for sample in data if sample["sample_id"] not in TUNING]
    chinese(tables)
    for name, samples in parts.items():
        tally = Tally()
        for sample in samples:
            evaluate(Lab(turns_of(sample), tables), [(sample, 0)], tally)
        tally.show(name)
        judged(samples, tables)
        if given.pools:
            turns: list[Turn] = []
            starts = []
            for number, sample in enumerate(samples):
                starts.append((sample, len(turns)))
                turns += turns_of(sample, 1000 * number)
            lab = Lab(turns, tables)
            for most in (None, 400, 200, 100):
                tally = Tally()
                evaluate(lab, starts, tally, most)
                tally.show(f"{name}, all in one store, candidates: {most or 'all'}")


PROBE = (
    ("我家的猫叫团子，是只橘猫。", "我养的宠物名字是什么？"),
    ("上周三我去医院看了牙，医生说要拔智齿。", "我的牙齿有什么毛病？"),
    ("我对花生过敏，吃了会起疹子。", "哪些食物我不能碰？"),
    ("妹妹在上海读研究生，学的是建筑。", "我的家人里谁还在上学？"),
    ("我每天早上六点半起床跑步五公里。", "我平时怎么锻炼身体？"),
    ("公司决定把数据库从MySQL换成PostgreSQL。", "我们后来改用了哪种数据存储？"),
    ("老板要求周报在每周五下午四点之前交。", "工作总结最晚什么时候提交？"),
    ("我不喜欢吃香菜，点菜时请提醒服务员不要放。", "订餐要注意什么口味？"),
    ("爸爸的生日是农历八月十五。", "父亲哪天出生？"),
    ("我们打算明年春天去京都看樱花。", "下一次旅行计划去哪里？"),
    ("我的车牌号是沪A88321，车停在地下二层。", "我的汽车放在什么位置？"),
    ("房东把租金涨到了每月六千五。", "现在住的地方一个月要花多少钱？"),
    ("小李离职了，他的项目由王芳接手。", "原来那位同事的工作现在谁负责？"),
    ("我正在学弹吉他，已经会弹三首歌。", "我最近在练什么乐器？"),
    ("奶奶血压高，每天要吃降压药。", "家里老人身体怎么样？"),
    ("孩子的家长会改到了周四晚上七点。", "学校的会议安排在什么时间？"),
    ("我喜欢用深色主题写代码，字体用等宽的。", "我的编辑器偏好是什么颜色？"),
    ("去年夏天我在青岛学会了游泳。", "我是在哪个城市掌握这项水上运动的？"),
    ("测试服务器的地址是10.0.0.12，只能内网访问。", "用来试运行的机器在哪里？"),
    ("我和太太结婚十周年，想送她一条项链。", "纪念日准备买什么礼物？"),
    ("医生建议我少喝咖啡，晚上睡不好。", "我失眠的原因可能是什么饮料？"),
    ("这个季度的销售额比上季度增长了百分之十二。", "最近业绩有没有提高？"),
    ("我把护照放在书房左边第二个抽屉里。", "出国证件收在哪儿？"),
    ("楼下新开的面馆牛肉面很好吃。", "附近有什么值得推荐的餐厅？"),
    ("发布新版本之前必须先跑完全部自动化测试。", "上线有什么规定？"),
    ("张伟升职当了市场部经理。", "谁得到了晋升？"),
    ("我的笔记本电脑屏幕坏了，送去维修了。", "哪件电子设备出了故障？"),
    ("周末带女儿去动物园看了大熊猫。", "我们和小孩一起去哪里玩过？"),
    ("我最近在读一本关于罗马帝国历史的书。", "我在看什么题材的读物？"),
    ("冬天家里暖气不热，物业说下周来修。", "取暖设备的问题谁来解决？"),
    ("我从小在成都长大，喜欢吃辣。", "我的家乡是哪里？"),
    ("客户希望合同用英文再出一份。", "对方对协议的语言有什么要求？"),
    ("我每个月往基金里存两千块。", "我怎样理财投资？"),
    ("弟弟考上了飞行学院，将来想当机长。", "谁的理想是开飞机？"),
    ("阳台上种了番茄和薄荷。", "家里栽了哪些植物？"),
    ("我戒烟已经三年了。", "我还抽烟吗？"),
    ("服务器每天凌晨三点自动备份。", "数据副本是什么时候做的？"),
    ("我换了新的手机号，尾号是7766。", "联系我的电话有什么变化？"),
    ("健身教练说我的膝盖不适合深蹲。", "运动时身体哪个部位要小心？"),
    ("我养了一缸热带鱼，每天喂两次。", "家里水族箱多久投食？"),
    ("外婆会做很好吃的红烧肉。", "谁的厨艺好，拿手菜是什么？"),
    ("我们的产品下个月在深圳开发布会。", "新品在哪座城市亮相？"),
    ("我怕坐飞机，出差一般坐高铁。", "我远途出行通常选什么交通工具？"),
    ("夜里楼上太吵，我买了一副耳塞。", "我怎么对付邻居的噪音？"),
)
"""Chinese memories, each with a question in other words."""


if __name__ == "__main__":
    main()
