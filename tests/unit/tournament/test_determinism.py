"""What games of copies show: where two part, and nothing where all are alike."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lastcard.rules import events as ev
from lastcard.rules.actions import LeaveCause
from lastcard.rules.cards import FACES
from lastcard.rules.events import DrawCause, Event, MatchCause
from lastcard.tournament.determinism import Played, copies_name, event_of_copies, finding, parting_of
from lastcard.tournament.file import load, parse
from lastcard.tournament.ledger import Row, SeatFault
from lastcard.tournament.rulings import Fault

DEALT = ev.RoundStarted(1, 0, b"a" * 32, (1, 1), ((0, (FACES["R5"],)), (1, (FACES["G5"],))))
TURN = ev.TurnStarted(0, 1)
PLAYED = ev.CardPlayed(0, FACES["R5"], 1, None, False, False, 0, 1, 0)
OVER = ev.MatchEnded(MatchCause.SINGLE_ROUND, (1, 2), (5, 0))


def row(game: int, deal: int = 1, seats: tuple[str, ...] = ("b.1", "b.2"), faults: tuple[SeatFault, ...] = ()) -> Row:
    return Row(
        game=game,
        set=deal,
        deal=deal,
        rotation=game % 2,
        seats=seats,
        points=(5, 0),
        places=(1, 2),
        cause="single_round",
        faults=faults,
        record="",
        record_hash="",
    )


def played(game: int, events: Sequence[Event], deal: int = 1) -> Played:
    return Played(row(game, deal, ("b.1", "b.2") if game % 2 else ("b.2", "b.1")), events)


def test_games_on_one_deal_are_alike_though_their_commitments_differ() -> None:
    one = played(1, [DEALT, TURN, PLAYED, OVER])
    other = played(2, [DEALT._replace(commitment=b"b" * 32), TURN, PLAYED, OVER])
    assert parting_of(one, other) is None
    found = finding("b", [one, other], {})
    assert (found.verdict, found.games, found.deals, found.partings) == ("deterministic", 2, 1, ())


@pytest.mark.parametrize(
    ("instead", "did"),
    [
        (PLAYED._replace(uno_called=True), "seat 0 answered 'R5!'"),
        (PLAYED._replace(card=FACES["R6"]), "seat 0 answered 'R6'"),
        (ev.CardsDrawn(0, 1, DrawCause.TURN, (FACES["R1"],)), "seat 0 answered 'draw'"),
        (ev.UnoCalled(0), "seat 0 answered 'uno'"),
        (ev.SeatLeft(0, LeaveCause.LEFT, 1, 5, ()), "seat 0 answered 'leave'"),
    ],
)
def test_games_part_at_the_first_event_that_differs(instead: Event, did: str) -> None:
    one, other = played(1, [DEALT, TURN, PLAYED, OVER]), played(2, [DEALT, TURN, instead, OVER])
    parting = parting_of(one, other)
    assert parting is not None
    assert (parting.event, parting.games, parting.seat, parting.bots) == (3, (1, 2), 0, ("b.1", "b.2"))
    assert parting.did == ("seat 0 answered 'R5'", did)
    assert "after the same 2 events" in parting.sentence()


def test_a_game_that_ends_before_the_other_parts_from_it() -> None:
    parting = parting_of(played(1, [DEALT, TURN]), played(2, [DEALT, TURN, PLAYED]))
    assert parting is not None
    assert (parting.event, parting.did) == (3, ("the game was over", "seat 0 answered 'R5'"))


def test_a_card_that_another_event_carries_is_compared_by_type_too() -> None:
    """Two events of different types may be equal as tuples."""
    one, other = played(1, [ev.CardKept(0)]), played(2, [ev.PenaltyAccepted(0)])
    assert parting_of(one, other) is not None


def test_the_earliest_parting_of_each_deal_is_told() -> None:
    late = [DEALT, TURN, PLAYED._replace(uno_called=True)]
    early = [DEALT, ev.TurnStarted(0, 2)]
    games = [played(1, [DEALT, TURN, PLAYED]), played(2, late), played(3, early)]
    games += [played(4, [DEALT], deal=2), played(5, [DEALT], deal=2)]
    found = finding("b", games, {})
    assert [(parting.deal, parting.event, parting.games) for parting in found.partings] == [(1, 2, (1, 3))]
    assert (found.verdict, found.deals) == ("not deterministic", 2)


def test_a_bot_with_faults_or_set_aside_has_failed_whatever_it_did() -> None:
    fault = SeatFault(1, "b.2", Fault.TIMEOUT, 7, "no answer")
    games = [Played(row(1, faults=(fault,)), [DEALT]), played(2, [DEALT])]
    found = finding("b", games, {"b.1": "failed three times"})
    assert found.verdict == "failed"
    assert found.faults == ("b.1: failed three times", "game 1: b.2 timeout: no answer")
    assert finding("b", [played(1, [DEALT])], {"b.1": "failed"}).verdict == "failed"


def test_a_bot_that_crashed_has_failed_though_it_was_back_in_time() -> None:
    crash = SeatFault(0, "b.1", Fault.CRASH, 9, "ended with status 3")
    games = [played(1, [DEALT]), Played(replace(row(2), times={"recovered": [crash._asdict()]}), [DEALT])]
    found = finding("b", games, {})
    assert (found.verdict, found.faults) == ("failed", ("game 2: b.1 crash: ended with status 3",))


FILE = """
[tournament]
name = "cup"
table_size = 3
deals = 500
seats = "all"
stop = "significant"
options = { match_end = "time" }
[clock]
limit = "1s"
reactions = "open"
[[bot]]
name = "one"
command = ["python3", "-c", "pass"]
copies = 4
[[bot]]
name = "two"
builtin = "greedy"
[[bot]]
name = "three"
builtin = "random"
"""


def test_the_event_of_copies_is_played_in_rotations_without_disguise_and_with_time_enough(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(FILE)
    file = load(path, ["greedy", "random"])
    event = event_of_copies(file, file.bots[0], 7)
    assert [bot.name for bot in event.bots] == ["one.1", "one.2", "one.3"]
    assert {(bot.command, bot.copies) for bot in event.bots} == {(file.bots[0].command, 1)}
    assert (event.disguise, event.draws, event.deals, event.seats, event.stop) == (
        False,
        "per_seat",
        7,
        "rotations",
        "deals",
    )
    assert (event.rules.match_end, event.clock.sealed, event.clock.limit_ms) == ("single_round", True, 60_000)
    assert event_of_copies(file, file.bots[1], 7).bots[2].builtin == "greedy"


@pytest.mark.parametrize("bot", [0, 1])
@pytest.mark.parametrize(
    ("more", "clock"),
    [
        ('stop = "deals"\nformat = "swiss"\nrounds = 1\nduplicates = false', "reaction = '70s'"),
        ('stop = "deals"\ndraws = "pile"\nscore = "points"\nrules = "german"', ""),
        ('stop = "significant"', "bank = '20m'"),
    ],
)
def test_the_file_of_the_event_of_copies_says_what_is_played(tmp_path: Path, bot: int, more: str, clock: str) -> None:
    """What is kept of a check is reported on and verified by it."""
    path = tmp_path / "cup.toml"
    text = FILE.replace('stop = "significant"', more).replace(
        "[[bot]]", f"{clock}\n[rulings]\ncrash = 'void'\n[[bot]]", 1
    )
    path.write_text(text)
    file = replace(load(path, ["greedy", "random"]), seed=5)
    event = event_of_copies(file, file.bots[bot], 7)
    read = parse(event.text, path, ["greedy", "random"])
    assert not any(read.format_options.values())
    assert replace(read, format_options=event.format_options) == event


def test_the_names_of_copies_are_names_of_bots() -> None:
    assert copies_name("x" * 64, 10) == "x" * 60 + ".10"
