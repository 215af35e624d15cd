"""The specification: AES and its modes in numpy, and CBC and CTR over any cipher, written from the
standards for clarity.

This package imports nothing else of ecbench, so that it can disagree with the rest. All functions
work on bytes, raise ValueError for sizes that the standard does not allow, and keep no state.
"""

from .by_name import crypt
from .gcm import gcm_decrypt, gcm_encrypt
from .modes import cbc_decrypt, cbc_encrypt, ctr_crypt, ecb_decrypt, ecb_encrypt
from .over_blocks import cbc_decrypt_over, cbc_encrypt_over, ctr_crypt_over
from .xts import xts_decrypt, xts_encrypt

__all__ = [
    "cbc_decrypt",
    "cbc_decrypt_over",
    "cbc_encrypt",
    "cbc_encrypt_over",
    "crypt",
    "ctr_crypt",
    "ctr_crypt_over",
    "ecb_decrypt",
    "ecb_encrypt",
    "gcm_decrypt",
    "gcm_encrypt",
    "xts_decrypt",
    "xts_encrypt",
]
