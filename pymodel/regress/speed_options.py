"""The options of ``ecbench speed``: which requests they ask for, on which bench, and what does not fit
together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pymodel.costs import HostWork
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec
from pymodel.jobs.engines import ENGINES
from pymodel.jobs.profiles import profile_named
from pymodel.jobs.speed_cell import UNIT_MODES, Cell, key_bits_of
from pymodel.modes.xts import STRATEGIES
from pymodel.regress.target import Target

SIZES = (16, 64, 256, 1024, 8192)
"""Of tcrypt up to Linux 4.19, in bytes."""
DIRECTIONS: Mapping[str, tuple[bool, ...]] = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}
SOFTWARE = "software"
"""No engine: the host computes."""
SPEED_ENGINES = (*ENGINES, SOFTWARE)


@dataclass(frozen=True, slots=True)
class SpeedOptions:
    """``target``: its engine may be SOFTWARE. Empty ``key_bits``: all of each mode. None: not asked for, the
    mode's or bench's own."""

    target: Target
    modes: tuple[str, ...]
    direction: str
    key_bits: tuple[int, ...]
    sizes: tuple[int, ...]
    strategy: str | None
    unit_bytes: int | None
    policy: str | None
    host_expands: bool
    threshold: int | None
    profile: str
    json: Path | None
    csv: Path | None
    plot: Path | None

    @property
    def software(self) -> bool:
        return self.target.engine == SOFTWARE

    def where(self) -> Target:
        """What to launch on: software needs a bench for its memory and CPU, whatever engine is on it.

        Raises InvalidRequest, SimulatorError.
        """
        if self.target.engine not in SPEED_ENGINES:
            raise InvalidRequest(f"unknown engine '{self.target.engine}': choose one of "
                                 f"{', '.join(SPEED_ENGINES)}")
        target = replace(self.target, engine=self._bench_engine)
        target.check()
        if self.software and target.on == "rtl":
            raise InvalidRequest("software has no RTL: leave --on rtl out")
        if self.software and target.stages != 1:
            raise InvalidRequest(f"--stages is for {', '.join(ENGINES)}, not for {SOFTWARE}")
        return target

    def cells(self) -> list[Cell]:
        """In the order of the tables. Raises InvalidRequest."""
        if self.direction not in DIRECTIONS:
            raise InvalidRequest(f"unknown direction '{self.direction}': choose one of "
                                 f"{', '.join(DIRECTIONS)}")
        self._check_modes()
        cells = [Cell(mode, bits, size, decrypt=decrypt, software=self.software,
                      strategy=self.strategy or STRATEGIES[0] if mode == "xts" else STRATEGIES[0],
                      unit_bytes=self.unit_bytes or 0 if mode in UNIT_MODES else 0,
                      host_expands=self.host_expands or None)
                 for mode in self.modes for decrypt in DIRECTIONS[self.direction]
                 for bits in self.key_bits or key_bits_of(mode) for size in self.sizes]
        if (self.unit_bytes or 0) > max(self.sizes):
            raise InvalidRequest(f"--data-unit {self.unit_bytes}: no request has more than "
                                 f"{max(self.sizes)} bytes")
        if self.host_expands and not any(_is_aes_128(cell) for cell in cells):
            raise InvalidRequest("--host-expands is for keys of AES-128, and none is asked for")
        return cells

    def bench(self) -> BenchSpec:
        """Raises InvalidRequest."""
        self._check_engine()
        self._check_profile()
        settings = {"policy": self.policy, "aes_sw_max_len": self.threshold}
        given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        return BenchSpec.of(self.profile, engine=self._bench_engine, stages=self.target.stages, **given)

    @property
    def _bench_engine(self) -> str:
        return ENGINES[0] if self.software else self.target.engine

    def _check_modes(self) -> None:
        """Options of some modes do not go with others alone."""
        for name, given, modes in (("--strategy", self.strategy is not None, ("xts",)),
                                   ("--data-unit", self.unit_bytes is not None, UNIT_MODES)):
            if given and not set(modes) & set(self.modes):
                raise InvalidRequest(f"{name} is for {', '.join(modes)}, not for {', '.join(self.modes)}")

    def _check_engine(self) -> None:
        """Options of one engine do not go with another."""
        for name, given, engine in (("--policy", self.policy is not None, "padlock"),
                                    ("--host-expands", self.host_expands, "padlock"),
                                    ("--threshold", self.threshold is not None, "qce")):
            if given and self.target.engine != engine:
                raise InvalidRequest(f"{name} is for {engine}, not for {self.target.engine}")

    def _check_profile(self) -> None:
        """A machine has one engine. Software runs on any whose profile says what AES costs its CPU."""
        profile = profile_named(self.profile)
        if profile.engine in (None, self.target.engine):
            return
        if not self.software:
            raise InvalidRequest(f"profile '{self.profile}' is for {profile.engine}, not for "
                                 f"{self.target.engine}")
        if HostWork.FALLBACK_ROUND not in profile.host:
            raise InvalidRequest(f"profile '{self.profile}' does not say what AES in software costs")


def _is_aes_128(cell: Cell) -> bool:
    return cell.key_bits == (256 if cell.mode == "xts" else 128)
