"""Examples printed in the standards themselves; their data is shipped with this package."""

from __future__ import annotations

from .files import shipped
from .vector import Mode, Vector, both_directions


def fips197() -> list[Vector]:
    """The 4 examples of FIPS-197, appendices B and C, in both directions: single blocks, as ECB."""
    return [
        vector
        for example in shipped("fips197")["examples"]
        for vector in _pair(f"FIPS-197 {example['name']}", "ecb", example, "FIPS-197")
    ]


def sp800_38a(mode: Mode | None = None) -> list[Vector]:
    """The examples of SP 800-38A, appendices F.1 (ECB), F.2 (CBC) and F.5 (CTR) in both directions:
    4 blocks, every key size; 6 per mode, all 18 for None.

    ValueError: a mode that the document has no example for here.
    """
    if mode not in (None, "ecb", "cbc", "ctr"):
        raise ValueError(f"SP 800-38A has examples for ecb, cbc and ctr, not for {mode!r}")
    return [
        vector
        for example in shipped("sp800_38a")["examples"]
        if mode in (None, example["mode"])
        for vector in _pair(f"SP 800-38A {example['name']}", example["mode"], example, "SP 800-38A")
    ]


def ieee1619() -> list[Vector]:
    """The 19 XTS vectors of IEEE P1619, Annex B, in both directions: data units of 17 to 512 bytes,
    AES-128 and AES-256; the key halves of vector 1 are equal."""
    contents = shipped("ieee1619")
    return [
        vector
        for entry in contents["vectors"]
        for vector in both_directions(
            Vector(
                name=f"IEEE 1619 vector {entry['number']} encrypt",
                mode="xts",
                key=bytes.fromhex(entry["key1"] + entry["key2"]),
                iv=int(entry["data_unit"], 16).to_bytes(16, "little"),
                data=bytes.fromhex(entry["plaintext"]),
                expected=bytes.fromhex(entry["ciphertext"]),
                encrypt=True,
                source=contents["source"],
            )
        )
    ]


def _pair(name: str, mode: Mode, example: dict[str, str], source: str) -> tuple[Vector, Vector]:
    return both_directions(
        Vector(
            name=f"{name} encrypt",
            mode=mode,
            key=bytes.fromhex(example["key"]),
            iv=bytes.fromhex(example.get("iv", "")),
            data=bytes.fromhex(example["plaintext"]),
            expected=bytes.fromhex(example["ciphertext"]),
            encrypt=True,
            source=source,
        )
    )
