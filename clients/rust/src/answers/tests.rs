use super::*;
use crate::support::messages::{action, actions, decision, reaction, ruleset, view};

fn act(decision: &Decision, answer: impl Into<Answer>) -> Result<Act, String> {
    act_for(decision, &answer.into(), true, true).map_err(|error| error.to_string())
}

fn chosen(decision: &Decision, answer: impl Into<Answer>) -> Option<ActAnswer> {
    act(decision, answer).expect("a good answer").answer
}

fn asked(legal: &str, seen: View) -> Decision {
    Decision { legal_actions: actions(legal), view: Some(seen), ..decision(1) }
}

#[test]
fn a_choice_is_an_index_or_an_action() {
    for answer in [Answer::from(1), Answer::from(action("R2")), Answer::from(&action("R2"))] {
        let expected =
            Act { table_id: "t".into(), decision_id: 7, answer: Some(ActAnswer::Choice(1)), ..Act::default() };
        assert_eq!(act(&decision(7), answer), Ok(expected));
    }
}

#[test]
fn any_other_answer_is_refused_with_what_would_be_valid() {
    let cases: [(Answer, &str); 5] = [
        (3.into(), "choice 3 is no index into legal_actions; valid are 0 to 2"),
        (action("B5").into(), "B5 is not a legal action; valid are R1, R2, draw"),
        (action("pass").into(), "pass is not a legal action; valid are R1, R2, draw"),
        (Action::default().into(), "?0 is not a legal action; valid are R1, R2, draw"),
        (Answer::from(0).catching([2]), "catch_seats names 2; valid are seats from 0 to 1"),
    ];
    for (answer, sentence) in cases {
        assert_eq!(act(&decision(1), answer), Err(sentence.to_owned()));
    }
}

