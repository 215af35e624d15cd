"""How blocks move from source to destination in memory, also where these overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pymodel.block_engine import BLOCK_BYTES
from pymodel.engines import rijndael
from pymodel.engines.bursts import Piece, ReadBurst, WriteBurst
from pymodel.memory import HostMemory

Edges = NDArray[np.int64]


def move_blocks(memory: HostMemory, source: Sequence[Piece], destination: Sequence[Piece], blocks: int,
                schedule: rijndael.Bytes2d, decrypt: bool, *, reads: Sequence[ReadBurst],
                writes: Sequence[WriteBurst]) -> None:
    """Write the first ``blocks`` results of a request, all of which have their W beats in ``writes``.

    Where a destination lies in the source, a block may be read before or after the engine itself overwrote
    it; the edges tell.
    """
    if not blocks:
        return
    source, destination = cut(source, blocks), cut(destination, blocks)
    data = gather_blocks(memory, source)
    if overlapping(source, destination):
        fed_by = _feeding(source, destination, reads, writes)
        results = _chained(data, fed_by, schedule, decrypt)
    else:
        results = rijndael.cipher(schedule, data, decrypt)
    scatter_blocks(memory, destination, results)


def cut(pieces: Sequence[Piece], beats: int) -> list[Piece]:
    """The first ``beats`` of a stream."""
    kept: list[Piece] = []
    for address, length in pieces:
        if not beats:
            break
        kept.append((address, min(length, beats)))
        beats -= kept[-1][1]
    return kept


def gather_blocks(memory: HostMemory, pieces: Sequence[Piece]) -> rijndael.Bytes2d:
    """Copies of the blocks, (n, 16) uint8."""
    parts = [memory.bytes[address:address + beats * BLOCK_BYTES] for address, beats in pieces]
    return np.concatenate(parts).reshape(-1, BLOCK_BYTES)


def scatter_blocks(memory: HostMemory, pieces: Sequence[Piece], blocks: rijndael.Bytes2d) -> None:
    start = 0
    for address, beats in pieces:
        memory.bytes[address:address + beats * BLOCK_BYTES] = blocks[start:start + beats].reshape(-1)
        start += beats


def overlapping(source: Sequence[Piece], destination: Sequence[Piece]) -> bool:
    """Whether a result may be written where another block is still to be read; not so for equal lists."""
    if source == destination:
        return len(source) > 1 and _overlap(source)
    return _overlap([*source, *destination])


def _overlap(pieces: Sequence[Piece]) -> bool:
    ordered = sorted(pieces)
    return any(address + beats * BLOCK_BYTES > following
               for (address, beats), (following, _) in pairwise(ordered))


def _addresses(pieces: Sequence[Piece]) -> list[int]:
    return [address + BLOCK_BYTES * beat for address, beats in pieces for beat in range(beats)]


def _feeding(source: Sequence[Piece], destination: Sequence[Piece], reads: Sequence[ReadBurst],
             writes: Sequence[WriteBurst]) -> Edges:
    """For each block the index of the result that it is, or -1. Memory gives what it held before R."""
    read_at = _edges((burst.first, burst.beats) for burst in reads).tolist()
    written_at = _edges((burst.written(0), burst.beats) for burst in writes).tolist()
    written: dict[int, list[int]] = {}
    for index, address in enumerate(_addresses(destination)):
        written.setdefault(address, []).append(index)
    fed_by = np.full(len(_addresses(source)), -1, np.int64)
    for block, address in enumerate(_addresses(source)):
        for index in written.get(address, ()):
            if written_at[index] < read_at[block] - 1:
                fed_by[block] = index
    return fed_by


def _chained(data: rijndael.Bytes2d, fed_by: Edges, schedule: rijndael.Bytes2d,
             decrypt: bool) -> rijndael.Bytes2d:
    """In runs of blocks whose results depend on earlier runs only."""
    results = np.empty_like(data)
    start, blocks = 0, len(data)
    while start < blocks:
        later = np.flatnonzero(fed_by[start:] >= start)
        part = slice(start, start + int(later[0]) if len(later) else blocks)
        fed = fed_by[part] >= 0
        data[part][fed] = results[fed_by[part][fed]]
        results[part] = rijndael.cipher(schedule, data[part], decrypt)
        start = part.stop
    return results


def _edges(runs: Iterable[tuple[int, int]]) -> Edges:
    """The edges of all beats, from the first edge and the beats of each burst."""
    return np.concatenate([np.arange(first, first + beats) for first, beats in runs])
