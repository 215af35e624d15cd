"""Plots as SVG, by matplotlib, which is imported when there is one to draw: that takes a second.

What was published is shown as open marks, what was simulated as lines.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pymodel.published.cells import FIT, JUDGE, ORDER, SHOWN, Bars, Comparison, Curves, Outcome, Plot, Ranges

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Of Okabe and Ito: told apart by the colour-blind too, the first two in grey as well."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_LINES = ("-", "--", ":", "-.")
_GREY = "#555555"
_PARTS = {FIT: "fitted", ORDER: "in order", JUDGE: "judged", SHOWN: "shown"}
_ERROR_MARKERS = {FIT: ("o", 4), ORDER: ("d", 4), JUDGE: ("x", 5), SHOWN: ("+", 5)}
"""Marker, and its size."""
_STYLE: Mapping[str, Any] = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"], "font.size": 9,
    "axes.titlesize": 11, "axes.titlelocation": "left", "axes.axisbelow": True, "axes.grid": True,
    "axes.spines.top": False, "axes.spines.right": False, "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "lines.linewidth": 1.4, "lines.markersize": 6, "hatch.linewidth": 0.6, "legend.frameon": False,
    "svg.fonttype": "none", "axes.unicode_minus": False,
}


def svg(plot: Plot) -> str:
    """One ``<svg>`` element, the same for the same plot; its text is text."""
    with style(plot.title):
        text = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure(plot).savefig(text, format="svg", metadata={**nothing, "Title": plot.title})
    return _without_unused_ids(text.getvalue()[text.getvalue().index("<svg"):])


def _without_unused_ids(text: str) -> str:
    """matplotlib numbers everything from 1 in each figure: on one page, ids would be there twice."""
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    return re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", text)


@contextmanager
def style(salt: str) -> Iterator[None]:
    """Our settings for what is drawn and saved inside, whatever the user's are.

    ``salt``: for the ids in an SVG, which differ from those of a plot with another one.
    """
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = {**_STYLE, "svg.hashsalt": salt}  # newer matplotlibs have a type of all names
        matplotlib.rcParams.update(settings)
        yield


def figure(plot: Plot) -> Figure:
    """The plot, to be saved in any format; in ``style``."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(6.4, 5.0), layout="constrained")
    if isinstance(plot, Comparison):
        _comparison(made, plot)
    elif isinstance(plot, Curves):
        _curves(made, plot)
    elif isinstance(plot, Ranges):
        _ranges(made, plot)
    else:
        _bars(made, plot)
    return made


def _curves(made: Figure, plot: Curves) -> None:
    """The second kind is a thin broken line, to be seen upon a first one in the same place."""
    made.set_figheight(4.2 + 0.18 * math.ceil(sum(map(len, plot.series.values())) / 2))
    axes = made.subplots()
    axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
    kinds = list(dict.fromkeys(kind for lines in plot.series.values() for kind in lines))
    every = [point for lines in plot.series.values() for points in lines.values() for point in points]
    _sizes(axes, [x for x, _ in every])
    _values(axes, [y for _, y in every])
    for number, (thing, lines) in enumerate(plot.series.items()):
        for kind, points in lines.items():
            first = len(kinds) > 1 and kind == kinds[0]
            axes.plot(*zip(*points, strict=True), color=_pick(_COLOURS, number),
                      marker=_pick(_MARKERS, number), markersize=7 if first else 4,
                      linewidth=4 if first else 1.2, alpha=0.4 if first else 1, markeredgewidth=0,
                      linestyle=_pick(_LINES, kinds.index(kind)), label=f"{thing}, {kind}")
    made.legend(loc="outside lower center", ncols=2)


def _comparison(made: Figure, plot: Comparison) -> None:
    """The values above, the errors below with the bounds on them."""
    from matplotlib.lines import Line2D

    values, errors = made.subplots(2, 1, sharex=True, height_ratios=(5, 2))
    values.set(title=plot.title, ylabel=plot.y)
    errors.set(xlabel=plot.x, ylabel="error (%)")
    cells = [cell for points in plot.series.values() for _, cell in points]
    _sizes(values, [x for points in plot.series.values() for x, _ in points])
    _values(values, [value for cell in cells for value in (cell.published, cell.simulated)])
    errors.axhline(0, color=_GREY, linewidth=0.8)
    for number, (thing, points) in enumerate(plot.series.items()):
        look: dict[str, Any] = {"color": _pick(_COLOURS, number)}
        at = [x for x, _ in points]
        values.plot(at, [cell.published for _, cell in points], linestyle="none", fillstyle="none",
                    marker=_pick(_MARKERS, number), label=f"{thing}, published", **look)
        values.plot(at, [cell.simulated for _, cell in points], linestyle=_pick(_LINES, number),
                    marker=".", markersize=3, label=f"{thing}, simulated", **look)
        for part, (marker, size) in _ERROR_MARKERS.items():
            errors.plot(*_errors(points, part), linestyle="none", marker=marker, markersize=size, **look)
    _bounds(errors, plot)
    limit = 115 * max(abs(height or 0) for cell in cells for height in (cell.error, cell.bound))
    errors.set_ylim(-(limit or 1), limit or 1)
    keys: list[Artist] = [Line2D([], [], color=_GREY, linestyle="none", marker=marker, markersize=size,
                                 label=f"error of a cell {_PARTS[part]}")
                          for part, (marker, size) in _ERROR_MARKERS.items()
                          if any(cell.part == part for cell in cells)]
    values.legend()
    keys += errors.get_legend_handles_labels()[0]
    made.legend(handles=keys, loc="outside lower center", ncols=2 if len(keys) > 3 else 3)
    made.align_ylabels()


