"""Outcome rules: one module a kind of answer. `scoring.rules.part` chooses among them."""
