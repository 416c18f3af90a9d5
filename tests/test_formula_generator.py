"""The generator of K-12 formulas: its LaTeX, its pages, the places it reports, and the measure of what was read."""

from __future__ import annotations

import re
from random import Random

import cv2
import numpy as np
import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from latex2mathml.converter import convert

from layout.types import Glyph, Line, PageLayout, TableRegion
from samples.formulas import KINDS, constructs, generate, generate_many, to_latex, to_typst
from samples.formulas.degrade import LARGEST_TURN, page_image, scan
from samples.formulas.katex import katex_at_hand, katex_pages
from samples.formulas.mathtext import can_set, mathtext_at_hand, mathtext_pages
from samples.formulas.measure import Found, Wanted, found_formulas, normal, pair, similarity
from samples.formulas.render import FAMILIES, FamilyMissingError, Style, families, formulas_pdf, typst_pages
from samples.formulas.sheets import Display, Options, Sentence, Table, compose, has_chinese
from samples.formulas.tree import (
    Accent,
    Arrow,
    Big,
    Fence,
    Frac,
    Grid,
    Letters,
    PreScript,
    Root,
    Row,
    Script,
    Sym,
    Text,
    Upright,
)
from samples.formulas.yardstick import as_canonical
from wholepage.boxes import Box

X, Y, TWO = Sym("x"), Sym("y"), Sym("2")

formula_trees = st.builds(generate, st.randoms(use_true_random=False), st.sampled_from(sorted(KINDS)))


@pytest.mark.parametrize(
    ("tree", "latex"),
    [
        (Frac(X, Script(Y, sup=TWO)), r"\frac{x}{y^2}"),
        (Script(X, sub=Sym("1"), sup=TWO), "x_1^2"),
        (Script(X, sup=Sym("10")), "x^{10}"),
        (Script(X, sub=Sym(r"\alpha")), r"x_\alpha"),
        (Script(X, sub=Text("物")), r"x_{\text{物}}"),
        (Script(Sym("f"), primes=2), r"f^{\prime\prime}"),
        (PreScript(Sym("92"), Sym("235"), Upright(Letters("U"))), r"{}_{92}^{235}\mathrm{U}"),
        (Root(X, Sym("3")), r"\sqrt[3]{x}"),
        (Root(X), r"\sqrt{x}"),
        (Row((Sym(r"\sin"), X)), r"\sin x"),
        (Row((Sym(r"\sin"), TWO, X)), r"\sin2x"),
        (Row((Sym(r"\alpha"), Sym("+"), X)), r"\alpha+x"),
        (Fence("(", X, ")"), "(x)"),
        (Fence("(", Frac(X, Y), ")"), r"\left(\frac{x}{y}\right)"),
        (Fence("(", Script(X, sup=Frac(TWO, Sym("3"))), ")"), r"(x^{\frac{2}{3}})"),
        (Fence(r"\{", Row((X, Sym(r"\mid"), X)), r"\}"), r"\{x\mid x\}"),
        (Big(r"\lim", Row((X, Sym(r"\to"), Sym("0")))), r"\lim_{x\to0}"),
        (Big(r"\int", Sym("0"), Sym("1")), r"\int_0^1"),
        (Accent(r"\overrightarrow", Row((Sym("A"), Sym("B")))), r"\overrightarrow{AB}"),
        (Grid("pmatrix", ((X, Y), (Y, X))), r"\begin{pmatrix}x&y\\y&x\end{pmatrix}"),
        (Grid("cases", ((Sym("["),), (Sym("["),))), r"\begin{cases}{}[\\{}[\end{cases}"),
        (Arrow(r"\xrightarrow", Text("点燃"), Text("高温")), r"\xrightarrow[\text{高温}]{\text{点燃}}"),
    ],
)
def test_canonical_latex(tree, latex):
    assert to_latex(tree) == latex


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_reproducible_and_varied(kind):
    first = [to_latex(generate(Random(i), kind)) for i in range(40)]
    assert first == [to_latex(generate(Random(i), kind)) for i in range(40)]
    assert len(set(first)) >= 12


def test_the_constructs_that_school_formulas_need_all_occur():
    seen = set().union(*(constructs(formula) for _, formula in generate_many(1500, 11)))
    assert seen >= {
        "absolute value", "aligned", "arrow", "cases", "chinese text", "conditions", "degree", "fraction",
        "fraction in script", "function", "geometry sign", "greek", "growing bracket", "hat", "integral", "isotope",
        "limit", "matrix", "nested fraction", "nested script", "number set", "overline", "prime", "radical",
        "radical with index", "relation", "set sign", "sub and sup", "subscript", "sum or product", "superscript",
        "upright", "vector",
    }  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(formula_trees)
