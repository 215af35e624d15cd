"""The experiment mode-factoring: its table, the verdict on what the job reports, command and plots."""

import re
from copy import deepcopy
from dataclasses import asdict
from xml.etree import ElementTree

import pytest
from factoring_bench import FEW, RUNS, after, flip, pieces_of, run_job

from pymodel.buffers import Buffers
from pymodel.cli import run_command_line
from pymodel.errors import InvalidRequest
from pymodel.jobs import BenchSpec, factoring_ways, specialised
from pymodel.jobs.factoring import CIPHERS, GENERIC, SPECIALISED, WARM_UP, all_rows
from pymodel.jobs.factoring_ways import Row, WayOfModes
from pymodel.published.cells import SHOWN, Outcome, Range, Ranges, read
from pymodel.published.experiment import Task
from pymodel.published.factoring import REPEATS, ModeFactoring
from pymodel.regress import plot

CHANGE = "percent_change_of_execution_time"
CALLS, BLOCKS, CYCLES = "engine calls", "blocks", "engine cycles (AES)"


@pytest.fixture(scope="module")
def measured():
    """The job's rows on the model."""
    result, rows = run_job()
    assert result["ok"]
    return rows


def violated(rows):
    """(what is not the same, what was found)"""
    found = ModeFactoring().judge(rows)
    assert found.ok == all(condition.ok for condition in found.conditions)
    return {condition.text.split("the same ")[-1]: condition.found for condition in found.conditions
            if not condition.ok}


# -- the verdict ----------------------------------------------------------------------------------


def test_all_conditions_hold_and_say_of_how_many_rows(measured):
    found = ModeFactoring().judge(measured)
    assert found.ok
    assert len(found.outcomes) == 72
    assert (found.max_error, found.mean_error) == (None, None)
    requests = f"{72 * RUNS} of {72 * RUNS} requests"
    assert [condition.found for condition in found.conditions] == [
        "72 of 72 rows", "72 of 72 rows", "24 of 24 rows", requests]
    assert found.reached == "calls 72 of 72 rows, blocks 72 of 72 rows, cycles 24 of 24 rows"
    assert all(what in condition.text for what, condition in zip((CALLS, BLOCKS, CYCLES, "cryptography"),
                                                                 found.conditions, strict=True))


@pytest.mark.parametrize(("figure", "what", "of"), [
    ("calls", CALLS, 72), ("blocks", BLOCKS, 72), ("engine_cycles", CYCLES, 24)])
@pytest.mark.parametrize("number", [0, 23])
@pytest.mark.parametrize("spoilt", [
    lambda generic, other: ([generic[0] + 1], other), lambda generic, other: (generic, [other[0] + 1]),
    lambda generic, other: ([generic[0] - 1], other), lambda generic, other: ([*generic, 99_999], other),
    lambda generic, other: ([*generic, 99_999], [*other, 99_999]), lambda generic, other: ([0], [0]),
], ids=["one more", "one more by hand", "one less", "another as well", "another in both", "none in both"])
def test_a_figure_that_differs_violates_its_condition_and_no_more(measured, figure, what, of, number, spoilt):
    rows = deepcopy(measured)
    names = [f"{figure}_{way}" for way in (GENERIC, SPECIALISED)]
    rows[number] |= zip(names, spoilt(*(rows[number][name] for name in names)), strict=True)
    assert rows[number]["cipher"] == "aes"
    assert violated(rows) == {what: f"{of - 1} of {of} rows"}


@pytest.mark.parametrize("number", [24, 71])
@pytest.mark.parametrize(("figure", "what"), [("calls", {CALLS: "71 of 72 rows"}),
                                              ("blocks", {BLOCKS: "71 of 72 rows"}), ("engine_cycles", {})])
def test_in_software_calls_and_blocks_are_compared_but_no_cycles(measured, number, figure, what):
    rows = deepcopy(measured)
    rows[number][f"{figure}_generic"][0] += 1
    assert rows[number]["cipher"] != "aes"
    assert violated(rows) == what


