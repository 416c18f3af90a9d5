"""review.markup, review.math, review.tables: text of a page becomes HTML that holds nothing but what we wrote."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest

from review.markup import MAX_TEXT, inline, line, rich, text_width
from review.math import MAX_FORMULA, formula, typeset
from review.plain import visible
from review.tables import MAX_SPAN, clean_table

SAFE_TAGS = {
    *("p", "br", "b", "strong", "i", "em", "u", "sub", "sup", "span", "div", "code"),
    *("table", "caption", "tr", "td", "th"),
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "msqrt", "mroot", "mfrac", "msub", "msup", "msubsup"),
    *("munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom"),
}
UNSAFE_ATTRIBUTES = {"style", "href", "src", "id", "srcset", "action", "xlink:href", "background"}


class Collector(HTMLParser):
    """Tags, attributes and text of a piece of HTML."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.values: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names.update(name for name, _ in attrs)
        self.values.extend(value or "" for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def check_safe(source: str) -> Collector:
    page = Collector(source)
    assert set(page.tags) <= SAFE_TAGS
    assert not {n for n in page.names if n.startswith("on")} and not page.names & UNSAFE_ATTRIBUTES
    assert not any("javascript:" in value for value in page.values)
    return page


HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](javascript:alert(1))",
    '![x](x" onerror="alert(1))',
    "<a href='javascript:alert(1)'>x</a>",
    "<table><tr><td onclick=alert(1) style='position:fixed'>a<script>alert(1)</script></td></tr></table>",
    "<table onload=alert(1)><tr><td><img src=x onerror=alert(1)></td></tr></table>",
    "<table><tr><td><a href='javascript:alert(1)'>x</a><iframe srcdoc='<script>1</script>'></td></tr></table>",
    "<table><caption onclick=x><b onclick=x>c</b></caption><tr><td><math><mtext><script>1</script></table>",
    "<table><!-- <img src=x onerror=alert(1)> --><tr><td><![CDATA[<script>]]></td></tr></table>",
    r"$\text{<script>alert(1)</script>}$",
    r"$$\text{</math><img src=x onerror=alert(1)>}$$",
    r"$\href{javascript:alert(1)}{x}$",
    r"$\class{x}{y}\style{background:url(//e)}{z}$",
    r"$\color{red;background:url(//e)}{z}$",
    r"$\unknown{<b onclick=x>}$",
    "**<script>alert(1)</script>**",
    "____<script>____",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    check_safe(str(rich(text)))
    check_safe(str(line(text)))


def test_markup_is_shown_as_printed() -> None:
    for text in ("<script>alert(1)</script>", "[click](javascript:alert(1))", "# not a heading", "a <b> b", "1. x"):
        assert Collector(str(rich(text))).text == text


def test_figures_go_through_the_callback_only() -> None:
    asked: list[str] = []

    def figure(file: str) -> str:
        asked.append(file)
        return "<b>F</b>"

    page = check_safe(str(rich("before ![](figures/p001-f1.png) after", figure)))
    assert asked == ["figures/p001-f1.png"]
    assert page.text == "beforeFafter"


def test_paragraphs_and_line_breaks() -> None:
    assert rich("a\nb\n\nc") == "<p>a<br>b</p><p>c</p>"
    assert rich("") == ""


def test_blanks_are_lines_that_keep_their_underscores() -> None:
    page = check_safe(inline("x = ____，y = ________________"))
    assert page.tags == ["span", "span"] and page.values == ["blank s", "blank l"]
    assert page.text == "x = ____，y = ________________"
    assert check_safe(inline("a_b __c__")).tags == []


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$x^2$ 与 $y$", 2),
        ("costs $5 and $6", 0),
        ("$ \\frac12 $", 1),
        ("$ 5 and $ 6", 0),
        (r"\$x\$", 0),
        ("$a\nb$", 0),
        ("$$\\frac{1}{2}$$", 1),
        ("$$$$", 0),
    ],
)
def test_what_counts_as_a_formula(text: str, formulas: int) -> None:
    assert Collector(str(rich(text))).tags.count("math") == formulas