def test_the_latex_is_well_formed(tree):
    latex = to_latex(tree)
    assert latex == latex.strip()
    assert "  " not in latex
    # A blank stands only where a command would run into the next letter.
    assert re.sub(r"(\\[A-Za-z]+) (?=[A-Za-z])", "", latex).count(" ") == 0
    assert len(re.findall(r"(?<!\\)\{", latex)) == len(re.findall(r"(?<!\\)\}", latex))
    assert latex.count(r"\left") == latex.count(r"\right") - latex.count(r"\rightleftharpoons")
    assert "<math" in convert(latex)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(formula_trees, min_size=20, max_size=20))
def test_typst_takes_every_formula(trees):
    with pymupdf.open(stream=formulas_pdf(trees), filetype="pdf") as document:
        assert len(document) == len(trees)


def test_generate_many_repeats_itself_and_takes_kinds_in_turn():
    made = generate_many(len(KINDS) * 2, 5)
    assert made == generate_many(len(KINDS) * 2, 5)
    assert [kind for kind, _ in made] == list(KINDS) * 2
    assert made != generate_many(len(KINDS) * 2, 6)


def test_sheets_hold_every_formula_once_and_chinese_words_stay_off_english_sheets():
    formulas = [formula for _, formula in generate_many(120, 3)]
    sheets = compose(formulas, 4)
    placed = [index for sheet in sheets for index in sheet.places()]
    assert sorted(placed) == list(range(120))
    for sheet in sheets:
        if sheet.language == "en":
            assert not any(has_chinese(formulas[i]) for i in sheet.places())
    kinds = {type(block) for sheet in sheets for block in sheet.blocks}
    assert kinds == {Sentence, Display, Options, Table}


@pytest.fixture(scope="module")
def small():
    return [formula for _, formula in generate_many(36, 8)]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_marks_lie_on_their_formulas_in_each_family(small, family):
    if family not in families():
        pytest.skip(f"{FAMILIES[family]} is not installed")
    pages = typst_pages(compose(small, 1), small, Style(family))
    assert [mark.index for mark in pages.marks] == list(range(36))
    with pymupdf.open(stream=pages.pdf, filetype="pdf") as document:
        assert not any(page.get_links() for page in document)
        for mark in pages.marks:
            assert ink_in(document[mark.page], mark.box) > 0.02


def ink_in(page, box):
    pix = page.get_pixmap(dpi=100, clip=pymupdf.Rect(box), colorspace=pymupdf.csGRAY)
    return float((np.frombuffer(pix.samples, np.uint8) < 128).mean())


def test_marks_are_as_wide_as_what_they_mark():
    wide, narrow = Row(tuple(Sym(c) for c in "abcdefghk")), Sym("x")
    pages = typst_pages(compose([wide, narrow], 1), [wide, narrow])
    widths = [mark.box[2] - mark.box[0] for mark in pages.marks]
    assert widths[0] > 6 * widths[1]


def test_a_font_that_is_not_there_is_named():
    with pytest.raises(FamilyMissingError, match="comic"):
        typst_pages([], [], Style("comic"))


@pytest.mark.skipif(not katex_at_hand(), reason="KaTeX or Chromium is not installed")
def test_katex_sets_the_same_sheets(small):
    pages = katex_pages(compose(small, 1), small)
    assert [mark.index for mark in pages.marks] == list(range(36))


@pytest.mark.skipif(not mathtext_at_hand(), reason="matplotlib is not installed")
@pytest.mark.parametrize("fonts", ["cm", "stix", "dejavuserif"])
def test_mathtext_sets_what_it_can(small, fonts):
    known = [formula for formula in small if can_set(formula, fonts)]
    assert 15 < len(known) < 36
    pages = mathtext_pages(compose(known, 1, chinese_share=0.0), known, fonts)
    assert [mark.index for mark in pages.marks] == list(range(len(known)))
    with pymupdf.open(stream=pages.pdf, filetype="pdf") as document:
        assert all(ink_in(document[mark.page], mark.box) > 0.02 for mark in pages.marks)


