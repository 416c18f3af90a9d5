"""A tiny random Qwen3-VL sits a paper in every form, through the commands that people use.

Needs the extras `exam` and `vlm`; skipped without them.
"""

# ruff: noqa: E402 (what is imported depends on what is installed)

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

for package, extra in (("inspect_ai", "exam"), ("torch", "vlm"), ("transformers", "vlm"), ("qwen_vl_utils", "vlm")):
    if find_spec(package) is None:
        pytest.skip(f"needs {package}: pip install 'wholepage[{extra}]'", allow_module_level=True)

import qwen_tiny

qwen_tiny.import_torchvision()

from exam_material import make_workspace
from typer.testing import CliRunner

from wholepage.cli import app

FORMS = ("text_only", "captions", "text_image", "crop", "page_box", "image_only", "mock_exam")


def test_a_tiny_model_sits_a_paper_in_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    workspace = make_workspace(tmp_path / "ws")
    model = f"qwen-vl/{qwen_tiny.save_tiny(tmp_path / 'tiny', 'qwen3_vl', window=65536)}"
    options = [
        "--workspace",
        str(workspace.root),
        "--papers",
        "zh",
        "--limit",
        "2",
        "--modes",
        ",".join(FORMS),
        "--model",
        model,
    ]
    options += [
        "--captioner",
        model,
        "--budget",
        "12",
        "--probe",
        "read",
        "-M",
        "batch_size=2",
        "-M",
        "max_new_tokens=12",
    ]
    ran = CliRunner().invoke(app, ["exam", "run", *options, "--out", str(tmp_path / "run")])
    assert ran.exit_code == 0, ran.output
    written = tmp_path / "attempts.jsonl"
    exported = CliRunner().invoke(app, ["exam", "attempts", str(tmp_path / "run"), "--out", str(written)])
    assert exported.exit_code == 0, exported.output
    attempts = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    asked = {a["question_id"] for a in attempts}
    assert len(asked) == 2
    assert sorted((a["mode"], a["question_id"]) for a in attempts) == sorted((f, q) for f in FORMS for q in asked)
    for attempt in attempts:
        assert attempt["error"] is None and attempt["model"] == model
        if attempt["mode"] != "mock_exam":
            assert 1 <= attempt["usage"]["output_tokens"] <= 12
            assert (attempt["finish_reason"] == "max_tokens") == (attempt["usage"]["output_tokens"] == 12)
