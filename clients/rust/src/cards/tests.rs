use super::*;
use crate::support::messages::{action, cards, ruleset, view};
use crate::v1::{Card, SeatHand};

#[test]
fn the_deck_is_that_of_the_rules_and_its_texts_differ() {
    let deck = classic_deck();
    assert_eq!(deck.len(), 108);
    assert!(deck.iter().all(|&card| Card::try_from(card).is_ok()));
    let mut texts: Vec<String> = deck.iter().map(|&card| card_text(card)).collect();
    texts.dedup();
    assert_eq!(texts.len(), 54);
}

#[test]
fn cards_are_written_as_in_records() {
    let written = [Card::Red5, Card::YellowSkip, Card::GreenReverse, Card::BlueDrawTwo, Card::Wild, Card::WildDrawFour];
    assert_eq!(hand_text(&written.map(i32::from)), "R5 YS GV BD W W4");
    assert_eq!(card_text(99), "?99");
    assert_eq!(card_text(-3), "?-3");
    assert_eq!(card_text(29), "?29");
}

#[test]
fn colours_have_names() {
    assert_eq!([0, 1, 2, 3, 4, 7, -1].map(color_text), ["none", "red", "yellow", "green", "blue", "?7", "?-1"]);
}

#[test]
fn actions_are_written_as_in_records() {
    let texts =
        ["R5", "W/G", "R7>2", "jump R6", "draw", "keep", "accept", "challenge", "color G", "uno", "catch 2", "pass"];
    for text in texts {
        assert_eq!(action_text(&action(text)), text);
    }
    assert_eq!(action_text(&Action { kind: 77, ..Action::default() }), "?77");
    assert_eq!(action_text(&Action::default()), "?0");
    assert_eq!(action_text(&Action { color: 9, ..action("W/G") }), "W/?9");
}

#[test]
fn cards_have_colour_rank_and_points() {
    let (nine, skip, wild) = (Card::Green9.into(), Card::BlueSkip.into(), Card::Wild.into());
    assert_eq!([nine, skip, wild].map(color_of), [3, 4, 0]);
    assert_eq!([nine, skip, wild].map(rank_of), [9, SKIP, WILD]);
    assert_eq!([nine, skip, wild].map(points), [9, 20, 50]);
    assert_eq!([nine, skip, wild].map(is_number), [true, false, false]);
    assert_eq!([nine, skip, wild].map(is_action), [false, true, false]);
    assert_eq!([nine, skip, wild].map(is_wild), [false, false, true]);
}

#[test]
fn colours_are_counted_without_wilds_and_without_what_is_unknown() {
    assert_eq!(color_counts(&cards("R1 R2 YS B0 W W4")), [0, 2, 1, 0, 1]);
    assert_eq!(color_counts(&[200]), [0; 5]);
}

#[test]
fn the_next_seat_follows_the_direction_and_passes_over_who_left() {
    let seen = |direction| View { active_seats: vec![0, 1, 3], direction, ..View::default() };
    assert_eq!(next_seat(&seen(1), 1, 1), Some(3));
    assert_eq!(next_seat(&seen(1), 3, 1), Some(0));
    assert_eq!(next_seat(&seen(-1), 0, 1), Some(3));
    assert_eq!(next_seat(&seen(-1), 0, -4), Some(1));
    assert_eq!(next_seat(&seen(1), 2, 1), None);
}

#[test]
fn what_is_seen_nowhere_is_in_other_hands_or_in_the_pile() {
    let known_cards = vec![SeatHand { seat: 1, cards: cards("W") }];
    let seen = View { discard: cards("R1 W4"), known_cards, ..view("R1 B0") };
    let rest = unseen(&seen);
    assert_eq!(rest.len(), 103);
    assert!(!rest.contains(&cards("R1")[0]) && !rest.contains(&cards("B0")[0]));
    assert_eq!(rest.iter().filter(|&&card| card == WILD).count(), 3);
}

#[test]
fn options_are_those_that_depart_from_the_preset() {
    let seen = View { ruleset: ruleset(&[("seven_swap", "true")]), ..view("R1") };
    assert_eq!(option(&seen, "seven_swap"), Some("true"));
    assert_eq!(option(&seen, "zero_rotate"), None);
    assert_eq!(option(&View::default(), "seven_swap"), None);
}
