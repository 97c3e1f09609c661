"""`lastcard table` apart from a server: what is written on the command line, what failures mean, what is shown."""

import argparse
import json

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from lastcard.cli.errors import CommandError
from lastcard.cli.main import main
from lastcard.cli.show_game import Narrator, shown_events
from lastcard.cli.status_details import DETAILS_KEY, Details, details_of
from lastcard.cli.table_create import request_of
from lastcard.cli.table_follow import Follower, TableEnded, TableLost, missing
from lastcard.cli.table_game import event_of, position_of, question_of
from lastcard.cli.table_options import count, seat, span
from lastcard.cli.table_server import ServerError, failure
from lastcard.cli.table_text import json_text, result_lines, rows_text, seats_text, snapshot_lines, table_lines
from lastcard.rules.cards import FACES
from lastcard.rules.view import redact
from lastcard.services.errors import status_of
from lastcard.services.wire.events import event_item
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import event_pb2, play_service_pb2, table_pb2, table_service_pb2, view_pb2
from record_games import play_game

Code = grpc.StatusCode
Message = table_service_pb2.WatchTableResponse


# ------------------------------------------------------------------ what is written on the command line


@pytest.mark.parametrize(
    ("word", "fields"),
    [("bot:mine", {"bot_name": "mine"}), ("builtin:greedy", {"builtin": "greedy"}), ("open", {"open": True})],
)
def test_a_seat_is_a_bot_a_builtin_or_open(word, fields):
    assert seat(word) == table_service_pb2.SeatRequest(**fields)


@pytest.mark.parametrize("word", ["", "greedy", "bot:", "builtin:", ":mine", "open:2", "player:ann", "OPEN"])
def test_any_other_word_for_a_seat_is_refused_with_the_valid_ones(word):
    with pytest.raises(argparse.ArgumentTypeError, match="bot:NAME, builtin:NAME or open"):
        seat(word)


def test_a_bare_name_for_a_seat_is_answered_by_what_was_meant():
    with pytest.raises(argparse.ArgumentTypeError, match="did you mean bot:greedy or builtin:greedy"):
        seat("greedy")


@pytest.mark.parametrize(("text", "span_ms"), [("500ms", 500), ("2s", 2_000), ("1h", 3_600_000)])
def test_spans_are_those_of_tournament_files(text, span_ms):
    assert span("1ms", "1h")(text) == span_ms


