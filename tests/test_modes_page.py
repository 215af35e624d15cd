"""The page on modes: its example runs, and its figures are counted."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory
from pymodel.modes import Cbc, Ctr, Xts

PAGE = (ROOT / "docs" / "modes.md").read_text()


def test_the_example_runs_as_printed():
    namespace = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], namespace)
    text, other = namespace["text"], namespace["other"]
    assert text[16:] == other[:16]
    assert (len(text), len(other)) == (32, 32)
    assert namespace["engine"].counters.calls == 3 + 2 + (1 + 32) + 256 + 1 + 1 + 2
    with pytest.raises(ValueError, match="XTS needs a block of 16 bytes"):
        Xts(namespace["des"], bytes(24))


def calls(request, length):
    """Of a request on a buffer of this length."""
    kernel = Kernel()
    engine = SoftwareEngine(HostMemory(64 * PAGE_BYTES), kernel, Cpu(kernel))
    buffer = Buffers.raw(engine.memory.allocate(length), length)
    kernel.run(request(engine, buffer))
    return engine.counters.calls


def test_the_engine_calls_of_the_page_are_those_of_requests():
    ivs, key = [bytes(16)] * 64, bytes(range(32))

    def units(strategy):
        return lambda engine, all_units: Xts(engine, key, strategy=strategy).encrypt_units(
            ivs, 512, all_units, all_units)

    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    table = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    printed = {(row[0], row[1]): int(row[2]) for row in table if len(row) == 3 and row[2].isdigit()}
    measured = {
        ("XTS, 64 sectors of 512 bytes", "`per-block`"): calls(units("per-block"), 64 * 512),
        ("", "`two-pass`, `cached`"): calls(units("two-pass"), 64 * 512),
        ("", "`batch`"): calls(units("batch"), 64 * 512),
        ("CBC encryption, 64 streams of 32 blocks", ""): calls(
            lambda engine, src: Cbc(engine, key).encrypt_units(ivs, 512, src, src), 64 * 512),
        ("CBC decryption, any number of streams", ""): calls(
            lambda engine, src: Cbc(engine, key).decrypt_units(ivs, 512, src, src), 64 * 512),
        ("CTR, any length", ""): calls(lambda engine, src: Ctr(engine, key).crypt(bytes(16), src, src), 1001),
    }
    assert printed == measured
    assert calls(units("cached"), 64 * 512) == printed["", "`two-pass`, `cached`"]


def test_the_example_is_that_of_the_golden_model():
    """Its first request: 100 bytes of an empty page."""
    namespace = {}
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    exec(code.split("    # 64 sectors")[0] + "\n\nkernel.run(main())\n", namespace)
    memory, page = namespace["memory"], namespace["page"]
    result = memory.read(page + 4096, 60) + memory.read(page + 8192, 40)
    assert result == golden.xts_encrypt(bytes(range(64)), (7).to_bytes(16, "little"), bytes(100))
