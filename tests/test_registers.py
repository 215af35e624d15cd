"""What is made from the register map is up to date; the map is that of the real part where it says so."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT

from pymodel.engines import qce_registers
from pymodel.engines.qce_registers import READABLE, RESET, WRITABLE, Register
from pymodel.engines.register_field import Field
from pymodel.errors import EcbenchError
from pymodel.regress import registers

REAL_ADDRESSES = {
    "VERSION": 0x000, "STATUS": 0x100, "STATUS2": 0x104, "SEG_SIZE": 0x110, "GOPROC": 0x120,
    "ENCR_SEG_CFG": 0x200, "ENCR_SEG_SIZE": 0x204, "ENCR_SEG_START": 0x208,
    "CNTR0_IV": 0x20C, "CNTR1_IV": 0x210, "CNTR2_IV": 0x214, "CNTR3_IV": 0x218,
    "XTS_DU_SIZE": 0x230, "CONFIG": 0x400, **{f"ENCR_KEY{k}": 0x3000 + 4 * k for k in range(8)},
}
"""Of the registers that the real part has too: Linux, drivers/crypto/qce/regs-v5.h, written down by hand."""

REAL_FIELDS = {
    "STATUS": {"SW_ERR": (0, 0), "OPERATION_DONE": (1, 1), "ERR_INTR": (4, 4), "OP_DONE_INTR": (5, 5),
               "ENCR_BUSY": (9, 9), "CRYPTO_STATE": (13, 10), "AXI_ERR": (14, 14), "DIN_ERR": (15, 15),
               "DOUT_ERR": (16, 16)},
    "STATUS2": {"LOCKED": (2, 2)},
    "GOPROC": {"GO": (0, 0), "CLR_CNTXT": (1, 1), "RESULTS_DUMP": (2, 2)},
    "ENCR_SEG_CFG": {"ALG": (2, 0), "KEY_SIZE": (5, 3), "MODE": (9, 6), "ENCODE": (10, 10)},
    "XTS_DU_SIZE": {"BYTES": (19, 0)},
    "CONFIG": {"MASK_ERR_INTR": (0, 0), "MASK_OP_DONE_INTR": (1, 1), "MASK_DIN_INTR": (2, 2),
               "MASK_DOUT_INTR": (3, 3)},
    "VERSION": {"STEP": (15, 0), "MINOR": (23, 16), "MAJOR": (31, 24)},
}
"""Its fields, as (most, least) significant bit; by hand, too."""

REAL_VALUES = {"Alg": {"AES": 2}, "KeySize": {"AES128": 0, "AES256": 2}, "Mode": {"ECB": 0}}

FIELDS = {name: value for name, value in vars(qce_registers).items() if isinstance(value, Field)}


@pytest.fixture(scope="module")
def made():
    return registers.make(ROOT)


@pytest.mark.parametrize("path", registers.MADE, ids=str)
def test_what_is_made_from_the_register_map_is_up_to_date(made, path):
    assert (ROOT / path).read_text() == made[path], "hdl/qce/qce.rdl was changed: make registers"


def test_a_changed_map_changes_all_that_is_made_from_it(made, tmp_path):
    text = (ROOT / registers.SOURCE).read_text()
    changed = text.replace("GOPROC @ 0x0120", "GOPROC @ 0x0124")
    assert changed != text
    copy = tmp_path / registers.SOURCE
    copy.parent.mkdir(parents=True)
    copy.write_text(changed)
    remade = registers.make(tmp_path)
    assert [path for path in made if remade[path] == made[path]] == []


def test_an_error_in_the_map_is_told(tmp_path, capfd):
    copy = tmp_path / registers.SOURCE
    copy.parent.mkdir(parents=True)
    copy.write_text("addrmap qce {\n  reg { field {} A[0:0]; } R @ 0x2;\n}\n")
    with pytest.raises(EcbenchError, match=r"qce\.rdl"):
        registers.make(tmp_path)
    assert "qce.rdl:3" in capfd.readouterr().err


def test_only_what_makes_the_files_needs_the_packages_for_it():
    blocked = "sys.modules.update(dict.fromkeys(('systemrdl', 'jinja2', 'cocotbext')))"
    imports = "import pymodel.cli, cocotb_tests.env.bench"
    subprocess.run([sys.executable, "-c", f"import sys; {blocked}; {imports}"], check=True)


def test_the_registers_of_the_real_part_are_where_they_are_there():
    ours = {register.name: register.value for register in Register if register < 0x4000}
    assert ours == REAL_ADDRESSES


def test_the_fields_of_the_real_part_are_where_they_are_there():
    for register, fields in REAL_FIELDS.items():
        ours = {name.removeprefix(f"{register}_"): (field.low + field.width - 1, field.low)
                for name, field in FIELDS.items() if field.register == Register[register]}
        assert ours == fields, register


def test_the_codes_of_the_real_part_are_the_same():
    for name, values in REAL_VALUES.items():
        ours = {value.name: value.value for value in getattr(qce_registers, name)}
        assert ours | values == ours, name


def test_only_what_may_be_written_can_be():
    read_only = {"VERSION", "STATUS2", "SRC_CURRENT", "DST_CURRENT", "CYCLES", "BYTES_DONE", "FAULT",
                 "FAULT_ADDRESS"}
    write_only = {"SRC_DOORBELL", "DST_DOORBELL", "SOFT_RESET", *(f"ENCR_KEY{k}" for k in range(8))}
    assert {register.name for register in set(Register) - WRITABLE} == read_only
    assert {register.name for register in set(Register) - READABLE} == write_only


def test_resets_are_the_version_and_the_masked_interrupts():
    assert {register.name: value for register, value in RESET.items() if value} == \
        {"VERSION": 0x05_01_0000, "CONFIG": 0xF}
    assert set(RESET) == set(Register)


def test_verilog_and_python_name_the_same_numbers():
    """Read from the two files, not from the map."""
    text = (ROOT / "hdl/qce/qce_registers.vh").read_text()
    found = re.findall(r"^localparam (?:\[\d+:0\]|integer) (\w+) += (?:\d+'[hd])?([0-9a-f]+);$", text,
                       re.MULTILINE)
    assert len(found) == text.count("localparam") == len({name for name, _ in found})
    verilog = dict(found)
    expected = {f"ADDR_{register.name}": f"{register.value:04x}" for register in Register}
    expected |= {f"RESET_{register.name}": f"{value:08x}" for register, value in RESET.items() if value}
    for name, field in FIELDS.items():
        if field.width == 1:
            expected[f"{name}_BIT"] = str(field.low)
        else:
            expected |= {f"{name}_LSB": str(field.low), f"{name}_MSB": str(field.low + field.width - 1)}
    for prefix, values in (("STATE", "CryptoState"), ("FAULT_KIND", "FaultKind"),
                           ("FAULT_ACCESS", "FaultAccess"), ("ALG", "Alg"), ("KEY_SIZE", "KeySize"),
                           ("MODE", "Mode")):
        expected |= {f"{prefix}_{value.name}": str(value.value) for value in getattr(qce_registers, values)}
    assert verilog == expected


def test_the_manual_names_every_register_and_field():
    text = (ROOT / "docs/registers.md").read_text()
    listed = dict(re.findall(r"^\| 0x([0-9a-f]{4}) \| `(\w+)` \|", text, re.MULTILINE))
    assert listed == {f"{register.value:04x}": register.name for register in Register}
    for field in FIELDS.values():
        section = text.split(f"`{Register(field.register).name}` 0x", 1)[1].split("\n## ", 1)[0]
        top = field.low + field.width - 1
        assert f"\n| {field.low if field.width == 1 else f'{top}:{field.low}'} | " in section, field


@pytest.mark.parametrize(("low", "width"), [(0, 1), (10, 4), (16, 16), (0, 32)])
def test_a_field_goes_into_a_word_and_comes_out(low, width):
    field, largest = Field(Register.STATUS, low, width), (1 << width) - 1
    assert field.mask == largest << low
    assert field.get(field.put(largest)) == largest
    assert field.get(0xFFFF_FFFF) == largest
    assert field.get(~field.mask & 0xFFFF_FFFF) == 0
    for value in (largest + 1, -1):
        with pytest.raises(ValueError, match=f"{value} does not fit into {width} bits"):
            field.put(value)
