"""The quirks of the QCE, one scene each."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers
from pymodel.drivers.qce import QceDriver
from pymodel.engines.ports import RegisterPort
from pymodel.engines.qce import UNIT_BYTES, key_words
from pymodel.engines.qce_registers import READABLE, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault, EngineHang, InvalidRequest
from pymodel.jobs.bench import Bench
from pymodel.jobs.quirk_scenes import DATA, KEY_A, KEY_B, RIGHT, Demonstration, encrypt, judged, unaligned
from pymodel.modes import Xts

HANGING_LENGTHS = (528, 768, 4112)
"""Over 512 bytes, and no multiples of it."""
_TWEAK = bytes(range(200, 216))
_NONCE = bytes(range(12))
_HANGS = "each hangs in WAIT_UNIT after its last whole 512 bytes"
_SHORT_KEY = "AES-128 with the first 16 bytes"
_LATE = "starts slowly"
_TAG_LOST = "the dump overwrites the tag"
_OTHER_KEY = "encrypted with the other master's key"


def _driver(bench: Bench, handles: Quirk, **options: int) -> QceDriver:
    return cast(QceDriver, bench.engine(handles=handles, **options))


def _hang(error: EngineHang, done: int) -> str:
    """Where it hangs; the whole message if it does not name registers, state and descriptors."""
    names = {register.name for register in READABLE}
    for side in ("source", "destination"):
        names |= {f"{side}_descriptor", f"{side}_address", f"{side}_size"}
    if names - set(error.state) or error.state["BYTES_DONE"] != done:
        return str(error)
    return f"hangs in {error.state['CRYPTO_STATE']} after {done} bytes"


async def _length_512_hang(bench: Bench, handles: Quirk) -> str:
    """ECB and XTS of lengths that are over 512 and no multiples of it."""
    engine = _driver(bench, handles)
    ends = []
    for length in HANGING_LENGTHS:
        data = (DATA * (length // len(DATA) + 1))[:length]
        done = length // UNIT_BYTES * UNIT_BYTES
        for mode in (_ecb, _xts):
            try:
                end = await mode(bench, engine, data)
            except EngineHang as hang:
                end = _hang(hang, done)
            ends.append(_HANGS if end == f"hangs in WAIT_UNIT after {done} bytes" else end)
    return ends[0] if len(set(ends)) == 1 else "; ".join(ends)


async def _ecb(bench: Bench, engine: QceDriver, data: bytes) -> str:
    return judged(await encrypt(bench, engine, KEY_A[:16], data), KEY_A[:16], data)


async def _xts(bench: Bench, engine: QceDriver, data: bytes) -> str:
    with Xts(engine, KEY_A + KEY_B) as xts:
        out = await xts.encrypt_bytes(_TWEAK, data)
    return RIGHT if out == golden.xts_encrypt(KEY_A + KEY_B, _TWEAK, data) else "wrong data"


async def _zero_length_hang(bench: Bench, handles: Quirk) -> str:
    engine, nothing = _driver(bench, handles), Buffers([])
    try:
        await engine.ecb(engine.key(KEY_A), nothing, nothing, decrypt=False)
    except EngineHang as hang:
        return _hang(hang, 0)
    return RIGHT


async def _partial_block_hang(bench: Bench, handles: Quirk) -> str:
    """Two blocks and a half. It passes when it is refused, by driver or engine, and nothing is written."""
    memory, engine, length = bench.memory, _driver(bench, handles), 5 * BLOCK_BYTES // 2
    area = memory.allocate(6 * BLOCK_BYTES)
    src, dst = Buffers.of(area, 3 * BLOCK_BYTES), Buffers.of(area + 3 * BLOCK_BYTES, 3 * BLOCK_BYTES)
    src.scatter(memory, DATA[:len(src)])
    dst.scatter(memory, bytes(len(dst)))
    try:
        await engine.submit(engine.key(KEY_A), src, dst, length, decrypt=False)
        return "accepted"
    except EngineHang as hang:
        return _hang(hang, length // BLOCK_BYTES * BLOCK_BYTES)
    except (InvalidRequest, EngineFault):
        return RIGHT if dst.read(memory) == bytes(len(dst)) else "refused, but something was written"
    finally:
        memory.free(area)


async def _no_aes192(bench: Bench, handles: Quirk) -> str:
    key = KEY_A[:24]
    out = await encrypt(bench, _driver(bench, handles), key, DATA)
    return _SHORT_KEY if out == golden.ecb_encrypt(key[:16], DATA) else judged(out, key, DATA)


async def _slow_start(bench: Bench, handles: Quirk) -> str:
    """A short request, and the same once more without the strap: it must not have taken longer.

    Meanwhile the key is expanded, so that what is lost are some cycles less than ``slow_start_cycles``.
    """
    straps, engine = bench.port.quirks, _driver(bench, handles, aes_sw_max_len=UNIT_BYTES)
    spent = []
    for quirks in (straps, straps & ~Quirk.SLOW_START):
        bench.port.quirks = quirks
        await bench.port.reset()
        before = engine.counters.copy()
        verdict = judged(await encrypt(bench, engine, KEY_A, DATA), KEY_A, DATA)
        if verdict != RIGHT:
            return verdict
        spent.append(engine.counters.since(before).engine_cycles)
    late = spent[0] - spent[1]
    return RIGHT if not late else _LATE if 0 < late <= bench.spec.slow_start_cycles else f"{late} cycles late"


async def _dump_follows_data(bench: Bench, handles: Quirk) -> str:
    """GCM as Linux does it: the tag lies behind the data, and the scatter list has both."""
    memory, engine, plaintext = bench.memory, _driver(bench, handles), DATA
    ciphertext, tag = golden.gcm_encrypt(KEY_A, _NONCE, plaintext, b"")
    numbers = range(2, 2 + len(DATA) // BLOCK_BYTES)
    counters = b"".join(_NONCE + number.to_bytes(4, "big") for number in numbers)
    area = memory.allocate(len(counters) + len(tag))
    whole = Buffers.of(area, len(counters) + len(tag))
    whole.scatter(memory, counters + tag)
    try:
        await engine.submit(engine.key(KEY_A), whole, whole, len(counters), decrypt=False)
        found = whole.read(memory)
    finally:
        memory.free(area)
    stream, left = found[:len(counters)], found[len(counters):]
    if bytes(a ^ b for a, b in zip(ciphertext, stream, strict=True)) != plaintext:
        return "wrong data"
    return RIGHT if left == tag else _TAG_LOST if left == bytes(len(tag)) else "the tag changed"


async def _stale_dump_status(bench: Bench, handles: Quirk) -> str:
    return judged(await encrypt(bench, _driver(bench, handles), KEY_A, DATA), KEY_A, DATA)


async def _shared_registers(bench: Bench, handles: Quirk) -> str:
    """Another master writes its own key while the registers are set up."""
    port, key = cast(RegisterPort, bench.port), KEY_A[:16]
    request = bench.kernel.start(encrypt(bench, _driver(bench, handles), key, DATA), "the disturbed request")
    await bench.kernel.sleep(_LOCKED_BY)
    while not request.done.is_set():
        for number, word in enumerate(key_words(KEY_B[:16])):
            with suppress(EngineFault):
                await port.write(Register.ENCR_KEY0 + 4 * number, word, master=1)
    out = await request.join()
    return _OTHER_KEY if out == golden.ecb_encrypt(KEY_B[:16], DATA) else judged(out, key, DATA)


_LOCKED_BY = 8
"""Cycles after which the driver has written to a register, so that without the quirk it has the lock."""

DEMONSTRATIONS = (
    Demonstration(Quirk.ALIGN_16, unaligned, "alignment fault on source read", strap=False),
    Demonstration(Quirk.LENGTH_512_HANG, _length_512_hang, _HANGS),
    Demonstration(Quirk.ZERO_LENGTH_HANG, _zero_length_hang, "hangs in WAIT_LENGTH after 0 bytes"),
    Demonstration(Quirk.PARTIAL_BLOCK_HANG, _partial_block_hang, "hangs in WAIT_BLOCK after 32 bytes"),
    Demonstration(Quirk.NO_AES192, _no_aes192, _SHORT_KEY),
    Demonstration(Quirk.SLOW_START, _slow_start, _LATE),
    Demonstration(Quirk.DUMP_FOLLOWS_DATA, _dump_follows_data, _TAG_LOST),
    Demonstration(Quirk.STALE_DUMP_STATUS, _stale_dump_status, "status fault on completion"),
    Demonstration(Quirk.SHARED_REGISTERS, _shared_registers, _OTHER_KEY),
)
