"""The bench in a simulator: scheduler, byte order, faults, and the same stamps as on the model."""

from dataclasses import replace

import pytest

from pymodel.regress.config import known_top

MODULES = ("test_cosim_kernel", "test_byte_order", "test_padlock_faults", "test_padlock_events",
           "test_same_stamps", "test_back_pressure_from_power_on")


@pytest.mark.parametrize("module", MODULES)
def test_bench_module_passes(run_rtl, sim, module):
    run_rtl("padlock_top", f"cocotb_tests.{module}", sim)


def test_the_bench_does_the_same_in_the_build_for_speed(run_rtl, sim):
    run_rtl("padlock_top", "cocotb_tests.test_same_stamps", sim, fast=True)


def test_the_back_door_works_without_a_file(run_rtl, sim):
    """Line by line through VPI, as in a simulation that ecbench did not start."""
    run_rtl(replace(known_top("padlock_top"), image_bytes=0), "cocotb_tests.test_same_stamps", sim)
