"""GCM encryption (SP 800-38D 7.1) of a message that comes in pieces.

There is no such thing for decryption: nothing of the plaintext may be told before the tag, which comes last,
has been found right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pymodel.costs import HostWork
from pymodel.errors import InvalidRequest
from pymodel.modes.gcm_counters import MAX_BYTES, check_iv_and_tag, counters, first_counter
from pymodel.modes.ghash import BLOCK_BYTES, Ghash
from pymodel.modes.streams import Stream

if TYPE_CHECKING:
    from pymodel.modes.gcm import Gcm


class GcmStream(Stream):
    """``authenticate`` for additional data, then ``update``; ``tag`` is there after ``finalise``.

    Every byte comes out at once. A block that an update ended in is encrypted again for the next one.
    """

    _mode: Gcm

    def __init__(self, mode: Gcm, iv: bytes, tag_bytes: int) -> None:
        super().__init__(mode)
        self._tag_bytes = tag_bytes
        self._begin(iv)

    def _begin(self, iv: bytes) -> None:
        self._iv = bytes(iv)
        self._aad = b""
        self._length = 0
        self._hashed: int | None = None
        self._unhashed = b""
        self._tag = b""

    @property
    def tag(self) -> bytes:
        """Raises InvalidRequest before ``finalise``."""
        if not self._tag:
            raise InvalidRequest("the tag of a stream is there after finalise")
        return self._tag

    def authenticate(self, aad: bytes) -> None:
        """More additional data. Raises InvalidRequest once ``update`` has been given data."""
        with self._one_at_a_time():
            if self._length:
                raise InvalidRequest("additional data comes before all data")
            self._aad += bytes(aad)

    def restart(self, iv: bytes) -> None:
        """Begin another message; its IV must be a new one. Raises InvalidRequest (IV size, closed)."""
        check_iv_and_tag(iv, self._tag_bytes)
        self._restart()
        self._begin(iv)

    def _ready(self, length: int) -> int:
        if self._length + length > MAX_BYTES:
            raise InvalidRequest(f"GCM of {self._length + length} bytes: a message has at most {MAX_BYTES}")
        return length

    async def _crypt(self, data: bytes) -> bytes:
        await self._mode.engine.host.spend(HostWork.REQUEST)
        ghash = await self._mode.ghash()
        blocks, used = divmod(self._length, BLOCK_BYTES)
        count = -(-(used + len(data)) // BLOCK_BYTES)
        wanted = counters(first_counter(ghash, self._iv), count, 1 + blocks)
        stream = (await self._mode.encrypted_blocks(wanted))[used:used + len(data)]
        await self._mode.spend_xor(used + len(data))
        result = (np.frombuffer(data, np.uint8) ^ stream).tobytes()
        unhashed = self._unhashed + result
        whole = len(unhashed) - len(unhashed) % BLOCK_BYTES
        self._hashed = ghash.extended(self._so_far(ghash), unhashed[:whole])
        self._unhashed = unhashed[whole:]
        self._length += len(data)
        return result

    async def _finish(self, rest: bytes) -> bytes:
        await self._mode.engine.host.spend(HostWork.REQUEST)
        ghash = await self._mode.ghash()
        mask = await self._mode.encrypted_blocks(counters(first_counter(ghash, self._iv), 1))
        lengths = (8 * len(self._aad)).to_bytes(8, "big") + (8 * self._length).to_bytes(8, "big")
        hashed = ghash.extended(ghash.extended(self._so_far(ghash), self._unhashed), lengths)
        tag = np.frombuffer(hashed.to_bytes(BLOCK_BYTES, "big"), np.uint8) ^ mask
        self._tag = tag[:self._tag_bytes].tobytes()
        return b""

    def _so_far(self, ghash: Ghash) -> int:
        """The hash of the additional data and of the whole blocks of ciphertext."""
        return ghash.extended(0, self._aad) if self._hashed is None else self._hashed
