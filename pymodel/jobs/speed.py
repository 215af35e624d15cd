"""The job ``speed``: what single requests take, in cycles from the caller's call to its return.

Time passes in the engine (model or RTL) and, by the bench's profile, on the host. Nothing is averaged over
noise, because there is none: after warming up, the same request takes the same cycles again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from pymodel.block_engine import BLOCK_BYTES, BlockEngine, EngineCounters
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.errors import InvalidRequest
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.ciphers import KEY_BYTES, MODES, ModeObject, crypt, reference, shortfall
from pymodel.jobs.engines import host_of
from pymodel.memory import PAGE_BYTES
from pymodel.modes import Cbc, Ctr, Ecb, Xts

MOST_BYTES = 1 << 20
"""Of a request: with its scratch memory it must fit into the bench's."""
WARM_UP = 1
"""Requests before the one that counts: it finds the engine as a request like it has left it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One request of a table. ``bytes``: of data. ``key_bits``: of the whole key, both halves for XTS.

    ``unit_bytes``: XTS in data units of so many bytes, in one call; 0 for one data unit. ``policy``,
    ``host_expands`` (PadLock), ``aes_sw_max_len`` (QCE): None for the bench's. ``software``: no engine, the
    host computes. Raises InvalidRequest for what cannot be.
    """

    mode: str
    key_bits: int
    bytes: int
    decrypt: bool = False
    strategy: str = "two-pass"
    unit_bytes: int = 0
    policy: str | None = None
    host_expands: bool | None = None
    aes_sw_max_len: int | None = None
    software: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidRequest(f"unknown mode '{self.mode}': choose one of {', '.join(MODES)}")
        if self.key_bits not in [8 * size for size in KEY_BYTES[self.mode]]:
            raise InvalidRequest(f"{self.mode} with a key of {self.key_bits} bits: choose one of "
                                 f"{', '.join(str(8 * size) for size in KEY_BYTES[self.mode])}")
        least = 1 if self.mode == "ctr" else BLOCK_BYTES
        if not least <= self.bytes <= MOST_BYTES:
            raise InvalidRequest(f"{self.mode} of {self.bytes} bytes: {least} to {MOST_BYTES}")
        if self.bytes % BLOCK_BYTES and self.mode in ("ecb", "cbc"):
            raise InvalidRequest(f"{self.mode} of {self.bytes} bytes: whole blocks of {BLOCK_BYTES}")
        if self.unit_bytes < 0 or 0 < self.unit_bytes < BLOCK_BYTES:
            raise InvalidRequest(f"data units of {self.unit_bytes} bytes: at least {BLOCK_BYTES}")
        if self.unit_bytes and 0 < self.bytes % self.unit_bytes < BLOCK_BYTES:
            raise InvalidRequest(f"the last data unit would have {self.bytes % self.unit_bytes} bytes: at "
                                 f"least {BLOCK_BYTES}")

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Cell:
        """Raises InvalidRequest."""
        unknown = set(values) - {field.name for field in fields(cls)}
        if unknown:
            raise InvalidRequest(f"unknown settings of a cell: {', '.join(sorted(unknown))}")
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def units(self) -> list[int]:
        """Bytes of each data unit."""
        size = self.unit_bytes if self.mode == "xts" and self.unit_bytes else self.bytes
        return [min(size, self.bytes - start) for start in range(0, self.bytes, size)]


