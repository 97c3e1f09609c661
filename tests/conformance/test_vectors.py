"""The vectors are what the rules give, and README.md alone is enough to compute them."""

import json
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import Message
from grpc_tools import protoc

from conformance import reference
from conformance.make_vectors import DIRECTORY, MAKERS, text_of
from conformance.vectors_of_chance import DRAWS
from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import chance_of
from lastcard.rules.legality import catchable, legal_actions
from lastcard.rules.notation import action_text, read_move
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.record_json import event_text
from lastcard.rules.ruleset import may_start, ruleset
from lastcard.rules.state import State, new_match
from lastcard.rules.verify import verify


def vectors(name: str) -> dict[str, Any]:
    """A file of vectors as it is in the tree."""
    value: dict[str, Any] = json.loads((DIRECTORY / f"{name}.json").read_text(encoding="ascii"))
    return value


WIRE_DRAWS = {name: draws for draws, name in DRAWS.items()}
"""The orders of draws as the rules name them, by their names on the wire."""

CHANCE, KEYS, DISGUISES, DEALS, GAMES, REFUSALS, RECORDS = map(vectors, MAKERS)


def named(case: dict[str, Any]) -> str:
    return f"{case.get('match', case)['name']} {case.get('seed', '')[:4]}".strip()


@pytest.mark.parametrize("name", MAKERS)
def test_the_files_are_what_the_rules_give(name: str) -> None:
    """After a change that is meant: `PYTHONPATH=tests python -m conformance.make_vectors`."""
    assert (DIRECTORY / f"{name}.json").read_text(encoding="ascii") == text_of(MAKERS[name]())


def message_class(name: str, folder: Path) -> type[Message]:
    """The message of vectors.proto that a file holds, made from the .proto files as any language would."""
    compiled = folder / "vectors.pb"
    proto = DIRECTORY.parents[2] / "proto"
    well_known = files("grpc_tools") / "_proto"
    arguments = [f"--proto_path={proto}", f"--proto_path={well_known}", "--include_imports"]
    source = "lastcard/conformance/v1/vectors.proto"
    assert protoc.main(["protoc", *arguments, f"--descriptor_set_out={compiled}", source]) == 0
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file:
        pool.Add(file)
    title = {"chance": "Chance"}.get(name, name.removesuffix("s").title())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"lastcard.conformance.v1.{title}Vectors"))


@pytest.mark.parametrize("name", MAKERS)
def test_the_files_are_protobuf_json_in_which_every_field_is_known(name: str, tmp_path: Path) -> None:
    value = vectors(name)
    message = json_format.ParseDict(value, message_class(name, tmp_path)())
    written = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    assert _with_defaults_of(value, written) == written


def _with_defaults_of(value: Any, written: Any) -> Any:
    """`value` with what protobuf-JSON may leave out, an empty or zero field, as it stands in `written`."""
    if isinstance(value, dict) and isinstance(written, dict):
        added = {name: one for name, one in written.items() if name not in value and not _says_something(one)}
        return {**added, **{name: _with_defaults_of(one, written.get(name)) for name, one in value.items()}}
    if isinstance(value, list) and isinstance(written, list):
        return [_with_defaults_of(*pair) for pair in zip(value, written, strict=True)]
    return value


def _says_something(value: Any) -> bool:
    return bool(value) and not str(value).endswith("_UNSPECIFIED")


# ------------------------------------------------------------------ the document is enough


def test_words_numbers_and_shuffles_follow_from_the_document() -> None:
    for case in CHANCE["words"]:
        words = reference.words(bytes.fromhex(case["seed"]), case["purpose"])
        assert list(islice(words, len(case["words"]))) == case["words"]
    for case in CHANCE["numbers"]:
        assert reference.number(bytes.fromhex(case["seed"]), case["purpose"], case["n"]) == case["number"]
    for case in CHANCE["shuffles"]:
        assert reference.shuffled(bytes.fromhex(case["seed"]), case["purpose"], case["items"]) == case["order"]


def test_some_word_is_rejected_in_the_vectors_of_numbers() -> None:
    rejected = [
        case
        for case in CHANCE["numbers"]
        if next(reference.words(bytes.fromhex(case["seed"]), case["purpose"])) >= 65536 - 65536 % case["n"]
    ]
    assert rejected


