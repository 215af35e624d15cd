"""The options of ecbench speed: that each reaches the bench, and what is refused, in one line and before
anything is written."""

import json
import os
from dataclasses import replace

import pytest

from pymodel.cli import run_command_line
from pymodel.costs import HostWork
from pymodel.errors import InvalidRequest
from pymodel.jobs.profiles import PROFILES, Constant
from pymodel.jobs.speed import Cell

ONE = ["--mode", "ecb", "--key-bits", "128", "--bytes", "64", "--direction", "encrypt"]


def rows_of(tmp_path, *arguments):
    file = tmp_path / "rows.json"
    assert run_command_line(["speed", *arguments, "--json", str(file)]) == 0
    return json.loads(file.read_text())["rows"]


@pytest.mark.parametrize(("arguments", "wanted"), [
    ([], {"engine": "padlock", "stages": 1, "cycles": 66, "key_loads": 0, "policy": "engine-state",
          "host_expands": False, "aes_sw_max_len": None, "strategy": None, "unit_bytes": 0,
          "profile": "none"}),
    (["--policy", "always"], {"cycles": 86, "key_loads": 1, "policy": "always", "host_expands": False}),
    (["--policy", "always", "--host-expands"], {"cycles": 93, "key_loads": 1, "host_expands": True}),
    (["--stages", "14"], {"stages": 14, "cycles": 39}),
    (["--engine", "qce"], {"engine": "qce", "hardware_blocks": 4, "aes_sw_max_len": 0, "policy": None,
                           "host_expands": None}),
    (["--engine", "qce", "--threshold", "63"], {"hardware_blocks": 4, "aes_sw_max_len": 63}),
    (["--engine", "qce", "--threshold", "64"], {"hardware_blocks": 0, "cycles": 0, "engine_cycles": 0,
                                                "software_blocks": 4, "aes_sw_max_len": 64}),
    (["--engine", "software"], {"engine": "software", "stages": None, "cycles": 0, "software_blocks": 4,
                                "hardware_blocks": 0, "policy": None, "host_expands": None,
                                "aes_sw_max_len": None}),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_an_option_reaches_the_bench_and_the_row(tmp_path, arguments, wanted):
    [row] = rows_of(tmp_path, *ONE, *arguments)
    assert {name: row[name] for name in wanted} == wanted


def test_options_of_some_modes_are_for_these_alone(tmp_path):
    rows = rows_of(tmp_path, "--mode", "xts", "--mode", "cbc", "--mode", "ctr", "--strategy", "batch",
                   "--data-unit", "32", "--key-bits", "256", "--bytes", "64", "--direction", "decrypt")
    assert [(row["mode"], row["strategy"], row["unit_bytes"], row["calls"]) for row in rows] == [
        ("xts", "batch", 32, 2), ("cbc", None, 32, 1), ("ctr", None, 0, 1)]


def test_what_is_asked_for_twice_is_measured_once(tmp_path):
    twice = [word for pair in zip(ONE[::2], ONE[1::2], strict=True) for word in pair * 2]
    assert len(rows_of(tmp_path, *twice)) == 1


def test_a_data_unit_of_0_bytes_is_the_request(tmp_path):
    arguments = ["--mode", "cbc", "--key-bits", "128", "--bytes", "64", "--direction", "encrypt"]
    assert rows_of(tmp_path, *arguments, "--data-unit", "0") == rows_of(tmp_path, *arguments)


def test_a_profile_costs_what_it_says(tmp_path, monkeypatch):
    """Software on a machine with an engine is the same as the engine's driver that leaves all to software."""
    costs = {HostWork.REQUEST: 1000, HostWork.FALLBACK_BLOCK: 10, HostWork.FALLBACK_ROUND: 1}
    made = replace(PROFILES["ipq-2020"], host={work: Constant(cost, "", "") for work, cost in costs.items()})
    for module in ("jobs.engines", "jobs.profiles", "regress.speed_command"):
        monkeypatch.setattr(f"pymodel.{module}.PROFILES", {**PROFILES, "ipq-2020": made})
    [row] = rows_of(tmp_path, *ONE, "--profile", "ipq-2020", "--engine", "software")
    [other] = rows_of(tmp_path, *ONE, "--profile", "ipq-2020", "--engine", "qce", "--threshold", "64")
    assert row["cycles"] == other["cycles"] == 1000 + 4 * 10 + 40
    assert row["bytes_per_second"] == round(64 * 125e6 / 1080)
    assert row["profile"] == "ipq-2020"


def test_a_profile_sets_the_engine(tmp_path, monkeypatch):
    """The bench's own setup takes 8 cycles."""
    made = replace(PROFILES["via-2008"], host={}, bench={"setup_cycles": Constant(108, "", "")})
    monkeypatch.setattr("pymodel.jobs.profiles.PROFILES", {**PROFILES, "via-2008": made})
    [row] = rows_of(tmp_path, *ONE, "--profile", "via-2008")
    assert row["engine_cycles"] == 65 + 100


def test_a_request_that_takes_no_time_has_no_rate(tmp_path, monkeypatch):
    made = replace(PROFILES["x86-2018"], host={HostWork.FALLBACK_ROUND: Constant(0, "", "")})
    for module in ("jobs.engines", "jobs.profiles", "regress.speed_command"):
        monkeypatch.setattr(f"pymodel.{module}.PROFILES", {**PROFILES, "x86-2018": made})
    [row] = rows_of(tmp_path, *ONE, "--profile", "x86-2018", "--engine", "software")
    assert (row["cycles"], row["bytes_per_second"]) == (0, None)


def test_a_data_unit_may_be_larger_than_some_requests_but_not_than_all(tmp_path):
    arguments = ["--mode", "cbc", "--key-bits", "128", "--direction", "encrypt", "--bytes", "16", "--bytes",
                 "64", "--bytes", "96", "--data-unit"]
    assert [row["calls"] for row in rows_of(tmp_path, *arguments, "64")] == [1, 4, 4]
    assert [row["calls"] for row in rows_of(tmp_path, *arguments, "96")] == [1, 4, 6]


def test_a_cpu_with_aes_instructions_is_software(tmp_path):
    [row] = rows_of(tmp_path, *ONE, "--profile", "x86-2018", "--engine", "software")
    assert row["cycles"] > 0 == row["engine_cycles"]


REFUSED = [
    (["--mode", "lrw"], "unknown mode 'lrw': choose one of xts, cbc, ecb, ctr, gcm, essiv"),
    (["--mode", ""], "unknown mode '': choose one of xts, cbc, ecb, ctr, gcm, essiv"),
    (["--strategy", "batch", "--strategy", "two-pass"],
     "--strategy can be given once: the tables do not name it"),
    (["--direction", "up"], "unknown direction 'up': choose one of encrypt, decrypt, both"),
    (["--key-bits", "128"], "xts with a key of 128 bits: choose one of 256, 384, 512"),
    (["--mode", "gcm", "--key-bits", "129"], "gcm with a key of 129 bits: choose one of 128, 192, 256"),
    (["--mode", "essiv", "--key-bits", "512"], "essiv with a key of 512 bits: choose one of 128, 192, 256"),
    (["--mode", "ecb", "--key-bits", "0"], "ecb with a key of 0 bits: choose one of 128, 192, 256"),
    (["--bytes", "15"], "xts of 15 bytes: 16 to 1048576"),
    (["--bytes", "1048577"], "xts of 1048577 bytes: 16 to 1048576"),
    (["--bytes", "64", "--bytes", "99999999999999999999"],
     "xts of 99999999999999999999 bytes: 16 to 1048576"),
    (["--bytes", "-16"], "xts of -16 bytes: 16 to 1048576"),
    (["--bytes", "0", "--mode", "ctr"], "ctr of 0 bytes: 1 to 1048576"),
    (["--bytes", "0", "--mode", "gcm"], "gcm of 0 bytes: 1 to 1048576"),
    (["--mode", "cbc", "--bytes", "17"], "cbc of 17 bytes: whole blocks of 16"),
    (["--mode", "ecb", "--bytes", "24"], "ecb of 24 bytes: whole blocks of 16"),
    (["--mode", "xts", "--mode", "essiv", "--bytes", "500"], "essiv of 500 bytes: whole blocks of 16"),
    (["--mode", "ecb", "--strategy", "batch"], "--strategy is for xts, not for ecb"),
    (["--mode", "gcm", "--strategy", "two-pass"], "--strategy is for xts, not for gcm"),
    (["--strategy", "fast"], "unknown strategy 'fast': choose one of two-pass, per-block, cached, batch"),
    (["--strategy", "tweak-late"],
     "unknown strategy 'tweak-late': choose one of two-pass, per-block, cached, batch"),
    (["--mode", "ecb", "--mode", "gcm", "--data-unit", "512"],
     "--data-unit is for xts, cbc, essiv, not for ecb, gcm"),
    (["--mode", "ctr", "--data-unit", "0"], "--data-unit is for xts, cbc, essiv, not for ctr"),
    (["--data-unit", "8"], "data units of 8 bytes: 16 to 1048576"),
    (["--data-unit", "-1"], "data units of -1 bytes: 16 to 1048576"),
    (["--data-unit", "1048577"], "data units of 1048577 bytes: 16 to 1048576"),
    (["--data-unit", "16384"], "--data-unit 16384: no request has more than 8192 bytes"),
    (["--data-unit", "512", "--bytes", "520"], "the last data unit would have 8 bytes: at least 16"),
    (["--mode", "cbc", "--data-unit", "520"], "cbc in data units of 520 bytes: whole blocks of 16"),
    (["--mode", "essiv", "--data-unit", "40", "--bytes", "80"],
     "essiv in data units of 40 bytes: whole blocks of 16"),
    (["--profile", "pentium"], "unknown profile 'pentium': choose one of none, via-2008, via-nano-2010, "
                               "ipq-2020, x86-2018"),
    (["--profile", "ipq-2020"], "profile 'ipq-2020' is for qce, not for padlock"),
    (["--profile", "x86-2018"], "profile 'x86-2018' is for software, not for padlock"),
    (["--profile", "via-2008", "--engine", "qce"], "profile 'via-2008' is for padlock, not for qce"),
    (["--profile", "x86-2018", "--engine", "qce"], "profile 'x86-2018' is for software, not for qce"),
    (["--profile", "via-2008", "--engine", "software"],
     "profile 'via-2008' does not say what AES in software costs"),
    (["--profile", "via-nano-2010", "--engine", "software"],
     "profile 'via-nano-2010' does not say what AES in software costs"),
    (["--policy", "often"], "unknown policy 'often': choose one of engine-state, always, context-pointer, "
                            "control-word-pointer"),
    (["--engine", "qce", "--policy", "always"], "--policy is for padlock, not for qce"),
    (["--engine", "software", "--policy", "always"], "--policy is for padlock, not for software"),
    (["--engine", "qce", "--host-expands"], "--host-expands is for padlock, not for qce"),
    (["--key-bits", "384", "--key-bits", "512", "--host-expands"],
     "--host-expands is for keys of AES-128, and none is asked for"),
    (["--mode", "gcm", "--key-bits", "256", "--host-expands"],
     "--host-expands is for keys of AES-128, and none is asked for"),
    (["--threshold", "0"], "--threshold is for qce, not for padlock"),
    (["--engine", "software", "--threshold", "512"], "--threshold is for qce, not for software"),
    (["--engine", "qce", "--threshold", "4294967296"], "aes_sw_max_len 4294967296: from 0 to 4294967295"),
    (["--engine", "abacus"], "unknown engine 'abacus': choose one of padlock, qce, software"),
    (["--engine", "all"], "unknown engine 'all': choose one of padlock, qce, software"),
    (["--stages", "3"], "no core with 3 stages: choose 1, 2 or 14"),
    (["--engine", "software", "--stages", "14"], "--stages is for padlock, qce, not for software"),
    (["--engine", "software", "--on", "rtl"], "software has no RTL: leave --on rtl out"),
    (["--on", "paper"], "cannot run on 'paper': choose model or rtl"),
    (["--sim", "verilator"], "the model needs no simulator: use --on rtl, or leave --sim out"),
    (["--on", "rtl", "--sim", "spice"], "unknown simulator 'spice': choose one of verilator, icarus"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_bad_input_is_refused_in_one_line_and_nothing_is_written(capsys, tmp_path, arguments, message):
    files = [word for name in ("json", "csv", "plot") for word in (f"--{name}", str(tmp_path / name))]
    assert run_command_line(["speed", *arguments, *files]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"ecbench: {message}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["plot.png", "plot.SVGZ", "plot.svg.pdf"])
def test_a_plot_is_written_under_no_name_that_means_another_format(capsys, tmp_path, name):
    assert run_command_line(["speed", "--bytes", "64", "--plot", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err == f"ecbench: --plot writes SVG: {tmp_path / name} does not end in .svg\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [
    ["--bytes", "many"], ["--key-bits", "1e3"], ["--data-unit", "1.5"],
    ["--engine", "qce", "--threshold", "-1"], ["--bytes"], ["--sizes", "64"], ["xts"]], ids=" ".join)
def test_words_that_cannot_be_parsed_are_refused_in_one_line(capsys, arguments):
    assert run_command_line(["speed", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("ecbench: ")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("option", ["--json", "--csv", "--plot"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(capsys, tmp_path, option):
    (tmp_path / "file").touch()
    for path, reason in ((tmp_path, "it is a directory"), (tmp_path / "file" / "x", "Not a directory"),
                         (tmp_path / "none" / "x", "No such file or directory")):
        assert run_command_line(["speed", *ONE, option, str(path)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err == f"ecbench: cannot write {path}: {reason}\n"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(("first", "second"), [("--json", "--csv"), ("--json", "--plot"),
                                               ("--csv", "--plot")])
def test_one_file_for_two_results_is_refused(capsys, tmp_path, first, second):
    path, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(path)
    for other in (path, link):
        assert run_command_line(["speed", *ONE, second, str(other), first, str(path)]) == 2
        captured = capsys.readouterr()
        assert (captured.out, captured.err) == ("", f"ecbench: {first} and {second} are the same file\n")
    assert not path.exists()


@pytest.mark.parametrize(("values", "message"), [
    ({"mode": "lrw"}, "unknown mode 'lrw'"), ({"colour": 1}, "unknown settings of a cell: colour"),
    ({"strategy": "batch"}, "ecb has no strategies: only xts"),
    ({"mode": "xts", "key_bits": 256, "strategy": "fast"}, "unknown strategy 'fast'"),
    ({"unit_bytes": 16}, "ecb has no data units: only xts, cbc, essiv"),
    ({"software": True, "policy": "always"}, "policy is an engine's, and software has none"),
    ({"software": True, "host_expands": False}, "host_expands is an engine's, and software has none"),
    ({"software": True, "aes_sw_max_len": 0}, "aes_sw_max_len is an engine's, and software has none")])
def test_a_cell_that_cannot_be_is_refused(values, message):
    with pytest.raises(InvalidRequest, match=f"^{message}"):
        Cell.from_json({"mode": "ecb", "key_bits": 128, "bytes": 64, **values})
