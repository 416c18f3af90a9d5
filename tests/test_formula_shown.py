"""Formulas in the preview: what the converter leaves open is drawn by browsers too."""

from __future__ import annotations

import re

import pytest

from review.math import formula, typeset
from samples.formulas import generate_many, to_latex

# LaTeX → what its MathML must hold.
SHOWN = {
    r"A\xlongequal{\text{高温}}B": r'<mover><mspace [^>]*class="equals"></mspace><mrow><mspace',
    r"A\xrightleftharpoons[\text{高压}]{\text{催化剂}}B": "⇌.*高压.*催化剂",
    r"A\xrightarrow{a}B": r"<mo>→</mo>.*<mspace width=\"0.4em\">",
    r"\begin{aligned} a & =b \\ & =c \end{aligned}": r'<mtd columnalign="right" class="to-right">',
    r"\begin{cases} a & b \\ c & d \end{cases}": r'{</mo><mtable>.*class="to-left"',
    r"\begin{rcases} a \\ b \end{rcases}": r"</mtable><mo [^>]*>}</mo>",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}": r"<mo>\(</mo><mtable>",
    r"\overset{\frown}{AB}": r'<mo stretchy="true" accent="true">⏜</mo>',
    r"\widehat{AB}": '<mo stretchy="true" accent="true">\u0302</mo>',
    r"\hat{p}": r"<mo>\^</mo>",
    r"\overline{AB}": r'<mrow class="overline"><mrow><mi>A</mi><mi>B</mi></mrow></mrow>',
    r"\complement_UA": r"<msub><mi>∁</mi>",
    r"\varnothing": "<mi>∅</mi>",
    r"\Diamond ABCD": "◇",
    r"\Box ABCD": "◻",
    r"F_{\text{万有引力}}": "<mtext>万有引力</mtext>",
    r"\mathrm{C}": '<mi mathvariant="normal">C</mi>',
    r"\sin x": r'<mi>sin</mi><mspace width="0.167em"></mspace><mi>x</mi>',
    r"\sin^2x": r'</msup><mspace width="0.167em"></mspace><mi>x</mi>',
    r"\sin(x)": r'<mi>sin</mi><mo stretchy="false">\(',
    r"\mathrm{Ca}^{2+}": r'<mn>2</mn><mo form="postfix" lspace="0" rspace="0">\+</mo>',
    r"a\uparrow": r'<mo stretchy="false">↑</mo>',
    r"|k|-|6|": r'(<mo [^>]*lspace="0" rspace="0"[^>]*>\|</mo>.*){4}',
    r"A\sim B": "<mo>∼</mo>",
    r"a\perp b": "<mo>[⟂⊥]</mo>",
}


@pytest.mark.parametrize(("latex", "held"), SHOWN.items(), ids=SHOWN)
def test_shown(latex: str, held: str) -> None:
    assert typeset(latex)
    assert re.search(held, formula(latex))


@pytest.mark.parametrize("latex", [r"\foo{x}", r"\frac{1", r"\begin{rcases} a", "a&b"])
def test_the_rest_is_shown_as_its_source(latex: str) -> None:
    assert formula(latex).startswith('<code class="tex"')


def test_school_formulas_are_all_typeset() -> None:
    formulas = [to_latex(node) for _, node in generate_many(300, 17)]
    assert [f for f in formulas if not typeset(f)] == []


def test_words_over_an_arrow_cannot_break_out() -> None:
    shown = formula(r"\xlongequal{\text{<b>x</b>}}")
    assert "<b>" not in shown and "&lt;b&gt;" in shown
