import asyncio

from lastcard.table.lobby import Lobby
from lastcard.table.mail import Attach


def attach(identity, bot="b", address="", max_tables=0):
    return Attach(identity, bot, True, address or f"at-{identity}", False, max_tables, ())


def taken(lobby, bot="b"):
    """What the host does with `take_kept`."""
    seats = []
    for peer, table, seat in lobby.take_kept(bot):
        lobby.bind(peer.identity, bot, table, seat)
        seats.append((peer.identity, table, seat))
    return seats


def test_a_kept_seat_waits_for_its_bot():
    lobby = Lobby()
    lobby.keep("b", 1, 0)
    assert taken(lobby) == []
    lobby.connect(attach("i"))
    assert taken(lobby) == [("i", 1, 0)]
    assert taken(lobby) == []


def test_seats_go_to_the_least_busy_instance():
    lobby = Lobby()
    lobby.connect(attach("i"))
    lobby.connect(attach("j"))
    for table in range(4):
        lobby.keep("b", table, 0)
    assert sorted(identity for identity, _, _ in taken(lobby)) == ["i", "i", "j", "j"]


def test_an_instance_has_one_seat_at_a_table():
    lobby = Lobby()
    lobby.connect(attach("i"))
    lobby.keep("b", 1, 0)
    lobby.keep("b", 1, 1)
    assert taken(lobby) == [("i", 1, 0)]
    lobby.connect(attach("j"))
    assert taken(lobby) == [("j", 1, 1)]


def test_an_instance_takes_no_more_tables_than_it_wants():
    lobby = Lobby()
    lobby.connect(attach("i", max_tables=1))
    lobby.keep("b", 1, 0)
    lobby.keep("b", 2, 0)
    assert taken(lobby) == [("i", 1, 0)]
    lobby.close("i", 1)
    assert taken(lobby) == [("i", 2, 0)]


def test_a_seat_may_cease_to_wait():
    lobby = Lobby()
    for table, seat in ((1, 0), (2, 0), (1, 1)):
        lobby.keep("b", table, seat)
    lobby.keep_no_longer("b", 1, 0)
    lobby.keep_no_longer("b", 1, 1)
    lobby.keep_no_longer("b", 1, 1)
    lobby.keep_no_longer("c", 1, 0)
    lobby.connect(attach("i"))
    assert taken(lobby) == [("i", 2, 0)]
    lobby.keep("c", 3, 0)
    lobby.keep_no_longer("c", 3, 0)
    assert not lobby._kept


def test_the_late_end_of_a_replaced_stream_is_no_end():
    """A36: the old connection's close must not evict who has already come back."""
    lobby = Lobby()
    lobby.connect(attach("i", address="old"))
    lobby.connect(attach("i", address="new"))
    assert not lobby.disconnect("i", "old")
    assert lobby.is_connected("b")
    assert lobby.disconnect("i", "new")
    assert not lobby.is_connected("b")


def test_orphans_are_identities_with_seats_and_no_stream():
    lobby = Lobby()
    lobby.connect(attach("i"))
    lobby.keep("b", 1, 0)
    taken(lobby)
    assert lobby.orphans("b") == []
    lobby.disconnect("i", "at-i")
    assert lobby.orphans("b") == ["i"]
    assert lobby.orphans("c") == []
    lobby.close("i", 1)
    assert lobby.orphans("b") == []


async def test_waiting_for_a_bot_ends_when_it_comes():
    lobby = Lobby()
    waiting = [asyncio.create_task(lobby.connected("b")) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    lobby.connect(attach("i"))
    await asyncio.wait_for(asyncio.gather(*waiting), 5)
    await asyncio.wait_for(lobby.connected("b"), 5)


def test_a_bot_has_the_version_that_its_latest_instance_told():
    lobby = Lobby()
    assert lobby.version_of("b") == ""
    lobby.connect(attach("i")._replace(version="1.0"))
    lobby.connect(attach("j")._replace(version="1.1"))
    assert lobby.version_of("b") == "1.1"
    lobby.disconnect("j", "at-j")
    assert lobby.version_of("b") == "1.0"
    lobby.disconnect("i", "at-i")
    assert lobby.version_of("b") == ""
