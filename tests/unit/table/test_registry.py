from types import SimpleNamespace

import pytest

from lastcard.table import registry as registry_module
from lastcard.table.plan import RecordFiles
from lastcard.table.registry import FILES_KEPT_MS, Registry

FILES = RecordFiles(record=b"", receipts=b"", record_hash=b"")


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(registry_module, "CLOSED_KEPT", 4)
    monkeypatch.setattr(registry_module, "EVENTS_KEPT", 1_000)
    monkeypatch.setattr(registry_module, "LEAST_KEPT", 2)
    return Registry()


def close(registry, number, events=1, ended_ms=0):
    """Closes a table of so many events, takes out what is too old, and returns that."""
    table = SimpleNamespace(
        table_id=str(number),
        number=number,
        result=SimpleNamespace(ended_ms=ended_ms),
        feed=SimpleNamespace(last=events),
        drop_writers=lambda: None,
    )
    registry.add(table)
    too_old = registry.note_end(table, FILES)
    for table_id in too_old:
        assert registry.take_out(table_id).table_id == table_id
    return too_old


def test_the_oldest_go_when_there_are_too_many(registry):
    assert [close(registry, number) for number in range(6)] == [[], [], [], [], ["0"], ["1"]]
    assert list(registry.by_id) == list(map(str, registry.by_number)) == ["2", "3", "4", "5"]


def test_the_oldest_go_when_they_are_too_long_but_the_last_stay(registry):
    assert [close(registry, number, 400) for number in range(4)] == [[], [], ["0"], ["1"]]
    assert close(registry, 4, 5_000) == ["2"]
    assert close(registry, 5, 5_000) == ["3"]
    assert list(registry.by_id) == ["4", "5"]


def test_what_was_forgotten_by_others_counts_no_longer(registry):
    for number in range(4):
        close(registry, number, 200)
    for number in range(4):
        registry.take_out(str(number))
    assert [close(registry, number, 200) for number in range(4, 8)] == [[], [], [], []]
    assert registry.take_out("0") is None


@pytest.mark.parametrize("stored", [True, False])
def test_files_that_the_store_has_are_kept_for_a_while(registry, stored):
    registry.are_files_stored = stored
    for number, ended_ms in enumerate((0, FILES_KEPT_MS, FILES_KEPT_MS + 1)):
        close(registry, number, ended_ms=ended_ms)
    assert [registry.record(str(number)) is FILES for number in range(3)] == [not stored, True, True]
    assert registry.is_over("0")
    assert registry.take_out("0") is not None
    assert not registry.is_over("0")
