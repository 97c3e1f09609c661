"""The bots that ship with the SDK: what they choose, that they are the same everywhere, and how they rank."""

import subprocess
import sys
from random import Random

import pytest

from bot_messages import REACTION, TURN, decision, view
from lastcard.cli.series import Series, as_names
from lastcard.rules.cards import FACES
from lastcard.rules.ruleset import PRESETS, ruleset
from lastcard.rules.view import view_of
from lastcard.v1.event_pb2 import SeatHand
from lastcard.v1.table_pb2 import Decision, DecisionKind
from lastcard_bot.bots import BOTS, make_bot
from lastcard_bot.bots.shrewd_bot import ShrewdBot, drop_behind, trials_for, worthwhile
from lastcard_bot.search.outlook import outlook
from lastcard_bot.search.worlds import WorldError, Worlds

PENALTY = DecisionKind.DECISION_KIND_PENALTY


def position(
    hand: str, *legal: str, discard: str = "B9 R5", counts=None, kind=TURN, options=None, **fields
) -> Decision:
    """A decision of seat 0 of four whose view holds every card of the deck."""
    cards = [FACES[text] for text in hand.split()]
    others = counts or (7, 7, 7)
    seen = view(
        hand,
        (len(cards), *others),
        {"match_end": "single_round", **(options or {})},
        active_seats=(0, 1, 2, 3),
        discard=[FACES[text] for text in discard.split()],
        drawn_counts=(0, 0, 0, 0),
        totals=(0, 0, 0, 0),
        strikes=(0, 0, 0, 0),
        **{"active_color": FACES[discard.rsplit(maxsplit=1)[-1]] >> 4, "round": 1, "turn": 9, **fields},
    )
    seen.pile_count = 108 - len(cards) - sum(others) - len(discard.split())
    seen.ruleset.preset = seen.ruleset.preset or "official"
    return decision(1, *legal, kind=kind, seen=seen)


def chosen(bot, question: Decision) -> int:
    return bot.decide(question)


# ------------------------------------------------------------------ registry


def test_bots_are_found_by_name():
    assert sorted(BOTS) == ["greedy", "random", "shrewd"]
    for name in BOTS:
        assert make_bot(name, 3).name == name


def test_an_unknown_bot_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="there is no bot 'sly'; there are random, greedy, shrewd"):
        make_bot("sly")


# ------------------------------------------------------------------ greedy


@pytest.mark.parametrize(
    ("hand", "legal", "best"),
    [
        ("R1 R9 B5", ("R1", "R9", "B5", "draw"), "R9"),
        ("R1 R2 B5 G3", ("R1", "R2", "B5", "draw"), "R2"),
        ("R1 B5 B2 B3", ("R1", "B5", "draw"), "B5"),
        ("R5 W", ("R5", "W/R", "W/Y", "W/G", "W/B", "draw"), "R5"),
        ("G1 G2 B1 W", ("W/R", "W/Y", "W/G", "W/B", "draw"), "W/G"),
        ("G1 G2", ("draw",), "draw"),
    ],
    ids=str,
)
def test_greedy_sheds_the_dearest_card_of_its_longest_colour_and_keeps_wilds(hand, legal, best):
    assert legal[chosen(make_bot("greedy"), position(hand, *legal))] == best


def test_greedy_plays_what_it_drew_and_takes_penalties_without_a_challenge():
    drawn = position("R5 W", "W/R", "W/Y", "keep", kind=DecisionKind.DECISION_KIND_DRAWN_CARD)
    assert chosen(make_bot("greedy"), drawn) == 0
    assert chosen(make_bot("greedy"), position("R5 B1", "accept", "challenge", kind=PENALTY)) == 0


@pytest.mark.parametrize("name", ["greedy", "shrewd"])
@pytest.mark.parametrize(
    ("legal", "best"),
    [
        (("catch 2", "pass"), "catch 2"),
        (("uno", "catch 2", "pass"), "uno"),
        (("jump R5", "pass"), "jump R5"),
        (("pass",), "pass"),
    ],
    ids=str,
)
def test_reactions_are_made_whenever_they_are_possible(name, legal, best):
    assert legal[chosen(make_bot(name), position("R5 B2", *legal, kind=REACTION))] == best


# ------------------------------------------------------------------ shrewd


def test_shrewd_keeps_the_wild_that_wins_next_turn():
    legal = ("R7", "W/R", "W/Y", "W/G", "W/B", "draw")
    assert legal[chosen(make_bot("shrewd"), position("R7 W", *legal))] == "R7"


