"""CBC written by hand for one way of holding data, over contiguous data, iovecs or message blocks: what the
mode code of ``pymodel.modes`` is measured against. Nothing else uses it.

The repetition is the point: this is how mode code looks before it is factored out. A block may cross from one
piece of data to the next. What a cipher has of its own is the engine. A request without data is not
foreseen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers, Mblk, Piece
from pymodel.memory import ByteArray, HostMemory


async def encrypt_raw(engine: BlockEngine, key: Key, iv: bytes, source: Piece, destination: Piece,
                      block: int) -> None:
    """``block``: address of a block of scratch memory, in all of these."""
    memory, size, chain = engine.memory, engine.block_size, np.frombuffer(iv, np.uint8)
    scratch, there = Buffers.of(block, size), destination.address
    for here in range(source.address, source.end, size):
        memory.write(block, (_read(memory, here, size) ^ chain).tobytes())
        await engine.ecb(key, scratch, Buffers.of(there, size), decrypt=False)
        chain, there = _read(memory, there, size), there + size


async def decrypt_raw(engine: BlockEngine, key: Key, iv: bytes, source: Piece, destination: Piece) -> None:
    memory, size, there, length = engine.memory, engine.block_size, destination.address, destination.length
    chained = np.concatenate([np.frombuffer(iv, np.uint8), _read(memory, source.address, length)])
    await engine.ecb(key, Buffers.of(source.address, length), Buffers.of(there, length), decrypt=True)
    memory.write(there, (_read(memory, there, length) ^ chained[:-size]).tobytes())


async def encrypt_uio(engine: BlockEngine, key: Key, iv: bytes, source: Sequence[Piece],
                      destination: Sequence[Piece], block: int) -> None:
    memory, size, chain = engine.memory, engine.block_size, np.frombuffer(iv, np.uint8)
    scratch, position = Buffers.of(block, size), 0
    for _ in range(sum(piece.length for piece in source) // size):
        text = _gathered_uio(memory, _cut_uio(source, position, size))
        memory.write(block, (text ^ chain).tobytes())
        there = _cut_uio(destination, position, size)
        await engine.ecb(key, scratch, Buffers(there), decrypt=False)
        chain, position = _gathered_uio(memory, there), position + size


async def decrypt_uio(engine: BlockEngine, key: Key, iv: bytes, source: Sequence[Piece],
                      destination: Sequence[Piece]) -> None:
    memory, size = engine.memory, engine.block_size
    chained = np.concatenate([np.frombuffer(iv, np.uint8), _gathered_uio(memory, source)])
    await engine.ecb(key, Buffers(source), Buffers(destination), decrypt=True)
    text, position = _gathered_uio(memory, destination) ^ chained[:-size], 0
    for piece in destination:
        memory.write(piece.address, text[position:position + piece.length].tobytes())
        position += piece.length


async def encrypt_mblk(engine: BlockEngine, key: Key, iv: bytes, source: Mblk, destination: Mblk,
                       block: int) -> None:
    memory, size, chain = engine.memory, engine.block_size, np.frombuffer(iv, np.uint8)
    scratch, position = Buffers.of(block, size), 0
    for _ in range(sum(message.wptr - message.rptr for message in source) // size):
        text = _gathered_uio(memory, _cut_mblk(source, position, size))
        memory.write(block, (text ^ chain).tobytes())
        there = _cut_mblk(destination, position, size)
        await engine.ecb(key, scratch, Buffers(there), decrypt=False)
        chain, position = _gathered_uio(memory, there), position + size


async def decrypt_mblk(engine: BlockEngine, key: Key, iv: bytes, source: Mblk, destination: Mblk) -> None:
    memory = engine.memory
    text = np.concatenate([_read(memory, message.rptr, message.wptr - message.rptr) for message in source])
    chained = np.concatenate([np.frombuffer(iv, np.uint8), text])
    await engine.ecb(key, Buffers.mblk(source), Buffers.mblk(destination), decrypt=True)
    position = 0
    for message in destination:
        length = message.wptr - message.rptr
        there = _read(memory, message.rptr, length) ^ chained[position:position + length]
        memory.write(message.rptr, there.tobytes())
        position += length


def _read(memory: HostMemory, address: int, length: int) -> ByteArray:
    return np.frombuffer(memory.read(address, length), np.uint8)


def _gathered_uio(memory: HostMemory, pieces: Sequence[Piece]) -> ByteArray:
    return np.concatenate([_read(memory, piece.address, piece.length) for piece in pieces])


def _cut_uio(pieces: Sequence[Piece], position: int, length: int) -> list[Piece]:
    cut = []
    for piece in pieces:
        if position < piece.length and length:
            taken = min(piece.length - position, length)
            cut.append(Piece(piece.address + position, taken))
            position, length = 0, length - taken
        else:
            position -= min(position, piece.length)
    return cut


def _cut_mblk(message: Mblk | None, position: int, length: int) -> list[Piece]:
    cut = []
    while message is not None and length:
        available = message.wptr - message.rptr
        if position < available:
            taken = min(available - position, length)
            cut.append(Piece(message.rptr + position, taken))
            position, length = 0, length - taken
        else:
            position -= available
        message = message.cont
    return cut
