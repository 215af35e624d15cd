"""CBC of many streams at once: a serial mode that fills a parallel engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers
from pymodel.costs import HostWork
from pymodel.modes.keyed import scratch, spend_allocation
from pymodel.modes.messages import Message


async def encrypt_in_lockstep(engine: BlockEngine, key: Key, messages: Sequence[Message]) -> list[bytes]:
    """One engine call per block position. Nothing is written to a destination before all is done."""
    memory, size = engine.memory, engine.block_size
    order = sorted(range(len(messages)), key=lambda index: -len(messages[index].src))
    streams = [messages[index] for index in order]
    texts = [message.src.gather(memory).reshape(-1, size) for message in streams]
    chains = [np.frombuffer(message.iv, np.uint8) for message in streams]
    results = [np.empty_like(text) for text in texts]
    active = sum(1 for text in texts if len(text))
    if not active:
        return [bytes(message.iv) for message in messages]
    blocks_of_all = sum(len(text) for text in texts)
    await engine.host.spend(HostWork.REQUEST)
    await spend_allocation(engine, blocks_of_all * size)
    with scratch(engine, active * size) as blocks:
        await spend_allocation(engine, len(blocks))
        for position in range(len(texts[0])):
            active = sum(1 for text in texts[:active] if len(text) > position)
            await engine.host.spend(HostWork.XOR, active)
            mixed = [text[position] ^ chain
                     for text, chain in zip(texts[:active], chains[:active], strict=True)]
            here = blocks.part(0, active * size)
            here.scatter(memory, np.concatenate(mixed))
            await engine.ecb(key, here, here, decrypt=False)
            await engine.host.spend(HostWork.COPY, active)
            for index, block in enumerate(here.gather(memory).reshape(-1, size)):
                results[index][position] = chains[index] = block
    await engine.host.spend(HostWork.COPY, blocks_of_all)
    next_ivs = [b""] * len(messages)
    for index, message, result, chain in zip(order, streams, results, chains, strict=True):
        message.dst.scatter(memory, result.reshape(-1))
        next_ivs[index] = chain.tobytes()
    return next_ivs


async def decrypt_at_once(engine: BlockEngine, key: Key, messages: Sequence[Message]) -> list[bytes]:
    """One engine call, and an XOR pass. Where only some are in place the others are copied first, so that
    all are."""
    memory, size = engine.memory, engine.block_size
    chained = [np.concatenate([np.frombuffer(message.iv, np.uint8), message.src.gather(memory)])
               for message in messages]
    source = Buffers.joined(message.src for message in messages)
    destination = Buffers.joined(message.dst for message in messages)
    if not len(source):
        return [bytes(message.iv) for message in messages]
    await engine.host.spend(HostWork.REQUEST)
    if source.overlaps(destination):
        await spend_allocation(engine, len(source))
        await engine.host.spend(HostWork.COPY, len(source) // size)  # kept: the engine writes over it
        if not source.same_bytes(destination):
            await engine.host.spend(HostWork.COPY, len(source) // size)
            destination.scatter(memory, source.gather(memory))
            source = destination
    await engine.ecb(key, source, destination, decrypt=True)
    await engine.host.spend(HostWork.XOR, len(source) // size)
    mask = np.concatenate([chain[:-size] for chain in chained])
    destination.scatter(memory, destination.gather(memory) ^ mask)
    return [chain[-size:].tobytes() for chain in chained]
