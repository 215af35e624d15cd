"""A QCE's register port that leaves accesses without an answer."""

from __future__ import annotations

from qce_driver_bench import RecordingPort

from pymodel.drivers.qce_watched import ANSWER_CYCLES
from pymodel.kernel import Kernel, Lock

LATE = (ANSWER_CYCLES + 10, 600_000, 900_000)
"""Cycles: within what is waited for the reads of a recovery, for its reset, and not even for that."""
HOW = ("ignored", "made", *LATE, "dead")


class SilentPort(RecordingPort):
    """Access ``number``, counted from 1, has no answer. ``how``:

    ``ignored``: nor any effect; ``made``: but it has its effect; ``dead``: nor any effect, as all after it;
    a number: not before so many cycles, in which the bus does nothing else; then its script goes on.
    """

    def __init__(self, model, kernel: Kernel, how: str | int, number: int) -> None:
        super().__init__(model)
        self.accesses = 0
        self._kernel = kernel
        self._how = how
        self._number = number
        self._bus = Lock(kernel, "bus")
        self._scripts = Lock(kernel, "scripts")

    @property
    def silent(self) -> bool:
        """There has been such an access."""
        return self.accesses >= self._number

    async def script(self, accesses, master=0):
        self.log.append(list(accesses))
        self.masters.append(master)
        if not isinstance(self._how, int):
            return await self._script(accesses, master)
        async with self._scripts:
            return await self._script(accesses, master)

    async def reset(self):
        self.log.append("reset")
        if not await self._answered(1):
            await self.model.reset()

    async def _script(self, accesses, master):
        before = self._number - self.accesses - 1
        values = []
        if 0 <= before < len(accesses):
            values = await self.model.script(accesses[:before], master) if before else []
            self.accesses += before
            if self._how == "made":
                await self.model.script(accesses[before:before + 1], master)
            accesses = accesses[before:]
        await self._answered(len(accesses))
        return values + await self.model.script(accesses, master)

    async def _answered(self, count: int):
        first, self.accesses = self.accesses + 1, self.accesses + count
        if first == self._number and isinstance(self._how, int):
            async with self._bus:
                await self._kernel.sleep(self._how)
        elif first == self._number or (first > self._number and self._how == "dead"):
            await self._kernel.event("an answer").wait()
        async with self._bus:  # not before what is late
            return

