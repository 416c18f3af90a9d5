"""Asking critics about the reasoning of a response, and turning their replies into findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scoring.judges import JudgeError, Panel, has_quorum
from scoring.judges_prompt import (
    K12VISTA_SYSTEM,
    LIVEK12_SYSTEM,
    K12VistaReply,
    LiveK12Reply,
    Material,
    read_k12vista,
    read_livek12,
)
from scoring.process import KindVote, RootError, Step, label_shares, step_score, vote_kinds


@dataclass(frozen=True, slots=True)
class ProcessFinding:
    """What the critics make of one response; `vote` or `steps` is set, by protocol, once a quorum could be read.

    `steps` is N_correct / M (0–1) and `labels` the share of steps with each label. `found` keeps each critic's
    findings, follow-on errors included, for the report.
    """

    protocol: str
    vote: KindVote | None
    steps: float | None
    labels: dict[str, float]
    found: dict[str, list[dict[str, Any]]]
    errors: tuple[JudgeError, ...]
    asked: int


def root_errors(reply: LiveK12Reply) -> list[RootError]:
    """The errors that no earlier error caused."""
    return [RootError(e.kind, e.quote, e.reason) for e in reply.errors if e.root]


def root_steps(reply: K12VistaReply) -> list[Step]:
    """Steps with their labels; one that is wrong only because an earlier step was counts as correct."""
    return [Step(s.description, "correct" if s.carried_from is not None else s.label, s.reason) for s in reply.steps]


def criticise(panel: Panel, protocol: str, material: Material, tested: str) -> ProcessFinding:
    """Ask all eligible critics about one response of the model `tested`.

    Raises:
        ValueError: an unknown protocol.
    """
    asked = len(panel.eligible(tested))
    if protocol == "livek12":
        kinds, errors = panel.ask("livek12", LIVEK12_SYSTEM, material, tested, read_livek12)
        vote = vote_kinds([root_errors(r) for r in kinds.values()]) if has_quorum(len(kinds), asked) else None
        found = {judge: [e.model_dump() for e in reply.errors] for judge, reply in kinds.items()}
        return ProcessFinding(protocol, vote, None, {}, found, tuple(errors), asked)
    if protocol == "k12vista":
        replies, errors = panel.ask("k12vista", K12VISTA_SYSTEM, material, tested, read_k12vista)
        steps = [root_steps(r) for r in replies.values()] if has_quorum(len(replies), asked) else []
        found = {judge: [s.model_dump() for s in reply.steps] for judge, reply in replies.items()}
        return ProcessFinding(protocol, None, step_score(steps), label_shares(steps), found, tuple(errors), asked)
    raise ValueError(f"unknown process protocol {protocol!r}")
