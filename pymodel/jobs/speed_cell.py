"""A cell of a table of ``ecbench speed``: which request, and how the driver is set for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from pymodel.block_engine import BLOCK_BYTES
from pymodel.errors import InvalidRequest
from pymodel.jobs.ciphers import ALL_MODES, KEY_BYTES, check_strategy
from pymodel.modes.xts import STRATEGIES

ESSIV = "essiv"
SPEED_MODES = (*ALL_MODES, ESSIV)
"""``essiv``: dm-crypt's essiv(cbc(aes),sha256), CBC with IVs that are encrypted sector numbers."""
UNIT_MODES = ("xts", "cbc", ESSIV)
"""Those in which many units, each with a tweak or IV of its own, can be one request."""
CHAINED = ("cbc", ESSIV)
"""Those that take whole blocks in each unit; ECB takes them too, and has no units."""
MOST_BYTES = 1 << 20
"""Of a request: with its scratch memory it must fit into the bench's."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One request of a table. ``bytes``: of data. ``key_bits``: of the whole key, both halves for XTS.

    ``strategy``: of XTS. ``unit_bytes``: XTS, CBC, ESSIV: units of so many bytes (data units, streams,
    sectors) in one call, the last one may be shorter; 0: the request is one. ``policy``, ``host_expands``
    (PadLock), ``aes_sw_max_len`` (QCE): None for the bench's. ``software``: no engine, the host computes.
    Raises InvalidRequest for what cannot be.
    """

    mode: str
    key_bits: int
    bytes: int
    decrypt: bool = False
    strategy: str = STRATEGIES[0]
    unit_bytes: int = 0
    policy: str | None = None
    host_expands: bool | None = None
    aes_sw_max_len: int | None = None
    software: bool = False

    def __post_init__(self) -> None:
        if self.mode not in SPEED_MODES:
            raise InvalidRequest(f"unknown mode '{self.mode}': choose one of {', '.join(SPEED_MODES)}")
        if self.key_bits not in key_bits_of(self.mode):
            raise InvalidRequest(f"{self.mode} with a key of {self.key_bits} bits: choose one of "
                                 f"{', '.join(map(str, key_bits_of(self.mode)))}")
        least = 1 if self.mode in ("ctr", "gcm") else BLOCK_BYTES
        if not least <= self.bytes <= MOST_BYTES:
            raise InvalidRequest(f"{self.mode} of {self.bytes} bytes: {least} to {MOST_BYTES}")
        if self.bytes % BLOCK_BYTES and self.mode in ("ecb", *CHAINED):
            raise InvalidRequest(f"{self.mode} of {self.bytes} bytes: whole blocks of {BLOCK_BYTES}")
        self._check_units()
        self._check_options()

    def _check_units(self) -> None:
        if not self.unit_bytes:
            return
        if self.mode not in UNIT_MODES:
            raise InvalidRequest(f"{self.mode} has no data units: only {', '.join(UNIT_MODES)}")
        if not BLOCK_BYTES <= self.unit_bytes <= MOST_BYTES:
            raise InvalidRequest(f"data units of {self.unit_bytes} bytes: {BLOCK_BYTES} to {MOST_BYTES}")
        if self.unit_bytes % BLOCK_BYTES and self.mode in CHAINED:
            raise InvalidRequest(f"{self.mode} in data units of {self.unit_bytes} bytes: whole blocks of "
                                 f"{BLOCK_BYTES}")
        if 0 < self.bytes % self.unit_bytes < BLOCK_BYTES:
            raise InvalidRequest(f"the last data unit would have {self.bytes % self.unit_bytes} bytes: at "
                                 f"least {BLOCK_BYTES}")

    def _check_options(self) -> None:
        check_strategy(self.strategy)
        if self.strategy != STRATEGIES[0] and self.mode != "xts":
            raise InvalidRequest(f"{self.mode} has no strategies: only xts")
        for name in ("policy", "host_expands", "aes_sw_max_len"):
            if self.software and getattr(self, name) is not None:
                raise InvalidRequest(f"{name} is an engine's, and software has none")

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
        """Bytes of each unit."""
        size = self.unit_bytes or self.bytes
        return [min(size, self.bytes - start) for start in range(0, self.bytes, size)]

    def blocks(self) -> int:
        """Blocks of AES in the request: those of the data, partial ones included, the encrypted tweaks of
        XTS and IVs of ESSIV, and the mask of GCM's tag."""
        others = {"xts": len(self.units()), ESSIV: len(self.units()), "gcm": 1}
        return sum(-(-unit // BLOCK_BYTES) for unit in self.units()) + others.get(self.mode, 0)


def key_bits_of(mode: str) -> tuple[int, ...]:
    """Bits of the whole keys of a mode; for one that does not exist those of CBC."""
    return tuple(8 * size for size in KEY_BYTES.get(mode, KEY_BYTES["cbc"]))
