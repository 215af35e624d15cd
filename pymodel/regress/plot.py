"""Curves as SVG, written by hand: nothing to install, and a page that holds it needs nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from pymodel.published.cells import Curves

WIDTH, HEIGHT = 560, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 16, 34, 44
_LEGEND_LINE = 16
_COLOURS = ("#1b6ca8", "#c8553d", "#2a7f62", "#8b5a9f", "#b08900", "#555555")

Scale = Callable[[float], float]


def svg(curves: Curves) -> str:
    """One ``<svg>`` element. Series that are called published are marks, others are lines."""
    points = [point for series in curves.series.values() for point in series]
    height = HEIGHT + _LEGEND_LINE * math.ceil(len(curves.series) / 2)
    x, x_ticks = _axis([point[0] for point in points], _LEFT, WIDTH - _RIGHT, curves.log)
    y, y_ticks = _axis([point[1] for point in points], HEIGHT - _BOTTOM, _TOP, curves.log)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
             f'height="{height}" font-family="sans-serif" font-size="11" role="img">',
             f"<title>{escape(curves.title)}</title>",
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             _text(WIDTH / 2, 18, curves.title, "middle", size=13)]
    parts += _frame(curves, x, x_ticks, y, y_ticks)
    for index, (name, series) in enumerate(curves.series.items()):
        colour = _COLOURS[index // _published_step(curves) % len(_COLOURS)]
        drawn = [(x(at), y(value)) for at, value in series]
        parts += _marks(drawn, colour) if "published" in name else _line(drawn, colour)
        parts += _legend(index, name, colour)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _published_step(curves: Curves) -> int:
    """Published and simulated of one thing share a colour when each has both, one after the other."""
    names = list(curves.series)
    paired = (len(names) % 2 == 0 and all("published" in name for name in names[::2])
              and all("simulated" in name for name in names[1::2]))
    return 2 if paired else 1


def _axis(values: Sequence[float], start: float, end: float, log: bool) -> tuple[Scale, list[float]]:
    """From values to pixels, and where to put marks."""
    if log:
        low, high = (math.log10(value) for value in (min(values), max(values)))
        margin = 0.06 * (high - low) or 0.1
        span = high - low + 2 * margin
        ticks = [mantissa * 10.0 ** exponent for exponent in range(math.floor(low), math.ceil(high) + 1)
                 for mantissa in ((1, 2, 5) if high - low < 2.5 else (1,))]
        shown = [tick for tick in ticks if low - margin <= math.log10(tick) <= high + margin]
        return lambda value: start + (end - start) * (math.log10(value) - low + margin) / span, shown
    top = max(values) * 1.08
    step = _round_step(top / 6)
    return (lambda value: start + (end - start) * value / top), [step * n for n in range(int(top / step) + 1)]


def _round_step(wanted: float) -> float:
    scale = 10.0 ** math.floor(math.log10(wanted))
    return next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= wanted)


def _frame(curves: Curves, x: Scale, x_ticks: list[float], y: Scale, y_ticks: list[float]) -> list[str]:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    parts = [f'<rect x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}" fill="none" '
             'stroke="#888"/>',
             _text((_LEFT + right) / 2, HEIGHT - 8, curves.x, "middle"),
             f'<text x="14" y="{(_TOP + bottom) / 2:.0f}" text-anchor="middle" '
             f'transform="rotate(-90 14 {(_TOP + bottom) / 2:.0f})">{escape(curves.y)}</text>']
    for tick in x_ticks:
        parts += [f'<line x1="{x(tick):.1f}" y1="{_TOP}" x2="{x(tick):.1f}" y2="{bottom}" stroke="#ddd"/>',
                  _text(x(tick), bottom + 15, _number(tick), "middle")]
    for tick in y_ticks:
        parts += [f'<line x1="{_LEFT}" y1="{y(tick):.1f}" x2="{right}" y2="{y(tick):.1f}" stroke="#ddd"/>',
                  _text(_LEFT - 6, y(tick) + 4, _number(tick), "end")]
    return parts


def _line(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>']


def _marks(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="none" stroke="{colour}" stroke-width="1.6"/>'
            for x, y in points]


def _legend(index: int, name: str, colour: str) -> list[str]:
    left = _LEFT + (index % 2) * (WIDTH - _LEFT) / 2
    base = HEIGHT + 8 + index // 2 * _LEGEND_LINE
    mark = _marks([(left + 11, base - 4)], colour) if "published" in name else _line(
        [(left, base - 4), (left + 22, base - 4)], colour)
    return [*mark, _text(left + 28, base, name, "start")]


def _text(x: float, y: float, text: str, anchor: str, size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _number(value: float) -> str:
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"
