"""A PadLock that does something wrong once."""

from __future__ import annotations

from pymodel.drivers.padlock import PadlockDriver


def disturbed(monkeypatch, call, disturb):
    """The engine does ``disturb(engine, src, dst)`` after its request number ``call``."""
    right, calls = PadlockDriver.ecb, []

    async def ecb(self, key, src, dst, *, decrypt):
        await right(self, key, src, dst, decrypt=decrypt)
        calls.append(len(src))
        if len(calls) == call:
            disturb(self, src, dst)

    monkeypatch.setattr(PadlockDriver, "ecb", ecb)


def flip_a_bit(engine, _src, dst):
    data = bytearray(dst.read(engine.memory))
    data[37] ^= 4
    dst.scatter(engine.memory, bytes(data))
