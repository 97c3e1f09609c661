"""Registered bots over gRPC: who may register them, what their tokens open, and that a restart forgets none."""

import grpc
import pytest

from lastcard.services import accounts
from lastcard.v1 import bot_service_pb2 as bp
from lastcard.v1 import bot_service_pb2_grpc
from service_client import BotStream, Ended, bearer, connection, plan, refused
from waiting import until

ORGANISER = "the-organisers-own-token"


def stub(channel):
    return bot_service_pb2_grpc.BotServiceStub(channel)


async def register(channel, name="ann", token="", **fields):
    request = bp.RegisterBotRequest(name=name, **fields)
    return await stub(channel).RegisterBot(request, metadata=bearer(token) if token else None)


@pytest.fixture
async def guarded(start_arena):
    """An arena that takes nobody without a token, and a channel to it."""
    arena = await start_arena(anonymous=False, organiser_token=ORGANISER)
    async with connection(arena.address) as channel:
        yield channel


async def test_a_registered_bot_plays_by_its_token_alone(guarded):
    given = await register(guarded, "ann", ORGANISER, description="counts cards", owner="Ann B.")
    assert (given.bot.name, given.bot.description, given.bot.owner, given.bot.tokens) == (
        "ann",
        "counts cards",
        "Ann B.",
        1,
    )
    stream = BotStream(guarded, given.token)
    assert (await stream.hello()).bot_name == "ann"
    found = (await stub(guarded).GetBot(bp.GetBotRequest(name="ann"), metadata=bearer(ORGANISER))).bot
    assert (found.online, found.instances, found.owner) == (True, 1, "Ann B.")
    stream.cancel()
    other = BotStream(guarded)
    await other.send({"hello": {"protocol_version": 1, "bot_name": "ann"}})
    assert (await other.end()).reason == "UNAUTHENTICATED"


async def test_only_the_organiser_registers_and_deletes(guarded):
    token = (await register(guarded, "ann", ORGANISER)).token
    await register(guarded, "ben", ORGANISER, owner="Ben")
    mine, bots = bearer(token), stub(guarded)
    for call in (
        bots.RegisterBot(bp.RegisterBotRequest(name="cora"), metadata=mine),
        bots.DeleteBot(bp.DeleteBotRequest(name="ann"), metadata=mine),
        bots.RotateToken(bp.RotateTokenRequest(name="ben"), metadata=mine),
        bots.RevokeTokens(bp.RevokeTokensRequest(name="ben"), metadata=mine),
        bots.RevokeTokens(bp.RevokeTokensRequest(name="nobody"), metadata=mine),
    ):
        code, reason, sentence = await refused(call)
        assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "FORBIDDEN")
        assert "the token of 'ann' may not do this" in sentence
    listed = await bots.ListBots(bp.ListBotsRequest(), metadata=bearer(ORGANISER))
    assert [(bot.name, bot.tokens) for bot in listed.bots] == [("ann", 1), ("ben", 1)]
    seen = await bots.ListBots(bp.ListBotsRequest(), metadata=mine)
    assert [(bot.name, bot.owner, bot.tokens) for bot in seen.bots] == [("ann", "", 1), ("ben", "", 0)]


async def test_without_a_token_nobody_is_told_anything_where_anonymous_is_off(guarded):
    bots = stub(guarded)
    for call in (
        bots.RegisterBot(bp.RegisterBotRequest(name="cora")),
        bots.ListBots(bp.ListBotsRequest()),
        bots.GetBot(bp.GetBotRequest(name="ann")),
        bots.GetBot(bp.GetBotRequest(name="ann"), metadata=bearer("lct_made-up")),
    ):
        assert (await refused(call))[:2] == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


async def test_on_loopback_whoever_has_no_token_is_the_organiser(channel):
    given = await register(channel)
    assert given.token.startswith("lct_")


