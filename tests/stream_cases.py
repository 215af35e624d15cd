"""What the tests of messages in pieces share."""

from __future__ import annotations

from itertools import pairwise

from pymodel import golden
from pymodel.modes import Cbc, Ctr, Ecb, Gcm, Xts

KEY = bytes(range(64))
IV = bytes(range(100, 116))
MODES = {"ecb": (Ecb, 16), "cbc": (Cbc, 24), "ctr": (Ctr, 32), "xts": (Xts, 64), "gcm": (Gcm, 16)}
NAMES = list(MODES)


def open_mode(name, engine, key=KEY):
    mode, size = MODES[name]
    return mode(engine, key[:size])


def stream_of(cipher, iv=IV, *, decrypt=False):
    arguments = () if isinstance(cipher, Ecb) else (iv,)
    return (cipher.decryptor if decrypt else cipher.encryptor)(*arguments)


def expected_of(name, data, *, decrypt=False, key=KEY, iv=IV):
    if name == "gcm":
        return golden.gcm_encrypt(key[:16], iv, data, b"")[0]
    return golden.crypt(name, key[:MODES[name][1]], iv, data, encrypt=not decrypt)[0]


async def fed(stream, data, cuts):
    """The result of data that comes in pieces."""
    parts = [await stream.update(data[start:end]) for start, end in pairwise([0, *cuts, len(data)])]
    return b"".join(parts) + await stream.finalise()


def lengths_of(name):
    return {"ecb": [0, 16, 160], "cbc": [0, 16, 160], "ctr": [0, 1, 16, 31, 170], "gcm": [0, 1, 16, 31, 170],
            "xts": [16, 17, 31, 32, 33, 47, 160, 175]}[name]
