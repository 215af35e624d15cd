"""What tests of the job ``factoring`` share: running it, and spoiling what one of its ways does."""

from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish, TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from pymodel.buffers import Buffers, Mblk, Piece
from pymodel.drivers.software import SoftwareEngine
from pymodel.jobs import JOBS, BenchSpec, factoring, model_bench
from pymodel.jobs.factoring import WARM_UP
from pymodel.jobs.factoring_ways import Row

BLOCK = {"aes": 16, "blowfish": 8, "des": 8}
"""Bytes."""
ALGORITHMS = {"aes": AES, "blowfish": Blowfish, "des": lambda key: TripleDES(key * 3)}
FEW = 2
"""Repeats where no time is looked at."""
RUNS = 2 * (WARM_UP + FEW)
DRIVERS = (type(model_bench(BenchSpec()).engine()), SoftwareEngine)
SOME = [Row("encrypt", "RAW", False, True, "aes"), Row("decrypt", "UIO", True, False, "blowfish"),
        Row("encrypt", "MBLK", True, False, "des"), Row("decrypt", "MBLK", False, True, "aes")]


def run_job(repeats=FEW, bench=None):
    """(result, rows)"""
    bench, rows = bench or model_bench(BenchSpec()), []
    result = bench.kernel.run(JOBS["factoring"](bench, {"repeats": repeats}, rows.append))
    return result, rows


def only(monkeypatch, *rows):
    """The job does these rows and no others."""
    monkeypatch.setattr(factoring, "all_rows", lambda: iter(rows))


def reference(cipher, key, iv, data, direction):
    cbc = Cipher(ALGORITHMS[cipher](key), modes.CBC(iv))
    context = cbc.encryptor() if direction == "encrypt" else cbc.decryptor()
    return context.update(data) + context.finalize()


def after(monkeypatch, way, work, number=None):
    """``work(engine, request)`` after the request with this number of a way, 0 the first, or after each."""
    original, count = way.run, iter(range(10_000))

    async def run(self, request):
        await original(self, request)
        if next(count) == number or number is None:
            await work(self._engine, request)

    monkeypatch.setattr(way, "run", run)


def pieces_of(data):
    """Of data in any format."""
    if isinstance(data, Piece):
        return [data]
    return Buffers.mblk(data).pieces if isinstance(data, Mblk) else list(data)


def flip(address_of):
    """For ``after``: changes a bit of the byte at ``address_of(request)``."""
    async def work(engine, request):
        address = address_of(request)
        engine.memory.write(address, bytes([engine.memory.read(address, 1)[0] ^ 1]))

    return work
