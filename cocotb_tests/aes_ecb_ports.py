"""The ports of hdl/aes/aes_ecb.v, driven at falling edges and observed just before rising edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from pymodel.block_engine import BLOCK_BYTES

PERIOD_NS = 10
NOT_BEFORE_LIMIT = 200
"""Cycles after which a handshake that must come has not come."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was on the outputs just before rising edge number ``edge``, with the inputs of that cycle."""

    edge: int
    key_ready: bool
    rk_ready: bool
    in_ready: bool
    out_valid: bool
    out_block: bytes | None
    """None when out_valid is low."""


@dataclass(frozen=True, slots=True)
class Run:
    """One pass of blocks: results in the order of arrival, and the edges of both handshakes."""

    results: list[bytes]
    accepted: list[int]
    taken: list[int]


def never(_: int) -> bool:
    return False


class AesEcbPorts:
    """Drives an ``aes_ecb`` toplevel, built for any STAGES. Blocks and keys are bytes in FIPS-197 order;
    edges count from reset.

    An unknown (X) on a ready or valid after reset raises ValueError.
    """

    def __init__(self, dut) -> None:
        self.dut = dut
        self.edge = 0
        self.stages = int(dut.STAGES.value)
        self._levels: dict[str, int] = {}

    def drive(self, **levels: int) -> None:
        """Set inputs; those that have the value already are left alone."""
        for name, level in levels.items():
            if self._levels.get(name) != level:
                self._levels[name] = level
                getattr(self.dut, name).value = level

    async def start(self) -> None:
        """Start the clock and reset: two edges with rst high and nothing offered."""
        self.drive(
            rst=1, key_valid=0, key=0, key_bits=0, key_decrypt=0,
            rk_valid=0, rk_data=0, rk_last=0, rk_decrypt=0, rk_rounds=0,
            in_valid=0, in_block=0, out_ready=0,
        )
        Clock(self.dut.clk, PERIOD_NS, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self) -> None:
        self.drive(rst=1)
        for _ in range(2):
            await FallingEdge(self.dut.clk)
        self.drive(rst=0)

    async def cycle(self, **levels: int) -> Seen:
        """Set inputs, let them settle, report the outputs, and pass one rising edge."""
        self.drive(**levels)
        await ReadOnly()
        dut = self.dut
        valid = bool(int(dut.out_valid.value))
        seen = Seen(
            edge=self.edge,
            key_ready=bool(int(dut.key_ready.value)),
            rk_ready=bool(int(dut.rk_ready.value)),
            in_ready=bool(int(dut.in_ready.value)),
            out_valid=valid,
            out_block=dut.out_block.value.to_unsigned().to_bytes(BLOCK_BYTES, "little") if valid else None,
        )
        self.edge += 1
        await FallingEdge(dut.clk)
        return seen

    async def until(self, what: str, condition: Callable[[Seen], bool]) -> Seen:
        """Pass edges with the inputs as they are, up to and including one before which ``condition`` held."""
        for _ in range(NOT_BEFORE_LIMIT):
            seen = await self.cycle()
            if condition(seen):
                return seen
        raise AssertionError(f"{what}: not within {NOT_BEFORE_LIMIT} cycles")

    async def load_key(self, key: bytes, decrypt: bool) -> int:
        """Offer a key until it is accepted; returns the edge."""
        key_bits = len(key) // 8 - 2
        self.drive(key_valid=1, key=int.from_bytes(key, "little"), key_bits=key_bits, key_decrypt=decrypt)
        seen = await self.until("key accepted", lambda seen: seen.key_ready)
        self.drive(key_valid=0)
        return seen.edge

    async def load_schedule(
        self, schedule: Sequence[bytes], decrypt: bool, stall: Callable[[int], bool] = never
    ) -> list[int]:
        """Offer round keys in order of use until each is accepted; ``stall(edge)``: no beat at that edge.

        Returns the edge of each beat.
        """
        rounds = len(schedule) - 1
        edges: list[int] = []
        for index, round_key in enumerate(schedule):
            while stall(self.edge):
                await self.cycle(rk_valid=0)
            self.drive(
                rk_valid=1, rk_data=int.from_bytes(round_key, "little"), rk_last=index == rounds,
                rk_decrypt=decrypt, rk_rounds=rounds,
            )
            seen = await self.until(f"beat {index} accepted", lambda seen: seen.rk_ready)
            edges.append(seen.edge)
        self.drive(rk_valid=0, rk_last=0)
        return edges

    async def run(
        self,
        blocks: Iterable[bytes],
        in_stall: Callable[[int], bool] = never,
        out_stall: Callable[[int], bool] = never,
    ) -> Run:
        """Put blocks in and take results out; the stalls say at which edges this side does not take part.

        A block once offered stays offered. Fails if a waiting result changes or is withdrawn.
        """
        waiting = [int.from_bytes(block, "little") for block in blocks]
        run = Run([], [], [])
        count, offered, held = len(waiting), False, None
        quiet_since = self.edge
        while len(run.results) < count:
            offered = offered or (len(run.accepted) < count and not in_stall(self.edge))
            take = not out_stall(self.edge)
            if offered:
                self.drive(in_block=waiting[len(run.accepted)])
            seen = await self.cycle(in_valid=offered, out_ready=take)
            if held is not None:
                assert seen.out_block == held, f"edge {seen.edge}: a waiting result changed"
            held = None if take else seen.out_block
            if offered and seen.in_ready:
                run.accepted.append(seen.edge)
                offered, quiet_since = False, self.edge
            if seen.out_block is not None and take:
                run.taken.append(seen.edge)
                run.results.append(seen.out_block)
                quiet_since = self.edge
            assert self.edge - quiet_since < NOT_BEFORE_LIMIT, f"edge {self.edge}: nothing moves"
        self.drive(in_valid=0, out_ready=0)
        return run