def _errors(points: Iterable[tuple[float, Outcome]], part: str) -> tuple[list[float], list[float]]:
    """Places, and errors in per cent, of the cells of a part."""
    found = [(x, 100 * cell.error) for x, cell in points if cell.error is not None and cell.part == part]
    return [x for x, _ in found], [error for _, error in found]


def _bounds(errors: Axes, plot: Comparison) -> None:
    """A band for each bound; of the first thing's colour, or grey when all things share it."""
    bounds: dict[float, list[int]] = {}
    for number, points in enumerate(plot.series.values()):
        for bound in dict.fromkeys(cell.bound for _, cell in points if cell.bound is not None):
            bounds.setdefault(bound, []).append(number)
    for bound, numbers in sorted(bounds.items(), reverse=True):
        shared = len(numbers) == len(plot.series)
        whose = "" if shared else " of " + ", ".join(list(plot.series)[number] for number in numbers)
        errors.axhspan(-100 * bound, 100 * bound, alpha=0.15, linewidth=0, label=f"bound{whose}, {bound:.0%}",
                       color=_GREY if shared else _pick(_COLOURS, numbers[0]))


def _bars(made: Figure, plot: Bars) -> None:
    axes = made.subplots()
    axes.set(title=plot.title, ylabel=plot.y)
    axes.grid(visible=False, axis="x")
    at = range(len(plot.cells))
    published = axes.bar([x - 0.2 for x in at], [cell.published for cell in plot.cells.values()], 0.38,
                         fill=False, edgecolor=_COLOURS[1], hatch="////", label="published")
    simulated = axes.bar([x + 0.2 for x in at], [cell.simulated for cell in plot.cells.values()], 0.38,
                         color=_COLOURS[0], label="simulated")
    for bars in (published, simulated):
        axes.bar_label(bars, fmt="{:,.1f}", padding=2, fontsize=8)
    axes.set_xticks(at, [f"{name}\n({_PARTS[cell.part]})" for name, cell in plot.cells.items()])
    made.legend(loc="outside lower center", ncols=2)


def _ranges(made: Figure, plot: Ranges) -> None:
    """A line for each cell, from the top down; the groups apart from each other."""
    every = {name: one for cells in plot.groups for name, one in cells.items()}
    groups = [number for number, cells in enumerate(plot.groups) for _ in cells]
    at = [number + group for number, group in enumerate(groups)]
    made.set_figheight(1.6 + 0.21 * (at[-1] + 1))
    axes = made.subplots()
    made.suptitle(plot.title, x=0.01, horizontalalignment="left", fontsize=11)  # wider than the axes
    axes.set(xlabel=plot.x)
    axes.axvline(0, color=_GREY, linewidth=0.8)
    axes.plot([one.cell.published for one in every.values()], at, linestyle="none", marker="o",
              fillstyle="none", color=_COLOURS[1], label="published")
    axes.plot([one.cell.simulated for one in every.values()], at, linestyle="none", marker="|", markersize=8,
              color=_COLOURS[0], label="simulated, median")
    axes.hlines(at, [one.lower for one in every.values()], [one.upper for one in every.values()],
                color=_COLOURS[0], label="simulated, from lower to upper quartile")
    axes.set_yticks(at, list(every))
    axes.set_ylim(at[-1] + 1, -1)
    axes.grid(visible=False, axis="y")
    made.legend(loc="outside lower center", ncols=3)


def _sizes(axes: Axes, sizes: Iterable[float]) -> None:
    """Logarithmic, with marks at the sizes themselves, powers of two first, where there is room."""
    known = sorted(set(sizes))
    room = math.log(known[-1] / known[0]) / 12
    marks: list[float] = []
    for size in sorted(known, key=lambda size: (math.log2(size) % 1 != 0, size)):
        if all(abs(math.log(size / mark)) >= room for mark in marks):
            marks.append(size)
    axes.set_xscale("log", base=2)
    axes.set_xticks(marks, [_number(mark) for mark in marks])
    axes.minorticks_off()


def _values(axes: Axes, values: Sequence[float]) -> None:
    """Logarithmic, with 0 where there is one."""
    from matplotlib.ticker import LogLocator, NullFormatter, SymmetricalLogLocator

    low, high = min((value for value in values if value > 0), default=0), max(values)
    if high == 0:
        axes.set(ylim=(0, 1), yticks=(0, 1), yticklabels=("0", "1"))
        return
    subs = (1, 2, 5) if high / low < 300 else (1,)
    if min(values) == 0:
        axes.set_yscale("symlog", linthresh=low, linscale=0.3)
        axes.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=low, subs=subs))
    else:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(10, subs=subs))
    axes.yaxis.set_major_formatter(lambda value, _: _number(value))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _pick(choices: Sequence[str], number: int) -> str:
    return choices[number % len(choices)]
