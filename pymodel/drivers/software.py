"""SoftwareEngine: a block cipher on the host, as a BlockEngine. With AES it is the fallback of the other
drivers, and a baseline."""

from __future__ import annotations

from pymodel.block_engine import EngineCounters, EngineLimits, Key
from pymodel.buffers import Buffers, check_placement
from pymodel.costs import Host, HostWork
from pymodel.drivers.access import reach
from pymodel.drivers.software_ciphers import AES, SoftwareCipher, SoftwareKey
from pymodel.engines.aes_key import AesKey
from pymodel.errors import InvalidRequest
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import HostMemory


class SoftwareEngine:
    """``cipher`` through ``cryptography``, any alignment. ``host``: what that costs on ``cpu`` (None:
    nothing)."""

    def __init__(self, memory: HostMemory, kernel: Kernel, cpu: Cpu, *, host: Host | None = None,
                 cipher: SoftwareCipher = AES) -> None:
        self.name = "software" if cipher is AES else f"software {cipher.name}"
        self.cipher = cipher
        self.block_size = cipher.block_bytes
        self.limits = EngineLimits(key_bytes=cipher.key_bytes, length_multiple=cipher.block_bytes)
        self.memory = memory
        self.kernel = kernel
        self.counters = EngineCounters()
        self.host = Host(cpu, kernel) if host is None else host

    def key(self, data: bytes) -> AesKey | SoftwareKey:
        """Raises InvalidRequest for a size that the cipher does not have."""
        return AesKey(data) if self.cipher is AES else SoftwareKey(data, self.cipher)

    def release(self, key: Key) -> None:
        """Nothing is kept for a key."""

    async def ecb(self, key: Key, src: Buffers, dst: Buffers, *, decrypt: bool) -> None:
        """See BlockEngine. Raises InvalidRequest, EngineFault where the host cannot read or write, and
        Unsupported where ``cryptography`` cannot do the cipher."""
        own, size = self._own(key), self.block_size
        if len(src) % size:
            raise InvalidRequest(f"{len(src)} bytes are not a multiple of {size}")
        check_placement(src, dst)
        if not len(src):
            return
        self.counters.calls += 1
        blocks = len(src) // size
        await self.host.spend(HostWork.FALLBACK_CALL)
        await self.host.spend(HostWork.FALLBACK_BLOCK, blocks)
        await self.host.spend(HostWork.FALLBACK_ROUND, own.rounds * blocks)
        readable = reach(self.memory, src, "read", size)
        writable = reach(self.memory, dst, "write", size)
        length = min(readable.length, writable.length)
        self._compute(own, src.part(0, length), dst.part(0, length), decrypt)
        if length < len(src):
            raise (readable.fault("read", length) if readable.length == length
                   else writable.fault("write", length))

    def _own(self, key: Key) -> AesKey | SoftwareKey:
        if self.cipher is AES and isinstance(key, AesKey):
            return key
        if isinstance(key, SoftwareKey) and key.cipher is self.cipher:
            return key
        raise InvalidRequest("the key is of another engine")

    def _compute(self, key: AesKey | SoftwareKey, src: Buffers, dst: Buffers, decrypt: bool) -> None:
        context = self.cipher.context(key.data, decrypt=decrypt)
        dst.scatter(self.memory, context.update(src.read(self.memory)) + context.finalize())
        self.counters.software_blocks += len(src) // self.block_size
