"""What is installed and working: `wholepage doctor`."""

from __future__ import annotations

import importlib
import importlib.util
import platform
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from wholepage import __version__
from wholepage.console import clean
from wholepage.errors import WholepageError
from wholepage.extras import install_command
from wholepage.settings import Settings
from wholepage.workspace import Workspace, write_text

State = Literal["ok", "absent", "warning", "broken"]
MIN_FREE_BYTES = 1_000_000_000
SELF_TEST = "Question 7"

# distribution → module, for what the base install needs
NEEDED = {
    "pymupdf": "pymupdf",
    "rapidocr": "rapidocr",
    "onnxruntime": "onnxruntime",
    "opencv-python-headless": "cv2",
    "numpy": "numpy",
    "pillow": "PIL",
    "rapidfuzz": "rapidfuzz",
    "pydantic": "pydantic",
    "pyyaml": "yaml",
    "sqlalchemy": "sqlalchemy",
    "jinja2": "jinja2",
    "latex2mathml": "latex2mathml",
    "watchfiles": "watchfiles",
}
# extra → modules that it brings, and what it is for
EXTRAS: dict[str, tuple[tuple[str, ...], str]] = {
    "paddle": (("paddleocr", "paddlex"), "PaddleOCR engines"),
    "layoutparser": (("layoutparser",), "LayoutParser models and layouts"),
    "vlm": (("torch", "transformers", "qwen_vl_utils"), "vision-language models"),
    "exam": (("inspect_ai",), "exams sat by models"),
    "scale": (("ray",), "many machines"),
    "samples": (("typst",), "typesetting the samples anew"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report; `needed` checks that are broken make the command fail."""

    name: str
    state: State
    detail: str
    hint: str = ""
    needed: bool = True


def run_checks(settings: Settings) -> list[Check]:
    """All checks, in the order in which they are shown."""
    return [
        Check("wholepage", "ok", f"{__version__}, Python {platform.python_version()}, {platform.system()}"),
        *(_package(name, module) for name, module in NEEDED.items()),
        _guarded("ocr", _ocr),
        _guarded("templates", _templates),
        _guarded("workspace", lambda: _workspace(settings.workspace)),
        _guarded("disk", lambda: _disk(settings.workspace)),
        *(_extra(name, modules, purpose) for name, (modules, purpose) in EXTRAS.items()),
    ]


def is_healthy(checks: Sequence[Check]) -> bool:
    """Whether everything that is needed works."""
    return not any(c.needed and c.state == "broken" for c in checks)


def as_json(checks: Sequence[Check]) -> dict[str, object]:
    """The report for programs."""
    return {"ok": is_healthy(checks), "checks": [asdict(c) for c in checks]}


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except WholepageError as error:
        return Check(name, "broken", error.message, error.hint)
    except Exception as error:  # a library that is half installed raises anything
        return Check(
            name, "broken", f"{type(error).__name__}: {error}", "Install wholepage again in a new environment."
        )


def _package(name: str, module: str) -> Check:
    try:
        loaded = importlib.import_module(module)
    except Exception as error:  # not ImportError alone: a wrong binary raises OSError and others
        return Check(name, "broken", f"{type(error).__name__}: {error}", f"pip install --force-reinstall {name}")
    try:
        found = version(name)
    except PackageNotFoundError:
        found = str(getattr(loaded, "__version__", "installed"))
    return Check(name, "ok", found)


def _extra(name: str, modules: Sequence[str], purpose: str) -> Check:
    absent = [m for m in modules if importlib.util.find_spec(m) is None]
    if absent:
        return Check(f"extra {name}", "absent", f"{purpose}: not installed", install_command(name), needed=False)
    return Check(f"extra {name}", "ok", purpose, needed=False)


def _ocr() -> Check:
    """Read a line that is drawn here, so that models, runtime and pre-processing are all tried."""
    import cv2
    import numpy as np

    from layout.ocr import get_engine

    image = np.full((64, 460, 3), 255, dtype=np.uint8)
    cv2.putText(image, SELF_TEST, (16, 46), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3, cv2.LINE_AA)
    engine = get_engine(threads=1)
    read = engine.recognise([image])[0]
    if read.text.replace(" ", "") != SELF_TEST.replace(" ", ""):
        return Check("ocr", "broken", f"{engine.name} read {read.text!r} for {SELF_TEST!r}", "Install rapidocr again.")
    return Check("ocr", "ok", f"{engine.name} read a drawn line, confidence {read.confidence:.2f}")


def _templates() -> Check:
    from parse_templates.template_files import load_template, template_names

    names = template_names()
    for name in names:
        load_template(name)
    if not names:
        return Check("templates", "broken", "no template is installed", "Install wholepage again.")
    return Check("templates", "ok", ", ".join(names))


def _workspace(root: Path) -> Check:
    workspace = Workspace(root)
    if not root.exists():
        parent = next(p for p in root.absolute().parents if p.exists())
        probe = parent / f".wholepage-probe-{root.name}"
        write_text(probe, "")
        probe.unlink()
        return Check("workspace", "ok", f"{root} does not exist yet and can be made")
    probe = root / ".wholepage-probe"
    write_text(probe, "")
    probe.unlink()
    if workspace.database.exists():
        from wholepage.ledger import Ledger

        Ledger(workspace.database).close()
    return Check("workspace", "ok", f"{root}, papers: {len(workspace.paper_ids())}")


def _disk(root: Path) -> Check:
    place = next(p for p in (root.absolute(), *root.absolute().parents) if p.exists())
    free = shutil.disk_usage(place).free
    detail = f"{free / 1e9:.1f} GB free at {place}"
    if free < MIN_FREE_BYTES:
        return Check("disk", "warning", detail, "A page image takes 0.2 to 4 MB: make room before a long run.")
    return Check("disk", "ok", detail)


def render(checks: Sequence[Check]) -> RenderableType:
    """The report for people."""
    style = {"ok": "green", "absent": "dim", "warning": "yellow", "broken": "bold red"}
    table = Table(box=None, pad_edge=False)
    for title in ("check", "state", "what was found"):
        table.add_column(title)
    for check in checks:
        found = Text(clean(check.detail))
        if check.hint:
            found += Text(f"\n{clean(check.hint)}", "dim")
        table.add_row(check.name, Text(check.state, style[check.state]), found)
    return table
