"""Charts as inline SVG: no script, no style attributes (a strict CSP forbids both), all text escaped.

Colours come from CSS classes (`c0` … `c7` for series, others by meaning), so print and screen share one palette.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

COLOURS = 8


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def percent(value: float | None, digits: int = 1) -> str:
    """0–1 as a percentage without the sign, a dash for None."""
    return "–" if value is None else f"{100 * value:.{digits}f}"


def interval_bar(value: float | None, low: float | None, high: float | None, chance: float | None = None) -> Markup:
    """A bar from 0 to 1 with the confidence interval as a band and the chance level as a tick."""
    width, height = 168.0, 18.0
    parts = [f'<rect class="track" x="0" y="6" width="{_n(width)}" height="6" rx="3"/>']
    if value is not None:
        parts.append(f'<rect class="fill" x="0" y="6" width="{_n(width * _unit(value))}" height="6" rx="3"/>')
    if low is not None and high is not None:
        x0, x1 = width * _unit(low), width * _unit(high)
        parts.append(f'<path class="whisker" d="M{_n(x0)} 9H{_n(x1)}M{_n(x0)} 4V14M{_n(x1)} 4V14"/>')
    if chance is not None:
        x = width * _unit(chance)
        parts.append(f'<path class="chance" d="M{_n(x)} 1V17"/>')
    label = f"{percent(value)} %" + (f", 95 % interval {percent(low)} to {percent(high)}" if low is not None else "")
    return Markup(
        f'<svg class="bar" viewBox="0 0 {_n(width)} {_n(height)}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def stacked_bar(shares: Sequence[tuple[str, int]]) -> Markup:
    """Counts side by side over their sum; each name is also its CSS class (`k-` in front)."""
    total = sum(count for _, count in shares)
    if total == 0:
        return Markup('<svg class="stack" viewBox="0 0 600 22" role="img" aria-label="none"></svg>')
    x, parts = 0.0, []
    for name, count in shares:
        if count == 0:
            continue
        width = 600 * count / total
        title = f"{name.replace('_', ' ')}: {count} ({percent(count / total)} %)"
        parts.append(
            f'<rect class="k-{escape(name)}" x="{_n(x)}" y="1" width="{width:.2f}" height="20">'
            f"<title>{escape(title)}</title></rect>"
        )
        if width > 34:
            parts.append(f'<text class="in k-{escape(name)}-t" x="{_n(x + width / 2)}" y="15">{count}</text>')
        x += width
    label = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in shares if count)
    return Markup(
        f'<svg class="stack" viewBox="0 0 600 22" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a series; y, low and high within 0–1."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """A named line; `dashed` marks estimates."""

    name: str
    points: tuple[Point, ...]
    colour: int
    dashed: bool = False


_W, _H = 720.0, 330.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 16.0, 14.0, 52.0


def line_chart(
    series: Sequence[Series], ticks: Sequence[tuple[float, str]], title: str, x_label: str, chance: float | None = None
) -> Markup:
    """Lines over an x axis with the given (position, label) ticks; y runs from 0 to 100 %."""
    xs = [tick for tick, _ in ticks] + [p.x for s in series for p in s.points]
    low, high = min(xs, default=0.0), max(xs, default=1.0)
    pad = (high - low) * 0.06 or 0.5
    low, high = low - pad, high + pad

    def px(x: float) -> float:
        return _LEFT + (x - low) / (high - low) * (_W - _LEFT - _RIGHT)

    parts = [_frame()]
    for tick, label in ticks:
        parts.append(f'<path class="grid" d="M{_n(px(tick))} {_n(_TOP)}V{_n(_H - _BOTTOM)}"/>')
        parts.append(f'<text class="tick" x="{_n(px(tick))}" y="{_n(_H - _BOTTOM + 18)}">{escape(label)}</text>')
    if chance is not None:
        parts.append(f'<path class="chance" d="M{_n(_LEFT)} {_n(_py(chance))}H{_n(_W - _RIGHT)}"/>')
        parts.append(f'<text class="left" x="{_n(_LEFT + 4)}" y="{_n(_py(chance) - 4)}">guessing</text>')
    for item in series:
        parts.append(_line(item, px))
    parts.append(f'<text class="axis" x="{_n((_LEFT + _W - _RIGHT) / 2)}" y="{_n(_H - 8)}">{escape(x_label)}</text>')
    return Markup(
        f'<svg class="chart" viewBox="0 0 {_n(_W)} {_n(_H)}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _py(y: float) -> float:
    return _TOP + (1 - _unit(y)) * (_H - _TOP - _BOTTOM)


def _frame() -> str:
    parts = []
    for step in range(0, 101, 20):
        y = _py(step / 100)
        parts.append(f'<path class="grid" d="M{_n(_LEFT)} {_n(y)}H{_n(_W - _RIGHT)}"/>')
        parts.append(f'<text class="ytick" x="{_n(_LEFT - 7)}" y="{_n(y + 4)}">{step}</text>')
    return "".join(parts)


def _line(item: Series, px: object) -> str:
    assert callable(px)
    colour = f"c{item.colour % COLOURS}"
    points = [(px(p.x), _py(p.y), p) for p in item.points]
    path = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y, _ in points)
    parts = [f'<path class="line {colour}{" dashed" if item.dashed else ""}" d="{path}"/>'] if len(points) > 1 else []
    for x, y, p in points:
        if p.low is not None and p.high is not None:
            parts.append(f'<path class="err {colour}" d="M{_n(x)} {_n(_py(p.low))}V{_n(_py(p.high))}"/>')
        hollow = " hollow" if item.dashed else ""
        title = f"<title>{escape(p.title or f'{item.name}: {percent(p.y)} %')}</title>"
        parts.append(f'<circle class="dot {colour}{hollow}" cx="{_n(x)}" cy="{_n(y)}" r="4">{title}</circle>')
    return "".join(parts)


def scatter(points: Sequence[tuple[float, float, str, str]], title: str, x_label: str, y_label: str) -> Markup:
    """Points (x within 0–1, y within -1–1, CSS class, tooltip): difficulty against discrimination."""

    def px(x: float) -> float:
        return _LEFT + _unit(x) * (_W - _LEFT - _RIGHT)

    def py(y: float) -> float:
        return _TOP + (1 - y) / 2 * (_H - _TOP - _BOTTOM)

    parts = []
    for step in range(5):
        y = 1 - step / 2
        parts.append(f'<path class="grid{" zero" if y == 0 else ""}" d="M{_n(_LEFT)} {_n(py(y))}H{_n(_W - _RIGHT)}"/>')
        parts.append(f'<text class="ytick" x="{_n(_LEFT - 7)}" y="{_n(py(y) + 4)}">{_n(y)}</text>')
    for step in range(0, 101, 20):
        parts.append(f'<text class="tick" x="{_n(px(step / 100))}" y="{_n(_H - _BOTTOM + 18)}">{step}</text>')
    for x, y, kind, tip in points:
        parts.append(
            f'<circle class="item i-{escape(kind)}" cx="{_n(px(x))}" cy="{_n(py(max(-1.0, min(1.0, y))))}" r="4.5">'
            f"<title>{escape(tip)}</title></circle>"
        )
    middle = (_TOP + _H - _BOTTOM) / 2
    parts.append(f'<text class="axis" x="{_n((_LEFT + _W - _RIGHT) / 2)}" y="{_n(_H - 8)}">{escape(x_label)}</text>')
    turned = f'transform="rotate(-90 10 {_n(middle)})" x="10" y="{_n(middle + 3)}"'
    parts.append(f'<text class="axis" {turned}>{escape(y_label)}</text>')
    return Markup(
        f'<svg class="chart" viewBox="0 0 {_n(_W)} {_n(_H)}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def heat_map(
    rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[int, int], float], tips: Sequence[str]
) -> Markup:
    """A grid of shares right (0–1), rows = conditions, columns = questions; missing cells stay empty.

    `tips` names each column for the tooltip.
    """
    cell = max(5.0, min(18.0, 680.0 / max(1, len(columns))))
    height = 14.0
    width, total = cell * len(columns), height * len(rows)
    parts = []
    for (row, column), value in sorted(values.items()):
        level = min(4, math.floor(_unit(value) * 4 + 0.5))
        tip = escape(f"{tips[column]} · {rows[row]}: {percent(value, 0)} %")
        parts.append(
            f'<rect class="h{level}" x="{_n(column * cell)}" y="{_n(row * height)}" width="{_n(cell - 1)}" '
            f'height="{_n(height - 1)}"><title>{tip}</title></rect>'
        )
    return Markup(
        f'<svg class="heat" viewBox="0 0 {_n(width)} {_n(total)}" width="{_n(width)}" height="{_n(total)}" role="img" '
        f'aria-label="share right of {len(columns)} questions in {len(rows)} conditions">{"".join(parts)}</svg>'
    )
