"""Bad input: each kind has its answer, and the table and the other bots go on undisturbed."""

from collections import deque
from random import Random

import grpc
import pytest

from lastcard.table.flood import BURST, PATIENCE
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import play_service_pb2 as pb
from service_client import BotStream, Ended, connection, plan
from waiting import until

PLAY = "/lastcard.v1.PlayService/Play"
SMALL = 4_096


@pytest.fixture
async def match(arena, bot):
    """Two bots at a table, `bad` to move; and a check that both can play it to its end."""

    class Match:
        pass

    made = Match()
    made.bad, made.good = bot(), bot()
    made.secret = (await made.bad.hello("bad")).resume_secret
    await made.good.hello("good")
    # One deal for all tests, in which the start card asks nothing of anybody.
    made.table_id = arena.open_table(plan("bad", "good", deal_key=bytes(32), salt=bytes(32)))
    made.table = arena.host.tables[made.table_id]
    await made.bad.expect("seated")
    await made.good.expect("seated")
    await until(lambda: made.table.feed.last >= 2)

    async def move_until_bad_is_asked():
        while made.table.machine.state.turn != 0:
            decision = await made.good.decision()
            await made.good.act(decision)
            await made.good.result(decision.decision_id)
        return await made.bad.expect("decision", where=lambda decision: decision.HasField("bank_left"))

    made.decision = (await move_until_bad_is_asked()).decision
    return made


async def is_undisturbed(match):
    """The decision is still open and the table goes on when it is answered."""
    before = match.table.feed.last
    await match.bad.act(match.decision)
    assert (await match.bad.result(match.decision.decision_id)).accepted
    assert match.table.feed.last > before


async def raw_stream(channel, *frames: bytes):
    call = channel.stream_stream(PLAY)()
    for frame in frames:
        await call.write(frame)
    return await ended(call)


async def ended(call) -> Ended:
    stream = BotStream.__new__(BotStream)
    stream.call, stream.heard = call, []
    stream._waiting = deque()
    call_read = call.read

    async def read():
        frame = await call_read()
        return frame if frame is grpc.aio.EOF else pb.PlayResponse.FromString(frame)

    call.read = read
    return await stream.end()


def hello(**fields) -> bytes:
    message = pb.ClientMessage(hello={"protocol_version": 1, "bot_name": "x", **fields})
    return pb.PlayRequest(messages=[message]).SerializeToString()


@pytest.mark.parametrize(
    ("frame", "code", "reason", "word"),
    [
        (b"", "FAILED_PRECONDITION", "HELLO_REQUIRED", "empty frame"),
        (
            pb.PlayRequest(messages=[pb.ClientMessage(leave={"table_id": "t"})]).SerializeToString(),
            "FAILED_PRECONDITION",
            "HELLO_REQUIRED",
            "with leave",
        ),
        (hello(protocol_version=9), "FAILED_PRECONDITION", "VERSION_UNSUPPORTED", "9 is not spoken here; valid is 1"),
        (hello(bot_name=""), "INVALID_ARGUMENT", "INVALID_ARGUMENT", "bot_name is empty"),
        (hello(bot_name="a/b"), "INVALID_ARGUMENT", "INVALID_ARGUMENT", "'a/b'"),
        (b"\xff\xff\xff\xff", "INVALID_ARGUMENT", "MALFORMED", "4 bytes"),
        (bytes(300 * 1024), "RESOURCE_EXHAUSTED", "FRAME_TOO_LARGE", "262144"),
    ],
    ids=["empty", "no-hello", "version", "no-name", "bad-name", "random-bytes", "too-large"],
)
async def test_a_stream_that_opens_badly_ends_with_a_reason(channel, frame, code, reason, word):
    end = await raw_stream(channel, frame)
    assert (end.code.name, end.reason) == (code, reason)
    assert word in end.sentence


async def test_a_stream_that_says_nothing_ends_with_a_reason(channel):
    call = channel.stream_stream(PLAY)()
    await call.done_writing()
    assert (await ended(call)).reason == "HELLO_REQUIRED"


async def test_a_token_that_is_unknown_ends_the_stream(bot):
    stream = bot("lct_made-up")
    await stream.send({"hello": {"protocol_version": 1}})
    assert (await stream.end()).reason == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("frame", "reason"),
    [(b"\xff\xff\xff\xff", "MALFORMED"), (bytes(300 * 1024), "FRAME_TOO_LARGE"), (hello(), "HELLO_REQUIRED")],
    ids=["random-bytes", "too-large", "second-hello"],
)
async def test_a_bad_frame_later_ends_that_stream_alone(arena, match, channel, frame, reason):
    end = await raw_stream(channel, hello(bot_name="other"), frame)
    assert end.reason == reason
    await until(lambda: not arena.is_connected("other"))
    await is_undisturbed(match)


async def test_random_bytes_never_stop_the_server(match, channel):
    random = Random(7)
    for _ in range(40):
        end = await raw_stream(channel, hello(bot_name="noise"), random.randbytes(random.randrange(1, 60)))
        assert end.reason in ("MALFORMED", "HELLO_REQUIRED", "INVALID_ARGUMENT", "")
        if end.reason:
            assert end.sentence
    await is_undisturbed(match)


