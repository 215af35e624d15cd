"""Many requests at once on one QCE: the same program on the model and on RTL.

Contexts with keys and modes of their own keep requests waiting; some requests hang on purpose, some meet
a bus error, another master writes to the registers. Every request ends with the right bytes or with a
precise error, and nothing around its buffers changes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from pymodel import golden
from pymodel.block_engine import BLOCK_BYTES
from pymodel.buffers import Buffers
from pymodel.drivers.qce import EVERY_QUIRK, QceDriver
from pymodel.engines.qce import UNIT_BYTES, key_words
from pymodel.engines.qce_registers import WRITABLE, Register
from pymodel.engines.quirks import Quirk
from pymodel.errors import EcbenchError, EngineFault, EngineHang
from pymodel.jobs.bench import Bench
from pymodel.jobs.ciphers import crypt, expected, open_mode
from pymodel.jobs.placement import POISON, Layout, Placement, Spot, apart
from pymodel.jobs.requests import random_layout
from pymodel.kernel import Lock, gather
from pymodel.modes import Gcm

CONTEXTS = 8
MODES = ("ecb", "cbc", "ctr", "xts", "gcm")
HANGING_LENGTHS = (528, 768, 1040, 1600)
_BURST_BYTES = 16 * BLOCK_BYTES
OTHER_KEY = bytes(range(200, 232))
"""Of the other master."""


@dataclass(frozen=True, slots=True)
class Variant:
    """``bus_errors``: one beat of a page that some requests use is answered with an error.

    ``disturbed``: another master writes to any register at random moments. ``handles``: of the driver.
    ``requests``: of all contexts; one in twenty hangs.
    """

    bus_errors: bool = False
    disturbed: bool = False
    handles: Quirk = EVERY_QUIRK
    requests: int = 200

    @property
    def hangs(self) -> int:
        return self.requests // 20

    @property
    def each(self) -> int:
        """Requests of a context."""
        return self.requests // CONTEXTS


@dataclass(slots=True)
class Outcome:
    """``log``: what happened, with its cycle. ``wrong``: requests that ended otherwise than they should.

    ``hangs``, ``faults``: requests that ended so, as they should. ``stale``: requests whose result another
    master's key is in. ``order``: (context, number) as they completed.
    """

    log: list[tuple[int, str]]
    wrong: list[str]
    order: list[tuple[int, int]]
    hangs: int = 0
    faults: int = 0
    stale: int = 0


class Scenario:
    """``play`` on a bench that has just been made."""

    def __init__(self, bench: Bench, seed: int, variant: Variant) -> None:
        self._bench = bench
        self._seed = seed
        self._variant = variant
        self._engine = bench.engine(handles=variant.handles)
        self._naive = bench.engine(handles=variant.handles & ~Quirk.LENGTH_512_HANG)
        self._began = bench.kernel.now()
        self._outcome = Outcome([], [], [])
        self._hanging = set(random.Random(f"{seed}/hanging").sample(range(variant.requests), variant.hangs))
        self._bad_page = bench.memory.allocate_pages(2)
        self._bad_beat = self._bad_page + 33 * BLOCK_BYTES
        self._bad_turn = Lock(bench.kernel, "bad page")
        self._running = CONTEXTS

    async def play(self) -> Outcome:
        if self._variant.bus_errors:
            self._bench.inject_bus_error(self._bad_beat, reads=True, writes=True)
        contexts = [self._context(number) for number in range(CONTEXTS)]
        await gather(self._bench.kernel, *contexts, *([self._disturb()] if self._variant.disturbed else []))
        self._note("end")
        return self._outcome

    def _note(self, text: str) -> None:
        self._outcome.log.append((self._bench.kernel.now() - self._began, text))

    # -- contexts -----------------------------------------------------------------------------------

    async def _context(self, context: int) -> None:
        """Up to three requests of a context wait; they begin in order."""
        kernel, turn = self._bench.kernel, Lock(self._bench.kernel, f"context {context}")
        draw = random.Random(f"{self._seed}/context {context}")
        numbers = range(self._variant.each)
        for batch in (numbers[start:start + 3] for start in numbers[::3]):
            await kernel.sleep(draw.randrange(300))
            await gather(kernel, *(self._in_turn(turn, context, number) for number in batch))
        self._running -= 1

    async def _in_turn(self, turn: Lock, context: int, number: int) -> None:
        async with turn:
            draw = random.Random(f"{self._seed}/{context}/{number}")
            if context * self._variant.each + number in self._hanging:
                text = await self._that_hangs(draw)
            elif self._variant.bus_errors and draw.random() < 0.15:
                async with self._bad_turn:
                    text = await self._with_bus_error(draw)
            else:
                text = await self._request(draw)
            self._outcome.order.append((context, number))
            self._note(f"context {context} request {number}: {text}")

    async def _request(self, draw: random.Random) -> str:
        mode = draw.choice(MODES)
        key = draw.randbytes(draw.choice((16, 24, 32)) * (2 if mode == "xts" else 1))
        iv, encrypt = draw.randbytes(BLOCK_BYTES), draw.random() < 0.5
        length = draw.choice((16, 48, 512, 528, draw.randrange(16, 700), draw.randrange(16, 2200)))
        if mode == "cbc":
            length = min(length, 10 * BLOCK_BYTES)
        if mode in ("ecb", "cbc"):
            length -= length % BLOCK_BYTES
        data = draw.randbytes(length)
        placement = Placement(self._bench.memory, random_layout(draw, length), data)
        try:
            if mode == "gcm":
                right, got, want = await self._gcm(draw, key, placement, data)
            else:
                right, want = expected(mode, key, iv, data, encrypt=encrypt)
                with open_mode(self._engine, mode, key) as cipher:
                    got = await crypt(cipher, iv, placement.src, placement.dst, encrypt=encrypt)
            result = placement.result()
            if result != right and mode == "ecb" and _is_stale(result, key, data, encrypt):
                self._outcome.stale += 1
                return f"{mode} {length} stale {_digest(result)}"
            damage = placement.damage(right) or ("" if got == want else "wrong next IV or tag")
        except EcbenchError as error:
            damage = f"{type(error).__name__}: {error}"
        finally:
            placement.release()
        if damage:
            self._outcome.wrong.append(f"{mode} of {length} bytes, key of {len(key)}: {damage}")
        return f"{mode} {length} {damage or _digest(right)}"

    async def _gcm(self, draw: random.Random, key: bytes, placement: Placement,
                   data: bytes) -> tuple[bytes, bytes, bytes]:
        """(right ciphertext, tag, right tag)."""
        iv, aad = draw.randbytes(draw.choice((12, 12, 7))), draw.randbytes(draw.randrange(40))
        right, want = golden.gcm_encrypt(key, iv, data, aad)
        with Gcm(self._engine, key) as gcm:
            return right, await gcm.encrypt(iv, aad, placement.src, placement.dst), want

    # -- errors -------------------------------------------------------------------------------------

    async def _that_hangs(self, draw: random.Random) -> str:
        """By a driver that does not know of LENGTH_512_HANG, in pieces or not."""
        length = draw.choice(HANGING_LENGTHS)
        data, key = draw.randbytes(length), draw.randbytes(draw.choice((16, 32)))
        done = length - length % UNIT_BYTES
        cut = BLOCK_BYTES * draw.randrange(1, length // BLOCK_BYTES)
        pieces = (Spot(0, cut), Spot(BLOCK_BYTES * draw.randrange(50), length - cut))
        placement = Placement(self._bench.memory, draw.choice((apart(length), Layout(pieces, pieces))), data)
        right = golden.ecb_encrypt(key, data)[:done] + bytes([POISON]) * (length - done)
        return await self._failing(self._naive, key, placement, right, lambda error: isinstance(
            error, EngineHang) and error.completed == done and error.state["CRYPTO_STATE"] == "WAIT_UNIT")

    async def _with_bus_error(self, draw: random.Random) -> str:
        """Source or destination lies in the page with the bad beat."""
        memory, blocks = self._bench.memory, draw.randrange(40, 90)
        data, key = draw.randbytes(blocks * BLOCK_BYTES), draw.randbytes(draw.choice((16, 32)))
        first = draw.randrange(34)
        bad = Buffers.of(self._bad_page + first * BLOCK_BYTES, len(data))
        other = Buffers.of(memory.allocate(len(data)), len(data))
        reads = draw.random() < 0.5
        src, dst = (bad, other) if reads else (other, bad)
        src.scatter(memory, data)
        dst.scatter(memory, bytes([POISON]) * len(data))
        try:
            await self._engine.ecb(self._engine.key(key), src, dst, decrypt=False)
            text = "no fault"
        except EngineFault as fault:
            done = fault.completed
            half_done = golden.ecb_encrypt(key, data)[:done] + bytes([POISON]) * (len(data) - done)
            fits = (fault.kind == "bus" and self._in_its_place(fault, reads)
                    and done == fault.address - bad.pieces[0].address
                    and dst.read(memory) == half_done and src.read(memory) == data)
            text = "" if fits else str(fault)
        memory.free(other.pieces[0].address)
        self._outcome.faults += not text
        if text:
            self._outcome.wrong.append(f"bus error of {'reads' if reads else 'writes'}: {text}")
        return f"bus error {blocks} {text}"

    def _in_its_place(self, fault: EngineFault, reads: bool) -> bool:
        """The beat itself, or the burst that has it."""
        return 0 <= self._bad_beat - fault.address < (1 if reads else _BURST_BYTES)

    async def _failing(self, engine: QceDriver, key: bytes, placement: Placement, half_done: bytes,
                       fits: Callable[[EcbenchError], bool]) -> str:
        """A request that must end in an error, with this in its destination."""
        text = "no error"
        try:
            await engine.ecb(engine.key(key), placement.src, placement.dst, decrypt=False)
        except EcbenchError as error:
            text = placement.damage(half_done) if fits(error) else f"{type(error).__name__}: {error}"
        placement.release()
        self._outcome.hangs += not text
        if text:
            self._outcome.wrong.append(f"a request that hangs: {text}")
        return f"hang {len(half_done)} {text}"

    # -- another master -------------------------------------------------------------------------------

    async def _disturb(self) -> None:
        """Writes its own key, and now and then anything anywhere."""
        draw, port = random.Random(f"{self._seed}/disturb"), self._bench.port
        registers, keys = sorted(WRITABLE), list(enumerate(key_words(OTHER_KEY)))
        while self._running:
            await self._bench.kernel.sleep(draw.choice((1, 5, draw.randrange(1, 200))))
            with suppress(EngineFault):
                if draw.random() < 0.8 or Quirk.SHARED_REGISTERS not in self._variant.handles:
                    index, word = draw.choice(keys)
                    await port.write(Register.ENCR_KEY0 + 4 * index, word, master=1)
                else:
                    await port.write(draw.choice(registers), draw.getrandbits(32), master=1)


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _is_stale(result: bytes, key: bytes, data: bytes, encrypt: bool) -> bool:
    """Whether it is what the engine computes when some words of the key are the other master's."""
    call = golden.ecb_encrypt if encrypt else golden.ecb_decrypt
    words = [(key[at:at + 4], OTHER_KEY[at:at + 4]) for at in range(0, len(key), 4)]
    return any(call(b"".join(mix), data[:BLOCK_BYTES]) == result[:BLOCK_BYTES]
               for mix in itertools.product(*words))


def judge(outcome: Outcome, variant: Variant) -> None:
    """Of a ``variant`` in which nothing may go wrong. Raises AssertionError."""
    assert not outcome.wrong, outcome.wrong[:3]
    assert (len(outcome.order), outcome.hangs, outcome.stale) == (variant.requests, variant.hangs, 0)
    for context in range(CONTEXTS):
        numbers = [number for one, number in outcome.order if one == context]
        assert numbers == list(range(variant.each)), f"context {context}: {numbers}"


async def play(bench: Bench, seed: int, variant: Variant) -> Outcome:
    return await Scenario(bench, seed, variant).play()
