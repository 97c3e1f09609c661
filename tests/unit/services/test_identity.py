import pytest

from lastcard.services.identity import Caller, Identities, identity_of
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
    assert identities.caller(token) == Caller(identity_of(token), "mine", True)


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
    identities.keep(caller.identity, "guest")
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


def test_nothing_is_stored_of_a_newcomer_until_it_has_a_seat(identities, noted):
    secret, caller = identities.new_secret("guest")
    assert identities.caller(secret, newcomer=True) == caller
    assert noted == []
    for _ in range(2):
        identities.keep(caller.identity, "guest")
    assert noted == [IdentityMade(caller.identity, "guest", False)]
    assert identities.caller(secret) == caller


def test_a_secret_of_which_nothing_is_known_is_a_newcomer_without_a_name(identities):
    """A server that was started again knows nothing of those who waited for a seat."""
    secret, caller = Identities([].append, anonymous=True, in_use=lambda _: False).new_secret("guest")
    assert identities.caller(secret, newcomer=True) == caller._replace(bot="")
    with pytest.raises(DomainError) as error:
        identities.caller(secret)
    assert error.value.reason is TransportReason.UNAUTHENTICATED


@pytest.mark.parametrize("made_up", ["lcs_1", "lcs_" + "a" * 33, "lct_" + "a" * 32, "a" * 36, "lcs_" + "é" * 32])
def test_what_has_not_the_form_of_a_secret_is_no_newcomer(identities, made_up):
    with pytest.raises(DomainError):
        identities.caller(made_up, newcomer=True)


def test_those_who_come_and_go_leave_only_the_last_names(identities, monkeypatch):
    monkeypatch.setattr("lastcard.services.identity.NEWCOMERS_MET", 3)
    made = [identities.new_secret(f"guest-{number}") for number in range(5)]
    names = [identities.caller(secret, newcomer=True).bot for secret, _ in made]
    assert names == ["", "", "guest-2", "guest-3", "guest-4"]


def test_newcomers_push_nobody_out_who_has_had_a_seat(noted):
    identities = Identities(noted.append, True, lambda _: False, most_secrets=3)
    secret, caller = identities.new_secret("seated")
    identities.keep(caller.identity, "seated")
    for _ in range(100):
        identities.new_secret("guest")
    assert identities.caller(secret) == caller


def test_the_oldest_secret_goes_first_unless_somebody_plays_by_it(noted):
    playing = set()
    identities = Identities(noted.append, True, playing.__contains__, most_secrets=3)

    def seated():
        secret, caller = identities.new_secret("guest")
        identities.keep(caller.identity, "guest")
        return secret, caller

    made = [seated() for _ in range(3)]
    playing.add(made[0][1].identity)
    made += [seated() for _ in range(2)]
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


def test_a_start_drops_no_secret_since_nobody_is_seated_yet():
    identities = Identities([].append, True, lambda _: False, most_secrets=1)
    for number in range(4):
        identities.restore(IdentityMade(identity_of(f"lcs_{number}"), "guest", False))
    assert [identities.caller(f"lcs_{number}").bot for number in range(4)] == ["guest"] * 4