async def test_a_choice_out_of_range_is_refused_and_can_be_corrected(match):
    await match.bad.act(match.decision, 99)
    verdict = await match.bad.result()
    assert (verdict.accepted, verdict.protocol_reason, verdict.refusals_left) == (False, 3, 2)
    assert "99" in verdict.message
    assert str(len(match.decision.legal_actions) - 1) in verdict.message
    await is_undisturbed(match)


async def test_a45_a_card_not_in_hand_is_refused_and_changes_nothing(match):
    held = set(match.decision.view.hand)
    card = next(face for face in (17, 18, 19, 33, 34, 35, 50, 51, 66, 67, 68) if face not in held)
    before = match.table.feed.last
    await match.bad.act(match.decision, None, action={"kind": 1, "card": card})
    verdict = await match.bad.result()
    assert (verdict.accepted, verdict.reason) == (False, 2)
    assert verdict.message
    assert match.table.feed.last == before
    await is_undisturbed(match)


async def test_a47_a_card_held_that_does_not_match_is_not_playable(arena, bot):
    stream = bot()
    await stream.hello("me")
    for _ in range(50):
        arena.open_table(plan("me", "+greedy"))
        decision = await stream.decision()
        legal = {action.card for action in decision.legal_actions}
        other = [card for card in decision.view.hand if card not in legal]
        if other and decision.kind == 1:
            await stream.act(decision, None, action={"kind": 1, "card": other[0]})
            verdict = await stream.result(decision.decision_id)
            assert (verdict.accepted, verdict.reason) == (False, 3)
            return
    raise AssertionError("in fifty hands every card could be played")


async def test_an_answer_for_a_table_without_a_seat_is_refused(arena, match):
    other = arena.open_table(plan("+greedy", "nobody"))
    for table_id in (other, "no-such-table"):
        await match.bad.send({"act": {"table_id": table_id, "decision_id": 1, "choice": 0}})
        verdict = await match.bad.result()
        assert (verdict.accepted, verdict.protocol_reason, verdict.table_id) == (False, 4, table_id)
        assert table_id in verdict.message
    await is_undisturbed(match)


async def test_an_answer_out_of_turn_is_refused(match):
    before = match.table.feed.last
    await match.good.send({"act": {"table_id": match.table_id, "decision_id": 0, "action": {"kind": 2}}})
    verdict = await match.good.result()
    assert (verdict.accepted, verdict.reason) == (False, 1)
    assert match.table.feed.last == before
    await is_undisturbed(match)


async def test_the_decision_of_another_seat_cannot_be_answered(match):
    await match.good.send({"act": {"table_id": match.table_id, "decision_id": match.decision.decision_id, "choice": 0}})
    verdict = await match.good.result()
    assert not verdict.accepted
    assert verdict.reason or verdict.protocol_reason == 5
    await is_undisturbed(match)


async def test_a_decision_never_asked_is_unknown(match):
    # Numbers are given to the seats in turn, so one far beyond the seat's own differs from it by whole rounds.
    number = match.decision.decision_id + 2_520
    await match.bad.send({"act": {"table_id": match.table_id, "decision_id": number, "choice": 0}})
    verdict = await match.bad.result()
    assert (verdict.accepted, verdict.protocol_reason) == (False, 5)
    assert str(number) in verdict.message
    await is_undisturbed(match)


async def test_an_act_without_an_answer_is_refused(match):
    await match.bad.act(match.decision, None)
    verdict = await match.bad.result()
    assert (verdict.accepted, verdict.protocol_reason) == (False, 12)
    await is_undisturbed(match)


async def test_an_unknown_message_is_refused_and_the_rest_of_its_frame_counts(match):
    act = {"act": {"table_id": match.table_id, "decision_id": match.decision.decision_id, "choice": 0}}
    await match.bad.send({}, act)
    assert (await match.bad.expect("message_refused")).message_refused.reason == 12
    assert (await match.bad.result()).accepted


async def test_leaving_a_table_without_a_seat_is_refused(match):
    await match.bad.send({"leave": {"table_id": "no-such-table"}})
    refused = (await match.bad.expect("message_refused")).message_refused
    assert (refused.reason, refused.table_id) == (4, "no-such-table")
    await is_undisturbed(match)


async def test_the_end_of_a_running_table_cannot_be_acknowledged(match):
    """Else its decisions would reach nobody, no clock would run for them, and the table would stand still."""
    await match.bad.send({"table_closed_received": {"table_id": match.table_id}})
    refused = (await match.bad.expect("message_refused")).message_refused
    assert (refused.reason, refused.table_id) == (12, match.table_id)
    assert "not over" in refused.message
    await is_undisturbed(match)


async def test_a42_two_plays_back_to_back_are_one_play(match):
    """The second play is for a decision that the first has closed."""
    acts = [
        {"act": {"table_id": match.table_id, "decision_id": match.decision.decision_id, "choice": choice}}
        for choice in (0, len(match.decision.legal_actions) - 1)
    ]
    await match.bad.send(*acts)
    first, second = [await match.bad.result(match.decision.decision_id) for _ in range(2)]
    assert first.accepted
    assert second == first or (not second.accepted and second.reason in (1, 8))


