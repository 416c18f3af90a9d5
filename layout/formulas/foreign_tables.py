"""Commands that other programs write, and what they are called in the canonical form."""

from __future__ import annotations

STOPS = frozenset({"}", "&", r"\\", r"\end", r"\right", "]"})
_DROPPED = r"""
\displaystyle \textstyle \scriptstyle \scriptscriptstyle \limits \nolimits \quad \qquad \, \; \: \! \> \hfill \middle
\big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm \relax \nonumber ~ \hline
\thinspace \enspace \protect \centering
"""
DROPPED = frozenset(_DROPPED.split()) | {"\\ "}
SYNONYMS = {
    r"\leq": r"\le", r"\leqslant": r"\le", r"\leqq": r"\le", r"\geq": r"\ge", r"\geqslant": r"\ge", r"\geqq": r"\ge",
    r"\neq": r"\ne", r"\rightarrow": r"\to", r"\longrightarrow": r"\to", r"\Longrightarrow": r"\Rightarrow",
    r"\implies": r"\Rightarrow", r"\iff": r"\Leftrightarrow", r"\Longleftrightarrow": r"\Leftrightarrow",
    r"\gets": r"\leftarrow", r"\ast": "*", r"\vert": "|", r"\lvert": "|", r"\rvert": "|", r"\Vert": r"\|",
    r"\lVert": r"\|", r"\rVert": r"\|", r"\lbrace": r"\{", r"\rbrace": r"\}", r"\lbrack": "[", r"\rbrack": "]",
    r"\varnothing": r"\emptyset", r"\dots": r"\ldots", r"\dotsb": r"\cdots", r"\dotsc": r"\ldots", r"\square": r"\Box",
    r"\bigtriangleup": r"\triangle", r"\vartriangle": r"\triangle", r"\colon": ":", r"\lt": "<", r"\gt": ">",
    r"\degree": r"^\circ", r"\celsius": r"^\circ\mathrm{C}", r"\wedge": r"\land", r"\vee": r"\lor", r"\lnot": r"\neg",
}  # fmt: skip
NOT = {"=": r"\ne", r"\in": r"\notin", r"\subset": r"\not\subset", r"\equiv": r"\not\equiv"}
FRACTIONS = frozenset({r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"})
FACES = {r"\mathrm": "mathrm", r"\mathbf": "mathbf", r"\boldsymbol": "mathbf", r"\bm": "mathbf", r"\mathbb": "mathbb",
         r"\mathcal": "mathcal", r"\mathscr": "mathcal"}  # fmt: skip
PLAIN_FACES = frozenset({r"\mathit", r"\mathnormal", r"\mathsf", r"\mathop", r"\mathbin", r"\mathrel", r"\mathord"})
SWITCHES = {r"\rm": "mathrm", r"\bf": "mathbf", r"\it": "", r"\cal": "mathcal"}
TEXTS = frozenset({r"\text", r"\textrm", r"\textbf", r"\textit", r"\mbox", r"\hbox", r"\textnormal"})
# Commands over one letter and over several.
OVER = {r"\vec": ("vec", "overrightarrow"), r"\bar": ("bar", "overline"), r"\hat": ("hat", "widehat"),
        r"\tilde": ("tilde", "widetilde"), r"\dot": ("dot", "dot"), r"\ddot": ("ddot", "ddot")}  # fmt: skip
OVER |= {rf"\{wide}": pair for pair in list(OVER.values()) for wide in pair}
ARROWS = {r"\xrightarrow": "xrightarrow", r"\xlongequal": "xlongequal", r"\xrightleftharpoons": "xrightleftharpoons"}
UNDER_ARROW = {r"\to": "xrightarrow", "=": "xlongequal", r"\rightleftharpoons": "xrightleftharpoons"}
GRIDS = {
    ("(", ")"): "pmatrix",
    ("[", "]"): "bmatrix",
    ("|", "|"): "vmatrix",
    (r"\{", ""): "cases",
    ("", r"\}"): "rcases",
}
ALIGNED = frozenset({"aligned", "align", "align*", "split", "gathered", "array", "alignedat", "eqnarray"})
