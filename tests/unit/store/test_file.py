"""The store over a connection: what was committed is what a later start remembers, whatever was dropped meanwhile."""

import sqlite3
from contextlib import closing, contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.store import compaction
from lastcard.store import file as store_file
from lastcard.store.file import ASKED_FOR_MS, REQUESTS_KEPT, StoreFile
from lastcard.table.commands import Answer, NoteFault, Occupy, Tick
from lastcard.table.effects import FaultKind
from lastcard.table.journal import (
    Bound,
    Checkpoint,
    Commanded,
    Forgotten,
    IdentityMade,
    IdentityRevoked,
    Registered,
    Remembered,
    RememberedTable,
    Requested,
    TableClosed,
    TableOpened,
    Unbound,
    Unregistered,
)
from lastcard.table.plan import RecordFiles

FILES = RecordFiles(record=lambda: b"record", receipts=b"receipts", record_hash=bytes(32))


@pytest.fixture
def connection():
    with closing(sqlite3.connect(":memory:")) as opened:
        yield opened


def opened(number, at_ms=5):
    return TableOpened(number, f"t{number}", at_ms, "me", "{}")


def commit_ticks(file, commits):
    for at_ms in range(commits):
        file.commit([[Commanded(1, at_ms, Tick())] * 3])


def journal_rows(connection):
    return connection.execute("SELECT count(*), sum(count) FROM journal").fetchone()


def test_a_new_store_remembers_nothing(connection):
    assert StoreFile(connection).remembered() == Remembered((), 1, 0, (), ())


def test_an_open_table_comes_back_with_its_seats_and_commands(connection):
    file = StoreFile(connection)
    file.commit(
        [
            [opened(1), Commanded(1, 6, Tick()), Bound(1, 0, "i"), Bound(1, 1, "j"), Commanded(1, 7, Occupy(0, "a"))],
            [opened(2), Commanded(2, 8, Tick()), Unbound(1, 0)],
        ]
    )
    file.commit([[Commanded(1, 9, Occupy(1, "b")), IdentityMade("j", "b", True)]])
    assert StoreFile(connection).remembered() == Remembered(
        (IdentityMade("j", "b", True),),
        3,
        9,
        (
            RememberedTable(
                opened(1), [(1, "j")], [(6, Tick()), (7, Occupy(0, "a")), (9, Occupy(1, "b"))], False, None
            ),
            RememberedTable(opened(2), [], [(8, Tick())], False, None),
        ),
    )


def test_a_revoked_identity_is_not_known_any_more(connection):
    file = StoreFile(connection)
    file.commit([[IdentityMade("i", "b", True), IdentityMade("j", "b", False), IdentityRevoked("i")]])
    assert file.remembered().identities == (IdentityMade("j", "b", False),)


def test_a_closed_table_is_taken_up_until_it_is_forgotten_and_keeps_its_record(connection):
    file = StoreFile(connection)
    file.commit([[opened(1), Bound(1, 0, "i"), Commanded(1, 6, Tick()), TableClosed(1, 7, '{"r":1}', FILES)]])
    (table,) = StoreFile(connection).remembered().tables
    assert table == RememberedTable(opened(1), [(0, "i")], [(6, Tick())], True, None, '{"r":1}')
    file = StoreFile(connection)
    file.commit([[Forgotten(1)]])
    remembered = StoreFile(connection).remembered()
    assert (remembered.tables, remembered.next_number, remembered.last_ms) == ((), 2, 7)
    assert StoreFile(connection).table("t1") == ("me", "{}", '{"r":1}', b"record", b"receipts")
    assert connection.execute("SELECT count(*) FROM seats").fetchone() == (0,)


def test_an_open_table_cannot_be_forgotten(connection):
    file = StoreFile(connection)
    file.commit([[opened(1), Commanded(1, 6, Tick()), Forgotten(1)]])
    assert [table.commands for table in StoreFile(connection).remembered().tables] == [[(6, Tick())]]


def test_only_the_newest_closed_tables_are_taken_up(connection, monkeypatch):
    monkeypatch.setattr(store_file, "CLOSED_KEPT", 2)
    file = StoreFile(connection)
    for number in (1, 2, 3, 4, 5):
        file.commit([[opened(number), Commanded(number, 6, Tick())]])
    for closed_ms, number in enumerate((3, 1, 4, 2), 7):
        file = StoreFile(connection)  # which of them are the newest is known to a later start too
        file.commit([[TableClosed(number, closed_ms, "{}", FILES)]])
    assert [(table.opened.number, table.closed) for table in StoreFile(connection).remembered().tables] == [
        (2, True),
        (4, True),
        (5, False),
    ]