def test_keys_follow_from_the_document() -> None:
    def key(text: str) -> bytes:
        return bytes.fromhex(text)

    for case in KEYS["commitments"]:
        assert reference.commitment(key(case["seed"]), key(case["salt"])) == key(case["commitment"])
    for case in KEYS["event_keys"]:
        assert reference.event_key(case["number"]) == key(case["key"])
    for case in KEYS["deal_keys"]:
        assert reference.deal_key(key(case["event_key"]), case["deal"]) == key(case["key"])
    for case in KEYS["round_seeds"]:
        assert reference.round_seed(key(case["deal_key"]), case["round"]) == key(case["seed"])
    for case in KEYS["salts"]:
        assert reference.game_salt(key(case["event_key"]), case["game"]) == key(case["salt"])


@pytest.mark.parametrize("case", DISGUISES["disguises"], ids=named)
def test_disguises_follow_from_the_document(case: dict[str, Any]) -> None:
    seed, salt = bytes.fromhex(case["seed"]), bytes.fromhex(case["salt"])
    disguise = reference.Disguise(seed, salt, case["deck"].split())
    assert reference.disguise_key(seed, salt).hex() == case["key"]
    assert ["RYGB".index(disguise.names[letter]) + 1 for letter in "RYGB"] == case["colors"]
    assert disguise.cards == case["cards"]
    assert disguise.shuffled(seed, "rebuild/1", case["rebuild"]["items"]) == case["rebuild"]["order"]
    assert [disguise.named(seed, turn) for turn in range(1, 9)] == case["named"]


def test_the_disguises_rename_some_colours_and_leave_what_would_show() -> None:
    renamed = {(case["name"], tuple(case["colors"])) for case in DISGUISES["disguises"]}
    assert len(renamed) > 4
    assert {colors for name, colors in renamed if name.startswith("each")} == {(1, 2, 3, 4)}
    assert {colors[2:] for name, colors in renamed if name.startswith("red")} == {(3, 4)}


@pytest.mark.parametrize("case", DEALS["deals"], ids=named)
def test_deals_follow_from_the_document(case: dict[str, Any]) -> None:
    rules = ruleset(case["preset"], case["options"])
    seed, deck = bytes.fromhex(case["seed"]), case["deck"].split()
    faces = dict(zip(deck, rules.deck(), strict=True))
    dealt = reference.Dealt(
        deck,
        case["players"],
        rules.hand_size,
        seed=seed,
        draws=WIRE_DRAWS[case["draws"]],
        put_back=lambda text: not may_start(rules, faces[text]),
        disguise=reference.Disguise(seed, bytes.fromhex(case["salt"]), deck) if case["disguise"] else None,
    )
    assert [deck[card] for card in dealt.start_cards] == case["start_cards"].split()
    assert reference.commitment(seed, bytes.fromhex(case["salt"])).hex() == case["commitment"]
    for seat, hand in enumerate(dealt.hands):
        # A start card may have made a seat draw; those cards are in the hand, too.
        told = case["hands"][seat]["ids"]
        more = [card for card in told if card not in hand]
        assert sorted(hand + [dealt.draw(seat) for _ in more]) == told
        assert case["hands"][seat]["text"].split() == [deck[card] for card in told]
    assert sorted(dealt.pile) == case["pile"]
    for seat, order in enumerate(case.get("orders", [])):
        assert dealt.shuffle(seed, f"seat/1/{seat}", range(len(deck))) == order["ids"]
    assert [dealt.draw(seat) for seat in case["drawn_by"]] == case["drawn"]
    if rules.first_dealer == "high_card":
        assert reference.high_card_dealer(deck, case["players"], seed) == case["dealer"]
    else:
        assert reference.number(seed, "first-dealer", case["players"]) == case["dealer"]


def test_the_lowest_seat_deals_when_cards_that_count_the_same_part_nobody() -> None:
    seed = bytes(32)
    state = new_match(ruleset("official", {"deck": "custom", "deck_counts": "S=2", "hand_size": 1}), 3)
    start_round(state, chance_of(seed, seed, "pile", state.faces, disguised=False))
    deck = [card + "S" for card in "RRYYGGBB"]
    assert state.dealer == reference.high_card_dealer(deck, 3, seed) == 0


