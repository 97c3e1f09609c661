"""The most points that a game can give, without which no evidence from points can be weighed as it comes in.

Here: `reach_of`. Not here: the bets that need it (`sequential`). May import `lastcard.rules` and `scoring`.
"""

from lastcard.rules.ruleset import Ruleset
from lastcard.tournament.rulings import Ruling
from lastcard.tournament.scoring import Scoring


class ReachError(ValueError):
    """Scores have no bound; the text is a sentence on why, and what would have one."""


def reach_of(scoring: Scoring, rules: Ruleset, seats: int) -> float:
    """The most that a bot can score in a game at a table of so many seats; 1 for wins and places, which are shares.

    A round gives at most the points of all cards of the deck. (Where the cards of a bot that left come back into play
    its points count beside theirs, so that in a very strange round there could be more; that counts as the most.)

    Raises:
        ReachError: points, or penalties, have no bound.
    """
    penalties = [fault for fault, policy in scoring.rulings.items() if policy.ruling is Ruling.PENALTY]
    if penalties:
        raise ReachError(
            f"a ranking that stops when it is significant needs scores with bounds, and a penalty of points for "
            f'{penalties[0]} has none; valid are other rulings, or stop = "deals"'
        )
    if scoring.score != "points":
        return 1.0
    a_round = _of_a_round(rules, seats)
    conditions = rules.match_end.split("+")
    most = []
    if "single_round" in conditions:
        most.append(a_round)
    if "rounds" in conditions:
        most.append(rules.match_rounds * a_round)
    if "target" in conditions:
        most.append(rules.target_points - 1 + a_round)
    if not most:
        raise ReachError(
            f"a ranking that stops when it is significant needs scores with bounds, and with match_end = "
            f"{rules.match_end} points have none; valid are a match_end with target, rounds or single_round, another "
            f'score than "points", or stop = "deals"'
        )
    # After a single round that one seat takes all of, bots are level only with nothing.
    takes_all = conditions == ["single_round"] and rules.scoring in ("winner_takes_sum", "round_wins")
    extra = a_round if rules.match_tie == "extra_round" and not takes_all else 0
    return float(min(most) + extra)


def _of_a_round(rules: Ruleset, seats: int) -> int:
    if rules.scoring == "placement":
        return seats - 1
    if rules.scoring == "round_wins":
        return 1
    return sum(rules.points(face) for face in rules.deck())