def test_closed_tables_are_taken_up_while_their_bots_have_not_heard_of_it_or_somebody_may_ask(connection):
    file = StoreFile(connection)
    for number, closed_ms in ((1, 1_000), (2, 1_000), (3, 1_000 + ASKED_FOR_MS), (4, 1_001 + ASKED_FOR_MS)):
        file.commit([[opened(number), Bound(number, 0, "i"), Commanded(number, 6, Tick())]])
        file.commit([[TableClosed(number, closed_ms, "{}", FILES), *[Unbound(number, 0)] * (number != 1)]])
    assert [table.opened.number for table in StoreFile(connection).remembered().tables] == [1, 3, 4]


@pytest.mark.parametrize("entry", [opened(1, 77), TableClosed(1, 77, "{}", FILES), Commanded(1, 77, Tick())])
def test_the_latest_time_of_any_kind_is_remembered(connection, entry):
    file = StoreFile(connection)
    if not isinstance(entry, TableOpened):
        file.commit([[opened(1)]])
    file.commit([[entry]])
    file.commit([[IdentityMade("i", "b", True)], [Commanded(1, 50, Tick())]])
    assert StoreFile(connection).remembered().last_ms == 77


def test_a_checkpoint_counts_until_the_table_is_told_something(connection):
    file = StoreFile(connection)
    file.commit([[opened(1), opened(2)], [Commanded(1, 6, Tick()), Commanded(2, 6, Tick())]])
    file.commit([[Checkpoint(1, 8, "a"), Checkpoint(2, 8, "b")], [Checkpoint(1, 9, "c")]])
    file = StoreFile(connection)
    assert [table.checkpoint for table in file.remembered().tables] == [Checkpoint(1, 9, "c"), Checkpoint(2, 8, "b")]
    file.commit([[Commanded(2, 10, Tick())]])
    assert [table.checkpoint for table in file.remembered().tables] == [Checkpoint(1, 9, "c"), None]
    assert [table.checkpoint for table in StoreFile(connection).remembered().tables] == [Checkpoint(1, 9, "c"), None]


def test_the_newest_requests_are_remembered_oldest_first(connection):
    file = StoreFile(connection)
    requests = [Requested(f"p{number}", b"\0asked", b"answer") for number in range(REQUESTS_KEPT + 150)]
    file.commit([requests[:100]])
    file.commit([requests[100:]])
    assert list(StoreFile(connection).remembered().requests) == requests[150:]
    assert connection.execute("SELECT count(*) FROM requests").fetchone()[0] < REQUESTS_KEPT + 100


def test_a_commit_that_fails_leaves_nothing(connection):
    StoreFile(connection).commit([[opened(1)]])
    with pytest.raises(sqlite3.IntegrityError):
        StoreFile(connection).commit([[opened(2), Commanded(1, 6, Tick())], [opened(1)]])
    remembered = StoreFile(connection).remembered()
    assert (remembered.next_number, [table.commands for table in remembered.tables]) == (2, [[]])


def test_what_is_no_entry_is_refused(connection):
    with pytest.raises(KeyError):
        StoreFile(connection).commit([["no entry"]])
    assert not connection.in_transaction


# ------------------------------------------------------------------ compaction


