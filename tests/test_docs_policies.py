"""The page on policies: its verdicts are the catalogue's, and its cycles are measured."""

import re

import pytest
from conftest import ROOT

from pymodel.audit.catalogue import KEY_LOAD, XTS
from pymodel.audit.layouts import all_layouts
from pymodel.audit.xts_strategies import MOST_BLOCKS
from pymodel.buffers import Buffers
from pymodel.drivers.policies import POLICIES
from pymodel.jobs import BenchSpec, model_bench
from pymodel.modes import Ecb, Xts

PAGE = (ROOT / "docs" / "policies.md").read_text()


def rows(heading):
    """The cells of the table under this row of headings."""
    lines = PAGE.split(f"\n{heading}\n", 1)[1].splitlines()[1:]
    return [[cell.strip(" `") for cell in line[1:-1].split("|")]
            for line in lines[:next(k for k, line in enumerate(lines) if not line.startswith("|"))]]


@pytest.mark.parametrize(("heading", "catalogue"), [
    ("| policy | what it remembers | verdict | shortest counterexample |", KEY_LOAD),
    ("| strategy | what it does | verdict | shortest counterexample |", XTS)])
def test_the_verdicts_of_the_page_are_the_catalogues(heading, catalogue):
    assert {row[0]: row[2] for row in rows(heading)} == dict(catalogue)
    assert all(bool(row[3]) == (row[2] == "wrong") for row in rows(heading))


def test_every_policy_has_a_verdict():
    assert set(KEY_LOAD) == set(POLICIES)


def test_the_cycles_of_the_page_are_what_requests_take():
    heading = next(line for line in PAGE.splitlines() if line.startswith("| policy | ECB, AES-128 |"))
    for name, *figures in rows(heading):
        measured = [measure(name, mode, size) for mode, size in ((Ecb, 16), (Ecb, 32), (Xts, 32))]
        assert figures == [text for cycles, loads in measured for text in (f"{cycles:.2f}", str(loads))], name


def measure(policy, mode, key_bytes):
    bench = model_bench(BenchSpec(policy=policy))
    buffer = Buffers.of(bench.memory.allocate(512, 4096), 512)
    engine = bench.engine()

    async def work():
        with mode(engine, bytes(range(key_bytes))) as cipher:
            for _ in range(100):
                await cipher.encrypt(*([] if mode is Ecb else [bytes(16)]), buffer, buffer)

    bench.kernel.run(work())
    return engine.counters.engine_cycles / 100, engine.counters.key_loads


def test_the_number_of_layouts_is_that_of_the_audit():
    assert re.search(r"(\d+) layouts", PAGE)[1] == str(len(list(all_layouts(MOST_BLOCKS, stealing=True))))
