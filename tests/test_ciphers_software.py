"""DES, 3DES and Blowfish in software: known answers, and the modes over a block of 8 bytes."""

from __future__ import annotations

import random
import warnings

import pytest
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish, TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers import modes as standard
from refusal import nothing_changes, refused
from scatter import Layout

from pymodel import golden
from pymodel.buffers import Buffers
from pymodel.drivers.software import SoftwareEngine
from pymodel.drivers.software_ciphers import AES, BLOWFISH, DES, SOFTWARE_CIPHERS, TRIPLE_DES, SoftwareCipher
from pymodel.errors import EngineFault, InvalidRequest, Unsupported
from pymodel.kernel import Cpu, Kernel
from pymodel.memory import PAGE_BYTES, HostMemory
from pymodel.modes import Cbc, Ctr, Ecb, Essiv, Gcm, SectorCipher, Xts
from pymodel.modes.sectors import plain64
from pymodel.vectors import blowfish, des, triple_des

SHORT = {"des": DES, "3des": TRIPLE_DES, "blowfish": BLOWFISH}
KEY_SIZES = [("des", 8), ("3des", 16), ("3des", 24), ("blowfish", 4), ("blowfish", 16), ("blowfish", 56)]
VECTORS = {"des": des, "3des": triple_des, "blowfish": blowfish}


def engine_of(cipher: SoftwareCipher, pages: int = 64) -> SoftwareEngine:
    kernel = Kernel()
    return SoftwareEngine(HostMemory(pages * PAGE_BYTES), kernel, Cpu(kernel), cipher=cipher)


def block_function(name: str, key: bytes, *, decrypt: bool):
    """One block through the library itself."""
    whole = {8: key * 3, 16: key + key[:8], 24: key}.get(len(key), key)
    ecb = Cipher(Blowfish(key) if name == "blowfish" else TripleDES(whole), standard.ECB())

    def crypt(block: bytes) -> bytes:
        context = ecb.decryptor() if decrypt else ecb.encryptor()
        return context.update(block) + context.finalize()

    return crypt


# -- known answers --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["ecb", "cbc"])
@pytest.mark.parametrize("name", SHORT)
def test_every_known_answer_comes_out(name, mode):
    engine, vectors = engine_of(SHORT[name]), VECTORS[name](mode)
    assert len(vectors) == {"des": 490, "3des": 530, "blowfish": 110 if mode == "ecb" else 2}[name]
    for vector in vectors:
        with (Ecb if mode == "ecb" else Cbc)(engine, vector.key) as cipher:
            crypt = cipher.encrypt_bytes if vector.encrypt else cipher.decrypt_bytes
            if mode == "ecb":
                result = engine.kernel.run(crypt(vector.data))
            else:
                result, _ = engine.kernel.run(crypt(vector.iv, vector.data))
        assert result == vector.expected, vector.name


def test_the_first_answer_of_blowfish_and_of_des_are_those_of_the_files():
    assert blowfish("ecb")[0].expected.hex() == "4ef997456198dd78"
    first = des("ecb")[0]
    assert (first.key.hex(), first.data.hex()) == ("01" * 8, "95f8a5e5dd31d900")
    assert first.expected.hex() == "8000000000000000"


def test_readers_give_unique_names_both_directions_and_refuse_other_modes():
    for read in VECTORS.values():
        for mode in ("ecb", "cbc"):
            vectors = read(mode)
            assert len({vector.name for vector in vectors}) == len(vectors)
            assert 2 * sum(vector.encrypt for vector in vectors) == len(vectors)
        with pytest.raises(ValueError, match="for ecb and cbc, not for 'ctr'"):
            read("ctr")
    assert {len(vector.key) for vector in triple_des("cbc")} == {24}
    assert {len(vector.data) for vector in triple_des("ecb")} == set(range(8, 88, 8))


# -- modes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("largest", [None, 1, 11])
@pytest.mark.parametrize(("name", "key_bytes"), KEY_SIZES)
def test_modes_over_a_block_of_8_bytes_are_the_golden_models(name, key_bytes, largest, in_place):
    seed = f"{name}/{key_bytes}/{largest}/{in_place}"
    rng, engine = random.Random(seed), engine_of(SHORT[name])
    key = rng.randbytes(key_bytes)
    forward, inverse = (block_function(name, key, decrypt=decrypt) for decrypt in (False, True))
    for length in (0, 8, 16, 72, 400):
        iv, data = rng.choice([b"\xff" * 8, rng.randbytes(8)]), rng.randbytes(length)
        tail = rng.randrange(8)
        for cipher, call, text, expected in (
                (Cbc, "encrypt", data, golden.cbc_encrypt_over(forward, iv, data)),
                (Cbc, "decrypt", data, golden.cbc_decrypt_over(inverse, iv, data)),
                (Ctr, "crypt", data[tail:], golden.ctr_crypt_over(forward, iv, data[tail:]))):
            layout = Layout(engine.memory, rng, text, in_place=in_place, largest=largest)
            with cipher(engine, key) as mode:
                next_iv = engine.kernel.run(getattr(mode, call)(iv, layout.src, layout.dst))
            assert (layout.result(), next_iv) == expected, f"seed {seed!r}, {call} of {len(text)} bytes"
            assert layout.untouched_elsewhere()
            layout.free()


