"""Formula → page → formula: what the generator prints, the reader must give back, in each math font."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from layout.ocr import RapidOcrEngine
from layout.page import analyse_page
from samples.formulas import generate, to_latex, trial
from samples.formulas.measure import Wanted, found_formulas, pair
from samples.formulas.render import Style, families, typst_pages
from samples.formulas.sheets import Sentence, Sheet
from samples.formulas.tree import Frac, Row, Script, Sym

# Every formula of these kinds must come back exactly, whatever the generator makes of it.
SOLID = (
    "absolute value", "angle", "chinese subscript", "conic", "equation", "fraction", "growing bracket", "interval",
    "law", "limit", "logarithm", "overline", "plain reaction", "prime", "quantity", "radical", "ratio", "series",
    "trigonometry",
)  # fmt: skip
# Exact share over all kinds, constructs that the reader is weak at included.
FLOOR = {"digital": 0.93, "scan": 0.7}
FAMILIES = ("ncm", "stix", "dejavu", "termes")


@pytest.fixture(scope="module")
def engine():
    return RapidOcrEngine()


def need(family):
    if family not in families():
        pytest.skip(f"the math font {family} is not installed")


def sentences(count):
    """A page that prints each formula in a sentence of its own, in Chinese and English in turn."""
    words = (("已知", "，求它的值．"), ("Given that ", ", find its value."))
    blocks = tuple(Sentence((words[i % 2][0], i, words[i % 2][1])) for i in range(count))
    return [Sheet("zh", blocks)]


formulas = st.lists(
    st.builds(generate, st.randoms(use_true_random=False), st.sampled_from(SOLID)), min_size=1, max_size=16
)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(trees=formulas)
def test_a_text_layer_gives_every_formula_back(engine, family, trees):
    need(family)
    pages = typst_pages(sentences(len(trees)), trees, Style(family))
    wrong = []
    for number, shot in enumerate(trial.shots(pages.pdf, "digital")):
        marks = [m for m in pages.marks if m.page == number]
        wanted = [Wanted(to_latex(trees[m.index]), trial.place_of(m, shot)) for m in marks]
        outcomes, _ = pair(wanted, found_formulas(analyse_page(shot.page, engine)))
        wrong += [(w.latex, o.latex) for w, o in zip(wanted, outcomes, strict=True) if not o.exact]
    assert not wrong


@pytest.mark.parametrize("family", FAMILIES)
def test_sheets_of_all_kinds_come_back(engine, family):
    need(family)
    batch = trial.make_batch(family, 72, seed=77)
    results, extra, _ = trial.read_batch(batch, "digital", engine)
    assert len(results) == 72
    wrong = [(r.kind, r.true, r.outcome.latex) for r in results if not r.outcome.exact]
    assert 1 - len(wrong) / len(results) >= FLOOR["digital"], wrong
    assert extra <= 0.15 * len(results)


def test_scanned_sheets_come_back(engine):
    """The same from pictures that are turned, blurred and noisy: a small sample, over two fonts together."""
    results = []
    for family in (f for f in FAMILIES[:2] if f in families()):
        batch = trial.make_batch(family, 20, seed=78)
        read, _, _ = trial.read_batch(batch, "scan", engine, seed=3)
        results += read
    if not results:
        pytest.skip("no math font is installed")
    wrong = [(r.font, r.kind, r.true, r.outcome.latex) for r in results if not r.outcome.exact]
    assert 1 - len(wrong) / len(results) >= FLOOR["scan"], wrong


def test_a_subscript_above_a_bar_belongs_to_the_letter_beside_it(engine):
    """Neither an ideograph nor a letter before the fraction takes the subscript of its numerator."""
    fraction = Frac(Script(Sym("a"), sub=Sym("0")), Sym("a"))
    trees = [Row((fraction, Sym("="), Sym("b"))), Row((Sym("x"), fraction, Sym("="), Sym("b")))]
    (shot,) = trial.shots(typst_pages(sentences(2), trees, Style("ncm")).pdf, "digital")
    text = "".join(line.text for line in analyse_page(shot.page, engine).lines)
    assert r"$\frac{a_0}{a}=b$" in text
    assert r"$x\frac{a_0}{a}=b$" in text
