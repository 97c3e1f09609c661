"""Tournaments, rows and rankings as messages.

Here: the translations. Not here: who is told what (`tournament_service`), the figures (`tournament.statistics`).
"""

import contextlib
from collections.abc import Callable
from datetime import datetime

from lastcard.tournament.director.hosted_event import HostedEvent
from lastcard.tournament.director.hosted_ports import News, Running
from lastcard.tournament.hosting import Hosted, HostedState
from lastcard.tournament.ledger_lines import Line
from lastcard.tournament.notices import BotFailed, BotReady, BotSetAside, Looked, StageStarted
from lastcard.tournament.rows import Row, RulingRow
from lastcard.tournament.statistics import Estimate, Standing, Standings
from lastcard.v1 import tournament_pb2 as pb
from lastcard.v1 import tournament_service_pb2 as service_pb

STATES = {
    HostedState.CREATED: pb.TOURNAMENT_STATE_CREATED,
    HostedState.RUNNING: pb.TOURNAMENT_STATE_RUNNING,
    HostedState.PAUSING: pb.TOURNAMENT_STATE_PAUSING,
    HostedState.PAUSED: pb.TOURNAMENT_STATE_PAUSED,
    HostedState.BROKEN: pb.TOURNAMENT_STATE_BROKEN,
    HostedState.COMPLETE: pb.TOURNAMENT_STATE_COMPLETE,
    HostedState.CANCELLED: pb.TOURNAMENT_STATE_CANCELLED,
}


def summary_message(event: HostedEvent, online: Callable[[str], bool]) -> pb.Tournament:
    """A tournament as lists tell it; `online` says whether a registered bot is connected."""
    hosted, file = event.hosted, event.file
    out = event.out()
    message = pb.Tournament(
        name=hosted.name,
        state=STATES[hosted.state],
        reason=hosted.reason,
        format=file.format,
        table_size=file.table_size,
        score=file.score,
        bots=[
            pb.TournamentBot(
                name=bot.name,
                builtin=bot.builtin or "",
                online=bot.builtin is not None or online(bot.name),
                out=out.get(bot.name, ""),
            )
            for bot in file.bots
        ],
        games=hosted.games,
        games_played=event.games_played,
    )
    _set_times(message, hosted)
    return message


def _set_times(message: pb.Tournament, hosted: Hosted) -> None:
    message.created_at.FromMilliseconds(hosted.created_ms)
    if hosted.started_ms:
        message.started_at.FromMilliseconds(hosted.started_ms)
    if hosted.ended_ms:
        message.ended_at.FromMilliseconds(hosted.ended_ms)


async def tournament_message(event: HostedEvent, online: Callable[[str], bool], *, with_file: bool) -> pb.Tournament:
    """A tournament with all that is known of it.

    Raises:
        DomainError: NOT_KEPT when its ledger cannot be read.
    """
    lines = await event.lines()
    message = summary_message(event, online)
    message.last_sequence = len(lines)
    message.running.extend(running_message(game) for game in event.running.values())
    if with_file:
        message.file = event.hosted.text
    return message


def running_message(game: Running) -> pb.RunningGame:
    """A game that is on."""
    return pb.RunningGame(game=game.game, table_id=game.table_id, seats=game.seats)


def news_message(news: News) -> service_pb.WatchTournamentResponse | None:
    """What those who watch are told at once; `None` for what they are told otherwise."""
    match news:
        case Running():
            return service_pb.WatchTournamentResponse(game_started=running_message(news))
        case StageStarted(number, title, games):
            stage = service_pb.StageNotice(number=number, title=title, games=games)
            return service_pb.WatchTournamentResponse(stage=stage)
        case Looked(_, sentence):
            return service_pb.WatchTournamentResponse(verdict=sentence)
        case BotReady(bot):
            return service_pb.WatchTournamentResponse(bot=service_pb.BotNotice(bot=bot, ready=True))
        case BotFailed(bot, why, in_a_row):
            notice = service_pb.BotNotice(bot=bot, failed=why, in_a_row=in_a_row)
            return service_pb.WatchTournamentResponse(bot=notice)
        case BotSetAside(bot, why):
            return service_pb.WatchTournamentResponse(bot=service_pb.BotNotice(bot=bot, set_aside=why))
        case _:
            return None


def line_message(line: Line, *, whole: bool) -> pb.LedgerRow:
    """A line of the ledger; of a game whose set is not complete, only what all may know unless it is told `whole`."""
    if isinstance(line.row, RulingRow):
        return pb.LedgerRow(sequence=line.number, ruling=_ruling(line.row), json=line.text)
    told = whole or not line.open_set
    game = _game(line.row, told=told)
    game.open_set = line.open_set
    return pb.LedgerRow(sequence=line.number, game=game, json=line.text if told else "")


def _game(row: Row, *, told: bool) -> pb.GameRow:
    message = pb.GameRow(
        game=row.game,
        seats=row.seats,
        points=row.points,
        places=row.places,
        cause=row.cause,
        faults=[pb.GameFault(**fault._asdict()) for fault in row.faults],
    )
    for field, name in ((message.started_at, "started_ms"), (message.ended_at, "ended_ms")):
        if isinstance(at_ms := row.times.get(name), int):
            field.FromMilliseconds(at_ms)
    if told:
        message.set, message.deal, message.rotation = row.set, row.deal, row.rotation
        message.record, message.record_hash = row.record, row.record_hash
    return message


def _ruling(row: RulingRow) -> pb.RulingRow:
    message = pb.RulingRow(
        number=row.number,
        kind=row.kind,
        game=row.game or 0,
        bot=row.bot or "",
        ruling=row.ruling or 0,
        reason=row.reason,
        stage=row.stage,
        replay=row.replay,
        by=row.by,
    )
    with contextlib.suppress(ValueError):  # it was not written down, or in another form, which `LedgerRow.json` has
        message.made_at.FromDatetime(datetime.fromisoformat(row.at))
    return message


def standings_message(made: Standings, last: int, json: str = "") -> pb.Standings:
    """The ranking at a row of the ledger, with all figures as JSON beside it, if they are told."""
    return pb.Standings(
        last_sequence=last,
        score=made.scoring.score,
        least_is_best=made.scoring.least_is_best,
        games=made.games,
        sets=made.sets,
        ranking=[_standing(standing) for standing in made.ranking],
        json=json,
        games_in_open_sets=made.games_in_open_sets,
        void_sets=made.void_sets,
        disqualified=[pb.Disqualification(bot=bot, reason=reason) for bot, reason in made.disqualified],
        placings=[pb.Placing(**placing._asdict()) for placing in made.placings or ()],
    )


def _standing(standing: Standing) -> pb.Standing:
    return pb.Standing(
        rank=standing.rank,
        bot=standing.bot,
        games=standing.games,
        sets=standing.sets,
        score=_estimate(standing.score),
        win_share=_estimate(standing.win_share),
        points=_estimate(standing.points),
        place=_estimate(standing.place),
        faults=dict(standing.faults),
        places=[standing.places.get(place, 0) for place in range(1, max(standing.places, default=0) + 1)],
        lost_by_ruling=standing.lost_by_ruling,
    )


def _estimate(made: Estimate) -> pb.Estimate:
    message = pb.Estimate(note=made.note or "")
    if made.mean is not None:
        message.mean = float(made.mean)
    if made.interval is not None:
        message.low, message.high = map(float, made.interval)
    return message
