"""QceDriver when a request ends otherwise than the engine does: interrupts of nobody's, ports that raise."""

import pytest
from qce_driver_bench import QceBench, RecordingPort, error_of, some_data

from pymodel import golden
from pymodel.drivers.qce_scripts import EVERY_READ, RESULT_READS
from pymodel.errors import EngineFault, EngineHang

KEY = bytes(range(0x40, 0x50))
DATA = some_data(256)
EXPECTED = golden.ecb_encrypt(KEY, DATA)


class Strays:
    """A bench whose memory tells of what the engine writes where nothing is allocated."""

    def __init__(self, port=None, **options):
        self.bench = QceBench(slow_start_cycles=2)
        if port is not None:
            self.bench.port = port(self.bench.model)
        self.driver = self.bench.driver(**options)
        self.buffer = self.bench.buffer(DATA)
        self.free = self.bench.free_bytes()

    async def request(self):
        """The error of an in-place request; then the engine is left alone for long."""
        self.bench.memory.write(self.buffer.pieces[0].address, DATA)
        error = await error_of(self.driver.ecb(self.driver.key(KEY), self.buffer, self.buffer, decrypt=False))
        result = self.buffer.read(self.bench.memory)
        assert self.bench.free_bytes() == self.free
        before = self.bench.memory.bytes.copy()
        await self.bench.kernel.sleep(5_000)
        assert (self.bench.memory.bytes == before).all()
        return error, result


def test_an_interrupt_while_the_engine_is_at_work_resets_it_and_counts_what_is_done():
    """At every cycle of a request and after it."""
    quiet = Strays()
    quiet.bench.run(quiet.request())
    ends = set()
    for cycle in range(1, 400):
        scene = Strays()

        async def main(scene=scene, cycle=cycle):
            async def interrupt():
                await scene.bench.kernel.sleep(cycle)
                if not scene.bench.model.irq.is_set():
                    scene.bench.model.irq.set()
                    await scene.bench.kernel.sleep(1)
                    scene.bench.model.irq.clear()

            stray = scene.bench.kernel.start(interrupt())
            ended = await scene.request()
            await stray.join()
            return ended, await scene.request()

        (error, result), (after, again) = scene.bench.run(main())
        done = len(DATA) if error is None else error.completed
        ends.add(type(error))
        assert result == EXPECTED[:done] + DATA[done:], cycle
        assert (after, again) == (None, EXPECTED), cycle
    assert ends == {type(None), EngineHang}


class Raising(RecordingPort):
    """Raises ``error`` at the end of its script ``number``, or instead of scripts that are ``refused``."""

    def __init__(self, model, number=0, refused=lambda accesses: False, error=None):
        super().__init__(model)
        self.number, self.refused = number, refused
        self.error = error or RuntimeError("no transport")

    @property
    def resets(self):
        return self.log.count("reset")

    async def script(self, accesses, master=0):
        if self.refused(accesses):
            raise self.error
        values = await super().script(accesses, master)
        if len(self.masters) == self.number:
            raise self.error
        return values


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_whatever_a_port_raises_the_engine_is_reset_and_the_next_request_is_right(number):
    scene = Strays(lambda model: Raising(model, number))

    async def main():
        with pytest.raises(RuntimeError, match="no transport"):
            await scene.request()
        assert scene.bench.free_bytes() == scene.free
        return await scene.request()

    assert scene.bench.run(main()) == (None, EXPECTED)
    assert scene.bench.port.resets >= 1


def every_register(accesses):
    return [access.address for access in accesses] == list(EVERY_READ)


def test_a_hang_whose_registers_cannot_be_read_is_still_a_hang_and_the_engine_is_reset():
    refusal = EngineFault("register", 0, 0, access="read")
    scene = Strays(lambda model: Raising(model, refused=every_register, error=refusal),
                   watchdog=lambda length: 50)
    error, result = scene.bench.run(scene.request())
    assert type(error) is EngineHang
    assert error.state == {"registers": "refused"}
    assert result == EXPECTED[:error.completed] + DATA[error.completed:]
    assert scene.bench.port.resets == 1


def test_a_result_that_cannot_be_read_by_anybody_is_refused_once_the_engine_is_reset():
    refusal = EngineFault("register", 0, 0, access="read")
    scene = Strays(lambda model: Raising(model, error=refusal, refused=lambda accesses: (
        [access.address for access in accesses[:5]] == list(RESULT_READS) or every_register(accesses))))
    error, _ = scene.bench.run(scene.request())
    assert (error.kind, scene.bench.port.resets) == ("register", 1)
