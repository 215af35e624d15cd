"""The modes over the software engine, scattered and in place, against golden and `cryptography`."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers import modes as standard
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory
from pymodel.modes import Cbc, Ctr, Ecb, Xts

KEY_SIZES = {"ecb": (16, 24, 32), "cbc": (16, 24, 32), "ctr": (16, 24, 32), "xts": (32, 48, 64)}
LENGTHS = {
    "ecb": [*range(0, 80, 16), 4096, 4112],
    "cbc": [*range(0, 80, 16), 512, 4112],
    "ctr": [*range(71), 1000, 4095, 4097],
    "xts": [*range(16, 71), 512, 1000, 4096, 4111],
}
CASES = [(mode, size) for mode, sizes in KEY_SIZES.items() for size in sizes]


@pytest.fixture
def engine():
    kernel = Kernel()
    return SoftwareEngine(HostMemory(128 * 4096), kernel, Cpu(kernel))


def request(engine, mode, key, iv, layout, *, encrypt, strategy="two-pass"):
    """Run one request; returns the IV to go on with, or None."""
    src, dst = layout.src, layout.dst

    async def run():
        if mode == "xts":
            with Xts(engine, key, strategy=strategy) as xts:
                return await (xts.encrypt if encrypt else xts.decrypt)(iv, src, dst)
        with {"ecb": Ecb, "cbc": Cbc, "ctr": Ctr}[mode](engine, key) as cipher:
            call = cipher.encrypt if encrypt else cipher.decrypt
            return await (call(src, dst) if mode == "ecb" else call(iv, src, dst))

    return engine.kernel.run(run())


def by_cryptography(mode, key, iv, data, *, encrypt):
    """None where the library refuses: XTS with 48-byte keys."""
    if mode == "xts" and len(key) == 48:
        return None
    chosen = {"ecb": lambda: standard.ECB(), "cbc": lambda: standard.CBC(iv),
              "ctr": lambda: standard.CTR(iv), "xts": lambda: standard.XTS(iv)}[mode]()
    cipher = Cipher(algorithms.AES(key), chosen)
    context = cipher.encryptor() if encrypt else cipher.decryptor()
    return context.update(data) + context.finalize()


@pytest.mark.parametrize("in_place", [False, True], ids=["apart", "in-place"])
@pytest.mark.parametrize("largest", [None, 1, 7, 40, 1500],
                         ids=["one-piece", "1-byte", "7-byte", "40-byte", "large"])
@pytest.mark.parametrize(("mode", "key_bytes"), CASES)
def test_every_length_gives_the_bytes_of_both_references(engine, mode, key_bytes, largest, in_place):
    seed = f"{mode}/{key_bytes}/{largest}/{in_place}"
    rng = seeded(seed)
    for length in LENGTHS[mode]:
        if length > 600 and largest is not None and largest < 40:
            continue
        key, iv, data = rng.randbytes(key_bytes), rng.randbytes(16), rng.randbytes(length)
        for encrypt in (True, False):
            layout = Layout(engine.memory, rng, data, in_place=in_place, largest=largest)
            next_iv = request(engine, mode, key, iv, layout, encrypt=encrypt)
            expected, expected_iv = golden.crypt(mode, key, iv, data, encrypt=encrypt)
            where = f"seed {seed!r}, {length} bytes, {encrypt=}"
            assert layout.result() == expected, where
            second = by_cryptography(mode, key, iv, data, encrypt=encrypt)
            assert second in (None, expected), where
            assert layout.untouched_elsewhere(), where
            if mode in ("cbc", "ctr"):
                assert next_iv == expected_iv, where
            layout.free()


@pytest.mark.parametrize("largest", [None, 1, 40])
@pytest.mark.parametrize("in_place", [False, True])
def test_both_xts_strategies_give_the_same_bytes(engine, in_place, largest):
    rng = seeded(in_place, largest)
    for length in [*range(16, 66), 300]:
        key, tweak, data = rng.randbytes(64), rng.randbytes(16), rng.randbytes(length)
        for encrypt in (True, False):
            results = []
            for strategy in ("two-pass", "per-block"):
                layout = Layout(engine.memory, rng, data, in_place=in_place, largest=largest)
                request(engine, "xts", key, tweak, layout, encrypt=encrypt, strategy=strategy)
                assert layout.untouched_elsewhere()
                results.append(layout.result())
                layout.free()
            assert results[0] == results[1] == golden.crypt("xts", key, tweak, data, encrypt=encrypt)[0]


def test_32_bytes_in_two_pieces_of_16_do_not_restart_the_tweak(engine):
    """The walk-step bug of the XTS patches of 2010."""
    base = engine.memory.allocate(4096)
    data = bytes(range(32))
    engine.memory.write(base, data[:16])
    engine.memory.write(base + 100, data[16:])
    pieces = Buffers([(base, 16), (base + 100, 16)])
    xts = Xts(engine, bytes(range(32)))
    engine.kernel.run(xts.encrypt(bytes(16), pieces, pieces))
    assert pieces.read(engine.memory) == golden.xts_encrypt(bytes(range(32)), bytes(16), data)


@pytest.mark.parametrize(("mode", "key_bytes"), CASES)
def test_a_request_leaves_no_memory_allocated(mode, key_bytes):
    kernel = Kernel()
    engine = SoftwareEngine(HostMemory(8 * 4096), kernel, Cpu(kernel))
    everything = 7 * 4096
    layout = Layout(engine.memory, random.Random(1), bytes(160), in_place=True, largest=None)
    for encrypt in (True, False):
        request(engine, mode, bytes(range(key_bytes)), bytes(16), layout, encrypt=encrypt)
    layout.free()
    assert engine.memory.allocate(everything) == 4096
