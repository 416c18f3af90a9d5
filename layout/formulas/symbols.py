"""Tables of mathematical characters: their LaTeX commands and their roles."""

from __future__ import annotations

# One command for one meaning. What is its own LaTeX is not listed.
COMMANDS: dict[str, str] = {
    "−": "-", "–": "-", "∶": ":", "∗": "*", "＝": "=", "＋": "+", "－": "-", "＜": "<", "＞": ">", "（": "(", "）": ")",
    "［": "[", "］": "]", "，": ",", "｜": "|", "∣": "|", "︱": "|", "／": "/", "：": ":", "．": ".", "；": ";",
    "{": r"\{", "}": r"\}", "｛": r"\{", "｝": r"\}", "%": r"\%", "％": r"\%", "#": r"\#", "&": r"\&", "$": r"\$",
    "⟨": r"\langle", "⟩": r"\rangle", "〈": r"\langle", "〉": r"\rangle", "∥": r"\parallel", "‖": r"\|", "_": r"\_",
    "≤": r"\le", "≥": r"\ge", "≦": r"\le", "≧": r"\ge", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "≅": r"\cong",
    "≌": r"\cong", "∼": r"\sim", "~": r"\sim", "～": r"\sim", "∽": r"\sim", "≃": r"\simeq", "∝": r"\propto",
    "≪": r"\ll", "≫": r"\gg",
    "×": r"\times", "÷": r"\div", "±": r"\pm", "∓": r"\mp", "·": r"\cdot", "∙": r"\cdot", "•": r"\cdot", "∘": r"\circ",
    "◦": r"\circ", "⊕": r"\oplus", "⊗": r"\otimes", "⊙": r"\odot", "∈": r"\in", "∉": r"\notin", "∋": r"\ni",
    "⊂": r"\subset", "⊃": r"\supset", "⊆": r"\subseteq", "⊇": r"\supseteq", "⊊": r"\subsetneq", "⊄": r"\not\subset",
    "⫋": r"\subsetneqq", "∪": r"\cup", "∩": r"\cap", "∖": r"\setminus", "∅": r"\emptyset", "∞": r"\infty",
    "∠": r"\angle",
    "⊥": r"\perp", "⟂": r"\perp", "△": r"\triangle", "▵": r"\triangle", "□": r"\Box", "◇": r"\Diamond",
    "◊": r"\Diamond",
    "▱": "▱", "⌒": r"\frown",
    "∁": r"\complement", "∂": r"\partial", "∇": r"\nabla", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg",
    "∧": r"\land",
    "∨": r"\lor", "∵": r"\because", "∴": r"\therefore", "→": r"\to", "⟶": r"\to", "←": r"\leftarrow",
    "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "⟹": r"\Rightarrow", "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow",
    "⟺": r"\Leftrightarrow", "↦": r"\mapsto", "⇌": r"\rightleftharpoons", "⇋": r"\rightleftharpoons", "↑": r"\uparrow",
    "↓": r"\downarrow", "⋯": r"\cdots", "…": r"\ldots", "⋮": r"\vdots", "⋱": r"\ddots", "∑": r"\sum", "∏": r"\prod",
    "⋃": r"\bigcup", "⋂": r"\bigcap",
    "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint", "√": r"\surd", "ℏ": r"\hbar", "ℓ": r"\ell",
    "′": r"\prime", "'": r"\prime", "’": r"\prime",
    "″": r"\prime\prime", "‴": r"\prime\prime\prime", "°": r"^\circ", "℃": r"^\circ\mathrm{C}",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ϵ": r"\epsilon", "ζ": r"\zeta",
    "η": r"\eta", "θ": r"\theta", "ϑ": r"\vartheta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu",
    "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "ς": r"\varsigma", "τ": r"\tau",
    "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma",
    "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma", "Υ": r"\Upsilon",
    "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega",
}  # fmt: skip

GREEK = frozenset("αβγδεϵζηθϑικλμνξπρσςτυφϕχψωΓΔΘΛΞΠΣΥΦΨΩ")
RELATIONS = frozenset("=＝<>＜＞≤≥≦≧≠≈≡≅≌∼∽≃∝≪≫∈∉∋⊂⊃⊆⊇⊊⊄⫋→⟶←↔⇒⟹⇐⇔⟺↦⇌⇋⊥⟂∥")
BINARY = frozenset("+-−–×÷±∓·∙⋅∗*∪∩∖∧∨⊕⊗⊙＋－/／∘")
BIG_OPERATORS = frozenset("∑∏∫∬∭∮⋃⋂")
OPEN = {"(": ")", "[": "]", "{": "}", "（": "）", "［": "］", "｛": "｝", "⟨": "⟩"}
CLOSE = {v: k for k, v in OPEN.items()}
BRACKETS = frozenset("()[]{}|∣（）［］｛｝｜‖⟨⟩⌊⌋⌈⌉")
FUNCTIONS = (
    "arcsin", "arccos", "arctan", "cosec", "sinh", "cosh", "tanh", "sin", "cos", "tan", "cot", "sec", "csc", "log",
    "lg", "ln", "lim", "max", "min", "exp", "gcd", "det", "arg", "dim", "mod",
)  # fmt: skip
OWN_COMMAND = frozenset(set(FUNCTIONS) - {"mod", "cosec"})
# Names that writers who know no upright ones set in italics, and that no product of three letters looks like.
ITALIC_NAMES = frozenset(
    f for f in FUNCTIONS if len(f) > 2 and f[-3:] in {"sin", "cos", "tan", "cot", "sec", "log", "lim"}
)
UNDER_OPERATORS = frozenset({"lim", "max", "min"})

# Characters that only mathematics uses: one of them makes a span of text a formula.
STRONG = GREEK | RELATIONS | BIG_OPERATORS | frozenset("×÷±∓∪∩∖√∞∠△∅∁∂∇∀∃∧∨⊕⊗⊙′″∘⋯∵∴")

# Pieces of stretched brackets as fonts encode them: the sign that they are a part of.
PIECES: dict[str, str] = {
    "⎛": "(", "⎜": "(", "⎝": "(", "⎞": ")", "⎟": ")", "⎠": ")", "⎡": "[", "⎢": "[", "⎣": "[", "⎤": "]", "⎥": "]",
    "⎦": "]", "⎧": "{", "⎨": "{", "⎩": "{", "⎪": "{", "⎫": "}", "⎬": "}", "⎭": "}",
}  # fmt: skip

# Symbols of the elements that school chemistry and nuclear physics use.
ELEMENTS = (
    "He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Sc|Ti|Cr|Mn|Fe|Co|Ni|Cu|Zn|Ga|Ge|As|Se|Br|Kr|Rb|Sr|Zr|Mo|Tc|Ag|Cd|Sn|Sb|Te|Xe"
    "|Cs|Ba|La|Ce|Pt|Au|Hg|Tl|Pb|Bi|Po|Rn|Ra|Th|Pa|Np|Pu|H|B|C|N|O|F|P|S|K|V|I|W|U"
)
