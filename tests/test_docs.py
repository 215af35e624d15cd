"""The manual's own examples work."""

import re

import pytest
import typer
from conftest import ROOT
from padlock_bench import PadlockBench

from pymodel import cli
from pymodel.buffers import Buffers
from pymodel.engines.padlock import ControlWord
from pymodel.engines.ports import Xcrypt
from pymodel.engines.quirks import Quirk
from pymodel.jobs import BenchSpec, model_bench
from pymodel.memory import PAGE_BYTES

MODULES = {"aes_ecb": "hdl/aes/aes_ecb.v", "padlock": "hdl/padlock/padlock.v",
           "padlock_top": "hdl/sim/padlock_top.v", "qce": "hdl/qce/qce.v", "qce_top": "hdl/sim/qce_top.v"}


def page(name):
    return (ROOT / name).read_text()


def rows(text, heading):
    """The cells of the table under this row of headings."""
    lines = text.split(f"\n{heading}\n", 1)[1].splitlines()[1:]
    table = lines[:next((k for k, line in enumerate(lines) if not line.startswith("|")), len(lines))]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]


def code_blocks():
    return re.findall(r"```python\n(.*?)```", page("docs/own-test.md"), re.DOTALL)


def test_your_own_test_in_20_lines_runs_as_printed(run_rtl, sim, tmp_path):
    code = code_blocks()[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    (tmp_path / "my_test.py").write_text(code)
    run_rtl("padlock_top", "my_test", sim, import_paths=(tmp_path,))


def test_the_example_of_everything_runs_as_printed(run_rtl, sim, tmp_path):
    (tmp_path / "more.py").write_text(code_blocks()[1])
    run_rtl("padlock_top", "more", sim, import_paths=(tmp_path,))


# -- ports --------------------------------------------------------------------------------------


def ports_in_verilog(module):
    """Name to width, of every port but those of the AXI master and slave."""
    text = re.sub(r"//.*", "", page(MODULES[module]))
    header = re.search(rf"module {module}\b.*?\);", text, re.DOTALL)[0]
    found = re.findall(r"\b(?:input|output)\s+(?:wire|reg)\s*(?:\[(\d+):0\])?\s*(\w+)", header)
    return {name: int(top or 0) + 1 for top, name in found if not name.startswith(("m_axi_", "s_axil_"))}


def parameters_in_verilog(module):
    return set(re.findall(r"parameter (\w+)", re.sub(r"//.*", "", page(MODULES[module]))))


def section(module):
    return page("docs/ports.md").split(f"\n## `{module}` ", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("module", MODULES)
def test_every_port_and_parameter_is_in_the_manual(module):
    described = {}
    for names, widths, _ in rows(section(module), "| port | width | meaning |"):
        names, widths = re.findall(r"`(\w+)`", names), [int(width) for width in widths.split(",") if width]
        described.update(zip(names, widths if len(widths) > 1 else widths * len(names), strict=True))
    assert described == ports_in_verilog(module)
    assert {"clk", "rst"} <= set(described)
    assert ("m_axi_*" in section(module)) == (module in ("padlock", "qce"))
    named = {row[0].strip("`") for row in rows(section(module), "| parameter | values | meaning |")}
    assert named == parameters_in_verilog(module)


# -- commands -----------------------------------------------------------------------------------


def options_of(command):
    """Option to default, as the manual writes it: what is shown for it, where it is another in code."""
    shown = {None: "none", False: "off"}
    return {option.opts[0]: option.show_default if isinstance(option.show_default, str)
            else str(shown.get(option.default, option.default))
            for option in command.params if option.opts[0].startswith("--")}


def test_the_common_options_have_the_defaults_of_the_manual():
    commands, text = typer.main.get_command(cli.app).commands, page("docs/commands.md")
    heading = next(line for line in text.splitlines() if line.startswith("| option | `run`"))
    names = re.findall(r"`(\w+)`", heading)
    assert set(names) == set(commands)
    for row in rows(text, heading):
        option = re.match(r"`(--\w+)", row[0])[1]
        assert dict(zip(names, row[1:-1], strict=True)) == \
            {name: options_of(commands[name]).get(option, "") for name in names}, option


def test_every_option_of_every_command_is_in_the_manual():
    text = page("docs/commands.md")
    common = text.split("\n## ", 1)[0]
    for name, command in typer.main.get_command(cli.app).commands.items():
        own = text.split(f"\n## ecbench {name}", 1)[1].split("\n## ", 1)[0]
        missing = [option for option in options_of(command) if f"`{option}" not in common + own]
        assert not missing, f"{name}: {missing}"


def test_every_variable_of_the_manual_is_looked_at():
    named = set(re.findall(r"\$(ECBENCH_\w+)", page("docs/commands.md")))
    code = "".join(path.read_text() for path in (ROOT / "pymodel").rglob("*.py"))
    assert named == {"ECBENCH_BUILD", "ECBENCH_VERILATOR", "ECBENCH_SEED"}
    assert all(f'environ.get("{name}"' in code for name in named)


# -- figures ------------------------------------------------------------------------------------


def cycles(stages, count, *, held=True, offset=0):
    """Of AES-128 ECB on a memory that answers at once; the source begins a page, the destination lies
    ``offset`` blocks into one. ``held``: after a request that loaded the key."""
    bench = PadlockBench(stages=stages)
    pages = bench.memory.allocate_pages(8)
    word = ControlWord(rounds=10, keygen=False, decrypt=False, ksize=0)
    bench.memory.write(pages, word.encode().to_bytes(16, "little"))
    pointers = pages, pages + 512, pages + PAGE_BYTES, pages + 4 * PAGE_BYTES + 16 * offset
    if held:
        bench.run(bench.port.xcrypt(Xcrypt(*pointers, 1)))
    return bench.run(bench.port.xcrypt(Xcrypt(*pointers, count))).cycles


def test_the_manual_has_the_cycles_of_the_model():
    """Which are those of the RTL: cocotb_tests/test_padlock_engine.py."""
    requests = {"1 block, with the raw key to be loaded": {"count": 1, "held": False},
                "2 blocks, key held": {"count": 2}, "512 blocks, key held": {"count": 512}}
    measured = {name: [f"{cycles(stages, **request):,}" for stages in (1, 2, 14)]
                for name, request in requests.items()}
    table = rows(page("docs/ports.md"), "| AES-128, cycles (`done_cycles`) | `STAGES` 1 | 2 | 14 |")
    assert {row[0]: row[1:] for row in table} == measured
    table = rows(page("README.md"), "| cycles | `STAGES` 1 | 2 | 14 |")
    assert table[-1][0].startswith("ECB of 512 blocks")
    assert table[-1][1:] == measured["512 blocks, key held"]


def test_the_place_of_the_destination_costs_what_the_manual_says():
    large = [cycles(1, 512, offset=offset) for offset in range(16)]
    small = [cycles(1, count, offset=offset) - 10 * count for count in range(1, 40) for offset in range(16)]
    more = sorted([*small, *(spent - 5120 for spent in large)])
    assert f"{more[0]} to {more[-1]} cycles more" in page("docs/ports.md")
    for name in ("docs/ports.md", "README.md"):
        assert f"{min(large):,} to {max(large):,}" in page(name)


def qce_cycles(stages, blocks, *, slow=False, key_bytes=16):
    """(CYCLES, cycles of the whole call) of AES-128 ECB through the driver, each buffer begins a page."""
    quirks = Quirk.all() if slow else Quirk.all() & ~Quirk.SLOW_START
    bench = model_bench(BenchSpec(engine="qce", stages=stages, quirks=int(quirks)))
    page, length = bench.memory.allocate_pages(8), 16 * blocks
    engine = bench.engine()
    src, dst = Buffers.of(page, length), Buffers.of(page + 4 * PAGE_BYTES, length)
    bench.kernel.run(engine.ecb(engine.key(bytes(key_bytes)), src, dst, decrypt=False))
    return engine.counters.engine_cycles, bench.kernel.now()


def test_the_page_on_the_qce_has_the_cycles_of_the_model():
    """Which are those of the RTL: cocotb_tests/test_qce_same_as_model.py."""
    text = page("docs/qce.md")
    measured = {name: [f"{qce_cycles(stages, blocks)[0]:,}" for stages in (1, 2, 14)]
                for name, blocks in (("1 block", 1), ("512 blocks", 512))}
    assert {row[0]: row[1:] for row in rows(text, "| cycles (`CYCLES`) | `STAGES` 1 | 2 | 14 |")} == measured
    slow, _ = qce_cycles(1, 1, slow=True)
    assert f"with 64, 1 block takes {slow}" in text.replace("\n", " ")
    calls = [qce_cycles(1, 512, key_bytes=size) for size in (16, 32)]
    short, long = [whole - engine for engine, whole in calls]
    assert f"The registers take {short} cycles more ({long} with a key of 256 bits)" in text


# -- links --------------------------------------------------------------------------------------


def test_every_link_of_the_manual_leads_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
