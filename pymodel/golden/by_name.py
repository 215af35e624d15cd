"""One entry to all modes, for callers that hold the mode as a value."""

from __future__ import annotations

from .modes import cbc_decrypt, cbc_encrypt, ctr_crypt, ecb_decrypt, ecb_encrypt
from .xts import xts_decrypt, xts_encrypt


def crypt(mode: str, key: bytes, iv: bytes, data: bytes, *, encrypt: bool) -> tuple[bytes, bytes]:
    """Encrypt or decrypt ``data`` in ``mode`` ("ecb", "cbc", "ctr", "xts"): (result, next IV).

    ``iv`` is ignored by ECB and is the tweak for XTS; both give it back as the next IV.
    ValueError: an unknown mode, or what the function of the mode refuses.
    """
    if mode == "ecb":
        return (ecb_encrypt if encrypt else ecb_decrypt)(key, data), iv
    if mode == "cbc":
        return (cbc_encrypt if encrypt else cbc_decrypt)(key, iv, data)
    if mode == "ctr":
        return ctr_crypt(key, iv, data)
    if mode == "xts":
        return (xts_encrypt if encrypt else xts_decrypt)(key, iv, data), iv
    raise ValueError(f"unknown mode {mode!r}: ecb, cbc, ctr or xts")