def test_start_cards_are_put_back_in_the_vectors_of_deals() -> None:
    put_back = [case for case in DEALS["deals"] if len(case["start_cards"].split()) > 1]
    assert {case["draws"] for case in put_back} == {"DRAW_ORDER_PILE", "DRAW_ORDER_PER_SEAT"}


def test_a_round_is_dealt_again_in_the_vectors_of_deals() -> None:
    cases = [case for case in DEALS["deals"] if case["name"].startswith("dealt again")]
    first = [reference.shuffled(bytes.fromhex(case["seed"]), "deal", range(13)) for case in cases]
    dealt = [sorted(card for hand in case["hands"] for card in hand["ids"]) for case in cases]
    assert any(sorted(order[:10]) != cards for order, cards in zip(first, dealt, strict=True))


@pytest.mark.parametrize("case", RECORDS["records"], ids=named)
def test_syntax_chain_and_commitments_of_records_follow_from_the_document(case: dict[str, Any]) -> None:
    forged = case["name"].startswith("forged")
    of_the_reveal = case.get("line") == len(case["lines"])
    # Only a replay finds what was forged in the game itself.
    expected = case.get("line") if not forged or of_the_reveal else None
    if case["name"] == "forged: another commitment":
        expected = len(case["lines"])  # a reader that does not replay cannot know which of the two is forged
    assert reference.first_wrong_line(case["lines"]) == expected


# ------------------------------------------------------------------ the rules give them


class Play:
    """A match of the vectors, played move by move."""

    def __init__(self, case: dict[str, Any]) -> None:
        self._case = case
        self._seeds = [bytes.fromhex(seed) for seed in case["seeds"]]
        self.state: State = new_match(ruleset(case["preset"], case["options"]), case["players"])
        self.events: list[dict[str, Any]] = []

    def do(self, move: str) -> None:
        """One of the moves: `deal` begins the next round."""
        if move == "deal":
            case = self._case
            seed, salt = self._seeds[self.state.round], bytes.fromhex(case["salt"])
            chance = chance_of(seed, salt, WIRE_DRAWS[case["draws"]], self.state.faces, disguised=case["disguise"])
            events = start_round(self.state, chance)
        else:
            events = apply(self.state, *read_move(move))
        for event in events:
            self.events.append(json.loads(event_text(len(self.events) + 1, event)))


@pytest.mark.parametrize("case", GAMES["games"], ids=named)
def test_games_give_their_events(case: dict[str, Any]) -> None:
    match = Play(case["match"])
    for move in case["match"]["moves"]:
        match.do(move)
    assert match.events == case["events"]


def test_the_games_of_the_vectors_have_every_kind_of_event() -> None:
    kinds = {next(name for name in event if name != "sequence") for case in GAMES["games"] for event in case["events"]}
    assert len(kinds) == 18


@pytest.mark.parametrize("case", REFUSALS["games"], ids=named)
def test_positions_have_their_legal_actions_and_refusals(case: dict[str, Any]) -> None:
    match = Play(case["match"])
    done = 0
    for position in case["positions"]:
        for move in case["match"]["moves"][done : position["after"]]:
            match.do(move)
        done = position["after"]
        state = match.state
        assert position.get("turn") == (state.turn if state.round_on() else None)
        assert position["catchable"] == catchable(state)
        for seat, legal in enumerate(position["legal"]):
            actions = legal_actions(state, seat) if state.active[seat] else []
            assert legal["actions"] == [action_text(one) for one in actions]
        for refusals in position["refused"]:
            for move in refusals["moves"]:
                with pytest.raises(Refused) as refused:
                    apply(state, *read_move(move))
                assert refused.value.reason is Reason[refusals["reason"].removeprefix("REASON_")], move


def test_the_refusals_have_every_reason_that_the_rules_give() -> None:
    positions = [position for case in REFUSALS["games"] for position in case["positions"]]
    given = {one["reason"].removeprefix("REASON_") for position in positions for one in position["refused"]}
    by_the_table = {"STALE_DECISION", "TURN_EXPIRED", "SESSION_REPLACED"}
    assert given == {reason.name for reason in Reason} - by_the_table


@pytest.mark.parametrize("case", RECORDS["records"], ids=named)
def test_records_are_right_or_wrong_in_their_line(case: dict[str, Any]) -> None:
    found = verify("".join(line + "\n" for line in case["lines"]).encode("ascii"))
    assert found.line == case.get("line"), found.problem
