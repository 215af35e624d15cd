"""What the predictors of all engines share: scoreboard, opinions on data, strays, and traffic on the bus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cocotb_tests.env.backdoor import MirrorMemory
from cocotb_tests.env.opinions import Opinions
from cocotb_tests.env.scoreboard import Scoreboard
from pymodel.engines.bursts import ReadBurst, WriteBurst
from pymodel.jobs.engines import Model
from pymodel.memory import LINE_BYTES


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bursts and beats on the bus."""

    ar_bursts: int = 0
    r_beats: int = 0
    aw_bursts: int = 0
    w_beats: int = 0

    def after(self, reads: list[ReadBurst], writes: list[WriteBurst]) -> Traffic:
        return Traffic(self.ar_bursts + len(reads), self.r_beats + sum(burst.beats for burst in reads),
                       self.aw_bursts + len(writes), self.w_beats + sum(burst.beats for burst in writes))


class Judge:
    """``model``: the engine's, which predicts; its memory is set here."""

    def __init__(self, name: str, memory: MirrorMemory, model: Model) -> None:
        self.scoreboard = Scoreboard(f"{name} engine")
        self.opinions = Opinions()
        self.traffic: Traffic | None = Traffic()
        """On the bus so far, or None when that cannot be known any more."""
        self._memory = memory
        self._set = model

    def problems(self) -> list[str]:
        """Every failure so far; judges the data that still waits."""
        self.opinions.judge()
        return self.scoreboard.problems() + self.opinions.problems + self.own_problems()

    def own_problems(self) -> list[str]:
        """What an engine's predictor has found wrong besides what it reported to the scoreboard."""
        return []

    def check(self, at_least: int) -> None:
        """Raises ScoreboardError."""
        self.opinions.judge()
        for problem in self.opinions.problems + self.own_problems():
            self.scoreboard.report(problem)
        self.scoreboard.check(at_least)

    def set_memory(self, *, read_latency: int, write_latency: int, read_errors: set[int],
                   write_errors: set[int]) -> None:
        """What the memory does from the next request on."""
        self._set.read_latency, self._set.write_latency = read_latency, write_latency
        for mine, theirs in ((self._set.read_bus_errors, read_errors),
                             (self._set.write_bus_errors, write_errors)):
            mine.clear()
            mine.update(theirs)

    def check_strays(self, label: str, allowed: Iterable[tuple[int, int]]) -> None:
        """The engine must not have written anything but these ranges, (start, end), since the last sync."""
        lines, before = self._memory.written_lines, self._memory.before_pull
        if not lines:
            return
        start = lines[0] * LINE_BYTES
        different = before != self._memory.bytes[start:start + len(before)]
        for low, high in allowed:
            different[max(low - start, 0):max(high - start, 0)] = False
        strays = np.flatnonzero(different) + start
        if len(strays):
            self.scoreboard.report(f"{label}: the engine changed {len(strays)} bytes outside its "
                                   f"destination, the first at {strays[0]:#x}")
