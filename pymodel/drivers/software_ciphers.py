"""The ciphers that a SoftwareEngine can do, through ``cryptography``.

What has been outlived (DES, 3DES and Blowfish, whose blocks have 8 bytes) is here to show that the modes
know no cipher. Nobody should encrypt anything new with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish, TripleDES
from cryptography.hazmat.primitives.ciphers import BlockCipherAlgorithm, Cipher, CipherContext, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES as StandardAES

from pymodel.engines import rijndael
from pymodel.errors import InvalidRequest, Unsupported


@dataclass(frozen=True, slots=True)
class SoftwareCipher:
    """``rounds``: of a block, by key size in bytes. ``algorithm``: ``cryptography``'s, from a key."""

    name: str
    block_bytes: int
    rounds: Mapping[int, int]
    algorithm: Callable[[bytes], BlockCipherAlgorithm]

    @property
    def key_bytes(self) -> tuple[int, ...]:
        return tuple(self.rounds)

    def context(self, key: bytes, *, decrypt: bool) -> CipherContext:
        """For whole blocks, each by itself. Raises Unsupported where the OpenSSL behind ``cryptography`` has
        been built without the cipher."""
        try:
            ecb = Cipher(self.algorithm(key), modes.ECB())
            return ecb.decryptor() if decrypt else ecb.encryptor()
        except UnsupportedAlgorithm as error:
            raise Unsupported(f"{self.name} in software: {error}") from error


class SoftwareKey:
    """A key of a cipher other than AES, compared by identity. Raises InvalidRequest for another size."""

    def __init__(self, data: bytes, cipher: SoftwareCipher) -> None:
        sizes = cipher.key_bytes
        if len(data) not in sizes:
            those = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 3 else " or ".join(map(str, sizes))
            raise InvalidRequest(f"a {cipher.name} key has {those} bytes, not {len(data)}")
        self.data = bytes(data)
        """The raw key; the parity bits of DES are not looked at (FIPS 46-3)."""
        self.cipher = cipher
        self.rounds = cipher.rounds[len(data)]


def _keying_option(key: bytes) -> TripleDES:
    """The keying options of SP 800-67 3.2 as three keys: K1 K2 K3, K1 K2 K1, and K1 K1 K1, which is DES."""
    return TripleDES(key + key[:8] if len(key) == 16 else key * (24 // len(key)))


AES = SoftwareCipher("AES", 16, rijndael.ROUNDS, StandardAES)
DES = SoftwareCipher("DES", 8, {8: 16}, _keying_option)
TRIPLE_DES = SoftwareCipher("3DES", 8, {16: 48, 24: 48}, _keying_option)
BLOWFISH = SoftwareCipher("Blowfish", 8, dict.fromkeys(range(4, 57), 16), Blowfish)

SOFTWARE_CIPHERS: Mapping[str, SoftwareCipher] = {
    cipher.name.lower(): cipher for cipher in (AES, DES, TRIPLE_DES, BLOWFISH)}
