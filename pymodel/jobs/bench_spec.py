"""How a bench is set up, in values that JSON can carry."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pymodel.drivers.policies import POLICIES
from pymodel.engines.padlock import CPUS, FETCH_BLOCKS, LATENCIES, SETUP_CYCLES, STAGES
from pymodel.engines.quirks import Quirk
from pymodel.errors import InvalidRequest
from pymodel.jobs.ciphers import STRATEGIES
from pymodel.jobs.engines import ENGINES
from pymodel.jobs.profiles import NONE, PROFILES, profile_named
from pymodel.memory import DEFAULT_BYTES, PAGE_BYTES

_QUIRKS = range(int(Quirk.all()) + 1)
_ADDRESSES = 1 << 32

_NAMES: Mapping[str, Collection[str]] = {"engine": ENGINES, "policy": POLICIES, "strategy": STRATEGIES,
                                         "profile": PROFILES}
_CHOICES = {"fetch_blocks": FETCH_BLOCKS, "stages": STAGES, "cpus": CPUS}
_RANGES = {
    "quirks": _QUIRKS, "handles": _QUIRKS, "setup_cycles": SETUP_CYCLES, "slow_start_cycles": range(1 << 16),
    "read_latency": LATENCIES, "write_latency": LATENCIES, "stall_seed": range(1 << 32),
    "stall_mask": range(1 << 5), "stall_rate": range(1 << 8), "aes_sw_max_len": range(_ADDRESSES),
    "memory_bytes": range(PAGE_BYTES, _ADDRESSES + 1),
}


@dataclass(frozen=True, slots=True)
class BenchSpec:
    """One spec, the same bench on the model and on RTL. Settings of the other engine are without effect.

    Raises InvalidRequest for a value that a bench cannot have.
    """

    engine: str = ENGINES[0]
    quirks: int = int(Quirk.all())
    """Straps of the engine, bits of ``Quirk``."""
    stages: int = 1
    """Blocks in flight in the core: 1, 2 or 14; on RTL a parameter of the build."""
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
    """A multiple of 4096; on RTL what the top has."""
    handles: int = int(Quirk.all())
    """Quirks the driver works round."""
    strategy: str = STRATEGIES[0]
    """How XTS is done."""
    profile: str = NONE
    """What host work costs, by the name of a machine; ``of`` takes over its other settings as well."""

    fetch_blocks: int = 2
    """PadLock: blocks the engine fetches at a time, 1, 2, 4 or 8."""
    setup_cycles: int = 8
    """PadLock: cycles from acceptance to the first access, 0 to 65535."""
    cpus: int = 1
    """PadLock: 1 or 2, each with an engine; on RTL a parameter of the build."""
    policy: str = "engine-state"
    """PadLock: the driver's policy for loading keys."""

    slow_start_cycles: int = 64
    """QCE: cycles that SLOW_START adds to each request, 0 to 65535."""
    aes_sw_max_len: int = 0
    """QCE: bytes up to which the driver computes in software; 0 = everything goes to the engine."""

    def __post_init__(self) -> None:
        for name, names in _NAMES.items():
            value = getattr(self, name)
            if value not in tuple(names):
                raise InvalidRequest(f"unknown {name} '{value}': choose one of {', '.join(names)}")
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
        if self.memory_bytes % PAGE_BYTES:
            raise InvalidRequest(f"memory_bytes {self.memory_bytes}: a multiple of {PAGE_BYTES}")

    @classmethod
    def of(cls, profile: str, **settings: Any) -> BenchSpec:
        """The bench of a machine, with its engine and all its settings; ``settings`` win over them.

        Raises InvalidRequest, as the constructor does.
        """
        machine = profile_named(profile)
        engine = {"engine": machine.engine} if machine.engine in ENGINES else {}
        return cls(**{**engine, **machine.settings(), **settings, "profile": profile})

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> BenchSpec:
        """Raises InvalidRequest for a name that is not a field, and as the constructor does."""
        unknown = set(values) - {item.name for item in dataclasses.fields(cls)}
        if unknown:
            raise InvalidRequest(f"unknown bench settings: {', '.join(sorted(unknown))}")
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)
