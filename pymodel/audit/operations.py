"""What can happen to a driver: the operations of a sequence, in words and as steps of a case file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pymodel import golden
from pymodel.drivers.policies import Path

Kind = Literal["new", "set_key", "encrypt", "decrypt", "free", "interrupt", "move"]
KINDS: tuple[Kind, ...] = ("new", "set_key", "encrypt", "decrypt", "free", "interrupt", "move")

KEYS = (bytes(range(16)), bytes(range(16, 32)))
"""Two keys that the engine expands itself."""
BLOCK = bytes(range(0xF0, 0x100))
"""What is encrypted and decrypted."""


@dataclass(frozen=True, slots=True)
class Operation:
    """``context`` and ``key`` are numbers, ``cpu`` where the work goes on after a move."""

    kind: Kind
    context: int = 0
    key: int = 0
    path: Path = Path.ECB
    cpu: int = 0

    def __str__(self) -> str:
        name = f"context {self.context}"
        if self.kind == "set_key":
            return f"set key {'AB'[self.key]} in {name}"
        if self.kind in ("encrypt", "decrypt"):
            return f"{self.kind} with {name} ({self.path.value})"
        if self.kind == "move":
            return f"move to CPU {self.cpu}"
        return self.kind if self.kind == "interrupt" else f"{self.kind} {name}"

    def right_output(self, key: int) -> bytes:
        """What the operation must make of BLOCK, given the key in its context."""
        crypt = golden.ecb_decrypt if self.kind == "decrypt" else golden.ecb_encrypt
        return crypt(KEYS[key], BLOCK)


def case_of(name: str, operations: tuple[Operation, ...]) -> dict[str, Any]:
    """The sequence as a case of a case file (tests/data/cases/README.md), which expects what is right."""
    keys: dict[int, int] = {}
    steps: list[dict[str, Any]] = []
    for operation in operations:
        context = f"c{operation.context}"
        if operation.kind == "new":
            steps.append({"op": "new", "ctx": context, "mode": "ecb"})
        elif operation.kind == "set_key":
            keys[operation.context] = operation.key
            steps.append({"op": "setkey", "ctx": context, "key": KEYS[operation.key].hex()})
        elif operation.kind in ("encrypt", "decrypt"):
            right = operation.right_output(keys[operation.context])
            steps.append({"op": "crypt", "ctx": context, "iv": "", "input": {"hex": BLOCK.hex()},
                          "enc": operation.kind == "encrypt", "path": operation.path.value,
                          "expect": {"out": {"hex": right.hex()}}})
        elif operation.kind == "free":
            steps.append({"op": "free", "ctx": context})
        elif operation.kind == "move":
            steps.append({"op": "move", "cpu": operation.cpu})
        else:
            steps.append({"op": "interrupt"})
    return {"name": name, "mode": "seq", "expect": {}, "steps": steps}
