"""A question's name as printed: 第二大题（填空题）第 13 题, Question 13 in Section B."""

from __future__ import annotations

import re

from exam_mode.items import Item, section_index

_DIGITS = "零一二三四五六七八九"
_SELF_NAMED = re.compile(r"^(?:section|part|paper|booklet)\b", re.IGNORECASE)


def chinese_number(value: int) -> str:
    """1–99 as 一 … 九十九; other numbers in digits."""
    if not 0 < value < 100:
        return str(value)
    tens, ones = divmod(value, 10)
    if tens == 0:
        return _DIGITS[ones]
    return ("" if tens == 1 else _DIGITS[tens]) + "十" + (_DIGITS[ones] if ones else "")


def printed_name(item: Item, language: str) -> str:
    """Section and number as the paper prints them."""
    number = item.question.number
    section = (item.question.section or "").strip()
    if language == "en":
        if not section:
            return f"Question {number}"
        return (
            f"Question {number} in {section}"
            if _SELF_NAMED.match(section)
            else f'Question {number} in the section "{section}"'
        )
    if not section:
        return f"第 {number} 题"
    index = section_index(item.question)
    if index.isdigit() and int(index) > 0:
        return f"第{chinese_number(int(index))}大题（{section}）第 {number} 题"
    return f"“{section}”第 {number} 题"
