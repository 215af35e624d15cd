"""The hashes of volumes, and PBKDF2 with them (RFC 8018 5.2), from Python's hashlib."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable

from pymodel.errors import Unsupported

HASHES = ("sha1", "sha256", "sha512", "ripemd160")
"""Those of the LUKS1 specification, chapter 4. ripemd160 depends on the OpenSSL behind Python."""

MAX_ITERATIONS = (1 << 31) - 1
"""Of PBKDF2, by OpenSSL."""

_HEARTBEAT_SECONDS = 5.0


def check_hash(name: str) -> None:
    """Raises Unsupported for a hash that is not here or that this Python's OpenSSL does not have."""
    if name not in HASHES:
        raise Unsupported(f"hash {name} is not supported, only {', '.join(HASHES)}")
    try:
        hashlib.pbkdf2_hmac(name, b"", b"", 1)
    except ValueError:
        raise Unsupported(f"hash {name} is missing in the OpenSSL that this Python uses") from None


def pbkdf2(name: str, secret: bytes, salt: bytes, iterations: int, length: int,
           alive: Callable[[], None] = lambda: None) -> bytes:
    """A key of ``length`` bytes from ``secret``. ``name``: of a hash that has passed ``check_hash``.

    Iterations go into the millions: ``alive`` is called every few seconds, and an interrupt ends it.
    """
    found: list[bytes] = []
    thread = threading.Thread(daemon=True, target=lambda: found.append(
        hashlib.pbkdf2_hmac(name, secret, salt, iterations, length)))
    thread.start()
    while True:
        thread.join(_HEARTBEAT_SECONDS)
        if not thread.is_alive():
            return found[0]
        alive()
