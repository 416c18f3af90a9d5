"""The gallery: answers that lost marks, with page crop, response and marking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.report_crops import Cropper
from scoring.report_svg import percent
from scoring.report_text import rich_text
from scoring.report_view import KIND_NAMES, TYPE_NAMES, kind_of, number, question_label
from scoring.scores import Score, ScoredQuestion
from scoring.summary import Summary, condition_label

MAX_PER_QUESTION = 3
MAX_TEXT = 2500


def choose(scores: Sequence[Score], summary: Summary, limit: int) -> dict[str, list[Score]]:
    """Up to `limit` answers that lost marks, by question.

    Questions that were lost between text_image and image_only come first, then the rest in printed order with
    papers taking turns; at most three answers a question, models taking turns.
    """
    lost = [s for s in scores if s.status == "marked" and s.verdict in {"wrong", "partial"}]
    by_question: dict[str, list[Score]] = defaultdict(list)
    for score in lost:
        by_question[score.question_id].append(score)
    flipped = {
        name
        for row in summary["comparisons"]["modes"]
        if (row["first"]["mode"], row["second"]["mode"]) == ("text_image", "image_only")
        for name in row["lost"]
    }
    turn: dict[str, int] = defaultdict(int)
    order = []
    for name in sorted(by_question):
        paper = by_question[name][0].paper_id
        order.append((name not in flipped, turn[paper], name))
        turn[paper] += 1
    chosen: dict[str, list[Score]] = {}
    left = limit
    for _, _, name in sorted(order):
        if left <= 0:
            break
        picked = _spread(by_question[name])[: min(MAX_PER_QUESTION, left)]
        chosen[name] = picked
        left -= len(picked)
    return chosen


def _spread(scores: Sequence[Score]) -> list[Score]:
    """Scores with models taking turns; full answers of uncapped runs before those that were cut off or refused."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for score in sorted(scores, key=lambda s: (s.truncated or s.refused, s.budget or 0, s.mode, s.epoch)):
        groups[score.model].append(score)
    longest = max(len(group) for group in groups.values())
    return [groups[model][i] for i in range(longest) for model in sorted(groups) if i < len(groups[model])]


def cards(
    chosen: Mapping[str, Sequence[Score]], questions: Mapping[str, ScoredQuestion], cropper: Cropper
) -> list[dict[str, Any]]:
    """Template data of the gallery."""
    result = []
    for name, answers in chosen.items():
        question = questions[name]
        images, note = cropper.crops(question)
        result.append(
            {
                "id": name,
                "label": question_label(question),
                "type": TYPE_NAMES.get(question.type, question.type),
                "points": None if question.points is None else f"{question.points:g}",
                "text": rich_text(question.text, MAX_TEXT),
                "key": [rich_text(_as_math(answer), 600) for answer in question.answer],
                "images": images,
                "note": note,
                "answers": [_answer(score) for score in answers],
            }
        )
    return result


def _as_math(text: str) -> str:
    """A bare LaTeX key in math delimiters, so that it is typeset."""
    return f"${text}$" if "\\" in text and "$" not in text and "\n" not in text else text


def _answer(score: Score) -> dict[str, Any]:
    judged = [part for part in score.parts if part.opinions]
    record = score.process
    found = [
        {
            "critic": critic,
            "kind": item.get("kind") or item.get("label"),
            "reason": rich_text(str(item.get("reason") or ""), 600),
        }
        for critic, items in (record.found.items() if record is not None else ())
        for item in items
        if item.get("root", True) and item.get("label") != "correct"
    ]
    return {
        "who": condition_label(score.condition),
        "epoch": score.epoch,
        "kind": kind_of(score),
        "kind_text": KIND_NAMES.get(kind_of(score), kind_of(score)),
        "marks": number(score.marks, 1) if score.marks is not None else None,
        "fraction": percent(score.fraction, 0),
        "tokens": number(score.generated_tokens, 0),
        "response": rich_text(score.response, MAX_TEXT) if score.response.strip() else None,
        "reason": score.reason,
        "rule": score.rule,
        "parts": [
            {
                "id": part.id,
                "verdict": part.verdict,
                "official": rich_text(_as_math(part.official), 300),
                "extracted": rich_text(_as_math(part.extracted), 300) if part.extracted else None,
                "where": part.where if part.extracted else "",
                "reason": rich_text(part.reason, 600),
                "by": part.by,
            }
            for part in score.parts
        ],
        "opinions": [
            {"part": part.id, "judge": o.judge, "verdict": o.verdict, "reason": rich_text(o.reason, 600)}
            for part in judged
            for o in part.opinions
        ],
        "found": found[:12],
    }
