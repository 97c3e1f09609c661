import pytest

from lastcard.cli import main as main_module
from lastcard.cli.bench_load import Load, hello
from lastcard.cli.bench_service import Pass, _durability, _lines, _median, _sizes, _sync_ms
from lastcard.cli.errors import CommandError
from lastcard.v1 import play_service_pb2 as pb


class Wire:
    def __init__(self):
        self.sent = []

    def send(self, frame):
        self.sent.append(pb.PlayRequest.FromString(frame))


def frame(*messages):
    return pb.PlayResponse(messages=[pb.ServerMessage(**message) for message in messages]).SerializeToString()


def decision(legal, **fields):
    return {
        "decision": {
            "table_id": "t",
            "decision_id": 300,
            "view": {"seat": 1},
            "legal_actions": [{"kind": 1}] * legal,
            **fields,
        }
    }


def test_the_load_opens_as_a_bot_does():
    (message,) = pb.PlayRequest.FromString(hello("b7")).messages
    assert (message.hello.protocol_version, message.hello.bot_name) == (1, "b7")


def test_the_load_answers_all_decisions_of_a_frame_in_one():
    load, wire = Load(), Wire()
    load.play(wire, frame(decision(3, time_left={"seconds": 2}), decision(1, time_left={"seconds": 2})))
    (request,) = wire.sent
    assert [(message.act.table_id, message.act.decision_id) for message in request.messages] == [("t", 300)] * 2
    assert request.messages[0].act.choice in (0, 1)
    assert request.messages[1].act.choice == 0


def test_the_load_leaves_open_reactions_alone():
    load, wire = Load(), Wire()
    load.play(wire, frame(decision(2, kind=5)))
    assert wire.sent == []


def test_the_load_counts_results_and_ends():
    load, wire = Load(), Wire()
    load.play(wire, frame(decision(2, time_left={"seconds": 2})))
    load.play(
        wire,
        frame(
            {"act_result": {"table_id": "t", "decision_id": 300, "accepted": True}},
            {"act_result": {"table_id": "t", "decision_id": 301, "reason": 3}},
            {"table_closed": {"table_id": "t"}},
        ),
    )
    assert (load.answered, load.refused, load.ended) == (1, 1, 1)
    assert len(load.latencies_s) == 1
    assert wire.sent[-1].messages[0].table_closed_received.table_id == "t"


def test_sizes_are_bots_times_tables():
    assert _sizes("64x1, 8x16") == [(64, 1), (8, 16)]


@pytest.mark.parametrize("text", ["64", "2x1", "x", "5x1", "4x0", ""])
def test_a_size_that_is_none_is_refused_with_an_example(text):
    with pytest.raises(CommandError, match="64x1"):
        _sizes(text)


def test_figures_are_medians_one_by_one():
    passes = [Pass(1, 6, 5, 1, 1, 1), Pass(2, 5, 5, 2, 1, 1), Pass(9, 4, 5, 3, 1, 1)]
    assert _median(passes) == Pass(2, 5, 5, 2, 1, 1)


def test_durabilities_are_compared_with_the_first():
    assert _durability("normal, none") == ("normal", "none")
    echo = Pass(10_000, 0, 50, 1, 1, 1)
    arenas = {"full": Pass(1_000, 1, 200, 3, 9, 0.5), "none": Pass(1_500, 2, 150, 2, 8, 0.5)}
    _, cpu, other = _lines("64x1", echo, arenas)
    assert "4.00 times a message of the echo" in cpu
    assert "none beside full: 1.50 times the moves (1,500/s), 0.75 times the CPU a move (150.0 us)" in other


def test_the_time_of_a_sync_is_measured_where_the_stores_lie(tmp_path):
    assert _sync_ms(tmp_path, 3) > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--pairs", "0"],
        ["--seconds", "0"],
        ["--sizes", "3x1"],
        ["--durability", "most"],
        ["--durability", "full,full"],
        ["--directory", "/nowhere"],
    ],
    ids=str,
)
def test_options_that_measure_nothing_are_refused(arguments, capsys):
    assert main_module.main(["bench", "service", *arguments]) == 2
    assert capsys.readouterr().err.startswith("lastcard: --")
