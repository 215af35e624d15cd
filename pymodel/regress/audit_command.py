"""The command ``ecbench audit``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pymodel.audit import operations, xts_strategies
from pymodel.audit.catalogue import KEY_LOAD, policies_of, policy_settings
from pymodel.audit.explore import Verdict
from pymodel.audit.key_load import audit_key_load
from pymodel.audit.xts_strategies import audit_strategy
from pymodel.drivers.policies import POLICIES, PolicyName
from pymodel.errors import EcbenchError, InvalidRequest
from pymodel.jobs import BenchSpec, model_bench
from pymodel.regress.cases_command import cpus_for
from pymodel.regress.display import Display, check_writable, write_json
from pymodel.regress.launch import JobRequest
from pymodel.regress.sources import build_root
from pymodel.regress.target import Launcher, Target

COLUMNS = {"policy": "policy", "verdict": "verdict", "catalogue": "catalogue", "states": "states",
           "shortest": "shortest counterexample", "replay": "replayed"}


_CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """``ecbench audit``. ``target``: where counterexamples are replayed. ``depth``: of key-load sequences."""

    target: Target
    policy: str | None
    depth: int | None
    json: Path | None

    def chosen(self) -> dict[str, Verdict]:
        """The policies to audit, with the catalogue's verdicts. Raises InvalidRequest for an unknown one."""
        known = policies_of(self.target.engine)
        if self.policy is None:
            return known
        policy_settings(self.target.engine, self.policy)
        return {self.policy: known[self.policy]}


@dataclass(slots=True)
class Finding:
    """What is known of one policy. ``steps``: the shortest counterexample in words; ``cases``: that one, and
    the shortest of each hazard and path, for replay."""

    policy: str
    catalogue: Verdict
    verdict: Verdict
    states: int
    steps: list[str] = field(default_factory=list)
    hazards: Mapping[str, list[str]] = field(default_factory=dict)
    paths: Mapping[str, list[str]] = field(default_factory=dict)
    cases: list[dict[str, Any]] = field(default_factory=list)
    replay: str = ""
    """What the replay showed, or nothing when there was none."""
    command: str = ""

    @property
    def ok(self) -> bool:
        """As the catalogue says, and every counterexample fails on the engine as well."""
        return self.verdict == self.catalogue and self.replay in ("", _CONFIRMED)

    def row(self) -> dict[str, Any]:
        return {"policy": self.policy, "verdict": self.verdict, "catalogue": self.catalogue,
                "states": self.states, "counterexample": self.steps, "hazards": dict(self.hazards),
                "paths": dict(self.paths), "replay": self.replay}


def run_audit(options: AuditOptions, display: Display) -> int:
    """Look for counterexamples on the model, replay and save them; 0 when all is as the catalogue says.

    Raises: InvalidRequest, SimulatorError, BuildError.
    """
    options.target.check()
    chosen = options.chosen()
    if options.depth is not None and options.depth < 1:
        raise InvalidRequest(f"a depth of {options.depth} steps: at least 1")
    check_writable(options.json)
    findings = []
    with display:
        for name, verdict in chosen.items():
            with display.waiting(f"auditing {name}"):
                findings.append(_look(options, name, verdict))
        _replay_all([finding for finding in findings if finding.cases], options.target, display)
    display.table(COLUMNS, [_shown(finding) for finding in findings])
    for finding in findings:
        _explain(finding, display)
    ok = all(finding.ok for finding in findings)
    if options.json is not None:
        write_json(options.json, ok, [finding.row() for finding in findings])
    return 0 if ok else 1


def _look(options: AuditOptions, name: str, catalogue: Verdict) -> Finding:
    if name in KEY_LOAD:
        found = audit_key_load(POLICIES[cast(PolicyName, name)], options.depth)
        finding = Finding(name, catalogue, found.whole.verdict, found.whole.states)
        finding.steps = [str(step) for step in found.whole.counterexample]
        finding.hazards = {kind: [str(step) for step in steps] for kind, steps in found.hazards.items()}
        finding.paths = {path: [str(step) for step in steps] for path, steps in found.paths.items()}
        sequences = {"": found.whole.counterexample, **found.hazards, **found.paths}
        finding.cases = [operations.case_of(f"{name} {kind}".rstrip(), sequence)
                         for kind, sequence in sequences.items() if sequence]
        return finding
    bench = model_bench(BenchSpec(engine=options.target.engine))
    layouts = bench.kernel.run(audit_strategy(bench.engine(), name))
    finding = Finding(name, catalogue, layouts.verdict, layouts.layouts)
    if layouts.counterexample is not None:
        finding.steps = [f"{'decrypt' if layouts.decrypt else 'encrypt'} {layouts.counterexample}"]
        finding.cases = [xts_strategies.case_of(name, layouts)]
    return finding


def _replay_all(findings: list[Finding], target: Target, display: Display) -> None:
    """On one build, with as many CPUs as any of them needs."""
    if not findings:
        return
    cases = [case for finding in findings for case in finding.cases]
    target = replace(target, cpus=cpus_for(target.engine, cases))
    launcher = Launcher(target, display)
    for finding in findings:
        _replay(finding, target, launcher)


def _replay(finding: Finding, target: Target, launcher: Launcher) -> None:
    """Save the counterexamples as a case file, and see each of them fail on the engine."""
    folder = build_root() / "audit"
    file = folder / f"{target.engine}-{finding.policy}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"cases": finding.cases}, indent=1) + "\n")
    except OSError as error:
        raise EcbenchError(f"cannot write {file}: {error.strerror}") from None
    finding.command = shlex.join(["ecbench", "cases", str(file), "--policy", finding.policy,
                                  *target.options()])
    seen: dict[str, str] = {}

    def report(line: dict[str, Any]) -> None:
        if line["kind"] == "case":
            seen[line["name"]] = f"{line['verdict']} {line['text']}".rstrip()

    spec = replace(target.bench(), **policy_settings(target.engine, finding.policy))
    result = launcher.run(JobRequest("cases", {"cases": finding.cases}, spec), report)
    finding.replay = _CONFIRMED
    for case in finding.cases:
        shown = seen.get(case["name"], f"not replayed: {result.problem}")
        last = f"step {len(case['steps']) - 1} " if case["mode"] == "seq" else ""
        if not shown.startswith(f"fail {last}") or "wrong output" not in shown:
            finding.replay = f"{case['name']}: {shown}"
            return


def _shown(finding: Finding) -> dict[str, Any]:
    steps = finding.steps
    shortest = "none" if not steps else steps[0] if len(steps) == 1 else f"{len(steps)} steps"
    return {**finding.row(), "shortest": shortest, "replay": finding.replay or "-"}


def _explain(finding: Finding, display: Display) -> None:
    if finding.steps:
        display.out(f"{finding.policy}: the shortest sequence that goes wrong")
        for number, step in enumerate(finding.steps, 1):
            display.out(f"  {number}. {step}")
    for kinds in (finding.hazards, finding.paths):
        for kind, steps in kinds.items():
            if steps:
                display.out(f"  {kind}: {'; '.join(steps)}")
    if finding.command:
        display.out(f"  replay: {finding.command}")
    if finding.verdict != finding.catalogue:
        display.out(f"FAIL {finding.policy}: {finding.verdict}, but the catalogue says {finding.catalogue}")
    elif not finding.ok:
        display.out(f"FAIL {finding.policy}: {finding.replay}")
