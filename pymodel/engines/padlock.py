"""The PadLock as software sees it: the control word and the sizes that the engine reads."""

from __future__ import annotations

from dataclasses import dataclass

CONTROL_WORD_BYTES = 16
"""A control word in memory; only its low 12 bits mean anything."""

SCHEDULE_READ_BYTES = 256
"""What SCHEDULE_OVERREAD makes the engine read for any schedule: 16 beats, of which at most 15 matter."""

FETCH_BLOCKS = (1, 2, 4, 8)
"""Sizes of a fetch group, in blocks."""

SETUP_CYCLES = range(1 << 16)
"""What the strap of 16 bits takes: cycles from acceptance to the first access."""

CPUS = (1, 2)
"""How many a bench can have, each with an engine."""

STAGES = (1, 2, 14)
"""Blocks in flight that the core can be built for."""

LATENCIES = range(1, 1 << 16)
"""Cycles that the memory takes to answer."""

ROUNDS = (10, 12, 14)

_ALGORITHM_SHIFT, _KEYGEN_SHIFT, _INTERMEDIATE_SHIFT, _ENCDEC_SHIFT, _KSIZE_SHIFT = 4, 7, 8, 9, 10
_KSIZE_INVALID = 3


@dataclass(frozen=True, slots=True)
class ControlWord:
    """The control word of ``xcrypt``. Anything can be written; ``acceptable`` tells what the engine takes."""

    rounds: int
    """Bits 3:0."""
    keygen: bool
    """Bit 7: key memory holds an expanded schedule; else the engine expands the raw key."""
    decrypt: bool
    """Bit 9."""
    ksize: int
    """Bits 11:10: 0, 1, 2 for 128, 192, 256 bits."""
    algorithm: int = 0
    """Bits 6:4: 0 is AES."""
    intermediate: bool = False
    """Bit 8: store an intermediate round result, which this engine cannot do."""

    def encode(self) -> int:
        """The word as a number; in memory it is 16 bytes, little endian.

        Raises ValueError for a field that is too wide.
        """
        widths = (("rounds", self.rounds, 4), ("algorithm", self.algorithm, 3), ("ksize", self.ksize, 2))
        for name, value, width in widths:
            if not 0 <= value < 1 << width:
                raise ValueError(f"{name} {value} does not fit in {width} bits")
        return (self.rounds | self.algorithm << _ALGORITHM_SHIFT | self.keygen << _KEYGEN_SHIFT
                | self.intermediate << _INTERMEDIATE_SHIFT | self.decrypt << _ENCDEC_SHIFT
                | self.ksize << _KSIZE_SHIFT)

    @classmethod
    def decode(cls, word: int) -> ControlWord:
        """Of a number of any size: bits above 11 are ignored, as the engine does."""
        return cls(rounds=word & 15, keygen=bool(word >> _KEYGEN_SHIFT & 1),
                   decrypt=bool(word >> _ENCDEC_SHIFT & 1), ksize=word >> _KSIZE_SHIFT & 3,
                   algorithm=word >> _ALGORITHM_SHIFT & 7,
                   intermediate=bool(word >> _INTERMEDIATE_SHIFT & 1))

    def acceptable(self, *, keygen_128_only: bool) -> bool:
        """Whether the engine takes it, else it reports BAD_CONTROL_WORD.

        With a schedule the number of rounds is taken as given; to expand a key it must fit ``ksize``.
        """
        if self.algorithm or self.intermediate or self.ksize == _KSIZE_INVALID or self.rounds not in ROUNDS:
            return False
        return self.keygen or (self.rounds == 10 + 2 * self.ksize and not (keygen_128_only and self.ksize))

    def key_beats(self, *, schedule_overread: bool) -> int:
        """Beats of 16 bytes that the engine reads of key memory."""
        if self.keygen:
            return SCHEDULE_READ_BYTES // 16 if schedule_overread else self.rounds + 1
        return 2 if self.ksize else 1
