"""samples: papers that were invented for this project, with truth, as PDFs, scans and photos."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Sample", "list_samples", "sample_dir"]


@dataclass(frozen=True, slots=True)
class Sample:
    """One paper: the PDF with a text layer, its image-only scan, photos of single pages, and the truth of all."""

    name: str
    pdf: Path
    scan: Path
    photos: tuple[Path, ...]
    truth: Path


def sample_dir() -> Path:
    """The folder that holds the papers; it comes with the installed package."""
    return Path(__file__).parent / "papers"


def list_samples(folder: Path | None = None) -> list[Sample]:
    """All papers of `folder` (default `sample_dir()`), by name; a truth file makes a paper."""
    base = folder or sample_dir()
    found = []
    for truth in sorted(base.glob("*.truth.json")):
        name = truth.name.removesuffix(".truth.json")
        photos = tuple(sorted(base.glob(f"{name}.photo-*.jpg")))
        found.append(Sample(name, base / f"{name}.pdf", base / f"{name}.scan.pdf", photos, truth))
    return found