@pytest.mark.parametrize(
    ("fields", "reason", "words"),
    [
        ({"name": ""}, "INVALID_ARGUMENT", "name is ''; a name is 1 to 64 letters"),
        ({"name": ".ann"}, "INVALID_ARGUMENT", "name is '.ann'; a name is 1 to 64 letters"),
        ({"name": "a" * 65}, "INVALID_ARGUMENT", "a name is 1 to 64 letters"),
        ({"name": "an/n"}, "INVALID_ARGUMENT", "a name is 1 to 64 letters"),
        ({"name": "Greedy"}, "NAME_TAKEN", "name is 'Greedy', which is a builtin's"),
        ({"name": "Taken"}, "NAME_TAKEN", "the name 'Taken' is that of the registered bot 'taken'"),
        ({"name": "cora", "description": "a\nb"}, "INVALID_ARGUMENT", "description holds characters"),
        ({"name": "cora", "description": "a" * 1_001}, "INVALID_ARGUMENT", "description has 1001 characters"),
        ({"name": "cora", "owner": "a" * 201}, "INVALID_ARGUMENT", "owner has 201 characters; the most is 200"),
        ({"name": "cora", "request_id": "a" * 65}, "INVALID_ARGUMENT", "request_id has 65 characters"),
    ],
    ids=lambda value: str(value)[:24] if isinstance(value, dict) else None,
)
async def test_what_cannot_be_registered_is_refused_and_changes_nothing(channel, fields, reason, words):
    await register(channel, "taken")
    _, found, sentence = await refused(stub(channel).RegisterBot(bp.RegisterBotRequest(**fields)))
    assert found == reason
    assert words in sentence
    assert [bot.name for bot in (await stub(channel).ListBots(bp.ListBotsRequest())).bots] == ["taken"]


async def test_a_name_that_somebody_plays_by_is_not_registered(channel, bot):
    player = bot()
    await player.hello("Ann")
    _, reason, sentence = await refused(register(channel, "ann"))
    assert reason == "NAME_TAKEN"
    assert "somebody without a token plays as 'ann' just now" in sentence


async def test_whoever_played_by_a_name_before_it_was_registered_is_not_that_bot(arena, channel, bot):
    player = bot()
    secret = (await player.hello("ann")).resume_secret
    table = arena.open_table(plan("ann", "+greedy"))
    await player.expect("seated")
    arena.cancel_table(table)
    await player.expect("table_closed")
    newcomer = bot()
    other = (await newcomer.hello("ann")).resume_secret
    player.cancel()
    newcomer.cancel()
    await until(lambda: not arena.is_connected("ann"))
    await register(channel, "ann")
    for known in (secret, other):
        stream = bot(known)
        await stream.send({"hello": {"protocol_version": 1, "bot_name": "ann"}})
        ended = await stream.end()
        assert ended.reason == "UNAUTHENTICATED"
        assert "the name 'ann' belongs to a bot with a token" in ended.sentence


async def test_a_new_token_voids_the_earlier_ones_and_ends_their_streams(channel, bot):
    first = (await register(channel)).token
    stream = bot(first)
    await stream.hello()
    second = (await stub(channel).RotateToken(bp.RotateTokenRequest(name="ann"))).token
    assert (await stream.end()).reason == "UNAUTHENTICATED"
    assert (await bot(second).hello()).bot_name == "ann"
    with pytest.raises(Ended):
        await bot(first).hello()


async def test_several_instances_have_tokens_of_their_own(channel, bot):
    tokens = [(await register(channel)).token]
    given = await stub(channel).RotateToken(bp.RotateTokenRequest(name="ann", keep=True), metadata=bearer(tokens[0]))
    tokens.append(given.token)
    streams = [bot(token) for token in tokens]
    for stream in streams:
        await stream.hello()
    found = (await stub(channel).GetBot(bp.GetBotRequest(name="ann"))).bot
    assert (found.instances, found.tokens) == (2, 2)
    answer = await stub(channel).RevokeTokens(bp.RevokeTokensRequest(name="ann"))
    assert (answer.revoked, answer.bot.tokens) == (2, 0)
    for stream in streams:
        assert (await stream.end()).reason == "UNAUTHENTICATED"
    anonymous = bot()
    await anonymous.send({"hello": {"protocol_version": 1, "bot_name": "ann"}})
    assert (await anonymous.end()).reason == "UNAUTHENTICATED"


