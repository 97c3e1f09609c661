"""What can be asked of an event by its file and its ledger: how far it is, whether it is over, who can still come.

Here: these questions, and the plan of a file. Not here: how the answers come about (`course`). May import the standard
library, `lastcard.rules` and the pure modules of this package.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from lastcard.rules.shuffle import KEY_BYTES
from lastcard.tournament.balance import Balance, balance_of_schedule
from lastcard.tournament.course import Course, GivenOut, KnownRows, Outline, Plan, Rows, Settles, imagined, is_over
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.formats import FORMATS, Placing, PlayedStage
from lastcard.tournament.ledger import Row, RulingRow
from lastcard.tournament.reach import reach_of
from lastcard.tournament.schedule import games_a_set
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import Standings

if TYPE_CHECKING:
    from lastcard.tournament.sequential import Verdict

_MOST_FORESEEN = 200
"""So many stages at most are gone through to foresee how many games an event has."""


def plan_of(file: TournamentFile, key: bytes, scoring: Scoring) -> Plan:
    """The plan of an event; without its key (any 32 bytes) its lots are the same but for the order of their games."""
    settles: Settles | None = None
    if file.stop == "significant":
        from lastcard.tournament.sequential import settled  # noqa: PLC0415 - takes long, and few events need it

        settles = partial(settled, confidence=file.confidence, reach=reach_of(scoring, file.rules, file.table_size))
    return Plan(FORMATS[file.format], file.design, scoring, key, file.seats, file.duplicates, settles)


def given_out(plan: Plan, rows: Rows) -> GivenOut:
    """How far an event is by its ledger: a lot of which not all games have their rows counts as given out."""
    return _followed(plan, rows)[0].given_out


def is_complete(plan: Plan, rows: Rows) -> bool:
    """Whether nothing of an event is left to play, by its ledger."""
    return _followed(plan, rows)[1]


def can_enter(plan: Plan, rows: Rows, bot: str) -> bool:
    """Whether a bot of the plan's design, which is not in the event yet, would still play if it entered now."""
    entrants = plan.design.entrants
    without = plan.design._replace(entrants=tuple(each for each in entrants if each.name != bot))
    course = _followed(plan._replace(design=without), rows)[0]
    return course.would_play(next(each for each in entrants if each.name == bot))


def outline_of(plan: Plan, rows: Rows) -> Outline:
    """What has come of an event, by its ledger."""
    course, complete = _followed(plan, rows)
    return course.outline(complete=complete)


def _followed(plan: Plan, rows: Rows) -> tuple[Course, bool]:
    """The course of an event up to the first lot that is not over, and whether nothing is left to play."""
    course = Course(plan, rows)
    while (lot := course.next()) is not None:
        if not is_over(lot, rows):
            return course, False
    return course, True


def looked_text(verdict: "Verdict") -> str:
    """What was found when it was looked whether the ranking is settled, as a sentence."""
    after = f"after {verdict.rounds} {'round' if verdict.rounds == 1 else 'rounds'}"
    if verdict.settled:
        return f"the ranking is settled {after}: {', '.join(verdict.ranking)}"
    if verdict.note or not verdict.pairs:
        return f"the ranking is not settled {after}: {verdict.note or 'there are no two bots to compare'}"
    least = min(verdict.pairs, key=lambda pair: pair.evidence)
    return (
        f"the ranking is not settled {after}: {least.ahead} before {least.behind}, evidence {least.evidence:.2f} of "
        f"{verdict.needed:.2f}"
    )


def placings_of(file: TournamentFile, entries: Iterable[Row | RulingRow]) -> tuple[Placing, ...] | None:
    """The ranking of an event's format by its ledger; `None` where the order by mean score is the format's."""
    if FORMATS[file.format].by_score:
        return None
    return outline_of(plan_of(file, bytes(KEY_BYTES), file.scoring), KnownRows(entries)).ranking


def designed(file: TournamentFile) -> Balance | None:
    """How evenly an event lets its bots meet; `None` where that depends on how games come out."""
    plan = plan_of(file, bytes(KEY_BYTES), file.scoring)
    lot = Course(plan._replace(settles=None), KnownRows(())).next() if plan.style.by_score else None
    return balance_of_schedule(lot.schedule) if lot is not None else None


def with_placings(made: Standings, file: TournamentFile, entries: Iterable[Row | RulingRow]) -> Standings:
    """Standings with the ranking of the event's format, where it has one of its own."""
    return made._replace(placings=placings_of(file, entries))


def foreseen_games(plan: Plan) -> int:
    """How many games an event has, if nobody comes or goes, nothing is played again, and it does not end early."""
    played: list[PlayedStage] = []
    games = 0
    while len(played) < _MOST_FORESEEN and (stage := plan.style.next_stage(plan.design, played)) is not None:
        played.append(imagined(stage))
        games += stage.deals * sum(games_a_set(len(table), plan.seats) for table in stage.compositions)
    return games
