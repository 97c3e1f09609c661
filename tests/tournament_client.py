"""A client of tournaments on a server for service tests: generated stubs only, every wait bounded."""

import asyncio

from lastcard.v1 import bot_service_pb2 as bp
from lastcard.v1 import bot_service_pb2_grpc, tournament_service_pb2_grpc
from lastcard.v1 import tournament_pb2 as tp
from lastcard.v1 import tournament_service_pb2 as sp
from service_client import BOUND_S, bearer

HEAD = """\
[tournament]
name = "{name}"
seed = {seed}
table_size = {size}
deals = {deals}
options = {{ match_end = "single_round" }}
concurrency = {concurrency}
[clock]
limit = "20s"
bank = "60s"
start_up = "30s"
grace = "60s"
"""


def cup(*bots, name="cup", seed=3, size=2, deals=2, concurrency=2, more=""):
    """A tournament file: `+ann` is a builtin that plays as ann, anything else a registered bot."""
    text = HEAD.format(name=name, seed=seed, size=size, deals=deals, concurrency=concurrency).replace(
        "[clock]", f"{more}\n[clock]"
    )
    for bot in bots:
        kind = 'builtin = "greedy"' if bot.startswith("+") else "remote = true"
        text += f'[[bot]]\nname = "{bot.removeprefix("+")}"\n{kind}\n'
    return text


class Organiser:
    """All calls of the two services; `token` for those that need one."""

    def __init__(self, channel, token=""):
        self.channel = channel
        self._metadata = bearer(token) if token else None
        self._bots = bot_service_pb2_grpc.BotServiceStub(channel)
        self._tournaments = tournament_service_pb2_grpc.TournamentServiceStub(channel)

    async def register(self, name, **fields):
        """Registers a bot; its token."""
        answer = await self._bots.RegisterBot(bp.RegisterBotRequest(name=name, **fields), metadata=self._metadata)
        return answer.token

    def call(self, name, /, **fields):
        """A call of TournamentService by its name."""
        request = getattr(sp, f"{name}Request")(**fields)
        return getattr(self._tournaments, name)(request, metadata=self._metadata)

    def delete_bot(self, name):
        return self._bots.DeleteBot(bp.DeleteBotRequest(name=name), metadata=self._metadata)

    async def create(self, text, **fields):
        return (await self.call("CreateTournament", file=text, **fields)).tournament

    async def get(self, name="cup"):
        return (await self.call("GetTournament", name=name)).tournament

    async def rows(self, name="cup", **fields):
        return list((await self.call("ListResults", name=name, page_size=1000, **fields)).rows)

    async def watch(self, name="cup", until=lambda _message: False, **fields):
        """All messages of a watched tournament until it is over, or one for which `until` says so."""
        heard = []
        call = self.call("WatchTournament", name=name, **fields)
        try:
            async with asyncio.timeout(2 * BOUND_S):
                async for message in call:
                    heard.append(message)
                    if until(message):
                        break
        finally:
            call.cancel()
        return heard

    async def state(self, state, name="cup"):
        """Waits until a tournament is in a state, by its name."""
        wanted = getattr(tp, f"TOURNAMENT_STATE_{state}")
        if (await self.get(name)).state != wanted:
            await self.watch(name, until=lambda message: message.tournament.state == wanted)
        found = await self.get(name)
        assert found.state == wanted, found
        return found
