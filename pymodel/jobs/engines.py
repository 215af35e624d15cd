"""The engines by name: which model, driver, watchdog and tops belong to each is said here alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.costs import Host
from pymodel.drivers.padlock import PadlockDriver
from pymodel.drivers.padlock_engine import generous_watchdog
from pymodel.drivers.qce import QceDriver
from pymodel.engines.padlock_cpus import PadlockCpus
from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.ports import RegisterPort, XcryptPort
from pymodel.engines.qce import MAX_DESCRIPTORS
from pymodel.engines.qce_model import QceModel
from pymodel.engines.quirks import Quirk
from pymodel.jobs.profiles import PROFILES
from pymodel.kernel import Kernel
from pymodel.memory import HostMemory

if TYPE_CHECKING:
    from pymodel.jobs.bench import Bench
    from pymodel.jobs.bench_spec import BenchSpec

Port = XcryptPort | RegisterPort


class Driver(BlockEngine, Protocol):
    """What jobs use of an engine's driver."""

    async def reset(self) -> None:
        """Reset the engine; a request in flight ends in EngineHang."""


class Model(Protocol):
    """What a bench sets of an engine's model besides using it as a port."""

    read_latency: int
    write_latency: int
    read_bus_errors: set[int]
    write_bus_errors: set[int]


@dataclass(frozen=True, slots=True)
class EngineKind:
    """An engine that exists in hardware and as a model.

    ``top``: the module it is simulated in; ``plain``: the one that needs no
    Python. ``model``: makes its model. ``driver``: makes a driver on a bench; the options win over the
    bench's spec. ``watchdog``: cycles after which a request counts as hung, in the driver's own unit.
    """

    top: str
    plain: str
    model: Callable[[Kernel, HostMemory, BenchSpec], Port]
    driver: Callable[[Bench, dict[str, Any]], Driver]
    watchdog: Callable[[BenchSpec, int], int]


def host_of(bench: Bench) -> Host:
    """The bench's first CPU, with the costs of its profile."""
    return Host(bench.cpus[0], bench.kernel, PROFILES[bench.spec.profile].costs())


def _padlock_model(kernel: Kernel, memory: HostMemory, spec: BenchSpec) -> PadlockModel | PadlockCpus:
    models = [PadlockModel(kernel, memory, quirks=Quirk(spec.quirks), fetch_blocks=spec.fetch_blocks,
                           setup_cycles=spec.setup_cycles, read_latency=spec.read_latency,
                           write_latency=spec.write_latency, stages=spec.stages) for _ in range(spec.cpus)]
    return models[0] if spec.cpus == 1 else PadlockCpus(models)


def _padlock_driver(bench: Bench, options: dict[str, Any]) -> PadlockDriver:
    spec = bench.spec
    settings: dict[str, Any] = {"policy": spec.policy, "handles": Quirk(spec.handles),
                                "fetch_blocks": spec.fetch_blocks, "watchdog": bench.watchdog,
                                "host": host_of(bench), **options}
    port = cast(XcryptPort, bench.port)
    return PadlockDriver(port, bench.memory, bench.kernel, bench.cpus[0], **settings)


def _padlock_watchdog(spec: BenchSpec, blocks: int) -> int:
    """``blocks``: of one instruction."""
    bursts = blocks // 8 + 8
    return generous_watchdog(blocks) + spec.setup_cycles + (spec.read_latency + spec.write_latency) * bursts


def _qce_model(kernel: Kernel, memory: HostMemory, spec: BenchSpec) -> QceModel:
    return QceModel(kernel, memory, quirks=Quirk(spec.quirks), slow_start_cycles=spec.slow_start_cycles,
                    read_latency=spec.read_latency, write_latency=spec.write_latency, stages=spec.stages)


def _qce_driver(bench: Bench, options: dict[str, Any]) -> QceDriver:
    spec = bench.spec
    settings: dict[str, Any] = {"handles": Quirk(spec.handles), "aes_sw_max_len": spec.aes_sw_max_len,
                                "watchdog": bench.watchdog, "host": host_of(bench), **options}
    return QceDriver(cast(RegisterPort, bench.port), bench.memory, bench.kernel, bench.cpus[0], **settings)


def _qce_watchdog(spec: BenchSpec, length: int) -> int:
    """``length``: bytes of one request, which may lie in a burst for each block.

    Each block and its bursts wait on five channels, and as long as a random number is unlucky.
    """
    blocks = -(-length // BLOCK_BYTES)
    stalled = 20 * 256 // (256 - spec.stall_rate) * (blocks + 64) if spec.stall_seed else 0
    bursts = blocks + 2 * MAX_DESCRIPTORS
    return (4_000 + 32 * blocks + spec.slow_start_cycles + (spec.read_latency + spec.write_latency) * bursts
            + stalled)


KINDS: Mapping[str, EngineKind] = {
    "padlock": EngineKind("padlock_top", "padlock_plain", _padlock_model, _padlock_driver, _padlock_watchdog),
    "qce": EngineKind("qce_top", "qce_plain", _qce_model, _qce_driver, _qce_watchdog),
}
"""Every engine by its name, the default one first."""

ENGINES = tuple(KINDS)
"""Engines that exist in hardware and as a model."""
