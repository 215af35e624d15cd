"""Random lists on the QCE's transaction-level model against a simple expectation of their own."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pymodel import golden
from pymodel.engines.qce import STALE_STATUS, Descriptor, ResultDump
from pymodel.engines.qce_registers import CryptoState
from pymodel.engines.quirks import Quirk
from tests.qce_model_bench import DATA, SRC, Engine

PLAIN = Quirk.LENGTH_512_HANG | Quirk.ZERO_LENGTH_HANG | Quirk.PARTIAL_BLOCK_HANG
AREA = 0x20000
"""Of destinations, far from the source."""


def lists(start, blocks):
    """Descriptors within ``blocks`` blocks from ``start``, each of up to 20 blocks."""
    place = st.integers(0, blocks - 21)
    one = st.builds(lambda block, size: Descriptor(start + 16 * block, 16 * size), place, st.integers(0, 20))
    return st.lists(one, min_size=1, max_size=12)


def bytes_of(descriptors):
    """The addresses of the bytes of a list, in order of use."""
    return [address for descriptor in descriptors
            for address in range(descriptor.address, descriptor.address + descriptor.size)]


@settings(max_examples=150, deadline=None)
@given(source=lists(SRC, 512), destination=lists(AREA, 200), blocks=st.integers(0, 60), dump=st.booleans(),
       follows=st.booleans(), decrypt=st.booleans(), timing=st.fixed_dictionaries({
           "stages": st.sampled_from([1, 2, 14]), "read_latency": st.sampled_from([1, 7, 60]),
           "write_latency": st.sampled_from([1, 60])}))
def test_any_lists_do_what_their_bytes_say(source, destination, blocks, dump, follows, decrypt, timing):
    engine = Engine(without=PLAIN if follows else PLAIN | Quirk.DUMP_FOLLOWS_DATA, **timing)
    before = engine.memory.bytes.copy()
    size = 16 * blocks
    reads, writes = bytes_of(source), bytes_of(destination)
    if dump and not follows:
        at, used = 0, 0
        while used < size and at < len(destination):
            used += destination[at].size
            at += 1
        writes = bytes_of(destination[:at])[:size] + bytes_of(destination[at:])
        writes = [] if used < size else writes
    outcome = engine.ask(size, source, destination, decrypt=decrypt, dump=dump, timeout=30_000)
    expected = before
    if len(reads) < size:
        assert outcome.state is CryptoState.WAIT_SOURCE
    elif len(writes) < size + 128 * dump:
        assert outcome.state is CryptoState.WAIT_DESTINATION
    else:
        assert outcome.bytes_done == size
        cipher = golden.ecb_decrypt if decrypt else golden.ecb_encrypt
        stream = cipher(bytes(range(16)), bytes(before[reads[:size]]))
        if dump:
            stream += ResultDump((0, 0, 0, 0), STALE_STATUS, 0).encode()
        for address, byte in zip(writes, stream, strict=False):
            expected[address] = byte
    engine.memory.bytes[0x1000:0x2000] = expected[0x1000:0x2000]  # where the lists are
    assert (engine.memory.bytes == expected).all()


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.integers(1, 8), min_size=1, max_size=10), stages=st.sampled_from([1, 2, 14]))
def test_in_place_any_pieces_give_what_one_gives(pieces, stages):
    engine = Engine(without=PLAIN, stages=stages)
    size = 16 * sum(pieces)
    starts = [SRC + 16 * sum(pieces[:k]) for k in range(len(pieces))]
    source = [Descriptor(start, 16 * piece) for start, piece in zip(starts, pieces, strict=True)]
    engine.ask(size, source, [replace(source[0], size=size)])
    assert engine.memory.read(SRC, size) == golden.ecb_encrypt(bytes(range(16)), DATA[:size])
