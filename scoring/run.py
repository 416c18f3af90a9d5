"""`wholepage score run`: recorded attempts → a run folder, by rules first and judges where rules cannot decide.

No model under test is called. The run can be stopped at any moment and started again with the same command: rules
give the same outcome, and judges' replies are read from replies.db. Files other than replies.db are written at the end,
so an unfinished run never looks like a finished one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.attempts import Attempt, AttemptIssue, AttemptSet, read_attempts
from scoring.bank import Bank, load_bank
from scoring.build import base_score, cut_off, finish, material_for, nothing_to_mark, rule_parts, scored_question
from scoring.efficiency import Price
from scoring.judges import Panel
from scoring.judges_cache import ReplyCache
from scoring.judges_client import ChatClient, ClientOptions, Endpoint
from scoring.judges_names import ModelNames
from scoring.marking import apply_point_rule, chance_of, gold_of, mark_all
from scoring.outcome import Outcome
from scoring.process_critics import criticise
from scoring.profiles import Profile
from scoring.scores import Manifest, PartScore, Score, write_records
from scoring.summary import Summary, summarise
from wholepage import __version__
from wholepage.workspace import Workspace, sha256_file, write_json, write_text

Progress = Callable[[str, int, int], None]  # stage, done, total


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Everything that decides a run, the attempts apart."""

    profile: Profile
    judges: tuple[Endpoint, ...] = ()
    critics: tuple[Endpoint, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    jobs: int = 1
    concurrency: int = 8
    retry_unreadable: bool = False
    client: ClientOptions = field(default_factory=ClientOptions)
    replies: Path | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """What the command reports."""

    scores: list[Score]
    summary: Summary
    attempts: AttemptSet
    bank: Bank


def _silent(stage: str, done: int, total: int) -> None:
    """Progress of a caller who asked for none."""


def score_run(
    paths: Sequence[Path], workspace: Workspace, run: Path, options: RunOptions, progress: Progress = _silent
) -> RunResult:
    """Mark the attempts in `paths` against the workspace's papers and write the folder `run`.

    Raises:
        AttemptFileError, WorkspaceError, JudgePanelError: nothing was marked.
        JudgeEndpointError: a judge cannot be reached; replies so far are kept and the same call continues.
    """
    bank = load_bank(workspace)
    attempts = read_attempts(paths, bank, bank.rejected)
    outcomes = _mark(attempts, bank, options, progress)
    scores = [
        base_score(attempt, source, bank.items[attempt.full_question_id()], options.profile, _price(options, attempt))
        for attempt, source in zip(attempts.attempts, attempts.sources, strict=True)
    ]
    asks = bool(options.judges or options.critics)
    store = options.replies or run / "replies.db"
    with ReplyCache(store if asks else None) as cache, _client(options) as client:
        _finish_all(scores, attempts, outcomes, bank, options, cache, client, progress)
    result = _write(run, paths, workspace, scores, attempts, bank, options)
    progress("done", len(scores), len(scores))
    return result


def _price(options: RunOptions, attempt: Attempt) -> Price | None:
    return options.prices.get(attempt.model)


class _NoClient:
    """Stands in when there are neither judges nor critics, so that rules alone need no HTTP library."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def _client(options: RunOptions) -> ChatClient | _NoClient:
    return ChatClient(options.client) if options.judges or options.critics else _NoClient()


def _mark(attempts: AttemptSet, bank: Bank, options: RunOptions, progress: Progress) -> list[Outcome | None]:
    pairs: list[Any] = []
    for attempt in attempts.attempts:
        gold = gold_of(bank.items[attempt.full_question_id()], options.profile)
        unusable = attempt.error is not None or not attempt.response.strip() or gold is None
        pairs.append(None if unusable else (gold, attempt.response))
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        progress("rules", done, len(pairs))

    outcomes = mark_all(pairs, options.jobs, step)
    return [
        None if o is None else apply_point_rule(o, bank.items[a.full_question_id()], options.profile)
        for o, a in zip(outcomes, attempts.attempts, strict=True)
    ]


def _finish_all(
    scores: list[Score],
    attempts: AttemptSet,
    outcomes: Sequence[Outcome | None],
    bank: Bank,
    options: RunOptions,
    cache: ReplyCache,
    client: ChatClient | None,
    progress: Progress,
) -> None:
    judges = _panel(options.judges, options, client, cache)
    critics = _panel(options.critics, options, client, cache)
    pool = ThreadPoolExecutor(max(1, options.concurrency))
    try:
        waiting: list[Future[None]] = []
        for score, attempt, outcome in zip(scores, attempts.attempts, outcomes, strict=True):
            item = bank.items[score.question_id]
            parts = cut_off(rule_parts(item, outcome), attempt, item.question.type)
            work = (score, attempt, outcome, parts, bank, options.profile, judges, critics)
            if _calls_out(score, attempt, parts, judges, critics):
                waiting.append(pool.submit(_finish_one, *work))
            else:
                _finish_one(*work)
        for number, future in enumerate(as_completed(waiting), start=1):
            future.result()
            progress("judges", number, len(waiting))
    finally:  # after an error or Ctrl-C leave at once: what was answered is in the store
        pool.shutdown(wait=False, cancel_futures=True)


def _panel(
    endpoints: Sequence[Endpoint], options: RunOptions, client: ChatClient | None, cache: ReplyCache
) -> Panel | None:
    if not endpoints or client is None:
        return None
    return Panel(endpoints, client, cache, ModelNames(options.aliases), options.retry_unreadable)


def _calls_out(
    score: Score, attempt: Attempt, parts: Sequence[PartScore], judges: Panel | None, critics: Panel | None
) -> bool:
    if score.error is not None or not attempt.response.strip():
        return False
    return critics is not None or (judges is not None and any(p.verdict == "undecided" for p in parts))


def _finish_one(
    score: Score,
    attempt: Attempt,
    outcome: Outcome | None,
    parts: list[PartScore],
    bank: Bank,
    profile: Profile,
    judges: Panel | None,
    critics: Panel | None,
) -> None:
    item = bank.items[score.question_id]
    points = item.question.points
    if attempt.error is not None:
        score.status, score.reason = "error", attempt.error
        return
    if not attempt.response.strip():
        nothing_to_mark(score, parts, "no_response", "the response is empty", points)
        return
    undecided = any(part.verdict == "undecided" for part in parts)
    if undecided and attempt.refused:
        nothing_to_mark(score, parts, "refusal", "the model refused to answer", points)
        return
    panel = None
    if judges is not None and undecided:
        material = material_for(item, attempt.response, parts)
        panel = judges.outcome(material, attempt.model, profile.panel.aggregate) if material is not None else None
    finding = None
    if critics is not None:
        shown = material_for(item, attempt.response, None)
        finding = criticise(critics, profile.process.protocol, shown, attempt.model) if shown is not None else None
    finish(score, parts, outcome, panel, finding, points)


def _write(
    run: Path,
    paths: Sequence[Path],
    workspace: Workspace,
    scores: list[Score],
    attempts: AttemptSet,
    bank: Bank,
    options: RunOptions,
) -> RunResult:
    used = sorted({score.question_id for score in scores})
    questions = {name: scored_question(bank.items[name], chance_of(bank.items[name], options.profile)) for name in used}
    for problem in bank.problems:
        attempts.issues.append(AttemptIssue("paper.unreadable", "error", "", 0, problem))
    scores.sort(key=lambda s: (s.model, s.mode, s.budget or 0, s.question_id, s.epoch))
    summary = summarise(scores, questions, options.profile, attempts.issues)
    write_records(run / "questions.jsonl", questions.values())
    write_records(run / "scores.jsonl", scores)
    for name, lines in (("issues", [i.as_dict() for i in attempts.issues]), ("rejected", attempts.rejected)):
        write_text(run / f"{name}.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    write_json(run / "summary.json", summary)
    manifest = Manifest(
        profile=options.profile.label,
        profile_content=options.profile.model_dump(mode="json"),
        attempts=[{"file": str(path), "sha256": sha256_file(path)} for path in paths],
        workspace=str(workspace.root.resolve()),
        judges=[judge.model for judge in options.judges],
        critics=[critic.model for critic in options.critics],
        aliases=dict(options.aliases),
        prices={name: _price_dict(price) for name, price in options.prices.items()},
        program=__version__,
        lines=attempts.lines,
        scored=len(scores),
        rejected=len(attempts.rejected),
    )
    write_json(run / "run.json", manifest.model_dump(mode="json", by_alias=True))  # last: it marks the run as finished
    return RunResult(scores, summary, attempts, bank)


def _price_dict(price: Price) -> dict[str, Any]:
    return {
        "input": price.input,
        "output": price.output,
        "cached_input": price.cached_input,
        "currency": price.currency,
    }
