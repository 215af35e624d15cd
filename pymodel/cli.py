"""The command line ``ecbench``."""

from __future__ import annotations

import importlib.metadata
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pymodel.errors import InvalidRequest
from pymodel.jobs import crypt_spec
from pymodel.jobs.ciphers import ALL_MODES
from pymodel.jobs.engines import ENGINES
from pymodel.jobs.profiles import NONE, PROFILES
from pymodel.jobs.speed_cell import SPEED_MODES
from pymodel.jobs.vectors import NAMES as VECTOR_SETS
from pymodel.modes.xts import STRATEGIES
from pymodel.published import EXPERIMENTS
from pymodel.regress import simulators
from pymodel.regress.audit_command import AuditOptions, run_audit
from pymodel.regress.bench_command import BenchOptions, measure_speed
from pymodel.regress.cases_command import replay_file
from pymodel.regress.command_line import Work, run_app
from pymodel.regress.config import OWN_TEST_TOPS
from pymodel.regress.crypt_command import CryptOptions, crypt
from pymodel.regress.display import Display
from pymodel.regress.luks_command import LuksOptions, luks
from pymodel.regress.options import (
    ALL_ENGINES,
    Engine,
    Engines,
    Json,
    On,
    Seed,
    Sim,
    Stages,
    Strategy,
    Waves,
    chosen_targets,
)
from pymodel.regress.own_test import OwnTestOptions, run_own_test
from pymodel.regress.quirks_command import show_quirks
from pymodel.regress.reproduce_command import ReproduceOptions, reproduce
from pymodel.regress.run_command import RANDOM_REQUESTS, RunOptions, run_requests
from pymodel.regress.run_vectors import VectorRun, run_vectors
from pymodel.regress.speed_command import print_speed
from pymodel.regress.speed_options import DIRECTIONS, SIZES, SPEED_ENGINES, SpeedOptions
from pymodel.regress.target import Target
from pymodel.regress.vectors_command import VectorsOptions, write_vectors
from pymodel.vectors import generate, vector_file

app = typer.Typer(name="ecbench", add_completion=False, pretty_exceptions_enable=False,
                  help="Drive a Verilog AES-ECB engine and its host drivers, on a model or in a simulator.")

def _version(wanted: bool) -> None:
    if wanted:
        print(f"ecbench {importlib.metadata.version('ecbench')}")
        raise typer.Exit


@app.callback()
def ecbench(version: Annotated[bool, typer.Option("--version", help="Show the version.", callback=_version,
                                                  is_eager=True)] = False) -> None:
    """Every command takes ``--help``."""


@app.command()
def run(
    engine: Engines = ALL_ENGINES,
    stages: Stages = 1,
    mode: Annotated[list[str] | None, typer.Option(
        "--mode", help=f"Only this mode; may be given again. One of {', '.join(ALL_MODES)}.")] = None,
    seed: Seed = 1,
    requests: Annotated[int | None, typer.Option("--requests", min=0, max=1_000_000, help="Random requests "
                                                 "for each mode and key size, by default 100.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="A file to encrypt and decrypt back, in "
                                             "every mode; ECB and CBC pad it (PKCS #7).")] = None,
    vectors: Annotated[list[str] | None, typer.Option(
        "--vectors", help="Published vectors instead of all that; may be given again. all, or one of "
                          f"{', '.join(VECTOR_SETS)}.")] = None,
    strategy: Strategy = STRATEGIES[0],
    on: On = "rtl",
    sim: Sim = "",
    waves: Waves = False,
    json: Json = None,
) -> Work:
    """Put known answers, random requests and a file through the engines and check every byte."""
    modes = tuple(dict.fromkeys(mode)) if mode else ALL_MODES
    targets = chosen_targets(engine, on, sim, waves, stages)
    if vectors:
        if mode or file is not None or seed != 1 or requests is not None or strategy != STRATEGIES[0]:
            raise InvalidRequest("--vectors says which requests: leave --mode, --file, --requests, "
                                 "--strategy and --seed out")
        return partial(run_vectors, VectorRun(targets, tuple(vectors), json), Display())
    count = RANDOM_REQUESTS if requests is None else requests
    options = RunOptions(targets, modes, seed, count, file, strategy, json)
    return partial(run_requests, options, Display())


@app.command()
def cases(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A case file, JSON.")],
    engine: Engine = "padlock",
    stages: Stages = 1,
    subset: Annotated[str | None, typer.Option("--subset", help="Only the cases in this list of the file, "
                                                                "for example core.")] = None,
    policy: Annotated[str | None, typer.Option("--policy", help="The driver's policy for loading keys, or "
                                               "the strategy of XTS, right or wrong.")] = None,
    on: On = "model",
    sim: Sim = "",
    waves: Waves = False,
    json: Json = None,
) -> Work:
    """Replay the cases of a file; one line for each that fails."""
    return partial(replay_file, file, subset, policy, Target(engine, on, sim, waves, stages), json, Display())


