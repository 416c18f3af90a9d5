"""Crops of stored page images as data URIs for the gallery."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from scoring.scores import ScoredQuestion
from wholepage.errors import WorkspaceError
from wholepage.records import Region
from wholepage.workspace import Workspace

MAX_WIDTH = 1000
MARGIN = 8
MAX_REGIONS = 3
MAX_PIXELS = 80_000_000


class Cropper:
    """Cuts a question's regions out of its pages until `budget` bytes are used up."""

    def __init__(self, workspace: Workspace | None, budget: int = 16_000_000) -> None:
        self._workspace = workspace
        self._left = budget
        self._pages: dict[str, dict[int, Path]] = {}

    def crops(self, question: ScoredQuestion) -> tuple[list[str], str]:
        """Data URIs (WebP) in printed order, and a note when something is missing."""
        if self._workspace is None:
            return [], "The workspace with the page images is not at hand."
        if not question.regions:
            return [], "The question has no region on a page."
        if self._left <= 0:
            return [], "Left out to keep the report small."
        try:
            pages = self._page_images(question.paper_id)
        except WorkspaceError as error:
            return [], error.message
        images, notes = [], []
        for region in question.regions[:MAX_REGIONS]:
            data = self._one(pages.get(region.page), region)
            if data is None:
                notes.append(f"The image of page {region.page} cannot be read.")
                continue
            self._left -= len(data)
            images.append("data:image/webp;base64," + base64.b64encode(data).decode("ascii"))
        if len(question.regions) > MAX_REGIONS:
            notes.append(f"{len(question.regions) - MAX_REGIONS} more regions not shown.")
        return images, " ".join(dict.fromkeys(notes))

    def _page_images(self, paper_id: str) -> dict[int, Path]:
        assert self._workspace is not None
        if paper_id not in self._pages:
            folder = self._workspace.paper_dir(paper_id).resolve()
            found = {}
            for page in self._workspace.load(paper_id).pages:
                path = (folder / page.image).resolve() if page.image else None
                if path is not None and path.is_relative_to(folder):  # a paper.json cannot point outside its folder
                    found[page.number] = path
            self._pages[paper_id] = found
        return self._pages[paper_id]

    @staticmethod
    def _one(path: Path | None, region: Region) -> bytes | None:
        from PIL import Image

        if path is None:
            return None
        try:
            with Image.open(path) as page:
                if page.width * page.height > MAX_PIXELS:
                    return None
                x0, y0, x1, y1 = region.bbox
                box = (
                    max(0, round(x0) - MARGIN),
                    max(0, round(y0) - MARGIN),
                    min(page.width, round(x1) + MARGIN),
                    min(page.height, round(y1) + MARGIN),
                )
                if box[2] <= box[0] or box[3] <= box[1]:
                    return None
                crop = page.convert("RGB").crop(box)
                if crop.width > MAX_WIDTH:
                    crop = crop.resize((MAX_WIDTH, max(1, round(crop.height * MAX_WIDTH / crop.width))))
                out = io.BytesIO()
                crop.save(out, "WEBP", quality=70, method=4)
                return out.getvalue()
        except (OSError, ValueError, Image.DecompressionBombError):
            return None
