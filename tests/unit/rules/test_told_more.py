from hypothesis import given
from hypothesis import strategies as st

import event_strategies
from lastcard.rules.ruleset import ruleset
from lastcard.rules.view import redact, told_more

REVEALS = ("challenger_only", "all", "verdict_only")


@given(event_strategies.EVENTS, st.sampled_from(REVEALS), st.booleans())
def test_who_is_not_told_more_gets_what_a_spectator_gets(event, reveal, show_hands):
    rules = ruleset("official", {"challenge_reveal": reveal})
    public = redact(event, None, rules, show_hands)
    informed = set(told_more(event, 10))
    for seat in set(range(10)) - informed:
        assert redact(event, seat, rules, show_hands) == public
