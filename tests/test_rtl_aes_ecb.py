"""The block core alone, in every simulator."""

import pytest

MODULES = ("cocotb_tests.test_aes_ecb", "cocotb_tests.test_aes_ecb_control")


@pytest.mark.parametrize("module", MODULES)
def test_aes_ecb_keeps_its_contract(run_rtl, sim, module):
    run_rtl("aes_ecb", module, sim)
