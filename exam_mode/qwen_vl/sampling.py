"""How tokens are chosen: the most likely one, or drawn with a seed that belongs to the request.

Drawing uses the Gumbel-max trick (Gumbel 1954; Maddison, Tarlow and Minka 2014): argmax(log p + g) with independent
standard Gumbel noise g is a draw from p. Each row has its own noise, so a request draws the same tokens alone and in
any batch, which a shared random state could not give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sampling:
    """Settings that all requests of a batch share.

    Attributes:
        max_new_tokens: hard cap on generated tokens, reasoning and end token included.
        temperature: 0 takes the most likely token.
        top_p, top_k: draw only from the likeliest tokens of this mass or number; 1 and 0 switch them off.
        stop: texts that end the reply.
    """

    max_new_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    stop: tuple[str, ...] = ()


class GumbelNoise:
    """Adds each row's own Gumbel noise to its scores, so that the largest one is a draw."""

    def __init__(self, seeds: Sequence[int]) -> None:
        import torch

        self._generators = [torch.Generator().manual_seed(seed % 2**63) for seed in seeds]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores, shape (rows, vocabulary), with noise added; masked tokens (−inf) stay masked."""
        import torch

        noise = torch.stack([torch.rand(scores.shape[-1], generator=g) for g in self._generators])
        gumbel = -torch.log(-torch.log(noise.clamp(1e-20, 1 - 1e-7)))
        return scores.float() + gumbel.to(scores.device)


def logits_processors(sampling: Sampling, seeds: Sequence[int]) -> Any:
    """Processors for `generate(do_sample=False)`; empty at temperature 0."""
    from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    steps = LogitsProcessorList()
    if sampling.temperature <= 0:
        return steps
    steps.append(TemperatureLogitsWarper(float(sampling.temperature)))
    if sampling.top_k > 0:
        steps.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p < 1:
        steps.append(TopPLogitsWarper(sampling.top_p))
    steps.append(GumbelNoise(seeds))
    return steps
