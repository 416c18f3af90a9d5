"""The line form of K12Vista (arXiv 2506.01676).

Fields: hash_id, type (选择题, 填空题, 问答题), subject with the grade (`math-g9`), difficulty, knowledge_point (list),
question with `<image>`, img (base64), img_caption, format_answer {ground_truth, format_solution}.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from exam_mode.interchange.items import Item, RecordError, looks_chinese, plain, text_of, texts_of
from exam_mode.interchange.livek12 import SUBJECTS
from exam_mode.interchange.pictures import pictures_of
from wholepage.records import QuestionType

_TYPES: dict[str, QuestionType] = {"选择题": "multiple_choice", "填空题": "fill_in_blank", "问答题": "open_ended"}
NAMES: dict[QuestionType, str] = {
    "multiple_choice": "选择题",
    "multi_select": "选择题",
    "fill_in_blank": "填空题",
    "open_ended": "问答题",
    "proof": "问答题",
}
_SUBJECT = re.compile(r"([a-z]+)(?:-(g\d{1,2}))?")


def parse(record: dict[str, Any], folder: Path, split: str, row: int) -> Item:
    """An item from a line; arguments and errors as in `livek12.parse`."""
    question = text_of(record.get("question"), "question")
    if not question.strip():
        raise RecordError("there is no question text")
    name = text_of(record.get("type"), "type")
    if name not in _TYPES:
        raise RecordError(f"type {name!r:.40} is not known")
    key_of = record.get("format_answer") or {}
    if not isinstance(key_of, dict):
        raise RecordError(f"format_answer is not an object but {type(key_of).__name__}")
    answer = texts_of(key_of.get("ground_truth"), "ground_truth")
    subject = text_of(record.get("subject"), "subject").strip().lower()
    parts = _SUBJECT.fullmatch(subject)
    caption = text_of(record.get("img_caption"), "img_caption") or None
    difficulty = text_of(record.get("difficulty"), "difficulty")
    kind = _TYPES[name]
    if kind == "multiple_choice" and len(answer) == 1 and re.fullmatch(r"[A-H]{2,8}", answer[0].strip()):
        kind = "multi_select"
    return Item(
        key=text_of(record.get("hash_id"), "hash_id") or f"{split}_{row:04d}",
        group=subject or split,
        set_name="K12Vista",
        subject=_subject(parts.group(1) if parts else subject),
        level=parts.group(2) if parts else None,
        language="zh" if looks_chinese(question) else None,
        type=kind,
        points=None,
        question=question,
        answer=answer,
        solution="\n".join(texts_of(key_of.get("format_solution"), "format_solution")),
        knowledge_points=texts_of(record.get("knowledge_point"), "knowledge_point"),
        tags=(difficulty,) if difficulty else (),
        images=tuple(replace(p, caption=caption) for p in pictures_of(record.get("img"), folder, "img")),
        raw=plain({key: value for key, value in record.items() if key != "img"}),
    )


def _subject(name: str) -> str | None:
    return name if name in SUBJECTS else "other" if name else None
