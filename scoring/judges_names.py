"""When two model names mean the same model: a judge never marks itself, and no model sits on a panel twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_DATE = re.compile(r"-(?:20\d{2}-?\d{2}-?\d{2}|(?:2[0-9])(?:0[1-9]|1[0-2])(?:[0-3]\d)?|0\d{3}|1[0-2]\d{2})(?=-|$)")
_SUFFIX = re.compile(
    r"-(?:latest|preview|exp|experimental|awq|gptq|gguf|mlx|fp8|fp16|bf16|int4|int8|nf4|bnb|\dbit|w\da\d+|q\d(?:-[0-9a-z]+)*)$"
)


def normalise(name: str) -> str:
    """Comparable form of a model name.

    Lower case; provider prefixes and paths (`openai/`, `openai-api/vllm/Qwen/`), `:free`-like tags, file
    suffixes, dates, `latest`, `preview` and quantisation suffixes are dropped; `_`, `.` and spaces become `-`.
    """
    text = name.strip().lower().replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    text = re.sub(r"\.(?:gguf|safetensors|bin)$", "", text)
    text = text.split("@", 1)[0].split(":", 1)[0] if not _is_ollama_size(text) else text.replace(":", "-")
    text = re.sub(r"[\s_.:]+", "-", text).strip("-")
    previous = ""
    while previous != text:
        previous = text
        text = _SUFFIX.sub("", _DATE.sub("", text)).strip("-")
    return text


def _is_ollama_size(text: str) -> bool:
    """Whether what follows the colon is a size, which tells models apart (`qwen3:8b`), and not a routing tag."""
    return re.search(r":e?\d+(?:\.\d+)?[bm]\b", text) is not None


class ModelNames:
    """Equality of model names under normalisation and the user's aliases.

    Args:
        aliases: name → name; both sides mean the same model, transitively.
    """

    def __init__(self, aliases: Mapping[str, str] | None = None) -> None:
        self._parent: dict[str, str] = {}
        for left, right in (aliases or {}).items():
            self._parent[self._root(normalise(left))] = self._root(normalise(right))

    def _root(self, name: str) -> str:
        while name in self._parent and self._parent[name] != name:
            name = self._parent[name]
        return name

    def identity(self, name: str) -> str:
        """The name that stands for all names of this model."""
        return self._root(normalise(name))

    def same(self, left: str, right: str) -> bool:
        """Whether both names mean one model."""
        return self.identity(left) == self.identity(right)

    def twice(self, names: Iterable[str]) -> tuple[str, str] | None:
        """The first two of `names` that mean one model, or None."""
        seen: dict[str, str] = {}
        for name in names:
            identity = self.identity(name)
            if identity in seen:
                return seen[identity], name
            seen[identity] = name
        return None
