"""GCM over each engine's driver on the RTL, in every simulator."""

import pytest

from pymodel.jobs.engines import ENGINES, KINDS


@pytest.mark.parametrize("engine", ENGINES)
def test_gcm_on_rtl_gives_known_answers_and_releases_nothing_under_a_wrong_tag(run_rtl, sim, engine):
    run_rtl(KINDS[engine].top, "cocotb_tests.test_gcm", sim, fast=True)
