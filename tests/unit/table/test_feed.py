from lastcard.table.feed import Feed


def feed_of(count, kept=100):
    feed = Feed(kept)
    for number in range(1, count + 1):
        feed.add([b"%d" % number], {number: {2: b"%d!" % number}} if number % 2 else {})
    return feed


def test_a_spectator_gets_public_events_after_its_cursor():
    assert feed_of(5).after(2, None) == [b"3", b"4", b"5"]


def test_a_seat_gets_its_own_bytes_where_they_differ():
    assert feed_of(4).after(0, 2) == [b"1!", b"2", b"3!", b"4"]
    assert feed_of(4).after(0, 1) == [b"1", b"2", b"3", b"4"]


def test_nothing_is_missed_at_the_last_number():
    assert feed_of(4).after(4, None) == []


def test_a_cursor_beyond_the_last_number_has_no_events():
    assert feed_of(4).after(5, None) is None


def test_events_that_are_not_kept_any_more_are_not_given_in_part():
    feed = feed_of(25, kept=10)
    first_kept = next(cursor for cursor in range(25) if feed.after(cursor, None) is not None)
    assert first_kept > 0
    assert feed.after(first_kept - 1, None) is None
    assert feed.after(first_kept, None) == [b"%d" % number for number in range(first_kept + 1, 26)]
    assert feed.last == 25
