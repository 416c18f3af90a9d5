"""Answers that need no model: the key, the first option, a random guess."""

from __future__ import annotations

import hashlib
import random

from exam_mode.items import Item, walk_parts
from wholepage.records import Question

TRUE_FALSE = ("true", "false")


def key_answers(question: Question) -> list[str]:
    """The official answers, one entry a blank or part; empty when only a solution is known."""
    if question.answer:
        return list(question.answer)
    return [answer for part, _ in walk_parts(question.parts) for answer in part.answer]


def key_text(question: Question) -> str:
    """The official answers in boxes, with the solution before them where there is one."""
    solutions = [question.solution, *(part.solution for part, _ in walk_parts(question.parts))]
    boxes = "\n".join(f"\\boxed{{{answer}}}" for answer in key_answers(question))
    return "\n\n".join(text for text in (*solutions, boxes) if text.strip())


def first_option(question: Question) -> list[str]:
    """The first option of a choice question, true for a true-false question, else nothing."""
    if question.options:
        return [question.options[0].label]
    return [TRUE_FALSE[0]] if question.type == "true_false" else []


def random_answer(item: Item, epoch: int) -> list[str]:
    """A random guess: one option, a random non-empty set of options (multi-select), true or false, else nothing.

    The same question and epoch give the same guess anywhere.
    """
    question = item.question
    seed = hashlib.sha256(f"{item.id}|{epoch}".encode()).digest()
    draw = random.Random(int.from_bytes(seed[:8], "big"))
    labels = [option.label for option in question.options]
    if question.type == "multi_select" and labels:
        bits = draw.randrange(1, 2 ** len(labels))
        return ["".join(label for i, label in enumerate(labels) if bits >> i & 1)]
    if labels:
        return [draw.choice(labels)]
    return [draw.choice(TRUE_FALSE)] if question.type == "true_false" else []
