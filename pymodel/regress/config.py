"""The tops that ecbench knows: what each is built from. A user's own top is one more ``Top``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pymodel.errors import EcbenchError
from pymodel.memory import DEFAULT_BYTES
from pymodel.regress.sources import hdl_root

TIMESCALE = ("1ns", "1ps")
"""Of every build; the sources have none."""


@dataclass(frozen=True, slots=True)
class Top:
    """A top module. ``sources``: patterns, relative to ``root`` (default: the HDL root) or absolute."""

    name: str
    sources: tuple[str, ...]
    includes: tuple[str, ...] = (".",)
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    defines: Mapping[str, int | str] = field(default_factory=dict)
    root: Path | None = None
    control_file: str | None = None
    """Of Verilator: names what Python uses. A top that has one can be built for speed."""
    image_bytes: int = 0
    """Size of the memory that has a back door by file, or 0."""

    plain: bool = False
    """Has no ports and needs no Python: the simulation is a program of its own."""

    def source_files(self) -> list[Path]:
        """All source files, sorted within each pattern. Raises: EcbenchError for a pattern without files."""
        root = self.root or hdl_root()
        files: list[Path] = []
        for pattern in self.sources:
            given = Path(pattern)
            found = [given] if given.is_absolute() and given.is_file() else sorted(root.glob(pattern))
            if not found:
                raise EcbenchError(f"no source file matches {root / pattern}")
            files.extend(path for path in found if path not in files)
        return files

    def include_directories(self) -> list[Path]:
        root = self.root or hdl_root()
        return [root / folder for folder in self.includes]

    def with_parameters(self, **parameters: int | str) -> Top:
        """The same top with some parameters set."""
        return replace(self, parameters={**self.parameters, **parameters})


_QCE_TOP = ("aes/*.v", "axi/*.v", "qce/*.v", "sim/axi_ram.v", "sim/axi_check.v", "sim/axil_check.v",
            "sim/axil_script.v", "sim/qce_top.v")

TOPS: Mapping[str, Top] = {top.name: top for top in (
    Top("padlock_top", ("aes/*.v", "axi/*.v", "padlock/*.v", "sim/axi_ram.v", "sim/axi_check.v",
                        "sim/padlock_cpus.v", "sim/padlock_top.v"), (".", "aes", "padlock", "sim"),
        parameters={"CPUS": 1, "STAGES": 1}, control_file="sim/padlock_top.vlt", image_bytes=DEFAULT_BYTES),
    Top("padlock_plain", ("aes/*.v", "axi/*.v", "padlock/*.v", "sim/axi_ram.v", "sim/axi_check.v",
                          "sim/padlock_cpus.v", "sim/padlock_top.v", "sim/padlock_plain.v"),
        (".", "aes", "padlock", "sim"), parameters={"STAGES": 1}, plain=True),
    Top("qce_top", _QCE_TOP, (".", "aes", "qce", "sim"),
        parameters={"STAGES": 1}, control_file="sim/qce_top.vlt", image_bytes=DEFAULT_BYTES),
    Top("qce_plain", (*_QCE_TOP, "sim/qce_plain.v"), (".", "aes", "qce", "sim"), parameters={"STAGES": 1},
        plain=True),
    Top("aes_ecb", ("aes/*.v",), (".", "aes")),
    Top("padlock", ("aes/*.v", "axi/*.v", "padlock/*.v"), (".", "aes", "padlock")),
    Top("qce", ("aes/*.v", "axi/*.v", "qce/*.v"), (".", "aes", "qce")),
    Top("axi_check_top", ("sim/axi_check.v", "sim/axi_check_top.v"), (".", "sim")),
    Top("axil_check_top", ("sim/axil_check.v", "sim/axil_check_top.v"), (".", "sim")),
)}

OWN_TEST_TOPS = tuple(name for name, top in TOPS.items() if not top.plain)
"""The tops on which a cocotb test can run."""


def known_top(name: str) -> Top:
    """Raises: EcbenchError for an unknown name."""
    try:
        return TOPS[name]
    except KeyError:
        raise EcbenchError(f"unknown top '{name}': choose one of {', '.join(TOPS)}") from None
