"""From outcomes by rules to finished scores: what nobody can mark, what is lost, what judges and critics say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from scoring.attempts import Attempt
from scoring.bank import Bank
from scoring.build import cut_off, finish, left_open, material_for, nothing_to_mark, rule_parts
from scoring.judges import Panel
from scoring.marking import decides, gold_of
from scoring.outcome import Outcome
from scoring.process_critics import criticise
from scoring.profiles import Profile
from scoring.scores import PartScore, Score

Counter = Callable[[int, int], None]  # done, total


@dataclass(slots=True)
class Finisher:
    """Finishes scores; `judges` and `critics` are None when none were named."""

    bank: Bank
    profile: Profile
    judges: Panel | None
    critics: Panel | None
    _by_rules: dict[str, bool] = field(default_factory=dict)

    def all(
        self,
        scores: Sequence[Score],
        attempts: Sequence[Attempt],
        outcomes: Sequence[Outcome | None],
        concurrency: int,
        progress: Counter,
    ) -> None:
        """Finish every score, `concurrency` at a time where judges or critics are asked."""
        pool = ThreadPoolExecutor(max(1, concurrency))
        try:
            waiting: list[Future[None]] = []
            for score, attempt, outcome in zip(scores, attempts, outcomes, strict=True):
                parts = self._parts(score, attempt, outcome)
                if self._calls_out(attempt, parts):
                    waiting.append(pool.submit(self._one, score, attempt, outcome, parts))
                else:
                    self._one(score, attempt, outcome, parts)
            for number, future in enumerate(as_completed(waiting), start=1):
                future.result()
                progress(number, len(waiting))
        finally:  # after an error or Ctrl-C leave at once: what was answered is in the store
            pool.shutdown(wait=False, cancel_futures=True)

    def markable(self, question_id: str, model: str) -> bool:
        """Whether any answer of `model` to the question could be marked in this run.

        Either rules accept the key's own answer, or a judge may be asked and has a key or solution to judge by.
        Where this is not so, an empty answer is not wrong either: it would be the only kind of answer that counts.
        """
        item = self.bank.items[question_id]
        if question_id not in self._by_rules:
            gold = gold_of(item, self.profile)
            self._by_rules[question_id] = gold is not None and decides(gold)
        if self._by_rules[question_id]:
            return True
        if self.judges is None or not self.judges.eligible(model):
            return False
        return material_for(item, "", rule_parts(item, None)) is not None

    def _parts(self, score: Score, attempt: Attempt, outcome: Outcome | None) -> list[PartScore]:
        item = self.bank.items[score.question_id]
        parts = rule_parts(item, outcome)
        if attempt.truncated and self.markable(score.question_id, attempt.model):
            return cut_off(parts, attempt, item.question.type)
        return parts

    def _calls_out(self, attempt: Attempt, parts: Sequence[PartScore]) -> bool:
        if attempt.error is not None or not attempt.response.strip():
            return False
        return self.critics is not None or (self.judges is not None and any(p.verdict == "undecided" for p in parts))

    def _one(self, score: Score, attempt: Attempt, outcome: Outcome | None, parts: list[PartScore]) -> None:
        item = self.bank.items[score.question_id]
        points = item.question.points
        if attempt.error is not None:
            score.status, score.reason = "error", attempt.error
            return
        undecided = any(part.verdict == "undecided" for part in parts)
        if undecided and (not attempt.response.strip() or attempt.refused):
            self._without_answer(score, attempt, parts, points)
            return
        panel = None
        if self.judges is not None and undecided:
            material = material_for(item, attempt.response, parts)
            if material is not None:
                panel = self.judges.outcome(material, attempt.model, self.profile.panel.aggregate)
        finding = None
        if self.critics is not None:
            shown = material_for(item, attempt.response, None)
            if shown is not None:
                finding = criticise(self.critics, self.profile.process.protocol, shown, attempt.model)
        finish(score, parts, outcome, panel, finding, points)

    def _without_answer(self, score: Score, attempt: Attempt, parts: list[PartScore], points: float | None) -> None:
        empty = not attempt.response.strip()
        rule, reason = ("no_response", "the response is empty") if empty else ("refusal", "the model refused to answer")
        if self.markable(score.question_id, attempt.model):
            nothing_to_mark(score, parts, rule, reason, points)
        else:
            left_open(score, parts, rule, f"{reason}, and nobody could mark an answer to this question")
