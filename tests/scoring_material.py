"""Small invented papers and attempts for the scoring tests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from PIL import Image

from scoring.outcome import Gold, Outcome, PartVerdict
from wholepage.records import Option, Page, Paper, Part, Question, Region, Source
from wholepage.workspace import Workspace

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


def make_paper(workspace: Workspace, paper_id: str, title: str = "Paper", proofs: int = 0) -> Paper:
    """Five questions (or `proofs` proofs), one page image each paper."""
    options = [Option(label=x, text=f"value {x}") for x in "ABCD"]
    questions = [
        Question(
            id=f"{paper_id}/1.1", number="1", section="Section A", type="multiple_choice", points=4,
            stem="Which $x^2$?", options=options, answer=["B"], regions=[Region(page=1, bbox=(10, 10, 290, 60))],
        ),
        Question(
            id=f"{paper_id}/1.2", number="2", type="multi_select", points=6, stem="Which ones?", options=options,
            answer=["ACD"], regions=[Region(page=1, bbox=(10, 70, 290, 120))],
        ),
        Question(
            id=f"{paper_id}/1.3", number="3", type="fill_in_blank", points=5, stem="____ and ____", answer=["2", "7"],
            regions=[Region(page=1, bbox=(10, 130, 290, 180))],
        ),
        Question(
            id=f"{paper_id}/1.4", number="4", type="proof", points=12, stem="Prove it.", answer=["see the solution"],
            solution="By induction.", parts=[Part(label="(1)", text="Base case")],
        ),
        Question(id=f"{paper_id}/1.5", number="5", type="open_ended", stem="Discuss."),
    ]  # fmt: skip
    if proofs:
        questions = [
            Question(
                id=f"{paper_id}/1.{n}", number=str(n), type="proof", points=10, stem=f"Prove theorem {n}.",
                answer=["see the solution"], solution=f"Proof {n}.",
            )
            for n in range(1, proofs + 1)
        ]  # fmt: skip
    folder = workspace.paper_dir(paper_id)
    (folder / "pages").mkdir(parents=True)
    Image.new("L", (300, 400), 240).save(folder / "pages" / "001.png")
    paper = Paper(
        id=paper_id,
        title=title,
        subject="math",
        language="en",
        source=Source(file="x.pdf", sha256="0" * 64, bytes=1, pages=1, kind="digital"),
        pages=[Page(number=1, image="pages/001.png", width=300, height=400, dpi=100, kind="digital")],
        questions=questions,
    )
    workspace.save(paper)
    return paper


def attempt(question_id: str, response: str, **changes: Any) -> dict[str, Any]:
    """One attempt record."""
    base: dict[str, Any] = {
        "schema": "wholepage/attempt@1",
        "paper_id": question_id.partition("/")[0],
        "question_id": question_id,
        "mode": "text_image",
        "model": "taker",
        "response": response,
        "finish_reason": "stop",
        "usage": {"input_tokens": 100, "output_tokens": 50},
    }
    return base | changes


def write_attempts(path: Path, records: list[dict[str, Any]]) -> Path:
    """JSONL file."""
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
    return path


def simple_mark(gold: Gold, response: str) -> Outcome:
    """Stands in for the rules: exact text in the last boxes; proofs and explanations are undecided."""
    if gold.type in {"proof", "open_ended"} or "judge me" in response:
        parts = [PartVerdict("undecided", 0.0, "", "", "none", "an explanation") for _ in gold.answer]
        found = BOX.findall(response)
        if "judge me" in response and found:  # the first part by rule, the others open
            right = found[0] == gold.answer[0]
            parts[0] = PartVerdict("correct" if right else "wrong", float(right), found[0], "box", "exact", "compared")
        return Outcome("undecided", None, tuple(parts), tuple(p.extracted for p in parts), "none", "an explanation")
    boxes = BOX.findall(response)[-len(gold.answer) :]
    boxes += [""] * (len(gold.answer) - len(boxes))
    verdicts = []
    for key, text in zip(gold.answer, boxes, strict=True):
        fraction = float(key == text)
        if gold.type == "multi_select" and text and set(text) < set(key):
            fraction = 0.5
        name = "correct" if fraction == 1 else "partial" if fraction else "wrong"
        verdicts.append(PartVerdict(name, fraction, text, "box", "exact", "compared"))
    total = sum(v.fraction for v in verdicts) / len(verdicts)
    verdict = "correct" if total == 1 else "wrong" if total == 0 else "partial"
    return Outcome(verdict, total, tuple(verdicts), tuple(boxes), "exact", "compared")
