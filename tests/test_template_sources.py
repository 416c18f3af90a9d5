"""The templates that ship, each on small invented pages: chosen by its marks, and better there than its base."""

from __future__ import annotations

import pytest
from drawing import page

from parse_templates.later_keys import key_from_pages
from parse_templates.parser import ParsedPaper, parse_paper
from parse_templates.structure import template_for_key
from parse_templates.template_files import load_template, template_names
from wholepage.records import Question

CBSE = [
    [
        "SAMPLE QUESTION PAPER", "TIME: 3 hours   MAX. MARKS: 80", "General Instructions:",
        "1. This question paper has 5 sections A, B, C, D and E.",
        "2. Section A has 20 Multiple Choice Questions (MCQs) carrying 1 mark each.",
        "3. Section B has 5 Short Answer questions carrying 02 marks each.",
        "4. All questions are compulsory. An internal choice has been provided in some.",
        "SECTION A", "This section consists of 4 questions of 1 mark each.",
        "1. The sum of two odd numbers is always [1]", "(a) odd", "(b) even", "(c) prime", "(d) zero",
        "2. A box holds three red balls and a blue one. The chance of blue is [1]", "(a) 1/2", "(b) 1/3", "(c) 1/4",
        "(d) 3/4",
        "DIRECTION: In question numbers 3 and 4, an Assertion (A) is followed by a Reason (R). Choose the correct",
        "option.", "(a) Both are true and R explains A", "(b) Both are true and R does not explain A",
        "(c) A is true but R is false", "(d) A is false but R is true",
        "3. Assertion (A): A square is a rectangle.", "Reason (R): A square has four right angles.",
        "4. Assertion (A): Nine is a prime number.", "Reason (R): Nine is odd.",
    ],
    [
        "SECTION B", "This section consists of 2 questions of 2 marks each.", "5. Find the value of x.", "OR",
        "Find the value of y.", "6. A ladder leans on a wall. Find its length. [2]", "P.T.O.",
        "SECTION C", "7. (a) Prove that the root is not a fraction. [3]", "OR", "(b) Show that the sum is even. [3]",
        "SECTION D", "8. A tank is filled by two pipes. Find the time that each takes. [5]",
        "SECTION E", "9. Case Study 1", "A park has the shape of a circle. Answer the following:",
        "(i) What is its area? [1]", "(ii) What is its border? [1]", "(iii) What does a fence cost? [2]", "OR",
        "(iii) What does a path cost? [2]",
    ],
]  # fmt: skip
SAT = [
    [
        "Practice Test 9", "Sunday morning", "Please write with a soft pencil only.", "Module 1", "27 QUESTIONS",
        "DIRECTIONS", "The questions in this section address a number of important skills.",
        "1", "If three boxes hold twelve balls, how many does one hold?", "A) 2", "B) 3", "C) 4", "D) 6",
        "2", "Which choice completes the text with the most logical word?", "A) slow", "B) quick", "C) late", "D) far",
        "3", "What is the sum of the two roots?", "STOP",
        "If you finish before time is called, you may check your work on this module only.",
        "Do not turn to any other module.",
    ],
    [
        "Module 2", "22 QUESTIONS", "1", "What is the area of the square?", "A) 4", "B) 9", "C) 16", "D) 25",
        "2", "Which of the following is a prime?", "A) 4", "B) 9", "C) 11", "D) 25",
    ],
]  # fmt: skip
JEE = [
    [
        "JEE (Advanced) Practice", "SECTION 1 (Maximum Marks: 6)", "• This section contains TWO (02) questions.",
        "• ONLY ONE of these four options is the correct answer.", "Full Marks : +3 If ONLY the correct option is",
        "chosen;", "Negative Marks : −1 In all other cases.",
        "Q.1 A ball falls from rest. Its speed after one second is", "(A) 1 m/s", "(B) 5 m/s", "(C) 10 m/s",
        "(D) 20 m/s", "Q.2 A stone is thrown up. At the top its speed is", "(A) zero", "(B) one", "(C) two",
        "(D) three", "SECTION 2 (Maximum Marks: 4)",
        "• ONE OR MORE THAN ONE of these four option(s) is(are) correct answer(s).",
        "Full Marks : +4 If only (all) the correct option(s) is(are) chosen;",
        "Q.3 Which of these are vectors?", "(A) force", "(B) speed", "(C) velocity", "(D) mass",
        "SECTION 3 (Maximum Marks: 4)", "• The answer to each question is a NON-NEGATIVE INTEGER.",
        "Full Marks : +4 If ONLY the correct integer is entered;", "Q.4 The number of planets is ________ .",
    ]
]  # fmt: skip
PAPER = [
    "一、选择题：本题共3小题，每小题5分．", "1．下列正确的是", "A．甲 B．乙 C．丙 D．丁", "2．下列错误的是",
    "A．甲 B．乙 C．丙 D．丁",
    "3．下列无关的是", "A．甲 B．乙 C．丙 D．丁", "二、填空题", "4．一加五等于____．", "5．二加五等于____．",
    "三、解答题", "6．求甲的年龄．（6分）",
]  # fmt: skip
KEY = [
    "数学试题参考答案及评分标准", "评分说明", "1．各题的解法与本解答不同时，照样给分．", "2．只给整数分．",
    "一、选择题", "1-3 BDA",
    "二、填空题", "4．6 ……3分", "5．7 ……3分", "三、解答题", "6．解：由已知得甲是乙的两倍，……3分", "所以甲是四岁．……6分",
]  # fmt: skip


