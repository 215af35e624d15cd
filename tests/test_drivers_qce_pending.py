"""QceDriver when another master has left an interrupt behind: to clear it must not give the lock away."""

import pytest
from qce_driver_bench import QceBench, error_of, some_data

from pymodel import golden
from pymodel.engines.qce_registers import Register

KEY = bytes(range(32))
DATA = some_data(160)


@pytest.mark.parametrize(("register", "value"), [
    (Register.ENCR_KEY0, 0xBAD), (Register.ENCR_SEG_CFG, 2), (Register.SEG_SIZE, 144), (Register.CONFIG, 0xF),
    (Register.SOFT_RESET, 1), (Register.STATUS, 0)])
def test_no_write_of_another_master_at_any_cycle_does_harm(register, value):
    for cycle in range(1, 200, 3):
        bench = QceBench(slow_start_cycles=8)
        driver = bench.driver(watchdog=lambda length: 3000)
        src, dst = bench.buffer(DATA), bench.buffer(bytes(160))

        async def main(bench=bench, driver=driver, src=src, dst=dst, cycle=cycle):
            await bench.model.write(Register.GOPROC, 1, 1)  # ends at once, in SW_ERR and ERR_INTR
            await bench.kernel.sleep(20)
            request = bench.kernel.start(driver.ecb(driver.key(KEY), src, dst, decrypt=False))
            await bench.kernel.sleep(cycle)
            await error_of(bench.model.write(register, value, 1))
            return await error_of(request.join())

        assert bench.run(main()) is None, cycle
        assert dst.read(bench.memory) == golden.ecb_encrypt(KEY, DATA), cycle