@app.command()
def audit(
    engine: Annotated[str, typer.Argument(metavar="ENGINE", help=f"The engine: {', '.join(ENGINES)}.")],
    policy: Annotated[str | None, typer.Option("--policy", help="Only this one, of either kind.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", help="Look at sequences of at most so many steps, "
                                              "not at all of them.")] = None,
    stages: Stages = 1,
    on: On = "rtl",
    sim: Sim = "",
    waves: Waves = False,
    json: Json = None,
) -> Work:
    """Find out which driver policies are wrong, by the shortest sequence that shows it, and replay that."""
    target = Target(engine, on, sim, waves, stages)
    return partial(run_audit, AuditOptions(target, policy, depth, json), Display())


@app.command()
def quirks(engine: Engines = ALL_ENGINES, stages: Stages = 1, on: On = "model",
           sim: Sim = "", waves: Waves = False, json: Json = None) -> Work:
    """Show each quirk of the engines: the naive driver fails, the right driver passes, and the naive driver
    passes once the quirk's strap is off.
    """
    return partial(show_quirks, chosen_targets(engine, on, sim, waves, stages), json, Display())


@app.command()
def bench(
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Of everything, interleaved.")] = 3,
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, help="For each size and repeat.")] = 0.4,
    profile: Annotated[bool, typer.Option("--profile", help="Show where the time goes.")] = False,
    engine: Engine = "padlock",
    stages: Stages = 1,
    json: Json = None,
) -> Work:
    """Measure blocks per second of XTS in every layer and simulator, and without Python."""
    target = Target(engine, "model", stages=stages)
    return partial(measure_speed, BenchOptions(target, repeats, seconds, profile, json), Display())


@app.command()
def speed(
    mode: Annotated[list[str] | None, typer.Option(
        "--mode", help=f"xts by default; may be given again. One of {', '.join(SPEED_MODES)}.")] = None,
    direction: Annotated[str, typer.Option("--direction", help=f"{', '.join(DIRECTIONS)}.")] = "both",
    key_bits: Annotated[list[int] | None, typer.Option(
        "--key-bits", help="Of the whole key; may be given again. All by default.")] = None,
    size: Annotated[list[int] | None, typer.Option(
        "--bytes", help=f"Of a request; may be given again. Else {', '.join(map(str, SIZES))}.")] = None,
    strategy: Annotated[list[str] | None, typer.Option(
        "--strategy", help=f"Of XTS: {', '.join(STRATEGIES)}.", show_default=STRATEGIES[0])] = None,
    data_unit: Annotated[int | None, typer.Option("--data-unit", help="XTS, CBC, ESSIV: bytes of a data "
                                                  "unit, stream or sector, many in one request.")] = None,
    policy: Annotated[str | None, typer.Option("--policy", help="PadLock: when to load the key.")] = None,
    host_expands: Annotated[bool, typer.Option("--host-expands", help="PadLock: hand 128-bit keys over as "
                                               "schedules too.")] = False,
    threshold: Annotated[int | None, typer.Option("--threshold", min=0, help="QCE: bytes up to which "
                                                  "software does it, aes_sw_max_len; by default 0.")] = None,
    profile: Annotated[str, typer.Option("--profile", help=f"The machine: {', '.join(PROFILES)}.")] = NONE,
    engine: Annotated[str, typer.Option("--engine", help=f"{', '.join(SPEED_ENGINES)}; software: none, the "
                                        "host computes.")] = ENGINES[0],
    stages: Stages = 1,
    on: On = "model",
    sim: Sim = "",
    json: Json = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the rows to this file as CSV.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw cycles over bytes into this SVG.")] = None,
) -> Work:
    """Print what requests take, in cycles, in the tables of tcrypt."""
    if len(set(strategy or ())) > 1:
        raise InvalidRequest("--strategy can be given once: the tables do not name it")
    options = SpeedOptions(Target(engine, on, sim, stages=stages), tuple(dict.fromkeys(mode or ("xts",))),
                           direction, tuple(dict.fromkeys(key_bits or ())),
                           tuple(dict.fromkeys(size or SIZES)), strategy[0] if strategy else None, data_unit,
                           policy, host_expands, threshold, profile, json, csv, plot)
    return partial(print_speed, options, Display())