async def test_three_refusals_count_as_a_timeout_and_the_game_goes_on(match):
    for left in (2, 1, 0):
        await match.bad.act(match.decision, 99)
        assert (await match.bad.result()).refusals_left == left
    await match.bad.expect("table_events", where=lambda events: any(one.HasField("timed_out") for one in events.events))
    assert match.table.faults[0].kind.name == "REFUSALS"
    decision = await match.good.expect("decision", where=lambda decision: decision.HasField("bank_left"))
    await match.good.act(decision.decision)
    assert (await match.good.result(decision.decision.decision_id)).accepted


async def test_a35_an_answer_after_the_end_is_told_that_the_match_is_over(arena, bot):
    stream = bot()
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    decision = await stream.decision()
    arena.remove_seat(table_id, 1)
    await stream.expect("table_closed")
    await stream.act(decision)
    verdict = await stream.result(decision.decision_id)
    assert (verdict.accepted, verdict.reason) == (False, 11)
    assert stream.events()[-1].HasField("match_ended")


async def test_a33_a_bot_that_never_answers_costs_only_itself(arena, bot):
    silent, lively = bot(), bot()
    await silent.hello("silent")
    await lively.hello("lively")
    short = TimeControl(limit_ms=30, bank_ms=0)
    stuck = arena.open_table(plan("silent", "+greedy", "+random", clock=short, options={"max_timeouts": 2}))
    other = arena.open_table(plan("lively", "+greedy"))
    await lively.play()
    assert (await arena.result(other)).faults == ()
    result = await arena.result(stuck)
    assert {fault.seat for fault in result.faults} <= {0}
    assert all(fault.kind.name == "TIMEOUT" for fault in result.faults)


async def test_an_answer_to_a_decision_closed_by_its_deadline_is_expired(arena, bot):
    stream = bot()
    await stream.hello("me")
    short = TimeControl(limit_ms=30, bank_ms=0)
    arena.open_table(plan("me", "+greedy", "+random", clock=short, options={"max_timeouts": 0}))
    decision = await stream.decision()
    closed = (
        await stream.expect("decision_closed", where=lambda closed: closed.decision_id == decision.decision_id)
    ).decision_closed
    assert closed.reason == 9
    assert closed.receipt.timed_out
    await stream.act(decision)
    verdict = await stream.result(decision.decision_id)
    assert not verdict.accepted
    assert verdict.reason in (9, 11)


async def test_a_flood_is_refused_then_cut_and_others_go_on(match, bot):
    noisy = bot()
    await noisy.hello("noisy")
    await noisy.send(*[{"leave": {"table_id": "t"}}] * (BURST + 1))
    refused = (await noisy.expect("message_refused", where=lambda refused: refused.reason == 8)).message_refused
    assert refused.HasField("retry_after")
    # In one frame: a client that is still writing when its stream ends may not see the status.
    await noisy.send(*[{"leave": {"table_id": "t"}}] * (BURST + PATIENCE))
    end = await noisy.end()
    assert (end.code.name, end.reason) == ("RESOURCE_EXHAUSTED", "TOO_FAST")
    await is_undisturbed(match)


async def test_a44_a_reader_that_reads_nothing_is_cut_and_resumes_without_a_gap(start_arena):
    arena = await start_arena(outbox_bytes=65_536)
    async with connection(arena.address, small=True) as slow_channel, connection(arena.address) as channel:
        slow, other = BotStream(slow_channel), BotStream(channel)
        secret = (await slow.hello("slow")).resume_secret
        await other.hello("other")
        # The slow bot is removed after its first timeout; two builtins play on as fast as they can, and it is told.
        options = {"max_timeouts": 1, "match_end": "rounds", "match_rounds": 1_000}
        table_id = arena.open_table(
            plan("slow", "+greedy", "+random", clock=TimeControl(limit_ms=1, bank_ms=0), options=options)
        )
        assert (await other.play_at(arena.open_table(plan("other", "+greedy")))).result.places
        await until(lambda: not arena.is_connected("slow"), 100)
        end = await slow.end()
        assert (end.code.name, end.reason) == ("RESOURCE_EXHAUSTED", "READER_TOO_SLOW")
        sequences = [event.sequence for event in slow.events(table_id)]
        assert sequences == list(range(1, len(sequences) + 1))
        arena.cancel_table(table_id)
        last = (await arena.result(table_id)).last_sequence
        again = BotStream(channel, secret)
        await again.hello(cursors=[{"table_id": table_id, "last_sequence": len(sequences)}])
        await again.expect("table_closed")
        missed = [event.sequence for event in again.events(table_id)]
        snapshots = [message.table_snapshot.sequence for message in again.heard if message.HasField("table_snapshot")]
        assert missed == list(range(len(sequences) + 1, last + 1)) or snapshots == [last]
        for stream in (slow, again, other):
            stream.cancel()