async def measure_speed_of_requests(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: ``cells``, a list of Cells as JSON. Reports a ``row`` for each: the cell with ``cycles``,
    the driver's counters, ``host_work`` (units by kind), ``ok``, and in ``text`` what was wrong if it is not:
    other bytes than the references have, or an engine that did not do what it was meant to."""
    rows = []
    for values in spec["cells"]:
        cell = Cell.from_json(values)
        row = {**cell.to_json(), **await _measured(bench, cell)}
        rows.append(row)
        report({"kind": "row", **row})
    problems = bench.problems()
    return {"ok": not problems and all(row["ok"] for row in rows), "problems": problems}


async def _measured(bench: Bench, cell: Cell) -> dict[str, Any]:
    engine = _engine(bench, cell)
    key = bytes(index * 7 & 0xFF for index in range(cell.key_bits // 8))  # halves that differ
    data = bytes(index * 31 + index // 256 & 0xFF for index in range(cell.bytes))
    address = bench.memory.allocate(cell.bytes, PAGE_BYTES)
    buffers = Buffers.of(address, cell.bytes)
    try:
        with _opened(engine, cell, key) as cipher:
            for _ in range(WARM_UP):
                buffers.scatter(bench.memory, data)
                await _request(cipher, cell, buffers)
            buffers.scatter(bench.memory, data)
            counters, work, began = engine.counters.copy(), engine.host.done.copy(), bench.kernel.now()
            await _request(cipher, cell, buffers)
            cycles = bench.kernel.now() - began
        spent, work = engine.counters.since(counters), engine.host.done - work
        right = buffers.read(bench.memory) == _expected(cell, key, data)
        text = _idleness(bench, cell, engine, spent) if right else "wrong output"
    finally:
        bench.memory.free(address)
    host_work = {str(kind): amount for kind, amount in work.items()}
    return {"cycles": cycles, **asdict(spent), "host_work": host_work, "ok": not text, "text": text}


def _idleness(bench: Bench, cell: Cell, engine: BlockEngine, spent: EngineCounters) -> str:
    """Where everything is meant for the engine: that it did less, or an empty string."""
    threshold = bench.spec.aes_sw_max_len if cell.aes_sw_max_len is None else cell.aes_sw_max_len
    if cell.software or (bench.spec.engine == "qce" and threshold):
        return ""
    return shortfall(engine, cell.mode, cell.key_bits // 8, cell.bytes // BLOCK_BYTES, spent)


def _engine(bench: Bench, cell: Cell) -> BlockEngine:
    if cell.software:
        return SoftwareEngine(bench.memory, bench.kernel, bench.cpus[0], host=host_of(bench))
    chosen = {"policy": cell.policy, "host_expands": cell.host_expands, "aes_sw_max_len": cell.aes_sw_max_len}
    return bench.engine(**{name: value for name, value in chosen.items() if value is not None})


def _opened(engine: BlockEngine, cell: Cell, key: bytes) -> ModeObject:
    if cell.mode == "xts":
        return Xts(engine, key, strategy=cell.strategy)  # type: ignore[arg-type]
    classes: dict[str, type[Cbc] | type[Ctr] | type[Ecb]] = {"cbc": Cbc, "ctr": Ctr, "ecb": Ecb}
    return classes[cell.mode](engine, key)


async def _request(cipher: ModeObject, cell: Cell, buffers: Buffers) -> None:
    """In place, as tcrypt has it."""
    if isinstance(cipher, Xts) and cell.unit_bytes:
        crypt_units = cipher.decrypt_units if cell.decrypt else cipher.encrypt_units
        await crypt_units(_tweaks(len(cell.units())), cell.unit_bytes, buffers, buffers)
    else:
        await crypt(cipher, _tweaks(1)[0], buffers, buffers, encrypt=not cell.decrypt)


def _tweaks(count: int) -> Sequence[bytes]:
    """Data units are numbered from 0 on; the first one is also the IV or counter of other modes."""
    return [number.to_bytes(BLOCK_BYTES, "little") for number in range(count)]


def _expected(cell: Cell, key: bytes, data: bytes) -> bytes:
    units, position = [], 0
    for tweak, length in zip(_tweaks(len(cell.units())), cell.units(), strict=True):
        units.append(reference(cell.mode, key, tweak, data[position:position + length],
                               encrypt=not cell.decrypt))
        position += length
    return b"".join(units)
