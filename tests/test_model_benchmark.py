"""The benchmark of the model parser on one sample: it corrupts what it says, and meets its targets there."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from samples import list_samples

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
NAME = "zh-biology-columns"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("templates_benchmark", BENCHMARKS / "templates.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "templates_benchmark", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_one_sample(benchmark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "SHARES", {0.0: 1, 0.2: 2})
    out = tmp_path / "out.json"
    arguments = ["--only", NAME, "--workspace", str(tmp_path / "ws"), "--json", str(out)]
    assert benchmark.main(arguments) == 0
    rates = json.loads(out.read_text())
    assert set(rates) == {"model 0", "model 0.2", "both 0", "both 0.2"}
    assert rates["both 0"]["kept"] == 1.0
    assert rates["both 0.2"]["caught"] >= 0.95

    (sample,) = [s for s in list_samples() if s.name == NAME]
    paper = benchmark.load(sample, sample.pdf, "digital", tmp_path / "ws")
    assert len(paper.reply["questions"]) == 10
    assert len(paper.reply["key"]) == 10
    changed = 0
    for seed, spot in enumerate(benchmark.fields_of(paper.reply)):
        reply = json.loads(json.dumps(paper.reply))
        benchmark.corrupt(paper, reply, spot, random.Random(seed))
        changed += reply != paper.reply
    assert changed >= 0.9 * len(benchmark.fields_of(paper.reply))
