from hypothesis import given
from hypothesis import strategies as st

from lastcard.table.deadlines import NOT_QUEUED, Deadlines


class Table:
    def __init__(self):
        self.queued_ms = NOT_QUEUED


def test_a_table_is_looked_at_once():
    deadlines, table = Deadlines(), Table()
    deadlines.set(table, 100)
    assert deadlines.next_ms() == 100
    assert deadlines.due(99) == []
    assert deadlines.due(100) == [table]
    assert deadlines.due(200) == []
    assert deadlines.next_ms() is None


def test_a_deadline_moved_into_the_future_leaves_the_early_look():
    deadlines, table = Deadlines(), Table()
    deadlines.set(table, 100)
    deadlines.set(table, 300)
    assert deadlines.due(100) == [table]
    deadlines.set(table, 300)
    assert deadlines.due(299) == []
    assert deadlines.due(300) == [table]


def test_a_deadline_moved_forward_comes_early_and_once():
    deadlines, table = Deadlines(), Table()
    deadlines.set(table, 300)
    deadlines.set(table, 100)
    assert deadlines.next_ms() == 100
    assert deadlines.due(100) == [table]
    assert deadlines.due(300) == []


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, 3), st.integers(0, 60)),
        st.tuples(st.just("pass"), st.integers(1, 20), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_no_deadline_is_slept_through(steps):
    deadlines, tables, wanted, now = Deadlines(), [Table() for _ in range(4)], {}, 0
    for kind, value, due_ms in steps:
        if kind == "set":
            wanted[value] = due_ms
            deadlines.set(tables[value], due_ms)
        else:
            now += value
            looked_at = {tables.index(table) for table in deadlines.due(now)}
            assert looked_at >= {number for number, due in wanted.items() if due <= now}
            for number in looked_at:
                if wanted[number] <= now:
                    del wanted[number]
                else:
                    deadlines.set(tables[number], wanted[number])
        if wanted:
            assert deadlines.next_ms() is not None
            assert deadlines.next_ms() <= min(wanted.values())
