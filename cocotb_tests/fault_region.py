"""Source and destination beside pages that can be closed, for tests of faults on any engine."""

import pytest

from cocotb_tests.env.bench import RtlBench
from pymodel.buffers import Buffers
from pymodel.errors import EngineFault
from pymodel.memory import PAGE_BYTES

READS, WRITES = 1, 2


def data_of(blocks: int) -> bytes:
    return bytes((37 * i + 11) & 255 for i in range(16 * blocks))


class Region:
    """Source and destination of ``blocks`` blocks, or one of both; block ``cut`` begins a page."""

    def __init__(self, bench: RtlBench, blocks: int, cut: int, in_place: bool) -> None:
        self.memory, self.data = bench.memory, data_of(blocks)
        self.areas = [self.memory.allocate_pages(2) for _ in range(1 if in_place else 2)]
        starts = [area + PAGE_BYTES - 16 * cut for area in self.areas]
        self.src, self.dst = (Buffers.of(start, len(self.data)) for start in (starts[0], starts[-1]))
        self.memory.write(starts[0], self.data)
        self.boundary = {"read": self.areas[0] + PAGE_BYTES, "write": self.areas[-1] + PAGE_BYTES}

    def close(self, access: str, open_again: bool = False) -> None:
        self.memory.protect(self.boundary[access], PAGE_BYTES, readable=open_again or access == "write",
                            writable=open_again or access == "read")

    def free(self) -> None:
        for area in self.areas:
            self.memory.free(area)


async def fault_of(request) -> EngineFault:
    with pytest.raises(EngineFault) as raised:
        await request
    return raised.value
