"""kill -9 at ten random moments, then the end: every question answered exactly once a mode and epoch, none lost."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from exam_material import make_workspace
from exam_runs import QUICK, attempts_of, calls_of, new_run
from exam_standin import Action, Standin, always

from exam_mode.attempts import write_attempts
from exam_mode.calls import CallLog
from exam_mode.runs import units_of
from scoring.attempts import read_attempts

KILLS = 10


def test_kill_at_ten_random_moments(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "ws")
    with Standin(always(Action(delay=0.02))) as server:
        run = new_run(workspace, tmp_path / "run", server.url, "text_image,image_only", each_mode=True, epochs=20)
        command = [sys.executable, str(Path(__file__).with_name("exam_killer.py")), str(workspace.root), str(run.path)]
        environment = os.environ | {"STANDIN_API_KEY": "none"}
        done = subprocess.run(
            [*command, str(KILLS), "11"], env=environment, capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 0, done.stderr[-2000:]
    struck, code = (int(n) for n in done.stdout.split())
    assert struck == KILLS and code == 0, done.stderr[-2000:]
    units = list(units_of(run, run.load()))
    assert len(units) == 20 * (7 + 5)
    counts = Counter(call.unit for call in calls_of(run) if call.ok)
    assert counts == Counter({unit.key: 1 for unit in units})
    keys = Counter((a["question_id"], a["mode"], a["epoch"]) for a in attempts_of(run))
    assert set(keys.values()) == {1} and len(keys) == len(units)
    again = len(server.seen) - len(units)
    assert 0 <= again <= KILLS * QUICK.connections, "only calls that were under way are repeated"
    assert write_attempts(run.calls, run.attempts).answered == len(units)
    assert not read_attempts([run.attempts]).issues


def test_a_torn_line_is_cut_off_and_its_unit_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    whole = {"unit": "answer|m|x|q|1|none", "kind": "answer", "mode": "m", "model": "x", "ok": True}
    path.write_text(json.dumps(whole) + "\n" + json.dumps(whole | {"unit": "b"})[:40])
    with CallLog(path) as log:
        assert log.totals.done == {"answer|m|x|q|1|none"}
    assert path.read_text() == json.dumps(whole) + "\n"
    path.write_text(json.dumps(whole)[:20])
    with CallLog(path) as log:
        assert not log.totals.done
    assert path.read_text() == ""
