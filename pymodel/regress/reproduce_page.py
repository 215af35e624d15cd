"""The page of ``ecbench reproduce --html``: tables and plots in one file that needs no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from pymodel.jobs.profiles import PROFILES
from pymodel.published.cells import Outcome, Reproduction
from pymodel.regress.plot import svg

_STYLE = """body { font-family: sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0; font-size: 0.9em }
th, td { padding: 0.15em 0.7em; text-align: right; border-bottom: 1px solid #ddd }
th { border-bottom: 1px solid #888 }
td.word, th.word { text-align: left }
tr.fail, .fail { background: #fbd9d3 }
svg { max-width: 100%; height: auto; margin: 0.5em 1em 0.5em 0 }"""


def page(done: Sequence[Reproduction], titles: Mapping[str, str]) -> str:
    """HTML, self-contained."""
    parts = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
             "<title>Published measurements, simulated</title>", f"<style>{_STYLE}</style></head><body>",
             "<h1>Published measurements, simulated</h1>", *_summary(done)]
    for one in done:
        parts += [f'<h2 id="{escape(one.experiment)}">{escape(titles[one.experiment])}</h2>', *_body(one)]
    return "\n".join([*parts, *_constants(), "</body></html>"]) + "\n"


def _summary(done: Sequence[Reproduction]) -> Iterator[str]:
    yield from _table(["experiment", "cells", "max error", "mean error", "result"], [
        ([f'<a href="#{escape(one.experiment)}">{escape(one.experiment)}</a>', str(len(one.outcomes)),
          _per_cent(one.max_error), _per_cent(one.mean_error), "inside" if one.ok else "outside"], one.ok)
        for one in done])


def _body(one: Reproduction) -> Iterator[str]:
    yield "".join(svg(curves) for curves in one.curves)
    for condition in one.conditions:
        word, mark = ("ok", "") if condition.ok else ("FAIL", ' class="fail"')
        yield f"<p{mark}>{word}: {escape(condition.text)}: {escape(condition.found)}</p>"
    yield "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in one.notes) + "</ul>"
    labels = list(one.outcomes[0].labels)
    headings = [*(label.replace("_", " ") for label in labels), "part", f"published {one.unit}",
                f"simulated {one.unit}", "error", "bound"]
    yield from _table(headings, [(_cells(cell, labels), cell.ok) for cell in one.outcomes])


def _cells(cell: Outcome, labels: Sequence[str]) -> list[str]:
    return [*(escape(str(cell.labels[label])) for label in labels), cell.part, _figure(cell.published),
            _figure(cell.simulated), _per_cent(cell.error), _per_cent(cell.bound)]


def _constants() -> Iterator[str]:
    yield "<h2>Constants</h2>"
    for name, profile in PROFILES.items():
        constants = profile.constants()
        yield f"<h3>{escape(name)}</h3><p>{escape(profile.about)}</p>"
        if constants:
            yield from _table(["constant", "value", "meaning", "from"], [
                ([escape(key), f"{one.value:,.10g}", escape(one.meaning),
                  escape(f"fitted to {one.source}" if one.fitted else one.source)], True)
                for key, one in constants.items()])


def _table(headings: Sequence[str], rows: Sequence[tuple[Sequence[str], bool]]) -> Iterator[str]:
    """Rows of cells in HTML, and whether each is well."""
    yield "<table><tr>" + "".join(f"<th>{escape(heading)}</th>" for heading in headings) + "</tr>"
    for cells, ok in rows:
        kind = "" if ok else ' class="fail"'
        yield f"<tr{kind}>" + "".join(f"<td{_word(cell)}>{cell}</td>" for cell in cells) + "</tr>"
    yield "</table>"


def _word(cell: str) -> str:
    return "" if cell[:1].isdigit() or cell[:1] in "+-" else ' class="word"'


def _figure(value: float) -> str:
    return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"


def _per_cent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