def test_shrewd_does_not_give_its_next_neighbour_the_turn_that_wins():
    legal = ("R3", "RD", "draw")
    question = position("R3 RD B1 G2", *legal, counts=(1, 7, 7))
    assert legal[chosen(make_bot("shrewd"), question)] == "RD"


def test_shrewd_names_the_colour_that_it_holds():
    legal = ("W/R", "W/Y", "W/G", "W/B", "draw")
    question = position("W G1 G4 G7", *legal, discard="B9 R5")
    assert legal[chosen(make_bot("shrewd"), question)] == "W/G"


def test_shrewd_challenges_when_it_knows_that_the_wild_draw_four_was_a_bluff():
    legal = ("accept", "challenge")
    question = position("R5 B1 G2", *legal, discard="R9 W4", kind=PENALTY, pending=4, active_color=4)
    question.view.known_cards.append(SeatHand(seat=3, cards=[FACES["R1"], FACES["R2"]]))
    assert legal[chosen(make_bot("shrewd"), question)] == "challenge"


def test_shrewd_accepts_when_it_knows_that_it_was_none():
    legal = ("accept", "challenge")
    question = position("R5 B1 G2", *legal, discard="R9 W4", kind=PENALTY, pending=4, active_color=4, counts=(7, 7, 2))
    question.view.known_cards.append(SeatHand(seat=3, cards=[FACES["G1"], FACES["Y2"]]))
    assert legal[chosen(make_bot("shrewd"), question)] == "accept"


def test_a_time_budget_takes_the_place_of_the_number_of_trials():
    question = position("R3 R5 B5", "R3", "R5", "B5", "draw")
    assert ShrewdBot(trials=0, budget_ms=0.01).decide(question) in (0, 1, 2)


def test_candidates_are_wilds_in_the_two_longest_colours_and_draws_only_without_a_coloured_card():
    wild = position("W G1 G4 B7", "W/R", "W/Y", "W/G", "W/B", "draw", discard="B9 R5")
    assert worthwhile(wild.view, wild.legal_actions) == [2, 3, 4]
    colored = position("R1 R2", "R1", "R2", "draw")
    assert worthwhile(colored.view, colored.legal_actions) == [0, 1]


def test_there_is_always_a_candidate():
    strange = position("G1 G2 G3", "W/R")
    assert worthwhile(strange.view, strange.legal_actions) == [0]


def test_who_is_clearly_behind_is_dropped_and_who_is_close_is_not():
    values = {0: [0.5, 0.6, 0.4], 1: [0.49, 0.62, 0.38], 2: [0.1, 0.2, 0.1]}
    drop_behind(values)
    assert list(values) == [0, 1]


@pytest.mark.parametrize(("players", "trials"), [(2, 560), (4, 420), (10, 240)])
def test_more_players_mean_fewer_trials(players, trials):
    assert trials_for(420, players) == trials


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pile_count": 3}, "cards are said to be hidden"),
        ({"active_color": 0}, "colour 0 cannot be in force"),
        ({"hand": [FACES["R0"], FACES["R0"]]}, "seen more often than the deck holds it"),
        ({"active_seats": [1, 2, 3]}, "not that of a seat in a running round"),
    ],
    ids=["more-cards", "no-colour", "two-red-zeros", "gone"],
)
def test_a_view_that_fits_no_state_is_told_apart_and_answered_by_rule_of_thumb(fields, sentence):
    question = position("R1 R9 B5", "R1", "R9", "B5", "draw")
    for name, value in fields.items():
        if isinstance(value, list):
            del getattr(question.view, name)[:]
            getattr(question.view, name).extend(value)
        else:
            setattr(question.view, name, value)
    with pytest.raises(WorldError, match=sentence):
        Worlds(question.view, question.kind, question.legal_actions)
    assert 0 <= chosen(make_bot("shrewd"), question) <= 3


def test_rules_of_a_newer_server_are_answered_by_rule_of_thumb():
    question = position("R1 R9 B5", "R1", "R9", "B5", "draw", options={"never_heard_of": "true"})
    with pytest.raises(WorldError, match="rules that this version does not know"):
        Worlds(question.view, question.kind, question.legal_actions)
    assert chosen(make_bot("shrewd"), question) == 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [("R1 R2", "B1 G2"), ("R1 W", "R1 B9"), ("R1", "B1"), ("R1 R2 W", "R1 R2 R3"), ("R1 R2", "R1 R2 R3")],
    ids=str,
)
def test_the_outlook_prefers_hands_that_go_out_sooner(better, worse):
    first, second = (
        next(Worlds(asked.view, asked.kind, asked.legal_actions).sample(Random(5)))
        for asked in (position(better, "draw"), position(worse, "draw"))
    )
    assert outlook(first, 0) > outlook(second, 0)
    assert 0 < outlook(second, 0) < outlook(first, 0) < 1
    assert view_of(first, 0).hand_counts[1:] == view_of(second, 0).hand_counts[1:]


