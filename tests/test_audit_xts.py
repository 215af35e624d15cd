"""The audit of XTS strategies: all layouts of one to four blocks."""

import pytest

from pymodel import golden
from pymodel.audit.layouts import PieceLayout, all_layouts
from pymodel.audit.xts_strategies import audit_strategy, case_of
from pymodel.buffers import Buffers
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec, model_bench
from pymodel.modes.xts import STRATEGIES
from pymodel.modes.xts_patches import PATCHES, PatchedXts


@pytest.fixture
def bench():
    return model_bench(BenchSpec())


def audited(bench, name):
    return bench.kernel.run(audit_strategy(bench.engine(), name))


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_strategies_are_right_in_every_layout(bench, name):
    audit = audited(bench, name)
    assert (audit.verdict, audit.counterexample) == ("bounded", None)
    assert audit.layouts == sum(c + c * c for c in (1, 2, 4, 8)) + sum(c + c * c for c in (2, 4, 8, 16))


@pytest.mark.parametrize("name", PATCHES)
def test_the_patches_of_2010_are_wrong_from_two_pieces_of_a_block_on(bench, name):
    audit = audited(bench, name)
    assert (audit.verdict, audit.counterexample) == ("wrong", PieceLayout((16, 16), None))


@pytest.mark.parametrize("name", PATCHES)
def test_the_patches_of_2010_are_right_in_one_piece(bench, name):
    """That is why nobody saw it."""
    key, tweak, data = bytes(range(32)), bytes(16), bytes(range(64))
    with PatchedXts(bench.engine(), key, name) as xts:
        patched = bench.kernel.run(xts.encrypt_bytes(tweak, data))
    assert patched == golden.xts_encrypt(key, tweak, data)


def test_the_patches_of_2010_refuse_what_they_could_not_do(bench):
    address = bench.memory.allocate(64)
    with PatchedXts(bench.engine(), bytes(32), "2010-patch-01") as xts:
        for pieces in ([(address, 24), (address + 32, 24)], [(address, 40)]):
            with pytest.raises(InvalidRequest, match="whole blocks"):
                bench.kernel.run(xts.encrypt(bytes(16), Buffers(pieces), Buffers(pieces)))


def test_every_layout_is_there_once_and_the_shortest_come_first():
    layouts = list(all_layouts(3, stealing=True))
    assert len(set(layouts)) == len(layouts)
    assert [layout.length for layout in layouts] == sorted(layout.length for layout in layouts)
    assert PieceLayout((16, 23), (32, 7)) in layouts
    assert all(layout.destination is None or sum(layout.destination) == layout.length for layout in layouts)


def test_a_counterexample_is_a_case_that_the_right_driver_passes(run_job, bench):
    audit = audited(bench, "2010-patch-01")
    ended = run_job("cases", {"cases": [case_of("counterexample", audit)]})
    assert ended.result == {"passed": 1, "failed": 0, "skipped": 0}
