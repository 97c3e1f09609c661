"""The API without a bot: opens a table of two builtins, follows it to its end, and writes its record to a file."""

import os
from pathlib import Path

import grpc
from google.protobuf.duration_pb2 import Duration

from lastcard.v1 import table_service_pb2, table_service_pb2_grpc


def follow(tables):
    seats = [table_service_pb2.SeatRequest(builtin=name) for name in ("greedy", "random")]
    # Builtins play a round in no time: the pause lets a watcher see the rounds after the first as they are played.
    pause = Duration(nanos=200_000_000)
    table_id = tables.CreateTable(table_service_pb2.CreateTableRequest(seats=seats, round_pause=pause)).table.table_id
    for message in tables.WatchTable(table_service_pb2.WatchTableRequest(table_id=table_id)):
        kind = message.WhichOneof("message")
        if kind == "snapshot":
            print(f"watching {table_id} from event {message.snapshot.sequence}")
        elif kind == "events":
            for event in message.events.events:
                print(event.sequence, event.WhichOneof("event"))
        elif kind == "closed":
            print("over, points", list(message.closed.result.points))
    answer = tables.GetRecord(table_service_pb2.GetRecordRequest(table_id=table_id))
    Path(f"{table_id}.jsonl").write_bytes(answer.record)
    print(f"{table_id}.jsonl: {answer.record_hash.hex()}")


if __name__ == "__main__":
    with grpc.insecure_channel(os.environ.get("LASTCARD_SERVER", "127.0.0.1:7600")) as channel:
        follow(table_service_pb2_grpc.TableServiceStub(channel))
