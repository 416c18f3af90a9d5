"""Near-duplicates among many questions: time, pairs, recall and precision on generated paraphrases.

usage: duplicates.py [--questions 50000] [--subset 2000] [--workers 2] [--seed 1]

Questions in Chinese and English are put together from words; to a tenth of them a paraphrase is added (slips in
letters, other spacing and punctuation, options in another order) and to another tenth a variant (another number).
Recall is the share of paraphrases found as duplicates, precision the share of found duplicates that are paraphrases.
In the same run a subset is compared all with all, by the same rule and without blocking: its time and its pairs say
what blocking saves and what it misses.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence

from parse_templates.duplicates import Entry, compare, find_matches, make_entry


def words(text: str) -> list[str]:
    return text.split()


ZH = words(
    "小球 木块 电阻 电容 斜面 弹簧 气体 液体 溶液 晶体 函数 数列 椭圆 直线 平面 概率 样本 细胞 基因 种群 洋流 季风 "
    "河流 岩石 质量 速度 动量 能量 电流 电压 磁场 温度 压强 浓度 沉淀 反应 平衡 离子 分子 原子 切线 面积 "
    "体积 周期 振幅 频率 波长 焦点 顶点 蛋白质 线粒体 叶绿体 板块 气旋 氧化剂 还原剂 滑轮 杠杆 透镜 光源 导线 线圈"
)
ZH_VERBS = words(
    "经过 静止于 连接 释放 测量 加入 通过 分布在 作用于 转化为 围绕 垂直于 平行于 包含 对应 影响 吸收 放出 改变 保持"
)
EN = words(
    "ball block resistor capacitor slope spring gas liquid solution crystal function sequence ellipse line plane "
    "sample cell gene population current voltage field temperature pressure mass speed momentum energy wave lens "
    "pulley lever magnet coil satellite orbit planet enzyme membrane nucleus reaction catalyst oxide metal acid base "
    "triangle circle vector matrix integral probability volume density force charge particle student container"
)
EN_VERBS = words("moves passes rests falls rotates reacts expands dissolves accelerates vibrates collides reflects")
EN_JOINS = words("above beside through against inside under along across behind towards near within")


def chinese(rng: random.Random) -> tuple[str, list[str]]:
    words = [rng.choice(ZH) for _ in range(8)]
    clauses = [f"{w}{rng.choice(ZH_VERBS)}{rng.choice(ZH)}" for w in words[: rng.randint(3, 6)]]
    numbers = [str(rng.randint(2, 99)) for _ in range(2)]
    stem = f"如图,{'，'.join(clauses)},已知{words[6]}为 {numbers[0]},{words[7]}为 {numbers[1]},则下列说法中成立的是"
    return stem, [f"{rng.choice(ZH)}{rng.choice(ZH_VERBS)}{rng.choice(ZH)}的{rng.choice(ZH)}" for _ in range(4)]


def english(rng: random.Random) -> tuple[str, list[str]]:
    clauses = [
        f"the {rng.choice(EN)} {rng.choice(EN_VERBS)} {rng.choice(EN_JOINS)} the {rng.choice(EN)}"
        for _ in range(rng.randint(3, 5))
    ]
    stem = f"A {rng.choice(EN)} has {rng.randint(2, 99)} units and {', '.join(clauses)}. Which statement holds?"
    return stem, [f"the {rng.choice(EN)} {rng.choice(EN_VERBS)} with the {rng.choice(EN)}" for _ in range(4)]


def paraphrase(rng: random.Random, stem: str, options: Sequence[str]) -> tuple[str, list[str]]:
    """Slips in 1 to 3 letters, other spacing and punctuation, options in another order."""
    chars = list(stem)
    places = [i for i, c in enumerate(chars) if c.isalpha()]
    for at in rng.sample(places, rng.randint(1, 3)):
        kind = rng.choice(("swap", "drop", "double"))
        pool = ZH[rng.randrange(len(ZH))][0] if ord(chars[at]) > 0x2E80 else rng.choice("abcdefghijklmnopqrstuvwxyz")
        chars[at] = pool if kind == "swap" else "" if kind == "drop" else chars[at] * 2
    text = "".join(chars).replace("，", rng.choice((",", "， ", ";")))
    if rng.random() < 0.5:
        text = "".join(c + (" " if rng.random() < 0.05 else "") for c in text)
    return _whole_numbers(text, stem), rng.sample(list(options), len(options))


def _whole_numbers(text: str, stem: str) -> str:
    """A space inside a number would make two of it: then the spacing is dropped again."""
    digits = ["".join(c for c in word if c.isdigit()) for word in stem.split()]
    return text if all(d in text for d in digits if d) else text.replace(" ", "")


def variant(rng: random.Random, stem: str, options: Sequence[str]) -> tuple[str, list[str]]:
    """One number replaced by another."""
    number = next(w for w in stem.replace(",", " ").split() if w.isdigit())
    return stem.replace(f" {number}", f" {int(number) + rng.randint(100, 800)}", 1), list(options)


Pairs = set[tuple[int, int]]
Text = tuple[str, list[str]]


def build(count: int, rng: random.Random) -> tuple[list[Text], Pairs, Pairs]:
    """Stems with options in random order, and the index pairs that are duplicates and variants."""
    base = [rng.choice((chinese, english))(rng) for _ in range(int(count / 1.2))]
    rows = [(i, text, "") for i, text in enumerate(base)]
    for i in rng.sample(range(len(base)), (count - len(base)) // 2):
        rows.append((i, paraphrase(rng, *base[i]), "duplicate"))
    for i in rng.sample(range(len(base)), count - len(rows)):
        rows.append((i, variant(rng, *base[i]), "variant"))
    rng.shuffle(rows)
    origin = {i: at for at, (i, _, kind) in enumerate(rows) if not kind}
    truth: dict[str, set[tuple[int, int]]] = {"duplicate": set(), "variant": set()}
    for at, (i, _, kind) in enumerate(rows):
        if kind:
            truth[kind].add((min(at, origin[i]), max(at, origin[i])))
    return [text for _, text, _ in rows], truth["duplicate"], truth["variant"]


def all_pairs(entries: Sequence[Entry], workers: int) -> set[tuple[int, int]]:
    """Every pair of duplicates by the same rule; row by row, so that memory stays small."""
    found = set()
    for i in range(len(entries)):
        rest = range(i + 1, len(entries))
        matches = compare(entries, [i] * len(rest), rest, workers)
        found |= {(m.first, m.second) for m in matches if m.kind == "duplicate"}
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("questions", 50_000), ("subset", 2_000), ("workers", 2), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    texts, duplicates, variants = build(options.questions, rng)
    started, busy = time.perf_counter(), time.process_time()
    entries = [make_entry(str(i), *text) for i, text in enumerate(texts)]
    matches = find_matches(entries, options.workers)
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    found = {(m.first, m.second) for m in matches if m.kind == "duplicate"}
    varied = {(m.first, m.second) for m in matches if m.kind == "variant"}
    print(
        f"questions {len(entries)}  workers {options.workers}  seconds {seconds:.1f}  cpu {busy:.1f}"
        f"  pairs {len(matches)}"
    )
    for name, said, true in (("duplicates", found, duplicates), ("variants", varied, variants)):
        recall, precision = len(said & true) / len(true), len(said & true) / max(1, len(said))
        print(f"{name}: true {len(true)}  found {len(said)}  recall {recall:.4f}  precision {precision:.4f}")
    some, _, _ = build(options.subset, random.Random(options.seed + 1))
    part = [make_entry(str(i), *text) for i, text in enumerate(some)]
    started = time.perf_counter()
    reference = all_pairs(part, options.workers)
    slow = time.perf_counter() - started
    started = time.perf_counter()
    blocked = {(m.first, m.second) for m in find_matches(part, options.workers) if m.kind == "duplicate"}
    fast = time.perf_counter() - started
    share = len(blocked & reference) / max(1, len(reference))
    print(
        f"all pairs of {len(part)}: seconds {slow:.2f}, blocked {fast:.2f}, ratio {slow / fast:.1f}; "
        f"of its {len(reference)} duplicates blocking finds {share:.4f}"
    )


if __name__ == "__main__":
    main()
