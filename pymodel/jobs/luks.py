"""The job ``luks``: a LUKS1 volume opened and decrypted, with every AES operation done by the engine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pymodel.block_engine import BLOCK_BYTES, BlockEngine
from pymodel.errors import EcbenchError
from pymodel.jobs.bench import Bench, Report
from pymodel.jobs.checked import Wrong, check_result
from pymodel.jobs.ciphers import shortfall
from pymodel.jobs.luks_sectors import VolumeSectors
from pymodel.jobs.luks_spec import LuksSpec
from pymodel.luks.antiforensic import merge
from pymodel.luks.hashes import pbkdf2
from pymodel.luks.header import HEADER_BYTES, SECTOR_BYTES, Header, KeySlot, parse_header, read_header

CHUNK_BYTES = 64 * 1024
"""What goes through the engine between two verdicts."""


async def decrypt_volume(bench: Bench, spec: dict[str, Any], report: Report) -> dict[str, Any]:
    """``spec``: the fields of ``LuksSpec``. Reports ``progress`` in sectors, those of the key slots
    included, and ``alive`` while PBKDF2 takes its time.

    Returns ``ok``, ``text`` (what was wrong), ``refused`` (whether that is the input's fault: no key slot
    opens), ``slot``, ``blocks`` (of the payload), ``key_slot_blocks`` (of the key slots that were tried),
    ``hardware_blocks`` and ``software_blocks`` (of both, tweaks and encrypted IVs too), ``engine_cycles``,
    ``seconds`` (wall clock, PBKDF2, checks and files included) and ``blocks_per_second``. Raises:
    InvalidRequest or Unsupported for an image that is none, and what the engine raises.
    """
    volume = _Volume(bench, LuksSpec(**spec), report)
    began, text, refused = time.perf_counter(), "", False
    try:
        await volume.decrypt()
    except _NoSlotOpens as error:
        text, refused = str(error), True
    except (Wrong, OSError) as error:
        text = str(error)
    seconds, spent = time.perf_counter() - began, volume.engine.counters
    wanted = volume.blocks + volume.key_slot_blocks
    cipher = volume.header.cipher
    text = text or shortfall(volume.engine, cipher.mode, volume.header.key_bytes, wanted, spent)
    return {"ok": not text, "text": text, "refused": refused, "slot": volume.slot, "blocks": volume.blocks,
            "key_slot_blocks": volume.key_slot_blocks, "hardware_blocks": spent.hardware_blocks,
            "software_blocks": spent.software_blocks, "engine_cycles": spent.engine_cycles,
            "seconds": round(seconds, 3), "blocks_per_second": round(wanted / seconds, 1)}


class _NoSlotOpens(EcbenchError):
    """The passphrase is wrong, or the image damaged: there is no telling which."""


class _Volume:
    """A volume under way. ``blocks``, ``key_slot_blocks``: done so far. ``slot``: the one that opened."""

    def __init__(self, bench: Bench, spec: LuksSpec, report: Report) -> None:
        self.engine: BlockEngine = bench.engine()
        self.blocks = self.key_slot_blocks = 0
        self.slot: int | None = None
        self.header: Header = read_header(Path(spec.image))
        self._bench = bench
        self._spec = spec
        self._report = report
        self._done, self._sectors = 0, spec.sectors

    async def decrypt(self) -> None:
        """Raises: _NoSlotOpens, Wrong, OSError, and what the engine raises."""
        with Path(self._spec.image).open("rb") as image:
            before = os.fstat(image.fileno())
            header = parse_header(image.read(HEADER_BYTES), before.st_size)
            if header != self.header or header.digest.hex() != self._spec.digest:
                raise self._changed()
            key = await self._master_key(image)
            await self._payload(image, key)
            after = os.fstat(image.fileno())
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise self._changed()

    async def _master_key(self, image: BinaryIO) -> bytes:
        for passphrase in self._spec.passphrases:
            for slot in self.header.active_slots:
                key = await self._try(image, slot, bytes.fromhex(passphrase))
                if self._is_master(key):
                    self.slot = slot.number
                    return key
        raise _NoSlotOpens("no key slot opens with this passphrase")

    async def _try(self, image: BinaryIO, slot: KeySlot, passphrase: bytes) -> bytes:
        """The key that the slot gives with the passphrase, right or wrong."""
        header, material = self.header, b""
        key = self._pbkdf2(passphrase, slot.salt, slot.iterations, header.key_bytes)
        with VolumeSectors(self.engine, header.cipher, key) as cipher:
            image.seek(slot.first_sector * SECTOR_BYTES)
            place = f" of key slot {slot.number}"
            self._sectors += header.material_sectors
            for position, data in self._chunks(image, header.material_sectors):
                material += await self._through(cipher, position, data, place)
                self.key_slot_blocks += len(data) // BLOCK_BYTES
                self._progress(data)
        return merge(material[:header.material_bytes], header.key_bytes, header.hash)

    def _is_master(self, key: bytes) -> bool:
        header = self.header
        return header.digest == self._pbkdf2(key, header.digest_salt, header.digest_iterations,
                                             len(header.digest))

    async def _payload(self, image: BinaryIO, key: bytes) -> None:
        first = self._spec.first
        with Path(self._spec.destination).open("r+b") as destination, \
                VolumeSectors(self.engine, self.header.cipher, key) as cipher:
            image.seek((self.header.payload_sector + first) * SECTOR_BYTES)
            for position, data in self._chunks(image, self._spec.sectors):
                begin = first * SECTOR_BYTES + position
                destination.write(await self._through(cipher, begin, data, " of the payload"))
                destination.flush()
                self.blocks += len(data) // BLOCK_BYTES
                self._progress(data)

    async def _through(self, cipher: VolumeSectors, position: int, data: bytes, place: str) -> bytes:
        """``data``, which begins a sector at byte ``position``, decrypted by the engine and checked."""
        first = position // SECTOR_BYTES
        result = await cipher.decrypt(first, data)
        check_result(self._bench, result, cipher.expected(first, data), position, place)
        return result

    def _chunks(self, image: BinaryIO, sectors: int) -> Iterator[tuple[int, bytes]]:
        length = sectors * SECTOR_BYTES
        for start in range(0, length, CHUNK_BYTES):
            data = image.read(min(CHUNK_BYTES, length - start))
            if len(data) != min(CHUNK_BYTES, length - start):
                raise self._changed()
            yield start, data

    def _changed(self) -> Wrong:
        return Wrong(f"{self._spec.image} changed while it was read")

    def _pbkdf2(self, secret: bytes, salt: bytes, iterations: int, length: int) -> bytes:
        return pbkdf2(self.header.hash, secret, salt, iterations, length,
                      lambda: self._report({"kind": "alive"}))

    def _progress(self, data: bytes) -> None:
        """``data`` is done. A slot that does not open adds to the work."""
        self._done += len(data) // SECTOR_BYTES
        self._report({"kind": "progress", "done": self._done, "total": self._sectors})