def test_two_keys_are_three_and_one_key_three_times_is_des():
    data, key = bytes(range(64)), bytes(range(16))
    results = []
    for cipher, chosen in ((TRIPLE_DES, key), (TRIPLE_DES, key + key[:8]), (TRIPLE_DES, key[:8] * 3),
                           (DES, key[:8])):
        engine = engine_of(cipher)
        results.append(engine.kernel.run(Ecb(engine, chosen).encrypt_bytes(data)))
    assert results[0] == results[1] != results[2] == results[3]


def test_disks_work_over_a_block_of_8_bytes():
    """dm-crypt's des3_ede-cbc-plain64: the number is cut to the size of the IV."""
    engine, rng = engine_of(TRIPLE_DES), random.Random(1)
    key, data = rng.randbytes(24), rng.randbytes(4 * 512)
    area = Buffers.of(engine.memory.allocate(len(data)), len(data))
    area.scatter(engine.memory, data)
    engine.kernel.run(SectorCipher(Cbc(engine, key), plain64).encrypt(2**32 - 2, area, area))
    assert engine.counters.calls == 512 // 8
    forward = block_function("3des", key, decrypt=False)
    assert area.read(engine.memory) == b"".join(
        golden.cbc_encrypt_over(forward, (2**32 - 2 + n).to_bytes(8, "little"), data[512 * n:][:512])[0]
        for n in range(4))


def test_essiv_needs_a_cipher_that_takes_the_hash_as_its_key():
    engine = engine_of(BLOWFISH)
    [iv] = engine.kernel.run(Essiv(engine, bytes(16)).ivs([5]))
    assert len(iv) == 8
    with pytest.raises(InvalidRequest, match="ESSIV with sha256: a 3DES key has 16 or 24 bytes, not 32"):
        Essiv(engine_of(TRIPLE_DES), bytes(24))


# -- the engine -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHORT)
def test_xts_and_gcm_refuse_a_block_of_8_bytes(name):
    engine = engine_of(SHORT[name])
    with nothing_changes(engine):
        for mode, arguments in ((Xts, {"strategy": "batch"}), (Gcm, {})):
            with pytest.raises(InvalidRequest, match=rf"{mode.__name__.upper()} needs a block of 16 bytes, "
                                                     rf"engine software {SHORT[name].name} has 8"):
                mode(engine, bytes(16), **arguments)


@pytest.mark.parametrize(("name", "size", "sizes"), [
    ("des", 7, "8 bytes"), ("des", 24, "8 bytes"),
    ("3des", 8, "16 or 24 bytes"), ("3des", 0, "16 or 24 bytes"),
    ("blowfish", 3, "4 to 56 bytes"), ("blowfish", 57, "4 to 56 bytes")])
def test_key_sizes_that_a_cipher_does_not_have_are_refused(name, size, sizes):
    engine = engine_of(SHORT[name])
    with pytest.raises(InvalidRequest, match=f"a {SHORT[name].name} key has {sizes}, not {size}"):
        Cbc(engine, bytes(size))


def test_ivs_and_lengths_are_measured_in_the_ciphers_blocks():
    engine = engine_of(TRIPLE_DES)
    cbc, buffer = Cbc(engine, bytes(24)), Buffers.of(PAGE_BYTES, 16)
    refused(engine, "an IV of 16 bytes, needs 8", cbc.encrypt(bytes(16), buffer, buffer))
    refused(engine, "12 bytes are not a multiple of 8",
            cbc.decrypt(bytes(8), buffer.part(0, 12), buffer.part(0, 12)))


def test_a_key_of_another_cipher_is_refused():
    engines = {name: engine_of(cipher) for name, cipher in SOFTWARE_CIPHERS.items()}
    keys = {name: engine.key(bytes(16 if name in ("aes", "3des") else 8)) for name, engine in engines.items()}
    buffer = Buffers.of(PAGE_BYTES, 16)
    for name, engine in engines.items():
        for other in keys.keys() - {name}:
            refused(engine, "of another engine", engine.ecb(keys[other], buffer, buffer, decrypt=False))


def test_a_fault_counts_whole_blocks_of_8_bytes():
    engine = engine_of(DES)
    memory, key = engine.memory, engine.key(bytes(8))
    src, dst = (Buffers.of(memory.allocate_pages(2) + PAGE_BYTES - 28, 64) for _ in range(2))
    memory.protect(src.pieces[0].address + 28, 1, readable=False, writable=False)
    with pytest.raises(EngineFault) as caught:
        engine.kernel.run(engine.ecb(key, src, dst, decrypt=False))
    assert caught.value.completed == 24
    assert engine.counters.software_blocks == 3


def test_a_library_without_the_cipher_is_said_to_be():
    def missing(key):
        raise UnsupportedAlgorithm("Blowfish is not here")

    engine = engine_of(SoftwareCipher("Blowfish", 8, {8: 16}, missing))
    buffer = Buffers.of(PAGE_BYTES, 8)
    with pytest.raises(Unsupported, match="Blowfish in software: Blowfish is not here"):
        engine.kernel.run(Ecb(engine, bytes(8)).encrypt(buffer, buffer))


def test_no_use_of_a_cipher_is_deprecated():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, cipher in SOFTWARE_CIPHERS.items():
            engine = engine_of(cipher, pages=4)
            for size in cipher.key_bytes:
                text = engine.kernel.run(Ecb(engine, bytes(size)).encrypt_bytes(bytes(16)))
                assert len(text) == 16, name


def test_aes_is_what_an_engine_does_unless_told_otherwise():
    kernel = Kernel()
    engine = SoftwareEngine(HostMemory(4 * PAGE_BYTES), kernel, Cpu(kernel))
    assert (engine.cipher, engine.name, engine.block_size) == (AES, "software", 16)
