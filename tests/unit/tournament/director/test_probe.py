"""The plan of a health probe, and what its result says."""

from dataclasses import replace
from pathlib import Path

import pytest

from lastcard.table.effects import Blame, CloseCause, FaultKind
from lastcard.table.plan import TableResult, check_plan
from lastcard.tournament.director.probe import Probe, problem_in
from lastcard.tournament.file import TournamentFile, load

FILE = """\
[tournament]
name = "cup"
table_size = 3
deals = 1
draws = "pile"
options = {{ {options} }}
[clock]
{clock}
[[bot]]
name = "a"
builtin = "greedy"
[[bot]]
name = "b"
builtin = "greedy"
[[bot]]
name = "c"
builtin = "greedy"
"""

RESULT = TableResult(
    table_id="probe-1",
    names=("b", "probe-1"),
    cause=CloseCause.FINISHED,
    match_cause=0,
    points=(0, 0),
    places=(1, 2),
    rounds=1,
    faults=(),
    last_sequence=9,
    record_hash=b"",
    decisions=9,
    started_ms=1,
    ended_ms=2,
    thinking_ms=(0, 0),
)


def cup(tmp_path: Path, clock: str = "", options: str = "") -> TournamentFile:
    path = tmp_path / "cup.toml"
    path.write_text(FILE.format(clock=clock, options=options))
    return load(path, ("greedy",))


def test_a_probe_is_short_by_the_rules_of_the_event_and_no_game_of_it(tmp_path: Path) -> None:
    file = cup(tmp_path, options="stack_draw_two = 'same', match_end = 'target'")
    probe = Probe(file)
    first, second = probe.plan("b"), probe.plan("b")
    check_plan(first, ("greedy",))
    assert [seat.bot or seat.builtin for seat in first.seats] == ["b", "greedy"]
    rules = first.rules
    assert (rules.stack_draw_two, rules.match_end, rules.max_timeouts) == ("same", "single_round", 1)
    assert (rules.max_turns_per_round, first.draws, first.closed) == (20, "pile", True)
    assert first.table_id is not None
    assert first.table_id.startswith("probe-")
    assert len({first.table_id, second.table_id, first.deal_key, second.deal_key, first.salt, second.salt}) == 6


def test_rules_for_three_are_probed_with_three(tmp_path: Path) -> None:
    plan = Probe(cup(tmp_path, options="min_players = 3")).plan("b")
    check_plan(plan, ("greedy",))
    assert len(plan.seats) == 3


@pytest.mark.parametrize(
    ("clock", "limit_ms"),
    [
        ("", 10_000),
        ('limit = "200ms"\nbank = "0s"', 2_000),
        ('limit = "3s"\nbank = "4s"', 7_000),
        ('limit = "1m"', 60_000),
    ],
)
def test_its_clock_is_generous(tmp_path: Path, clock: str, limit_ms: int) -> None:
    made = Probe(cup(tmp_path, clock)).plan("b").clock
    assert (made.limit_ms, made.bank_ms, made.reaction_ms) == (limit_ms, 0, 2_000)


def test_what_the_opponent_or_the_arena_does_is_not_the_bots_fault() -> None:
    late = Blame(0, FaultKind.TIMEOUT, 4, "too late")
    assert problem_in(RESULT) is None
    assert problem_in(replace(RESULT, faults=(late._replace(seat=1),))) is None
    assert problem_in(replace(RESULT, faults=(late._replace(seat=1), late))) == "timeout: too late"
    assert problem_in(replace(RESULT, faults=(late,), cause=CloseCause.CANCELLED)) is None
