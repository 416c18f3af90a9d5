"""Italic or upright, told from a letter's own ink.

Four measures of slant are weighed by letter with weights fitted (linear discriminant analysis) on letters drawn from
seven pairs of roman and italic fonts (KaTeX, STIX, Liberation Serif, Latin Modern, Nimbus Roman, DejaVu Serif, C059) at
17 to 36 px with blur and noise; with one pair left out of the fit, 98.9 % of its letters are told right and 3.4 % are
left open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wholepage.boxes import Box

OPEN = 0.25  # closer to the border than this (1 = a typical letter's distance) the face is left open
UPRIGHT_SHEAR, ITALIC_SHEARS = 0.0, (0.2, 0.25, 0.3)
EDGE = 0.45  # darkness at which a letter's edge lies
MIN_SIDE = 5  # px; smaller letters show no slant
Darkness = NDArray[np.float32]

# letter, weights of: lean of the rows' centres, of the left edge, of the right edge, gain of shearing; border
_TABLE = """
a 6.27 -1.55 0.0491 7.25 -0.405
b 0.315 1.2 1.19 3.39 -0.764
c 7.75 1.11 0.277 4.26 1.29
d 2.26 0.768 0.442 3.32 0.989
e 4.43 2.48 1.07 3.9 1.43
f 0.338 0.723 0.139 2.96 0.726
g 5.73 -0.126 0.399 5.01 0.798
h 1.43 0.579 0.922 3.1 -0.829
i 0.439 1.06 0.705 3.28 -0.249
j 1.12 0.369 0.514 2.31 0.384
k 1.55 1.02 0.887 3.26 -0.673
l 1.38 0.481 0.316 2.65 -0.117
m 0.76 0.147 0.961 9.19 -0.739
n -1.58 0.256 2.54 8.02 -0.796
o 4.31 1.36 1.46 4.28 0.669
p 1.1 0.873 0.954 4.17 0.905
q 3.13 1 0.456 2.47 -0.691
r 6.01 -0.567 0.78 1.79 2.09
s 4.33 1.06 1.06 5.85 -0.215
t 2.21 1.33 0.353 3.06 -0.0832
u -0.0541 1.11 0.0444 7.48 -0.906
v 7.35 1.61 -0.284 -1.87 -0.113
w 7.85 1.1 -0.154 -2.73 0.0364
x 5.63 2.22 0.845 -0.864 0.375
y 11.3 12.1 -4.71 0.586 -0.11
z 25.9 1.63 2.6 -19.3 3.09
A 5.84 0.629 -0.0146 -3.11 0.99
B 4.7 1.39 -0.0647 2.44 0.356
C 3.79 3.42 -0.63 5.62 0.62
D 4.91 1.06 -0.059 2.72 0.54
E 4.02 1.06 0.201 2.68 0.402
F 4.4 1.11 -0.331 2.37 1.29
G 5.78 1.29 -1.07 4.86 0.168
H 3.68 0.464 0.105 2.42 0.429
I 3.02 0.587 0.0939 2.31 0.364
J 2.59 -0.833 0.583 3.22 0.836
K 4.34 0.95 -0.183 2.82 0.127
L 3.84 0.29 0.385 2.28 -0.682
M 5.34 0.341 0.293 3.17 0.18
N 2.48 1.09 0.176 3.33 0.388
O 5.56 1.73 0.77 2.34 0.767
P 2.51 1.53 0.222 3.03 1.18
Q 6.39 0.736 0.073 4.21 -0.397
R 4.68 0.49 0.202 2.56 0.172
S 2.96 1.04 -0.222 5.79 -0.105
T 5.6 0.407 0.0335 1.85 0.512
U 3.45 1.36 0.0653 2.97 0.0516
V 4.23 0.711 0.675 -2.68 0.701
W 4.24 1.04 0.474 -2.85 0.416
X 8.71 0.25 0.405 0.103 0.00724
Y 5.51 0.944 -0.241 -2.86 0.317
Z 13.8 0.404 -0.902 -4.64 1.9
"""
_WEIGHTS = {
    row[0]: np.array([float(v) for v in row.split()[1:]], dtype=np.float64) for row in _TABLE.strip().splitlines()
}


def lean(gray: NDArray[np.uint8], box: Box, letter: str) -> float:
    """How clearly a letter is italic (positive) or upright (negative); 1 is typical, 0 when it cannot be told.

    Args:
        gray: H×W page, dark ink on light paper.
        box: the letter's ink, page px.
    """
    weights = _WEIGHTS.get(letter)
    area = gray[max(int(box.y0), 0) : int(np.ceil(box.y1)), max(int(box.x0), 0) : int(np.ceil(box.x1))]
    if weights is None or min(area.shape, default=0) < MIN_SIDE:
        return 0.0
    dark, light = (
        float(area.min()),
        float(np.percentile(gray[max(int(box.y0) - 6, 0) : int(box.y1) + 6, int(box.x0) : int(box.x1) + 1], 90)),
    )
    if light - dark < 40:
        return 0.0
    darkness = np.clip((light - area.astype(np.float32)) / (light - dark), 0, 1)
    return float(_measures(darkness) @ weights[:4] - weights[4])


def faces(gray: NDArray[np.uint8], chars: Sequence[str], boxes: Sequence[Box | None]) -> list[str]:
    """`italic`, `upright` or an empty string for each character."""
    out = []
    for char, box in zip(chars, boxes, strict=True):
        value = lean(gray, box, char) if box is not None else 0.0
        out.append("italic" if value > OPEN else "upright" if value < -OPEN else "")
    return out


def _measures(darkness: Darkness) -> NDArray[np.float64]:
    height, width = darkness.shape
    rows = darkness.sum(axis=1)
    weight = rows * (rows > 0.15 * rows.max())
    y = np.arange(height)
    centre = (darkness @ np.arange(width)) / np.maximum(rows, 1e-6)
    middle, mean = float((weight * y).sum() / weight.sum()), float((weight * centre).sum() / weight.sum())
    spread = float((weight * (y - middle) ** 2).sum())
    tilt = -float((weight * (y - middle) * (centre - mean)).sum()) / max(spread, 1e-6)
    ink = darkness > EDGE
    inked = ink.any(axis=1)
    left, right = ink.argmax(axis=1), width - 1 - ink[:, ::-1].argmax(axis=1)
    edges = [_slope(y[inked], side[inked].astype(np.float64)) for side in (left, right)]
    gain = max(_sharpness(darkness, s) for s in ITALIC_SHEARS) / _sharpness(darkness, UPRIGHT_SHEAR)
    return np.array([tilt, edges[0], edges[1], float(np.log(gain))])


def _slope(y: NDArray[np.intp], x: NDArray[np.float64]) -> float:
    """How far an edge leans to the right for each px upwards."""
    if len(y) <= 3:
        return 0.0
    off = y - y.mean()
    return -float((off * (x - x.mean())).sum() / (off**2).sum())


def _sharpness(darkness: Darkness, shear: float) -> float:
    """Sum of squares of the column sums after the rows are shifted by `shear` for each px downwards."""
    import cv2

    height, width = darkness.shape
    matrix = np.array([[1.0, shear, 8.0], [0.0, 1.0, 0.0]], dtype=np.float32)
    turned = cv2.warpAffine(darkness, matrix, (width + 16 + int(0.46 * height), height))
    return float((turned.sum(axis=0) ** 2).sum())
