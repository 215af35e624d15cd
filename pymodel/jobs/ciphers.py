"""The modes by name, and what each request must give, from two references that share no code with them."""

from __future__ import annotations

from typing import Any, cast

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pymodel import golden
from pymodel.block_engine import BlockEngine, EngineCounters
from pymodel.buffers import Buffers
from pymodel.errors import InvalidRequest
from pymodel.modes.cbc import Cbc
from pymodel.modes.ctr import Ctr
from pymodel.modes.ecb import Ecb
from pymodel.modes.gcm import Gcm
from pymodel.modes.xts import STRATEGIES as RIGHT_STRATEGIES
from pymodel.modes.xts import Strategy, Xts
from pymodel.modes.xts_patches import PATCHES, PatchedXts

MODES = ("xts", "cbc", "ecb", "ctr")
"""Those without a tag."""
ALL_MODES = (*MODES, "gcm")
KEY_BYTES = {"xts": (32, 48, 64), "cbc": (16, 24, 32), "ecb": (16, 24, 32), "ctr": (16, 24, 32),
             "gcm": (16, 24, 32)}
"""Whole keys in bytes, both halves for XTS."""

ModeObject = Xts | Cbc | Ecb | Ctr | Gcm

STRATEGIES = (*RIGHT_STRATEGIES, *PATCHES)
"""Of XTS, the default one first; the patches are wrong (docs/policies.md)."""

_SHORTEST_GCM_IV = 8
"""Bytes, for ``cryptography``."""

_CLASSES: dict[str, type[ModeObject]] = {"xts": Xts, "cbc": Cbc, "ecb": Ecb, "ctr": Ctr, "gcm": Gcm}


def check_strategy(name: str) -> None:
    """Raises InvalidRequest for one that is none of Xts'."""
    if name not in RIGHT_STRATEGIES:
        raise InvalidRequest(f"unknown strategy '{name}': choose one of {', '.join(RIGHT_STRATEGIES)}")


def open_mode(engine: BlockEngine, mode: str, key: bytes, strategy: str = STRATEGIES[0]) -> ModeObject:
    """``strategy``: one of STRATEGIES, for XTS.

    Raises InvalidRequest for an unknown mode or a key size it does not have.
    """
    if mode not in _CLASSES:
        raise InvalidRequest(f"unknown mode '{mode}': choose one of {', '.join(ALL_MODES)}")
    if mode == "xts" and strategy in PATCHES:
        return PatchedXts(engine, key, strategy)
    if mode == "xts":
        return Xts(engine, key, strategy=cast(Strategy, strategy))
    return _CLASSES[mode](engine, key)


def runs_in_hardware(engine: BlockEngine, mode: str, key_bytes: int) -> bool:
    """Whether the engine itself has such keys; the whole key of XTS is two."""
    return (key_bytes // 2 if mode == "xts" else key_bytes) in engine.limits.key_bytes


def shortfall(engine: BlockEngine, mode: str, key_bytes: int, blocks: int, spent: EngineCounters) -> str:
    """What is wrong with who did the ``blocks`` of data, or an empty string.

    All of them are the engine's, unless it has no such keys: then software may do them.
    """
    if runs_in_hardware(engine, mode, key_bytes):
        done, who = spent.hardware_blocks, "the engine"
    else:
        done, who = spent.hardware_blocks + spent.software_blocks, "engine and software"
    return f"{who} did {done} of {blocks} blocks" if done < blocks else ""


async def crypt(cipher: ModeObject, iv: bytes, src: Buffers, dst: Buffers, *, encrypt: bool,
                aad: bytes = b"", tag: bytes = b"") -> bytes:
    """One request in any mode; returns the IV to go on with (XTS and ECB: ``iv`` as it was), GCM: the tag.

    ``aad``, and ``tag`` for decryption: of GCM. Raises: AuthenticationFailed, and what the mode raises.
    """
    if isinstance(cipher, Gcm):
        if encrypt:
            return await cipher.encrypt(iv, aad, src, dst)
        await cipher.decrypt(iv, aad, src, dst, tag)
        return tag
    if isinstance(cipher, Ecb):
        await (cipher.encrypt(src, dst) if encrypt else cipher.decrypt(src, dst))
        return iv
    if isinstance(cipher, Xts):
        await (cipher.encrypt(iv, src, dst) if encrypt else cipher.decrypt(iv, src, dst))
        return iv
    if isinstance(cipher, Ctr):
        return await cipher.crypt(iv, src, dst)
    return await (cipher.encrypt(iv, src, dst) if encrypt else cipher.decrypt(iv, src, dst))


class ReferencesDisagree(Exception):
    """The golden model and ``cryptography`` give different results: one of them is wrong."""


def expected(mode: str, key: bytes, iv: bytes, data: bytes, *, encrypt: bool,
             aad: bytes = b"") -> tuple[bytes, bytes]:
    """(output, next IV) from the golden model, confirmed by ``cryptography`` where that can do it.

    GCM has its tag in the place of the next IV. Raises: ReferencesDisagree.
    """
    result, next_iv = golden.crypt(mode, key, iv, data, encrypt=encrypt, aad=aad)
    if mode == "gcm":
        plaintext, ciphertext = (data, result) if encrypt else (result, data)
        if _sealed(key, iv, plaintext, aad) != ciphertext + next_iv:
            raise _disagree("gcm", key, data, encrypt)
        return result, next_iv
    second = _cryptography(mode, key, iv, data, encrypt)
    if second is not None and second != result:
        raise _disagree(mode, key, data, encrypt)
    return result, next_iv


def _disagree(mode: str, key: bytes, data: bytes, encrypt: bool) -> ReferencesDisagree:
    """Without the key, which may be somebody's."""
    direction = "encryption" if encrypt else "decryption"
    return ReferencesDisagree(f"{mode} {direction} of {len(data)} bytes under a key of {8 * len(key)} bits")


def _sealed(key: bytes, iv: bytes, plaintext: bytes, aad: bytes) -> bytes:
    """Ciphertext and tag by ``cryptography``, or by the golden model for an IV too short for that."""
    if len(iv) < _SHORTEST_GCM_IV:
        return b"".join(golden.gcm_encrypt(key, iv, plaintext, aad))
    return AESGCM(key).encrypt(iv, plaintext, aad)


def reference(mode: str, key: bytes, iv: bytes, data: bytes, *, encrypt: bool) -> bytes:
    """The output from ``cryptography``, which is fast, or from the golden model where that cannot do it."""
    result = _cryptography(mode, key, iv, data, encrypt)
    return golden.crypt(mode, key, iv, data, encrypt=encrypt)[0] if result is None else result


def _cryptography(mode: str, key: bytes, iv: bytes, data: bytes, encrypt: bool) -> bytes | None:
    """None where the library cannot: XTS with equal halves or 48-byte keys, and empty input."""
    half = len(key) // 2
    if not data or (mode == "xts" and (len(key) == 48 or key[:half] == key[half:])):
        return None
    chosen: Any = {"xts": modes.XTS, "cbc": modes.CBC, "ctr": modes.CTR}.get(mode)
    cipher = Cipher(algorithms.AES(key), chosen(iv) if chosen else modes.ECB())
    context = cipher.encryptor() if encrypt else cipher.decryptor()
    return context.update(data) + context.finalize()
