"""A process that runs an exam again and again and kills it with SIGKILL at random moments, then lets it end.

inspect-ai is imported once; each session is a fork, so that ten kills do not take ten start-ups.
Usage: python exam_killer.py WORKSPACE RUN KILLS SEED; prints the kills that struck and the state at the end.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import inspect_ai.model._providers.openai_compatible  # noqa: F401 - loaded before the forks
from exam_runs import QUICK, go_on

import exam_mode.registry
import exam_mode.solving  # noqa: F401
from exam_mode.runs import RunFolder
from wholepage.workspace import Workspace


def session(workspace: Workspace, run: RunFolder) -> int:
    child = os.fork()
    if child == 0:
        try:
            ended = go_on(workspace, run, QUICK)
            os._exit(0 if ended.complete else 3)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    return child


def main() -> None:
    workspace, run = Workspace(Path(sys.argv[1])), RunFolder(Path(sys.argv[2]))
    draw, struck = random.Random(int(sys.argv[4])), 0
    for _ in range(int(sys.argv[3])):
        before = run.calls.stat().st_size if run.calls.exists() else 0
        child = session(workspace, run)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and os.waitpid(child, os.WNOHANG) == (0, 0):
            if run.calls.exists() and run.calls.stat().st_size > before:  # it is under way
                time.sleep(draw.uniform(0, 0.3))
                os.kill(child, signal.SIGKILL)
                struck += os.WIFSIGNALED(os.waitpid(child, 0)[1])
                break
            time.sleep(0.005)
    _, status = os.waitpid(session(workspace, run), 0)
    print(struck, os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
