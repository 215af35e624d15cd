"""The bench a job works on: kernel, memory, host processors, and engines, on the model or on the RTL."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pymodel.drivers.padlock import PadlockDriver
from pymodel.drivers.padlock_engine import generous_watchdog
from pymodel.engines.padlock import FETCH_BLOCKS, LATENCIES, SETUP_CYCLES, STAGES
from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.ports import XcryptPort
from pymodel.engines.quirks import Quirk
from pymodel.errors import InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import DEFAULT_BYTES, HostMemory

Report = Callable[[dict[str, Any]], None]
"""Takes the lines a job produces on its way: dicts with a ``kind``, as progress, row, case or failure."""

ENGINES = ("padlock",)
"""Engines that exist in hardware and as a model."""

_CHOICES = {"fetch_blocks": FETCH_BLOCKS, "stages": STAGES}
_RANGES = {"setup_cycles": SETUP_CYCLES, "read_latency": LATENCIES, "write_latency": LATENCIES,
           "stall_seed": range(1 << 32), "stall_mask": range(1 << 5), "stall_rate": range(1 << 8)}


@dataclass(frozen=True, slots=True)
class BenchSpec:
    """How a bench is set up, in values that JSON can carry: one spec, the same bench in both worlds.

    Raises InvalidRequest for a value that a bench cannot have.
    """

    engine: str = "padlock"
    quirks: int = int(Quirk.all())
    """Straps of the engine, bits of ``Quirk``."""
    fetch_blocks: int = 2
    """Blocks the engine fetches at a time: 1, 2, 4 or 8."""
    stages: int = 1
    """Blocks in flight in the core: 1, 2 or 14; on RTL a parameter of the build."""
    setup_cycles: int = 8
    """Cycles from acceptance to the first access, 0 to 65535."""
    read_latency: int = 1
    """Cycles from AR to the first R beat, 1 to 65535."""
    write_latency: int = 1
    """Cycles from the last W beat to B, 1 to 65535."""
    stall_seed: int = 0
    """Random back-pressure of the memory on RTL, 32 bits; 0 = none, cycles are exact."""
    stall_mask: int = 31
    """Channels with back-pressure: AR, R, AW, W, B from bit 0 on."""
    stall_rate: int = 64
    """Probability of a stall per channel and cycle, in 256ths, at most 255."""
    memory_bytes: int = DEFAULT_BYTES
    policy: str = "engine-state"
    """The driver's policy for loading keys."""
    handles: int = int(Quirk.all())
    """Quirks the driver works round."""

    def __post_init__(self) -> None:
        for name in (*_CHOICES, *_RANGES):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise InvalidRequest(f"{name} {value!r} is not a whole number")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InvalidRequest(f"{name} {getattr(self, name)}: choose one of "
                                     f"{', '.join(map(str, choices))}")
        for name, limits in _RANGES.items():
            if getattr(self, name) not in limits:
                raise InvalidRequest(f"{name} {getattr(self, name)}: from {limits[0]} to {limits[-1]}")

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> BenchSpec:
        """Raises InvalidRequest for a name that is not a field, and as the constructor does."""
        unknown = set(values) - {item.name for item in dataclasses.fields(cls)}
        if unknown:
            raise InvalidRequest(f"unknown bench settings: {', '.join(sorted(unknown))}")
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def watchdog(self, blocks: int) -> int:
        """Cycles after which a request of ``blocks`` blocks counts as hung on this bench."""
        bursts = blocks // 8 + 8
        return (generous_watchdog(blocks) + self.setup_cycles
                + (self.read_latency + self.write_latency) * bursts)


def _no_problems() -> list[str]:
    return []


@dataclass(slots=True)
class Bench:
    """What a job gets. ``on`` is ``model`` or ``rtl``; ``simulator`` is empty on the model."""

    kernel: Kernel
    memory: HostMemory
    cpus: list[Cpu]
    port: XcryptPort
    spec: BenchSpec = field(default_factory=BenchSpec)
    on: Literal["model", "rtl"] = "model"
    simulator: str = ""
    python_seconds: Callable[[], float] = time.perf_counter
    """A clock that runs while Python works; on RTL it stands still while the simulator runs."""
    problems: Callable[[], list[str]] = _no_problems
    """What the scoreboard and the protocol checker have complained about so far; nothing on the model."""

    def engine(self, name: str | None = None, **options: Any) -> PadlockDriver:
        """A new driver for the engine called ``name`` (default: the spec's); ``options`` win over the spec's.

        Without a ``watchdog`` among them it is the spec's, which a healthy engine never meets.

        Raises: InvalidRequest for an unknown name.
        """
        name = name or self.spec.engine
        if name not in ENGINES:
            raise InvalidRequest(f"unknown engine '{name}': choose one of {', '.join(ENGINES)}")
        settings: dict[str, Any] = {"policy": self.spec.policy, "handles": Quirk(self.spec.handles),
                                    "fetch_blocks": self.spec.fetch_blocks, "watchdog": self.spec.watchdog,
                                    **options}
        return PadlockDriver(self.port, self.memory, self.kernel, self.cpus[0], **settings)


def model_bench(spec: BenchSpec) -> Bench:
    """A bench with the transaction-level model of the engine; run jobs with ``bench.kernel.run``."""
    kernel, memory = Kernel(), HostMemory(spec.memory_bytes)
    model = PadlockModel(kernel, memory, quirks=Quirk(spec.quirks), fetch_blocks=spec.fetch_blocks,
                         setup_cycles=spec.setup_cycles, read_latency=spec.read_latency,
                         write_latency=spec.write_latency, stages=spec.stages)
    return Bench(kernel, memory, [Cpu(kernel)], model, spec)
