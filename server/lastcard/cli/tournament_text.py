"""Tournaments of a server as text, and their messages as what the views know.

Here: rows of a list, sentences on a state, rankings from messages. Not here: the ranking's table
(`tournament_ranking`), the views (`tournament_view`).
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import cast

from lastcard.cli.counted import count
from lastcard.cli.errors import CommandError
from lastcard.cli.table_text import columns
from lastcard.tournament.formats import Placing
from lastcard.tournament.row_values import SeatFault
from lastcard.tournament.rows import Row, RulingKind, RulingRow, row_of_line
from lastcard.tournament.rule_book import sentence_of
from lastcard.tournament.scoring import Score, Scoring
from lastcard.tournament.statistics import Estimate, Standing, Standings
from lastcard.v1 import tournament_pb2 as pb

STATE_WORDS = {
    pb.TOURNAMENT_STATE_CREATED: "created",
    pb.TOURNAMENT_STATE_RUNNING: "running",
    pb.TOURNAMENT_STATE_PAUSING: "pausing",
    pb.TOURNAMENT_STATE_PAUSED: "paused",
    pb.TOURNAMENT_STATE_BROKEN: "broken",
    pb.TOURNAMENT_STATE_COMPLETE: "complete",
    pb.TOURNAMENT_STATE_CANCELLED: "cancelled",
}

OVER = (pb.TOURNAMENT_STATE_COMPLETE, pb.TOURNAMENT_STATE_CANCELLED)


def state_word(tournament: pb.Tournament) -> str:
    """How far a tournament is, in one word."""
    return STATE_WORDS.get(tournament.state, "under way")


def state_text(tournament: pb.Tournament) -> str:
    """How far a tournament is, in a sentence."""
    games = f", {tournament.games_played} of {count(tournament.games, 'game')} played" if tournament.games else ""
    why = f": {tournament.reason}" if tournament.reason else ""
    return f"{tournament.name} is {state_word(tournament)}{games}{why}"


def rows_text(tournaments: Sequence[pb.Tournament]) -> Iterable[str]:
    """A list of tournaments, one line each under a heading."""
    table = [("name", "state", "format", "bots", "games", "created")]
    for one in tournaments:
        games = f"{one.games_played}/{one.games}" if one.games else "–"
        created = one.created_at.ToDatetime().isoformat(sep=" ", timespec="minutes")
        table.append((one.name, state_word(one), one.format, str(len(one.bots)), games, created))
    return columns(table)


def scoring_of(score: str, *, least_is_best: bool) -> Scoring:
    """How games are scored."""
    return Scoring(cast(Score, score), fewest_points_win=least_is_best and score == "points")


def standings_value(message: pb.Standings) -> Standings:
    """A ranking, for tables."""
    return Standings(
        scoring=scoring_of(message.score, least_is_best=message.least_is_best),
        games=message.games,
        sets=message.sets,
        games_in_open_sets=message.games_in_open_sets,
        ranking=tuple(map(_standing, message.ranking)),
        void_sets=message.void_sets,
        disqualified=tuple((each.bot, each.reason) for each in message.disqualified),
        placings=tuple(Placing(each.bot, each.place, each.note) for each in message.placings) or None,
    )


def _standing(message: pb.Standing) -> Standing:
    return Standing(
        rank=message.rank,
        bot=message.bot,
        games=message.games,
        sets=message.sets,
        score=_estimate(message.score),
        win_share=_estimate(message.win_share),
        points=_estimate(message.points),
        place=_estimate(message.place),
        places={place: number for place, number in enumerate(message.places, 1) if number},
        faults=dict(message.faults),
        lost_by_ruling=message.lost_by_ruling,
    )


def _estimate(message: pb.Estimate) -> Estimate:
    interval = (message.low, message.high) if message.HasField("low") and message.HasField("high") else None
    mean = Fraction(message.mean) if message.HasField("mean") else None
    return Estimate(mean, interval, message.note)


def ruling_value(message: pb.LedgerRow) -> RulingRow:
    """A ruling.

    Raises:
        CommandError: it is none that this version knows.
    """
    try:
        row = row_of_line(message.json)
    except ValueError as error:
        sentence = f"row {message.sequence} is no ruling of this version of lastcard ({error}); use that of the server"
        raise CommandError(sentence) from error
    assert isinstance(row, RulingRow)
    return row


def ruling_text(message: pb.LedgerRow) -> str:
    """A ruling in a sentence, also one of a kind that this version does not know."""
    ruling = message.ruling
    if ruling.kind in list(RulingKind):
        return f"ruling {ruling.number}: {sentence_of(ruling_value(message))}"
    return f"ruling {ruling.number}: {ruling.kind} {ruling.bot or ruling.game or ruling.ruling or ''}: {ruling.reason}"


def row_value(message: pb.GameRow) -> Row:
    """A game, as far as it is told."""
    return Row(
        game=message.game,
        set=message.set,
        deal=message.deal,
        rotation=message.rotation,
        seats=tuple(message.seats),
        points=tuple(message.points),
        places=tuple(message.places),
        cause=message.cause,
        faults=tuple(
            SeatFault(fault.seat, fault.bot, fault.kind, fault.sequence, fault.evidence) for fault in message.faults
        ),
        record=message.record,
        record_hash=message.record_hash,
    )
