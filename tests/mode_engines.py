"""The engines under the modes in their tests."""

from __future__ import annotations

from padlock_bench import PadlockBench

from pymodel.drivers.padlock import PadlockDriver
from pymodel.drivers.software import SoftwareEngine
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory


def software(pages: int = 256, **options) -> SoftwareEngine:
    kernel = Kernel()
    return SoftwareEngine(HostMemory(pages * PAGE_BYTES), kernel, Cpu(kernel), **options)


def padlock() -> PadlockDriver:
    return PadlockBench(pages=256).driver()
