"""The born-digital samples are read without a fault: what the first command of the README shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from samples import list_samples
from samples.measure import Counts, measure
from wholepage.cli import app
from wholepage.workspace import content_id, sha256_file

RATES = ("found", "type", "points", "text", "options", "answers", "figures")


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    workspace = tmp_path_factory.mktemp("samples")
    files = [str(sample.pdf) for sample in list_samples()]
    done = CliRunner().invoke(app, ["ingest", *files, "--workspace", str(workspace), "--jobs", "1"])
    assert done.exit_code == 0, done.output
    counts: dict[str, Counts] = {}
    for sample in list_samples():
        paper = workspace / "papers" / content_id([sha256_file(sample.pdf)]) / "paper.json"
        truth = json.loads(sample.truth.read_text(encoding="utf-8"))
        counts[sample.name] = measure(truth, json.loads(paper.read_text(encoding="utf-8")), "digital")
    return {name: count.rates() for name, count in counts.items()}


@pytest.mark.parametrize("name", [Path(s.pdf).stem for s in list_samples()])
def test_a_digital_sample_is_read_without_a_fault(name: str, read: dict[str, dict[str, float]]) -> None:
    rates = read[name]
    assert rates["extra"] == 0
    short = {rate: rates[rate] for rate in RATES if rates[rate] is not None and rates[rate] < 0.999}
    assert not short
