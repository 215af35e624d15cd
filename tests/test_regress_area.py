"""Areas: what is read from Yosys, and tables that are those of docs/area.json."""

import json
import shutil

import pytest
from conftest import ROOT

from pymodel.errors import EcbenchError
from pymodel.regress import area, area_table
from pymodel.regress.config import Top

HEAD = """

11. Printing statistics.

=== aes_ecb ===

   Number of wires:               3320
   Number of memories:               0
   Number of processes:              0
   Number of cells:               6404
"""
LUT6 = HEAD + """     $_DFFE_PP_                   2437
     $_DFF_P_                      260
     $_SDFFCE_PP0P_                  1
     $_SDFFE_PP0N_                 152
     $lut                         3554

"""
ICE40 = HEAD + """     SB_CARRY                        7
     SB_DFF                        260
     SB_DFFESR                     145
     SB_LUT4                     13493

"""
XC7 = HEAD + """     BUFG                            1
     FDRE                         1052
     FDSE                            6
     IBUF                          527
     INV                             8
     LUT1                          303
     LUT6                         2663
     MUXF7                        2367
     RAM32M                         22

"""


@pytest.mark.parametrize(("text", "luts", "flip_flops"), [
    (LUT6, 3554, 2850), (ICE40, 13493, 405), (XC7, 2966 + 88, 1058),
], ids=["lut6", "ice40", "xc7"])
def test_luts_and_flip_flops_are_counted(text, luts, flip_flops):
    cells = area.parse_cells(text)
    assert area.luts_and_flip_flops(cells) == {"luts": luts, "flip_flops": flip_flops}


def test_the_last_statistics_count():
    assert area.parse_cells(XC7 + LUT6)["$lut"] == 3554
    assert "LUT6" not in area.parse_cells(XC7 + LUT6)


@pytest.mark.parametrize("text", ["", "ERROR: no such module", HEAD])
def test_statistics_without_cells_are_an_error(text):
    with pytest.raises(EcbenchError, match="name no cells"):
        area.parse_cells(text)


def test_memory_cells_of_unknown_size_are_an_error():
    with pytest.raises(EcbenchError, match="memory cells of unknown size: SB_RAM40_4K"):
        area.luts_and_flip_flops({"SB_LUT4": 3, "SB_RAM40_4K": 1})


# -- the file and the tables --------------------------------------------------------------------


def measured():
    return json.loads((ROOT / area_table.FILE).read_text())


def test_the_tables_of_the_pages_are_those_of_the_file():
    contents = measured()
    for name, columns in area_table.PAGES.items():
        text = (ROOT / name).read_text()
        assert area_table.with_table(text, area_table.table(contents, columns)) == text, f"{name}: make area"


def test_the_file_has_every_design_in_every_column_and_the_version_of_yosys():
    contents = measured()
    assert contents["flows"] == dict(area.FLOWS)
    assert contents["yosys"]
    assert [(row["module"], row["stages"]) for row in contents["rows"]] == \
        [(top.name, top.parameters.get("STAGES")) for top, _ in area.DESIGNS]
    for row, (_, flows) in zip(contents["rows"], area.DESIGNS, strict=True):
        assert all(row[flow]["luts"] > 0 and row[flow]["flip_flops"] > 0 for flow in flows)


def test_the_core_of_one_stage_is_as_small_as_promised():
    row = measured()["rows"][0]
    assert (row["module"], row["stages"]) == ("aes_ecb", 1)
    assert row["lut6"]["luts"] <= 3700


def test_the_manual_names_the_commands_that_were_used():
    page = (ROOT / "docs" / "area.md").read_text()
    assert all(f"`{command}`" in page for command in area.FLOWS.values())


CONTENTS = {"yosys": "0.99", "flows": {}, "rows": [
    {"module": "core", "stages": 14, "lut6": {"luts": 12345, "flip_flops": 6}},
    {"module": "reader", "stages": None, "lut6": {"luts": 1, "flip_flops": 2},
     "ice40": {"luts": 3, "flip_flops": 4}},
]}


def test_a_table_has_a_dash_where_nothing_was_measured():
    columns = {"LUT6": ("lut6", "luts"), "LUT4": ("ice40", "luts")}
    assert area_table.table(CONTENTS, columns) == ("| Yosys 0.99 | `STAGES` | LUT6 | LUT4 |\n"
                                                   "|---|---|---:|---:|\n"
                                                   "| `core` | 14 | 12,345 | - |\n"
                                                   "| `reader` |  | 1 | 3 |\n")


@pytest.mark.parametrize("text", ["no mark", "<!-- area: made by make area -->\n", "<!-- end of area -->\n"])
def test_a_page_without_its_place_is_an_error(text):
    with pytest.raises(EcbenchError, match="0 places for the table of areas"):
        area_table.with_table(text, "table\n")


# -- measuring ----------------------------------------------------------------------------------

needs_yosys = pytest.mark.skipif(shutil.which("yosys") is None, reason="Yosys not found")
COUNTER = """module counter #(parameter STAGES = 1) (input wire clk, output reg [STAGES-1:0] q);
    always @(posedge clk) q <= q + 1'b1;
endmodule
"""


@pytest.fixture
def counter(tmp_path, monkeypatch):
    """A checkout with one small design of 5 bits."""
    (tmp_path / "counter.v").write_text(COUNTER)
    top = Top("counter", ("counter.v",), root=tmp_path).with_parameters(STAGES=5)
    monkeypatch.setattr(area, "DESIGNS", ((top, ("lut6", "ice40")),))
    (tmp_path / "docs").mkdir()
    for name in area_table.PAGES:
        (tmp_path / name).write_text("before\n<!-- area: made by make area -->\nold\n<!-- end of area -->\n")
    return top


@needs_yosys
def test_a_design_is_measured_once_for_each_version_of_its_sources(counter, tmp_path, monkeypatch, capsys):
    area.measure_all(tmp_path)
    contents = json.loads((tmp_path / "docs" / "area.json").read_text())
    row, = contents["rows"]
    assert contents["yosys"] == area.yosys_version()
    assert row["lut6"]["flip_flops"] == row["ice40"]["flip_flops"] == 5
    page = (tmp_path / "README.md").read_text()
    assert page.startswith("before\n<!-- area: made by make area -->\n\n| Yosys ")
    assert page.endswith(f"| `counter` | 5 | {row['lut6']['luts']} | 5 |\n\n<!-- end of area -->\n")
    assert capsys.readouterr().out.count("counter") == 2
    area.measure_all(tmp_path)
    assert capsys.readouterr().out == ""
    (tmp_path / "counter.v").write_text(COUNTER.replace("1'b1", "1'b1 + 1'b1"))
    area.measure_all(tmp_path)
    assert capsys.readouterr().out.count("counter") == 2


@needs_yosys
def test_what_yosys_refuses_is_one_line(counter, tmp_path):
    (tmp_path / "counter.v").write_text("module other; endmodule\n")
    with pytest.raises(EcbenchError, match=r"^Yosys could not synthesise counter: ERROR: [^\n]+$"):
        area.synthesise(counter, "lut6")


def test_a_missing_yosys_is_one_line_and_exit_code_2(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert area.main() == 2
    assert capsys.readouterr().err == "Yosys not found (apt-get install yosys)\n"
