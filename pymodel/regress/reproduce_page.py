"""The page of ``ecbench reproduce --html``: tables and plots in one file that needs no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pymodel.jobs.profiles import PROFILES
from pymodel.published.cells import BOUNDED, PARTS, Plot, Reproduction
from pymodel.published.words import figure, label, per_cent
from pymodel.regress.plot import svg

TEMPLATES = Path(__file__).parent / "page_templates"


def page(done: Sequence[Reproduction], titles: Mapping[str, str]) -> str:
    """HTML, self-contained. ``titles``: of the experiments, by name."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def drawn(plot: Plot) -> Markup:
        return Markup(svg(plot))  # its text was escaped when it was drawn

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters |= {"svg": drawn, "figure": figure, "label": label, "per_cent": per_cent}
    return environment.get_template("reproduce.html.j2").render(
        done=done, titles=titles, parts=PARTS, bounded=BOUNDED, profiles=PROFILES)
