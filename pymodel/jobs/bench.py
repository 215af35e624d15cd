"""The bench a job works on: kernel, memory, host processors, and an engine, on the model or on the RTL."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pymodel.errors import InvalidRequest
from pymodel.jobs.bench_spec import BenchSpec
from pymodel.jobs.engines import KINDS, Driver, EngineKind, Model, Port
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory

Report = Callable[[dict[str, Any]], None]
"""Takes the lines a job produces on its way: dicts with a ``kind``, as progress, row, case or failure."""


def _no_problems() -> list[str]:
    return []


@dataclass
class Bench(ABC):
    """What a job gets. ``on`` is ``model`` or ``rtl``; ``simulator`` is empty on the model."""

    kernel: Kernel
    memory: HostMemory
    cpus: list[Cpu]
    port: Port
    spec: BenchSpec
    on: Literal["model", "rtl"] = "model"
    simulator: str = ""
    python_seconds: Callable[[], float] = time.process_time
    """CPU time of Python; on RTL it stands still while the simulator runs."""
    problems: Callable[[], list[str]] = _no_problems
    """What the scoreboard and the protocol checker have complained about so far; nothing on the model."""

    @property
    def kind(self) -> EngineKind:
        """All that depends on which engine it is."""
        return KINDS[self.spec.engine]

    def engine(self, **options: Any) -> Driver:
        """A new driver for the engine; ``options`` win over the spec's.

        Without a ``watchdog`` among them it is the bench's, which a healthy engine never meets.
        Raises: InvalidRequest for an option that the driver refuses.
        """
        return self.kind.driver(self, options)

    def watchdog(self, amount: int) -> int:
        """Cycles after which a request counts as hung on this bench as it is now.

        ``amount``: blocks for the PadLock, bytes for the QCE.
        """
        return self.kind.watchdog(self.spec, amount)

    def set_latency(self, *, read: int = 1, write: int = 1) -> None:
        """Of the memory, in cycles, from the next request on; the drivers' watchdogs wait as long.

        Raises: InvalidRequest for a latency that cannot be.
        """
        spec = replace(self.spec, read_latency=read, write_latency=write)
        self._change_latency(read, write)
        self.spec = spec

    def inject_bus_error(self, address: int | None, *, reads: bool = False, writes: bool = False) -> None:
        """Answer reads, writes or both of the 16-byte beat at ``address`` with a bus error; None ends it.

        Raises: InvalidRequest when it is neither of reads nor of writes.
        """
        if address is not None and not (reads or writes):
            raise InvalidRequest("a bus error of reads, of writes, or of both?")
        beat: set[int] = set() if address is None else {address}
        self._change_bus_errors(beat if reads else set(), beat if writes else set())

    @abstractmethod
    def _change_latency(self, read: int, write: int) -> None: ...

    @abstractmethod
    def _change_bus_errors(self, reads: set[int], writes: set[int]) -> None:
        """Each set holds at most one address, the same in both."""


class ModelBench(Bench):
    """A bench whose port is the transaction-level model."""

    @property
    def _model(self) -> Model:
        return cast(Model, self.port)

    def _change_latency(self, read: int, write: int) -> None:
        self._model.read_latency, self._model.write_latency = read, write

    def _change_bus_errors(self, reads: set[int], writes: set[int]) -> None:
        for mine, theirs in ((self._model.read_bus_errors, reads), (self._model.write_bus_errors, writes)):
            mine.clear()
            mine.update(theirs)


def model_bench(spec: BenchSpec) -> ModelBench:
    """A bench with the transaction-level model of the engine; run jobs with ``bench.kernel.run``."""
    kernel, memory = Kernel(), HostMemory(spec.memory_bytes)
    return ModelBench(kernel, memory, [Cpu(kernel)], KINDS[spec.engine].model(kernel, memory, spec), spec)
