"""The memory of a QCE request besides its data: two lists, the result dump, bounce buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines.qce import DESCRIPTOR_BYTES, DUMP_BYTES, MAX_DESCRIPTORS
from pymodel.errors import EngineLost
from pymodel.memory import HostMemory

LIST_BYTES = MAX_DESCRIPTORS * DESCRIPTOR_BYTES


@dataclass(frozen=True, slots=True)
class Work:
    """Addresses. In place both sides have the same bounce buffer."""

    source_list: int
    destination_list: int
    dump: int
    source_bounce: int
    destination_bounce: int

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Of lists and dump, as (address, length)."""
        yield self.source_list, LIST_BYTES
        yield self.destination_list, LIST_BYTES
        yield self.dump, DUMP_BYTES


@contextmanager
def work_memory(memory: HostMemory, bounces: Sequence[int], *, in_place: bool) -> Iterator[Work]:
    """Memory for a request whose parts bounce at most ``bounces`` bytes, of source and of destination.

    Freed at the end, unless an engine that could not be reset may still write there. Raises OutOfMemory.
    """
    sizes = [LIST_BYTES, LIST_BYTES, DUMP_BYTES, *([max(bounces)] if in_place else bounces)]
    taken: list[int] = []
    try:
        for size in sizes:
            taken.append(memory.allocate(size, BLOCK_BYTES) if size else 0)
        yield Work(taken[0], taken[1], taken[2], taken[3], taken[-1])
    except EngineLost:
        taken.clear()
        raise
    finally:
        for address in filter(None, reversed(taken)):  # so that the next request gets the same again
            memory.free(address)
