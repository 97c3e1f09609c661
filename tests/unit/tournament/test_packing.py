"""Compressed records: same bytes each time, read like plain ones, and a reveal behind them may be torn."""

import gzip

import pytest

from lastcard.rules.record_reader import receipts_name
from lastcard.tournament.packing import first_part, packed, unpacked

RECORD, REVEAL = b'{"header":1}\n{"closing":1}\n', b'{"reveal":1}\n'


def test_the_same_data_gives_the_same_bytes_which_any_gzip_reads():
    assert packed(RECORD) == packed(RECORD)
    assert gzip.decompress(packed(RECORD) + packed(REVEAL)) == RECORD + REVEAL


def test_what_is_not_compressed_is_read_as_it_is():
    assert unpacked(RECORD) == RECORD
    assert first_part(RECORD) == (RECORD, len(RECORD))


@pytest.mark.parametrize("torn", range(len(packed(REVEAL)) + 1))
def test_the_record_is_found_before_whatever_there_is_of_a_reveal(torn):
    kept = packed(RECORD)
    assert first_part(kept + packed(REVEAL)[:torn]) == (RECORD, len(kept))


@pytest.mark.parametrize("read", [unpacked, first_part])
@pytest.mark.parametrize("data", [packed(RECORD)[:-1], packed(RECORD)[:12], packed(RECORD)[:-6] + b"rubbish"])
def test_damage_is_said(read, data):
    with pytest.raises(ValueError, match="it is damaged"):
        read(data)


def test_receipts_are_compressed_like_their_record():
    assert receipts_name("00001.jsonl") == "00001.receipts.ndjson"
    assert receipts_name("00001.jsonl.gz") == "00001.receipts.ndjson.gz"
