"""Machines by name: what host work costs there, and what their engine and memory are set to.

Each constant says what it means and where its value comes from: ``fitted`` to the cells of
``pymodel.published`` that are marked so, or else an estimate or a source. docs/timing.md shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pymodel.costs import HostCosts, HostWork
from pymodel.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Constant:
    """``value``: engine cycles, unless ``meaning`` says something else."""

    value: float
    meaning: str
    source: str
    fitted: bool = False

    @property
    def estimated(self) -> bool:
        """Nobody measured it."""
        return self.source.startswith("estimate")


@dataclass(frozen=True, slots=True)
class Profile:
    """``engine``: the one of the machine, or ``software``; None: any. ``host``: cycles for a unit of work.
    ``bench``: settings of a BenchSpec. ``hertz``: engine cycles a second, to tell time; None where cycles
    were published. ``request_bytes``: of the requests whose cost was fitted; None: it is that of any."""

    about: str
    engine: str | None = None
    host: Mapping[HostWork, Constant] = field(default_factory=dict)
    bench: Mapping[str, Constant] = field(default_factory=dict)
    hertz: Constant | None = None
    request_bytes: int | None = None

    def costs(self) -> HostCosts:
        return HostCosts({work: constant.value for work, constant in self.host.items()})

    def settings(self) -> dict[str, Any]:
        """For a BenchSpec, besides the name of the profile."""
        return {name: int(constant.value) for name, constant in self.bench.items()}

    def constants(self) -> dict[str, Constant]:
        """All of them by name."""
        named = {str(work): constant for work, constant in self.host.items()} | dict(self.bench)
        return named if self.hertz is None else named | {"hertz": self.hertz}


_KEY_LOAD_TABLE, _OVER_ECB, _THRESHOLD = "padlock-key-load", "xts-over-ecb", "qce-threshold"
_BUFFER = "xts-buffer"

_XOR = "a block XORed with another"
_DOUBLING = "a tweak doubled"
_COPY = "a block stored and loaded"
_ALLOCATION = "kmalloc and kfree"

_VIA_ESTIMATES = {
    HostWork.XOR: Constant(8, _XOR, "estimate: four words of 32 bits, each loaded twice, XORed and stored, "
                           "two operations a cycle"),
    HostWork.DOUBLING: Constant(10, _DOUBLING, "estimate: four words of 32 bits shifted with carry, and the "
                                "fold"),
    HostWork.COPY: Constant(4, _COPY, "estimate: four words of 32 bits, each loaded and stored, two "
                            "operations a cycle"),
    HostWork.ALLOCATION: Constant(500, _ALLOCATION, "estimate: the 157 ns of x86-2018 at some 3 GHz"),
    HostWork.CALL: Constant(0, "an xcrypt", "in setup_cycles: the table cannot tell them apart"),
    HostWork.KEY_LOAD: Constant(0, "a popf", "in read_latency, which is paid twice for each key load: the "
                                "table cannot tell them apart"),
}

NONE = "none"

PROFILES: Mapping[str, Profile] = {
    NONE: Profile("host work takes no time: what is left is the engine and the register accesses of its bus"),
    "via-2008": Profile(
        "a VIA with a PadLock under Linux 2.6, in cycles of its own clock, which is the engine's", "padlock",
        host={
            HostWork.REQUEST: Constant(512, "a request: the test's loop, the crypto API, the walk of it",
                                       _KEY_LOAD_TABLE, fitted=True),
            **_VIA_ESTIMATES,
        },
        bench={
            "setup_cycles": Constant(71, "from the call of the cipher to the engine's first access",
                                     _KEY_LOAD_TABLE, fitted=True),
            "read_latency": Constant(24, "of the memory, for reads", _KEY_LOAD_TABLE, fitted=True),
            "write_latency": Constant(24, "of the memory, for writes", "the same as for reads"),
        }),
    "via-nano-2010": Profile(
        "a VIA Nano with dm-crypt, which makes a request of each sector of 512 bytes", "padlock",
        host={
            HostWork.REQUEST: Constant(11_556, "a sector: file system, block layer, dm-crypt, the crypto API",
                                       _OVER_ECB, fitted=True),
            **_VIA_ESTIMATES,
        },
        bench={
            "setup_cycles": Constant(71, "from the call of the cipher to the engine's first access",
                                     "via-2008"),
            "read_latency": Constant(24, "of the memory, for reads", "via-2008"),
            "write_latency": Constant(24, "of the memory, for writes", "via-2008"),
        },
        hertz=Constant(1.2884e9, "cycles of CPU and engine in a second", _OVER_ECB, fitted=True),
        request_bytes=512),
    "ipq-2020": Profile(
        "an IPQ4019 with its QCE under Linux 5, in cycles of the engine's clock", "qce",
        host={
            HostWork.REQUEST: Constant(132.5, "a request: the test's loop, the crypto API", _THRESHOLD,
                                       fitted=True),
            HostWork.CALL: Constant(3944, "a request to the engine: what DMA and interrupt cost the host",
                                    _THRESHOLD, fitted=True),
            HostWork.REGISTER: Constant(25, "a register read or written, 200 ns",
                                        "estimate: an access that is not cached"),
            HostWork.MAPPED_BLOCK: Constant(11.18, "the cache cleaned and invalidated for 16 bytes, in and "
                                            "out", _THRESHOLD, fitted=True),
            HostWork.FALLBACK_CALL: Constant(0, "a call of AES in software",
                                             "in request: the table cannot tell them apart"),
            HostWork.FALLBACK_BLOCK: Constant(17.14, "a block of AES in software, without its rounds",
                                              _THRESHOLD, fitted=True),
            HostWork.FALLBACK_ROUND: Constant(9.85, "a round of AES in software", _THRESHOLD, fitted=True),
            HostWork.XOR: Constant(2.8, _XOR, "estimate: the 16 operations of via-2008, one a cycle of "
                                   "717 MHz"),
            HostWork.DOUBLING: Constant(3.5, _DOUBLING, "estimate: the 20 operations of via-2008, likewise"),
            HostWork.COPY: Constant(1.4, _COPY, "estimate: the 8 operations of via-2008, likewise"),
            HostWork.ALLOCATION: Constant(87, _ALLOCATION, "estimate: the 500 cycles of via-2008, likewise"),
        },
        bench={
            "slow_start_cycles": Constant(64, "SLOW_START",
                                          "the bench's own; what else a request waits for is in call"),
        },
        hertz=Constant(125e6, "cycles of the engine in a second",
                       "Linux, drivers/clk/qcom/gcc-ipq4019.c: gcc_crypto_clk is fepll125")),
    "x86-2018": Profile(
        "a PC whose CPU has AES instructions; a cycle is a nanosecond, because nanoseconds were published",
        "software",
        host={
            HostWork.REQUEST: Constant(296, "a request: the crypto API, the walk, the calls of the cipher",
                                       _BUFFER, fitted=True),
            HostWork.XOR: Constant(0.5, _XOR, "estimate: one operation of 128 bits"),
            HostWork.DOUBLING: Constant(1.1, _DOUBLING, _BUFFER, fitted=True),
            HostWork.COPY: Constant(2.3, "a tweak stored in the buffer and loaded", _BUFFER, fitted=True),
            HostWork.ALLOCATION: Constant(157, "kmalloc and kfree of the buffer", _BUFFER, fitted=True),
            HostWork.FALLBACK_ROUND: Constant(0.3, "a round of a block by the AES instructions",
                                              _BUFFER, fitted=True),
            HostWork.FALLBACK_CALL: Constant(0, "a call of AES", "in request: the table cannot tell them "
                                             "apart"),
            HostWork.FALLBACK_BLOCK: Constant(0, "a block without its rounds", "in fallback_round: the load "
                                              "and the store are among its instructions"),
        },
        hertz=Constant(1e9, "nanoseconds in a second", "by definition")),
}
"""By name, the default one first."""


def profile_named(name: str) -> Profile:
    """Raises InvalidRequest for one that does not exist."""
    if name not in PROFILES:
        raise InvalidRequest(f"unknown profile '{name}': choose one of {', '.join(PROFILES)}")
    return PROFILES[name]
