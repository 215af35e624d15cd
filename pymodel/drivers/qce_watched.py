"""The QCE's register port as its driver uses it: every access is answered in time, or Unanswered."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from pymodel.costs import Host, HostWork
from pymodel.drivers import qce_scripts as scripts
from pymodel.drivers.overdue import Overdue, within
from pymodel.engines.ports import RegisterAccess, RegisterPort
from pymodel.engines.qce_registers import Register
from pymodel.kernel import Cpu, Kernel, Task

T = TypeVar("T")

ANSWER_CYCLES = 250_000
"""What a script may take, once more for each doorbell in it. The longest that a working engine takes for a
list, or to become idle for a reset, is some 200,000, with the longest latencies of the memory."""

_DOORBELLS = (Register.SRC_DOORBELL, Register.DST_DOORBELL)
_RESET = (RegisterAccess(Register.SOFT_RESET, 1),)


class Unanswered(Exception):
    """Accesses that were not answered in ``cycles``. ``what``: their registers."""

    def __init__(self, what: str, cycles: int) -> None:
        self.what = what
        self.cycles = cycles
        super().__init__(f"{what} not answered in {cycles} cycles")


class Registers:
    """A port with the master that uses it, and reads by register. ``host`` spends REGISTER for each.

    ``unanswered``: accesses that were given up and have not ended, of all who use the port. While there
    are any the engine counts as out of control. The caller of each method holds the Cpu.
    """

    def __init__(self, port: RegisterPort, kernel: Kernel, cpu: Cpu, master: int, host: Host,
                 unanswered: list[Task[None]]) -> None:
        self.port = port
        self.cpu = cpu
        self.unanswered = unanswered
        self._kernel = kernel
        self._host = host
        self._master = master

    async def script(self, accesses: Sequence[RegisterAccess]) -> list[int]:
        """Raises EngineFault for an access that is refused, and Unanswered."""
        await self._host.spend(HostWork.REGISTER, len(accesses), holding=True)
        return await self._in_time(self.port.script(accesses, self._master), accesses)

    async def read(self, registers: Sequence[Register], *then: RegisterAccess) -> Mapping[Register, int]:
        """Values by register, ``then`` more accesses. Raises EngineFault and Unanswered."""
        values = await self.script([*scripts.reads(registers), *then])
        return dict(zip(registers, values[:len(registers)], strict=True))

    async def reset(self) -> None:
        """A soft reset. Raises Unanswered.

        What was left unanswered before may end now and go on with what is left of its script, so it gets
        time for that, and another reset follows. What has not ended then never will.
        """
        await self._in_time(self.port.reset(), _RESET)
        late = self.unanswered.copy()
        end = self._kernel.now() + ANSWER_CYCLES
        ended = [await task.done.wait(max(end - self._kernel.now(), 0)) for task in late]
        if any(ended):
            await self._in_time(self.port.reset(), _RESET)
        self.unanswered[:] = [task for task in self.unanswered if task not in late]

    async def _in_time(self, access: Coroutine[Any, Any, T], accesses: Sequence[RegisterAccess]) -> T:
        limit = ANSWER_CYCLES * (1 + sum(access.address in _DOORBELLS for access in accesses))
        names = [Register(access.address).name for access in accesses]
        what = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        try:
            return await within(self._kernel, limit, access, f"access to {what} of qce")
        except Overdue as overdue:
            self.unanswered.append(overdue.task)
            raise Unanswered(what, limit) from None