#[test]
fn an_action_is_found_among_the_legal_ones() {
    let legal = actions("W/R, W/G, R7>1, R7>2, color R, color B, jump R6, catch 3");
    let asked = Decision { legal_actions: legal.clone(), ..reaction(1, "pass") };
    for (index, one) in legal.iter().enumerate() {
        assert_eq!(chosen(&asked, one), Some(ActAnswer::Choice(index as u32)));
    }
    for wrong in ["W", "W/B", "R7", "R7>3"] {
        assert!(act(&asked, action(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn a_colour_or_target_that_is_not_needed_does_no_harm() {
    let surplus = Action { color: 3, target: Some(1), ..action("R1") };
    assert_eq!(chosen(&decision(1), surplus), Some(ActAnswer::Choice(0)));
}

#[test]
fn a_call_or_catch_may_be_sent_by_itself_in_the_own_turn_alone() {
    for text in ["uno", "catch 1"] {
        let seen = View { catchable_seats: vec![1], ..view("R1 R2") };
        let sent = act(&asked("R1, draw", seen), action(text)).expect("a good answer");
        assert_eq!(sent.answer, Some(ActAnswer::Action(action(text))));
        assert!(is_apart(&sent));
        assert!(!sent.call_uno && sent.catch_seats.is_empty());
    }
    let offered = reaction(1, "uno, pass");
    assert!(!is_apart(&act(&offered, action("uno")).expect("a good answer")));
    assert_eq!(act(&offered, action("catch 1")), Err("catch 1 is not a legal action; valid are uno, pass".into()));
}

fn called(play: &str, seen: View) -> bool {
    act(&asked(play, seen), 0).expect("a good answer").call_uno
}

#[test]
fn uno_is_called_with_the_play_that_leaves_one_card() {
    let cases = [
        ("R1 R2", "R1", true),
        ("W R2", "W/B", true),
        ("R1 R2", "jump R1", true),
        ("R1 R2 R3", "R1", false),
        ("R1", "R1", false),
        ("R1 R2", "draw", false),
        ("R1 R2", "keep", false),
        ("R1 R2", "challenge", false),
        ("R0 R2", "R0", true),
        ("R7 R2", "R7", true),
    ];
    for (hand, play, due) in cases {
        assert_eq!(called(play, view(hand)), due, "{hand}: {play}");
    }
}

#[test]
fn after_a_swap_the_hand_that_is_taken_counts() {
    for (hand, counts, due) in
        [("R7 R2 R3", vec![3, 5, 1], true), ("R7 R2", vec![2, 5, 4], false), ("R7 R2", vec![2, 5, 1], true)]
    {
        let seen = View {
            hand_counts: counts,
            active_seats: vec![0, 1, 2],
            ruleset: ruleset(&[("seven_swap", "true")]),
            ..view(hand)
        };
        assert_eq!(called("R7>2", seen), due, "{hand}");
    }
}

#[test]
fn after_a_rotation_the_hand_that_comes_counts() {
    for (direction, due) in [(1, true), (-1, false)] {
        let seen = View {
            hand_counts: vec![3, 5, 6, 1],
            active_seats: vec![0, 1, 3],
            direction,
            ruleset: ruleset(&[("zero_rotate", "true")]),
            ..view("R0 R2 R3")
        };
        assert_eq!(called("R0", seen), due, "{direction}");
    }
}

#[test]
fn a_last_card_that_moves_hands_counts_only_when_it_has_its_effect() {
    for (hand, play) in [("R7", "R7>1"), ("R0", "R0")] {
        for (effect, due) in [("win", false), ("apply", true)] {
            let options = [("seven_swap", "true"), ("zero_rotate", "true"), ("last_card_hand_effect", effect)];
            let seen = View { hand_counts: vec![1, 1], ruleset: ruleset(&options), ..view(hand) };
            assert_eq!(called(play, seen), due, "{play}: {effect}");
        }
    }
}

#[test]
fn an_answer_says_more_than_the_automatic_call() {
    let asked = asked("R1", view("R1 R2"));
    let said = |answer: Answer, auto: bool| act_for(&asked, &answer, auto, true).expect("a good answer").call_uno;
    assert!(said(0.into(), true));
    assert!(!said(0.into(), false));
    assert!(!said(Answer::from(0).calling_uno(false), true));
    assert!(said(Answer::from(0).calling_uno(true), false));
}

#[test]
fn who_forgot_is_caught_where_that_costs_nothing() {
    for (penalty, caught) in [(None, vec![1, 3]), (Some("0"), vec![1, 3]), (Some("2"), vec![])] {
        let options: Vec<_> = penalty.map(|cards| ("false_catch_penalty", cards)).into_iter().collect();
        let seen = View { catchable_seats: vec![0, 1, 3], ruleset: ruleset(&options), ..view("R1 R2 R3") };
        let asked = asked("R1", seen);
        assert_eq!(act(&asked, 0).expect("a good answer").catch_seats, caught);
        assert!(act_for(&asked, &0.into(), true, false).expect("a good answer").catch_seats.is_empty());
        let nobody = act(&asked, Answer::from(0).catching([])).expect("a good answer");
        assert!(nobody.catch_seats.is_empty());
    }
}

#[test]
fn an_answer_says_whom_to_catch_each_once() {
    let named = act(&decision(1), Answer::from(0).catching([1, 0, 1])).expect("a good answer");
    assert_eq!(named.catch_seats, [1, 0]);
}

#[test]
fn the_view_after_a_call_or_catch_says_so() {
    let seen = View { called_seats: vec![1], catchable_seats: vec![1], ..view("R1 R2") };
    let before = asked("R1", seen);
    let apart = |text: &str| Act { answer: Some(ActAnswer::Action(action(text))), ..Act::default() };
    let called = after_apart(&before, &apart("uno"));
    assert_eq!(view_of(&called).called_seats, [0, 1]);
    assert_eq!(view_of(&called).catchable_seats, [1]);
    assert_eq!(after_apart(&called, &apart("uno")), called);
    let caught = after_apart(&before, &apart("catch 1"));
    assert_eq!(view_of(&caught).called_seats, [1]);
    assert!(view_of(&caught).catchable_seats.is_empty());
}

#[test]
fn the_fallback_is_legal_and_not_refused_before_and_passes_out_of_turn() {
    let turn = decision(1);
    assert_eq!([&[][..], &[0, 1], &[0, 1, 2]].map(|refused| fallback(&turn, refused)), [0, 2, 0]);
    let out_of_turn = reaction(1, "jump R6, catch 1, pass");
    assert_eq!([&[][..], &[2]].map(|refused| fallback(&out_of_turn, refused)), [2, 1]);
    assert_eq!(fallback(&Decision::default(), &[]), 0);
}
