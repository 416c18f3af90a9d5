"""The model parser: a language model says where things stand on the page, the program copies and verifies them.

A reply holds line ids and character spans, never text, so nothing that a model (or a page that addresses one) writes
can reach a paper. What the page does not bear out is not taken over and becomes an issue. See docs/model-parser.md.
"""
