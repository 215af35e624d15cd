"""The same program on the model and on the RTL: the same bytes, errors, order and cycle stamps."""

import hashlib
import random

import cocotb

from cocotb_tests.env.bench import RtlBench
from pymodel.errors import EngineHang
from pymodel.jobs import Bench, BenchSpec, model_bench
from pymodel.kernel import gather
from pymodel.modes import Cbc, Ctr, Ecb, Xts

CONTEXTS = 5
ROUNDS = 8

SPECS = {
    "defaults": BenchSpec(),
    "slow memory": BenchSpec(read_latency=23, write_latency=41, setup_cycles=0),
    "nano": BenchSpec(fetch_blocks=8, setup_cycles=60, policy="always"),
}


async def program(bench: Bench, seed: int) -> list[tuple[int, str]]:
    """Contexts of all modes at once, interrupts and resets at random cycles; when each thing happened."""
    log: list[tuple[int, str]] = []
    began, engine = bench.kernel.now(), bench.engine()
    running = CONTEXTS

    def note(text: str) -> None:
        log.append((bench.kernel.now() - began, text))

    async def context(number: int) -> None:
        nonlocal running
        draw = random.Random(f"{seed}/{number}")
        for _ in range(ROUNDS):
            await bench.kernel.sleep(draw.randrange(200))
            try:
                note(f"{number} {hashlib.sha256(await request(draw)).hexdigest()[:16]}")
            except EngineHang as hang:
                note(f"{number} was reset after {hang.cycles} cycles: {hang.request}")
        running -= 1

    async def request(draw: random.Random) -> bytes:
        key, iv = draw.randbytes(draw.choice((16, 24, 32))), draw.randbytes(16)
        data = draw.randbytes(draw.randrange(16, 800))
        whole = data[:len(data) // 16 * 16]
        kind = draw.randrange(4)
        if kind == 0:
            with Xts(engine, key + key[::-1]) as xts:
                return await (xts.encrypt_bytes if draw.random() < 0.5 else xts.decrypt_bytes)(iv, data)
        if kind == 1:
            with Cbc(engine, key) as cbc:
                crypt = cbc.encrypt_bytes if draw.random() < 0.5 else cbc.decrypt_bytes
                return b"".join(await crypt(iv, whole))
        if kind == 2:
            with Ctr(engine, key) as ctr:
                return b"".join(await ctr.crypt_bytes(iv, data))
        with Ecb(engine, key) as ecb:
            return await ecb.encrypt_bytes(whole)

    async def disturb(what: str, period: int) -> None:
        draw = random.Random(f"{seed}/{what}")
        while running:
            await bench.kernel.sleep(draw.randrange(1, period))
            note(what)
            await (bench.port.interrupt() if what == "interrupt" else engine.reset())

    await gather(bench.kernel, *(context(number) for number in range(CONTEXTS)), disturb("interrupt", 400),
                 disturb("reset", 4000))
    note("end")
    return log


@cocotb.test()
@cocotb.parametrize(name=list(SPECS))
async def model_and_rtl_do_the_same_things_in_the_same_cycles(dut, name: str):
    seed = cocotb.RANDOM_SEED
    dut._log.info("seed %d", seed)
    model = model_bench(SPECS[name])
    expected = model.kernel.run(program(model, seed))
    bench = await RtlBench.start(dut, SPECS[name])
    observed = await bench.kernel.drive(program(bench, seed))
    for one, other in zip(expected, observed, strict=False):
        assert one == other, f"model {one}, RTL {other}"
    assert len(expected) == len(observed) > CONTEXTS * ROUNDS
    bench.check(at_least=CONTEXTS * ROUNDS)
