"""A program behind the bridge: what it is told, what it may say, and that nothing it does costs more than itself."""

import json

import grpc
import pytest

from bot_messages import REACTION, accepted, asked, decision_closed, events, refused, seated, snapshot, table_closed
from lastcard_bot.answers import fallback
from lastcard_bot.bridge import ATTEMPTS, KEPT_CLOSED, SHOWN_STRAYS, Bridge
from waiting import until


class Lines:
    """The program's end of a bridge: the lines that it was sent, by the name of their message."""

    def __init__(self) -> None:
        self.lines: list[dict] = []

    def write(self, line: str) -> None:
        self.lines.append(json.loads(line))

    def kinds(self) -> list[str]:
        return [next(iter(line)) for line in self.lines]

    async def come(self, *kinds: str) -> None:
        """Returns when exactly these have come."""
        await until(lambda: len(self.lines) >= len(kinds))
        assert self.kinds() == list(kinds)


@pytest.fixture
def program():
    return Lines()


@pytest.fixture
async def bridged(scripted, dial, program):
    """Opens a bridge on a stream; with what it takes."""

    async def open_bridge(**settings):
        bridge = Bridge(program.write, **settings)
        dial(bridge, scripted.address)
        stream = await scripted.stream()
        return bridge, stream, await stream.open()

    return open_bridge


async def test_a_program_is_asked_and_answers_by_a_line(bridged, program):
    bridge, stream, hello = await bridged()
    assert (hello.max_open_decisions, hello.decisions_only) == (1, True)
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    bridge.hear('{"choice": 1}')
    assert await stream.acts(1) == [("t", 7, 1)]
    stream.send(accepted(7), table_closed())
    await program.come("seated", "decision", "table_closed")
    await stream.expect("table_closed_received")


async def test_what_an_answer_leaves_out_is_done_for_the_program(bridged, program):
    bridge, stream, _ = await bridged()
    message = asked(7)
    message.decision.view.hand[:] = [17, 18]
    message.decision.view.catchable_seats[:] = [1]
    stream.send(seated(), message)
    await program.come("seated", "decision")
    bridge.hear('{"choice": 0}')
    act = (await stream.expect("act")).act
    assert (act.call_uno, list(act.catch_seats)) == (True, [1])
    message.decision.decision_id = 8
    stream.send(accepted(7), message)
    await until(lambda: len(program.lines) == 3)
    bridge.hear('{"choice": 0, "call_uno": false, "catch_seats": []}')
    act = (await stream.expect("act")).act
    assert (act.call_uno, list(act.catch_seats)) == (False, [])


async def test_a_refused_answer_is_told_and_the_decision_put_again(bridged, program):
    bridge, stream, _ = await bridged()
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    bridge.hear('{"choice": 1}')
    await stream.acts(1)
    stream.send(refused(7))
    await program.come("seated", "decision", "act_result", "decision")
    told = program.lines[2]["act_result"]
    assert (told["decision_id"], told["accepted"], told["reason"]) == (7, False, "REASON_CARD_NOT_PLAYABLE")
    assert (told["message"], told["refusals_left"]) == ("no, because", 2)
    bridge.hear('{"choice": 2}')
    assert await stream.acts(1) == [("t", 7, 2)]


async def test_the_same_answer_after_a_refusal_is_replaced_by_another_legal_action(bridged, program):
    bridge, stream, _ = await bridged()
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    bridge.hear('{"choice": 0}')
    await stream.acts(1)
    stream.send(refused(7))
    await until(lambda: len(program.lines) == 4)
    bridge.hear('{"choice": 0}')
    assert await stream.acts(1) == [("t", 7, 1)]


async def test_an_index_that_does_not_exist_is_told_before_it_is_sent(bridged, program):
    bridge, stream, _ = await bridged()
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    bridge.hear('{"choice": 99}')
    await program.come("seated", "decision", "act_result", "decision")
    assert "99 is no index" in program.lines[2]["act_result"]["message"]
    bridge.hear('{"choice": 2}')
    assert await stream.acts(1) == [("t", 7, 2)]


async def test_a_program_that_answers_rubbish_still_plays(bridged, program):
    bridge, stream, _ = await bridged()
    message = asked(7, kind=REACTION)
    stream.send(seated(), message)
    for told in range(ATTEMPTS):
        await until(lambda told=told: program.kinds().count("decision") == told + 1)
        bridge.hear('{"choise": 0}')
    assert await stream.acts(1) == [("t", 7, fallback(message.decision))]
    refusals = [line["act_result"] for line in program.lines if "act_result" in line]
    assert ["'choise'" in refusal["message"] for refusal in refusals] == [True] * (ATTEMPTS - 1)


