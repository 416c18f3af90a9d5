"""What a run holds in memory does not grow with its questions, epochs and modes."""

import gc
from collections import Counter
from pathlib import Path

import pytest
from exam_material import make_workspace
from exam_runs import new_run
from exam_standin import Standin

from exam_mode.calls import CallLog
from exam_mode.engine import Pace, run_exam
from exam_mode.errors import ImageError
from exam_mode.wire import Encoded, _pieces
from exam_mode.workers import AHEAD, PREPARERS

CONNECTIONS = 4
HELD = {"Unit", "Item", "Prepared", "Request", "Call", "ChatMessageUser", "ModelOutput", "ModelEvent", "EvalSample"}
# a unit under way has its messages four times: ours, with stand-ins, prepared by inspect-ai, and in its event
MOST = 6 * (CONNECTIONS + AHEAD + PREPARERS)


def test_units_and_what_they_hold_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STANDIN_API_KEY", "none")
    workspace = make_workspace(tmp_path / "ws")
    seen: list[Counter[str]] = []

    def look(calls: CallLog, _total: int) -> None:
        if calls.totals.calls in (60, 240):
            gc.collect()
            alive = Counter(type(thing).__name__ for thing in gc.get_objects())
            seen.append(Counter({name: alive[name] for name in HELD}))

    with Standin() as server:
        run = new_run(workspace, tmp_path / "run", server.url, "text_image,image_only", epochs=25)
        assert run_exam(run, workspace, Pace(connections=CONNECTIONS), look).complete
    early, late = seen
    assert early["Unit"] and early["Request"], "it looks at what is there"
    for name in HELD:
        assert max(early[name], late[name]) <= MOST, (name, early, late)


def test_page_files_are_held_up_to_a_limit(tmp_path: Path) -> None:
    files = [tmp_path / f"{n}.png" for n in range(12)]
    for file in files:
        file.write_bytes(b"x" * 3000)
    for kept, held in ((Encoded(files=5), 5), (Encoded(most=9000), 2), (Encoded(most=1), 1)):
        assert all(kept.get(file) == b"eHh4" * 1000 for file in files)
        assert kept.held == held * 4000
    with pytest.raises(ImageError, match=r"none\.png"):
        Encoded().get(tmp_path / "none.png")


def test_a_body_is_sent_in_few_pieces_and_none_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exam_mode.wire.PIECE", 1000)
    file = tmp_path / "a.png"
    file.write_bytes(bytes(range(250)) * 9)
    text = [b"a" * 700, file, b"b" * 10, file, b"c" * 1001, b""]
    pieces = list(_pieces(text))
    whole = b"".join(Encoded().get(part) if isinstance(part, Path) else part for part in text)
    assert b"".join(pieces) == whole and {len(p) for p in pieces[:-1]} == {1000} and 0 < len(pieces[-1]) <= 1000
