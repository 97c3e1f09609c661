"""Whole matches recorded over the wire, and what a seat and a spectator were told of other hands (A40, A41).

Judged by what the messages say alone, apart from the code that hides cards.
"""

import asyncio
from random import Random

import pytest

from lastcard.rules.ruleset import PRESETS
from lastcard.v1 import card_pb2, event_pb2, view_pb2
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, bearer, plan, tables_stub

HOUSE = {"jump_in": "identical_incl_w4", "seven_swap": True, "w4_legality": "no_color", "hand_size": 5}

EVENT_CARDS = {
    *("round_started.hands.cards", "start_card_turned.card", "card_played.card", "cards_drawn.cards"),
    *("challenge_resolved.hand", "hands_moved.hands.cards", "seat_left.cards", "round_ended.hands.cards"),
}
VIEW_CARDS = {"hand", "drawn_card", "discard", "known_cards.cards"}


def card_fields(descriptor, path=""):
    """All fields of a message that hold cards."""
    for field in descriptor.fields:
        if field.enum_type is card_pb2.Card.DESCRIPTOR:
            yield path + field.name
        elif field.message_type is not None:
            yield from card_fields(field.message_type, f"{path}{field.name}.")


def test_no_event_and_no_view_holds_cards_that_are_not_looked_at_here():
    assert set(card_fields(event_pb2.Event.DESCRIPTOR)) == EVENT_CARDS
    assert set(card_fields(view_pb2.View.DESCRIPTOR)) == VIEW_CARDS


def check_event(event, seat, shown):
    """No card of another hand, but of a challenge's for both sides of it, and the hands at a round's end."""
    kind = event.WhichOneof("event")
    match kind:
        case "round_started" | "hands_moved":
            assert {hand.seat for hand in getattr(event, kind).hands} <= {seat}
        case "round_ended":
            assert shown or {hand.seat for hand in event.round_ended.hands} <= {seat}
        case "cards_drawn" | "seat_left":
            told = getattr(event, kind)
            assert told.seat == seat or not told.cards
        case "challenge_resolved":
            told = event.challenge_resolved
            assert seat in (told.offender, told.challenger) or not told.hand
        case _:
            pass


class Knowledge:
    """What a seat may know of other hands from a challenge or a swap; checked against every view that it gets."""

    def __init__(self, seat):
        self.seat = seat
        self.may_know = set()

    def hear(self, event):
        match event.WhichOneof("event"):
            case "round_started":
                self.may_know = set()
            case "challenge_resolved" if event.challenge_resolved.challenger == self.seat:
                self.may_know.add(event.challenge_resolved.offender)
            case "hands_moved":
                # What was known of a hand moves along, and the hand given away is known.
                origin = list(event.hands_moved.from_seats)
                known = self.may_know | {self.seat}
                self.may_know = {to for to, come in enumerate(origin) if come in known} - {self.seat}
            case _:
                pass

    def check(self, view):
        assert view.seat == self.seat
        assert {hand.seat for hand in view.known_cards} <= self.may_know


async def play_at_random(stream, table_id, rng):
    """Answers decisions at random, with calls and catches, until the table is over."""
    while True:
        message = await stream.next()
        if message.HasField("table_closed") and message.table_closed.table_id == table_id:
            return
        if message.HasField("decision"):
            decision = message.decision
            catches = list(decision.view.catchable_seats) if rng.random() < 0.5 else []
            choice = rng.randrange(len(decision.legal_actions))
            await stream.act(decision, choice, call_uno=rng.random() < 0.7, catch_seats=catches)


async def recorded(tables, table_id, metadata=None):
    """All that a call gets that watches a table."""
    async with asyncio.timeout(BOUND_S):
        request = tp.WatchTableRequest(table_id=table_id, own_view=metadata is not None)
        return [message async for message in tables.WatchTable(request, metadata=metadata)]


@pytest.mark.parametrize("closed", [False, True], ids=["shown", "closed"])
@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
@pytest.mark.parametrize("preset", PRESETS)
async def test_a40_a41_no_card_of_another_hand_is_ever_told(arena, bot, preset, sealed, closed):
    stream = bot()
    tables = tables_stub(stream.channel)
    secret = (await stream.hello("me")).resume_secret
    options = {**HOUSE, "match_end": "rounds", "match_rounds": 2, "max_turns_per_round": 60}
    seats = ("me", "+random", "+greedy", "+random")
    table_id = arena.open_table(plan(*seats, rules=preset, options=options, sealed=sealed, closed=closed))
    seat = (await stream.expect("seated")).seated.seat
    watching = [asyncio.create_task(recorded(tables, table_id, metadata)) for metadata in (None, bearer(secret))]
    await play_at_random(stream, table_id, Random(f"{preset}{sealed}{closed}"))
    spectated, owned = [await task for task in watching]

    knowledge = Knowledge(seat)
    for message in stream.heard:
        match message.WhichOneof("message"):
            case "table_events":
                for event in message.table_events.events:
                    check_event(event, seat, not closed)
                    knowledge.hear(event)
            case "decision":
                knowledge.check(message.decision.view)
            case "table_closed" if closed:
                check_result(message.table_closed.result)
            case _:
                pass
    for message in spectated:
        for event in message.events.events:
            check_event(event, None, not closed)
        view = message.snapshot.view
        assert (list(view.hand), view.drawn_card, list(view.known_cards)) == ([], 0, [])
        assert not view.HasField("seat")
        assert message.WhichOneof("message") in {"snapshot", "events", "notice", "closed"}
        if closed:
            check_result(message.closed.result)
    for message in owned:
        for event in message.events.events:
            check_event(event, seat, not closed)
    told = {event.sequence: event.SerializeToString() for event in stream.events(table_id)}
    same = [event for message in owned for event in message.events.events]
    assert same
    assert all(told[event.sequence] == event.SerializeToString() for event in same)
    seen = {event.WhichOneof("event") for event in stream.events(table_id)}
    assert {"round_started", "card_played", "cards_drawn", "round_ended", "match_ended"} <= seen


def check_result(result):
    """A closed table's result tells nothing that depends on hands."""
    assert not result.record_hash
    assert not any(fault.evidence for fault in result.faults)


async def test_a41_all_other_calls_tell_a_spectator_public_facts_alone(arena, bot, channel):
    tables = tables_stub(channel)
    stream = bot()
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    await stream.decision()
    answer = await tables.GetTable(tp.GetTableRequest(table_id=table_id))
    assert (list(answer.view.hand), list(answer.view.known_cards), list(answer.decisions)) == ([], [], [])
    listed = (await tables.ListTables(tp.ListTablesRequest())).tables
    assert set(card_fields(listed[0].DESCRIPTOR)) == set()
    assert {message.WhichOneof("message") for message in stream.heard} <= {"welcome", *KINDS}


KINDS = {"seated", "table_events", "decision", "act_result", "notice", "heartbeat", "table_snapshot"}


def test_no_other_message_of_a_stream_holds_cards():
    fields = pb.ServerMessage.DESCRIPTOR.fields
    holding = {field.name for field in fields if set(card_fields(field.message_type))}
    assert holding == {"decision", "table_events", "table_snapshot"}
