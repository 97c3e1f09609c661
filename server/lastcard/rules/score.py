"""The end of a round and of a match: points, totals, places.

Here: `end_round`, `end_match`. Not here: when a round ends (`turns`, `play`, `leave`). May import `events`, `state`.
"""

from lastcard.rules.events import Event, Hands, MatchCause, MatchEnded, RoundCause, RoundEnded
from lastcard.rules.state import Phase, State


def hand_points(state: State, seat: int) -> int:
    """Points of the cards in a hand (G32-G34, M25, `card_points`)."""
    points = state.rules.points
    return sum(points(face) for face in state.hand_faces(seat))


def end_round(state: State, cause: RoundCause, winner: int | None, events: list[Event]) -> None:
    """Ends the round, books its points, and ends the match when the rules say so.

    `winner` is who went out or was left; a blocked round finds its own (C22).
    """
    left_over = _points_left(state)
    if cause == RoundCause.BLOCKED:
        winner = _lowest_hand(state, left_over)
    scores = _scores(state, cause, winner, left_over)
    state.round_cause = cause
    state.winner = winner
    state.turn = -1
    state.pending = 0
    state.drawn = -1
    state.liable = state.fresh = 0
    state.jumpable = False
    state.phase = Phase.ROUND_OVER
    state.round_scores.append(scores)
    for seat, score in enumerate(scores):
        state.totals[seat] += score
        state.points_left[seat] += left_over[seat]
    if winner is not None:
        state.rounds_won[winner] += 1
    events.append(RoundEnded(state.round, cause, winner, scores, tuple(state.totals), hands_of(state)))
    _end_match_if_due(state, events)


def hands_of(state: State) -> Hands:
    """Every hand that holds cards, as an event shows it."""
    return tuple((seat, tuple(state.hand_faces(seat))) for seat in range(state.players) if state.hands[seat])


def _points_left(state: State) -> list[int]:
    """What each seat was caught with: active seats their hands, leavers of this round their frozen points (C76)."""
    voided = state.rules.leaver_points == "void"
    left_over = []
    for seat in range(state.players):
        if state.active[seat]:
            left_over.append(hand_points(state, seat))
        else:
            left_over.append(0 if voided else state.frozen[seat] or 0)
    return left_over


def _lowest_hand(state: State, left_over: list[int]) -> int | None:
    """The one active seat with the lowest hand; none when it is shared or the result is void (C22)."""
    if state.rules.stalemate_result == "void":
        return None
    seats = state.active_seats()
    lowest = min(left_over[seat] for seat in seats)
    holders = [seat for seat in seats if left_over[seat] == lowest]
    return holders[0] if len(holders) == 1 else None


def _scores(state: State, cause: RoundCause, winner: int | None, left_over: list[int]) -> tuple[int, ...]:
    """Points of the round by seat (X20, C22, C75, C76, K26, K27)."""
    scoring = state.rules.scoring
    scores = [0] * state.players
    if cause == RoundCause.BLOCKED and state.rules.stalemate_result == "void":
        return tuple(scores)
    if scoring == "each_keeps_own":
        scores = left_over.copy()
        if winner is not None and cause != RoundCause.BLOCKED:
            scores[winner] = 0
        return tuple(scores)
    if scoring == "placement":
        return _placement(state, winner, left_over)
    if winner is None:
        return tuple(scores)
    if scoring == "round_wins":
        scores[winner] = 1
    elif cause == RoundCause.BLOCKED:
        own = left_over[winner]
        others = [seat for seat in state.active_seats() if seat != winner]
        frozen = sum(left_over[seat] for seat in range(state.players) if not state.active[seat])
        scores[winner] = sum(left_over[seat] - own for seat in others) + frozen
    else:
        scores[winner] = sum(left_over) - left_over[winner]
    return tuple(scores)


