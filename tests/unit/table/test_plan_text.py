"""Plans and results come back from the text that the store keeps, those of older servers too."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules.ruleset import PRESETS, ruleset
from lastcard.table.effects import Blame, CloseCause, FaultKind
from lastcard.table.plan import LONGEST_MS, SeatPlan, TablePlan, TableResult
from lastcard.table.plan_text import plan_text, plan_value, result_text, result_value
from lastcard.table.timecontrol import TimeControl

KEYS = st.binary(min_size=32, max_size=32)
TIMES = st.integers(0, 2**53)
NAMES = st.text("abcXYZ019._-", min_size=1, max_size=64)

PLANS = st.builds(
    TablePlan,
    rules=st.builds(
        lambda preset, target: ruleset(preset, {"target_points": target}),
        st.sampled_from(sorted(PRESETS)),
        st.integers(1, 1_000),
    ),
    seats=st.lists(st.builds(SeatPlan, bot=st.none() | NAMES, builtin=st.none() | NAMES, name=NAMES), min_size=2).map(
        tuple
    ),
    clock=st.from_type(TimeControl),
    sealed=st.booleans(),
    draws=st.sampled_from(["pile", "per_seat"]),
    disguise=st.booleans(),
    round_pause_ms=TIMES,
    deal_key=KEYS,
    salt=KEYS,
    closed=st.booleans(),
    table_id=NAMES,
)

RESULTS = st.builds(
    TableResult,
    faults=st.lists(st.builds(Blame, st.integers(0, 9), st.sampled_from(FaultKind), TIMES, st.text())).map(tuple),
    record_hash=KEYS,
)


@given(PLANS)
def test_a_plan_comes_back_from_its_text(plan):
    assert plan_value(plan_text(plan, plan.deal_key, plan.salt), plan.table_id) == plan


@given(RESULTS)
def test_a_result_comes_back_from_its_text(result):
    back = result_value(result_text(result))
    assert back == result
    assert isinstance(back.cause, CloseCause)
    assert all(isinstance(fault, Blame) and isinstance(fault.kind, FaultKind) for fault in back.faults)


def test_no_field_of_a_plan_is_left_out_of_its_text():
    rules = ruleset("german", {"target_points": 7})
    seats = (SeatPlan(bot="a"), SeatPlan(builtin="random", name="b"))
    clock = TimeControl(*range(1, len(fields(TimeControl)) + 1))
    plan = TablePlan(
        rules=rules,
        seats=seats,
        clock=clock,
        sealed=True,
        draws="per_seat",
        disguise=True,
        round_pause_ms=9,
        deal_key=bytes(32),
        salt=bytes(range(32)),
        closed=True,
        table_id="t",
    )
    usual = TablePlan(rules=ruleset("official"), seats=())
    assert all(getattr(plan, one.name) != getattr(usual, one.name) for one in fields(TablePlan))
    assert plan_value(plan_text(plan, plan.deal_key, plan.salt), "t") == plan


def test_a_plan_of_a_server_that_knew_fewer_things_takes_their_defaults():
    plan = TablePlan(
        rules=ruleset("official"), seats=(SeatPlan(bot="a"), SeatPlan()), deal_key=bytes(32), salt=bytes(32)
    )
    values = json.loads(plan_text(plan, plan.deal_key, plan.salt))
    del values["closed"], values["round_pause_ms"], values["clock"]["grace_ms"], values["seats"][0]["name"]
    del values["disguise"]
    assert plan_value(json.dumps(values), "t") == replace(plan, table_id="t")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"preset":"official","options":{},"seats":[{"robot":1}],"clock":{},"deal_key":"","salt":""}'],
)
def test_what_is_no_plan_is_refused(text):
    with pytest.raises(ValueError, match=r"plan|Expecting"):
        plan_value(text, "t")


@pytest.mark.parametrize("text", ["", "7", "{}", '{"names":[],"points":[],"places":[],"thinking_ms":[],"cause":1}'])
def test_what_is_no_result_is_refused(text):
    with pytest.raises(ValueError, match=r"result|Expecting"):
        result_value(text)


def test_a_table_of_a_server_that_did_not_say_what_it_credits_is_played_again_as_it_was():
    """Such a server credited up to 100 ms a decision, however often; banks come out the same only if this one does."""
    plan = TablePlan(rules=ruleset("official"), seats=(SeatPlan(), SeatPlan()))
    values = json.loads(plan_text(plan, bytes(32), bytes(32)))
    del values["clock"]["network_credit_ms"], values["clock"]["network_credit_total_ms"]
    clock = plan_value(json.dumps(values), "t").clock
    assert (clock.network_credit_ms, clock.network_credit_total_ms) == (100, LONGEST_MS)
