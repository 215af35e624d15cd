"""The QCE's registers against its model: every address, long scripts, and two masters at a time."""

from __future__ import annotations

import cocotb

from cocotb_tests.qce_scenes import Act, Script, Set, Setting, Step
from cocotb_tests.scenes import generator
from cocotb_tests.test_qce_same_as_model import EFFORT, Pair
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce_registers import Register
from pymodel.engines.quirks import Quirk

SETTING = Setting(quirks=Quirk.all() & ~Quirk.SHARED_REGISTERS)
ONES = 0xFFFFFFFF


@cocotb.test()
async def a_read_that_is_refused_right_after_power_on_agrees(dut):
    """It must not show what nothing has been written to yet."""
    pair = await Pair.start(dut, Setting())
    outside = RegisterAccess(0x0004)
    await pair.agree([Act(((Script((outside,), 1), Script((outside,)), Script((RegisterAccess(0x3000),))),))])
    pair.finish()


@cocotb.test()
async def every_register_and_what_lies_beside_it_agrees(dut):
    pair = await Pair.start(dut, Setting())
    scene: list[Step] = []
    for setting in (Setting(), SETTING):
        for register in Register:
            for offset in (-4, 0, 1, 2):
                address = (register + offset) & 0xFFFF
                accesses = [RegisterAccess(address, value) for value in (None, ONES, None, 0, None)]
                actions = [Script((access,), master) for access in accesses for master in (1, 0)]
                scene += [Set(setting, reset=True), Act((tuple(actions),))]
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
async def random_addresses_agree(dut):
    numbers = generator(dut, "random addresses")
    pair = await Pair.start(dut, Setting())
    scene: list[Step] = [Set(Setting(), reset=True)]
    for _ in range(round(40 * EFFORT)):
        addresses = [numbers.randrange(*numbers.choice([(1 << 16,), (0x4000, 0x4200)])) for _ in range(8)]
        accesses = [RegisterAccess(address, numbers.choice([None, numbers.randrange(1 << 32)]))
                    for address in addresses]
        scene.append(Act((tuple(Script((access,)) for access in accesses),), reset=True))
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
async def accesses_of_the_other_master_go_before_what_is_left_of_a_long_script(dut):
    pair = await Pair.start(dut, Setting())
    counted = [RegisterAccess(Register.SEG_SIZE, value) for value in range(1, 71)]
    look, write = RegisterAccess(Register.SEG_SIZE), RegisterAccess(Register.SEG_SIZE, 1000)
    scene: list[Step] = []
    for gap in range(0, 150, max(1, round(3 / EFFORT))):
        other = (Script((look,), 1, gap), Script((write,), 1), Script((look, look, look), 1), Script((look,)))
        scene.append(Act(((Script((*counted, look)),), other)))
    await pair.agree(scene)
    pair.finish()
