"""The XTS strategy ``batch``: many data units in two engine calls, one for their tweaks and one for their
data, and a third one for the blocks that ciphertext was stolen from, where there are any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from pymodel.block_engine import BlockEngine, Key
from pymodel.buffers import Buffers
from pymodel.costs import HostWork
from pymodel.memory import ByteArray
from pymodel.modes import tweaks
from pymodel.modes.keyed import scratch, spend_allocation
from pymodel.modes.messages import Message
from pymodel.modes.tweaks import TWEAK_BYTES


async def encrypted_tweaks(engine: BlockEngine, tweak_key: Key, numbers: Sequence[bytes]) -> ByteArray:
    """The first tweaks of data units with these 16-byte numbers, shape (units, 16), by one engine call.

    They are encrypted for decryption as well (IEEE 1619-2018 5.4.1).
    """
    with scratch(engine, len(numbers) * TWEAK_BYTES) as blocks:
        await spend_allocation(engine, len(blocks))
        blocks.scatter(engine.memory, b"".join(numbers))
        await engine.ecb(tweak_key, blocks, blocks, decrypt=False)
        return blocks.gather(engine.memory).reshape(-1, TWEAK_BYTES)


async def crypt_batch(engine: BlockEngine, data_key: Key, messages: Sequence[Message], firsts: ByteArray, *,
                      decrypt: bool) -> None:
    """``firsts``: the first tweak of each message, shape (messages, 16). Each has 16 bytes or more."""
    memory = engine.memory
    units = [_Unit(message.src.gather(memory)) for message in messages]
    _number(units, firsts, decrypt)
    mask = np.concatenate([unit.mask for unit in units])
    await spend_allocation(engine, len(mask))
    await engine.host.spend(HostWork.DOUBLING, sum(unit.tweaks for unit in units))
    await engine.host.spend(HostWork.COPY, len(mask) // TWEAK_BYTES)
    await engine.host.spend(HostWork.XOR, len(mask) // TWEAK_BYTES)
    whole = Buffers.joined(message.dst.part(0, unit.whole)
                           for message, unit in zip(messages, units, strict=True))
    whole.scatter(memory, np.concatenate([unit.text[:unit.whole] for unit in units]) ^ mask)
    await engine.ecb(data_key, whole, whole, decrypt=decrypt)
    await engine.host.spend(HostWork.XOR, len(mask) // TWEAK_BYTES)
    done = np.split(whole.gather(memory) ^ mask, list(accumulate(unit.whole for unit in units[:-1])))
    await _steal(engine, data_key, units, done, decrypt)
    Buffers.joined(message.dst for message in messages).scatter(memory, np.concatenate(done))


class _Unit:
    """One data unit: its text, the tweaks of its whole blocks, and that of the stolen one."""

    def __init__(self, text: ByteArray) -> None:
        self.text = text
        self.tail = len(text) % TWEAK_BYTES
        self.whole = len(text) - self.tail
        self.mask = self.stealing_tweak = text[:0]

    @property
    def tweaks(self) -> int:
        return -(-len(self.text) // TWEAK_BYTES)

    def take(self, sequence: ByteArray, decrypt: bool) -> None:
        """Its tweaks, in the order of the blocks they were made for. Decryption of a tail takes the last
        two out of order (IEEE 1619-2018 5.4.2)."""
        if not self.tail:
            self.mask = sequence
            return
        rows = sequence.reshape(-1, TWEAK_BYTES)
        last = [len(rows) - 1, len(rows) - 2] if decrypt else [len(rows) - 2, len(rows) - 1]
        self.mask = rows[[*range(len(rows) - 2), last[0]]].reshape(-1)
        self.stealing_tweak = rows[last[1]]


def _number(units: Sequence[_Unit], firsts: ByteArray, decrypt: bool) -> None:
    """Give every unit its tweaks; units with equally many get them at once."""
    groups: dict[int, list[int]] = defaultdict(list)
    for index, unit in enumerate(units):
        groups[unit.tweaks].append(index)
    for count, members in groups.items():
        for index, sequence in zip(members, tweaks.sequences(firsts[members], count), strict=True):
            units[index].take(sequence, decrypt)


async def _steal(engine: BlockEngine, data_key: Key, units: Sequence[_Unit], done: list[ByteArray],
                 decrypt: bool) -> None:
    """Replace the last whole block of every unit with a tail by block and tail."""
    stealing = [index for index, unit in enumerate(units) if unit.tail]
    if not stealing:
        return
    mask = np.concatenate([units[index].stealing_tweak for index in stealing])
    joined = np.concatenate([part for index in stealing for part in (
        units[index].text[units[index].whole:], done[index][units[index].tail - TWEAK_BYTES:])])
    with scratch(engine, len(mask)) as blocks:
        await spend_allocation(engine, len(blocks))
        await engine.host.spend(HostWork.XOR, len(stealing))
        blocks.scatter(engine.memory, joined ^ mask)
        await engine.ecb(data_key, blocks, blocks, decrypt=decrypt)
        await engine.host.spend(HostWork.XOR, len(stealing))
        last = (blocks.gather(engine.memory) ^ mask).reshape(-1, TWEAK_BYTES)
    for index, block in zip(stealing, last, strict=True):
        before, stolen = done[index][:-TWEAK_BYTES], done[index][-TWEAK_BYTES:]
        done[index] = np.concatenate([before, block, stolen[:units[index].tail]])
