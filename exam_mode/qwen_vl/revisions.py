"""Which weights a name stands for: a folder, or a hub id at a commit."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from exam_mode.qwen_vl.errors import QwenModelError

_COMMIT = re.compile(r"[0-9a-f]{40}")
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_TABLE = Path(__file__).with_name("revisions.yaml")


@dataclass(frozen=True)
class Weights:
    """Where weights come from.

    Attributes:
        name: folder or hub id.
        revision: commit, tag or branch of a hub id; None for a folder or an id that nothing pins.
        local: whether `name` is a folder.
        pinned: whether the same name gives the same weights later: a folder, or a full commit.
    """

    name: str
    revision: str | None
    local: bool
    pinned: bool


@lru_cache(maxsize=1)
def known_revisions() -> dict[str, str]:
    """Hub id → commit, from revisions.yaml."""
    return {str(k): str(v) for k, v in yaml.safe_load(_TABLE.read_text(encoding="utf-8")).items()}


def resolve(name: str, revision: str | None = None) -> Weights:
    """Say what `name` loads.

    Raises:
        QwenModelError: no such folder, no such form of a hub id, or a revision for a folder.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if revision is not None:
            raise QwenModelError(
                f"{name} is a folder and has no revision {revision!r}.",
                hint="Leave out -M revision=, or give the hub id.",
                code="model.options",
            )
        return Weights(str(folder), None, local=True, pinned=True)
    if not _HUB_ID.fullmatch(name) or name.startswith(("./", "../", "~")):
        raise QwenModelError(
            f"There is no model folder {name!r}.",
            hint="Give a folder with config.json and weights, or a hub id such as Qwen/Qwen3-VL-4B-Instruct.",
            code="model.not_found",
        )
    chosen = revision or known_revisions().get(name)
    return Weights(name, chosen, local=False, pinned=bool(chosen and _COMMIT.fullmatch(chosen)))


def folder_fingerprint(folder: Path) -> str:
    """16 hex digits that tell model folders apart: their JSON files, and names and sizes of the rest.

    Weights are not read, since they may have many gigabytes; another training step with equal sizes goes unnoticed.
    """
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".")):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        if path.suffix == ".json" and path.stat().st_size < 1_000_000:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
