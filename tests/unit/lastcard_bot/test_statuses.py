"""How a call ended, whatever grpc.aio makes of a write that met its end."""

import asyncio
from contextlib import suppress

import grpc
import grpc.aio
import pytest

from lastcard_bot import statuses
from lastcard_bot.statuses import Ends, Status

Code = grpc.StatusCode
REPLACED = Status(Code.ABORTED, "replaced", (("why", b"\x01"),))
OF_A_WRITE = Status(Code.INTERNAL, "Internal error from Core", ())


class Call:
    """A call that is given statuses as grpc.aio gives them: it tells the last, and calls back for the first alone."""

    def __init__(self) -> None:
        self._callbacks = []
        self._status = asyncio.get_running_loop().create_future()

    def add_done_callback(self, callback):
        self._callbacks.append(callback)

    def given(self, status):
        if self._status.done():
            self._status = asyncio.get_running_loop().create_future()
        self._status.set_result(status)
        for callback in self._callbacks:
            callback(self)
        self._callbacks.clear()

    async def code(self):
        return (await self._status).code

    async def details(self):
        return (await self._status).text

    async def trailing_metadata(self):
        return (await self._status).trailing


@pytest.mark.parametrize("given", [[REPLACED], [REPLACED, OF_A_WRITE], [OF_A_WRITE, REPLACED]])
async def test_the_servers_status_counts_whether_it_comes_before_or_behind(given):
    call = Call()
    ends = Ends(call)
    first, *others = given
    call.given(first)
    asking = asyncio.create_task(ends.status())
    await asyncio.sleep(0)
    for status in others:
        call.given(status)
    assert await asking == REPLACED


async def test_what_grpc_says_counts_when_nothing_comes_from_the_server(monkeypatch):
    monkeypatch.setattr(statuses, "FOLLOWS_S", 0.001)
    call = Call()
    ends = Ends(call)
    call.given(OF_A_WRITE)
    assert await ends.status() == OF_A_WRITE


async def write_on(call):
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        while True:
            await call.write(b"x")


async def test_a_real_call_that_ends_while_it_is_written_to_tells_why():
    """In nearly all of these calls grpc.aio tells INTERNAL instead, at first or in the end."""

    async def refuse(requests, context):
        async for _ in requests:
            await context.write(b"x")
            await context.abort(Code.FAILED_PRECONDITION, "because", (("why", "so"),))

    server = grpc.aio.server()
    method = grpc.stream_stream_rpc_method_handler(refuse)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("a", {"b": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        for _ in range(50):
            call = channel.stream_stream("/a/b")()
            ends = Ends(call)
            writing = asyncio.create_task(write_on(call))
            with suppress(grpc.aio.AioRpcError):
                while True:
                    await call.read()
            await writing
            code, text, trailing = await ends.status()
            assert (code, text, dict(trailing)["why"]) == (Code.FAILED_PRECONDITION, "because", "so")
    await server.stop(0)
