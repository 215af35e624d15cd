"""The tables of README.md and docs/area.md, made from docs/area.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pymodel.errors import EcbenchError

FILE = Path("docs/area.json")

_Column = tuple[str, str]
"""A flow and what is counted of it."""

_LUT6: dict[str, _Column] = {"LUT6": ("lut6", "luts"), "flip-flops": ("lut6", "flip_flops")}
_ALL: dict[str, _Column] = {
    **_LUT6,
    "iCE40 LUT4": ("ice40", "luts"), "iCE40 flip-flops": ("ice40", "flip_flops"),
    "7-series LUT": ("xc7", "luts"), "7-series flip-flops": ("xc7", "flip_flops"),
}
PAGES: Mapping[str, Mapping[str, _Column]] = {"README.md": _LUT6, "docs/area.md": _ALL}
"""Each page with the columns of its table, in the place between its two marks."""

_BEGIN, _END = "<!-- area: made by make area -->\n", "<!-- end of area -->\n"


def table(contents: Mapping[str, Any], columns: Mapping[str, _Column]) -> str:
    """A table in Markdown. A dash where a module was not synthesised that way."""
    heading = f"| Yosys {contents['yosys']} | `STAGES` | " + " | ".join(columns) + " |"
    rule = "|---" * 2 + "|---:" * len(columns) + "|"
    return "\n".join([heading, rule, *(_line(row, columns) for row in contents["rows"])]) + "\n"


def _line(row: Mapping[str, Any], columns: Mapping[str, _Column]) -> str:
    figures = [f"{row[flow][counted]:,}" if flow in row else "-" for flow, counted in columns.values()]
    stages = "" if row["stages"] is None else str(row["stages"])
    return "| " + " | ".join([f"`{row['module']}`", stages, *figures]) + " |"


def with_table(text: str, made: str) -> str:
    """``text`` with the table between its marks replaced. Raises: EcbenchError without them."""
    place = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.DOTALL)
    changed, count = place.subn(lambda _: f"{_BEGIN}\n{made}\n{_END}", text)
    if count != 1:
        raise EcbenchError(f"{count} places for the table of areas, instead of one")
    return changed


def update_pages(root: Path, contents: Mapping[str, Any]) -> None:
    """Write the tables into the pages of the checkout at ``root``. Raises: EcbenchError."""
    for name, columns in PAGES.items():
        page = root / name
        page.write_text(with_table(page.read_text(), table(contents, columns)))
