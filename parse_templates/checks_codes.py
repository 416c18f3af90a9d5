"""The registry of issue codes: every code with its severity, meaning and an example; docs/issues.md is made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wholepage.records import Severity

By = Literal["check", "reading", "both", "files"]


@dataclass(frozen=True, slots=True)
class Code:
    """One code. `by` says what raises it: `check` (made anew from the record by every check), `reading` (of the page
    and kept), `both` (in questions by checks, on pages by the reading) or `files` (of the file, its key, an import)."""

    code: str
    severity: Severity
    by: By
    about: str
    example: str


CODES: tuple[Code, ...] = (
    Code("questions.none", "error", "check", "no question was found in a paper that has text", "a cover letter"),
    Code("number.gap", "error", "check", "a number of the printed sequence, or of the count in the heading, was not "
         "found", "1, 2, 4"),
    Code("number.repeated", "error", "check", "a number stands twice in one section", "1, 2, 2, 3"),
    Code("number.inferred", "warning", "reading", "the number is printed nowhere in what was read; it follows from "
         "its neighbours", "6, (no number), 8"),
    Code("number.too_many", "error", "reading", "more questions than the heading states", "共 8 小题, nine found"),
    Code("stem.empty", "error", "check", "a question without text", "`7.` and nothing behind it"),
    Code("options.incomplete", "error", "check", "a choice question with fewer than three options, or with a letter "
         "missing", "A, B, D"),
    Code("options.empty", "error", "check", "an option for which neither text nor figure was read", "`C.`"),
    Code("options.repeated", "error", "check", "two options with the same letter or the same text", "B. 2 and D. 2"),
    Code("options.inferred", "warning", "reading", "the letter of an option was not read; its place tells it",
         "A, ·, C, D"),
    Code("options.not_split", "warning", "files", "an imported record has its options inside the stem", "`(A) 1 (B) 2`"
         " in the stem"),
    Code("answer.not_an_option", "error", "check", "the printed answer names no option, or several for a single "
         "choice", "E, with options A to D"),
    Code("answer.count_mismatch", "warning", "check", "the number of answers is not that of the blanks or parts, or "
         "the parts' answers are not the question's", "two blanks, three answers"),
    Code("answer.missing", "warning", "files", "an imported record has no answer", ""),
    Code("key.contradicts_solution", "error", "check", "the printed answer and the solution's conclusion differ",
         "【答案】B … 故选 C"),
    Code("key.contradicts_answer", "error", "reading", "the answer of the question and the one in a key differ",
         "printed A, key C"),
    Code("key.unreadable", "error", "reading", "a key entry names no option", "`3. 略` for a choice"),
    Code("key.unmatched", "warning", "reading", "a key entry fits no question, or several", "entry 31 of a paper with "
         "22 questions"),
    Code("key.other_paper", "error", "files", "a key contradicts so many printed answers that it belongs to another "
         "paper; nothing was taken from it by number alone", "9 of 10 answers differ"),
    Code("points.sum_mismatch", "warning", "check", "points of a section do not add up to what its heading states, or "
         "those of parts to the question's", "(12分) with parts of 4 and 6"),
    Code("points.unread", "warning", "reading", "marks are printed beside the question, but could not be read", ""),
    Code("parts.gap", "warning", "check", "a part's label is missing in the sequence", "(1), (2), (4)"),
    Code("section.doubtful", "warning", "reading", "a heading's rules do not fit the questions under it", "12 points "
         "in a section of 5-point blanks"),
    Code("figure.ambiguous", "warning", "reading", "a figure stands between two questions", ""),
    Code("figure.mentioned_but_missing", "warning", "check", "the text mentions a figure, none was found", "如图所示"),
    Code("figure.not_mentioned", "warning", "check", "a figure stands in a question that speaks of none", ""),
    Code("figure.unassigned", "warning", "reading", "a page has figures that stand in no question's space", "a logo"),
    Code("figure.not_cropped", "error", "reading", "a figure could not be cut out of its page", ""),
    Code("figure.file_missing", "error", "check", "the text or the record names a picture that is not there",
         "`![](figures/p001-1.png)` without that file"),
    Code("formula.does_not_compile", "error", "both", "a formula whose LaTeX does not compile; its crop is kept as a "
         "figure", "`\\frac{1}{`"),
    Code("formula.uncertain", "warning", "reading", "formulas read with little certainty; see [formulas.md]"
         "(formulas.md)", ""),
    Code("formula.engine_failed", "warning", "reading", "a plugged formula recogniser failed on a page; the first "
         "reading stays", ""),
    Code("brackets.unbalanced", "warning", "check", "a bracket that is not closed, or closes nothing", "f(x = 2"),
    Code("text.garbled", "warning", "check", "the text holds characters that no sentence has: the reading is doubtful",
         "a sentence inside `$…$`"),
    Code("text.not_on_page", "warning", "check", "characters or numbers of a field that stand nowhere in the lines of "
         "its pages; an error when less than 60 % of a field has a source", "a sentence that was added"),
    Code("units.implausible", "warning", "check", "a quantity that no paper prints", "g = 9.8 m/s"),
    Code("language.mixed", "warning", "check", "a question in another language than its paper, or letters of another "
         "script inside a word", "Cyrillic а in `mаss`"),
    Code("duplicate.of", "warning", "check", "the same question stands earlier in this paper or in another one of the "
         "workspace", ""),
    Code("duplicate.variant", "warning", "check", "an earlier question has the same words with other numbers, signs or "
         "negations", "v = 20 m/s and v = 30 m/s"),
    Code("parser.differ", "warning", "reading", "rule parser and model parser read a field differently", ""),
    Code("model.only", "warning", "reading", "only the model found this question", ""),
    Code("model.missed", "warning", "reading", "only the rules found this question", ""),
    Code("model.refused", "warning", "reading", "the model stated what is not printed; it was left out", ""),
    Code("model.failed", "error", "reading", "the model gave no usable reply for some pages", ""),
    Code("model.cap_reached", "error", "reading", "the cap on tokens or money ended the model's part", ""),
    Code("text.corrected", "warning", "reading", "a slip of the OCR was corrected, with what was read before", ""),
    Code("correction.refused", "warning", "reading", "a proposed correction was not applied", ""),
    Code("correction.doubtful", "warning", "reading", "a proposed correction waits for a person", ""),
    Code("page.unreadable", "error", "reading", "a page could not be read; its image is null", ""),
    Code("page.residual_ink", "warning", "reading", "more than 8 % of a page's ink is neither text nor figure", ""),
    Code("page.handwriting", "warning", "reading",
         "marks of a coloured pen, or strokes over the print, left out of what was read", ""),
    Code("page.poor_reading", "warning", "reading", "mean OCR confidence of a page below 0.8", ""),
    Code("page.other_language", "warning", "reading", "lines in another language than the paper's were left out", ""),
    Code("page.downscaled", "warning", "reading", "a page was made smaller", ""),
    Code("page.render_incomplete", "warning", "reading", "a page was drawn only in part", ""),
    Code("page.too_large", "error", "reading", "a page with more pixels than the limit was not read", ""),
    Code("pages.blank", "error", "reading", "all pages are blank", ""),
    Code("text_layer.lying", "warning", "reading", "the PDF's text differs from what is printed; OCR was used", ""),
    Code("text_layer.partial", "warning", "reading", "the PDF's text lacks a part of the print; OCR was used", ""),
    Code("file.repaired", "warning", "files", "a damaged PDF was repaired", ""),
    Code("file.entry_skipped", "warning", "files", "an entry of a zip or folder is no page", "notes.txt"),
    Code("answers.unreadable", "error", "files", "the answer key could not be used", "an encrypted key"),
)  # fmt: skip

BY_CODE = {c.code: c for c in CODES}
KEY_PREFIX = "answers."  # doubts of the reading on a key file: answers.page.poor_reading
QUESTION_CHECKS = frozenset(c.code for c in CODES if c.by in ("check", "both"))
PAPER_CHECKS = frozenset({"questions.none", "number.gap", "number.repeated", "points.sum_mismatch"})


def code_table() -> str:
    """The table of docs/issues.md."""
    rows = ["| code | severity | from | meaning | example |", "|---|---|---|---|---|"]
    rows += [f"| `{c.code}` | {c.severity} | {c.by} | {c.about} | {c.example} |".replace("  |", " |") for c in CODES]
    return "\n".join(rows) + "\n"