def test_a_request_that_is_not_right_violates_the_last_condition(measured):
    rows = deepcopy(measured)
    rows[40]["right"] -= 1
    assert list(violated(rows).values()) == [f"{72 * RUNS - 1} of {72 * RUNS} requests"]


@pytest.mark.parametrize("wrong", [lambda rows: rows[:-1], lambda rows: [*rows, rows[-1]],
                                   lambda rows: [rows[1], rows[0], *rows[2:]]])
def test_rows_that_are_not_those_of_the_experiment_give_no_verdict(measured, wrong):
    with pytest.raises((ValueError, AssertionError)):
        ModeFactoring().judge(wrong(measured))


def test_a_cell_has_the_published_change_of_its_row_and_the_measured_one_with_its_spread(measured):
    rows = deepcopy(measured)
    for number, row in enumerate(rows):
        row |= {"change_percent": number + 0.25, "lower_percent": number - 1.04,
                "upper_percent": number + 2.06}
    published = {tuple(line[name] for name in asdict(next(all_rows()))): float(line[CHANGE])
                 for line in read(ModeFactoring.name)}
    for number, (row, cell) in enumerate(zip(all_rows(), ModeFactoring().judge(rows).outcomes, strict=True)):
        assert cell.labels == {**asdict(row), "spread": f"{number - 1.04:.1f} to {number + 2.06:.1f}"}
        assert cell.published == published[tuple(map(str, asdict(row).values()))]
        assert (cell.simulated, cell.error, cell.bound, cell.part) == (number + 0.25, None, None, SHOWN)


