import pytest

from lastcard.tournament.hosting import ALLOWED, OVER, PLAYING, Hosted, HostedState, refusal


def hosted(state, **fields):
    return Hosted(7, "cup", "text", state, **fields)


def test_what_is_kept_is_read_again():
    made = hosted(HostedState.BROKEN, reason="why “so”", mark="a1", games=9, games_played=3, created_ms=1, started_ms=2)
    assert Hosted.from_json("cup", made.to_json()) == made


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"state": "odd"}', '{"state": "paused", "new": 1}'])
def test_what_was_not_kept_by_this_version_is_an_error(text):
    with pytest.raises((ValueError, KeyError, TypeError)):
        Hosted.from_json("cup", text)


@pytest.mark.parametrize("wish", ALLOWED)
@pytest.mark.parametrize("state", HostedState)
def test_a_wish_is_granted_or_refused_with_the_states_in_which_it_can_be(wish, state):
    sentence = refusal(hosted(state), wish)
    if state in ALLOWED[wish]:
        assert sentence is None
    else:
        assert sentence is not None
        assert sentence.startswith(f"the tournament 'cup' is {state}; it can be {wish} while it is ")
        for valid in ALLOWED[wish]:
            assert valid in sentence


def test_what_is_played_is_to_be_paused_first():
    assert refusal(hosted(HostedState.RUNNING), "changed") == (
        "the tournament 'cup' is running; it can be changed while it is created, paused or broken; pause it, and wait "
        "until it is paused"
    )
    assert refusal(hosted(HostedState.COMPLETE), "started") == (
        "the tournament 'cup' is complete; it can be started while it is created"
    )


def test_what_is_over_is_looked_at_and_ruled_on_and_what_is_complete_may_be_entered():
    assert not PLAYING & OVER
    allowed = {wish for wish, states in ALLOWED.items() if HostedState.CANCELLED in states}
    assert allowed == {"exported", "ruled on", "cancelled"}
    allowed = {wish for wish, states in ALLOWED.items() if HostedState.COMPLETE in states}
    assert allowed == {"exported", "ruled on", "entered"}
