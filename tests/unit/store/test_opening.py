"""Opening a store: what cannot be used is refused in a sentence that names it, and stays as it is, byte by byte."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from lastcard.store.opening import FILE, close_store, open_store
from lastcard.store.schema import VERSION, StoreError, checksum
from lastcard.table.commands import Occupy, Tick
from lastcard.table.journal import Commanded, IdentityMade, Remembered, TableOpened

PAGE = 4_096

OLD = Path(__file__).with_name("version_1.sql").read_text(encoding="utf-8")


def commands(number):
    """Enough commands for a row of several pages."""
    return [Commanded(number, at_ms, Occupy(0, f"player-{at_ms}")) for at_ms in range(1_000)]


def nothing(_):
    """Leaves a store as it is."""


@pytest.fixture(params=["closed", "killed"])
def make_store(request, tmp_path):
    """Makes a store as a server leaves it that was closed in good order, or killed: then its log is still there."""

    def make(change=nothing):
        """`change` is told the connection while the store is open."""
        opened = open_store(tmp_path / "made")
        opened.file.commit([[IdentityMade("i", "b", True)], [TableOpened(1, "t1", 5, "me", "{}"), *commands(1)]])
        opened.file.commit([[TableOpened(2, "t2", 6, "me", "{}"), *commands(2)]])
        change(opened.connection)
        opened.connection.execute("PRAGMA wal_checkpoint(FULL)")
        opened.file.commit([[Commanded(2, 2_000, Tick())]])
        if request.param == "killed":
            shutil.copytree(tmp_path / "made", tmp_path / "used")
        close_store(opened.connection)
        if request.param == "closed":
            shutil.copytree(tmp_path / "made", tmp_path / "used")
        return tmp_path / "used" / FILE

    make.killed = request.param == "killed"
    return make


def content(path):
    """The bytes of file and log; SQLite's index of the log (`-shm`) holds nothing that is not in them."""
    return {
        file.name: file.read_bytes()
        for file in path.parent.glob("*")
        if file.is_file() and file.stat().st_size and "-shm" not in file.name
    }


def remembered(directory):
    """What a start remembers; the store is closed again."""
    opened = open_store(directory)
    close_store(opened.connection)
    return opened.remembered


def refused(path):
    """The sentence with which a store is refused, twice the same; the store stays as it is."""
    before = content(path)
    sentences = []
    for _ in range(2):
        with pytest.raises(StoreError) as raised:
            open_store(path.parent)
        sentences.append(str(raised.value))
        assert content(path) == before
    assert sentences[0] == sentences[1]
    assert str(path) in sentences[0]
    return sentences[0]


def overwrite(path, at, data):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def pages_of(path, table):
    """The pages of a table, its root first, then those below and what overflows."""
    connection = sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    connection.close()
    return root


def test_a_store_that_was_left_in_any_way_is_remembered(make_store):
    path = make_store()
    for _ in range(3):
        opened = open_store(path.parent)
        assert opened.notes == ()
        assert [len(table.commands) for table in opened.remembered.tables] == [1_000, 1_001]
        assert opened.remembered.last_ms == 2_000
        close_store(opened.connection)
    assert not path.with_name(f"{FILE}-wal").exists()


def test_a_new_store_is_empty_and_its_directory_is_made(tmp_path):
    opened = open_store(tmp_path / "deep" / "down")
    assert opened.remembered == Remembered()
    assert opened.notes == ()
    close_store(opened.connection)


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
def test_durability_says_when_the_disk_is_waited_for(tmp_path, durability, level):
    opened = open_store(tmp_path, durability)
    assert opened.connection.execute("PRAGMA synchronous").fetchone() == (level,)
    assert opened.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    close_store(opened.connection)


# ------------------------------------------------------------------ files that are damaged, or no stores


def test_a_header_of_rubbish_is_refused(make_store):
    path = make_store()
    overwrite(path, 0, b"rubbish" * 20)
    assert "damaged or no store" in refused(path)


@pytest.mark.parametrize("length", [1, 50, 100, PAGE, 3 * PAGE + 17, 10 * PAGE])
def test_a_truncated_file_is_refused(make_store, length):
    path = make_store()
    with path.open("r+b") as file:
        file.truncate(length)
    assert "damaged or no store" in refused(path)


