"""Options and fixtures for tests that start a simulator; they ask for the fixture ``sim``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pymodel.jobs import BenchSpec
from pymodel.jobs.engines import KINDS
from pymodel.regress import simulators
from pymodel.regress.build import build
from pymodel.regress.config import Top, known_top
from pymodel.regress.launch import JobRequest, run_on_model, run_on_rtl
from pymodel.regress.process import last_lines
from pymodel.regress.run import Simulation, seed_from_environment, simulate
from pymodel.regress.simulators import Simulator, SimulatorError

CASE_FILE = Path(__file__).parent / "data" / "cases" / "cases.json"
ROOT = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sim", default="all", choices=["all", *simulators.NAMES],
                     help="the simulator for tests on RTL (default: all that are installed)")


def pytest_configure(config: pytest.Config) -> None:
    chosen = config.getoption("--sim")
    if chosen != "all" and (reason := _missing(chosen)):
        raise pytest.UsageError(reason)


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [", ".join(simulator.title for simulator in simulators.installed()),
            f"ECBENCH_SEED={seed_from_environment()}"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What fails says how to do it again with the same random numbers."""
    report = yield
    if report.failed:
        report.sections.append(("replay", f"ECBENCH_SEED={seed_from_environment()} pytest '{item.nodeid}'"))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """A missing simulator is said once, however many tests it skips."""
    for name in simulators.NAMES:
        if config.getoption("--sim") == "all" and (reason := _missing(name)):
            terminalreporter.write_line(f"{reason}: its tests were skipped", yellow=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "sim" not in metafunc.fixturenames:
        return
    chosen = metafunc.config.getoption("--sim")
    names = simulators.NAMES if chosen == "all" else (chosen,)
    metafunc.parametrize("sim", [_parameter(name) for name in names], indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Simulations are marked, and come first: they take longest, and two workers should end together.

    What is marked ``nightly`` is left out, unless -m says what is wanted, or a test is asked for by its id.
    """
    asked = config.getoption("markexpr") or any("::" in argument for argument in config.args)
    nightly = [] if asked else [item for item in items if item.get_closest_marker("nightly")]
    if nightly:
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if item not in nightly]
    for item in items:
        if "sim" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.rtl)
    items.sort(key=lambda item: item.get_closest_marker("rtl") is None)


def _parameter(name: str) -> Any:
    reason = _missing(name)
    return pytest.param(name, marks=[pytest.mark.skip(reason=reason)] if reason else [], id=name)


def _missing(name: str) -> str:
    try:
        simulators.find(name)
    except SimulatorError as error:
        return str(error)
    return ""


@pytest.fixture
def sim(request: pytest.FixtureRequest) -> Simulator:
    """Each simulator that ``--sim`` allows."""
    return simulators.find(request.param)


@pytest.fixture
def run_rtl(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Simulation]:
    """Builds a top and runs a cocotb module on it; fails the test with the log's end unless all passed."""

    def run(top: str | Top, module: str, sim: Simulator, test: str | None = None, seed: int | None = None, *,
            environment: Mapping[str, str] | None = None, import_paths: tuple[Path, ...] = (),
            limit_seconds: float = 500.0, fast: bool = False) -> Simulation:
        """``test``: a regular expression on "module.test"; ``seed``: default $ECBENCH_SEED, or 1; ``fast``:
        on the build for speed, where there is one."""
        seed = seed_from_environment() if seed is None else seed
        made = build(top if isinstance(top, Top) else known_top(top), sim, fast=fast)
        print(f"ECBENCH_SEED={seed} pytest '{request.node.nodeid}'")
        ended = simulate(made, module, seed=seed, test_filter=test, directory=tmp_path / "run",
                         environment=environment, import_paths=import_paths, limit_seconds=limit_seconds)
        if not ended.ok:
            pytest.fail(ended.report(), pytrace=False)
        return ended

    return run


@dataclass(frozen=True)
class JobEnd:
    """What a job returned, and the lines it reported before."""

    result: dict[str, Any]
    lines: list[dict[str, Any]]

    def assert_passed(self) -> None:
        """The job itself found nothing wrong."""
        assert not self.of_kind("failure"), self.of_kind("failure")[:3]
        assert self.result["ok"], self.result

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["kind"] == kind]


@pytest.fixture
def run_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., JobEnd]:
    """Runs a job of pymodel.jobs on the model, or in a simulator; fails the test unless it got to its end."""

    def run(job: str, spec: dict[str, Any], sim: Simulator | None = None, bench: BenchSpec | None = None,
            seed: int | None = None) -> JobEnd:
        """``sim`` None: on the model. ``seed``: of the simulation, default $ECBENCH_SEED, or 1."""
        seed = seed_from_environment() if seed is None else seed
        lines: list[dict[str, Any]] = []
        request = JobRequest(job, spec, bench or BenchSpec())
        if sim is None:
            ended = run_on_model(request, lines.append)
        else:
            top = known_top(KINDS[request.bench.engine].top)
            made = build(top.with_parameters(STAGES=request.bench.stages), sim, fast=True)
            with monkeypatch.context() as patch:
                patch.setenv("ECBENCH_BUILD", str(tmp_path))
                ended = run_on_rtl(request, made, lines.append, seed=seed)
        if ended.problem or ended.result is None:
            end = last_lines(ended.log) if ended.log else ""
            pytest.fail(f"{job}: {ended.problem}\n{ended.log or ''}\n{end}", pytrace=False)
        return JobEnd(ended.result, lines)

    return run
