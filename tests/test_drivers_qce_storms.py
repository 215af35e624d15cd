"""QceDriver while a second master writes all over the registers at random moments."""

from __future__ import annotations

import pytest
from qce_driver_bench import EVERY, HARMFUL, QceBench, error_of
from scatter import Layout
from seeded import seeded

from pymodel import golden
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk
from pymodel.kernel import gather

NAIVE = Quirk.SHARED_REGISTERS


async def second_master(bench, rng, stop, registers):
    """Random writes at random moments, some of which would do something."""
    while not stop:
        await bench.kernel.sleep(rng.randrange(1, 120))
        register = rng.choice(registers)
        value = HARMFUL.get(register) if rng.random() < 0.5 else None
        await error_of(bench.model.write(register, rng.getrandbits(32) if value is None else value, 1))


def storm(seed, *, naive, bus_errors=False, registers=EVERY):
    """200 requests of 8 contexts under fire; of each (error, what is done is right, hangs on purpose)."""
    bench = QceBench(pages=1024)
    stop, outcomes = [], []
    options = {"watchdog": lambda length: 6000 + 20 * length}
    driver = bench.naive(NAIVE, **options) if naive else bench.driver(**options)
    hanging = bench.driver(handles=driver.handles & ~Quirk.LENGTH_512_HANG, **options)

    async def context(number):
        rng = seeded(seed, number)
        for _ in range(25):
            hangs = rng.random() < 0.05
            mine, key = hanging if hangs else driver, rng.randbytes(rng.choice([16, 32]))
            data = rng.randbytes(16 * (rng.randrange(33, 63) if hangs else rng.randrange(1, 60)))
            layout = Layout(bench.memory, rng, data, in_place=rng.random() < 0.5,
                            largest=rng.choice([None, 40, 500]))
            expected = golden.ecb_encrypt(key, data)
            if bus_errors and rng.random() < 0.1:
                errors = rng.choice([bench.model.read_bus_errors, bench.model.write_bus_errors])
                errors.add(rng.choice([layout.src, layout.dst]).runs[0].address // 16 * 16)
            error = await error_of(mine.ecb(mine.key(key), layout.src, layout.dst, decrypt=False))
            done = len(data) if error is None else error.completed
            right = layout.result()[:done] == expected[:done]
            outcomes.append((error, right, hangs))
            assert layout.untouched_elsewhere() or naive
            layout.free()

    async def main():
        fire = bench.kernel.start(second_master(bench, seeded(seed), stop, registers))
        await gather(bench.kernel, *(context(number) for number in range(8)))
        stop.append(True)
        await fire.join()

    bench.run(main())
    assert bench.free_bytes() == bench.memory.size
    return outcomes


@pytest.mark.parametrize("bus_errors", [False, True])
def test_under_fire_200_requests_with_the_lock_end_right_or_in_the_errors_they_should(bus_errors):
    for seed in range(2):
        outcomes = storm(seed, naive=False, bus_errors=bus_errors)
        assert len(outcomes) == 200
        assert all(right for _, right, _ in outcomes)
        kinds = {getattr(error, "kind", "hang") for error, _, hangs in outcomes if error is not None}
        assert kinds == ({"bus", "hang"} if bus_errors else {"hang"})
        assert all(error is not None for error, _, hangs in outcomes if hangs)
        if not bus_errors:
            assert all(error is None for error, _, hangs in outcomes if not hangs)


def test_under_fire_results_without_the_lock_are_wrong_in_silence():
    outcomes = storm(1, naive=True, registers=[Register.ENCR_KEY0, Register.ENCR_KEY3])
    assert all(error is None for error, _, hangs in outcomes if not hangs)
    assert 5 < sum(not right for _, right, _ in outcomes) < 195
