"""Digests of everything that decides what a stage makes, so that finished work is recognised and stale work is not."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ingest.sources import PageRef
from wholepage.settings import Settings

PAGE_PACKAGES = ("ingest", "layout", "wholepage.reading", "wholepage.boxes")
CODE = frozenset({".py", ".yaml", ".yml", ".j2", ".css", ".js", ".onnx"})  # a model decides, too
PARSE_PACKAGES = ("parse_templates", "review", "wholepage")
ENGINE_DISTRIBUTIONS = ("pymupdf", "rapidocr", "onnxruntime", "numpy")


def digest(value: Any) -> str:
    """32 hex digits of SHA-256 over a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:32]


@lru_cache(maxsize=8)
def code_digest(*packages: str) -> str:
    """Digest of the source, template and model files of packages or modules: any change makes their results stale."""
    total = hashlib.sha256()
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec and spec.origin and not spec.submodule_search_locations:
            total.update(package.encode() + b"\0" + Path(spec.origin).read_bytes() + b"\0")
        for folder in spec.submodule_search_locations or () if spec else ():
            for file in sorted(p for p in Path(folder).rglob("*") if p.suffix in CODE):
                total.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()[:32]


@lru_cache(maxsize=1)
def engine_versions() -> dict[str, str]:
    """Versions of the libraries that turn a page into text."""
    found = {}
    for name in ENGINE_DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def page_fingerprint(sha256: str, ref: PageRef, number: int, settings: Settings) -> str:
    """Fingerprint of one page's reading: which bytes, which page of them, how, by which code."""
    return digest(
        {
            "source": [sha256, ref.kind, ref.index, ref.entry, number],
            "settings": [settings.dpi, settings.max_page_pixels, settings.formula_engine, settings.formula_model],
            "engines": engine_versions(),
            "code": code_digest(*PAGE_PACKAGES),
        }
    )


def parse_fingerprint(pages: list[Any], answers: list[Any], template: str, parser: dict[str, Any] | None = None) -> str:
    """Fingerprint of the parse stage: the pages that went in, the template, the code.

    `template` may name a file; then its bytes count. `parser` says how a model takes part, if one does.
    """
    path = Path(template)
    content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    code = code_digest(*PARSE_PACKAGES)
    parts: dict[str, Any] = {"pages": pages, "answers": answers, "template": [template, content], "code": code}
    return digest(parts | ({"parser": parser} if parser else {}))