@pytest.mark.parametrize("text", ["0s", "2", "61m", "soon"])
def test_a_span_out_of_range_is_refused_with_what_is_valid(text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is not a span .* from 1ms to 1h"):
        span("1ms", "1h")(text)


@pytest.mark.parametrize("text", ["0", "11", "-1", "1.0", "", "x", "²", "9" * 30])
def test_a_count_out_of_range_is_refused_with_what_is_valid(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number from 1 to 10"):
        count(1, 10)(text)


def arguments(*argv: str) -> argparse.Namespace:
    """What `lastcard table create` makes of its arguments."""
    from lastcard.cli import table_create

    parser = argparse.ArgumentParser()
    table_create.add_parser(parser.add_subparsers())
    return parser.parse_args(["create", *argv])


def test_a_request_has_what_was_given_and_leaves_the_rest_to_the_server():
    assert request_of(arguments("open", "open")) == table_service_pb2.CreateTableRequest(
        seats=[{"open": True}, {"open": True}], ruleset={}
    )
    times = ("--limit", "1.5s", "--bank", "0s", "--reaction", "50ms", "--start-up", "1m", "--grace", "0s")
    times += ("--network-credit", "80ms", "--network-credit-total", "3s")
    words = ("--rules", "german", "--option", "jump_in=identical", "--option", "deck_counts=a=1", "--round-pause", "3s")
    made = request_of(arguments("open", "open", *times, *words, "--reactions", "sealed", "--draws", "per_seat"))
    assert made == table_service_pb2.CreateTableRequest(
        seats=[{"open": True}, {"open": True}],
        ruleset={
            "preset": "german",
            "options": [{"name": "jump_in", "value": "identical"}, {"name": "deck_counts", "value": "a=1"}],
        },
        clock={
            "limit": {"seconds": 1, "nanos": 500_000_000},
            "bank": {},
            "reaction": {"nanos": 50_000_000},
            "start_up": {"seconds": 60},
            "grace": {},
            "network_credit": {"nanos": 80_000_000},
            "network_credit_total": {"seconds": 3},
        },
        reactions=table_pb2.REACTION_MODE_SEALED,
        draws=table_pb2.DRAW_ORDER_PER_SEAT,
        round_pause={"seconds": 3},
    )


def test_an_option_that_is_none_is_refused():
    with pytest.raises(CommandError, match="'jump_in' is no option; options are written NAME=VALUE"):
        request_of(arguments("open", "open", "--option", "jump_in"))


@pytest.mark.parametrize("action", ["", "create", "list", "watch", "record"])
def test_help_has_an_example(action, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["table", *action.split(), "--help"])
    assert stop.value.code == 0
    assert f"\n  lastcard table {action}" in capsys.readouterr().out.partition("examples:")[2]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["table"], "ACTION"),
        (["table", "join"], "'create', 'list', 'watch', 'record'"),
        (["table", "create", "greedy", "open"], "did you mean bot:greedy or builtin:greedy"),
        (["table", "create", "open", "open", "--limit", "2"], "'2' is not a span of time such as 500ms"),
        (["table", "list", "--state", "done"], "'waiting', 'running', 'closed'"),
        (["table", "watch", "t", "--delay", "2h"], "from 0s to 1h"),
    ],
)
def test_bad_words_are_one_line_and_status_2(argv, said, capsys):
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["table", "list"], "no server is named; give --server HOST:PORT or set LASTCARD_SERVER"),
        (["table", "list", "--server", "here"], "server 'here' is no address"),
        (["table", "list", "--server", "127.0.0.1:1", "--token", "a b"], "the token has ' ' at place 1"),
        (["table", "watch", "t", "--own", "--delay", "1s"], "leave out --own"),
        (["table", "record", "../t", "--server", "127.0.0.1:1"], "'../t' is no id of a table"),
        (["table", "record", "t", "--out", "/", "--server", "127.0.0.1:1"], "--out / is a directory"),
    ],
)
def test_what_is_wrong_before_a_server_is_asked_is_one_line_and_status_2(argv, said, capsys, monkeypatch):
    monkeypatch.delenv("LASTCARD_SERVER", raising=False)
    monkeypatch.delenv("LASTCARD_TOKEN", raising=False)
    assert main(argv) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


# ------------------------------------------------------------------ what failures mean


def trailing(error: DomainError) -> list:
    return [("content-type", "application/grpc"), (DETAILS_KEY, status_of(error).SerializeToString())]


def test_reason_facts_field_and_wait_are_read_from_the_details():
    error = DomainError(TransportReason.LIMIT_REACHED, "full", field="clock.limit", retry_after_ms=1_500, tables=7)
    assert details_of(trailing(error)) == Details("LIMIT_REACHED", {"tables": "7"}, "clock.limit", 1.5)


@pytest.mark.parametrize("metadata", [None, [], [("a", "b")], [(DETAILS_KEY, b"\xff")]])
def test_a_status_without_details_that_can_be_read_has_none(metadata):
    assert details_of(metadata) == Details()


def test_reasons_of_other_domains_are_not_ours():
    status = status_pb2.Status(details=[any_pb2.Any()])
    status.details[0].Pack(error_details_pb2.ErrorInfo(domain="proxy", reason="NOT_FOUND"))
    assert details_of([(DETAILS_KEY, status.SerializeToString())]) == Details()


def meant(error: DomainError, *, with_token: bool = False) -> ServerError:
    return failure("h:1", Code.UNKNOWN, error.sentence, details_of(trailing(error)), with_token=with_token)


def test_an_unknown_table_is_answered_by_the_command_that_lists_them():
    found = meant(DomainError(TransportReason.NOT_FOUND, "ListTables lists", table="t"))
    assert str(found) == "there is no table 't' on h:1; `lastcard table list` shows those that there are"
    assert (found.reason, found.lost) == ("NOT_FOUND", False)


@pytest.mark.parametrize(("with_token", "said"), [(True, "does not know the token"), (False, "wants a token")])
def test_a_missing_or_wrong_token_names_the_option(with_token, said):
    found = meant(DomainError(TransportReason.UNAUTHENTICATED, "send metadata"), with_token=with_token)
    assert said in str(found)
    assert "--token" in str(found)


def test_a_field_at_fault_is_named_as_the_option():
    sentence = "clock.start_up is 0 ms; it must be 1 ms to a day"
    found = meant(DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="clock.start_up"))
    assert str(found) == f"--start-up: {sentence}"
    found = meant(
        DomainError(TransportReason.INVALID_ARGUMENT, "seats[1].bot_name is 'a/b'", field="seats[1].bot_name")
    )
    assert str(found) == "the name at seat 1 is 'a/b'"


