"""Random scenes for the PadLock engine: everything a request can meet, drawn from one seeded generator."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from cocotb_tests.padlock_scenes import Protect, Request, Set, Setting, Step, Write
from pymodel.engines import rijndael
from pymodel.engines.padlock import ROUNDS, ControlWord
from pymodel.engines.ports import Xcrypt
from pymodel.engines.quirks import Quirk
from pymodel.memory import PAGE_BYTES

BLOCK = 16
ADDRESS_MASK = 0xFFFFFFFF
KEYS_AT, DATA_AT, DATA_PAGES = 1 * PAGE_BYTES, 8 * PAGE_BYTES, 32
PADLOCK_QUIRKS = [Quirk.STICKY_KEY, Quirk.KEYGEN_128_ONLY, Quirk.SCHEDULE_OVERREAD, Quirk.FETCH_AHEAD,
                  Quirk.ALIGN_16, Quirk.IRQ_FORGETS_KEY]
LATENCIES = [1, 1, 1, 2, 3, 5, 8, 17, 40, 150, 200]
KEY_PAGES = 4


class RandomScenes:
    """``memory_size`` in bytes. ``events``: with interrupts, resets and flag loads under way, which only
    mean the same on both sides when cycles do."""

    def __init__(self, numbers: random.Random, memory_size: int, *, events: bool = True) -> None:
        self._numbers = numbers
        self._memory_size = memory_size
        self._events = events
        self._setting = Setting()
        self._pointers = (KEYS_AT, KEYS_AT + 16)

    def chance(self, probability: float) -> bool:
        return self._numbers.random() < probability

    def scene(self, requests: int, stalled: bool = False) -> list[Step]:
        """New straps, fresh data, then requests that carry the key over from one to the next."""
        steps = self._new_setting(stalled)
        steps.append(Write(DATA_AT, self._numbers.randbytes(DATA_PAGES * PAGE_BYTES)))
        for _ in range(requests):
            steps += self._request()
        return steps

    def _new_setting(self, stalled: bool) -> list[Step]:
        numbers = self._numbers
        quirks = Quirk(0)
        for quirk in PADLOCK_QUIRKS:
            quirks |= quirk if self.chance(0.7) else Quirk(0)
        setting = Setting(quirks=quirks, fetch_blocks=numbers.choice([1, 2, 2, 4, 8]),
                          setup_cycles=numbers.choice([0, 0, 1, 2, 8, 8, 30]))
        if stalled:
            setting = replace(setting, stall_seed=numbers.randrange(1, 1 << 32),
                              stall_mask=numbers.choice([1, 2, 4, 8, 16, 31, 31]),
                              stall_rate=numbers.choice([20, 64, 128, 220]))
        self._setting = setting
        return [Set(setting, reset=True)]

    def _request(self) -> Iterator[Step]:
        numbers = self._numbers
        self._setting = replace(self._setting, read_latency=numbers.choice(LATENCIES),
                                write_latency=numbers.choice(LATENCIES), read_error=None, write_error=None)
        if self.chance(0.6):
            yield from self._new_key()
        op = self._operands()
        if self.chance(0.1):
            op = self._misaligned(op)
        if self.chance(0.15):
            kind = numbers.choice(["read_error", "write_error"])
            self._setting = replace(self._setting, **{kind: self._victim(op)})
        yield Set(self._setting)
        closed = self._victim(op) if self.chance(0.2) else None
        if closed is not None and closed < self._memory_size:
            yield Protect(closed, *numbers.choice([(False, True), (True, False), (False, False)]))
        yield Request(op, self._actions(), numbers.choice([0, 0, 1, 5, 40]))
        if closed is not None and PAGE_BYTES <= closed < self._memory_size:
            yield Protect(closed, True, True)

    def _new_key(self) -> Iterator[Step]:
        """A control word and key memory: right, of the other direction, garbage, or a word to be refused."""
        numbers = self._numbers
        key = numbers.randbytes(numbers.choice(rijndael.KEY_BYTES))
        decrypt = self.chance(0.5)
        word = ControlWord(rounds=rijndael.ROUNDS[len(key)], keygen=self.chance(0.6) or len(key) > 16,
                           decrypt=decrypt, ksize=len(key) // 8 - 2)
        forward = rijndael.expand(key)
        schedule = (rijndael.invert(forward) if decrypt != self.chance(0.1) else forward).tobytes()
        if self.chance(0.2):
            word = replace(word, keygen=not word.keygen)
        if self.chance(0.1):
            word = replace(word, rounds=numbers.choice(ROUNDS))
        material = schedule if word.keygen else key
        encoded = word.encode() if self.chance(0.92) else numbers.randrange(1 << 12)
        encoded |= numbers.randrange(1 << 20) << 12
        page_end = KEYS_AT + KEY_PAGES * PAGE_BYTES - -(-len(material) // BLOCK) * BLOCK
        at = numbers.choice([KEYS_AT + 512, page_end, self._near_page(KEYS_AT)])
        self._pointers = (KEYS_AT + BLOCK * numbers.randrange(8), at)
        yield Write(at, material)
        yield Write(self._pointers[0], encoded.to_bytes(16, "little"))

    def _near_page(self, start: int) -> int:
        """A multiple of 16 not far from a page boundary behind ``start``."""
        return start + PAGE_BYTES + BLOCK * self._numbers.randrange(-20, 20)

    def _operands(self) -> Xcrypt:
        numbers = self._numbers
        count = numbers.choice([0, 1, 1, 2, 3, *(numbers.randrange(limit) for limit in (40, 71, 71))])
        if self.chance(0.01):
            count = 512
        src = self._place(count)
        dst = src if self.chance(0.25) else self._place(count)
        if self.chance(0.15):
            dst = (src + BLOCK * numbers.randrange(1, 60)) & ADDRESS_MASK
        if not self._events and src < dst < src + count * BLOCK:
            dst = src  # what is read back depends on cycles
        cword, key = self._pointers
        interrupt_at = numbers.randrange(1, 900) if self._events and self.chance(0.1) else 0
        return Xcrypt(cword, key, src, dst, count, interrupt_at)

    def _place(self, count: int) -> int:
        """Anywhere, near a page boundary, or near or beyond the end of memory."""
        numbers = self._numbers
        place = numbers.random()
        if place < 0.4:
            return self._near_page(DATA_AT + PAGE_BYTES * numbers.randrange(DATA_PAGES - 6))
        if place < 0.47:
            return self._memory_size - BLOCK * numbers.randrange(-3, count + 3)
        if place < 0.48:
            return (1 << 32) - BLOCK * numbers.randrange(1, 4)
        return DATA_AT + BLOCK * numbers.randrange((DATA_PAGES - 4) * PAGE_BYTES // BLOCK)

    def _misaligned(self, op: Xcrypt) -> Xcrypt:
        name = self._numbers.choice(["cword", "key", "src", "dst"])
        return replace(op, **{name: getattr(op, name) + self._numbers.randrange(1, 16)})

    def _victim(self, op: Xcrypt) -> int:
        """An address that the request may touch."""
        numbers = self._numbers
        area = numbers.choice([op.src, op.src, op.dst, op.dst, op.key, op.cword])
        return (area + BLOCK * numbers.randrange(op.count + 8) + numbers.choice([0, 0, 5])) & ADDRESS_MASK

    def _actions(self) -> tuple[tuple[int, str], ...]:
        if not self._events or self.chance(0.5):
            return ()
        numbers = self._numbers
        reach = numbers.choice([20, 60, 200, 800])
        names = ["interrupt", "interrupt", "load_flags", "key_loaded", "key_loaded", "reset"]
        drawn = [(numbers.randrange(reach), numbers.choice(names)) for _ in range(numbers.randrange(1, 5))]
        return tuple(_spaced(sorted(drawn)))


def _spaced(actions: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Nothing behind a reset, and two cycles between actions, so that each begins when it is said to."""
    earliest = 0
    for at, what in actions:
        at = max(at, earliest, 1 if what == "reset" else 0)
        yield at, what
        if what == "reset":
            return
        earliest = at + 2
