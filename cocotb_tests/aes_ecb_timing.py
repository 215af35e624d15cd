"""What aes_ecb must answer at every edge, for each STAGES: blocks as rounds to go, without data."""

from __future__ import annotations

from dataclasses import dataclass, field

ROUNDS = (10, 12, 14)
"""For key_bits 0, 1, 2."""

KEY_EXTRA_EDGES = 3
"""A block may follow a key after Nr + 3 edges."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Handshake inputs of one cycle. ``key_bits`` counts with ``key_valid``, ``rk_...`` with ``rk_valid``."""

    key_valid: bool = False
    key_bits: int = 0
    rk_valid: bool = False
    rk_last: bool = False
    rk_rounds: int = 10
    in_valid: bool = False
    out_ready: bool = False


@dataclass(frozen=True, slots=True)
class Outputs:
    """Handshake outputs of one cycle."""

    key_ready: bool
    rk_ready: bool
    in_ready: bool
    out_valid: bool


@dataclass(slots=True)
class Timing:
    """The core after a reset. ``places``: before each round unit, the rounds its block still needs; 0: empty.

    The unit after the last is the first again; a block of the unrolled core leaves before it gets there.
    """

    stages: int
    places: list[int] = field(init=False)
    result: bool = False
    loaded: bool = False
    rounds: int = 0
    expanding: int = 0
    """Edges until the key is ready for blocks; 0 when none is being expanded."""

    def __post_init__(self) -> None:
        self.places = [0] * self.stages

    @property
    def inside(self) -> int:
        """Blocks in flight and in the output register."""
        return sum(map(bool, self.places)) + self.result

    def stalled(self, inputs: Inputs) -> bool:
        """A block before its last round finds the output register full: nothing moves."""
        return 1 in self.places and self.result and not inputs.out_ready

    def outputs(self, inputs: Inputs) -> Outputs:
        may_load = not self.inside and not self.expanding
        usable = self.loaded and not inputs.key_valid and not inputs.rk_valid
        return Outputs(
            key_ready=may_load,
            rk_ready=may_load and not inputs.key_valid,
            in_ready=usable and not self._moved(inputs)[self._entrance],
            out_valid=self.result,
        )

    def edge(self, inputs: Inputs) -> None:
        """Pass one rising edge."""
        outputs = self.outputs(inputs)
        finished = 1 in self.places and not self.stalled(inputs)
        self.places = self._moved(inputs)
        self.result = finished or (self.result and not inputs.out_ready)
        if inputs.in_valid and outputs.in_ready:
            self.places[self._entrance] = self.rounds
        if self.expanding:
            self.expanding -= 1
            self.loaded = not self.expanding
        if inputs.rk_valid and outputs.rk_ready:
            self.loaded, self.rounds = inputs.rk_last, inputs.rk_rounds
        if inputs.key_valid and outputs.key_ready:
            self.loaded, self.rounds = False, ROUNDS[inputs.key_bits]
            self.expanding = self.rounds + KEY_EXTRA_EDGES - 1

    @property
    def _entrance(self) -> int:
        return max(self.stages - self.rounds, 0)

    def _moved(self, inputs: Inputs) -> list[int]:
        """The places after the edge, before a block enters."""
        if self.stalled(inputs):
            return list(self.places)
        moved = [max(left - 1, 0) for left in self.places]
        return moved[-1:] + moved[:-1]


def entry_edges(stages: int, rounds: int, count: int) -> list[int]:
    """Edges at which blocks enter that do not pause and find room, counted from the first."""
    if stages >= rounds:
        return list(range(count))
    return [index // stages * rounds + index % stages for index in range(count)]
