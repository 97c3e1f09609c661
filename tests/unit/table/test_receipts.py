"""The file of receipts: what is written reads back, and what is no such file is refused."""

import json

import pytest

from lastcard.rules.actions import DRAW, KEEP, PASS, Action, Kind, catch, jump_in, play
from lastcard.rules.cards import FACES, GREEN
from lastcard.rules.reasons import Reason
from lastcard.table.commands import Answer
from lastcard.table.effects import Ask, Blame, DecisionKind, FaultKind, Receipt, RefusedCatch, Verdict, Withdraw
from lastcard.table.receipts import ReceiptsWriter
from lastcard.table.receipts_reader import ReceiptsError, read_receipts

R5, R7, WILD = FACES["R5"], FACES["R7"], FACES["W"]
RECEIPT = Receipt(7, 1_000, 1_012, 3, 9, 59_991, timed_out=False)


def new_writer() -> ReceiptsWriter:
    return ReceiptsWriter(
        ["ann", "böb"], limit_ms=2_000, bank_ms=60_000, reaction_ms=500, start_up_ms=30_000, grace_ms=40_000
    )


def written(writer: ReceiptsWriter) -> list[dict[str, object]]:
    data = writer.to_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def test_the_header_names_bots_and_clock() -> None:
    assert written(new_writer()) == [
        {
            "header": {
                "format": 1,
                "bots": ["ann", "böb"],
                "limit_ms": 2_000,
                "bank_ms": 60_000,
                "reaction_ms": 500,
                "start_up_ms": 30_000,
                "grace_ms": 40_000,
                "network_credit_ms": 0,
                "network_credit_total_ms": 0,
            }
        }
    ]


def test_a_question_has_its_legal_actions_in_notation() -> None:
    writer = new_writer()
    legal = (play(R5), play(WILD, GREEN), play(R7, target=1), DRAW)
    writer.asked(3, Ask(0, 7, DecisionKind.TURN, legal, 2_000, 60_000, None))
    writer.asked(4, Ask(1, 8, DecisionKind.REACTION, (jump_in(R5), catch(0), PASS), 500, None, RECEIPT))
    assert written(writer)[1:] == [
        {
            "asked": {
                "seat": 0,
                "decision": 7,
                "kind": "TURN",
                "sequence": 3,
                "legal": ["R5", "W/G", "R7>1", "draw"],
                "limit_ms": 2_000,
                "bank_ms": 60_000,
            }
        },
        {
            "asked": {
                "seat": 1,
                "decision": 8,
                "kind": "REACTION",
                "sequence": 4,
                "legal": ["jump R5", "catch 0", "pass"],
                "limit_ms": 500,
            }
        },
    ]


def test_an_answer_is_by_choice_or_by_action() -> None:
    writer = new_writer()
    writer.answered(Answer(0, 7, 2, None, call_uno=True, catch_seats=(1, 3), received_ms=1_012))
    writer.answered(Answer(0, 7, None, KEEP, call_uno=False, catch_seats=(), received_ms=1_013))
    by_choice, by_action = (line["answered"] for line in written(writer)[1:])
    assert by_choice == {
        "seat": 0,
        "decision": 7,
        "choice": 2,
        "call_uno": True,
        "catch_seats": [1, 3],
        "received_ms": 1_012,
    }
    assert (by_action["action"], by_action.get("choice")) == ("keep", None)


def test_an_action_without_a_notation_is_written_as_numbers() -> None:
    writer = new_writer()
    for action in (Action(Kind.PLAY, 999, 77, 5), Action(Kind.CHOOSE_COLOR, 0, 9), Action(44)):
        writer.answered(Answer(0, 7, None, action, call_uno=False, catch_seats=(), received_ms=1))
    texts = [line["answered"]["action"] for line in written(writer)[1:]]
    assert texts == [
        "kind 1 card 999 color 77 target 5",
        "kind 6 card 0 color 9 target -1",
        "kind 44 card 0 color 0 target -1",
    ]


def test_an_accepted_answer_has_its_receipt() -> None:
    writer = new_writer()
    writer.judged(Verdict(0, 7, True, None, False, False, "", RECEIPT, (), 0))
    assert written(writer)[1] == {
        "judged": {
            "seat": 0,
            "decision": 7,
            "accepted": True,
            "refused_catches": [],
            "refusals_left": 0,
            "receipt": {
                "sent_ms": 1_000,
                "received_ms": 1_012,
                "network_credit_ms": 3,
                "charged_ms": 9,
                "bank_left_ms": 59_991,
                "timed_out": False,
            },
        }
    }


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (Verdict(0, 7, False, Reason.CARD_NOT_IN_HAND, False, False, "no “R5”", None, (), 2), "CARD_NOT_IN_HAND"),
        (Verdict(0, 7, False, None, True, False, "no “R5”", None, (), 2), "CHOICE_OUT_OF_RANGE"),
        (Verdict(0, 7, False, None, False, True, "no “R5”", None, (), 2), "UNKNOWN_DECISION"),
    ],
)
def test_a_refusal_has_its_reason_and_sentence(verdict: Verdict, reason: str) -> None:
    writer = new_writer()
    writer.judged(verdict)
    judged = written(writer)[1]["judged"]
    assert (judged["accepted"], judged["reason"], judged["sentence"]) == (False, reason, "no “R5”")
    assert "receipt" not in judged


