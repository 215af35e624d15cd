"""Page faults of the host: how much of a scatter list it may read or write, in whole blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pymodel.buffers import Buffers
from pymodel.errors import EngineFault
from pymodel.memory import PAGE_BYTES, HostMemory

Access = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Reach:
    """``length`` bytes are accessible; if that is not all, a fault of ``kind`` at ``address`` follows."""

    length: int
    kind: str = ""
    address: int = 0

    def fault(self, access: Access, completed: int) -> EngineFault:
        return EngineFault(self.kind, self.address, completed, access=access)


def reach(memory: HostMemory, buffers: Buffers, access: Access, block: int) -> Reach:
    """How far the host gets from the start of ``buffers``, rounded down to whole blocks."""
    allowed = memory.readable if access == "read" else memory.writable
    position = 0
    for run in buffers.runs:
        address = run.address
        while address < run.end:
            done = position + address - run.address
            if address >= memory.size:
                return Reach(done - done % block, "bus", address)
            if not allowed[address // PAGE_BYTES]:
                return Reach(done - done % block, "page", address)
            address += PAGE_BYTES - address % PAGE_BYTES
        position += run.length
    return Reach(position)
