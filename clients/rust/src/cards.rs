//! Cards, colours and views in a bot author's words: text, colour, rank, points, counts.
//!
//! A card is one number, `16 × colour + rank`, as on the wire ([`Card`](crate::v1::Card) names them), and so is a
//! colour. Which cards may be played is what `legal_actions` is for.

use crate::v1::{Action, ActionKind, Color, View};

/// Rank of a skip; below it are the numbers.
pub const SKIP: i32 = 10;
/// Rank of a reverse.
pub const REVERSE: i32 = 11;
/// Rank of a draw two.
pub const DRAW_TWO: i32 = 12;
/// Rank, and card, of a wild.
pub const WILD: i32 = 13;
/// Rank, and card, of a wild draw four.
pub const WILD_DRAW_FOUR: i32 = 14;

const LETTERS: [&str; 5] = ["-", "R", "Y", "G", "B"];
const RANKS: [&str; 13] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "V", "D"];
const NAMES: [&str; 5] = ["none", "red", "yellow", "green", "blue"];

/// The colour of a card, 1 to 4 as in [`Color`]; 0 for wilds.
pub fn color_of(card: i32) -> i32 {
    card >> 4
}

/// The rank of a card: 0 to 9 the number, then [`SKIP`], [`REVERSE`], [`DRAW_TWO`], [`WILD`], [`WILD_DRAW_FOUR`].
pub fn rank_of(card: i32) -> i32 {
    card & 15
}

/// Whether a card has no colour of its own.
pub fn is_wild(card: i32) -> bool {
    card < 16
}

/// Whether a card is a number card, 0 to 9.
pub fn is_number(card: i32) -> bool {
    card >= 16 && rank_of(card) < SKIP
}

/// Whether a card is a coloured action card: skip, reverse or draw two.
pub fn is_action(card: i32) -> bool {
    card >= 16 && rank_of(card) >= SKIP
}

/// What a card counts in an opponent's hand: its number, 20 for action cards, 50 for wilds.
pub fn points(card: i32) -> i32 {
    if is_wild(card) {
        50
    } else if is_action(card) {
        20
    } else {
        rank_of(card)
    }
}

/// A card in the notation of records: `R5`, `YS`, `GV`, `BD`, `W`, `W4`; `?` and its number if unknown.
pub fn card_text(card: i32) -> String {
    match card {
        WILD => "W".to_owned(),
        WILD_DRAW_FOUR => "W4".to_owned(),
        10 => "WH".to_owned(),
        11 => "WX".to_owned(),
        12 => "WC".to_owned(),
        _ => match (color_of(card), rank_of(card)) {
            (color @ 1..=4, rank @ 0..=DRAW_TWO) => format!("{}{}", LETTERS[color as usize], RANKS[rank as usize]),
            _ => format!("?{card}"),
        },
    }
}

/// Several cards in notation, separated by blanks.
pub fn hand_text(cards: &[i32]) -> String {
    cards.iter().map(|&card| card_text(card)).collect::<Vec<_>>().join(" ")
}

/// The English name of a colour; `none` for no colour, `?` and its number if unknown.
pub fn color_text(color: i32) -> String {
    word(&NAMES, color)
}

/// An action in the notation of records: `R5`, `W/G`, `R7>2`, `draw`, `color G`, `jump R6`, `catch 2`.
pub fn action_text(action: &Action) -> String {
    let Ok(kind) = ActionKind::try_from(action.kind) else {
        return format!("?{}", action.kind);
    };
    let play = || {
        let color =
            if is_wild(action.card) && action.color != 0 { "/".to_owned() + &letter(action) } else { String::new() };
        let target = action.target.map_or(String::new(), |seat| format!(">{seat}"));
        format!("{}{color}{target}", card_text(action.card))
    };
    match kind {
        ActionKind::Draw => "draw".to_owned(),
        ActionKind::Keep => "keep".to_owned(),
        ActionKind::Accept => "accept".to_owned(),
        ActionKind::Challenge => "challenge".to_owned(),
        ActionKind::Uno => "uno".to_owned(),
        ActionKind::Pass => "pass".to_owned(),
        ActionKind::ChooseColor => format!("color {}", letter(action)),
        ActionKind::Catch => format!("catch {}", action.target()),
        ActionKind::Play => play(),
        ActionKind::JumpIn => format!("jump {}", play()),
        ActionKind::Unspecified => "?0".to_owned(),
    }
}

fn letter(action: &Action) -> String {
    word(&LETTERS, action.color)
}

fn word(words: &[&str], number: i32) -> String {
    let known = usize::try_from(number).ok().and_then(|place| words.get(place));
    known.map_or_else(|| format!("?{number}"), |&text| text.to_owned())
}

/// How many of the cards have each colour, by the colour's number; wilds are not counted, so that place 0 holds 0.
pub fn color_counts(cards: &[i32]) -> [usize; 5] {
    let mut counts = [0; 5];
    for &card in cards.iter().filter(|&&card| !is_wild(card)) {
        if let Some(count) = counts.get_mut(color_of(card) as usize) {
            *count += 1;
        }
    }
    counts
}

/// The active seat that is `steps` places after `seat` in the direction of play; `None` when `seat` is not active.
pub fn next_seat(view: &View, seat: u32, steps: i32) -> Option<u32> {
    let active = &view.active_seats;
    let start = active.iter().position(|&other| other == seat)? as i64;
    let direction = if view.direction < 0 { -1 } else { 1 };
    let place = (start + i64::from(steps) * direction).rem_euclid(active.len() as i64);
    Some(active[place as usize])
}

/// The cards of a classic deck of 108 that the viewer sees nowhere, ascending: they are in other hands or in the pile.
///
/// Cards of players who left are among them while they lie hidden under the discards (`view.buried_count`).
pub fn unseen(view: &View) -> Vec<i32> {
    let mut rest = classic_deck();
    let known = view.known_cards.iter().flat_map(|hand| &hand.cards);
    for card in view.hand.iter().chain(&view.discard).chain(known) {
        if let Some(place) = rest.iter().position(|other| other == card) {
            rest.remove(place);
        }
    }
    rest
}

fn classic_deck() -> Vec<i32> {
    let mut deck = [[WILD; 4], [WILD_DRAW_FOUR; 4]].concat();
    for color in [Color::Red, Color::Yellow, Color::Green, Color::Blue] {
        for rank in 0..=DRAW_TWO {
            let card = 16 * color as i32 + rank;
            deck.extend(if rank == 0 { vec![card] } else { vec![card; 2] });
        }
    }
    deck
}

/// The value of a rule option as text if the table departs from its preset in it.
pub fn option<'a>(view: &'a View, name: &str) -> Option<&'a str> {
    let mut options = view.ruleset.iter().flat_map(|ruleset| &ruleset.options);
    options.find(|option| option.name == name).map(|option| option.value.as_str())
}

#[cfg(test)]
mod tests;