def test_refused_catches_are_told() -> None:
    writer = new_writer()
    refused = RefusedCatch(2, Reason.NOT_LIABLE, "seat 2 cannot be caught now")
    writer.judged(Verdict(0, 7, True, None, False, False, "", RECEIPT, (refused,), 0))
    assert written(writer)[1]["judged"]["refused_catches"] == [
        {"seat": 2, "reason": "NOT_LIABLE", "sentence": "seat 2 cannot be caught now"}
    ]


def test_a_timeout_has_no_time_of_arrival_and_a_reaction_no_bank() -> None:
    writer = new_writer()
    writer.withdrawn(Withdraw(0, 7, Reason.TURN_EXPIRED, Receipt(7, 1_000, None, 0, 2_000, None, timed_out=True)))
    writer.withdrawn(Withdraw(1, 8, Reason.STALE_DECISION, None))
    assert [line["withdrawn"] for line in written(writer)[1:]] == [
        {
            "seat": 0,
            "decision": 7,
            "reason": "TURN_EXPIRED",
            "receipt": {"sent_ms": 1_000, "network_credit_ms": 0, "charged_ms": 2_000, "timed_out": True},
        },
        {"seat": 1, "decision": 8, "reason": "STALE_DECISION"},
    ]


def test_a_fault_has_its_evidence() -> None:
    writer = new_writer()
    writer.blamed(Blame(1, FaultKind.CRASH, 12, 'exit status 1: "boom"\n'))
    assert written(writer)[1] == {
        "blamed": {"seat": 1, "kind": "CRASH", "sequence": 12, "evidence": 'exit status 1: "boom"\n'}
    }


def test_what_was_written_reads_back_in_its_order() -> None:
    writer = new_writer()
    writer.asked(3, Ask(0, 7, DecisionKind.TURN, (DRAW,), 2_000, 60_000, None))
    writer.answered(Answer(0, 7, 0, None, call_uno=False, catch_seats=(), received_ms=1_012))
    writer.judged(Verdict(0, 7, True, None, False, False, "", RECEIPT, (), 0))
    writer.blamed(Blame(1, FaultKind.LEFT, 3, "it left"))
    writer.withdrawn(Withdraw(1, 8, Reason.STALE_DECISION, None))
    receipts = read_receipts(writer.to_bytes())
    assert receipts.header["bots"] == ["ann", "böb"]
    assert [item.kind for item in receipts.items] == ["asked", "answered", "judged", "blamed", "withdrawn"]
    assert receipts.items[2].fields["receipt"]["charged_ms"] == 9


def test_lines_of_a_newer_version_are_passed_over() -> None:
    data = new_writer().to_bytes() + b'{"weather":{"rain":true}}\n'
    assert read_receipts(data).items == ()


HEADER = new_writer().to_bytes()
JUDGED = b'{"judged":{"seat":0,"decision":1,"accepted":true,"refused_catches":%s,"refusals_left":0}}\n'


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "does not begin with a header"),
        (HEADER + b"x\n", "line 2 is not JSON"),
        (HEADER + b"\xff\n", "line 2 is not JSON"),
        (HEADER + b"[]\n", "line 2 is not an object with one field"),
        (HEADER + b'{"asked":{"seat":0}}\n', "line 2: asked lacks the field 'decision'"),
        (HEADER + b"[" * 100_000 + b"\n", "line 2 is not JSON"),
        (HEADER + b'{"asked":3}\n', "line 2: asked is no object"),
        (HEADER + b'{"withdrawn":{"seat":0,"decision":true,"reason":""}}\n', "decision is not of the type integer"),
        (HEADER + b'{"withdrawn":{"seat":0,"decision":1e3,"reason":""}}\n', "decision is not of the type integer"),
        (HEADER + b'{"withdrawn":{"seat":0,"decision":-9223372036854775808,"reason":""}}\n', "is too large a number"),
        (HEADER + b'{"withdrawn":{"seat":0,"decision":1,"reason":"","receipt":3}}\n', "withdrawn.receipt is no object"),
        (HEADER + JUDGED % b'[{"seat":0,"reason":"NOT_LIABLE"},null]', r"judged.refused_catches\[1\] is no object"),
        (HEADER + JUDGED % b'[{"seat":0}]', r"judged.refused_catches\[0\] lacks the field 'reason'"),
        (HEADER + JUDGED % b"{}", "judged.refused_catches is no list"),
        (
            HEADER + b'{"answered":{"seat":0,"decision":1,"call_uno":false,"catch_seats":["x"],"received_ms":1}}\n',
            r"answered.catch_seats\[0\] is not of the type integer",
        ),
        (
            HEADER + b'{"answered":{"seat":0,"decision":1,"call_uno":0,"catch_seats":[],"received_ms":1}}\n',
            "answered.call_uno is not of the type boolean",
        ),
        (
            HEADER + b'{"asked":{"seat":0,"decision":1,"kind":"TURN","sequence":1,"legal":[7],"limit_ms":1}}\n',
            r"asked.legal\[0\] is not of the type string",
        ),
        (HEADER.replace(b'"ann"', b"5"), r"header.bots\[0\] is not of the type string"),
        (
            HEADER + b'{"withdrawn":{"seat":0,"decision":1,"reason":"","receipt":{}}}\n',
            "receipt lacks the field 'sent_ms'",
        ),
        (HEADER.replace(b'"format":1', b'"format":2'), "format 2; this version reads format 1"),
        (b'{"blamed":{"seat":1,"kind":"LEFT","sequence":1,"evidence":""}}\n', "does not begin with a header"),
    ],
)
def test_what_is_no_file_of_receipts_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ReceiptsError, match=problem):
        read_receipts(data)
