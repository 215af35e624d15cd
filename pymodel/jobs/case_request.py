"""One request of a case: laid out in memory, run, and judged with everything around it."""

from __future__ import annotations

from dataclasses import dataclass

from pymodel.errors import InvalidRequest
from pymodel.jobs.case_file import Expect
from pymodel.jobs.ciphers import STRATEGIES, ModeObject, crypt, open_mode, runs_in_hardware
from pymodel.jobs.engines import Driver
from pymodel.jobs.placement import Layout, Placement


class CaseFailure(Exception):
    """The case failed; the message is one line."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a request ended. ``refused``: the message of InvalidRequest, or None. ``damage``: what changed
    that should not have. ``hardware_blocks``: blocks the engine did for it. ``touched``: whether the
    driver did anything at all. ``in_hardware``: whether the engine has such keys."""

    result: bytes
    next_iv: bytes
    refused: str | None
    damage: str
    hardware_blocks: int
    touched: bool
    in_hardware: bool = True

    def judge(self, expect: Expect, *, may_refuse: bool = False) -> None:
        """Raises CaseFailure."""
        if self.refused is not None:
            if not expect.error and not may_refuse:
                raise CaseFailure(f"refused: {self.refused}")
            if self.damage:
                raise CaseFailure(f"refused, but {self.damage}")
            if self.touched:
                raise CaseFailure("refused, but the engine was used")
            return
        if expect.error:
            raise CaseFailure("accepted, should be refused")
        self.check_accepted()
        if not expect.matches(self.result):
            raise CaseFailure(f"wrong output ({len(self.result)} bytes)")
        if expect.iv_out is not None and self.next_iv != expect.iv_out:
            raise CaseFailure(f"wrong output IV {self.next_iv.hex()}")

    def check_accepted(self) -> None:
        """Raises CaseFailure unless the request was accepted, used the engine and damaged nothing."""
        if self.refused is not None:
            raise CaseFailure(f"refused: {self.refused}")
        if self.damage:
            raise CaseFailure(self.damage)
        if self.result and self.in_hardware and not self.hardware_blocks:
            raise CaseFailure("the engine did not do a single block")
        if not self.result and self.touched:
            raise CaseFailure("the engine was used for a request of no bytes")


async def perform(engine: Driver, mode: str, key: bytes, iv: bytes, data: bytes, encrypt: bool,
                  layout: Layout, strategy: str = STRATEGIES[0]) -> Outcome:
    """Run one request with a key of its own; ``strategy``: of XTS.

    Raises what the request ends in, InvalidRequest excepted.
    """
    placement = Placement(engine.memory, layout, data, iv)
    cipher: ModeObject | None = None
    try:
        before = engine.counters.copy()
        try:
            cipher = open_mode(engine, mode, key, strategy)
        except InvalidRequest as error:
            return Outcome(b"", iv, str(error), placement.damage(None), 0, engine.counters != before)
        in_hardware = runs_in_hardware(engine, mode, len(key))
        return await run_placed(engine, cipher, iv, placement, encrypt, in_hardware=in_hardware)
    finally:
        if cipher is not None:
            cipher.close()
        placement.release()


async def run_placed(engine: Driver, cipher: ModeObject, iv: bytes, placement: Placement,
                     encrypt: bool, *, in_hardware: bool) -> Outcome:
    """Run one request on data that has been placed; the caller releases the placement.

    ``in_hardware``: whether the engine has such keys.
    With other requests in flight on the same driver, ``hardware_blocks`` counts theirs too.
    """
    before = engine.counters.copy()
    try:
        next_iv = await crypt(cipher, iv, placement.src, placement.dst, encrypt=encrypt)
    except InvalidRequest as error:
        return Outcome(b"", iv, str(error), placement.damage(None), 0, engine.counters != before)
    spent = engine.counters.since(before)
    result = placement.result()
    damage = placement.damage(result)
    if placement.iv_address is not None:
        engine.memory.write(placement.iv_address, next_iv)
        if placement.result() != result:
            damage = damage or "the IV behind the destination changed it"
    return Outcome(result, next_iv, None, damage, spent.hardware_blocks, spent.calls > 0, in_hardware)
