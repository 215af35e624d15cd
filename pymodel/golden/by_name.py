"""One entry to all modes, for callers that hold the mode as a value."""

from __future__ import annotations

from .gcm import gcm_encrypt
from .modes import cbc_decrypt, cbc_encrypt, ctr_crypt, ecb_decrypt, ecb_encrypt
from .xts import xts_decrypt, xts_encrypt


def crypt(mode: str, key: bytes, iv: bytes, data: bytes, *, encrypt: bool,
          aad: bytes = b"") -> tuple[bytes, bytes]:
    """Encrypt or decrypt ``data`` in ``mode`` ("ecb", "cbc", "ctr", "xts", "gcm"): (result, next IV).

    ``iv`` is ignored by ECB and is the tweak for XTS; both give it back as the next IV. In the place of
    the next IV GCM has the tag of 16 bytes that proves ``aad`` and the ciphertext, in either direction.
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
    if mode == "gcm":
        sealed = gcm_encrypt(key, iv, data, aad)
        return sealed if encrypt else (sealed[0], gcm_encrypt(key, iv, sealed[0], aad)[1])
    raise ValueError(f"unknown mode {mode!r}: ecb, cbc, ctr, xts or gcm")
