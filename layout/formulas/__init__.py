"""Formulas: from placed symbols and drawn shapes to LaTeX. One structure analyser, two sources of symbols."""
