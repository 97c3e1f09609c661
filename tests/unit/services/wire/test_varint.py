import pytest
from google.protobuf.internal import encoder
from hypothesis import given
from hypothesis import strategies as st

from lastcard.services.wire import varint


def reference(number: int) -> bytes:
    out = []
    encoder._VarintEncoder()(out.append, number)
    return b"".join(out)


@given(st.integers(0, 2**64 - 1))
def test_varints_are_protobufs_own(number):
    assert varint.varint(number) == reference(number)


@pytest.mark.parametrize("number", [0, 127, 128, 4095, 4096, 16383, 16384])
def test_varints_at_the_edges_of_the_table(number):
    assert varint.varint(number) == reference(number)


@given(st.integers(-(2**31), 2**31 - 1))
def test_zigzag_is_protobufs_own(number):
    assert (varint.zigzag(number) >> 1) ^ -(varint.zigzag(number) & 1) == number


@given(st.lists(st.integers(0, 300), max_size=12).map(tuple))
def test_counts_are_packed_whatever_their_size(values):
    assert varint.counts(varint.heads(4), values) == varint.packed(varint.tag(4), values)


def test_a_table_of_written_fields_never_grows_beyond_its_bound():
    written = varint.numbers(3)
    for number in range(varint.KEPT + 10):
        assert written[number] == varint.number(varint.tag(3, varint.VARINT), number)
    assert len(written) <= varint.KEPT
