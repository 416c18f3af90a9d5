"""`wholepage score run`: recorded attempts → a run folder, by rules first and judges where rules cannot decide.

No model under test is called. The run can be stopped at any moment and started again with the same command: rules
give the same outcome, and judges' replies are read from replies.db. Files other than replies.db are written at the end,
so an unfinished run never looks like a finished one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scoring.attempts import Attempt, AttemptFileError, AttemptIssue, AttemptSet, read_attempts
from scoring.bank import Bank, load_bank
from scoring.build import base_score, scored_question
from scoring.efficiency import Price
from scoring.finishing import Finisher
from scoring.judges import Panel
from scoring.judges_cache import ReplyCache
from scoring.judges_client import ChatClient, ClientOptions, Endpoint
from scoring.judges_names import ModelNames
from scoring.marking import apply_point_rule, chance_of, gold_of, mark_all
from scoring.outcome import Outcome
from scoring.profiles import Profile
from scoring.run_folder import clear_leftovers, hold, staged
from scoring.scores import Manifest, Score, write_records
from scoring.summary import Summary, summarise
from wholepage import __version__
from wholepage.workspace import Workspace, sha256_file, write_json, write_text

Progress = Callable[[str, int, int], None]  # stage, done, total
MAX_SHOWN = 20  # doubts about lines that one message lists


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
    with hold(run):
        clear_leftovers(run)
        return _score(paths, workspace, run, options, progress)


def _score(
    paths: Sequence[Path], workspace: Workspace, run: Path, options: RunOptions, progress: Progress
) -> RunResult:
    bank = load_bank(workspace)
    attempts = read_attempts(paths, bank, bank.rejected)
    _demand_some(paths, attempts, bank)
    outcomes = _mark(attempts, bank, options, progress)
    scores = [
        base_score(attempt, source, bank.items[attempt.full_question_id()], options.profile, _price(options, attempt))
        for attempt, source in zip(attempts.attempts, attempts.sources, strict=True)
    ]
    asks = bool(options.judges or options.critics)
    store = options.replies or run / "replies.db"
    with ReplyCache(store if asks else None) as cache, _client(options) as client:
        judges = _panel(options.judges, options, client, cache)
        critics = _panel(options.critics, options, client, cache)
        finisher = Finisher(bank, options.profile, judges, critics)
        finisher.all(scores, attempts.attempts, outcomes, options.concurrency, lambda n, of: progress("judges", n, of))
    result = _write(run, paths, workspace, scores, attempts, bank, options)
    progress("done", len(scores), len(scores))
    return result


def _demand_some(paths: Sequence[Path], attempts: AttemptSet, bank: Bank) -> None:
    """Stop before anything is written when no line can be scored: an empty run would replace a good one."""
    if attempts.attempts:
        return
    names = ", ".join(str(path) for path in paths)
    if not attempts.lines:
        raise AttemptFileError(
            f"There is no attempt in {names}: {'the file is' if len(paths) == 1 else 'the files are'} empty.",
            hint="Give the JSONL file that the exam wrote; docs/scoring.md shows the form.",
            code="attempts.empty",
        )
    shown = [*bank.problems, *(issue.message for issue in attempts.issues)]
    more = f"\n… and {len(shown) - MAX_SHOWN} more" if len(shown) > MAX_SHOWN else ""
    raise AttemptFileError(
        f"None of the {attempts.lines} lines of {names} can be scored:\n" + "\n".join(shown[:MAX_SHOWN]) + more,
        hint="Mend these lines, or name the right workspace with --workspace DIR; nothing was written.",
        code="attempts.none_usable",
    )


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


def _panel(
    endpoints: Sequence[Endpoint], options: RunOptions, client: ChatClient | None, cache: ReplyCache
) -> Panel | None:
    if not endpoints or client is None:
        return None
    return Panel(endpoints, client, cache, ModelNames(options.aliases), options.retry_unreadable)


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
    with staged(run) as new:
        write_records(new / "questions.jsonl", questions.values())
        write_records(new / "scores.jsonl", scores)
        for name, lines in (("issues", [i.as_dict() for i in attempts.issues]), ("rejected", attempts.rejected)):
            write_text(new / f"{name}.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        write_json(new / "summary.json", summary)
        write_json(new / "run.json", manifest.model_dump(mode="json", by_alias=True))
    return RunResult(scores, summary, attempts, bank)


def _price_dict(price: Price) -> dict[str, Any]:
    return {
        "input": price.input,
        "output": price.output,
        "cached_input": price.cached_input,
        "currency": price.currency,
    }
