"""PadlockCpus: several CPUs, each with a PadLock engine of its own, as one port. One runs at a time."""

from __future__ import annotations

from collections.abc import Sequence

from pymodel.engines.padlock_model import PadlockModel
from pymodel.engines.ports import Xcrypt, XcryptResult
from pymodel.engines.quirks import Quirk


class PadlockCpus:
    """An ``XcryptPort``, and what a bench sets of a model. All but ``reset`` is of the engine of ``cpu``.

    ``models``: on one kernel and memory, with the same straps.
    """

    def __init__(self, models: Sequence[PadlockModel]) -> None:
        self.models = tuple(models)
        self.cpu = 0
        first = self.models[0]
        self.read_bus_errors, self.write_bus_errors = first.read_bus_errors, first.write_bus_errors
        for model in self.models:
            model.read_bus_errors, model.write_bus_errors = self.read_bus_errors, self.write_bus_errors

    @property
    def _model(self) -> PadlockModel:
        return self.models[self.cpu]

    @property
    def quirks(self) -> Quirk:
        return self._model.quirks

    @quirks.setter
    def quirks(self, quirks: Quirk) -> None:
        for model in self.models:
            model.quirks = quirks

    @property
    def fetch_blocks(self) -> int:
        return self._model.fetch_blocks

    @fetch_blocks.setter
    def fetch_blocks(self, blocks: int) -> None:
        for model in self.models:
            model.fetch_blocks = blocks

    @property
    def read_latency(self) -> int:
        return self._model.read_latency

    @read_latency.setter
    def read_latency(self, cycles: int) -> None:
        for model in self.models:
            model.read_latency = cycles

    @property
    def write_latency(self) -> int:
        return self._model.write_latency

    @write_latency.setter
    def write_latency(self, cycles: int) -> None:
        for model in self.models:
            model.write_latency = cycles

    async def xcrypt(self, op: Xcrypt) -> XcryptResult:
        return await self._model.xcrypt(op)

    async def load_flags(self) -> None:
        await self._model.load_flags()

    async def key_loaded(self) -> bool:
        return await self._model.key_loaded()

    async def interrupt(self) -> None:
        await self._model.interrupt()

    async def reset(self) -> None:
        """Of all engines; returns when they are ready."""
        kernel = self._model.kernel
        for task in [kernel.start(model.reset(), "reset of an engine") for model in self.models]:
            await task.join()

    def state(self) -> dict[str, int | str]:
        return self._model.state()
