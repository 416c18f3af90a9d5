"""The lettering of figures: labels and captions that belong to a drawing, and drawings that are panels of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from layout.segments import Segment
from wholepage.boxes import Box

LABEL_WIDTH_EM = 9.0
SPARSE_EM = 2.2  # of width a letter, above which a line is no running text
PANEL_GAP_EM, PANEL_LEVEL = 2.0, 0.85  # between panels of one figure, and how much of their heights is level
CAPTION = re.compile(
    r"^\s*[(（]?\s*(第\s*\d+\s*题\s*图|题?\s*图\s*[\d一二三四五六七八九十]+|(Figure|Fig\.?|Diagram)\s*\d+)", re.I
)
# A question, an option (even with a picture for text), a part. A decimal alone is the lettering of an axis.
STARTS_TEXT = re.compile(
    r"^\s*(\d{1,2}\s*[.．、](?!\d+\s*$)|[(（]?[A-Ga-g][)）.．、]\s*\S|[A-G]\s*[.．、]\s*$|[(（]\s*[\di]+\s*[)）])"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A figure with the indices of the segments that are its labels and captions."""

    box: Box
    labels: tuple[int, ...]
    captions: tuple[int, ...]
    picture: bool


def absorb_labels(
    box: Box, segments: Sequence[Segment], em: float, long_text: Sequence[Box]
) -> tuple[Box, tuple[int, ...]]:
    """Grow a figure by the short lettering inside or right beside it."""
    labels: set[int] = set()
    changed = True
    while changed:
        changed = False
        near = box.grow(0.9 * em, 0.55 * em)
        for index, segment in enumerate(segments):
            if index in labels or not _is_label(segment, box, near, em, long_text):
                continue
            labels.add(index)
            box = box.union(segment.box)
            changed = True
            break
    return box, tuple(sorted(labels))


def _is_label(segment: Segment, box: Box, near: Box, em: float, long_text: Sequence[Box]) -> bool:
    s = segment.box
    inside = s.covered_by(box) > 0.6
    if inside and s.width <= max(LABEL_WIDTH_EM * em, 0.75 * box.width):
        return True
    along = s.x0 >= box.x0 - em and s.x1 <= box.x1 + em and box.grow(0, 0.35 * em).y_overlap(s) > 0
    widest = box.width + em if along else min(LABEL_WIDTH_EM * em, box.width + em)
    sparse = _is_sparse(segment, em)  # labels of a drawing's parts, taken for one line
    if sparse:
        widest = LABEL_WIDTH_EM * em
    if not near.intersection(s) or s.width > widest:
        return False
    if CAPTION.match(segment.text) or STARTS_TEXT.match(segment.text):
        return False
    if s.covered_by(near) < 0.3 and s.width > 2 * em and not sparse:
        return False
    level = [t for t in long_text if t.y_overlap(s) > 0.5 * s.height and t is not s]
    gap_text = min((max(t.x0 - s.x1, s.x0 - t.x1, 0.0) for t in level), default=1e9)
    gap_box = max(box.x0 - s.x1, s.x0 - box.x1, 0.0)
    return gap_box <= gap_text


def _is_sparse(segment: Segment, em: float) -> bool:
    """Whether the letters stand much further apart than those of running text."""
    count = sum(not g.text.isspace() for g in segment.glyphs)
    return segment.box.width > SPARSE_EM * em * max(count, 1)


def join_panels(found: list[Found], segments: Sequence[Segment], em: float) -> list[Found]:
    """Drawings close beside each other at one level and of one height are the panels of one figure.

    Those with captions of their own stay apart, and those with text between or with marks of options; three and more
    in a row are likely options.
    """
    out: list[Found] = []
    for figure in found:
        last = out[-1] if out else None
        row = [f for f in found if _level(f.box, figure.box)]
        if last is not None and len(row) == 2 and _are_panels(last, figure, segments, em):
            labels = tuple(sorted({*last.labels, *figure.labels}))
            out[-1] = Found(last.box.union(figure.box), labels, (), False)
        else:
            out.append(figure)
    return out


def _level(a: Box, b: Box) -> bool:
    return a.y_overlap(b) >= PANEL_LEVEL * max(a.height, b.height)


def _are_panels(a: Found, b: Found, segments: Sequence[Segment], em: float) -> bool:
    gap = max(b.box.x0 - a.box.x1, a.box.x0 - b.box.x1)
    close = 0 <= gap <= PANEL_GAP_EM * em and _level(a.box, b.box)
    if a.picture or b.picture or a.captions or b.captions or not close:
        return False
    hull = a.box.union(b.box).grow(0.3 * em, em)
    return not any(
        hull.holds(s.box.cx, s.box.cy) and (STARTS_TEXT.match(s.text) or n not in (*a.labels, *b.labels))
        for n, s in enumerate(segments)
    )


def dissolve_overlaps(found: list[Found]) -> list[Found]:
    """Labels may make two hulls overlap: then they are one figure, unless both are placed pictures."""
    out: list[Found] = []
    for figure in sorted(found, key=lambda f: -f.box.area):
        for index, other in enumerate(out):
            both_placed = figure.picture and other.picture
            if figure.box.covered_by(other.box) > (0.8 if both_placed else 0.12):
                labels = tuple(sorted({*other.labels, *figure.labels}))
                out[index] = Found(other.box.union(figure.box), labels, (), other.picture or figure.picture)
                break
        else:
            out.append(figure)
    return sorted(out, key=lambda f: (f.box.y0, f.box.x0))


def with_captions(figure: Found, segments: Sequence[Segment], em: float) -> Found:
    """Captions right below or above a figure, printed over its width."""
    zone = Box.of((figure.box.x0 - em, figure.box.y0 - 1.8 * em, figure.box.x1 + em, figure.box.y1 + 1.8 * em))
    hits = [
        index
        for index, segment in enumerate(segments)
        if CAPTION.match(segment.text)
        and segment.box.covered_by(zone) > 0.7
        and segment.box.width <= max(figure.box.width * 1.3, 12 * em)
    ]
    captions = tuple(hits[:1]) if len(hits) == 1 else tuple(h for h in hits if segments[h].box.cy > figure.box.cy)
    labels = tuple(i for i in figure.labels if i not in captions)
    return Found(figure.box, labels, captions, figure.picture)
