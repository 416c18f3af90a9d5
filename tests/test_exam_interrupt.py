"""Ctrl-C: a message that says how to go on, exit code 130, nothing lost; a second one ends it at once."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from exam_material import make_workspace
from exam_runs import calls_of, go_on, new_run
from exam_standin import Action, Standin, always

from exam_mode.runs import RunFolder
from wholepage.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("STANDIN_API_KEY", "none")
    return make_workspace(tmp_path / "ws")


def _started(run: RunFolder, calls: int) -> subprocess.Popen[str]:
    """A process that runs the exam, once it has some calls on record."""
    command = [sys.executable, str(Path(__file__).with_name("exam_cli.py")), str(run.path), "4"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if run.calls.exists() and run.calls.read_bytes().count(b"\n") >= calls:
            return process
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"it did not begin: {process.communicate()}")


def test_ctrl_c_says_how_to_go_on_and_loses_nothing(workspace: Workspace, tmp_path: Path) -> None:
    with Standin(always(Action(delay=0.05))) as server:
        run = new_run(workspace, tmp_path / "run", server.url, "image_only", epochs=24)
        process = _started(run, 8)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, (out, err)
        assert f"wholepage exam continue {run.path}" in out and "Traceback" not in out + err
        kept = [c.unit for c in calls_of(run) if c.ok]
        asked = len(server.seen)
        assert 8 <= len(kept) < 120 and asked - len(kept) <= 4, "only calls that were under way are lost"
        assert f"{len(kept)} of 120 answered" in out
        assert go_on(workspace, run).complete
    counts = Counter(call.unit for call in calls_of(run) if call.ok)
    assert len(counts) == 120 and set(counts.values()) == {1}


def test_a_second_ctrl_c_ends_it_and_loses_nothing(workspace: Workspace, tmp_path: Path) -> None:
    with Standin(always(Action(delay=0.05))) as server:
        run = new_run(workspace, tmp_path / "run", server.url, "image_only", epochs=24)
        process = _started(run, 8)
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT), (out, err)
        kept = {c.unit for c in calls_of(run) if c.ok}
        assert len(kept) >= 8 and len(server.seen) - len(kept) <= 4
        assert go_on(workspace, run).complete
    counts = Counter(call.unit for call in calls_of(run) if call.ok)
    assert len(counts) == 120 and set(counts.values()) == {1}