@contextmanager
def small_slices():
    """Everything that is bounded is small, so that all of it happens within few entries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "SLICE", 4)
        patch.setattr(compaction, "LEAST", 6)
        patch.setattr(store_file, "CLOSED_KEPT", 3)
        yield


class Model:
    """What must be remembered, by the plainest means."""

    def __init__(self):
        self.commands = {}
        self.seats = {}
        self.closed = []
        self.ever = 0
        self.time = 0

    def entries(self, step):
        """What a step, made of any numbers, stands for at this point."""
        kind, pick, value = step
        kept = list(self.commands)
        if kind == "open" or not kept:
            self.ever += 1
            number = self.ever
            self.commands[number], self.seats[number] = [], {}
            return [opened(number, self.tick())]
        number = kept[pick % len(kept)]
        if kind == "close" and number not in self.closed:
            self.closed.append(number)
            if len(self.closed) > 3:
                self.drop(self.closed[0])
            return [TableClosed(number, self.tick(), "{}", FILES)]
        if kind == "forget" and number in self.closed:
            self.drop(number)
            return [Forgotten(number)]
        if kind == "bind":
            self.seats[number][value] = f"i{pick}"
            return [Bound(number, value, f"i{pick}")]
        if kind == "unbind":
            self.seats[number].pop(value, None)
            return [Unbound(number, value)]
        command = (
            NoteFault(value, FaultKind.CRASH, f']],[{number},1,"t",[]],[ \n é {pick}') if pick % 5 == 0 else Tick()
        )
        self.commands[number].append((self.tick(), command))
        return [Commanded(number, self.time, command)]

    def tick(self):
        self.time += 1
        return self.time

    def drop(self, number):
        self.closed.remove(number)
        del self.commands[number], self.seats[number]


STEPS = st.tuples(
    st.sampled_from(["open", "close", "forget", "bind", "unbind", *["command"] * 12]),
    st.integers(0, 50),
    st.integers(0, 3),
)


@given(st.lists(st.tuples(st.lists(STEPS, max_size=25), st.booleans()), max_size=40))
@small_slices()
def test_each_needed_table_has_exactly_its_commands_in_order(commits):
    with closing(sqlite3.connect(":memory:")) as connection:
        file, model = StoreFile(connection), Model()
        for steps, again in commits:
            file.commit([model.entries(step) for step in steps])
            if again:
                file = StoreFile(connection)
                remembered = file.remembered()
                assert {table.opened.number: table.commands for table in remembered.tables} == model.commands
                assert {table.opened.number: dict(table.identities) for table in remembered.tables} == model.seats
                assert [table.opened.number for table in remembered.tables if table.closed] == sorted(model.closed)
                assert remembered.last_ms == model.time
                assert remembered.next_number == model.ever + 1
        remembered = StoreFile(connection).remembered()
        assert {table.opened.number: table.commands for table in remembered.tables} == model.commands


@small_slices()
def test_one_table_that_stays_open_does_not_keep_the_commands_of_others(connection):
    file = StoreFile(connection)
    file.commit([[opened(1), Commanded(1, 1, Tick())]])
    most = 0
    for number in range(2, 2_000):
        file.commit([[opened(number), Commanded(1, number, Tick())] if number % 100 == 0 else [opened(number)]])
        file.commit([[Commanded(number, number, Tick()), Commanded(number, number, Tick())]])
        file.commit([[TableClosed(number, number, "{}", FILES)], [Forgotten(number)]])
        most = max(most, *journal_rows(connection))
    # Needed are 20 commands of the long table and 2 of the present one; twice that and 6 more begin a pass.
    assert most < 70
    (table,) = StoreFile(connection).remembered().tables
    assert [at_ms for at_ms, _ in table.commands] == [1, *range(100, 2_000, 100)]


@small_slices()
def test_starting_again_and_again_does_not_let_the_journal_grow(connection):
    for number in range(1, 300):
        file = StoreFile(connection)
        file.remembered()
        file.commit([[opened(number)], [Commanded(number, number, Tick())] * 3])
        file.commit([[TableClosed(number, number, "{}", FILES)], [Forgotten(number)]])
    assert journal_rows(connection)[1] < 30


@small_slices()
def test_a_row_that_was_changed_is_not_written_back(connection):
    file = StoreFile(connection)
    answer = Answer(0, 9, 3, None, True, (1, 2), 123, 4)
    file.commit([[opened(1)], [Commanded(1, 6, answer)]])
    connection.execute("UPDATE journal SET commands = replace(commands, '3,null', '4,null')")
    before = connection.execute("SELECT * FROM journal").fetchall()
    with pytest.raises(ValueError, match="batch 1 of its journal is not as it was written"):
        commit_ticks(file, 50)
    assert connection.execute("SELECT * FROM journal").fetchall()[: len(before)] == before
    with pytest.raises(ValueError, match="batch 1 of its journal is not as it was written"):
        StoreFile(connection).remembered()


@pytest.mark.parametrize("lines", [b"", b"{}\n", b'{"header":1}\n' * 5_000], ids=["none", "one", "many"])
def test_records_are_kept_small_and_given_as_they_were(lines):
    connection = sqlite3.connect(":memory:")
    file = StoreFile(connection)
    opened = TableOpened(1, "t", 1_000, "", "{}")
    files = RecordFiles(record=lines, receipts=lines, record_hash=bytes(32))
    file.commit([[opened, TableClosed(1, 2_000, "{}", files)]])
    found = file.table("t")
    assert (found.record, found.receipts) == (lines, lines)
    ((kept,),) = connection.execute("SELECT length(record) FROM tables").fetchall()
    assert kept < max(50, len(lines) / 5)
    connection.execute("UPDATE tables SET record = ?", (lines,))
    assert file.table("t").record == lines, "as an earlier version kept it"


def test_what_is_registered_is_known_by_its_latest_facts_until_it_is_not(connection):
    file = StoreFile(connection)
    file.commit([[Registered("bot", "a", "{}"), Registered("bot", "b", "{}"), Registered("tournament", "a", "1")]])
    file.commit([[Registered("tournament", "a", "2"), Unregistered("bot", "a"), Unregistered("bot", "none")]])
    assert StoreFile(connection).remembered().registered == (
        Registered("bot", "b", "{}"),
        Registered("tournament", "a", "2"),
    )
