"""How figures are written in the terminal, on pages and in the manual: with the same digits everywhere."""

from __future__ import annotations

from collections.abc import Sequence

_DECIMALS = {"cycles": 0, "ns": 0, "bytes/s": 0, "MB/s": 1}
"""Digits after the point, as published; two for every other unit."""


def figure(value: float, unit: str) -> str:
    """With a comma for each thousand."""
    decimals = _DECIMALS.get(unit, 2)
    return f"{_round(value, decimals):,.{decimals}f}"


def label(value: object) -> str:
    """Where a cell is in its table: a truth in a word, no commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{_round(value, 2):.2f}" if isinstance(value, float) else str(value)


def per_cent(value: float | None, *, sign: bool = False, decimals: int = 1) -> str:
    """Of a fraction; ``-`` for no value."""
    if value is None:
        return "-"
    return f"{_round(100 * value, decimals):{'+' if sign else ''}.{decimals}f} %"


def listed(values: Sequence[object]) -> str:
    """As in a sentence: 16, 256 and 8192."""
    words = [str(value) for value in values]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _round(value: float, decimals: int) -> float:
    """Without a minus before what is written as zero."""
    return round(value, decimals) + 0.0
