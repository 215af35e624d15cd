"""The header of a LUKS1 volume (LUKS1 On-Disk Format Specification 1.2.3, chapter 4).

Numbers are big endian. Places in the image are in sectors of 512 bytes, whatever the disk has.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pymodel.errors import InvalidRequest, Unsupported
from pymodel.luks.ciphers import VolumeCipher, volume_cipher
from pymodel.luks.hashes import MAX_ITERATIONS, check_hash

SECTOR_BYTES = 512
SLOTS = 8
STRIPES = 4000
"""Of every key slot: cryptsetup and qemu make no other number, and qemu refuses one."""

_MAGIC = b"LUKS\xba\xbe"
_PHDR = struct.Struct(">6s H 32s 32s 32s I I 20s 32s I 40s")
_SLOT = struct.Struct(">I I 32s I I")
HEADER_BYTES = _PHDR.size + SLOTS * _SLOT.size
_ENABLED, _DISABLED = 0x00AC71F3, 0x0000DEAD


@dataclass(frozen=True, slots=True)
class KeySlot:
    """``iterations``: of PBKDF2 (RFC 8018 5.2) over the passphrase and ``salt``. ``first_sector``: of the key
    material in the image, where the master key is spread over ``STRIPES`` times its size."""

    number: int
    active: bool
    iterations: int
    salt: bytes
    first_sector: int


@dataclass(frozen=True, slots=True)
class Header:
    """``digest``: of the master key, by PBKDF2 with ``digest_salt``. ``payload_sector``: where the payload
    begins in the image; ``sectors``: how many it has. ``uuid``: as printable text."""

    cipher: VolumeCipher
    hash: str
    key_bytes: int
    digest: bytes
    digest_salt: bytes
    digest_iterations: int
    uuid: str
    payload_sector: int
    sectors: int
    slots: Sequence[KeySlot]

    @property
    def material_bytes(self) -> int:
        """Of one slot's key material."""
        return self.key_bytes * STRIPES

    @property
    def material_sectors(self) -> int:
        """The same in sectors, the last one perhaps not full."""
        return -(-self.material_bytes // SECTOR_BYTES)

    @property
    def active_slots(self) -> list[KeySlot]:
        return [slot for slot in self.slots if slot.active]


def read_header(image: Path) -> Header:
    """The header of a volume in a file.

    Raises, with one line that names the image: InvalidRequest when it cannot be read or is no LUKS volume, or
    a truncated or damaged one; Unsupported for LUKS2, and for a cipher or hash that ecbench does not have.
    """
    try:
        with image.open("rb") as file:
            data, size = file.read(HEADER_BYTES), os.fstat(file.fileno()).st_size
    except OSError as error:
        raise InvalidRequest(f"cannot read {image}: {error.strerror}") from None
    try:
        return parse_header(data, size)
    except InvalidRequest as error:
        raise InvalidRequest(f"{image}: {error}") from None
    except Unsupported as error:
        raise Unsupported(f"{image}: {error}") from None


def parse_header(data: bytes, image_bytes: int) -> Header:
    """``data``: the image's first ``HEADER_BYTES``. Raises: InvalidRequest, Unsupported."""
    if data[:len(_MAGIC)] != _MAGIC:
        raise InvalidRequest("not a LUKS volume: it does not begin with LUKS' magic number")
    version = int.from_bytes(data[6:8], "big")
    if len(data) >= 8 and version != 1:
        raise Unsupported(f"LUKS version {version} is not supported, only version 1")
    if len(data) < HEADER_BYTES:
        raise InvalidRequest(f"truncated: {len(data)} bytes, and the header alone has {HEADER_BYTES}")
    (_, _, cipher, mode, hash_name, payload, key_bytes, digest, salt, iterations,
     uuid) = _PHDR.unpack_from(data)
    name = _name(hash_name, "hash")
    check_hash(name)
    _check_iterations(iterations, "the master key's digest")
    header = Header(volume_cipher(_name(cipher, "cipher"), _name(mode, "cipher mode"), key_bytes), name,
                    key_bytes, digest, salt, iterations, _printable(uuid), payload,
                    image_bytes // SECTOR_BYTES - payload,
                    [_slot(data, number) for number in range(SLOTS)])
    _check_places(header, image_bytes)
    return header


def _slot(data: bytes, number: int) -> KeySlot:
    state, iterations, salt, first, stripes = _SLOT.unpack_from(data, _PHDR.size + number * _SLOT.size)
    if state not in (_ENABLED, _DISABLED):
        raise InvalidRequest(f"damaged: key slot {number} is neither enabled nor disabled, but {state:#x}")
    active = state == _ENABLED
    if active and stripes != STRIPES:
        raise InvalidRequest(f"damaged: key slot {number} has {stripes} stripes instead of {STRIPES}")
    if active:
        _check_iterations(iterations, f"key slot {number}")
    return KeySlot(number, active, iterations, salt, first)


def _check_iterations(iterations: int, what: str) -> None:
    if not 0 < iterations <= MAX_ITERATIONS:
        raise InvalidRequest(f"damaged: {what} has {iterations} iterations instead of 1 .. {MAX_ITERATIONS}")


def _check_places(header: Header, image_bytes: int) -> None:
    if not header.payload_sector:
        raise Unsupported("a detached header is not supported: it has no payload")
    begin = -(-HEADER_BYTES // SECTOR_BYTES)
    for slot in header.active_slots:
        end = slot.first_sector + header.material_sectors
        if slot.first_sector < begin or end > header.payload_sector:
            raise InvalidRequest(f"damaged: key slot {slot.number} has its key material in sectors "
                                 f"{slot.first_sector} .. {end - 1}, not between the header and the payload, "
                                 f"which begins at {header.payload_sector}")
    placed = sorted(header.active_slots, key=lambda slot: slot.first_sector)
    for one, other in pairwise(placed):
        if one.first_sector + header.material_sectors > other.first_sector:
            raise InvalidRequest(f"damaged: the key material of slot {other.number} begins inside that of "
                                 f"slot {one.number}")
    payload = header.payload_sector * SECTOR_BYTES
    if image_bytes <= payload:
        raise InvalidRequest(f"truncated: {image_bytes} bytes, and the payload begins at byte {payload}")
    if image_bytes % SECTOR_BYTES:
        raise InvalidRequest(f"truncated: the payload has {image_bytes - payload} bytes, not whole sectors "
                             f"of {SECTOR_BYTES}")


def _name(field: bytes, what: str) -> str:
    """The text of a field that zeros fill up."""
    text = field.split(b"\0", 1)[0]
    if not text.isascii() or not text.decode("ascii").isprintable() or not text:
        raise InvalidRequest(f"damaged: the name of the {what} is not text")
    return text.decode("ascii")


def _printable(field: bytes) -> str:
    text = field.split(b"\0", 1)[0].decode("ascii", "replace")
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
                   for character in text)