async def test_lines_that_are_no_objects_are_passed_over(bridged, program, caplog):
    bridge, stream, _ = await bridged()
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    for line in ["thinking…", "", "42", '{"choice": 2}']:
        bridge.hear(line)
    assert await stream.acts(1) == [("t", 7, 2)]
    assert "'thinking…' is no JSON object" in caplog.text


async def test_a_late_answer_is_not_taken_for_one_to_the_next_decision(bridged, program):
    bridge, stream, _ = await bridged()
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    stream.send(decision_closed(7), asked(8))
    await until(lambda: len(program.lines) == 4)
    assert {"decision", "decision_closed"} == set(program.kinds()[2:])
    closed = next(line["decision_closed"] for line in program.lines if "decision_closed" in line)
    assert (closed["decision_id"], closed["reason"]) == (7, "REASON_TURN_EXPIRED")
    bridge.hear('{"choice": 2}')
    bridge.hear('{"choice": 1}')
    assert await stream.acts(1) == [("t", 8, 1)]


async def test_answers_with_ids_may_come_in_any_order(bridged, program):
    bridge, stream, hello = await bridged(most_open=0)
    assert hello.max_open_decisions == 0
    stream.send(seated("a"), seated("b"), asked(1, table="a"), asked(1, table="b"), asked(2, table="a", kind=REACTION))
    await until(lambda: len(program.lines) == 5)
    bridge.hear('{"table_id": "b", "decision_id": 1, "choice": 2}')
    bridge.hear('{"table_id": "a", "decision_id": 2, "choice": 0}')
    bridge.hear('{"choice": 1}')
    assert await stream.acts(3) == [("b", 1, 2), ("a", 2, 0), ("a", 1, 1)]


async def test_a_repeated_decision_gets_the_same_answer_without_another_line(bridged, program, scripted):
    bridge, stream, _ = await bridged()
    stream.send(seated(), asked(7))
    await program.come("seated", "decision")
    bridge.hear('{"choice": 1}')
    await stream.acts(1)
    stream.end_for(grpc.StatusCode.UNAVAILABLE, "DRAINING")
    again = await scripted.stream()
    await again.open()
    again.send(seated(), asked(7))
    assert await again.acts(1) == [("t", 7, 1)]
    assert program.kinds() == ["seated", "decision"]


async def test_a_table_is_left_by_a_line(bridged, program):
    bridge, stream, _ = await bridged()
    stream.send(seated())
    await program.come("seated")
    bridge.hear('{"leave": {"table_id": "t"}}')
    assert (await stream.expect("leave")).leave.table_id == "t"


async def test_events_come_only_to_a_program_that_wants_them(bridged, program):
    _, stream, hello = await bridged(events=True)
    assert not hello.decisions_only
    stream.send(seated(), snapshot(3), events(4, 5), asked(7))
    await program.come("seated", "table_snapshot", "table_events", "table_events", "decision")
    assert [line["table_events"]["events"][0]["sequence"] for line in program.lines[2:4]] == [4, 5]


async def test_the_log_does_not_grow_with_nonsense(bridged, program, caplog):
    bridge, stream, _ = await bridged()
    for number in range(3 * SHOWN_STRAYS):
        bridge.hear(f"line {number}")
    assert caplog.text.count("no JSON object") == SHOWN_STRAYS
    assert "further ones are not told" in caplog.text
    stream.send(seated())
    await program.come("seated")


async def test_what_a_silent_program_owes_is_bounded(bridged, program):
    bridge, stream, _ = await bridged(most_open=0)
    stream.send(seated())
    most = KEPT_CLOSED + 10
    stream.send(*(asked(number, table=str(number)) for number in range(1, most)))
    await until(lambda: program.kinds().count("decision") == most - 1)
    stream.send(*(decision_closed(number, table=str(number)) for number in range(1, most)), asked(9_999))
    await until(lambda: any(line.get("decision", {}).get("decision_id") == 9_999 for line in program.lines))
    assert len(bridge._asked) == KEPT_CLOSED + 1  # and the one that is open
    bridge.hear('{"decision_id": 9999, "choice": 1}')
    assert await stream.acts(1) == [("t", 9_999, 1)]
