"""The record form of LiveK12Bench (arXiv 2605.26781).

Fields: id, set, subject, question_type, point_value, question, answer (list of str), solution, knowledge_points
(one text, separated by semicolons), images. Records with the older Chinese field names are read too; further fields,
such as `subset`, are kept.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from exam_mode.interchange.items import Item, RecordError, looks_chinese, plain, points_of, text_of, texts_of
from exam_mode.interchange.pictures import pictures_of
from wholepage.records import QuestionType

FIELDS = (
    "id", "set", "subject", "question_type", "point_value", "question", "answer", "solution", "knowledge_points",
    "images",
)  # fmt: skip
_CHINESE = {
    "题型": "question_type",
    "分值": "point_value",
    "题目": "question",
    "答案": "answer",
    "解答": "solution",
    "图像": "images",
    "考点": "knowledge_points",
}
_TYPES: dict[str, QuestionType] = {
    "选择题": "multiple_choice",
    "单选题": "multiple_choice",
    "多选题": "multi_select",
    "判断题": "true_false",
    "填空题": "fill_in_blank",
    "解答题": "open_ended",
    "证明题": "proof",
    "未知": "unknown",
    "multiple choice": "multiple_choice",
    "true/false": "true_false",
    "fill in the blank": "fill_in_blank",
    "open ended": "open_ended",
    "free response": "open_ended",
    "proof": "proof",
    "proving": "proof",
    "unknown": "unknown",
    "": "unknown",
}
_NAMES: dict[QuestionType, tuple[str, str]] = {
    "multiple_choice": ("选择题", "Multiple Choice"),
    "multi_select": ("选择题", "Multiple Choice"),
    "true_false": ("判断题", "True/False"),
    "fill_in_blank": ("填空题", "Fill in the Blank"),
    "open_ended": ("解答题", "Open-ended"),
    "proof": ("证明题", "Proof"),
    "unknown": ("未知", "Unknown"),
}
SUBJECTS = ("math", "physics", "chemistry", "biology", "geography", "science")
_SPLIT = re.compile(r"(zh|en)_(\w+)")


def type_of(name: str, answer: tuple[str, ...]) -> QuestionType:
    """Question type of a name in either language; several letters in the key make a multi-select.

    Raises:
        RecordError: a name that the form does not know.
    """
    found = _TYPES.get(name.strip()) or _TYPES.get(re.sub(r"[\s_-]+", " ", name.strip().lower()))
    if found is None:
        raise RecordError(f"question_type {name!r:.40} is not known")
    if found == "multiple_choice" and len(answer) == 1 and re.fullmatch(r"[A-H]{2,8}", answer[0].strip()):
        return "multi_select"
    return found


def type_name(kind: QuestionType, language: str | None) -> str:
    """How the form writes a question type in the paper's language."""
    return _NAMES[kind][1 if (language or "").startswith("en") else 0]


def parse(record: dict[str, Any], folder: Path, split: str, row: int) -> Item:
    """An item from a record.

    Args:
        folder: image paths are taken below it.
        split: name of the split or file, e.g. `zh_2603`; used where the record does not say.
        row: 0-based place in the file, for records without id.

    Raises:
        RecordError: a field of a wrong kind, or no question text.
    """
    data = {_CHINESE.get(key, key): value for key, value in record.items()}
    question = text_of(data.get("question"), "question")
    if not question.strip():
        raise RecordError("there is no question text")
    key = text_of(data.get("id"), "id") or f"{split}_{row:04d}"
    named = _SPLIT.match(key) or _SPLIT.match(split)
    language = named.group(1) if named else "zh" if looks_chinese(question) else "en"
    of_split = _SPLIT.match(split)
    set_name = text_of(data.get("set"), "set") or (of_split.group(2) if of_split else split)
    subject = text_of(data.get("subject"), "subject").strip().lower()
    answer = texts_of(data.get("answer"), "answer")
    points = text_of(data.get("knowledge_points"), "knowledge_points") if not _is_list(data) else ""
    listed = texts_of(data.get("knowledge_points"), "knowledge_points") if _is_list(data) else ()
    return Item(
        key=key,
        group="_".join(part for part in (language, set_name, subject) if part),
        set_name=set_name,
        subject=subject if subject in SUBJECTS else "other" if subject else None,
        level=None,
        language=language,
        type=type_of(text_of(data.get("question_type"), "question_type"), answer),
        points=points_of(data.get("point_value"), "point_value"),
        question=question,
        answer=answer,
        solution=text_of(data.get("solution"), "solution"),
        knowledge_points=listed or tuple(p.strip() for p in re.split("[;；]", points) if p.strip()),
        tags=texts_of(data.get("subset"), "subset"),
        images=pictures_of(data.get("images"), folder, "images"),
        raw=plain({key: value for key, value in data.items() if key != "images"}),
    )


def _is_list(data: dict[str, Any]) -> bool:
    return isinstance(data.get("knowledge_points"), (list, tuple))
