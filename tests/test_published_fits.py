"""The fitted constants of the profiles: each is the optimum over its experiment's fitted cells, rounded.

A request takes the engine's cycles and, for each kind of host work, its cost times its amount. The engine's
are those of the model with a profile that costs nothing, so that is linear in the constants looked for.
"""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from conftest import ROOT
from scipy.optimize import linprog, lsq_linear

from pymodel.costs import HostWork
from pymodel.jobs import JOBS, model_bench
from pymodel.jobs.profiles import NONE, PROFILES
from pymodel.published import EXPERIMENTS
from pymodel.published.cells import FIT, ORDER

SOFTWARE, ENGINE = 32768, 0
"""Values of aes_sw_max_len."""


class Cells:
    """The cells of an experiment: ``labels``, ``part`` and ``published``, in the unit of the table;
    ``rows``: what the job says of their requests; ``engine``: cycles without host work."""

    def __init__(self, name, **settings):
        experiment = EXPERIMENTS[name]
        [task] = experiment.tasks()
        bench = model_bench(replace(task.bench, profile=NONE, **settings))
        rows = []
        assert bench.kernel.run(JOBS[task.job](bench, task.spec, rows.append))["ok"]
        outcomes = experiment.judge([{**row, "cycles": row["cycles"] or 1} for row in rows]).outcomes
        self.costs = PROFILES[task.bench.profile].costs().cycles
        self.rows = rows[:len(outcomes)]
        self.labels = [cell.labels for cell in outcomes]
        self.parts = np.array([cell.part for cell in outcomes])
        self.fitted = self.parts == FIT
        self.published = np.array([cell.published for cell in outcomes], float)
        self.engine = np.array([row["cycles"] for row in self.rows], float)
        self.bytes = np.array([row["bytes"] for row in self.rows], float)

    def work(self, *kinds):
        """Amounts, shape (cells, kinds)."""
        return np.array([[row["host_work"].get(kind, 0) for kind in kinds] for row in self.rows], float)

    def known(self, *unknown):
        """Cycles without those of the ``unknown`` kinds."""
        kinds = [kind for kind in self.costs if kind not in unknown]
        return self.engine + self.work(*kinds) @ [self.costs[kind] for kind in kinds]

    def of(self, **labels):
        """Which cells have these labels."""
        return np.array([labels.items() <= one.items() for one in self.labels])


def least_squares(amounts, known, wanted):
    """Constants, none below zero, with the least sum of squares of relative errors; and that sum."""
    found = lsq_linear(amounts / wanted[:, None], 1 - known / wanted, bounds=(0, np.inf))
    return found.x, 2 * found.cost


def least_squares_of_rates(amounts, known, wanted):
    """Constants with the least sum of squares of the relative errors of rates, wanted over cycles."""
    start = lsq_linear(amounts / wanted[:, None], 1 - known / wanted).x
    return scipy.optimize.least_squares(lambda constants: wanted / (known + amounts @ constants) - 1, start,
                                        x_scale=start).x


def least_largest_error(amounts, known, wanted, constraints=((), ())):
    """Constants, none below zero, with the least largest error of the rates; and that error.

    ``constraints``: (matrix, bounds) of what matrix times constants may be at most. Whether an error can be
    kept is a linear programme; the least one is found by halving an interval.
    """
    low, high, best = 0.0, 1.0, None
    for _ in range(40):
        error = (low + high) / 2
        matrix = np.vstack([-(1 + error) * amounts, (1 - error) * amounts, *constraints[0]])
        bounds = np.concatenate([(1 + error) * known - wanted, wanted - (1 - error) * known, constraints[1]])
        found = linprog(np.zeros(amounts.shape[1]), A_ub=matrix, b_ub=bounds, bounds=(0, None))
        low, high, best = (low, error, found.x) if found.success else (error, high, best)
    return best, high


def as_rounded(profile, optimum):
    """The optimum, each constant to as many digits as that of the profile has."""
    constants = PROFILES[profile].constants()
    assert all(constants[name].fitted for name in optimum)
    digits = {name: len(f"{constants[name].value:.10g}".partition(".")[2]) for name in optimum}
    return {name: round(float(value), digits[name]) for name, value in optimum.items()}


def constants(profile, names):
    return {name: PROFILES[profile].constants()[name].value for name in names}


def fitted(profile):
    return {name for name, one in PROFILES[profile].constants().items() if one.fitted}


@pytest.fixture(scope="module")
def key_loads():
    """For the latency of via-2008, which is a whole number, and for those beside it: cells, what is known of
    them, and amounts of the two other constants. ``setup_cycles`` are spent once for each xcrypt."""
    latency, found = PROFILES["via-2008"].settings()["read_latency"], {}
    for tried in (latency, latency - 1, latency + 1):
        cells = Cells("padlock-key-load", setup_cycles=0, read_latency=tried, write_latency=tried)
        kinds = (HostWork.REQUEST, HostWork.CALL)
        found[tried] = cells, cells.known(*kinds), cells.work(*kinds)
    return found


