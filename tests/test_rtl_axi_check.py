"""The checkers of the buses alone, in every simulator."""

import pytest


@pytest.mark.parametrize("checker", ["axi_check", "axil_check"])
def test_the_checker_counts_each_kind_of_mistake(run_rtl, sim, checker):
    run_rtl(f"{checker}_top", f"cocotb_tests.test_{checker}", sim)
