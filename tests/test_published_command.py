"""ecbench reproduce: side by side, as JSON and as a page; 1 when something is outside its bound."""

import json
from html.parser import HTMLParser
from types import SimpleNamespace

from pymodel.cli import run_command_line
from pymodel.jobs.profiles import PROFILES


def reproduced(capsys, *arguments):
    code = run_command_line(["reproduce", *arguments])
    return code, capsys.readouterr()


def test_one_experiment_is_shown_side_by_side_and_written_as_json(capsys, tmp_path):
    file = tmp_path / "rows.json"
    code, captured = reproduced(capsys, "qce-threshold", "--json", str(file))
    assert code == 0, captured
    assert "published bytes/s" in captured.out
    assert "ok: AES-128: the engine is faster from 1024 bytes on: from 1024 bytes on" in captured.out
    written = json.loads(file.read_text())
    assert written["ok"] is True
    [row] = written["rows"]
    assert list(row) == ["experiment", "cells", "max_error", "mean_error", "ok"]
    assert (row["experiment"], row["cells"], row["ok"]) == ("qce-threshold", 54, True)
    assert 0 < row["mean_error"] < row["max_error"] <= 0.15


def test_experiments_without_a_bound_have_no_errors_in_json(capsys, tmp_path):
    file = tmp_path / "rows.json"
    assert reproduced(capsys, "xts-over-ecb", "--json", str(file))[0] == 0
    assert json.loads(file.read_text())["rows"] == [
        {"experiment": "xts-over-ecb", "cells": 5, "max_error": None, "mean_error": None, "ok": True}]


def test_one_outside_its_bound_ends_in_1_and_says_which(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("pymodel.published.threshold.BOUNDS", {32768: 0.03, 0: 0.05})
    file = tmp_path / "rows.json"
    code, captured = reproduced(capsys, "qce-threshold", "--json", str(file))
    assert code == 1
    assert "OUTSIDE" in captured.out
    written = json.loads(file.read_text())
    assert (written["ok"], written["rows"][0]["ok"]) == (False, False)


def test_requests_that_go_wrong_end_in_1(capsys, monkeypatch):
    monkeypatch.setattr("pymodel.jobs.speed.reference", lambda *_, **__: b"")
    code, captured = reproduced(capsys, "xts-over-ecb")
    assert code == 1
    assert "FAIL xts-over-ecb: wrong output" in captured.out


def test_an_unknown_experiment_is_refused(capsys):
    code, captured = reproduced(capsys, "perpetuum-mobile")
    assert code == 2
    assert captured.err == ("ecbench: unknown experiment 'perpetuum-mobile': choose one of padlock-key-load, "
                            "qce-threshold, xts-over-ecb, xts-buffer, mode-factoring\n")


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = SimpleNamespace(plots=0, tables=0, references=[])

    def handle_starttag(self, tag, attrs):
        self.seen.plots += tag == "svg"
        self.seen.tables += tag == "table"
        self.seen.references += [value for name, value in attrs if name in ("src", "href", "xlink:href")]


def test_the_page_has_plots_and_tables_and_needs_no_other_file(capsys, tmp_path):
    file = tmp_path / "page.html"
    assert reproduced(capsys, "qce-threshold", "--html", str(file))[0] == 0
    text = file.read_text()
    parsed = Page()
    parsed.feed(text)
    assert parsed.seen.plots == 2
    assert parsed.seen.tables == 2 + sum(bool(profile.constants()) for profile in PROFILES.values())
    assert parsed.seen.references == ["#qce-threshold"]
    assert "url(" not in text
    assert "<script" not in text
    for cell in ("14,701,824", "12.6 %", "gcc_crypto_clk"):
        assert cell in text