def test_the_key_load_table_has_the_least_squares_of_its_fitted_cells(key_loads):
    found = {latency: least_squares(amounts[cells.fitted], known[cells.fitted], cells.published[cells.fitted])
             for latency, (cells, known, amounts) in key_loads.items()}
    best = min(found, key=lambda latency: found[latency][1])
    assert best == PROFILES["via-2008"].settings()["read_latency"]
    request, setup = found[best][0]
    optimum = as_rounded("via-2008", {"request": request, "setup_cycles": setup})
    assert optimum == constants("via-2008", optimum)
    assert fitted("via-2008") == {*optimum, "read_latency"}


def test_fitted_to_other_keys_the_table_predicts_those_of_384_bits_as_the_manual_says(key_loads):
    cells, known, amounts = next(iter(key_loads.values()))
    judged = cells.of(key_bits=384)
    found, _ = least_squares(amounts[~judged], known[~judged], cells.published[~judged])
    errors = abs((known + amounts @ found) / cells.published - 1)
    assert f"within {100 * max(errors[judged]):.1f} %, {100 * np.mean(errors):.1f} % in the mean" in (
        ROOT / "docs" / "timing.md").read_text()


@pytest.fixture(scope="module")
def threshold():
    return Cells("qce-threshold")


def test_the_software_of_the_threshold_table_has_the_least_largest_error_of_its_fitted_cells(threshold):
    kinds = (HostWork.REQUEST, HostWork.FALLBACK_BLOCK, HostWork.FALLBACK_ROUND)
    cells = threshold.of(aes_sw_max_len=SOFTWARE) & threshold.fitted
    wanted = threshold.bytes * 125e6 / threshold.published
    found, error = least_largest_error(threshold.work(*kinds)[cells], threshold.known(*kinds)[cells],
                                       wanted[cells])
    optimum = as_rounded("ipq-2020", dict(zip(kinds, found, strict=True)))
    assert optimum == constants("ipq-2020", optimum)
    assert error < 0.003


def test_the_engine_of_the_threshold_table_has_the_least_largest_error_with_both_crossovers(threshold):
    kinds = (HostWork.CALL, HostWork.MAPPED_BLOCK)
    cells = threshold.of(aes_sw_max_len=ENGINE) & threshold.fitted
    wanted = threshold.bytes * 125e6 / threshold.published
    known, amounts = threshold.known(*kinds), threshold.work(*kinds)
    matrix, bounds = [], []
    for bits, first in ((128, 1024), (256, 768)):
        for size in sorted(set(threshold.bytes)):
            on_engine, in_software = (threshold.of(key_bits=bits, bytes=size, aes_sw_max_len=one)
                                      for one in (ENGINE, SOFTWARE))
            if threshold.parts[on_engine] not in (FIT, ORDER):
                continue
            sign = 1 if size >= first else -1  # the engine takes at most, or at least, what software takes
            matrix.append(sign * amounts[on_engine])
            bounds.append(sign * (known[in_software] - known[on_engine]))
    found, error = least_largest_error(amounts[cells], known[cells], wanted[cells],
                                       (matrix, np.concatenate(bounds)))
    optimum = as_rounded("ipq-2020", dict(zip(kinds, found, strict=True)))
    assert optimum == constants("ipq-2020", optimum)
    assert 0.11 < error < 0.13
    assert fitted("ipq-2020") == {*optimum, "request", "fallback_block", "fallback_round"}
    squares = least_squares_of_rates(amounts[cells], known[cells], wanted[cells])
    left = max(abs(wanted[cells] / (known[cells] + amounts[cells] @ squares) - 1))
    assert f"least squares\nwould leave {100 * left:.0f} %" in (ROOT / "docs" / "timing.md").read_text()


def test_xts_over_ecb_meets_its_two_fitted_cells_exactly():
    """cycles + request = hertz times seconds, for each of the two."""
    cells = Cells("xts-over-ecb")
    seconds = cells.bytes / (cells.published * 1e6)
    amounts = np.column_stack([-cells.work(HostWork.REQUEST), seconds])
    request, hertz = np.linalg.solve(amounts[cells.fitted], cells.known(HostWork.REQUEST)[cells.fitted])
    assert round(hertz, -5) == PROFILES["via-nano-2010"].hertz.value
    assert as_rounded("via-nano-2010", {"request": request}) == constants("via-nano-2010", ["request"])
    assert fitted("via-nano-2010") == {"request", "hertz"}


def test_the_buffer_of_tweaks_has_the_least_squares_of_its_fitted_cells():
    cells = Cells("xts-buffer")
    kinds = (HostWork.REQUEST, HostWork.DOUBLING, HostWork.COPY, HostWork.ALLOCATION, HostWork.FALLBACK_ROUND)
    found, _ = least_squares(cells.work(*kinds)[cells.fitted], cells.known(*kinds)[cells.fitted],
                             cells.published[cells.fitted])
    optimum = as_rounded("x86-2018", dict(zip(kinds, found, strict=True)))
    assert optimum == constants("x86-2018", optimum)
    assert fitted("x86-2018") == set(optimum)