def test_a_scan_is_reproducible_and_its_matrix_finds_the_ink():
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=200)
        page.draw_rect(pymupdf.Rect(240, 150, 250, 160), fill=(0, 0, 0))
        image = page_image(page)
    for seed in range(5):
        scanned = scan(image, seed)
        assert np.array_equal(scanned.image, scan(image, seed).image)
        assert scanned.image.shape == image.shape
        turn = np.degrees(np.arctan2(scanned.matrix[1, 0], scanned.matrix[0, 0]))
        assert abs(turn) <= LARGEST_TURN
        x, y = (scanned.matrix @ [245 / 72 * 200, 155 / 72 * 200, 1])[:2]
        dark = np.argwhere(cv2.blur(scanned.image[:, :, 0], (9, 9)) < 80)
        assert np.abs(dark.mean(axis=0) - (y, x)).max() < 2


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"\left(\frac{a}{b}\right)^{2}", r"(\frac{a}{b})^2"),
        (r"x\leqslant 3", "x≤3"),
        (r"\overrightarrow{AB}", r"\vec{AB}"),
        (r"\mathrm{SO_4^{2-}}", r"\mathrm{SO}_{4}^{2-}"),
        (r"30^{\circ}", "30°"),
        (r"\begin{cases} a & b \\ c & d \end{cases}", r"\begin{cases}a&b\\c&d\end{cases}"),
        (r"a , b", "a，b"),
        (r"f^{\prime}(x)", "f^'(x)"),
        (r"5\,\mathrm{kg}", r"5\mathrm{kg}"),
    ],
)
def test_what_prints_alike_has_one_normal_form(a, b):
    assert normal(a) == normal(b)
    assert similarity(a, b) == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [("x^2", "x_2"), (r"\frac{a}{b}", r"\frac{b}{a}"), (r"\alpha", "a"), ("x+1", "x-1"), (r"\sqrt{2}x", r"2x")],
)
def test_what_differs_keeps_its_difference(a, b):
    assert normal(a) != normal(b)
    assert similarity(a, b) < 1


def test_every_generated_formula_keeps_its_own_normal_form():
    by_normal: dict[str, set[str]] = {}
    for _, formula in generate_many(1500, 2):
        latex = to_latex(formula)
        by_normal.setdefault(normal(latex), set()).add(latex)
    # Only what reads alike without braces may share one: \bar and \overline, a bar beside \mid.
    assert sum(len(same) > 1 for same in by_normal.values()) <= 3


def line_of(text, pieces, **more):
    glyphs = tuple(Glyph(t, Box.of(b)) for t, b in pieces)
    return Line(text, Box.hull(g.box for g in glyphs), glyphs, 1.0, "text_layer", **more)


def layout_of(*lines, tables=()):
    return PageLayout(1, 1000, 1000, 200, "digital", lines=lines, tables=tables)


def test_formulas_are_found_where_their_glyphs_stand():
    line = line_of(
        "若$x^2$则$y$",
        [("若", (0, 0, 10, 10)), ("$x^2$", (10, 0, 30, 10)), ("则", (30, 0, 40, 10)), ("$y$", (40, 0, 50, 10))],
    )
    found = found_formulas(layout_of(line))
    assert [(f.latex, f.box.x0, f.box.x1) for f in found] == [("x^2", 10, 30), ("y", 40, 50)]


def test_formulas_in_table_cells_are_found_once():
    box = Box(0, 0, 100, 100)
    table = TableRegion(box, "", (("$a$", "b"), ("", "$c+d$")))
    assert [f.latex for f in found_formulas(layout_of(tables=(table,)))] == ["a", "c+d"]
    line = line_of("$a$", [("$a$", (0, 0, 10, 10))], role="table", table=0)
    assert [f.latex for f in found_formulas(layout_of(line, tables=(table,)))] == ["a"]


def test_pairing_is_by_place_then_by_likeness():
    wanted = [Wanted("x+1", Box(0, 0, 40, 10)), Wanted("y-2", Box(100, 0, 140, 10))]
    found = [Found("y-2", Box(0, 0, 40, 10)), Found("x+7", Box(2, 1, 38, 9)), Found("z", Box(300, 0, 310, 10))]
    outcomes, extra = pair(wanted, found)
    assert [o.latex for o in outcomes] == ["x+7", ""]
    assert [o.found for o in outcomes] == [True, False]
    assert not outcomes[0].exact and 0 < outcomes[0].similarity < 1
    assert extra == 2


def test_an_exact_reading_need_not_be_the_same_string():
    outcomes, extra = pair([Wanted(r"\frac{x}{2}", Box(0, 0, 9, 9))], [Found(r"\dfrac{ x }{2}", Box(0, 0, 9, 9))])
    assert (outcomes[0].exact, outcomes[0].canonical, extra) == (True, False, 0)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (r"x ^ { 2 } _ { 1 }", "x_1^2"),
        (
            r"\left\{ \begin{array} { l l } { a } & { b } \\ { c } & { d } \end{array} \right.",
            r"\begin{cases}a&b\\c&d\end{cases}",
        ),
        (r"\left( \begin{array} { c c } a & b \end{array} \right)", r"\begin{pmatrix}a&b\end{pmatrix}"),
        (r"\operatorname { l i m } _ { x \to 0 }", r"\lim_{x\to 0}"),
    ],
)
def test_the_yardstick_is_judged_by_meaning(theirs, ours):
    assert normal(as_canonical(theirs)) == normal(ours)


def test_typst_markup_leaves_no_sign_to_typst_itself():
    own = re.compile(r'"[^"]*"|#?\(100% \+ 1em\)|#long-equal|#\d|delim: "."')
    for _, formula in generate_many(400, 21):
        outside = own.sub("", to_typst(formula))
        assert not re.search(r"[$_^/|\[\]{}'<>=+*-]", outside), outside
