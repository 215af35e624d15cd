"""The AXI checker alone, in every simulator."""


def test_the_checker_counts_each_kind_of_mistake(run_rtl, sim):
    run_rtl("axi_check_top", "cocotb_tests.test_axi_check", sim)
