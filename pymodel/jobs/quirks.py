"""The job ``quirks``: every quirk shown three ways on one bench.

The naive driver (its bit cleared in ``handles``) must fail in exactly the way the catalogue says,
the right driver must pass, and with the strap off the naive driver must pass too. ALIGN_16 has no
strap: it is a limit of the bus.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any, cast

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.buffers import Buffers
from pymodel.engines.ports import XcryptPort
from pymodel.engines.quirks import Quirk
from pymodel.errors import EcbenchError, EngineFault
from pymodel.jobs.bench import Bench
from pymodel.memory import PAGE_BYTES

RIGHT = "right"
_WIPED = "the rest is encrypted with the wiped key"
_KEY_A = bytes(range(32))
_KEY_B = bytes(range(100, 132))
_DATA = bytes((37 * i + 11) & 255 for i in range(24 * BLOCK_BYTES))
_LONG = _DATA * 10
"""Takes longer than the key takes to be loaded, also at a block per cycle."""

Scene = Callable[[Bench, Quirk], Awaitable[str]]
"""Plays the scene with a driver that handles these quirks; returns what came out, in a few words."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """``failure``: what the scene must return with the naive driver. ``strap``: whether there is one."""

    quirk: Quirk
    engine: str
    scene: Scene
    failure: str
    strap: bool = True


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One row: what happened with the naive driver, the right one, and with the strap off."""

    bit: int
    name: str
    engine: str
    naive: str
    right: str
    off: str
    ok: bool


async def demonstrate_quirks(bench: Bench, spec: dict[str, Any],
                             report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Run all demonstrations; ``spec`` may name some: ``{"quirks": ["STICKY_KEY"]}``."""
    wanted = spec.get("quirks") or [demonstration.quirk.name for demonstration in DEMONSTRATIONS]
    rows = []
    for demonstration in DEMONSTRATIONS:
        if demonstration.quirk.name in wanted:
            rows.append(await _verdicts(bench, demonstration))
            report({"kind": "row", **asdict(rows[-1])})
    problems = bench.problems()
    return {"ok": all(row.ok for row in rows) and not problems, "problems": problems,
            "rows": [asdict(row) for row in rows]}


async def _verdicts(bench: Bench, shown: Demonstration) -> Verdicts:
    every = Quirk(bench.spec.quirks)
    naive = await _play(bench, shown.scene, every, every & ~shown.quirk)
    right = await _play(bench, shown.scene, every, every)
    off = "no strap"
    if shown.strap:
        off = await _play(bench, shown.scene, every & ~shown.quirk, every & ~shown.quirk)
    await _strap(bench, every)
    ok = naive == shown.failure and right == RIGHT and off in (RIGHT, "no strap")
    return Verdicts(shown.quirk.bit_length() - 1, shown.quirk.name or "", shown.engine, naive, right, off, ok)


async def _play(bench: Bench, scene: Scene, straps: Quirk, handles: Quirk) -> str:
    await _strap(bench, straps)
    try:
        return await scene(bench, handles)
    except EngineFault as fault:
        return f"{fault.kind} fault on {fault.access}"
    except EcbenchError as error:
        return f"{type(error).__name__}: {error}"


async def _strap(bench: Bench, quirks: Quirk) -> None:
    bench.port.quirks = quirks
    await bench.port.reset()


async def _encrypt(bench: Bench, engine: BlockEngine, key: bytes, data: bytes) -> bytes:
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


def _judged(out: bytes, key: bytes, data: bytes) -> str:
    return RIGHT if out == golden.ecb_encrypt(key, data) else "wrong data"


async def _sticky_key(bench: Bench, handles: Quirk) -> str:
    """Two keys, one after the other."""
    engine = bench.engine(handles=handles)
    await _encrypt(bench, engine, _KEY_A[:16], _DATA)
    out = await _encrypt(bench, engine, _KEY_B[:16], _DATA)
    return "stale key" if out == golden.ecb_encrypt(_KEY_A[:16], _DATA) else _judged(out, _KEY_B[:16], _DATA)


async def _keygen_128_only(bench: Bench, handles: Quirk) -> str:
    """A 192-bit and a 256-bit key."""
    engine = bench.engine(handles=handles)
    for key in (_KEY_A[:24], _KEY_A):
        verdict = _judged(await _encrypt(bench, engine, key, _DATA), key, _DATA)
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
        return _judged(await _encrypt(bench, engine, _KEY_A, _DATA), _KEY_A, _DATA)
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
    data = _DATA[:BLOCK_BYTES]
    src = Buffers.of(end - len(data), len(data))
    dst = Buffers.of(memory.allocate(len(data)), len(data))
    src.scatter(memory, data)
    memory.protect(end, PAGE_BYTES, readable=False, writable=False)
    try:
        engine = bench.engine(handles=handles)
        key = engine.key(_KEY_A[:16])
        await engine.ecb(key, src, dst, decrypt=False)
        return _judged(dst.read(memory), _KEY_A[:16], data)
    except EngineFault as fault:
        return f"{fault.kind} fault behind the source" if fault.address == end else str(fault)
    finally:
        memory.protect(end, PAGE_BYTES, readable=True, writable=True)
        memory.free(dst.pieces[0].address)
        memory.free(pages)


async def _align_16(bench: Bench, handles: Quirk) -> str:
    """Source and destination at odd addresses."""
    memory, engine = bench.memory, bench.engine(handles=handles)
    area = memory.allocate(2 * len(_DATA) + 64)
    src, dst = Buffers.of(area + 3, len(_DATA)), Buffers.of(area + len(_DATA) + 25, len(_DATA))
    src.scatter(memory, _DATA)
    try:
        await engine.ecb(engine.key(_KEY_A[:16]), src, dst, decrypt=False)
        return _judged(dst.read(memory), _KEY_A[:16], _DATA)
    finally:
        memory.free(area)


async def _irq_forgets_key(bench: Bench, handles: Quirk) -> str:
    """An interrupt in the middle of a request. The naive driver has wiped its key memory by then."""
    engine = bench.engine(handles=handles)
    request = bench.kernel.start(_encrypt(bench, engine, _KEY_A[:16], _LONG), "the interrupted request")
    await bench.kernel.sleep(bench.spec.setup_cycles + 8 * bench.spec.read_latency + 120)
    if request.done.is_set():
        return "the request ended before the interrupt"
    await cast(XcryptPort, bench.port).interrupt()
    out = await request.join()
    right, wiped = golden.ecb_encrypt(_KEY_A[:16], _LONG), golden.ecb_encrypt(bytes(16), _LONG)
    for position in range(BLOCK_BYTES, len(_LONG), BLOCK_BYTES):
        if out == right[:position] + wiped[position:]:
            return _WIPED
    return _judged(out, _KEY_A[:16], _LONG)


DEMONSTRATIONS = (
    Demonstration(Quirk.STICKY_KEY, "padlock", _sticky_key, "stale key"),
    Demonstration(Quirk.KEYGEN_128_ONLY, "padlock", _keygen_128_only, "control word fault on read"),
    Demonstration(Quirk.SCHEDULE_OVERREAD, "padlock", _schedule_overread, "page fault behind the schedule"),
    Demonstration(Quirk.FETCH_AHEAD, "padlock", _fetch_ahead, "page fault behind the source"),
    Demonstration(Quirk.ALIGN_16, "padlock", _align_16, "alignment fault on pointer", strap=False),
    Demonstration(Quirk.IRQ_FORGETS_KEY, "padlock", _irq_forgets_key, _WIPED),
)
