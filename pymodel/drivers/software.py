"""SoftwareEngine: AES on the host, as a BlockEngine. The fallback of the other drivers, and a baseline."""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pymodel.block_engine import BLOCK_BYTES, EngineCounters, EngineLimits, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import Host, HostWork
from pymodel.drivers.access import reach
from pymodel.engines.aes_key import AesKey
from pymodel.engines.rijndael import KEY_BYTES
from pymodel.errors import InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory


class SoftwareEngine:
    """AES through ``cryptography``, any alignment. A block costs ``block_cycles`` on ``cpu``, besides what
    ``host`` says of it (None: nothing)."""

    def __init__(self, memory: HostMemory, kernel: Kernel, cpu: Cpu, *, block_cycles: int = 0,
                 host: Host | None = None) -> None:
        self.name = "software"
        self.block_size = BLOCK_BYTES
        self.limits = EngineLimits(key_bytes=KEY_BYTES, length_multiple=BLOCK_BYTES)
        self.memory = memory
        self.kernel = kernel
        self.counters = EngineCounters()
        self.host = Host(cpu, kernel) if host is None else host
        self._cpu = cpu
        self._block_cycles = block_cycles

    def key(self, data: bytes) -> AesKey:
        """Raises InvalidRequest unless ``data`` has 16, 24 or 32 bytes."""
        return AesKey(data)

    def release(self, key: Key) -> None:
        """Nothing is kept for a key."""

    async def ecb(self, key: Key, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        """See BlockEngine. Raises InvalidRequest, and EngineFault where the host cannot read or write."""
        if not isinstance(key, AesKey):
            raise InvalidRequest("the key is of another engine")
        if len(src) % BLOCK_BYTES:
            raise InvalidRequest(f"{len(src)} bytes are not a multiple of {BLOCK_BYTES}")
        check_placement(src, dst)
        if not len(src):
            return
        self.counters.calls += 1
        blocks = len(src) // BLOCK_BYTES
        await self.host.spend(HostWork.CALL)
        await self.host.spend(HostWork.FALLBACK_BLOCK, blocks)
        await self.host.spend(HostWork.FALLBACK_ROUND, key.rounds * blocks)
        await self._cpu.spend(self._block_cycles * blocks)
        readable = reach(self.memory, src, "read", BLOCK_BYTES)
        writable = reach(self.memory, dst, "write", BLOCK_BYTES)
        length = min(readable.length, writable.length)
        self._compute(key, src.part(0, length), dst.part(0, length), decrypt)
        if length < len(src):
            raise (readable.fault("read", length) if readable.length == length
                   else writable.fault("write", length))

    def _compute(self, key: AesKey, src: Buffers, dst: Buffers, decrypt: bool) -> None:
        ecb = Cipher(algorithms.AES(key.data), modes.ECB())
        rounds = ecb.decryptor() if decrypt else ecb.encryptor()
        dst.scatter(self.memory, rounds.update(src.read(self.memory)) + rounds.finalize())
        self.counters.software_blocks += len(src) // BLOCK_BYTES
