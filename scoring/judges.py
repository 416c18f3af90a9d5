"""The panel of judges: who may judge whom, asking each once, and making one verdict out of several.

A judge is never the model under test, and no model sits twice, by name, alias or by the name that the server reports.
A judge that fails or cannot be read is an error: it takes no part in the verdict and is counted. A verdict
needs more than half of the eligible judges readable.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from scoring.judges_cache import ReplyCache, StoredReply, content_key
from scoring.judges_client import ChatClient, Endpoint, JudgePanelError, NoReplyError
from scoring.judges_names import ModelNames
from scoring.judges_prompt import (
    OUTCOME_SYSTEM,
    PROMPT_VERSION,
    Material,
    UnreadableReplyError,
    new_nonce,
    read_outcome,
    user_message,
)

Verdict = Literal["correct", "partial", "wrong", "undecided"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JudgeError:
    """A judge that gave nothing usable. Kinds: no_reply, unreadable, self_judging, same_model."""

    judge: str
    kind: Literal["no_reply", "unreadable", "self_judging", "same_model"]
    message: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judge's verdict on one part; `fraction` 0–1."""

    judge: str
    verdict: Verdict
    fraction: float
    reason: str


@dataclass(frozen=True, slots=True)
class PartPanel:
    """The panel on one part.

    `verdict` and `fraction` follow the aggregation asked for; `mean` and `majority` are kept whatever was asked.
    `disagreement` is the share of judges that do not share the most common verdict, 0–1.
    """

    id: str
    verdict: Verdict
    fraction: float | None
    mean: float | None
    majority: Verdict | None
    disagreement: float
    opinions: tuple[Opinion, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class PanelVerdict:
    """All parts of one response, with the judges that failed."""

    parts: tuple[PartPanel, ...]
    errors: tuple[JudgeError, ...]
    asked: int


class Panel:
    """Judges (or critics) with their client, cache and rules about names.

    Raises:
        JudgePanelError: two of the judges are the same model.
    """

    def __init__(
        self,
        judges: Sequence[Endpoint],
        client: ChatClient,
        cache: ReplyCache,
        names: ModelNames | None = None,
        retry_unreadable: bool = False,
    ) -> None:
        self.judges = tuple(judges)
        self.names = names or ModelNames()
        self._client = client
        self._cache = cache
        self._retry = retry_unreadable
        self._guard = threading.Lock()
        self._under_way: dict[str, threading.Lock] = {}
        twice = self.names.twice(judge.model for judge in judges)
        if twice:
            raise JudgePanelError(
                f"The judges {twice[0]!r} and {twice[1]!r} are the same model.", hint="Name each model once."
            )

    def eligible(self, model_under_test: str) -> tuple[Endpoint, ...]:
        """Judges that are not the model under test."""
        return tuple(judge for judge in self.judges if not self.names.same(judge.model, model_under_test))

    def ask(
        self, kind: str, system: str, material: Material, model_under_test: str, read: Callable[[StoredReply], T]
    ) -> tuple[dict[str, T], list[JudgeError]]:
        """Put one question to every eligible judge, one after the other; replies by judge name, and errors."""
        readable: dict[str, T] = {}
        errors: list[JudgeError] = []
        served: list[str] = []
        for judge in self.eligible(model_under_test):
            try:
                reply = self._one(kind, system, material, judge, read)
            except NoReplyError as error:
                errors.append(JudgeError(judge.model, "no_reply", str(error)))
                continue
            problem = self._impostor(judge, reply, model_under_test, served)
            if problem is not None:
                errors.append(problem)
                continue
            try:
                readable[judge.model] = read(reply)
            except UnreadableReplyError as error:
                errors.append(JudgeError(judge.model, "unreadable", str(error)))
                continue
            served.append(reply.served_by or judge.model)
        return readable, errors

    def _one(
        self, kind: str, system: str, material: Material, judge: Endpoint, read: Callable[[StoredReply], T]
    ) -> StoredReply:
        data = material.data()
        options = self._client.options
        key = content_key(
            {
                "kind": kind,
                "prompt": PROMPT_VERSION,
                "system": system,
                "model": judge.model,
                "base_url": judge.base_url,
                "temperature": options.temperature,
                "max_tokens": options.max_tokens,
                "data": data,
            }
        )
        with self._guard:
            lock = self._under_way.setdefault(key, threading.Lock())
        with lock:  # the same text may come from two attempts at once: the second waits and finds the reply
            known = self._cache.get(key)
            if known is not None and not (self._retry and not _readable(read, known)):
                return known
            nonce = new_nonce()
            reply = self._client.ask(judge, system, user_message(data, nonce), nonce)
            self._cache.put(key, reply)
            return reply

    def _impostor(self, judge: Endpoint, reply: StoredReply, tested: str, served: Sequence[str]) -> JudgeError | None:
        name = reply.served_by
        if not name or self.names.same(name, judge.model):
            return None
        if self.names.same(name, tested):
            return JudgeError(judge.model, "self_judging", f"the server answered with {name}, the model under test")
        if any(self.names.same(name, other) for other in served):
            return JudgeError(judge.model, "same_model", f"the server answered with {name}, as for another judge")
        return None

    def outcome(self, material: Material, tested: str, aggregate: Literal["majority", "mean"]) -> PanelVerdict:
        """The panel's verdict on the parts of one response of the model `tested`."""
        ids = [name for name, _ in material.parts]
        replies, errors = self.ask("outcome", OUTCOME_SYSTEM, material, tested, lambda r: read_outcome(r, ids))
        asked = len(self.eligible(tested))
        opinions: dict[str, list[Opinion]] = {name: [] for name in ids}
        for judge, reply in replies.items():
            for part in reply.parts:
                opinions[part.id].append(Opinion(judge, part.verdict, part.fraction or 0.0, part.reason))
        parts = tuple(combine(name, opinions[name], asked, aggregate) for name in ids)
        return PanelVerdict(parts, tuple(errors), asked)


def _readable(read: Callable[[StoredReply], T], reply: StoredReply) -> bool:
    try:
        read(reply)
    except UnreadableReplyError:
        return False
    return True


def has_quorum(readable: int, asked: int) -> bool:
    """Whether more than half of the judges that were asked can be read."""
    return readable * 2 > asked


def combine(
    name: str, opinions: Sequence[Opinion], asked: int, aggregate: Literal["majority", "mean"] = "majority"
) -> PartPanel:
    """One verdict out of several opinions on a part.

    majority: the verdict of strictly more than half of the readable judges; its fraction is the mean among them;
    without such a majority the part is undecided. mean: the mean fraction over readable judges; correct at 1, wrong at
    0, partial between. Without a quorum (`has_quorum`) the part is undecided.
    """
    if not opinions:
        reason = "no judge may mark this model" if asked == 0 else f"none of {asked} judges could be read"
        return PartPanel(name, "undecided", None, None, None, 0.0, (), reason)
    mean = sum(o.fraction for o in opinions) / len(opinions)
    label, count = Counter(o.verdict for o in opinions).most_common(1)[0]
    majority: Verdict | None = label if count * 2 > len(opinions) else None
    disagreement = 1 - count / len(opinions)
    verdict: Verdict
    fraction: float | None
    if not has_quorum(len(opinions), asked):
        verdict, fraction = "undecided", None
        reason = f"only {len(opinions)} of {asked} judges could be read"
    elif aggregate == "mean":
        fraction = mean
        verdict = "correct" if mean == 1 else "wrong" if mean == 0 else "partial"
        reason = f"mean of {len(opinions)} judges"
    elif majority is None:
        verdict, fraction, reason = "undecided", None, f"{len(opinions)} judges without a majority"
    else:
        agreeing = [o.fraction for o in opinions if o.verdict == majority]
        verdict, fraction = majority, sum(agreeing) / len(agreeing)
        reason = f"{count} of {len(opinions)} judges"
    return PartPanel(name, verdict, fraction, mean, majority, disagreement, tuple(opinions), reason)
