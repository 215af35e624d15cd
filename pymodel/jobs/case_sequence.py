"""Sequences: contexts that come and go on one engine, requests queued together, aborted, or after a reset."""

from __future__ import annotations

from dataclasses import dataclass

from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers
from pymodel.drivers.padlock import PadlockDriver
from pymodel.engines.ports import EngineReset
from pymodel.errors import EcbenchError, InvalidRequest
from pymodel.jobs.bench import Bench
from pymodel.jobs.case_file import Step
from pymodel.jobs.case_request import CaseFailure, Outcome, run_placed
from pymodel.jobs.ciphers import ModeObject, crypt, open_mode, runs_in_hardware
from pymodel.jobs.engines import Driver
from pymodel.jobs.placement import Placement, apart
from pymodel.kernel import gather


@dataclass(slots=True)
class Context:
    """A cipher context as a kernel has it: a mode, and a key once ``setkey`` has been called."""

    mode: str
    key_bytes: int = 0
    cipher: ModeObject | None = None

    @property
    def rounds(self) -> int:
        """Rounds of the data key: 10, 12 or 14."""
        return 6 + (self.key_bytes // 2 if self.mode == "xts" else self.key_bytes) // 4


class Sequence:
    """Plays the steps of one case."""

    def __init__(self, bench: Bench, engine: Driver) -> None:
        self._kernel = bench.kernel
        self._memory = bench.memory
        self._engine = engine
        self._strategy = bench.spec.strategy
        self._contexts: dict[str, Context] = {}

    async def play(self, steps: tuple[Step, ...]) -> None:
        """Raises CaseFailure that names the step."""
        for number, step in enumerate(steps):
            try:
                await self._play(step)
            except CaseFailure as failure:
                where = f" {step.context}" if step.context else ""
                raise CaseFailure(f"step {number} {step.op}{where}: {failure}") from None
        for name in list(self._contexts):
            self._free(name)

    async def _play(self, step: Step) -> None:
        if step.op == "new":
            self._contexts[step.context] = Context(step.mode)
        elif step.op == "free":
            self._free(step.context)
        elif step.op == "reset":
            await self._engine.reset()
        elif step.op in ("interrupt", "move"):
            await self._happen(step)
        elif step.op == "setkey":
            self._set_key(step)
        elif step.op == "abort":
            await self._abort(step)
        elif step.op == "queue":
            outcomes = await gather(self._kernel, *(self._request(request) for request in step.requests))
            for request, outcome in zip(step.requests, outcomes, strict=True):
                self._judge(request, outcome, f"request of {request.context}: ")
        else:
            self._judge(step, await self._request(step), "")

    async def _happen(self, step: Step) -> None:
        """What happens to the processors between two requests."""
        driver = self._padlock()
        if step.op == "move":
            await driver.move_to(step.cpu)
        else:
            await driver.interrupted()

    def _padlock(self) -> PadlockDriver:
        if not isinstance(self._engine, PadlockDriver):
            raise CaseFailure("only the padlock knows processors and paths")
        return self._engine

    def _context(self, name: str) -> Context:
        try:
            return self._contexts[name]
        except KeyError:
            raise CaseFailure(f"there is no context {name}") from None

    def _free(self, name: str) -> None:
        context = self._context(name)
        if context.cipher is not None:
            context.cipher.close()
        del self._contexts[name]

    def _set_key(self, step: Step) -> None:
        context = self._context(step.context)
        before = self._engine.counters.copy()
        refused = False
        try:
            if context.cipher is None:
                context.cipher = open_mode(self._engine, context.mode, step.key, self._strategy)
            else:
                context.cipher.set_key(step.key)
            context.key_bytes = len(step.key)
        except InvalidRequest:
            refused = True
        if refused != step.expect.error:
            raise CaseFailure("refused" if refused else "accepted")
        if self._engine.counters != before:
            raise CaseFailure("the engine was used")

    async def _request(self, step: Step) -> Outcome:
        context = self._context(step.context)
        if step.path is not None:
            self._padlock().take_path(step.path)
        placement = Placement(self._memory, apart(len(step.data)), step.data)
        try:
            if context.cipher is None:
                return Outcome(b"", step.iv, "no key has been set", placement.damage(None), 0, False)
            in_hardware = runs_in_hardware(self._engine, context.mode, context.key_bytes)
            return await run_placed(self._engine, context.cipher, step.iv, placement, step.encrypt,
                                    in_hardware=in_hardware)
        finally:
            placement.release()

    @staticmethod
    def _judge(step: Step, outcome: Outcome, prefix: str) -> None:
        try:
            outcome.judge(step.expect)
        except CaseFailure as failure:
            raise CaseFailure(f"{prefix}{failure}") from None

    async def _abort(self, step: Step) -> None:
        """Start the request, reset the engine half way through it, and forget the result."""
        context = self._context(step.context)
        if context.cipher is None:
            raise CaseFailure("no key has been set")
        placement = Placement(self._memory, apart(len(step.data)), step.data)
        request = _discarded(context.cipher, step, placement.src, placement.dst)
        task = self._kernel.start(request, f"aborted request of {step.context}")
        blocks = -(-len(step.data) // BLOCK_BYTES)
        await self._kernel.sleep(-(-blocks // 2) * context.rounds)
        await self._engine.reset()
        await task.join()
        placement.release()


async def _discarded(cipher: ModeObject, step: Step, src: Buffers, dst: Buffers) -> None:
    """A request whose result and whose end in an error do not matter."""
    try:
        await crypt(cipher, step.iv, src, dst, encrypt=step.encrypt)
    except (EcbenchError, EngineReset):
        return