def test_formula_elements() -> None:
    page = check_safe(formula(r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}", True))
    assert {"mfrac", "msqrt", "msup"} <= set(page.tags) and "block" in page.values
    assert "ℝ" in formula(r"\mathbb{R}") and "𝒂" in formula(r"\boldsymbol{a}") and "ℱ" in formula(r"\mathscr{F}")
    assert Collector(formula(r"\begin{aligned}a&=b\\c&=d\end{aligned}")).tags.count("mtr") == 2
    assert "<mo>⩽</mo>" in formula(r"a\leqslant b")
    assert Collector(formula(r"\text{若 a < b & c}")).text.replace("\u00a0", " ") == "若 a < b & c"


def test_signs_after_an_opening_or_a_relation_are_prefixes() -> None:
    assert formula(r"\{-3,-2\}").count('form="prefix">−') == 2
    assert "prefix" not in formula("a-b") and "prefix" not in formula("(a)-b")


def test_punctuation_keeps_to_its_formula() -> None:
    assert inline("若（$x$），则").count('<span class="nb">（<math') == 1
    assert inline("$x$ 与").count("nb") == 0


@pytest.mark.parametrize("source", [r"\frac{", r"\ce{H2O}", "a & b", "{" * 2000, "x" * (MAX_FORMULA + 1), r"\left(x"])
def test_what_does_not_convert_is_shown_as_source(source: str) -> None:
    page = check_safe(formula(source))
    assert page.tags == ["code"] and page.text == source and not typeset(source)


def test_every_command_of_a_hostile_list_is_typeset_or_shown() -> None:
    for source in (r"\limits", r"\begin{tabular}", "_" * 500, "x^" * 900, r"\left(" * 300, "{" * 700 + "}" * 700):
        check_safe(formula(source))


def test_table_structure_spans_and_formulas() -> None:
    out = clean_table(
        "<table><caption>T</caption><thead><tr><th colspan=2>A</th></tr></thead><tbody><tr><td rowspan='99999'>$x^2$"
        "<td>a<br>b<sub>2</sub> &lt;i&gt;</tbody></table>",
        inline,
    )
    page = check_safe(out)
    assert page.tags.count("tr") == 2 and page.tags.count("td") == 2 and page.tags.count("math") == 1
    assert f'rowspan="{MAX_SPAN}"' in out and 'colspan="2"' in out
    assert "<sub>2</sub> &lt;i&gt;" in out and "<br>" in out


def test_table_letter_styles_are_closed_with_their_cell() -> None:
    out = clean_table("<table><tr><td><b>x<td>y</b></tr></table>", inline)
    assert "<td><b>x</b></td><td>y</td>" in out


def test_text_outside_cells_is_not_lost() -> None:
    page = check_safe(clean_table("<table>stray<tr><td>x</td></tr><script>s</script></table>", inline))
    assert "stray" in page.text and "<script>s</script>" in page.text


def test_control_characters_are_visible() -> None:
    shown = visible("a\u202eb\x1b[31m\x00\u200f\U000e0041\ud800\t\n")
    assert shown == "a⟨U+202E⟩b␛[31m␀⟨U+200F⟩⟨U+E0041⟩\ufffd\t\n"
    for text in ("\u202etxt", "$x\u202e$", "<table><tr><td>\u2066x</td></tr></table>", "**\x1b]0;t\x07**"):
        out = str(rich(text))
        assert not any(c in out for c in "\u202e\u2066\x1b\x07")


def test_long_fields_are_cut_and_say_so() -> None:
    out = str(rich("x" * (MAX_TEXT + 1234)))
    assert "1,234 more characters" in out and len(out) < MAX_TEXT + 200


@pytest.mark.parametrize("unit", ["$", "$a ", "<table>", "**a", "![", "\\", "_", "$$a", "<table><tr><td><b>", "\n \n"])
def test_no_text_takes_long(unit: str) -> None:
    begin = time.process_time()
    check_safe(str(rich(unit * (MAX_TEXT // len(unit)))))
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("tail", ["_", "^x", "\\a", "_$1"])
def test_open_formulas_do_not_take_long(tail: str) -> None:
    begin = time.process_time()
    check_safe(str(rich("$ " + tail * (MAX_TEXT // len(tail)))))
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("cell", ["<![](a)", "<![CDATA[x", "<!DOCTYPE x", "<!--x", "<?x", "</ x", "a < 3", "<"])
def test_signs_in_tables_are_text(cell: str) -> None:
    page = check_safe(clean_table(f"<table><tr><td>{cell}</td></tr></table>", inline))
    assert cell in page.text and page.tags.count("td") == 1


def test_width_counts_what_is_seen() -> None:
    assert text_width("ab中") == 4
    assert text_width(r"$\frac{1}{2}$") == 2
    assert text_width("![](figures/a.png)") == 0