def read(pages: list[list[str]], template: str = "auto") -> ParsedPaper:
    return parse_paper([page(texts, number=i + 1, step=30) for i, texts in enumerate(pages)], template)  # type: ignore[arg-type]


def codes(question: Question) -> set[str]:
    return {i.code for i in question.issues}


def test_what_ships() -> None:
    assert template_names() == [
        "en_exam", "en_india", "en_mcq", "textbook_en", "textbook_zh", "zh_exam", "zh_key", "zh_solutions",
    ]  # fmt: skip


def test_an_indian_paper() -> None:
    paper = read(CBSE)
    assert paper.template == "en_india"
    found = {q.number: q for q in paper.questions}
    assert list(found) == [str(n) for n in range(1, 10)]
    assert [q.points for q in paper.questions] == [1, 1, 1, 1, 2, 2, 3, 5, 4]
    assert [q.section for q in paper.questions][3:6] == ["Section A", "Section B", "Section B"]
    assert found["1"].stem == "The sum of two odd numbers is always"
    assert [q.type for q in paper.questions[:4]] == ["multiple_choice"] * 4
    assert [o.text for o in found["4"].options] == [o.text for o in found["3"].options]
    assert found["3"].options[1].text == "Both are true and R does not explain A"
    assert found["5"].stem == "Find the value of x. OR Find the value of y."
    assert found["6"].stem == "A ladder leans on a wall. Find its length."
    assert [(p.label, p.points) for p in found["7"].parts] == [("(a)", 3), ("(b)", 3)]
    sides = [(p.label, p.text, p.points) for p in found["9"].parts][2:]
    assert sides == [("(iii)", "What does a fence cost?", 2), ("(iii)", "What does a path cost?", 2)]
    assert not any(codes(q) for q in paper.questions)


def test_a_test_in_modules() -> None:
    paper = read(SAT)
    assert paper.template == "en_mcq"
    assert [(q.section, q.number) for q in paper.questions] == [
        ("Module 1", "1"), ("Module 1", "2"), ("Module 1", "3"), ("Module 2", "1"), ("Module 2", "2"),
    ]  # fmt: skip
    assert paper.questions[2].stem == "What is the sum of the two roots?"
    assert [o.text for o in paper.questions[3].options] == ["4", "9", "16", "25"]
    assert len(read(SAT, "en_exam").questions) < 5


def test_sections_with_rules_of_marking() -> None:
    paper = read(JEE)
    assert paper.template == "en_mcq"
    assert [(q.section, q.type, q.points) for q in paper.questions] == [
        ("Section 1", "multiple_choice", 3), ("Section 1", "multiple_choice", 3), ("Section 2", "multi_select", 4),
        ("Section 3", "fill_in_blank", 4),
    ]  # fmt: skip


def test_a_chinese_key_behind_its_paper() -> None:
    paper = read([PAPER, KEY])
    assert paper.template == "zh_key"
    assert [q.answer for q in paper.questions] == [["B"], ["D"], ["A"], ["6"], ["7"], []]
    assert paper.questions[5].solution == "由已知得甲是乙的两倍，……3分所以甲是四岁．……6分"
    assert not any(codes(q) for q in paper.questions)
    base = read([PAPER, KEY], "zh_exam").questions
    assert base[3].answer == ["6 ……3分"] and "key.unreadable" in codes(base[0])


def test_a_key_file_speaks_for_the_template_too() -> None:
    paper = parse_paper([page(PAPER, step=30)], answers=[page(KEY, step=30)])  # type: ignore[arg-type]
    assert paper.template == "zh_key" and paper.questions[3].answer == ["6"]
    assert parse_paper([page(PAPER, step=30)]).template == "zh_exam"  # type: ignore[arg-type]


def test_a_later_key_is_read_with_the_template_that_knows_its_marks() -> None:
    key = key_from_pages("key.pdf", "0" * 64, [page(KEY, step=30)], load_template("zh_exam"))  # type: ignore[arg-type]
    assert key.template is not None and key.template.name == "zh_key"
    assert [e.number for e in key.entries] == [1, 2, 3, 4, 5, 6]


def test_a_user_s_own_template_reads_its_keys_itself() -> None:
    own = load_template("zh_exam").model_copy(update={"name": "own", "proof": "x"})
    assert template_for_key(own, []) is own


@pytest.mark.parametrize("texts", [KEY[:1] + KEY[5:6], ["说明", "1．甲", "2．乙"]])
def test_notes_on_marking_never_swallow_a_key(texts: list[str]) -> None:
    key = key_from_pages("key.pdf", "0" * 64, [page(texts)], load_template("zh_key"))  # type: ignore[arg-type]
    assert len(key.entries) >= 2


def test_worked_solutions_state_their_source() -> None:
    texts = ["1．题干____．", "【答案】4", "【来源】某校月考", "【解析】略", "2．题干____．", "【答案】5"]
    paper = read([texts])
    assert paper.template == "zh_solutions"
    assert (paper.questions[0].model_extra or {})["source"] == "某校月考"


PLAIN = {
    "zh_exam": [f"{n}．这是第几道题的题干____．" for n in (1, 2, 3)],
    "en_exam": [
        "Section A",
        "1 State two metals that rust. [2]",
        "2 Name a gas. [1]",
        "OR",
        "Name a liquid.",
        "3 Why? [1]",
    ],
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_paper_without_marks_of_a_source_goes_to_the_base(name: str) -> None:
    assert read([PLAIN[name]]).template == name
