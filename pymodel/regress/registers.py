"""What is made from a register map: Verilog and Python constants and a page of the manual.

``python -m pymodel.regress.registers`` (``make registers``) writes them all.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pymodel.errors import EcbenchError
from pymodel.regress.register_map import RegisterMap, read_register_map
from pymodel.regress.sources import checkout

SOURCE = Path("hdl/qce/qce.rdl")
MADE: Mapping[Path, str] = {
    Path("hdl/qce/qce_registers.vh"): "registers.vh.j2",
    Path("pymodel/engines/qce_registers.py"): "registers.py.j2",
    Path("docs/registers.md"): "registers.md.j2",
}
"""Each file, relative to the checkout, with the template that it is made from."""

_LINE = 108


def render(template: str, registers: RegisterMap) -> str:
    """The contents of a file."""
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent / "register_templates"),
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                              keep_trailing_newline=True, autoescape=False)
    environment.filters["paragraphs"] = _paragraphs
    environment.filters["line"] = _line
    environment.filters["sentence"] = lambda text: _line(text)[:1].upper() + _line(text)[1:] + "."
    return environment.get_template(template).render(map=registers, source=SOURCE.name)


def _line(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str) -> str:
    """Filled anew: the .rdl breaks its lines elsewhere."""
    return "\n\n".join(textwrap.fill(part, _LINE) for part in text.split("\n\n"))


def make(root: Path) -> dict[Path, str]:
    """The path of each file made from the map of the checkout at ``root``, with its contents.

    Raises: EcbenchError for an .rdl that cannot be compiled.
    """
    registers = read_register_map(root / SOURCE)
    return {path: render(template, registers) for path, template in MADE.items()}


def main() -> int:
    """Write what has changed."""
    root = checkout()
    try:
        if root is None:
            raise EcbenchError("registers can be made in a checkout only")
        for path, contents in make(root).items():
            target = root / path
            if not target.exists() or target.read_text() != contents:
                target.write_text(contents)
                print(f"{path} written")
    except EcbenchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
