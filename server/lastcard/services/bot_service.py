"""`BotService`: registered bots and their tokens.

Here: the servicer. Not here: what is registered (`accounts`), who may call (`admission`). A token is told once and
never stored: the answer of an earlier run of the server is known by the token's identity, and a retry gets a new token.
"""

from collections.abc import Callable
from typing import Any

from lastcard.services.accounts import Account, Accounts
from lastcard.services.admission import Admission, check_organiser
from lastcard.services.identity import Caller, identity_of
from lastcard.services.pages import page_size
from lastcard.services.requests import AnsweredRequests
from lastcard.table.lobby import Lobby
from lastcard.v1 import bot_service_pb2 as pb
from lastcard.v1 import bot_service_pb2_grpc

LISTED_PER_CALL = 100
"""Bots that a list may hold for the price of one call."""


class BotServicer(bot_service_pb2_grpc.BotServiceServicer):
    """Serves `BotService`."""

    def __init__(
        self,
        *,
        accounts: Accounts,
        admission: Admission,
        answered: AnsweredRequests,
        lobby: Lobby,
        check_running: Callable[[], None],
    ) -> None:
        self._accounts = accounts
        self._admission = admission
        self._answered = answered
        self._lobby = lobby
        self._check_running = check_running

    async def RegisterBot(  # noqa: N802 - the name is the wire's
        self, request: pb.RegisterBotRequest, context: Any
    ) -> pb.RegisterBotResponse:
        """Registers a bot."""
        caller = self._admission.organiser(context)

        def do() -> pb.RegisterBotResponse:
            self._check_running()
            account, token = self._accounts.register(request.name, request.description, request.owner)
            return pb.RegisterBotResponse(bot=self._message(account, True), token=token)

        def again(stored: bytes) -> pb.RegisterBotResponse:
            before = pb.RegisterBotResponse.FromString(stored)
            token = self._accounts.renew(request.name, before.token)
            return pb.RegisterBotResponse(bot=self._message(self._accounts.find(request.name), True), token=token)

        return await self._answered.change(caller.identity, request, do, stored=_register_stored, again=again)

    async def RotateToken(  # noqa: N802
        self, request: pb.RotateTokenRequest, context: Any
    ) -> pb.RotateTokenResponse:
        """Gives a new token out."""
        caller = self._of_bot(context, request.name)

        def answer(token: str) -> pb.RotateTokenResponse:
            bot = self._message(self._accounts.find(request.name), True)
            return pb.RotateTokenResponse(bot=bot, token=token)

        def again(stored: bytes) -> pb.RotateTokenResponse:
            before = pb.RotateTokenResponse.FromString(stored)
            return answer(self._accounts.renew(request.name, before.token))

        def do() -> pb.RotateTokenResponse:
            self._check_running()
            return answer(self._accounts.rotate(request.name, keep=request.keep))

        return await self._answered.change(caller.identity, request, do, stored=_rotate_stored, again=again)

    async def RevokeTokens(  # noqa: N802
        self, request: pb.RevokeTokensRequest, context: Any
    ) -> pb.RevokeTokensResponse:
        """Voids all tokens of a bot."""
        caller = self._of_bot(context, request.name)

        def do() -> pb.RevokeTokensResponse:
            self._check_running()
            revoked = self._accounts.revoke(request.name)
            return pb.RevokeTokensResponse(bot=self._message(self._accounts.find(request.name), True), revoked=revoked)

        again = pb.RevokeTokensResponse.FromString
        return await self._answered.change(caller.identity, request, do, again=again)

    async def DeleteBot(  # noqa: N802
        self, request: pb.DeleteBotRequest, context: Any
    ) -> pb.DeleteBotResponse:
        """Voids all tokens of a bot and frees its name."""
        caller = self._admission.organiser(context)

        def do() -> pb.DeleteBotResponse:
            self._check_running()
            self._accounts.delete(request.name)
            return pb.DeleteBotResponse()

        again = pb.DeleteBotResponse.FromString
        return await self._answered.change(caller.identity, request, do, again=again)

    async def GetBot(self, request: pb.GetBotRequest, context: Any) -> pb.GetBotResponse:  # noqa: N802
        """Describes a bot."""
        caller = self._admission.caller(context)
        account = self._accounts.find(request.name)
        return pb.GetBotResponse(bot=self._message(account, _may_know(caller, account)))

    async def ListBots(self, request: pb.ListBotsRequest, context: Any) -> pb.ListBotsResponse:  # noqa: N802
        """Lists the registered bots by name."""
        caller = self._admission.caller(context)
        size = page_size(request.page_size)
        found = self._accounts.after(request.page_token)
        page = found[:size]
        self._admission.charge(caller, context, len(page) // LISTED_PER_CALL)
        bots = [self._message(account, _may_know(caller, account)) for account in page]
        return pb.ListBotsResponse(bots=bots, next_page_token=page[-1].name if len(found) > size else "")

    def _of_bot(self, context: Any, name: str) -> Caller:
        """Who calls: the organiser, or the bot itself."""
        caller = self._admission.caller(context)
        check_organiser(caller, name)
        return caller

    def _message(self, account: Account, known: bool) -> pb.Bot:
        instances = self._lobby.instances(account.name)
        message = pb.Bot(
            name=account.name,
            description=account.description,
            owner=account.owner if known else "",
            online=bool(instances),
            instances=len(instances),
            tables=sum(peer.tables for peer in instances),
            tokens=self._accounts.tokens(account.name) if known else 0,
        )
        message.registered_at.FromMilliseconds(account.registered_ms)
        return message


def _may_know(caller: Caller, account: Account) -> bool:
    """Whether a caller may know whose a bot is and how many tokens it has."""
    return caller.organiser or (caller.minted and caller.bot == account.name)


def _register_stored(response: pb.RegisterBotResponse) -> pb.RegisterBotResponse:
    return pb.RegisterBotResponse(token=identity_of(response.token))


def _rotate_stored(response: pb.RotateTokenResponse) -> pb.RotateTokenResponse:
    return pb.RotateTokenResponse(token=identity_of(response.token))
