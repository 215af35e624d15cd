"""A field of a register: where it is, and how its value gets into a word and out of one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """``width`` bits from bit ``low`` of the register at byte address ``register``."""

    register: int
    low: int
    width: int

    @property
    def mask(self) -> int:
        """Ones where the field is in the word."""
        return ((1 << self.width) - 1) << self.low

    def get(self, value: int) -> int:
        """The field in a word."""
        return (value & self.mask) >> self.low

    def put(self, value: int) -> int:
        """A word with this value in the field and 0 elsewhere. Raises: ValueError when it does not fit."""
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{value} does not fit into {self.width} bits")
        return value << self.low