# ------------------------------------------------------------------ all of them


QUESTIONS = [
    position("R1 R9 B5 W G2", "R1", "R9", "B5", "W/R", "W/Y", "W/G", "W/B", "draw"),
    position("R3 RD B1 G2", "R3", "RD", "draw", counts=(2, 4, 7)),
    position("G1 G2 W4", "W4/R", "W4/Y", "W4/G", "W4/B", "draw"),
]


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_answers_alike_whatever_it_was_asked_before(name):
    alone = [chosen(make_bot(name), question) for question in QUESTIONS]
    bot = make_bot(name)
    backwards = [chosen(bot, question) for question in reversed(QUESTIONS)]
    assert backwards[::-1] == alone
    assert [bot.choose(question.view, question.legal_actions) for question in QUESTIONS] == alone


@pytest.mark.parametrize("name", sorted(BOTS))
@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_a_bot_answers_alike_in_every_process(name, hash_seed):
    program = (
        "import sys; from lastcard.v1.table_pb2 import Decision; from lastcard_bot.bots import make_bot; "
        "print(*[make_bot(sys.argv[1]).decide(Decision.FromString(bytes.fromhex(t))) for t in sys.argv[2:]])"
    )
    texts = [question.SerializeToString(deterministic=True).hex() for question in QUESTIONS]
    done = subprocess.run(
        [sys.executable, "-c", program, name, *texts],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [int(word) for word in done.stdout.split()] == [chosen(make_bot(name), question) for question in QUESTIONS]


def test_another_seed_is_another_random_bot():
    answers = {tuple(chosen(make_bot("random", seed), question) for question in QUESTIONS) for seed in range(8)}
    assert len(answers) > 4


HOUSE_RULES = {
    "stacks": {"stack_draw_two": "same", "stack_w4": "same", "stack_cross": "any"},
    "jump-in": {"jump_in": "identical_incl_w4", "jump_in_effect": "accumulate"},
    "seven-zero": {"seven_swap": "true", "zero_rotate": "true", "passive_uno": "required"},
    "draws": {"draw_mode": "until_playable", "drawn_card": "must_play"},
    "penalties": {"false_catch_penalty": "2", "false_uno_penalty": "2", "finish_restriction": "number_only"},
}
TABLES = [(preset, preset, {}, 4) for preset in PRESETS] + [
    (f"official-{name}", "official", options, players)
    for (name, options), players in zip(HOUSE_RULES.items(), (3, 5, 4, 2, 7), strict=True)
]


@pytest.mark.parametrize(
    ("preset", "options", "players"), [table[1:] for table in TABLES], ids=[table[0] for table in TABLES]
)
def test_shipped_bots_play_every_rule_to_the_end_without_a_bad_reply(preset, options, players):
    rules = ruleset(preset, {"match_end": "single_round", "max_turns_per_round": 300, **options})
    names = as_names([("shrewd", "greedy", "random")[seat % 3] for seat in range(players)])
    bots = {
        name: ShrewdBot(trials=24) if name.startswith("shrewd") else make_bot(name.partition("#")[0]) for name in names
    }
    series = Series(bots, rules, deals=1, seed=7, draws="pile")
    rows = list(series.play())
    assert len(rows) == players
    assert {conduct.first_complaint for conduct in series.conduct.values()} == {""}


def wins(better: str, worse: str, deals: int) -> tuple[float, float]:
    """How often each of two bots won at a table of two of each."""
    names = as_names([better, worse, better, worse])
    series = Series(
        {name: make_bot(name.partition("#")[0]) for name in names},
        ruleset("official", {"match_end": "single_round"}),
        deals=deals,
        seed=1,
        draws="per_seat",
    )
    won = {better: 0.0, worse: 0.0}
    for row in series.play():
        for name, place in zip(row.seats, row.places, strict=True):
            won[name.partition("#")[0]] += (place == 1) / row.places.count(1)
    return won[better], won[worse]


def test_greedy_beats_random():
    greedy, random = wins("greedy", "random", deals=12)
    assert greedy > 3 * random


@pytest.mark.slow
def test_shrewd_beats_greedy():
    """A small check on fixed deals that all is connected; `make strength` is what shows the ranking."""
    shrewd, greedy = wins("shrewd", "greedy", deals=16)
    assert shrewd > greedy
