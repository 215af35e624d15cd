"""Random scenes for the QCE: requests of every kind, well formed or not, and masters that disturb them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from cocotb_tests.qce_scenes import (
    READ_OUT,
    Act,
    Action,
    Interrupt,
    Protect,
    Reset,
    Script,
    Set,
    Setting,
    Step,
    Write,
)
from pymodel.engines.ports import RegisterAccess
from pymodel.engines.qce import MAX_DESCRIPTOR_BYTES, MAX_DESCRIPTORS, Descriptor, DescriptorFlag, encode_list
from pymodel.engines.qce_registers import (
    CONFIG_MASK_ERR_INTR,
    CONFIG_MASK_OP_DONE_INTR,
    ENCR_SEG_CFG_ALG,
    ENCR_SEG_CFG_ENCODE,
    ENCR_SEG_CFG_KEY_SIZE,
    ENCR_SEG_CFG_MODE,
    GOPROC_GO,
    GOPROC_RESULTS_DUMP,
    SOFT_RESET_RESET,
    Alg,
    Mode,
    Register,
)
from pymodel.engines.quirks import Quirk
from pymodel.memory import PAGE_BYTES

BLOCK = 16
ADDRESS_MASK = 0xFFFFFFFF
LISTS_AT, DATA_AT, DATA_PAGES = 1 * PAGE_BYTES, 8 * PAGE_BYTES, 32
QCE_QUIRKS = [quirk for quirk in Quirk if quirk >= Quirk.LENGTH_512_HANG]
LATENCIES = [1, 1, 1, 2, 3, 5, 8, 17, 40, 150]
KEYS = [Register(Register.ENCR_KEY0 + 4 * index) for index in range(8)]
COUNTERS = [Register(Register.CNTR0_IV + 4 * index) for index in range(4)]
LISTS = ((Register.SRC_LIST_ADDRESS, Register.SRC_LIST_LENGTH, Register.SRC_DOORBELL),
         (Register.DST_LIST_ADDRESS, Register.DST_LIST_LENGTH, Register.DST_DOORBELL))
DUMP = 128


class RandomScenes:
    """``memory_size`` in bytes."""

    def __init__(self, numbers: random.Random, memory_size: int) -> None:
        self._numbers = numbers
        self._memory_size = memory_size
        self._setting = Setting()

    def chance(self, probability: float) -> bool:
        return self._numbers.random() < probability

    def scene(self, requests: int) -> list[Step]:
        """New straps, fresh data, then requests one after the other, with a reset here and there."""
        numbers = self._numbers
        quirks = Quirk(0)
        for quirk in QCE_QUIRKS:
            quirks |= quirk if self.chance(0.6) else Quirk(0)
        self._setting = Setting(quirks, numbers.choice([0, 1, 5, 64]))
        steps: list[Step] = [Set(self._setting, reset=True),
                             Write(DATA_AT, numbers.randbytes(DATA_PAGES * PAGE_BYTES))]
        for _ in range(requests):
            steps += self._request()
        return steps

    def _request(self) -> Iterator[Step]:
        numbers = self._numbers
        size = self._size()
        dump = self.chance(0.4)
        source = self._list(-(-size // BLOCK) * BLOCK)
        needed = -(-size // BLOCK) * BLOCK + (DUMP if dump else 0)
        destination = source if self.chance(0.2) else self._list(needed)
        if dump and self.chance(0.5):
            destination = [*destination, Descriptor(self._place(DUMP), DUMP)]
        lists = [self._disturbed(source), self._disturbed(destination)]
        at = [self._list_place(), self._list_place()]
        if abs(at[0] - at[1]) < MAX_DESCRIPTORS * 8:
            at[1] = at[0] + PAGE_BYTES
        setting = replace(self._setting, read_latency=numbers.choice(LATENCIES),
                          write_latency=numbers.choice(LATENCIES))
        touched = [descriptor for descriptors in lists for descriptor in descriptors]
        if self.chance(0.15):
            victim = self._victim(touched, at)
            setting = replace(setting, **{numbers.choice(["read_error", "write_error"]): victim})
        yield Set(setting)
        for address, descriptors in zip(at, lists, strict=True):
            yield Write(address, encode_list(descriptors))
        closed = self._victim(touched, at) if self.chance(0.15) else 0
        if PAGE_BYTES <= closed < self._memory_size:
            yield Protect(closed, *numbers.choice([(False, True), (True, False), (False, False)]))
        yield Act(tuple(self._tracks(size, dump, lists, at)), reset=self.chance(0.2))
        if PAGE_BYTES <= closed < self._memory_size:
            yield Protect(closed, True, True)

    def _size(self) -> int:
        numbers = self._numbers
        kind = numbers.random()
        if kind < 0.05:
            return 0
        if kind < 0.15:
            return numbers.randrange(1, 700)
        if kind < 0.6:
            return BLOCK * numbers.randrange(1, 33)
        if kind < 0.85:
            return 512 * numbers.randrange(1, 4)
        return BLOCK * numbers.randrange(33, 90)

    # -- lists ------------------------------------------------------------------------------------

    def _list(self, needed: int) -> list[Descriptor]:
        """Pieces of that many bytes together, or of a few more or less."""
        numbers = self._numbers
        if self.chance(0.08):
            needed = max(needed - BLOCK * numbers.randrange(1, 4), 0)
        elif self.chance(0.3):
            needed += BLOCK * numbers.randrange(1, 20)
        average = numbers.choice([BLOCK, 48, 200, 600, MAX_DESCRIPTOR_BYTES])
        found: list[Descriptor] = []
        while needed or not found:
            size = min(needed, BLOCK * numbers.randrange(2 * average // BLOCK + 1), MAX_DESCRIPTOR_BYTES)
            if len(found) == MAX_DESCRIPTORS - 3:
                size = min(needed, MAX_DESCRIPTOR_BYTES)
            found.append(Descriptor(self._place(size), size))
            needed -= size
            if len(found) > MAX_DESCRIPTORS - 3:
                break
        return found

    def _disturbed(self, descriptors: list[Descriptor]) -> list[Descriptor]:
        """Flags that mean nothing, some that do, and here and there what is not aligned."""
        numbers = self._numbers
        found = list(descriptors)
        if self.chance(0.3):
            index = numbers.randrange(len(found))
            found[index] = replace(found[index], flags=numbers.randrange(1 << 16))
        if self.chance(0.25):
            found[0] = replace(found[0], flags=DescriptorFlag.LOCK)
        if self.chance(0.06):
            index = numbers.randrange(len(found))
            found[index] = replace(found[index], address=found[index].address + numbers.randrange(1, 16))
        if self.chance(0.06):
            index = numbers.randrange(len(found))
            found[index] = replace(found[index], size=found[index].size | numbers.randrange(16))
        return found[:MAX_DESCRIPTORS]

    def _place(self, size: int) -> int:
        """Anywhere, near a page boundary, or near or beyond the end of memory."""
        numbers = self._numbers
        place = numbers.random()
        if place < 0.4:
            page = DATA_AT + PAGE_BYTES * numbers.randrange(1, DATA_PAGES - 17)
            return page + BLOCK * numbers.randrange(-20, 20)
        if place < 0.43:
            return self._memory_size - BLOCK * numbers.randrange(-2, size // BLOCK + 3)
        if place < 0.44:
            return (1 << 32) - BLOCK * numbers.randrange(1, 4)
        return DATA_AT + BLOCK * numbers.randrange((DATA_PAGES - 17) * PAGE_BYTES // BLOCK)

    def _list_place(self) -> int:
        """Of a list: often near a page boundary."""
        numbers = self._numbers
        if self.chance(0.5):
            return LISTS_AT + PAGE_BYTES * numbers.randrange(1, 5) - BLOCK * numbers.randrange(34)
        return LISTS_AT + BLOCK * numbers.randrange(5 * PAGE_BYTES // BLOCK)

    def _victim(self, touched: list[Descriptor], lists: list[int]) -> int:
        """An address that the request may touch."""
        numbers = self._numbers
        if self.chance(0.15):
            return numbers.choice(lists) + BLOCK * numbers.randrange(8)
        chosen = numbers.choice(touched)
        return (chosen.address + BLOCK * numbers.randrange(chosen.size // BLOCK + 1)) & ADDRESS_MASK & ~15

    # -- accesses ---------------------------------------------------------------------------------

    def _tracks(self, size: int, dump: bool, lists: list[list[Descriptor]],
                at: list[int]) -> Iterator[tuple[Action, ...]]:
        numbers = self._numbers
        setup = self._setup(size, dump)
        for registers, address, descriptors in zip(LISTS, at, lists, strict=True):
            place = numbers.randrange(len(setup) + 1) if self.chance(0.5) else 0
            setup[place:place] = self._bell(registers, address, len(descriptors))
        if self.chance(0.1):
            del setup[numbers.randrange(len(setup))]
        actions: list[Action] = list(self._parts(setup))
        actions += self._polls()
        actions.append(Interrupt(numbers.choice([50, 400, 4000])))
        if self.chance(0.7):
            actions.append(Script(READ_OUT, gap=numbers.choice([0, 0, 0, 1, 2, 7])))
        if self.chance(0.7):
            actions.append(Script((RegisterAccess(Register.STATUS, numbers.choice([0, 0, 0, 0x20, 2])),)))
        yield tuple(actions)
        if self.chance(0.4):
            yield tuple(self._other_master())
        if self.chance(0.12):
            yield (Reset(numbers.randrange(numbers.choice([20, 200, 1500]))),)

    def _parts(self, accesses: list[RegisterAccess]) -> Iterator[Action]:
        """In one script or in several."""
        numbers = self._numbers
        while accesses:
            length = len(accesses) if self.chance(0.6) else numbers.randrange(1, len(accesses) + 1)
            yield Script(tuple(accesses[:length]), gap=numbers.choice([0, 0, 1, 3, 30]))
            accesses = accesses[length:]

    def _setup(self, size: int, dump: bool) -> list[RegisterAccess]:
        numbers = self._numbers
        config = (ENCR_SEG_CFG_ALG.put(Alg.AES if self.chance(0.98) else numbers.randrange(8))
                  | ENCR_SEG_CFG_KEY_SIZE.put(numbers.choice([0, 0, 1, 2, 2]) if self.chance(0.98)
                                              else numbers.randrange(8))
                  | ENCR_SEG_CFG_MODE.put(Mode.ECB if self.chance(0.98) else numbers.randrange(16))
                  | ENCR_SEG_CFG_ENCODE.put(numbers.randrange(2)))
        values = {Register.ENCR_SEG_CFG: config, Register.ENCR_SEG_SIZE: size,
                  Register.SEG_SIZE: size if self.chance(0.98) else size + 16,
                  Register.CONFIG: numbers.choice([0, 0, 0, CONFIG_MASK_ERR_INTR.mask,
                                                   CONFIG_MASK_OP_DONE_INTR.mask, 15])}
        if self.chance(0.02):
            values[Register.ENCR_SEG_START] = 16
        for register in (*KEYS, *COUNTERS):
            if self.chance(0.5):
                values[register] = numbers.randrange(1 << 32)
        accesses = [RegisterAccess(register, value) for register, value in values.items()]
        numbers.shuffle(accesses)
        go = GOPROC_GO.mask | (GOPROC_RESULTS_DUMP.mask if dump else 0)
        return [*accesses, RegisterAccess(Register.GOPROC, go)]

    def _bell(self, registers: tuple[Register, Register, Register], address: int,
              length: int) -> list[RegisterAccess]:
        numbers = self._numbers
        if self.chance(0.02):
            address += numbers.randrange(1, 16)
        if self.chance(0.02):
            length = numbers.choice([0, 65, 127])
        return [RegisterAccess(register, value)
                for register, value in zip(registers, (address, length, 1), strict=True)]

    def _polls(self) -> Iterator[Action]:
        """Looks at a request under way."""
        numbers = self._numbers
        reach = numbers.choice([3, 20, 100, 400])
        for _ in range(numbers.choice([0, 0, 1, 2, 5])):
            chosen = numbers.sample(READ_OUT, numbers.randrange(1, len(READ_OUT)))
            yield Script(tuple(chosen), gap=numbers.randrange(reach))

    def _other_master(self) -> Iterator[Action]:
        """Any access at any time."""
        numbers = self._numbers
        reach = numbers.choice([3, 20, 100, 400])
        for _ in range(numbers.randrange(1, 8)):
            master = 1 if self.chance(0.8) else 0
            yield Script((self._any_access(),), master, gap=numbers.randrange(reach))

    def _any_access(self) -> RegisterAccess:
        numbers = self._numbers
        register: int = numbers.choice([*Register])
        if self.chance(0.1):
            register = numbers.choice([numbers.randrange(1 << 16), register + numbers.randrange(4)])
        if register == Register.SOFT_RESET and self.chance(0.7):
            return RegisterAccess(register, numbers.randrange(1 << 32) & ~SOFT_RESET_RESET.mask)
        if self.chance(0.4):
            return RegisterAccess(register)
        return RegisterAccess(register, numbers.choice([0, 1, 2, 0x22, 0x30, numbers.randrange(1 << 32)]))
