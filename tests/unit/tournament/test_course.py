"""The course of events that are played in the test: every game's outcome follows from its number and its seats."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import pytest

from lastcard.tournament.course import Course, Lot, Plan, is_over
from lastcard.tournament.formats import FORMATS, Design, Entrant
from lastcard.tournament.formats.contract import OptionValue
from lastcard.tournament.judging import Judged
from lastcard.tournament.ledger import Row, RulingKind, RulingRow, SeatFault
from lastcard.tournament.outlook import can_enter, foreseen_games, given_out, is_complete, outline_of
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Policy, Ruling
from lastcard.tournament.schedule import Game, neighbours
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.sequential import Verdict

KEY = bytes(range(32))
OPTIONS: Mapping[str, Mapping[str, OptionValue]] = MappingProxyType(
    {
        "round-robin": {},
        "gauntlet": {"challenger": "b0"},
        "swiss": {"rounds": 3},
        "knockout": {"best_of": 2, "advance": 1},
        "ladder": {"rounds": 3},
    }
)
REPLAY_CRASHES = Scoring(rulings={**DEFAULT_RULINGS, Fault.CRASH: Policy(Ruling.REPLAY)})


class Ledger:
    """The rows of a test: games by number, and rulings."""

    def __init__(self, rows: Iterable[Row] = (), rulings: Iterable[RulingRow] = ()) -> None:
        self.games = {row.game: row for row in rows}
        self.rulings = list(rulings)

    def __contains__(self, game: int) -> bool:
        return game in self.games

    def row(self, game: int) -> Row:
        return self.games[game]

    def rule(self, kind: RulingKind, after: int, **about: object) -> None:
        number = len(self.rulings) + 1
        self.rulings.append(RulingRow(number, kind, "so it is", 0, after, **about))  # type: ignore[arg-type]


Outcome = Callable[[Game], Row]


def played(game: Game, faults: str = "") -> Row:
    """A game that the bot with the highest number mostly wins."""
    order = sorted(game.seats, key=lambda bot: int(bot[1:]) * 3 + (game.game * 7 + int(bot[1:])) % 5, reverse=True)
    places = tuple(order.index(bot) + 1 for bot in game.seats)
    made = tuple(SeatFault(game.seats.index(bot), bot, "crash", 9, "gone") for bot in faults.split())
    points = tuple(10 * (len(places) - place) for place in places)
    return Row(**game._asdict(), points=points, places=places, cause="target", faults=made, record="r", record_hash="0")


def plan_of(name: str, bots: int = 5, size: int = 2, deals: int = 2, **changes: object) -> Plan:
    entrants = tuple(Entrant(f"b{number}") for number in range(bots))
    design = Design(entrants, size, deals, OPTIONS[name])
    return Plan(FORMATS[name], design, Scoring(), KEY)._replace(**changes)


def play(plan: Plan, ledger: Ledger, outcome: Outcome = played, most_games: int | None = None) -> list[Lot]:
    """Play on from what is in the ledger, in the order of play, and at most so many games; all lots on the way."""
    course = Course(plan, ledger)
    lots: list[Lot] = []
    while (lot := course.next()) is not None:
        lots.append(lot)
        for game in lot.schedule:
            if game.game in ledger:
                continue
            if most_games is not None and len(ledger.games) >= most_games:
                return lots
            ledger.games[game.game] = outcome(game)
    return lots


def games_of(lots: Iterable[Lot]) -> list[Game]:
    return [game for lot in lots for game in lot.schedule]


EVERY = pytest.mark.parametrize("name", FORMATS)


@EVERY
def test_without_duplicates_no_deal_comes_twice_in_an_event(name: str) -> None:
    games = games_of(play(plan_of(name, duplicates=False), Ledger()))
    assert len({game.deal for game in games}) == len(games)


@EVERY
def test_games_sets_and_deals_are_numbered_on_over_all_lots(name: str) -> None:
    ledger = Ledger()
    lots = play(plan_of(name), ledger)
    games = games_of(lots)
    assert [game.game for game in games] == list(range(1, len(games) + 1))
    by_set = {game.set: game.deal for game in games}
    assert sorted(by_set) == sorted(by_set.values()) == list(range(1, len(by_set) + 1))
    assert [number for lot in lots for number in lot.games] == sorted(ledger.games)
    assert all(is_over(lot, ledger) for lot in lots)
    assert is_complete(plan_of(name), ledger)
    keys = [[game.rotation for game in lot.schedule] for lot in lots if len(lot.schedule) == len(lots[0].schedule)]
    assert len(keys) == 1 or any(each != keys[0] for each in keys)  # lots are not scattered alike


@EVERY
@pytest.mark.parametrize("seats", ["rotations", "all"])
def test_an_event_that_stops_anywhere_goes_on_to_the_same_ledger(name: str, seats: str) -> None:
    plan = plan_of(name, seats=seats, scoring=Scoring(all_orders=seats == "all"))
    whole = Ledger()
    lots = play(plan, whole)
    for count in range(0, len(whole.games), 3):
        ledger = Ledger()
        begun = play(plan, ledger, most_games=count)
        assert len(ledger.games) == count
        assert given_out(plan, ledger).games == begun[-1].games[-1]
        assert given_out(plan, ledger).stage == begun[-1].stage
        assert games_of(play(plan, ledger)) == games_of(lots)
        assert ledger.games == whole.games


@EVERY
def test_without_the_key_lots_are_the_same_but_for_their_order(name: str) -> None:
    ledger = Ledger()
    lots = play(plan_of(name), ledger)
    blind = play(plan_of(name, key=bytes(32)), ledger)
    assert [lot.games for lot in blind] == [lot.games for lot in lots]
    for one, other in zip(blind, lots, strict=True):
        assert {game[1:] for game in one.schedule} == {game[1:] for game in other.schedule}


@pytest.mark.parametrize("size", [3, 4])
def test_circular_orders_go_on_changing_from_stage_to_stage(size: int) -> None:
    plan = plan_of("ladder", bots=size, size=size, deals=1)
    rounds = (size - 1) * (1 if size % 2 else 2)
    design = plan.design._replace(options={"rounds": rounds})
    lots = play(plan._replace(design=design), Ledger())
    before = Counter(pair for lot in lots for circle, sets in lot.schedule.circles() for pair in neighbours(circle))
    assert len(lots) == rounds
    assert len(before) == size * (size - 1)
    assert len(set(before.values())) == 1


# ---------------------------------------------------------------- sets that are played again


def crashing(*games: int) -> Outcome:
    return lambda game: played(game, game.seats[0] if game.game in games else "")


def test_a_set_that_is_to_be_played_again_comes_behind_its_lot_on_a_fresh_deal() -> None:
    plan = plan_of("swiss", bots=6, size=3, deals=2, scoring=REPLAY_CRASHES)
    ledger = Ledger()
    lots = play(plan, ledger, crashing(4))
    assert [lot.again for lot in lots] == [False, True, False, False]
    assert [lot.stage for lot in lots] == [0, 0, 1, 2]
    again, spoilt = list(lots[1].schedule), ledger.row(4)
    assert {game.replaces for game in again} == {spoilt.set}
    assert {game.set for game in again} == {lots[0].sets[-1] + 1}
    assert {game.deal for game in again}.isdisjoint(game.deal for game in lots[0].schedule)
    circle = {game.seats for game in lots[0].schedule if game.set == spoilt.set}
    assert {game.seats for game in again} == circle
    assert lots[2].schedule.first_game == again[-1].game + 1


def test_what_is_played_again_counts_once_and_who_failed_keeps_its_loss() -> None:
    plan = plan_of("knockout", bots=4, size=2, scoring=REPLAY_CRASHES)
    ledger = Ledger()
    lots = play(plan, ledger, crashing(1))
    assert [lot.again for lot in lots[:2]] == [False, True]
    spoilt = ledger.row(1)
    culprit, other = spoilt.seats
    stage = outline_of(plan, ledger).played[0]
    assert all(len(values) == 2 for values in stage.scores().values())
    by_set = dict(zip(lots[0].sets, stage.sets, strict=False))
    assert by_set[spoilt.set].composition == tuple(sorted((culprit, other)))
    kept = dict(zip(*by_set[spoilt.set], strict=True))
    assert kept[culprit] <= 0.5  # of two games it has lost one
    won = [row.places[row.seats.index(other)] == 1 for row in ledger.games.values() if row.replaces == spoilt.set]
    assert kept[other] == sum(won) / 2


def test_bots_that_always_fail_do_not_keep_an_event_going() -> None:
    plan = plan_of("round-robin", bots=3, size=3, scoring=REPLAY_CRASHES)
    ledger = Ledger()
    lots = play(plan, ledger, lambda game: played(game, " ".join(game.seats)))
    assert 1 < len(lots) < 6
    assert is_complete(plan, ledger)


def test_an_annulled_game_of_an_earlier_stage_is_made_up_for_at_the_end_of_the_lot() -> None:
    plan = plan_of("swiss", bots=4, size=2, deals=1)
    ledger = Ledger()
    undisturbed = play(plan, Ledger())
    play(plan, ledger, most_games=6)  # of the second round
    ledger.rule(RulingKind.ANNUL, given_out(plan, ledger).games, game=1, replay=True)
    lots = play(plan, ledger)
    assert games_of(lots[:2]) == games_of(undisturbed[:2])  # what was drawn stays
    assert [(lot.again, lot.stage) for lot in lots] == [(False, 0), (False, 1), (True, 1), (False, 2)]
    assert {game.replaces for game in lots[2].schedule} == {ledger.row(1).set}
    assert games_of(lots) == games_of(play(plan, Ledger(ledger.games.values(), ledger.rulings)))
    course = Course(plan, ledger)
    while course.next() is not None:
        pass
    seen = [decided.played for decided in course._stages]
    assert seen == list(outline_of(plan, ledger).played)  # what was decided last knew of what was made up for


@EVERY
def test_a_ruling_never_changes_what_was_drawn_before_it(name: str) -> None:
    plan = plan_of(name)
    whole = Ledger()
    lots = play(plan, whole)
    for count in range(len(whole.games)):
        ledger = Ledger()
        begun = play(plan, ledger, most_games=count)
        after = given_out(plan, ledger).games
        ledger.rule(RulingKind.ANNUL, after, game=1)
        ledger.rule(RulingKind.DISQUALIFY, after, bot="b4")
        ledger.rule(RulingKind.WITHDRAW, after, bot="b1")
        changed = play(plan, ledger)
        assert games_of(changed[: len(begun)]) == games_of(begun) == games_of(lots[: len(begun)])
        for lot in changed[len(begun) :]:
            assert not {"b1", "b4"} & {bot for table in lot.schedule.stage.compositions for bot in table}
        assert is_complete(plan, ledger)


# ---------------------------------------------------------------- bots that come and go


@EVERY
def test_who_enters_late_is_in_the_stages_that_are_decided_afterwards(name: str) -> None:
    plan = plan_of(name)
    ledger = Ledger()
    begun = play(plan, ledger, most_games=3)
    late = plan._replace(design=plan.design._replace(entrants=(*plan.design.entrants, Entrant("b9"))))
    assert can_enter(late, ledger, "b9") is (name != "knockout")
    if name == "knockout":
        return  # it refuses late entries
    ledger.rule(RulingKind.ENTER, given_out(plan, ledger).games, bot="b9")
    lots = play(late, ledger)
    assert games_of(lots[: len(begun)]) == games_of(begun)
    for lot in lots[len(begun) :]:
        stage = lot.schedule.stage
        assert "b9" in {*stage.byes, *(bot for table in stage.compositions for bot in table)}
    assert len(lots) > len(begun)
    outline = outline_of(late, ledger)
    assert outline.ranking is None or "b9" in {placing.bot for placing in outline.ranking}


def test_nobody_can_enter_the_last_round_of_a_swiss() -> None:
    plan = plan_of("swiss", bots=4)
    late = plan._replace(design=plan.design._replace(entrants=(*plan.design.entrants, Entrant("b9"))))
    ledger = Ledger()
    for games, can in ((9, True), (15, True), (17, False), (24, False)):
        play(plan, ledger, most_games=games)
        assert can_enter(late, ledger, "b9") is can


def test_a_withdrawal_that_is_taken_back_lets_the_bot_play_again() -> None:
    plan = plan_of("ladder", bots=4)
    ledger = Ledger()
    play(plan, ledger, most_games=3)
    ledger.rule(RulingKind.WITHDRAW, given_out(plan, ledger).games, bot="b3")
    stage = play(plan, ledger, most_games=10)[-1].schedule.stage
    assert "b3" not in {*stage.byes, *stage.compositions[0]}
    ledger.rule(RulingKind.TAKE_BACK, given_out(plan, ledger).games, ruling=1)
    assert "b3" in {bot for table in play(plan, ledger)[-1].schedule.stage.compositions for bot in table}


# ---------------------------------------------------------------- the end


def settled_after(games: int) -> Callable[[Judged, object], Verdict]:
    def settles(judged: Judged, _: object) -> Verdict:
        return Verdict(len(judged.games) >= games, len(judged.sets), None, (), (), 1.0, 0.95, "")

    return settles


def test_an_event_that_ends_when_its_ranking_is_settled_asks_behind_each_lot() -> None:
    plan = plan_of("round-robin", bots=3, size=2, deals=400, settles=settled_after(300))
    ledger = Ledger()
    lots = play(plan, ledger)
    assert {lot.stage for lot in lots} == {0}
    assert all(len(lot.schedule) == 18 for lot in lots[:20])  # a block: three deals of three tables
    assert 300 <= len(ledger.games) < 318
    assert is_complete(plan, ledger)
    outline = outline_of(plan, ledger)
    assert outline.verdict is not None
    assert outline.verdict.settled
    assert len(outline.played) == 1


def test_who_has_entered_plays_also_when_the_ranking_of_the_others_is_settled() -> None:
    plan = plan_of("round-robin", bots=3, size=2, deals=40, settles=settled_after(30))
    late = plan._replace(design=plan.design._replace(entrants=(*plan.design.entrants, Entrant("b9"))))
    ledger = Ledger()
    play(plan, ledger, most_games=20)
    ledger.rule(RulingKind.ENTER, given_out(plan, ledger).games, bot="b9")
    lots = play(late, ledger)
    assert [lot.stage for lot in lots] == [0, 0, 1]
    assert {bot for table in lots[2].schedule.stage.compositions for bot in table} == {"b0", "b1", "b2", "b9"}
    assert all("b9" in table for table in lots[2].schedule.stage.compositions)
    assert is_complete(late, ledger)


def test_lots_grow_with_what_was_played_and_never_exceed_the_deals() -> None:
    plan = plan_of("round-robin", bots=2, size=2, deals=300, settles=settled_after(10**9))
    lots = play(plan, Ledger())
    deals = [lot.schedule.stage.deals for lot in lots]
    assert deals[0] == 8
    assert sum(deals) == 300
    assert deals[-2] > 10
    for before, count in zip(range(1, len(deals)), deals[1:-1], strict=False):
        assert count == max(8, sum(deals[:before]) // 20)
    assert [lot.schedule.turn_of(number) for lot in lots for number in lot.sets] == [0] * 300


def test_an_early_end_keeps_circular_orders_balanced_from_lot_to_lot() -> None:
    plan = plan_of("round-robin", bots=4, size=4, deals=96, settles=settled_after(10**9))
    lots = play(plan, Ledger())
    before: Counter[tuple[str, str]] = Counter()
    for lot in lots:
        for circle, sets in lot.schedule.circles():
            before.update(dict.fromkeys(neighbours(circle), sets))
    assert len(lots) > 3
    assert max(before.values()) - min(before.values()) <= 2


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "swiss", "ladder"])
def test_how_many_games_an_event_has_can_be_foreseen(name: str) -> None:
    ledger = Ledger()
    play(plan_of(name), ledger)
    assert foreseen_games(plan_of(name)) == len(ledger.games)


def test_a_ladder_without_rounds_has_no_end() -> None:
    plan = plan_of("ladder")
    endless = plan._replace(design=plan.design._replace(options={}))
    assert endless.endless
    assert not plan.endless
    lots = play(endless, Ledger(), most_games=500)
    assert len(lots) > 60


@EVERY
def test_an_outline_tells_byes_and_the_formats_own_ranking(name: str) -> None:
    plan = plan_of(name)
    ledger = Ledger()
    lots = play(plan, ledger)
    outline = outline_of(plan, ledger)
    assert outline.complete
    assert len(outline.played) == len({lot.stage for lot in lots})
    assert outline.byes == Counter(bot for each in outline.played for bot in each.stage.byes)
    assert (outline.ranking is None) == plan.style.by_score
    if outline.ranking is not None:
        assert {placing.bot for placing in outline.ranking} == set(plan.design.bots)
        ledger.rule(RulingKind.DISQUALIFY, len(ledger.games), bot="b4")
        changed = outline_of(plan, ledger).ranking
        assert changed is not None
        assert "b4" not in {placing.bot for placing in changed}


@pytest.mark.parametrize(("bots", "size"), [(8, 2), (7, 3)])
def test_a_knock_out_is_decided_among_the_others_when_one_is_disqualified(bots: int, size: int) -> None:
    """Whoever it was, also the winner: its opponents are compared by their games, and who was drawn stays drawn."""
    plan = plan_of("knockout", bots, size)
    first = Ledger()
    lots = play(plan, first)
    reached = {bot: lot.stage for lot in lots for game in lot.schedule for bot in game.seats}
    for out in reached:
        ledger = Ledger(first.games.values())
        ledger.rule(RulingKind.DISQUALIFY, len(first.games), bot=out)
        play(plan, ledger)
        assert is_complete(plan, ledger)
        ranking = outline_of(plan, ledger).ranking
        assert ranking is not None
        assert {placing.bot for placing in ranking} == reached.keys() - {out}
        assert [placing.note for placing in ranking].count("winner of the final") == 1
        places = [placing.place for placing in ranking]
        assert places == [1 + sum(other < place for other in places) for place in places]
        assert [reached[placing.bot] for placing in ranking] == sorted(
            (reached[bot] for bot in reached if bot != out), reverse=True
        )
        finalists = {bot for bot in reached if reached[bot] == max(reached.values())} - {out}
        for placing in ranking:
            assert ("final" in placing.note) == (placing.bot in finalists)
            assert "final" in placing.note or placing.note.startswith("out in round")
            if size == 2 and placing.bot not in finalists:
                assert placing.place == min(each.place for each in ranking if each.note == placing.note)


@EVERY
def test_a_stage_that_is_being_played_decides_nothing_yet(name: str) -> None:
    plan = plan_of(name)
    ledger = Ledger()
    (first, *_) = play(plan, ledger)
    for games in range(len(first.schedule)):
        outline = outline_of(plan, Ledger([ledger.games[1 + game] for game in range(games)]))
        assert (outline.played, outline.ranking) == ((), None)


def test_an_event_of_which_nothing_is_over_has_no_ranking() -> None:
    plan = plan_of("swiss")
    outline = outline_of(plan, Ledger())
    assert (outline.complete, outline.played, outline.ranking) == (False, (), None)
    assert (outline.given_out.stage, outline.given_out.games) == (0, 8)