def test_a_server_that_is_full_says_when_to_come_back():
    found = meant(DomainError(TransportReason.LIMIT_REACHED, "20 tables are open", retry_after_ms=1_000))
    assert str(found) == "20 tables are open; try again in 1 s"


@pytest.mark.parametrize("reason", [TransportReason.DRAINING, TransportReason.READER_TOO_SLOW])
def test_a_server_that_drains_or_drops_a_slow_reader_may_go_on_later(reason):
    assert meant(DomainError(reason, "later")).lost


@pytest.mark.parametrize(
    ("code", "text", "said", "lost"),
    [
        (Code.UNAVAILABLE, "failed: Connection refused", "no server answers at h:1 (Connection refused)", True),
        (Code.DEADLINE_EXCEEDED, "Deadline Exceeded", "did not answer within", False),
        (Code.UNIMPLEMENTED, "Method not found!", "is no arena", False),
        (Code.INTERNAL, "report it with incident 5", "h:1: report it with incident 5", False),
        (Code.UNKNOWN, "Stream removed", "the call to h:1 failed (UNKNOWN: Stream removed)", True),
    ],
)
def test_a_failure_without_a_reason_says_what_to_do(code, text, said, lost):
    found = failure("h:1", code, text, Details(), with_token=False)
    assert said in str(found)
    assert found.lost is lost


# ------------------------------------------------------------------ following a table


class Server:
    """A server whose streams are told beforehand: each a list of messages and, at its end, a failure or none."""

    address = "h:1"

    def __init__(self, *streams: list, record: Exception | None = None) -> None:
        self.streams = list(streams)
        self.asked: list[int] = []
        self.no_record = record

    def watch(self, request):
        self.asked.append(request.last_sequence)
        for message in self.streams.pop(0):
            if isinstance(message, Exception):
                raise message
            yield message

    def record(self, table_id):
        if self.no_record is not None:
            raise self.no_record


CUT = ServerError("gone", Details(), lost=True, why="cut")
NOT_FOUND = ServerError("there is none", Details("NOT_FOUND"))
CLOSED = Message(closed={"result": {"cause": "CLOSE_CAUSE_FINISHED"}})


def happened(*numbers: int) -> Message:
    return Message(events={"events": [{"sequence": number} for number in numbers]})


@pytest.fixture
def followed(monkeypatch):
    """Follows a table on a server without waiting between attempts; returns messages and what was told."""
    monkeypatch.setattr("lastcard.cli.table_follow.time.sleep", lambda _: None)

    def follow(server):
        told = []
        return list(Follower(server, "t", tell=told.append).messages()), told

    return follow


def test_a_lost_stream_is_taken_up_after_the_last_event(followed):
    snapshot = Message(snapshot={"sequence": 4})
    server = Server([snapshot, happened(5, 6), CUT], [CUT], [happened(7), CLOSED])
    messages, told = followed(server)
    assert messages == [snapshot, happened(5, 6), happened(7), CLOSED]
    assert server.asked == [0, 6, 6]
    assert told == [
        "connection to h:1 lost after event 6 (cut); trying again",
        "connected again, going on after event 6",
    ]


def test_a_stream_that_ends_without_the_tables_end_is_taken_up_again(followed):
    server = Server([happened(1)], [CLOSED])
    assert followed(server)[0] == [happened(1), CLOSED]
    assert server.asked == [0, 1]


def test_a_server_that_has_forgotten_events_is_asked_for_its_state(followed):
    server = Server([happened(9), CUT], [ServerError("beyond", Details("CURSOR_BEYOND_END"))], [CLOSED])
    _, told = followed(server)
    assert server.asked == [0, 9, 0]
    assert any("has forgotten the last events" in sentence for sentence in told)


def test_a_table_that_a_restart_has_lost_is_said_to_be_lost(followed):
    with pytest.raises(TableLost, match="a server without --data forgets its tables"):
        followed(Server([happened(1), CUT], [NOT_FOUND], record=NOT_FOUND))


def test_a_table_whose_end_was_missed_is_said_to_be_over(followed):
    with pytest.raises(TableEnded, match="`lastcard table record t` gets its record"):
        followed(Server([happened(1), CUT], [NOT_FOUND]))