def test_a_damaged_page_is_refused_or_was_not_needed(make_store):
    path = make_store()
    whole = content(path)
    wanted = remembered(path.parent)
    found = []
    for page in range(len(whole[FILE]) // PAGE):
        for name, data in whole.items():
            path.with_name(name).write_bytes(data)
        overwrite(path, page * PAGE, bytes(range(256)) * 16)
        damaged = content(path)
        try:
            opened = open_store(path.parent)
        except StoreError as error:
            sentence = str(error)
            assert "damaged" in sentence
            assert content(path) == damaged
            found.append(page)
        else:
            assert opened.remembered == wanted
            opened.connection.close()
    assert len(found) > len(whole[FILE]) // PAGE // 2


def test_no_byte_of_a_command_can_change_unseen(make_store):
    path = make_store()
    data = path.read_bytes()
    at = data.index(b"player-500")
    overwrite(path, at, b"PLAYER-500")
    assert "batch 1 of its journal is not as it was written" in refused(path)


def set_commands(text):
    def change(connection):
        connection.execute("UPDATE journal SET commands = ?, sum = ? WHERE batch = 1", (text, checksum(text)))

    return change


@pytest.mark.parametrize(
    "text",
    [
        '[[1,6,"t",[]',
        "{}7",
        '[[1,6,"?",[]]]',
        '[[1,6,"t",[1,2,3]]]',
        '[[1,6,"o"]]',
        '[[1,6,"n",["no hexadecimal"]]]',
        '[[1,6,"l",[0,77]]]',
        "7",
    ],
)
def test_commands_that_cannot_be_read_are_refused(make_store, text):
    assert "damaged" in refused(make_store(set_commands(text)))


def test_an_unknown_command_is_named(make_store):
    assert "'?'" in refused(make_store(set_commands('[[1,6,"?",[]]]')))


def test_a_plan_that_cannot_be_read_is_refused_with_its_table(make_store):
    path = make_store(lambda connection: connection.execute("UPDATE tables SET plan = '{' WHERE number = 2"))
    assert "the plan of table 't2'" in refused(path)


def test_a_newer_store_is_refused_with_both_versions(make_store):
    path = make_store(lambda connection: connection.execute(f"PRAGMA user_version = {VERSION + 1}"))
    assert f"version {VERSION + 1}, newer than version {VERSION} of this server; upgrade" in refused(path)


def test_a_newer_store_whose_version_is_in_its_log_alone_is_refused(tmp_path):
    opened = open_store(tmp_path / "made")
    opened.connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    shutil.copytree(tmp_path / "made", tmp_path / "used")
    opened.connection.close()
    assert f"version {VERSION + 1}, newer" in refused(tmp_path / "used" / FILE)


@pytest.mark.parametrize("killed", [False, True])
def test_a_file_system_without_shared_memory_will_do(tmp_path, monkeypatch, killed):
    opened = open_store(tmp_path / "made")
    opened.file.commit([[TableOpened(1, "t1", 5, "me", "{}"), *commands(1)]])
    wanted = opened.file.remembered()
    if killed:
        shutil.copytree(tmp_path / "made", tmp_path / "used")
    close_store(opened.connection)
    if not killed:
        shutil.copytree(tmp_path / "made", tmp_path / "used")
    connect = sqlite3.connect

    def connect_without_memory(path, **options):
        if "uri" in options:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_SHMMAP"
            raise error
        return connect(path, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_without_memory)
    if killed:
        (tmp_path / "used" / f"{FILE}-wal").rename(tmp_path / "log")
        with pytest.raises(StoreError, match=r"its log .* is missing"):
            open_store(tmp_path / "used")
        (tmp_path / "log").rename(tmp_path / "used" / f"{FILE}-wal")
    assert remembered(tmp_path / "used") == wanted


def test_the_file_of_another_program_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    assert "another program" in refused(tmp_path / FILE)


def test_a_text_file_is_refused(tmp_path):
    (tmp_path / FILE).write_bytes(b"not a database, by any means" * 100)
    assert "damaged or no store" in refused(tmp_path / FILE)


def test_a_directory_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / FILE).mkdir()
    assert "is a directory" in refused(tmp_path / FILE)


@pytest.mark.parametrize("below", ["", "below", "below/that"])
def test_a_directory_that_cannot_be_made_is_refused(tmp_path, below):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StoreError) as refusal:
        open_store(file / below)
    said = r"the store .*lastcard.sqlite3 cannot be opened: .* is not a directory; give a directory that can be written"
    assert re.fullmatch(said, str(refusal.value))


# ------------------------------------------------------------------ the log


@pytest.mark.parametrize("left", [None, b""])
def test_a_log_that_is_missing_is_missed(make_store, left):
    path = make_store()
    log = path.with_name(f"{FILE}-wal")
    assert log.exists() == make_store.killed
    log.unlink(missing_ok=True)
    if left is not None:
        log.write_bytes(left)
    if make_store.killed:
        sentence = refused(path)
        assert f"its log {FILE}-wal with what happened last is missing; put it back" in sentence
        # What the decision record says that can be done when the log is lost for good.
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("UPDATE state SET closed = 1")
        connection.close()
        assert [len(table.commands) for table in remembered(path.parent).tables] == [1_000, 1_000]
    else:
        close_store(open_store(path.parent).connection)


