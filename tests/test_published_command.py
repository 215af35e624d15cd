"""ecbench reproduce: side by side, as JSON and as a page; 1 when something is outside its bound."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from pymodel.cli import run_command_line
from pymodel.jobs.profiles import PROFILES
from pymodel.published.cells import JUDGE, Bars, Comparison, Condition, Curves, Outcome, Reproduction
from pymodel.regress.reproduce_page import page


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


def test_an_unknown_experiment_is_refused(capsys):
    code, captured = reproduced(capsys, "perpetuum-mobile")
    assert code == 2
    assert captured.err == ("ecbench: unknown experiment 'perpetuum-mobile': choose one of padlock-key-load, "
                            "qce-threshold, xts-over-ecb, xts-buffer, mode-factoring\n")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.text = Counter(), [], ""
        self.references = re.findall(r"url\(([^)]*)\)", text)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.ids += [value for name, value in attrs if name == "id"]
        self.references += [value for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_data(self, data):
        self.text += data


def test_the_page_has_plots_and_tables_and_needs_no_other_file(capsys, tmp_path):
    file = tmp_path / "page.html"
    assert reproduced(capsys, "qce-threshold", "--html", str(file))[0] == 0
    parsed = Page(file.read_text(encoding="utf-8"))
    assert parsed.tags["svg"] == 2
    assert parsed.tags["table"] == 2 + sum(bool(profile.constants()) for profile in PROFILES.values())
    assert parsed.tags["script"] == parsed.tags["link"] == parsed.tags["img"] == 0
    assert len(parsed.ids) == len(set(parsed.ids))
    assert "#qce-threshold" in parsed.references
    assert set(parsed.references) <= {f"#{name}" for name in parsed.ids}
    for said in ("14,701,824", "gcc_crypto_clk", "cells within their bounds: 36 of 36",
                 "Constants of ipq-2020", "order: the fit used only which of two such cells is faster"):
        assert said in parsed.text


def test_every_plot_names_its_axes_with_units_and_tells_published_from_simulated(capsys, tmp_path):
    file = tmp_path / "page.html"
    for name, texts in (("padlock-key-load", {"request (bytes)", "time (cycles)", "error (%)", "bound, 3%"}),
                        ("qce-threshold", {"throughput (MB/s)", "bound of engine, 15%", "engine, published",
                                           "engine, simulated", "error of a cell judged",
                                           "error of a cell fitted", "error of a cell in order"}),
                        ("xts-over-ecb", {"throughput (MB/s)", "published", "simulated", "(fitted)"}),
                        ("xts-buffer", {"time (ns)", "tweaks cached, published",
                                        "tweaks cached, simulated"})):
        assert reproduced(capsys, name, "--html", str(file))[0] == 0
        plots = re.findall("<svg.*?</svg>", file.read_text(encoding="utf-8"), re.DOTALL)
        assert plots
        for plot in plots:
            assert texts <= {text.strip() for text in ElementTree.fromstring(plot).itertext()}, name


def test_text_in_the_page_is_escaped():
    odd = "<b>&amp;"
    cell = Outcome({odd: odd}, 1, 1, JUDGE)
    plots = [Curves(odd, odd, odd, {odd: {odd: [(1, 1), (2, 2)]}}), Bars(odd, odd, {odd: cell}),
             Comparison(odd, odd, odd, {odd: [(1, cell), (2, cell)]})]
    one = Reproduction("one", odd, [cell], None, [Condition(odd, odd, True)], [odd], plots)
    text = page([one], {"one": odd})
    assert "<b>&amp;" not in text
    assert text.count("&lt;b&gt;&amp;amp;") > 15


@pytest.mark.parametrize("path", ["", "missing/page.html"])
def test_a_page_that_cannot_be_written_is_refused_in_one_line_before_anything_runs(capsys, tmp_path, path):
    code, captured = reproduced(capsys, "qce-threshold", "--html", str(tmp_path / path))
    assert (code, captured.out) == (2, "")
    assert re.fullmatch(r"ecbench: cannot write .*\n", captured.err)
    assert list(tmp_path.iterdir()) == []
