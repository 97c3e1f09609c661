"""Stores of older versions: `version_1.sql` was written by a server of that version, with tables under way."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lastcard.store import schema
from lastcard.store.commands_text import commands_value
from lastcard.store.file import StoreFile
from lastcard.store.schema import VERSION, migrate, version_of
from lastcard.table.journal import IdentityMade

OLD = Path(__file__).with_name("version_1.sql").read_text(encoding="utf-8")


def shape(connection):
    """Tables and indexes as they are declared, whatever the layout of the declarations."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    return [(*names, sql and "".join(sql.split())) for *names, sql in found]


@pytest.fixture
def new():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        migrate(opened)
        yield opened


@pytest.fixture
def old():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        opened.executescript(OLD)
        yield opened


def content(connection):
    return list(connection.iterdump()), version_of(connection)


def test_a_migrated_file_has_the_tables_of_a_new_one(old, new):
    migrate(old)
    assert version_of(old) == version_of(new) == VERSION
    assert shape(old) == shape(new)


def test_a_file_of_this_version_is_not_written(new):
    before = new.total_changes
    migrate(new)
    assert new.total_changes == before


def test_of_version_1_identities_numbers_and_the_latest_time_are_remembered(old):
    texts = old.execute("SELECT commands FROM journal").fetchall()
    times = [command.at_ms for (text,) in texts for command in commands_value(text)]
    remembered = StoreFile(old).remembered()
    (identity,) = remembered.identities
    assert identity == IdentityMade(identity.identity, "mine", True)
    assert (remembered.next_number, remembered.requests) == (5, ())
    assert remembered.last_ms == max(times)


def test_tables_of_version_1_are_not_taken_up_since_their_commands_would_lead_elsewhere(old):
    assert old.execute("SELECT count(*) FROM tables WHERE closed_ms IS NULL").fetchone() == (3,)
    assert StoreFile(old).remembered().tables == ()
    assert old.execute("SELECT count(*) FROM seats").fetchone() == (0,)


def test_records_of_version_1_are_found(old):
    stored = StoreFile(old).table("cancelled")
    assert json.loads(stored.result)["table_id"] == "cancelled"
    assert stored.record.startswith(b"{")


def test_the_latest_time_of_an_empty_journal_is_that_of_a_table(old):
    old.execute("DELETE FROM journal")
    (latest,) = old.execute("SELECT max(opened_ms) FROM tables").fetchone()
    assert StoreFile(old).remembered().last_ms == latest


def test_a_step_that_fails_leaves_the_file_as_it_was(old, monkeypatch):
    def fail_at_the_end(connection):
        schema._to_version_2(connection)
        raise OSError("the end")

    before = content(old)
    monkeypatch.setattr(schema, "_STEPS", (schema._to_version_1, fail_at_the_end))
    with pytest.raises(OSError, match="the end"):
        migrate(old)
    assert content(old) == before
    monkeypatch.undo()
    migrate(old)
    assert content(old) != before


def test_commands_of_version_1_that_cannot_be_read_stop_the_step(old):
    old.execute("UPDATE journal SET commands = substr(commands, 1, 50) WHERE batch = 5")
    before = content(old)
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        migrate(old)
    assert content(old) == before