def _placement(state: State, winner: int | None, left_over: list[int]) -> tuple[int, ...]:
    """A point for each seat left behind: the winner is first, the others follow by the points in their hands."""
    seats = state.active_seats()
    keys = {seat: -1 if seat == winner else left_over[seat] for seat in seats}
    gone = sum(1 for value in state.frozen if value is not None)
    scores = [0] * state.players
    for seat in seats:
        scores[seat] = gone + sum(1 for other in seats if keys[other] > keys[seat])
    return tuple(scores)


def _end_match_if_due(state: State, events: list[Event]) -> None:
    if sum(state.active) == 1:
        end_match_of_one(state, events)
        return
    if state.extra_round:
        # The one extra round of C85 is over; whoever is still level shares the place.
        end_match(state, MatchCause(state.match_cause), events)
        return
    cause = _match_end(state)
    if cause is None:
        return
    tied = _leaders(state)
    if state.rules.match_tie == "extra_round" and len(tied) > 1:
        state.match_cause = cause
        state.extra_round = True
        _bench_others(state, tied)
        return
    end_match(state, cause, events)


def note_time_up(state: State) -> list[Event]:
    """Notes that the agreed time is over: a `match_end` with `time` ends with the present round (C84).

    Between rounds it ends at once, and the events tell it; otherwise there are none.
    """
    state.time_up = True
    events: list[Event] = []
    if state.phase == Phase.ROUND_OVER and not state.extra_round:
        _end_match_if_due(state, events)
    return events


def _bench_others(state: State, tied: list[int]) -> None:
    for seat in state.active_seats():
        if seat not in tied:
            state.active[seat] = False
            state.benched[seat] = True


def _match_end(state: State) -> MatchCause | None:
    """The first condition of `match_end` that is met (K15)."""
    rules = state.rules
    conditions = rules.match_end.split("+")
    if "target" in conditions and max(state.totals) >= rules.target_points:
        return MatchCause.TARGET
    if "rounds" in conditions and state.round >= rules.match_rounds:
        return MatchCause.ROUNDS
    if "time" in conditions and state.time_up:
        return MatchCause.TIME
    if "single_round" in conditions:
        return MatchCause.SINGLE_ROUND
    return None


def _leaders(state: State) -> list[int]:
    seats = state.active_seats()
    best = min(_rank_key(state, seat) for seat in seats)
    return [seat for seat in seats if _rank_key(state, seat) == best]


def _rank_key(state: State, seat: int) -> tuple[int, int]:
    """Sorts the better seat first: by total, then by what `match_tie` says.

    Who won a match's only round is first even where the others' cards were worth nothing.
    """
    total = state.totals[seat] if state.law.lowest_wins else -state.totals[seat]
    match state.rules.match_tie:
        case "fewest_points_left":
            return total, state.points_left[seat]
        case "round_wins":
            return total, -state.rounds_won[seat]
        case _ if state.winner is not None and "single_round" in state.rules.match_end.split("+"):
            return total, int(seat != state.winner)
        case _:
            return total, 0


def end_match_of_one(state: State, events: list[Event]) -> None:
    """Ends a match in which one seat alone could play on (C77).

    Seats that sit out an extra round have not left: then the match ends for what had brought that round about (C85).
    """
    end_match(state, MatchCause(state.match_cause) if any(state.benched) else MatchCause.LAST_SEAT, events)


def end_match(state: State, cause: MatchCause, events: list[Event]) -> None:
    """Ends the match and gives every seat its place: finishers first, then leavers, later ones above (C77)."""
    state.phase = Phase.MATCH_OVER
    state.match_cause = cause
    groups = [state.active_seats(), [seat for seat in range(state.players) if state.benched[seat]]]
    places = [0] * state.players
    taken = 0
    for group in groups:
        keys = {seat: _rank_key(state, seat) for seat in group}
        for seat in group:
            places[seat] = taken + 1 + sum(1 for other in group if keys[other] < keys[seat])
        taken += len(group)
    for seat in reversed(state.left_order):
        taken += 1
        places[seat] = taken
    state.places = tuple(places)
    events.append(MatchEnded(cause, state.places, tuple(state.totals)))
