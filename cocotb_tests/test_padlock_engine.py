"""The PadLock engine against its transaction-level model: data, status, pointers, key and every cycle.

No driver: raw requests through the port, the same scene on both sides, equal logs.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import cocotb

from cocotb_tests import scenes
from cocotb_tests.padlock_random import DATA_AT, KEYS_AT, RandomScenes
from cocotb_tests.padlock_scenes import (
    STAGES,
    ModelSide,
    Protect,
    Request,
    RtlSide,
    Set,
    Setting,
    Step,
    Write,
)
from cocotb_tests.scenes import generator
from pymodel import golden
from pymodel.engines import rijndael
from pymodel.engines.padlock import ControlWord
from pymodel.engines.ports import Xcrypt, XcryptStatus
from pymodel.engines.quirks import Quirk
from pymodel.memory import PAGE_BYTES

EFFORT = float(os.environ.get("ECBENCH_EFFORT", "1"))
"""Scales the number of random scenes."""

WORD_AT, KEY_AT, SRC, DST = KEYS_AT, KEYS_AT + 512, DATA_AT, DATA_AT + 16 * PAGE_BYTES
KEYS = {bits: bytes(range(bits // 8)) for bits in (128, 192, 256)}
DATA = random.Random(1).randbytes(600 * 16)


class Pair(scenes.Pair):
    """Of the PadLock. Where cycles mean nothing on RTL, the model's are not compared either."""

    RTL, MODEL = RtlSide, ModelSide

    def expected(self, scene: Sequence[Step]) -> list[Any]:
        if not self.rtl.exact():
            self.model.exact = lambda: False
        return super().expected(scene)


def schedule(bits: int, decrypt: bool) -> bytes:
    forward = rijndael.expand(KEYS[bits])
    return (rijndael.invert(forward) if decrypt else forward).tobytes()


