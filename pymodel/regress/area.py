"""Area of the synthesisable modules: Yosys's counts in docs/area.json, and the tables made from them.

``python -m pymodel.regress.area`` (``make area``) measures what has changed since the file was written; that
takes minutes. Remove the file to measure everything anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pymodel.errors import EcbenchError
from pymodel.regress.area_table import FILE, update_pages
from pymodel.regress.config import TOPS, Top
from pymodel.regress.lint import SYNTHESISABLE
from pymodel.regress.process import last_lines
from pymodel.regress.sources import checkout

FLOWS: Mapping[str, str] = {
    "lut6": "synth -flatten -lut 6",
    "ice40": "synth_ice40 -nobram",
    "xc7": "synth_xilinx -family xc7 -flatten -nobram -nodsp",
}
"""How each column is synthesised."""

_AES_ECB = TOPS["aes_ecb"]
_PADLOCK, _QCE = (next(top for top in SYNTHESISABLE if top.name == name) for name in ("padlock", "qce"))
DESIGNS: tuple[tuple[Top, tuple[str, ...]], ...] = (
    (_AES_ECB.with_parameters(STAGES=1), tuple(FLOWS)),
    (_AES_ECB.with_parameters(STAGES=2), tuple(FLOWS)),
    (_AES_ECB.with_parameters(STAGES=14), ("lut6",)),
    (Top("axi_reader", ("axi/axi_reader.v",)), tuple(FLOWS)),
    (Top("axi_writer", ("axi/axi_writer.v",)), tuple(FLOWS)),
    (_PADLOCK.with_parameters(STAGES=1), tuple(FLOWS)),
    (_QCE.with_parameters(STAGES=1), tuple(FLOWS)),
)
"""What is measured, each in which columns."""

_LUT = re.compile(r"\$lut|SB_LUT4|LUT[1-6]")
_FLIP_FLOP = re.compile(r"\$_\w*DFF\w*_|SB_DFF\w*|FD[RSCP]E")
_RAM_LUTS = {"RAM32X1D": 2, "RAM64X1D": 2, "RAM32M": 4, "RAM64M": 4}
"""The LUTs of a Xilinx device that a cell takes as memory."""


def parse_cells(text: str) -> dict[str, int]:
    """Cell type to count, from the last module in the output of Yosys's ``stat``.

    Raises: EcbenchError when there is none.
    """
    counted = text.rpartition("Number of cells:")[2] if "Number of cells:" in text else ""
    cells = dict(re.findall(r"^ +(\S+) +(\d+)$", counted, re.MULTILINE))
    if not cells:
        raise EcbenchError("Yosys's statistics name no cells")
    return {name: int(count) for name, count in cells.items()}


def luts_and_flip_flops(cells: Mapping[str, int]) -> dict[str, int]:
    """``luts``, those that serve as memory included, and ``flip_flops``.

    Raises: EcbenchError for memory cells of unknown size.
    """
    unknown = [name for name in cells if "RAM" in name and name not in _RAM_LUTS]
    if unknown:
        raise EcbenchError(f"memory cells of unknown size: {', '.join(unknown)}")
    luts = sum(count for name, count in cells.items() if _LUT.fullmatch(name))
    memory = sum(count * _RAM_LUTS[name] for name, count in cells.items() if name in _RAM_LUTS)
    flip_flops = sum(count for name, count in cells.items() if _FLIP_FLOP.fullmatch(name))
    return {"luts": luts + memory, "flip_flops": flip_flops}


def yosys_version() -> str:
    """Raises: EcbenchError when Yosys is not installed."""
    if shutil.which("yosys") is None:
        raise EcbenchError("Yosys not found (apt-get install yosys)")
    said = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout
    return said.split()[1]


def synthesise(top: Top, flow: str) -> dict[str, int]:
    """Raises: EcbenchError, with the end of what Yosys said."""
    with tempfile.TemporaryDirectory() as folder:
        statistics, log = Path(folder) / "stat", Path(folder) / "log"
        commands = [f"read_verilog {_words('-I', top.include_directories())} "
                    f"{_words('', top.source_files())}",
                    *(f"chparam -set {name} {value} {top.name}" for name, value in top.parameters.items()),
                    f"{FLOWS[flow]} -top {top.name}", f"tee -o {statistics} stat"]
        ended = subprocess.run(["yosys", "-q", "-l", str(log), "-p", "; ".join(commands)],
                               capture_output=True, text=True, check=False)
        if ended.returncode:
            raise EcbenchError(f"Yosys could not synthesise {top.name}: {last_lines(log, 1)}")
        return luts_and_flip_flops(parse_cells(statistics.read_text()))


def _words(prefix: str, paths: list[Path]) -> str:
    return " ".join(f"{prefix}{path}" for path in paths)


def _digest(top: Top) -> str:
    """Of all that the figures depend on in the sources."""
    headers = [path for folder in top.include_directories() for path in sorted(folder.glob("*.vh"))]
    digest = hashlib.sha256(json.dumps(dict(top.parameters)).encode())
    for path in [*top.source_files(), *headers]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _stages(top: Top) -> int | str | None:
    return top.parameters.get("STAGES")


def measure(top: Top, flows: tuple[str, ...]) -> dict[str, Any]:
    """A row of the file."""
    row: dict[str, Any] = {"module": top.name, "stages": _stages(top), "sources": _digest(top)}
    for flow in flows:
        began = time.monotonic()
        row[flow] = synthesise(top, flow)
        print(f"{top.name} {dict(top.parameters) or ''} {flow}: {row[flow]} "
              f"({time.monotonic() - began:.0f} s)", flush=True)
    return row


def measure_all(root: Path) -> None:
    """Bring docs/area.json and the pages of the checkout at ``root`` up to date.

    Raises: EcbenchError.
    """
    version, path = yosys_version(), root / FILE
    known = json.loads(path.read_text()) if path.exists() else {}
    same_tool = (known.get("yosys"), known.get("flows")) == (version, dict(FLOWS))
    old = {(row["module"], row["stages"]): row for row in known.get("rows", [])} if same_tool else {}
    contents: dict[str, Any] = {"yosys": version, "flows": dict(FLOWS), "rows": []}
    for top, flows in DESIGNS:
        row = old.get((top.name, _stages(top)))
        current = row is not None and row["sources"] == _digest(top) and set(flows) <= set(row)
        contents["rows"].append(row if current else measure(top, flows))
        path.write_text(json.dumps(contents, indent=1) + "\n")
    update_pages(root, contents)


def main() -> int:
    """0 when everything is up to date."""
    root = checkout()
    try:
        if root is None:
            raise EcbenchError("the area can be measured in a checkout only")
        measure_all(root)
    except EcbenchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
