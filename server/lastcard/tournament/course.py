"""What is played next in an event: a pure function of its file, its key and its ledger.

Here: `Course`, which gives out lots of games one after the other, and what has come of them by the format. Not here:
who plays whom (`formats`), the games of a lot (`schedule`), what rows mean (`judging`), what is asked of an event
without playing it (`outlook`). May import the standard library and the pure modules of this package.

A *lot* is what is given out at once: a stage; or, where the event ends as soon as its ranking is settled, part of one;
or sets that are played again. The next lot is decided when every game of the last has its row, by what was known then:
earlier games, and rulings made before it was given out. So a later ruling never changes who has been drawn, and a run
that was stopped anywhere goes on with the same games.

A bot that has withdrawn or is disqualified is in no stage that is decided afterwards; the games of the lot that is on
are played without it. A bot that has entered late is in the stages decided afterwards. Sets that are to be played again
come when the lot is over, each on a fresh deal and in the circular order of the one that it replaces, numbered behind
all that was given out.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

from lastcard.tournament.formats import Design, Entrant, Format, Placing, PlayedStage, SetResult, Stage
from lastcard.tournament.formats.contract import without
from lastcard.tournament.judging import Judged, judge
from lastcard.tournament.ledger import Row, RulingKind, RulingRow
from lastcard.tournament.schedule import Schedule, Seats, balanced_turns, deals_a_block, stage_key
from lastcard.tournament.scoring import Scoring

if TYPE_CHECKING:
    from lastcard.tournament.sequential import Verdict

MORE_A_LOOK = 20
"""Where an event may end early, a lot has at least a twentieth of the deals before it: looking more often costs more
time than it saves games."""

Settles = Callable[[Judged, Sequence[str]], "Verdict"]
"""Says whether a ranking of bots is settled."""


class Plan(NamedTuple):
    """What file and key fix of an event; `settles` is asked where the event ends as soon as its ranking is settled."""

    style: Format
    design: Design
    scoring: Scoring
    key: bytes
    seats: Seats = "rotations"
    duplicates: bool = True
    settles: Settles | None = None

    @property
    def endless(self) -> bool:
        """Whether the event goes on until it is stopped."""
        return self.style.continuous and "rounds" not in self.design.options


class Rows(Protocol):
    """The ledger, as far as the course looks at it; it may grow while lots are given out."""

    @property
    def rulings(self) -> Sequence[RulingRow]:
        """All rulings, in the order in which they were made."""

    def __contains__(self, game: int) -> bool:
        """Whether a game has its row."""

    def row(self, game: int) -> Row:
        """The row of a game that has one."""


class KnownRows:
    """Rows of a ledger that grows no more, as the course looks at them."""

    def __init__(self, entries: Iterable[Row | RulingRow]) -> None:
        self.rulings: list[RulingRow] = []
        self._games: dict[int, Row] = {}
        for row in entries:
            if isinstance(row, RulingRow):
                self.rulings.append(row)
            else:
                self._games[row.game] = row

    def __contains__(self, game: int) -> bool:
        """Whether a game has its row."""
        return game in self._games

    def row(self, game: int) -> Row:
        """The row of a game that has one."""
        return self._games[game]


class Lot(NamedTuple):
    """Games that are given out at once, of the stage with a number from 0; `again` are sets that are played again."""

    stage: int
    title: str
    schedule: Schedule
    again: bool = False

    @property
    def games(self) -> range:
        """The numbers of its games."""
        return range(self.schedule.first_game, self.schedule.first_game + len(self.schedule))

    @property
    def sets(self) -> range:
        """The numbers of its sets."""
        return range(self.schedule.first_set, self.schedule.first_set + self.schedule.sets)


class GivenOut(NamedTuple):
    """How far an event is: the stage that was decided last, from 0, and the highest number of a game given out."""

    stage: int
    games: int


class Outline(NamedTuple):
    """What has come of an event by its format: the stages that are over, byes by bot, and the format's own ranking.

    `ranking` is `None` where the format has none of its own, or nothing is over. `complete` says that nothing is left
    to play, `verdict` what was found when it was last looked whether the ranking is settled.
    """

    played: tuple[PlayedStage, ...]
    byes: Counter[str]
    ranking: tuple[Placing, ...] | None
    given_out: GivenOut
    complete: bool
    verdict: "Verdict | None"


class _Decided:
    """A stage that was decided: which of its deals were given out, in which sets, and how these came out."""

    def __init__(self, stage: Stage, first_game: int) -> None:
        self.stage = stage
        self.first_game = first_game
        self.deals = 0
        self.settled = False
        self.sets: list[range] = []
        self.played = PlayedStage(stage, ())

    @property
    def is_over(self) -> bool:
        """Whether nothing more of it is given out: all its deals were, or its ranking is settled."""
        return self.settled or self.deals == self.stage.deals

    @property
    def numbers(self) -> Iterator[int]:
        """The numbers of its sets."""
        return chain.from_iterable(self.sets)

    def see(self, judged: Judged) -> None:
        """Take how its sets came out."""
        found = _played(self.stage, judged, self.numbers)
        if found != self.played:
            self.played = found


def _played(stage: Stage, judged: Judged, numbers: Iterable[int]) -> PlayedStage:
    sets = tuple(numbers)
    return PlayedStage(stage, tuple(judged.set_results(sets)), tuple(judged.table_results(sets)))


class Course:
    """The lots of an event in their order. `next` is asked when every game of the lot before has its row.

    `verdict` is what was found when it was last looked whether the ranking is settled.
    """

    def __init__(self, plan: Plan, rows: Rows) -> None:
        self.verdict: Verdict | None = None
        self._plan = plan
        self._rows = rows
        self._games = self._sets = 0
        self._stages: list[_Decided] = []
        self._given: list[Lot] = []
        self._before: Counter[tuple[str, str]] = Counter()
        self._since: dict[tuple[RulingKind, str], int] = {}  # in which stage rulings on bots were first known
        self._rulings = 0
        self._all_anew = True

    @property
    def given_out(self) -> GivenOut:
        """How far the lots go that were given out."""
        return GivenOut(max(0, len(self._stages) - 1), self._games)

    # ------------------------------------------------------------ lots

    def next(self) -> Lot | None:
        """The next lot, or `None` when all is played."""
        judged = self._look()
        if judged.owed:
            return self._again(judged.owed)
        if self._stages:
            self._stages[-1].settled = self._is_settled(judged)
            if not self._stages[-1].is_over:
                return self._part(self._stages[-1])
        stage = self._decide(judged)
        if stage is None:
            return None
        self._stages.append(_Decided(stage, self._games + 1))
        return self._part(self._stages[-1])

    def comes_to_a_stage(self) -> bool:
        """Whether what comes next is another stage, if it were decided now."""
        judged = self._look()
        over = not self._stages or self._stages[-1].is_over
        return over and not judged.owed and self._decide(judged) is not None

    def _decide(self, judged: Judged) -> Stage | None:
        self._see(judged)
        return self._plan.style.next_stage(self._design(judged), [each.played for each in self._stages])

    def _part(self, decided: _Decided) -> Lot:
        """The deals of a stage that are given out next: all that are left, unless it may end early."""
        stage = decided.stage
        deals = stage.deals - decided.deals
        if self._plan.settles is not None:
            deals = min(deals, max(deals_a_block(stage), decided.deals // MORE_A_LOOK))
        turns = None
        if self._plan.seats == "rotations":
            turns = balanced_turns(stage.compositions, deals, self._before)
        title = stage.title or (f"stage {len(self._stages)}" if len(self._stages) > 1 else "")
        lot = self._give(title, self._schedule(stage._replace(deals=deals), turns))
        decided.deals += deals
        decided.sets.append(lot.sets)
        return lot

    def _again(self, owed: Sequence[int]) -> Lot:
        """The sets that are owed, each with the same bots in the same circular order on another deal."""
        firsts = [lot.schedule.first_set for lot in self._given]
        lots = [self._given[bisect_right(firsts, number) - 1].schedule for number in owed]
        tables = tuple(lot.composition_of(number) for lot, number in zip(lots, owed, strict=True))
        turns = [lot.turn_of(number) for lot, number in zip(lots, owed, strict=True)]
        return self._give("sets that are played again", self._schedule(Stage(tables, 1), turns, owed), again=True)

    def _schedule(self, stage: Stage, turns: Sequence[int] | None, owed: Sequence[int] | None = None) -> Schedule:
        return Schedule(
            stage,
            key=stage_key(self._plan.key, len(self._given)),
            first_game=self._games + 1,
            first_set=self._sets + 1,
            first_deal=self._sets + 1,
            seats=self._plan.seats,
            duplicates=self._plan.duplicates,
            turns=turns,
            replaces=owed,
        )

    def _give(self, title: str, schedule: Schedule, *, again: bool = False) -> Lot:
        lot = Lot(len(self._stages) - 1, title, schedule, again)
        self._given.append(lot)
        self._games += len(schedule)
        self._sets += schedule.sets
        return lot

    # ------------------------------------------------------------ what is known

    def _look(self) -> Judged:
        """What is known now, of the games of the last stage at least.

        The games of earlier stages are judged again when there are new rulings, until the next stage is decided.
        """
        rulings = self._known_rulings()
        self._all_anew |= len(rulings) != self._rulings
        self._rulings = len(rulings)
        return self._judge(1 if self._all_anew else self._stages[-1].first_game)

    def _see(self, judged: Judged) -> None:
        """Have the stages see how their sets came out, of what was looked at last."""
        for decided in self._stages if self._all_anew else self._stages[-1:]:
            decided.see(judged)
        self._all_anew = not self._stages

    def _judge(self, first_game: int) -> Judged:
        rows = map(self._rows.row, range(first_game, self._games + 1))
        return judge([*self._known_rulings(), *rows], self._plan.scoring)

    def _known_rulings(self) -> list[RulingRow]:
        return [row for row in self._rows.rulings if row.after <= self._games]

    def _is_settled(self, judged: Judged) -> bool:
        """Whether the event may end; `judged` are the games of the last stage, at least."""
        if self._plan.settles is None:
            return False
        if len(judged.games) < self._games:
            judged = self._judge(1)
        self.verdict = self._plan.settles(judged, self._design(judged).playing(len(self._stages) - 1))
        return self.verdict.settled

    def _design(self, judged: Judged) -> Design:
        """The design with who is known to have entered late or to play no more."""
        late = {row.bot for row in self._rows.rulings if row.kind is RulingKind.ENTER}
        gone = judged.withdrawn.keys() | judged.disqualified.keys()
        known = {(RulingKind.ENTER, bot) for bot in judged.entered} | {(RulingKind.WITHDRAW, bot) for bot in gone}
        self._since = {each: self._since.get(each, len(self._stages)) for each in known}
        entrants = [
            entrant._replace(
                enters=self._since.get((RulingKind.ENTER, entrant.name), 0),
                leaves=self._since.get((RulingKind.WITHDRAW, entrant.name)),
            )
            for entrant in self._plan.design.entrants
            if entrant.name not in late or entrant.name in judged.entered
        ]
        return self._plan.design._replace(entrants=tuple(entrants))

    def would_play(self, entrant: Entrant) -> bool:
        """Whether a new bot would be in the stage behind those that were given out."""
        design = self._design(self._judge(self._games + 1))
        entrants = (*design.entrants, entrant._replace(enters=len(self._stages)))
        played = [each.played if each.played.sets else imagined(each.stage) for each in self._stages]
        stage = self._plan.style.next_stage(design._replace(entrants=entrants), played)
        return stage is not None and any(entrant.name in table for table in (stage.byes, *stage.compositions))

    def outline(self, *, complete: bool) -> Outline:
        """What has come of the event, by all rulings there are, after the lots that were given out and are over."""
        judged = judge([*self._rows.rulings, *self._played_rows()], self._plan.scoring)
        over = [each for each in self._stages if each.is_over and all(map(judged.is_complete, each.numbers))]
        played = tuple(_played(each.stage, judged, each.numbers) for each in over)
        ranking = self._plan.style.ranking(self._design(judged), played) if played else None
        if ranking is not None:
            ranking = without(judged.disqualified, ranking)
        byes = Counter(bot for each in played for bot in each.stage.byes)
        return Outline(played, byes, ranking, self.given_out, complete, self.verdict)

    def _played_rows(self) -> Iterator[Row]:
        return (self._rows.row(game) for game in range(1, self._games + 1) if game in self._rows)


def is_over(lot: Lot, rows: Rows) -> bool:
    """Whether every game of a lot has its row."""
    return all(game in rows for game in lot.games)


def imagined(stage: Stage) -> PlayedStage:
    """A stage as it might come out, with nobody level."""
    sets = (SetResult(table, tuple(map(float, range(len(table))))) for table in stage.compositions)
    return PlayedStage(stage, tuple(sets))
