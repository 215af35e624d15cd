"""What the job ``crypt`` is told, and what it refuses."""

from __future__ import annotations

from dataclasses import dataclass

from pymodel.block_engine import BLOCK_BYTES
from pymodel.errors import InvalidRequest
from pymodel.jobs.ciphers import KEY_BYTES

MODES = ("ecb", "cbc", "xts")
"""The modes a file can be put through."""

MAX_UNIT_BYTES = 1 << 24
"""IEEE 1619-2018 5.1: a data unit has at most 2**20 blocks."""


@dataclass(frozen=True, slots=True)
class CryptSpec:
    """What to do, in values that JSON can carry.

    ``source``, ``destination``: absolute paths; the destination exists and is written over. ``length``: bytes
    of the source. ``key``: in hexadecimal, both halves for XTS. CBC: ``iv`` in hexadecimal. XTS: data units
    of ``data_unit`` bytes, the last one perhaps shorter, numbered from ``first`` on.
    """

    source: str
    destination: str
    length: int
    mode: str
    key: str
    encrypt: bool
    iv: str = ""
    data_unit: int = 0
    first: int = 0

    @property
    def blocks(self) -> int:
        """Blocks of data, a partial one included."""
        return -(-self.length // BLOCK_BYTES)

    def check(self) -> None:
        """Raises InvalidRequest for anything that the modes would refuse on the way, in one line."""
        name = self.mode.upper()
        if self.mode not in MODES:
            raise InvalidRequest(f"unknown mode '{self.mode}': choose one of {', '.join(MODES)}")
        size, sizes = len(self.key) // 2, KEY_BYTES[self.mode]
        if size not in sizes:
            raise InvalidRequest(f"a key of {size} bytes: {name} takes {', '.join(map(str, sizes[:-1]))} or "
                                 f"{sizes[-1]}")
        if self.mode == "xts":
            self._check_units()
        elif self.length % BLOCK_BYTES:
            raise InvalidRequest(f"{self.source} has {self.length} bytes: {name} takes whole blocks of "
                                 f"{BLOCK_BYTES}, and nothing is padded")

    def _check_units(self) -> None:
        if not BLOCK_BYTES <= self.data_unit <= MAX_UNIT_BYTES:
            raise InvalidRequest(f"a data unit of {self.data_unit} bytes: it has {BLOCK_BYTES} to "
                                 f"{MAX_UNIT_BYTES}")
        if 0 < self.length % self.data_unit < BLOCK_BYTES:
            raise InvalidRequest(f"{self.source} has {self.length} bytes: the last data unit would have "
                                 f"{self.length % self.data_unit}, XTS needs at least {BLOCK_BYTES}")
        units = -(-self.length // self.data_unit)
        if not 0 <= self.first <= (1 << 128) - units:
            raise InvalidRequest(f"data-unit numbers {self.first} .. {self.first + units - 1} are outside "
                                 "0 .. 2**128 - 1")
