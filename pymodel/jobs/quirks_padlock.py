"""The quirks of the PadLock, one scene each."""

from __future__ import annotations

from typing import cast

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers
from pymodel.engines.ports import XcryptPort
from pymodel.engines.quirks import Quirk
from pymodel.errors import EngineFault
from pymodel.jobs.bench import Bench
from pymodel.jobs.quirk_scenes import DATA, KEY_A, KEY_B, RIGHT, Demonstration, encrypt, judged, unaligned
from pymodel.memory import PAGE_BYTES

_WIPED = "the rest is encrypted with the wiped key"
_LONG = DATA * 10
"""Takes longer than the key takes to be loaded, also at a block per cycle."""


async def _sticky_key(bench: Bench, handles: Quirk) -> str:
    """Two keys, one after the other."""
    engine = bench.engine(handles=handles)
    await encrypt(bench, engine, KEY_A[:16], DATA)
    out = await encrypt(bench, engine, KEY_B[:16], DATA)
    return "stale key" if out == golden.ecb_encrypt(KEY_A[:16], DATA) else judged(out, KEY_B[:16], DATA)


async def _keygen_128_only(bench: Bench, handles: Quirk) -> str:
    """A 192-bit and a 256-bit key."""
    engine = bench.engine(handles=handles)
    for key in (KEY_A[:24], KEY_A):
        verdict = judged(await encrypt(bench, engine, key, DATA), key, DATA)
        if verdict != RIGHT:
            return verdict
    return RIGHT


async def _schedule_overread(bench: Bench, handles: Quirk) -> str:
    """Key memory that ends its page, with nothing mapped behind."""
    memory = bench.memory
    pages = memory.allocate_pages(2)
    end = pages + PAGE_BYTES
    memory.protect(end, PAGE_BYTES, readable=False, writable=False)
    try:
        engine = bench.engine(handles=handles, allocate=lambda length: end - -(-length // 16) * 16)
        return judged(await encrypt(bench, engine, KEY_A, DATA), KEY_A, DATA)
    except EngineFault as fault:
        return f"{fault.kind} fault behind the schedule" if fault.address == end else str(fault)
    finally:
        memory.protect(end, PAGE_BYTES, readable=True, writable=True)
        memory.free(pages)


async def _fetch_ahead(bench: Bench, handles: Quirk) -> str:
    """An odd number of blocks that ends its page, with nothing mapped behind."""
    memory = bench.memory
    pages = memory.allocate_pages(2)
    end = pages + PAGE_BYTES
    data = DATA[:BLOCK_BYTES]
    src = Buffers.of(end - len(data), len(data))
    dst = Buffers.of(memory.allocate(len(data)), len(data))
    src.scatter(memory, data)
    memory.protect(end, PAGE_BYTES, readable=False, writable=False)
    try:
        engine = bench.engine(handles=handles)
        key = engine.key(KEY_A[:16])
        await engine.ecb(key, src, dst, decrypt=False)
        return judged(dst.read(memory), KEY_A[:16], data)
    except EngineFault as fault:
        return f"{fault.kind} fault behind the source" if fault.address == end else str(fault)
    finally:
        memory.protect(end, PAGE_BYTES, readable=True, writable=True)
        memory.free(dst.pieces[0].address)
        memory.free(pages)


async def _irq_forgets_key(bench: Bench, handles: Quirk) -> str:
    """An interrupt in the middle of a request. The naive driver has wiped its key memory by then."""
    engine = bench.engine(handles=handles)
    request = bench.kernel.start(encrypt(bench, engine, KEY_A[:16], _LONG), "the interrupted request")
    await bench.kernel.sleep(bench.spec.setup_cycles + 8 * bench.spec.read_latency + 120)
    if request.done.is_set():
        return "the request ended before the interrupt"
    await cast(XcryptPort, bench.port).interrupt()
    out = await request.join()
    right, wiped = golden.ecb_encrypt(KEY_A[:16], _LONG), golden.ecb_encrypt(bytes(16), _LONG)
    for position in range(BLOCK_BYTES, len(_LONG), BLOCK_BYTES):
        if out == right[:position] + wiped[position:]:
            return _WIPED
    return judged(out, KEY_A[:16], _LONG)


DEMONSTRATIONS = (
    Demonstration(Quirk.STICKY_KEY, _sticky_key, "stale key"),
    Demonstration(Quirk.KEYGEN_128_ONLY, _keygen_128_only, "control word fault on read"),
    Demonstration(Quirk.SCHEDULE_OVERREAD, _schedule_overread, "page fault behind the schedule"),
    Demonstration(Quirk.FETCH_AHEAD, _fetch_ahead, "page fault behind the source"),
    Demonstration(Quirk.ALIGN_16, unaligned, "alignment fault on pointer", strap=False),
    Demonstration(Quirk.IRQ_FORGETS_KEY, _irq_forgets_key, _WIPED),
)
