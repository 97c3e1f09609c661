from hypothesis import given
from hypothesis import strategies as st

from lastcard.table.deadlines import Deadlines


def test_a_deadline_comes_once():
    deadlines = Deadlines()
    deadlines.set(1, 100)
    assert deadlines.due(99) == []
    assert deadlines.due(100) == [1]
    assert deadlines.due(200) == []


def test_a_deadline_moved_into_the_future_does_not_come_early():
    deadlines = Deadlines()
    deadlines.set(1, 100)
    deadlines.set(1, 300)
    assert deadlines.due(200) == []
    assert deadlines.next_ms() == 300
    assert deadlines.due(300) == [1]


def test_a_deadline_moved_forward_comes_early():
    deadlines = Deadlines()
    deadlines.set(1, 300)
    deadlines.set(1, 100)
    assert deadlines.next_ms() == 100
    assert deadlines.due(100) == [1]
    assert deadlines.due(300) == []


def test_a_deadline_removed_never_comes():
    deadlines = Deadlines()
    deadlines.set(1, 100)
    deadlines.set(1, None)
    assert deadlines.due(1_000) == []


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, 3), st.none() | st.integers(0, 60)),
        st.tuples(st.just("pass"), st.integers(1, 20), st.none()),
    ),
    max_size=40,
)


@given(STEPS)
def test_deadlines_come_when_they_are_due_and_are_never_slept_through(steps):
    deadlines, wanted, now = Deadlines(), {}, 0
    for kind, value, due_ms in steps:
        if kind == "set":
            deadlines.set(value, due_ms)
            if due_ms is None:
                wanted.pop(value, None)
            else:
                wanted[value] = due_ms
        else:
            now += value
            expected = {table for table, due in wanted.items() if due <= now}
            assert set(deadlines.due(now)) == expected
            for table in expected:
                del wanted[table]
        if wanted:
            assert deadlines.next_ms() is not None
            assert deadlines.next_ms() <= min(wanted.values())