def key_steps(bits: int, *, keygen: bool, decrypt: bool = False) -> list[Step]:
    word = ControlWord(rounds=6 + bits // 32, keygen=keygen, decrypt=decrypt, ksize=(bits - 128) // 64)
    return [Write(WORD_AT, word.encode().to_bytes(16, "little")),
            Write(KEY_AT, schedule(bits, decrypt) if keygen else KEYS[bits])]


def request(count: int, **changes: Any) -> Request:
    actions = changes.pop("actions", ())
    return Request(replace(Xcrypt(WORD_AT, KEY_AT, SRC, DST, count), **changes), actions)


def outcomes(log: Iterable[Any]) -> list[Any]:
    """The results of the requests in a log."""
    return [entry[1] for entry in log if isinstance(entry, tuple) and isinstance(entry[0], Xcrypt)]


@cocotb.test()
@cocotb.parametrize(bits=[128, 192, 256], decrypt=[False, True])
async def ecb_of_512_blocks_takes_the_cycles_of_its_rounds_and_at_most_200_more(dut, bits, decrypt):
    pair = await Pair.start(dut, Setting())
    log = await pair.agree([*key_steps(bits, keygen=bits > 128, decrypt=decrypt), Write(SRC, DATA),
                            request(512), request(512)])
    ecb = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
    assert pair.rtl.memory.read(DST, 512 * 16) == ecb(KEYS[bits], DATA[:512 * 16])
    loading, loaded = outcomes(log)
    dut._log.info("512 blocks, %d bits, decrypt %s: %d cycles with the key, %d without", bits, decrypt,
                  loading.cycles, loaded.cycles)
    rounds = 6 + bits // 32
    assert loaded.cycles < loading.cycles <= 512 * rounds // min(STAGES, rounds) + 200
    pair.finish()


@cocotb.test()
@cocotb.parametrize(part=[0, 1, 2])
async def random_requests_agree_in_data_status_pointers_and_cycles(dut, part):
    numbers = generator(dut, f"random requests {part}")
    pair = await Pair.start(dut, Setting())
    scenes = RandomScenes(numbers, pair.rtl.memory.size)
    seen: set[XcryptStatus] = set()
    for _ in range(round(20 * EFFORT)):
        log = await pair.agree(scenes.scene(requests=10))
        seen.update(result.status for result in outcomes(log) if result != "abandoned")
    assert EFFORT < 1 or len(seen) == len(XcryptStatus), f"only {seen} occurred"
    pair.finish()


@cocotb.test()
async def random_back_pressure_on_every_channel_changes_nothing_but_cycles(dut):
    numbers = generator(dut, "back-pressure")
    pair = await Pair.start(dut, Setting())
    scenes = RandomScenes(numbers, pair.rtl.memory.size, events=False)
    for _ in range(round(20 * EFFORT)):
        await pair.agree(scenes.scene(requests=6, stalled=True))
    pair.finish()


EDGE_SETTINGS = [
    Setting(),
    Setting(setup_cycles=0, write_latency=5),
    Setting(read_latency=7, fetch_blocks=4, quirks=Quirk.all() & ~Quirk.IRQ_FORGETS_KEY),
    Setting(read_latency=3, write_latency=30, setup_cycles=1, quirks=Quirk.all() & ~Quirk.FETCH_AHEAD),
]
FAST = cocotb.SIM_NAME.lower().startswith("verilator") or EFFORT > 1
some_settings = cocotb.parametrize(setting=range(len(EDGE_SETTINGS)) if FAST else [2])
"""All of them, or one in a simulator that is several times slower."""


def edge_scene(setting: Setting, action: str, count: int, skipped: int, *, bits: int, keygen: bool,
               load: bool) -> list[Step]:
    """``action`` at every edge of a request of ``count`` blocks; then the next request, which carries on.
    In a simulator that is several times slower at every third edge, from ``skipped`` (0 to 2) on.

    Source and destination begin just before a page end, so that bursts are short and there are many.
    """
    src, dst = SRC + PAGE_BYTES - 3 * 16, DST + PAGE_BYTES - 2 * 16
    placed = partial(request, src=src, dst=dst)
    length = ModelSide(4 << 20, setting)
    before: list[Step] = [Set(setting, reset=True), *key_steps(bits, keygen=keygen), Write(src, DATA)]
    warm = [] if load else [placed(1)]
    cycles = outcomes(length.play([*before, *warm, placed(count)]))[-1].cycles
    scene: list[Step] = before
    first, step = (0, 1) if FAST else (skipped, 3)
    for edge in range(max(first, action == "reset"), cycles + 3, step):
        scene += [Set(setting, reset=True), *warm, placed(count, actions=((edge, action),)), placed(3)]
    return scene


@cocotb.test()
@some_settings
@cocotb.parametrize(action=["interrupt", "reset", "load_flags"])
async def an_event_at_any_edge_of_a_short_request_agrees(dut, setting, action):
    chosen = EDGE_SETTINGS[setting]
    pair = await Pair.start(dut, chosen)
    skipped = generator(dut, f"{action} at an edge").randrange(3)
    await pair.agree(edge_scene(chosen, action, 5, skipped, bits=128, keygen=False, load=True))
    await pair.agree(edge_scene(chosen, action, 3, skipped, bits=256, keygen=True, load=True))
    await pair.agree(edge_scene(chosen, action, 21, skipped, bits=128, keygen=True, load=False))
    pair.finish()


@cocotb.test()
async def an_end_while_the_core_waits_for_a_slow_memory_agrees(dut):
    """32 blocks are done before the next burst comes, and those behind a page end of the destination wait."""
    setting = Setting(read_latency=220, write_latency=60)
    pair = await Pair.start(dut, setting)
    late = partial(request, 48, dst=DST + PAGE_BYTES - 5 * 16)
    scene: list[Step] = [*key_steps(128, keygen=False), Write(SRC, DATA)]
    cycles = outcomes(ModelSide(4 << 20, setting).play([*scene, late()]))[-1].cycles
    scene += [late(interrupt_at=edge) for edge in range(1, cycles, 9)]
    for beat in range(16, 48):
        scene += [Set(replace(setting, read_error=SRC + 16 * beat)), late()]
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
async def an_interrupt_named_in_the_request_acts_at_that_edge(dut):
    pair = await Pair.start(dut, Setting())
    scene: list[Step] = [*key_steps(128, keygen=False), Write(SRC, DATA)]
    scene += [request(6, interrupt_at=edge) for edge in range(120)]
    statuses = {result.status for result in outcomes(await pair.agree(scene))}
    assert statuses == {XcryptStatus.OK, XcryptStatus.INTERRUPTED}
    pair.finish()


@cocotb.test()
@cocotb.parametrize(expands_all_sizes=[False, True])
async def every_control_word_is_taken_or_refused_alike(dut, expands_all_sizes):
    quirks = Quirk.all() & ~Quirk.STICKY_KEY
    setting = Setting(quirks=quirks & ~Quirk.KEYGEN_128_ONLY if expands_all_sizes else quirks, setup_cycles=0)
    pair = await Pair.start(dut, setting)
    scene: list[Step] = [Write(KEY_AT, DATA[:256]), Write(SRC, DATA)]
    step = max(1, round((3 if FAST else 11) / EFFORT))
    for word in range(generator(dut, "first word").randrange(step), 1 << 12, step):
        scene += [Write(WORD_AT, word.to_bytes(16, "little")), request(1)]
    taken = [result.status for result in outcomes(await pair.agree(scene))].count(XcryptStatus.OK)
    assert step > 1 or taken == 2 * (3 * 3 + (3 if expands_all_sizes else 1))
    pair.finish()


@cocotb.test()
async def a_destination_inside_the_source_reads_back_what_was_written_in_time(dut):
    pair = await Pair.start(dut, Setting())
    scene: list[Step] = key_steps(128, keygen=False)
    for distance in (*range(1, 36, 1 if FAST else 5), 40, 47, 48, 49, 64):
        for latency in (1, 25):
            setting = Setting(read_latency=latency, write_latency=26 - latency)
            scene += [Set(setting), Write(SRC, DATA), request(90, dst=SRC + 16 * distance)]
    await pair.agree(scene)
    pair.finish()


@cocotb.test()
@some_settings
async def an_error_at_any_beat_agrees(dut, setting):
    """Bus errors on reads and writes, and on key memory; closed pages before each block of either side."""
    chosen = EDGE_SETTINGS[setting]
    pair = await Pair.start(dut, chosen)
    src, dst = SRC + PAGE_BYTES - 3 * 16, DST + PAGE_BYTES - 5 * 16
    scene: list[Step] = [*key_steps(256, keygen=True), Write(SRC, DATA), Write(src, DATA)]
    for kind, base, beats in (("read_error", src, 28), ("write_error", dst, 24), ("read_error", KEY_AT, 16),
                              ("read_error", WORD_AT, 1)):
        for beat in range(beats):
            failing = replace(chosen, **{kind: base + 16 * beat})
            scene += [Set(failing, reset=True), request(24, src=src, dst=dst)]
    scene.append(Set(chosen, reset=True))
    for readable, page in ((False, SRC + PAGE_BYTES), (True, DST + PAGE_BYTES)):
        scene.append(Protect(page, readable, not readable))
        for cut in range(1, 22):
            scene.append(request(22, src=SRC + PAGE_BYTES - 16 * cut, dst=DST + PAGE_BYTES - 16 * cut))
        scene.append(Protect(page, True, True))
    found = {result.status for result in outcomes(await pair.agree(scene))}
    assert found == {XcryptStatus.OK, XcryptStatus.READ_PAGE_FAULT, XcryptStatus.WRITE_PAGE_FAULT,
                     XcryptStatus.READ_BUS_FAULT, XcryptStatus.WRITE_BUS_FAULT}
    pair.finish()


@cocotb.test()
async def a_schedule_that_was_cut_short_is_loaded_anew_from_its_first_beat(dut):
    """By an error on each of its beats, and by an interrupt at each edge between its two bursts."""
    pair = await Pair.start(dut, Setting())
    key = KEY_AT + PAGE_BYTES - 5 * 16
    placed = partial(request, 2, key=key)
    scene: list[Step] = [*key_steps(256, keygen=True), Write(key, schedule(256, False)), Write(SRC, DATA)]
    cut: list[Step] = []
    for beat in range(16):
        cut += [Set(Setting(read_error=key + 16 * beat), reset=True), placed(), Set(Setting()), placed()]
    whole = outcomes(ModelSide(4 << 20, Setting()).play([*scene, placed()]))[-1].cycles
    for edge in range(1, whole):
        cut += [Set(Setting(), reset=True), placed(interrupt_at=edge), placed()]
    ended = outcomes(await pair.agree([*scene, *cut]))
    assert {result.status for result in ended[::2]} == {XcryptStatus.READ_BUS_FAULT, XcryptStatus.INTERRUPTED,
                                                        XcryptStatus.OK}
    assert {result.status for result in ended[1::2]} == {XcryptStatus.OK}
    pair.finish()


@cocotb.test()
async def errors_that_meet_something_else_agree(dut):
    pair = await Pair.start(dut, Setting())
    dst = DST + PAGE_BYTES - 5 * 16
    scene: list[Step] = [*key_steps(128, keygen=False), Write(SRC, DATA)]
    # an interrupt before blocks that wait in front of a failed group
    scene.append(Set(Setting(read_error=SRC + 28 * 16)))
    scene += [request(40, interrupt_at=edge) for edge in range(1, 400, 7)]
    # an error on B about the edge at which a block makes room for the next read burst
    for latency in range(80, 106):
        scene += [Set(Setting(write_latency=latency, write_error=dst)), request(48, dst=dst)]
    # blocks wait for room behind the core
    for block in (None, 40, 100, 120):
        error = None if block is None else dst + 16 * block
        scene += [Set(Setting(write_latency=400, write_error=error)), request(150, dst=dst)]
    # both kinds of error: the bus error behind, at and before the first block of a closed page
    for page, kind in ((SRC + PAGE_BYTES, "read_error"), (DST + PAGE_BYTES, "write_error")):
        scene.append(Protect(page, kind != "read_error", kind == "read_error"))
        for offset in (64, 0, -16):
            scene += [Set(replace(Setting(), **{kind: page + offset})),
                      request(8, src=SRC + PAGE_BYTES - 32, dst=DST + PAGE_BYTES - 32)]
        scene.append(Protect(page, True, True))
    statuses = [result.status for result in outcomes(await pair.agree(scene))]
    assert statuses[-6:-3] == [XcryptStatus.READ_PAGE_FAULT] + [XcryptStatus.READ_BUS_FAULT] * 2
    assert statuses[-3:] == [XcryptStatus.WRITE_BUS_FAULT] * 3  # it is the burst that fails
    assert {XcryptStatus.OK, XcryptStatus.INTERRUPTED, XcryptStatus.READ_BUS_FAULT} <= set(statuses)
    pair.finish()