def test_the_notes_have_the_median_change_of_each_cipher_and_how_many_pairs_it_comes_from(measured):
    rows = deepcopy(measured)
    for number, row in enumerate(rows):
        row["change_percent"] = 10.0 * (number // 24) + (number % 24 > 11) * number
    notes = "\n".join(ModeFactoring().judge(rows).notes)
    assert f"the median of {REPEATS} pairs" in notes
    assert "simulated: aes -0.04 and +6.0 %; blowfish +0.33 and +28.0 %; des +1.01 and +50.0 %" in notes


def test_the_job_is_one_on_the_bench_as_it_is_with_so_many_pairs():
    assert ModeFactoring().tasks() == [Task("factoring", BenchSpec(), {"repeats": REPEATS})]


# -- the table ------------------------------------------------------------------------------------


def test_the_table_has_one_line_for_each_row():
    table = read(ModeFactoring.name)
    names = list(asdict(next(all_rows())))
    keys = {tuple(line[name] for name in names) for line in table}
    assert len(table) == len(keys) == 72
    assert keys == {tuple(map(str, asdict(row).values())) for row in all_rows()}
    changes = sorted(float(line[CHANGE]) for line in table)
    assert (changes[0], changes[-1]) == (-0.7118715, 3.8085545)


@pytest.mark.parametrize("spoilt", [
    lambda table: table[1:], lambda table: [*table, table[0]], lambda table: [table[1], *table[1:]],
    lambda table: [{**table[0], "format": "ROW"}, *table[1:]]], ids=["missing", "more", "twice", "unknown"])
def test_a_table_that_is_not_complete_is_refused_before_anything_runs(monkeypatch, spoilt):
    experiment = ModeFactoring()
    monkeypatch.setattr(experiment, "_published", spoilt(read(ModeFactoring.name)))
    with pytest.raises(InvalidRequest, match=r"^mode-factoring\.csv needs one line for each of 72 rows: "):
        experiment.tasks()


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr("pymodel.published.factoring.REPEATS", FEW)


def test_a_violated_condition_is_shown_as_that_and_ends_in_1(monkeypatch, capsys, few):
    async def one_more(engine, key, iv, source, destination):
        await specialised.decrypt_uio(engine, key, iv, source, destination)
        spare = Buffers.of(engine.memory.allocate(engine.block_size), engine.block_size)
        await engine.ecb(key, spare, spare, decrypt=True)

    monkeypatch.setitem(factoring_ways._DECRYPT, "UIO", one_more)
    assert run_command_line(["reproduce", "mode-factoring"]) == 1
    shown = capsys.readouterr().out
    for what, found in ((CALLS, "60 of 72"), (BLOCKS, "60 of 72"), (CYCLES, "20 of 24")):
        assert f"FAIL: generic and specialised: the same {what}: {found} rows" in shown
    assert f"{72 * RUNS} of {72 * RUNS} requests" in shown
    assert "wrong" not in shown


def test_wrong_bytes_end_in_1_and_say_where(monkeypatch, capsys, few):
    number = 30
    after(monkeypatch, WayOfModes, flip(lambda request: pieces_of(request.destination)[0].address),
          number * (WARM_UP + FEW))
    assert run_command_line(["reproduce", "mode-factoring"]) == 1
    shown = capsys.readouterr().out
    assert f"{list(all_rows())[number]}: 1 of {RUNS} requests gave other bytes than crypt" in shown


# -- the plots ------------------------------------------------------------------------------------


def test_there_is_a_plot_for_each_cipher_with_all_its_cells(measured):
    found = ModeFactoring().judge(measured)
    drawn = []
    for shown, cipher in zip(found.plots, CIPHERS, strict=True):
        assert shown.title == f"{cipher}: generic mode code against specialised"
        assert [len(cells) for cells in shown.groups] == [4] * 6
        for name, one in ((name, one) for cells in shown.groups for name, one in cells.items()):
            labels = dict(one.cell.labels)
            assert labels.pop("spread") == f"{one.lower:.1f} to {one.upper:.1f}"
            assert f"{cipher} {name}" == str(Row(**labels))
            drawn.append(one.cell)
    assert drawn == list(found.outcomes)


def test_the_plots_name_their_axis_with_its_unit_and_tell_published_from_simulated(measured):
    for shown in ModeFactoring().judge(measured).plots:
        texts = {text.strip() for text in ElementTree.fromstring(plot.svg(shown)).itertext()}
        assert {shown.title, "change of execution time (%)", "published", "simulated, median",
                "simulated, from lower to upper quartile"} <= texts
        assert {name for cells in shown.groups for name in cells} <= texts


def test_ranges_are_drawn_from_quartile_to_quartile_beside_what_was_published():
    cells = [Range(Outcome({}, number, 10 * number, SHOWN), 10 * number - 3, 10 * number + 5)
             for number in (1, 2, 3)]
    shown = Ranges("title", "x (%)", [{"one": cells[0], "two": cells[1]}, {"three": cells[2]}])
    with plot.style(shown.title):
        [axes] = plot.figure(shown).axes
    lines = {line.get_label(): line for line in axes.lines}
    published, simulated = lines["published"], lines["simulated, median"]
    at = list(published.get_ydata())
    assert at == list(simulated.get_ydata()) == list(axes.get_yticks()) == [0, 1, 3]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "two", "three"]
    assert list(published.get_xdata()) == [1, 2, 3]
    assert list(simulated.get_xdata()) == [10, 20, 30]
    [bars] = axes.collections
    assert [segment.tolist() for segment in bars.get_segments()] == [
        [[10 * number - 3, place], [10 * number + 5, place]]
        for number, place in zip((1, 2, 3), at, strict=True)]
    low, high = axes.get_ylim()
    assert high < min(at) < max(at) < low, "from the top down"


def test_the_page_shows_the_plots(tmp_path, few):
    file = tmp_path / "page.html"
    assert run_command_line(["reproduce", "mode-factoring", "--html", str(file)]) == 0
    plots = re.findall("<svg.*?</svg>", file.read_text(encoding="utf-8"), re.DOTALL)
    assert len(plots) == 3
    assert all("change of execution time (%)" in drawn for drawn in plots)