def test_a_table_whose_record_is_closed_is_over_all_the_same():
    closed = ServerError("the record is closed", Details("RECORD_CLOSED"))
    assert isinstance(missing(Server(record=closed), "t"), TableEnded)
    assert missing(Server(record=CUT), "t") is CUT


def test_a_refusal_is_not_tried_again(followed):
    refused = ServerError("no seat", Details("FORBIDDEN"))
    server = Server([refused])
    with pytest.raises(ServerError, match="no seat"):
        followed(server)
    assert server.streams == []


def test_a_server_that_stays_away_is_given_up(followed, monkeypatch):
    times = iter(range(0, 1_000, 10))
    monkeypatch.setattr("lastcard.cli.table_follow.time.monotonic", lambda: next(times))
    with pytest.raises(TableLost, match=r"away for 60 s; table t was followed up to event 2"):
        followed(Server([happened(1, 2), CUT], *[[CUT]] * 20))


# ------------------------------------------------------------------ what is shown


@pytest.mark.parametrize("viewer", [None, 1])
def test_events_from_the_wire_are_shown_as_those_of_a_record(viewer):
    game = play_game(5, "danish", {"seven_swap": True, "jump_in": "identical"}, players=3)
    seen = [redact(event, viewer, game.rules, True) for event in game.events]
    messages = [event_pb2.Event.FromString(table_events(sequence, event)) for sequence, event in enumerate(seen, 1)]
    narrator = Narrator()
    live = [narrator.show(message.sequence, event_of(message)) for message in messages]
    assert live == list(shown_events(seen))


def table_events(sequence, event) -> bytes:
    """The bytes of an event, out of the item of `TableEvents` that the server writes."""
    wrapped = play_service_pb2.TableEvents.FromString(event_item(sequence, event))
    return wrapped.events[0].SerializeToString()


def test_who_comes_in_the_middle_of_a_turn_sees_its_number_with_the_next_move():
    game = play_game(5, players=3)
    whole = list(shown_events(game.events))
    at = next(index for index, shown in enumerate(whole) if shown.opens and shown.turn > 3)
    narrator = Narrator(whole[at].round, whole[at].turn)
    assert narrator.show(whole[at].sequence, whole[at].event) == whole[at]


@pytest.mark.parametrize(
    "message",
    [
        event_pb2.Event(sequence=1),
        event_pb2.Event(sequence=1, card_played={"card": 250, "direction": 1}),
        event_pb2.Event(sequence=1, match_ended={"cause": 99}),
    ],
    ids=["kind", "card", "cause"],
)
def test_events_of_a_newer_server_are_none(message):
    assert event_of(message) is None


VIEW = view_pb2.View(
    seat=1,
    hand=[FACES["R5"], FACES["W4"]],
    hand_counts=[7, 2, 0],
    discard=[FACES["G1"], FACES["W"]],
    active_color="COLOR_BLUE",
    direction=-1,
    pending=4,
    turn_seat=1,
    round=2,
    turn=9,
    dealer=2,
    pile_count=60,
    totals=[10, 0, 30],
)


def test_a_position_has_the_viewers_cards_and_counts_the_others():
    position = position_of(VIEW)
    assert position.hands[1] == [FACES["R5"], FACES["W4"]]
    assert [len(hand) for hand in position.hands] == [7, 2, 0]
    assert (position.top, position.color, position.pending, position.direction) == (FACES["W"], 4, 4, -1)


def test_cards_and_colours_of_a_newer_server_are_left_out():
    view = view_pb2.View(seat=0, hand=[FACES["R5"], 250], hand_counts=[2], active_color=9, discard=[250])
    decision = table_pb2.Decision(kind=77, view=view, legal_actions=[{"kind": 1, "card": 250}, {"kind": 99}])
    question = question_of(decision)
    assert (question.kind, question.hand, question.legal) == ("UNKNOWN", "R5", ["action 1", "action 99"])
    assert list(snapshot_lines(play_service_pb2.TableSnapshot(view=view)))


def test_a_question_is_shown_as_in_a_record():
    decision = table_pb2.Decision(
        decision_id=3, kind="DECISION_KIND_PENALTY", view=VIEW, legal_actions=[{"kind": 4}, {"kind": 5}]
    )
    assert [line.strip() for line in question_of(decision).asked_lines()] == [
        "? PENALTY #3: hand R5 W4; top W, colour B, 4 pending, counter-clockwise; others hold 0:7 2:0",
        "may: accept challenge",
    ]


