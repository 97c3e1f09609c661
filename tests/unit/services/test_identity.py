import pytest

from lastcard.services.identity import Identities, identity_of
from lastcard.table.journal import IdentityMade, IdentityRevoked
from lastcard.table.refusals import DomainError, TransportReason


@pytest.fixture
def noted():
    return []


@pytest.fixture
def identities(noted):
    return Identities(noted.append, anonymous=True, in_use=lambda _: False)


def test_a_token_stands_for_its_bot(identities):
    token = identities.mint("mine")
    assert identities.caller(token) == (identity_of(token), "mine", True)


def test_two_tokens_of_a_name_are_two_identities(identities):
    assert identities.caller(identities.mint("mine")).identity != identities.caller(identities.mint("mine")).identity


def test_a_revoked_token_is_unknown(identities):
    token = identities.mint("mine")
    assert identities.revoke(token) == identity_of(token)
    with pytest.raises(DomainError) as error:
        identities.caller(token)
    assert error.value.reason is TransportReason.UNAUTHENTICATED


def test_neither_token_nor_secret_is_kept_or_stored(identities, noted):
    token = identities.mint("mine")
    secret, caller = identities.new_secret("guest")
    identities.revoke(token)
    assert noted == [
        IdentityMade(identity_of(token), "mine", True),
        IdentityMade(caller.identity, "guest", False),
        IdentityRevoked(identity_of(token)),
    ]
    assert token not in repr(noted)
    assert secret not in repr(noted)
    assert token not in repr(vars(identities))


def test_the_name_of_a_bot_with_a_token_cannot_be_taken_without(identities):
    token = identities.mint("mine")
    with pytest.raises(DomainError, match="mine") as error:
        identities.new_secret("mine")
    assert error.value.reason is TransportReason.UNAUTHENTICATED
    identities.revoke(token)
    identities.new_secret("mine")


def test_a_stored_identity_is_known_again(identities):
    identities.restore(IdentityMade(identity_of("lct_x"), "mine", True))
    assert identities.caller("lct_x").bot == "mine"


def test_the_oldest_secret_goes_first_unless_somebody_plays_by_it(noted):
    playing = set()
    identities = Identities(noted.append, True, playing.__contains__, most_secrets=3)
    made = [identities.new_secret("guest") for _ in range(3)]
    playing.add(made[0][1].identity)
    made += [identities.new_secret("guest") for _ in range(2)]
    known = []
    for secret, caller in made:
        try:
            known.append(identities.caller(secret) == caller)
        except DomainError:
            known.append(False)
    assert known == [True, False, False, True, True]
    assert [entry.identity for entry in noted if isinstance(entry, IdentityRevoked)] == [
        made[1][1].identity,
        made[2][1].identity,
    ]
