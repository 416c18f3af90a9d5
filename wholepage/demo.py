"""`wholepage demo`: the samples that come with the program, through the whole pipeline."""

from __future__ import annotations

from pathlib import Path

from ingest.pairing import Pair
from wholepage.errors import WorkspaceError


def sample_papers() -> list[Pair]:
    """Each sample as PDF with text layer, as scan and as photos; a photo is a paper of one page.

    Raises:
        WorkspaceError: the samples are not installed.
    """
    from samples import list_samples, sample_dir

    papers: list[Path] = []
    for sample in list_samples():
        papers.extend(p for p in (sample.pdf, sample.scan, *sample.photos) if p.exists())
    if not papers:
        raise WorkspaceError(
            f"There are no samples in {sample_dir()}.",
            hint="Install wholepage again, or make them: pip install 'wholepage[samples]' and python -m samples.make.",
            code="samples.missing",
        )
    return [Pair(p) for p in papers]
