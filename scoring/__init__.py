"""Marks stored answers: outcome rules, judges, process protocols, statistics and the report."""
