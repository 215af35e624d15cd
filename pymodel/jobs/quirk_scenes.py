"""What demonstrations of quirks are made of, whatever the engine: the result of a scene in a few words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.buffers import Buffers
from pymodel.engines.quirks import Quirk
from pymodel.jobs.bench import Bench

RIGHT = "right"
KEY_A = bytes(range(32))
KEY_B = bytes(range(100, 132))
DATA = bytes((37 * i + 11) & 255 for i in range(24 * BLOCK_BYTES))

Scene = Callable[[Bench, Quirk], Awaitable[str]]
"""Plays the scene with a driver that handles these quirks; returns what came out, in a few words."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """``failure``: what the scene must return with the naive driver. ``strap``: whether there is one."""

    quirk: Quirk
    scene: Scene
    failure: str
    strap: bool = True


async def encrypt(bench: Bench, engine: BlockEngine, key: bytes, data: bytes) -> bytes:
    """Out of place, in aligned memory."""
    memory, own = bench.memory, engine.key(key)
    src, dst = memory.allocate(len(data)), memory.allocate(len(data))
    memory.write(src, data)
    try:
        await engine.ecb(own, Buffers.of(src, len(data)), Buffers.of(dst, len(data)), decrypt=False)
        return memory.read(dst, len(data))
    finally:
        memory.free(src)
        memory.free(dst)
        engine.release(own)


def judged(out: bytes, key: bytes, data: bytes) -> str:
    return RIGHT if out == golden.ecb_encrypt(key, data) else "wrong data"


async def unaligned(bench: Bench, handles: Quirk) -> str:
    """Source and destination at odd addresses."""
    memory, engine = bench.memory, bench.engine(handles=handles)
    area = memory.allocate(2 * len(DATA) + 64)
    src, dst = Buffers.of(area + 3, len(DATA)), Buffers.of(area + len(DATA) + 25, len(DATA))
    src.scatter(memory, DATA)
    try:
        await engine.ecb(engine.key(KEY_A[:16]), src, dst, decrypt=False)
        return judged(dst.read(memory), KEY_A[:16], DATA)
    finally:
        memory.free(area)