def test_a_log_without_its_file_is_not_thrown_away(make_store):
    path = make_store()
    path.unlink()
    if make_store.killed:
        assert "is gone, but its log" in refused(path)
    else:
        assert remembered(path.parent) == Remembered()


def test_a_killed_server_that_had_only_begun_leaves_nothing_that_is_missed(tmp_path):
    opened = open_store(tmp_path / "made")
    shutil.copytree(tmp_path / "made", tmp_path / "used")
    opened.connection.close()
    assert remembered(tmp_path / "used") == Remembered()


# ------------------------------------------------------------------ in use, older


def test_a_store_in_use_is_refused(tmp_path):
    opened = open_store(tmp_path)
    opened.file.commit([[IdentityMade("i", "b", True)]])
    assert "in use by another server" in refused(tmp_path / FILE)
    opened.file.commit([[IdentityMade("j", "b", True)]])
    close_store(opened.connection)
    assert len(remembered(tmp_path).identities) == 2


def test_a_store_that_was_used_between_reading_and_locking_is_refused(tmp_path, monkeypatch):
    close_store(open_store(tmp_path).connection)
    connect = sqlite3.connect
    used = []

    def connect_after_another(path, **options):
        if not used and "uri" not in options:
            used.append(path)
            other = open_store(tmp_path)
            other.file.commit([[IdentityMade("i", "b", True)]])
            close_store(other.connection)
        return connect(path, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_after_another)
    with pytest.raises(StoreError, match="used by another server just now"):
        open_store(tmp_path)
    assert len(remembered(tmp_path).identities) == 1


@pytest.fixture
def old(tmp_path):
    """A store of version 1."""
    connection = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    connection.executescript(OLD)
    connection.close()
    return tmp_path / FILE


def dump(path):
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def test_an_older_store_is_brought_up_to_date_and_kept_as_it_was(old):
    before = dump(old)
    opened = open_store(old.parent)
    copy = old.with_name(f"{FILE}.version-1")
    assert opened.notes == (
        f"the store {old} was of version 1 and is of version {VERSION} now; as it was, it is kept as {copy}",
        "3 tables that were open in it are not taken up again, since version 1 did not provide it",
    )
    assert opened.remembered.identities[0].bot == "mine"
    close_store(opened.connection)
    assert dump(copy) == before
    assert dump(old) != before
    again = open_store(old.parent)
    assert again.notes == ()
    close_store(again.connection)
    assert sorted(file.name for file in old.parent.glob("*") if file.suffix != ".sqlite3-shm") == [FILE, copy.name]


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_an_older_store_may_be_read_by_the_same_as_before(old, mode):
    old.chmod(mode)
    opened = open_store(old.parent)
    assert modes(old.parent) == {mode}
    close_store(opened.connection)
    assert modes(old.parent) == {mode}


def test_a_store_may_be_read_by_its_user_alone(tmp_path):
    """It tells the cards of games that are on."""
    opened = open_store(tmp_path)
    opened.file.commit([[IdentityMade("i", "b", True)]])
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE, f"{FILE}-wal"]
    assert modes(tmp_path) == {0o600}
    close_store(opened.connection)
    assert modes(tmp_path) == {0o600}


def modes(directory):
    """How the files of a store may be used; SQLite's index of the log holds nothing."""
    return {path.stat().st_mode & 0o777 for path in directory.iterdir() if path.suffix != ".sqlite3-shm"}


def test_a_copy_of_an_older_store_replaces_no_other(old):
    copy = old.with_name(f"{FILE}.version-1")
    copy.write_text("mine")
    opened = open_store(old.parent)
    close_store(opened.connection)
    (note, _) = opened.notes
    assert note.endswith(f"{copy}-2")
    assert copy.read_text() == "mine"


def test_an_older_store_that_is_damaged_is_refused(old):
    overwrite(old, (pages_of(old, "journal") - 1) * PAGE, bytes(range(256)) * 16)
    assert "damaged" in refused(old)


def test_an_older_store_whose_commands_cannot_be_read_is_refused(old):
    connection = sqlite3.connect(old)
    connection.execute("UPDATE journal SET commands = '[' WHERE batch = 5")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="damaged"):
        open_store(old.parent)
    connection = sqlite3.connect(old)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT commands FROM journal WHERE batch = 5").fetchone() == ("[",)
    connection.close()