@app.command("reproduce")
def reproduce_published(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Only this experiment: "
                                               f"{', '.join(EXPERIMENTS)}.", show_default=False)] = None,
    on: On = "model",
    sim: Sim = "",
    json: Json = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with tables and plots.")] = None,
) -> Work:
    """Do published measurements again on the bench, and print both side by side."""
    return partial(reproduce, ReproduceOptions(name, on, sim, json, html), Display())


@app.command("crypt")
def crypt_file(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to read.")],
    destination: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; it appears when all "
                                                "of it is right.")],
    mode: Annotated[str, typer.Option("--mode", help=f"One of {', '.join(crypt_spec.MODES)}.")],
    key: Annotated[str | None, typer.Option("--key", metavar="HEX",
                                            help="The key, for XTS both halves.")] = None,
    key_file: Annotated[Path | None, typer.Option("--key-file", help="A file with the key in HEX.")] = None,
    iv: Annotated[str | None, typer.Option("--iv", metavar="HEX", help="CBC: the IV. XTS: the first data "
                                           "unit's tweak; without --data-unit the file is one unit.")] = None,
    data_unit: Annotated[int | None, typer.Option("--data-unit", metavar="BYTES", help="XTS: the size of a "
                                                  "data unit, by default 512.")] = None,
    first: Annotated[str | None, typer.Option("--first", metavar="NUMBER", help="XTS: the number of the "
                                              "first data unit, by default 0.")] = None,
    decrypt: Annotated[bool, typer.Option("--decrypt", help="Decrypt instead of encrypting.")] = False,
    engine: Engine = "padlock",
    stages: Stages = 1,
    on: On = "rtl",
    sim: Sim = "",
    waves: Waves = False,
    json: Json = None,
) -> Work:
    """Encrypt or decrypt a file with the engine; nothing is padded."""
    target = Target(engine, on, sim, waves, stages)
    options = CryptOptions(target, source, destination, mode, key, key_file, iv, data_unit, first, decrypt,
                           json)
    return partial(crypt, options, Display())


@app.command("luks")
def luks_volume(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="A LUKS1 volume in a file.")],
    work: Annotated[str, typer.Argument(metavar="info|decrypt|sector", help="info: show the header. decrypt "
                                        "OUT: the payload into a file. sector N: 512 bytes to stdout.")],
    operand: Annotated[str | None, typer.Argument(metavar="[OUT|N]", help="The file to write, or the number "
                                                  "of a sector of the payload.", show_default=False)] = None,
    passphrase_file: Annotated[Path | None, typer.Option("--passphrase-file", help="A file with the "
                               "passphrase, with a line end or without. Not needed for info.")] = None,
    engine: Engine = "padlock",
    stages: Stages = 1,
    on: On = "rtl",
    sim: Sim = "",
    waves: Waves = False,
    json: Json = None,
) -> Work:
    """Open a LUKS1 volume, with every AES operation done by the engine."""
    target = Target(engine, on, sim, waves, stages)
    return partial(luks, LuksOptions(target, image, work, operand, passphrase_file, json), Display())


@app.command()
def vectors(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    mode: Annotated[str, typer.Option("--mode", help=f"One of {', '.join(generate.MODES)}.")],
    key_bits: Annotated[int, typer.Option("--key-bits", help="128, 192 or 256; XTS: 256, 384 or 512.")],
    seed: Seed = 1,
    count: Annotated[int, typer.Option("--count", min=1, help="How many.")] = 100,
    form: Annotated[str, typer.Option("--format", help=f"One of {', '.join(vector_file.FORMATS)}.")] = "json",
) -> Work:
    """Write a file of vectors for another bench, computed by the golden model."""
    return partial(write_vectors, VectorsOptions(mode, key_bits, seed, count, form, out), Display())


@app.command("test")
def own_test(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file with cocotb tests.")],
    only: Annotated[str | None, typer.Option("--only", metavar="REGEX", help="Only tests whose "
                                             "'module.test' matches.")] = None,
    top: Annotated[str, typer.Option("--top", help=f"The top module: {', '.join(OWN_TEST_TOPS)}."
                                     )] = "padlock_top",
    seed: Seed = 1,
    sim: Sim = simulators.NAMES[0],
    waves: Waves = False,
    json: Json = None,
) -> Work:
    """Run your own cocotb tests on the bench."""
    return partial(run_own_test, OwnTestOptions(file, sim, top, only, seed, waves, json), Display())


def run_command_line(arguments: list[str]) -> int:
    """Run one command. Exit codes: 0 all passed, 1 something failed, 2 bad input, 130 interrupted."""
    return run_app(app, arguments)
