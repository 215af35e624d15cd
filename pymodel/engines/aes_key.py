"""AesKey: a key as the drivers of AES engines hold it."""

from __future__ import annotations

from functools import cached_property

from pymodel.engines import rijndael
from pymodel.errors import InvalidRequest


class AesKey:
    """One key of 16, 24 or 32 bytes, compared by identity. Its schedules are computed when first asked for.

    Raises InvalidRequest for another size.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) not in rijndael.KEY_BYTES:
            raise InvalidRequest(f"an AES key has 16, 24 or 32 bytes, not {len(data)}")
        self.data = bytes(data)
        """The raw key."""
        self.rounds = rijndael.ROUNDS[len(data)]

    @cached_property
    def encrypt_schedule(self) -> bytes:
        """(rounds + 1) * 16 bytes in order of use (FIPS-197 5.2)."""
        return rijndael.expand(self.data).tobytes()

    @cached_property
    def decrypt_schedule(self) -> bytes:
        """(rounds + 1) * 16 bytes in order of use, for the equivalent inverse cipher (FIPS-197 5.3.5)."""
        return rijndael.invert(rijndael.expand(self.data)).tobytes()

    def schedule(self, *, decrypt: bool) -> bytes:
        return self.decrypt_schedule if decrypt else self.encrypt_schedule