def test_a_snapshot_tells_where_the_game_is():
    lines = [line.strip() for line in snapshot_lines(play_service_pb2.TableSnapshot(sequence=80, view=VIEW))]
    assert lines == [
        "",
        "round 2, turn 9, dealer 2, after event 80",
        "top W, colour B, 4 pending, counter-clockwise; others hold 0:7 2:0",
        "1 holds R5 W4",
        "points so far 10 0 30; 60 cards in the pile",
    ]


TABLE = table_pb2.Table(
    table_id="abc",
    state="TABLE_STATE_CLOSED",
    ruleset={"preset": "german", "options": [{"name": "jump_in", "value": "identical"}]},
    clock={"limit": {"seconds": 2}, "bank": {"seconds": 90}, "reaction": {"nanos": 500_000_000}, "start_up": {}},
    reactions="REACTION_MODE_SEALED",
    seats=[
        {"seat": 0, "name": "ann", "status": "SEAT_STATUS_LEFT"},
        {"seat": 1, "name": "greedy", "builtin": "greedy", "status": "SEAT_STATUS_PRESENT"},
        {"seat": 2, "status": "SEAT_STATUS_OPEN"},
        {"seat": 3, "name": "b\x1b[2J", "status": "SEAT_STATUS_RESERVED"},
    ],
    last_sequence=12,
    result={
        "cause": "CLOSE_CAUSE_FINISHED",
        "match_cause": "MATCH_CAUSE_TARGET",
        "points": [10, 90, 0, 5],
        "places": [2, 1, 4, 3],
        "rounds": 3,
        "faults": [{"seat": 0, "kind": "FAULT_KIND_TIMEOUT", "sequence": 4, "evidence": "no answer in 2 s"}],
    },
)


def test_a_table_tells_rules_clock_and_seats_and_nothing_a_terminal_would_obey():
    assert list(table_lines(TABLE)) == [
        "table abc is closed",
        "rules german with jump_in = identical; draws pile; reactions sealed",
        "clock: limit 2s, bank 90s, reaction 500ms, start-up 0s, grace 0s",
        "seats 0 ann (left), 1 greedy (builtin), 2 (open), 3 b\\x1b[2J (awaited)",
    ]
    assert "\x1b" not in seats_text(TABLE)


def test_a_result_is_shown_by_place_with_faults():
    assert list(result_lines(TABLE, TABLE.result)) == [
        "table abc is over (target reached) after 3 rounds",
        "  1.  greedy       90 points  (seat 1)",
        "  2.  ann          10 points  (seat 0)",
        "  3.  b\\x1b[2J      5 points  (seat 3)",
        "  4.  seat 2        0 points  (seat 2)",
        "      FAULT TIMEOUT of seat 0: no answer in 2 s",
    ]


@pytest.mark.parametrize(
    ("cause", "said"),
    [("CLOSE_CAUSE_ABANDONED", "is abandoned"), ("CLOSE_CAUSE_CANCELLED", "is cancelled"), (77, "closed")],
)
def test_a_table_that_was_not_played_to_its_end_says_so(cause, said):
    result = table_pb2.MatchResult(cause=cause, points=[0, 0], rounds=1)
    first, *places = result_lines(TABLE, result)
    assert said in first
    assert first.endswith("after 1 round")
    assert places[0].lstrip().startswith("-")


def test_rows_stand_in_columns():
    running = table_pb2.Table(table_id="a-longer-id", state="TABLE_STATE_RUNNING", ruleset={"preset": "official"})
    cancelled = table_pb2.Table(table_id="x", state="TABLE_STATE_CLOSED", result={"cause": "CLOSE_CAUSE_CANCELLED"})
    heads, *rows = rows_text([TABLE, running, cancelled])
    assert heads.index("STATE") == rows[0].index("closed") == rows[1].index("running")
    assert heads.split() == ["TABLE", "STATE", "OPENED", "EVENTS", "RULES", "RESULT", "SEATS"]
    assert "german +1" in rows[0]
    assert "greedy won" in rows[0]
    assert rows[0].endswith("ann (left), greedy (builtin), (open), b\\x1b[2J (awaited)")
    assert rows[2].split()[-1] == "cancelled"


def test_json_is_protobuf_json_on_one_line():
    text = json_text(TABLE)
    assert "\n" not in text
    assert json.loads(text)["seats"][2] == {"seat": 2, "status": "SEAT_STATUS_OPEN", "name": "", "builtin": ""}
