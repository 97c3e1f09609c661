import json

import pytest

from bot_messages import asked
from lastcard.v1.action_pb2 import ActionKind
from lastcard.v1.card_pb2 import Card, Color
from lastcard.v1.play_service_pb2 import ServerMessage
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Answer
from lastcard_bot.json_lines import (
    SHOWN,
    Leaving,
    Needless,
    NoMessageError,
    NoObjectError,
    Said,
    line_of,
    said_by,
)


def test_a_decision_is_one_line_with_all_that_is_empty_and_nothing_that_is_absent():
    line = line_of(asked(7, "R5", "draw", seen=View(hand=[Card.CARD_RED_5, Card.CARD_GREEN_2])))
    assert "\n" not in line
    assert line.startswith('{"decision":{')
    decision = json.loads(line)["decision"]
    assert (decision["table_id"], decision["decision_id"], decision["kind"]) == ("t", 7, "DECISION_KIND_TURN")
    assert [action["card"] for action in decision["legal_actions"]] == ["CARD_RED_5", "CARD_UNSPECIFIED"]
    assert decision["view"]["hand"] == ["CARD_RED_5", "CARD_GREEN_2"]
    assert decision["view"]["catchable_seats"] == []
    assert decision["view"]["pending"] == 0
    assert "target" not in decision["legal_actions"][0]
    assert "previous_receipt" not in decision


def test_an_enum_value_of_a_newer_server_is_its_number():
    message = ServerMessage()
    message.decision.kind = 99  # type: ignore[assignment]
    assert json.loads(line_of(message))["decision"]["kind"] == 99


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"choice": 2}', Said(Answer(2))),
        (' {"choice":0} ', Said(Answer(0))),
        ('{"act": {"choice": 2}}', Said(Answer(2))),
        ('{"choice": 1, "call_uno": false}', Said(Answer(1, call_uno=False))),
        ('{"choice": 1, "callUno": true, "catchSeats": [2, 3]}', Said(Answer(1, call_uno=True, catch_seats=[2, 3]))),
        ('{"choice": 1, "catch_seats": []}', Said(Answer(1, catch_seats=[]))),
        ('{"choice": 1, "call_uno": null, "catch_seats": null}', Said(Answer(1))),
        ('{"table_id": "a", "decision_id": 9, "choice": 1}', Said(Answer(1), "a", 9)),
        ('{"tableId": "a", "decisionId": 9, "choice": 1}', Said(Answer(1), "a", 9)),
        ('{"leave": {"table_id": "a"}}', Leaving("a")),
        ('{"heartbeatReply": {"number": 3}}', Needless("heartbeat_reply")),
        ('{"hello": {"botName": "me"}}', Needless("hello")),
    ],
)
def test_what_a_program_may_say(line, said):
    assert said_by(line) == said


def test_an_action_is_given_by_its_names():
    said = said_by('{"action": {"kind": "ACTION_KIND_PLAY", "card": "CARD_WILD", "color": "COLOR_RED"}}')
    action = said.answer.choice
    assert (action.kind, action.card, action.color) == (ActionKind.ACTION_KIND_PLAY, Card.CARD_WILD, Color.COLOR_RED)


@pytest.mark.parametrize("line", ["hello", "3", "[1]", "null", '{"choice": 1', "[" * 100_000])
def test_a_line_that_is_no_object_is_told_apart(line):
    with pytest.raises(NoObjectError, match=r'is no JSON object; a line must be one, for example \{"choice": 0\}') as e:
        said_by(line)
    assert len(str(e.value)) < SHOWN + 100


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{}", "answers nothing; give choice"),
        ('{"call_uno": true}', "answers nothing; give choice"),
        ('{"act": {}}', "answers nothing; give choice"),
        ('{"act": 3}', "is no message of a bot"),
        ('{"choise": 1}', "has 'choise', which no answer has; valid are table_id, decision_id, choice, action"),
        ('{"choice": -1}', "is no message of a bot"),
        ('{"choice": "two"}', "is no message of a bot"),
        ('{"choice": 1, "action": {}}', "is no message of a bot"),
        ('{"action": {"kind": "ACTION_KIND_FLY"}}', "is no message of a bot"),
        ('{"leave": {}}', "must name a table"),
        ('{"leave": {"table_id": "a"}, "choice": 1}', "says several things at once"),
        ('{"leave": {"table": "a"}}', "is no message of a bot"),
    ],
)
def test_an_object_that_no_bot_may_send_is_refused_with_a_sentence(line, what):
    with pytest.raises(NoMessageError) as error:
        said_by(line)
    assert what in str(error.value)
    assert "\n" not in str(error.value)