async def test_there_is_a_most_of_bots_and_tokens(channel, monkeypatch):
    monkeypatch.setattr(accounts, "MOST_BOTS", 1)
    monkeypatch.setattr(accounts, "MOST_TOKENS", 1)
    await register(channel)
    assert (await refused(register(channel, "ben")))[:2] == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
    rotate = bp.RotateTokenRequest(name="ann", keep=True)
    _, reason, sentence = await refused(stub(channel).RotateToken(rotate))
    assert (reason, "'ann' has 1 tokens, which is the most" in sentence) == ("LIMIT_REACHED", True)


async def test_a_deleted_bot_is_gone_and_its_name_free(channel, bot):
    token = (await register(channel)).token
    stream = bot(token)
    await stream.hello()
    request = bp.DeleteBotRequest(name="ann", request_id="1")
    for _ in range(2):
        await stub(channel).DeleteBot(request)
    assert (await stream.end()).reason == "UNAUTHENTICATED"
    for call in (
        stub(channel).GetBot(bp.GetBotRequest(name="ann")),
        stub(channel).DeleteBot(bp.DeleteBotRequest(name="ann")),
        stub(channel).RotateToken(bp.RotateTokenRequest(name="ann")),
        stub(channel).RevokeTokens(bp.RevokeTokensRequest(name="ann")),
    ):
        code, reason, sentence = await refused(call)
        assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
        assert sentence == "there is no registered bot 'ann'; ListBots lists those that there are"
    assert (await bot().hello("ann")).bot_name == "ann"


async def test_the_same_request_gets_the_same_token_and_another_with_its_key_is_refused(channel):
    given = [await register(channel, "ann", request_id="1") for _ in range(2)]
    assert given[0].token == given[1].token
    assert (await refused(register(channel, "ben", request_id="1")))[1] == "REQUEST_ID_REUSED"


async def test_bots_and_tokens_outlive_the_server_and_a_retry_gets_a_token_in_place_of_the_lost_one(
    start_arena, tmp_path
):
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        lost = await register(channel, "ann", request_id="1", owner="Ann")
        kept = await register(channel, "ben")
        await stub(channel).DeleteBot(bp.DeleteBotRequest(name="ben"))
        kept = await register(channel, "cora")
    await arena.stop(1)
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        listed = (await stub(channel).ListBots(bp.ListBotsRequest())).bots
        assert [(bot.name, bot.owner, bot.tokens) for bot in listed] == [("ann", "Ann", 1), ("cora", "", 1)]
        assert listed[0].registered_at == lost.bot.registered_at
        assert (await BotStream(channel, kept.token).hello()).bot_name == "cora"
        given = [await register(channel, "ann", request_id="1", owner="Ann") for _ in range(2)]
        assert given[0].token == given[1].token != lost.token
        assert given[0].bot.tokens == 1
        assert (await BotStream(channel, given[0].token).hello()).bot_name == "ann"
        with pytest.raises(Ended):
            await BotStream(channel, lost.token).hello()
    assert lost.token.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("lastcard.sqlite3*"))


async def test_lists_come_in_pages_by_name(channel):
    names = ["dora", "Ann", "ben", "cora"]
    for name in names:
        await register(channel, name)
    seen, token = [], ""
    for _ in range(2):
        page = await stub(channel).ListBots(bp.ListBotsRequest(page_size=2, page_token=token))
        seen.append([bot.name for bot in page.bots])
        token = page.next_page_token
    assert (seen, token) == ([["Ann", "ben"], ["cora", "dora"]], "")
    for fields in ({"page_size": 1_001}, {"page_token": "-1"}, {"page_token": "a" * 65}, {"page_token": "٣"}):
        assert (await refused(stub(channel).ListBots(bp.ListBotsRequest(**fields))))[1] == "INVALID_ARGUMENT"
