"""What the host spends around an engine: work by kind, in engine cycles, and what a kind costs on a machine.

Drivers and modes say what they do (``await engine.host.spend(HostWork.XOR, blocks)``); a ``HostCosts`` says
what that costs. The engine's own cycles are never in here: they come from the RTL or its model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

from pymodel.kernel import Cpu, Kernel


class HostWork(StrEnum):
    """A kind of work. The unit is what ``amount`` counts."""

    REQUEST = "request"
    """A request to a mode: the caller's own work, checks, the walk over its lists."""
    CALL = "call"
    """An engine call: one instruction, or one request to a DMA engine with its interrupt."""
    XOR = "xor"
    """A block XORed with another one, read and written."""
    COPY = "copy"
    """A block stored in one place and loaded from another: into or out of a bounce buffer, or a tweak kept
    and read back."""
    DOUBLING = "doubling"
    """A tweak multiplied by x (IEEE 1619-2018 5.2)."""
    KEY_LOAD = "key_load"
    """Making the engine forget its key, so that it loads another one."""
    ALLOCATION = "allocation"
    """Memory taken from the allocator and given back: scratch memory of more than a block."""
    REGISTER = "register"
    """A register of the engine read or written, besides the bus cycles that the model and the RTL have."""
    FALLBACK_CALL = "fallback_call"
    """A call of a cipher in software."""
    FALLBACK_BLOCK = "fallback_block"
    """A block in software, without its rounds."""
    FALLBACK_ROUND = "fallback_round"
    """A round of a block in software: AES has 10, 12 or 14 for each block."""
    MAPPED_BLOCK = "mapped_block"
    """A block of data made visible to a DMA engine and back: the cache of a CPU that is not coherent."""


@dataclass(frozen=True, slots=True)
class HostCosts:
    """Engine cycles for one unit of each kind of work, parts of a cycle allowed; what is not named costs
    nothing. Raises ValueError for what is no cost."""

    cycles: Mapping[HostWork, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for work, cost in self.cycles.items():
            if not 0 <= cost < inf:
                raise ValueError(f"{work} costs {cost} cycles")

    def of(self, work: HostWork, amount: int = 1) -> int:
        """Whole cycles for ``amount`` units, rounded once."""
        return int(self.cycles.get(work, 0) * amount + 0.5)


FREE = HostCosts()
"""Host work takes no time."""


class Host:
    """The host as drivers and modes see it: it spends time on a Cpu, first in, first out.

    ``done``: units of work by kind so far, whatever they cost. Parts of a cycle wait for more of their kind:
    what a kind has cost so far is rounded, so that many small amounts cost what a large one does.
    """

    def __init__(self, cpu: Cpu, kernel: Kernel, costs: HostCosts = FREE) -> None:
        self.costs = costs
        self.done: Counter[HostWork] = Counter()
        self._cpu = cpu
        self._kernel = kernel

    async def spend(self, work: HostWork, amount: int = 1, *, holding: bool = False) -> None:
        """Do ``amount`` units of ``work``. ``holding``: the caller has the Cpu already."""
        before = self.costs.of(work, self.done[work])
        self.done[work] += amount
        cycles = self.costs.of(work, self.done[work]) - before
        if holding:
            await self._kernel.sleep(cycles)
        else:
            await self._cpu.spend(cycles)
