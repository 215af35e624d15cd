"""The ciphers of volumes, by the names that dm-crypt and the header have for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pymodel.errors import InvalidRequest, Unsupported

_AES_KEYS = (16, 24, 32)
_XTS_KEYS = (32, 48, 64)


@dataclass(frozen=True, slots=True)
class VolumeCipher:
    """AES in ``mode`` (xts, cbc or ecb). ``iv``: how a sector's number becomes its IV or tweak: plain,
    plain64, essiv:sha256, or nothing for ECB."""

    mode: str
    iv: str

    @property
    def name(self) -> str:
        return f"aes-{self.mode}-{self.iv}" if self.iv else f"aes-{self.mode}"


_MODES: Mapping[str, VolumeCipher] = {
    "xts-plain64": VolumeCipher("xts", "plain64"),
    "xts-plain": VolumeCipher("xts", "plain"),
    "cbc-plain64": VolumeCipher("cbc", "plain64"),
    "cbc-plain": VolumeCipher("cbc", "plain"),
    "cbc-essiv:sha256": VolumeCipher("cbc", "essiv:sha256"),
    "ecb": VolumeCipher("ecb", ""),
    "ecb-plain64": VolumeCipher("ecb", ""),  # as qemu says it: ECB has no IV
    "ecb-plain": VolumeCipher("ecb", ""),
}

CIPHERS = tuple(dict.fromkeys(cipher.name for cipher in _MODES.values()))
"""Every cipher there is here."""


def volume_cipher(cipher: str, mode: str, key_bytes: int) -> VolumeCipher:
    """The cipher with these names, as the header has them; the mode's may be in either case.

    Raises: Unsupported for one that is not here; InvalidRequest for a key size that it does not have.
    """
    if cipher.lower() != "aes" or mode.lower() not in _MODES:
        raise Unsupported(f"cipher {cipher}-{mode} is not supported, only {', '.join(CIPHERS)}")
    found = _MODES[mode.lower()]
    sizes = _XTS_KEYS if found.mode == "xts" else _AES_KEYS
    if key_bytes not in sizes:
        raise InvalidRequest(f"damaged: a key of {key_bytes} bytes, and {found.name} has "
                             f"{', '.join(map(str, sizes[:-1]))} or {sizes[-1]}")
    return found
