//! From what a bot returned to the message that answers a decision.
//!
//! Here: checking a reply against `legal_actions`, the automatic UNO call and catches, the fallback after a bad reply.
//! Not here: sending (`session`). No input or output, no clock.

use std::fmt;

use crate::bot::{Answer, Choice, catches_are_free, view_of};
use crate::cards::{action_text, is_wild, next_seat, option, rank_of};
use crate::v1::act::Answer as ActAnswer;
use crate::v1::{Act, Action, ActionKind, Decision, DecisionKind, View};

/// A bot returned something that answers nothing; the sentence says what and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadReply(String);

impl fmt::Display for BadReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for BadReply {}

/// The message that gives `answer` to `decision`.
///
/// # Errors
/// When the answer is no index into `legal_actions` and no action that may be sent, or catches a seat that is none.
pub fn act_for(decision: &Decision, answer: &Answer, auto_uno: bool, auto_catch: bool) -> Result<Act, BadReply> {
    let view = view_of(decision);
    let catches = answer.catch_seats.as_ref().map(|seats| checked_seats(seats, view)).transpose()?;
    let (wire, chosen) = match &answer.choice {
        Choice::Index(index) => by_index(*index, decision)?,
        Choice::Action(action) => by_action(action, decision)?,
    };
    let free = || {
        if auto_catch && !is_call(&chosen) { free_catches(view) } else { Vec::new() }
    };
    Ok(Act {
        table_id: decision.table_id.clone(),
        decision_id: decision.decision_id,
        call_uno: answer.call_uno.unwrap_or_else(|| auto_uno && leaves_one_card(view, &chosen)),
        catch_seats: catches.unwrap_or_else(free),
        answer: Some(wire),
    })
}

/// Whether an answer is a call or a catch by itself, which leaves a turn open.
pub(crate) fn is_apart(act: &Act) -> bool {
    matches!(&act.answer, Some(ActAnswer::Action(action)) if is_call(action))
}

/// The same decision after a call or catch by itself took effect: the view says so, the legal actions stand.
///
/// Cards that the caught seat drew are not in it; a server whose legal actions change asks anew.
pub(crate) fn after_apart(decision: &Decision, act: &Act) -> Decision {
    let mut after = decision.clone();
    let view = after.view.get_or_insert_default();
    match &act.answer {
        Some(ActAnswer::Action(action)) if action.kind() == ActionKind::Catch => {
            view.catchable_seats.retain(|&seat| action.target != Some(seat));
        }
        _ if !view.called_seats.contains(&view.seat()) => {
            view.called_seats.push(view.seat.unwrap_or_default());
            view.called_seats.sort_unstable();
        }
        _ => {}
    }
    after
}

/// Whether a play leaves the viewer with one card, so that UNO is due.
pub fn leaves_one_card(view: &View, action: &Action) -> bool {
    if !matches!(action.kind(), ActionKind::Play | ActionKind::JumpIn) {
        return false;
    }
    let left = view.hand.len().saturating_sub(1);
    let holds_one = |seat: Option<u32>| seat.and_then(|seat| view.hand_counts.get(seat as usize)) == Some(&1);
    let takes_effect = left > 0 || option(view, "last_card_hand_effect") == Some("apply");
    match rank_of(action.card) {
        _ if !takes_effect || is_wild(action.card) => left == 1,
        7 if action.target.is_some() && option(view, "seven_swap") == Some("true") => holds_one(action.target),
        0 if option(view, "zero_rotate") == Some("true") => holds_one(next_seat(view, view.seat(), -1)),
        _ => left == 1,
    }
}

/// The index of a legal action that was not refused yet: passing in a reaction, otherwise the first.
pub(crate) fn fallback(decision: &Decision, refused: &[usize]) -> usize {
    let count = decision.legal_actions.len();
    let free = |index: &usize| !refused.contains(index);
    match decision.kind() {
        DecisionKind::Reaction => (0..count).rev().find(free).unwrap_or(count.saturating_sub(1)),
        _ => (0..count).find(free).unwrap_or_default(),
    }
}

/// An index that exists, and what it stands for.
fn by_index(index: usize, decision: &Decision) -> Result<(ActAnswer, Action), BadReply> {
    match decision.legal_actions.get(index) {
        Some(action) => Ok((ActAnswer::Choice(index as u32), *action)),
        None => Err(BadReply(format!(
            "choice {index} is no index into legal_actions; valid are 0 to {}",
            decision.legal_actions.len().saturating_sub(1)
        ))),
    }
}

/// An action by its index when it is legal, as itself when it is a call or catch in the own turn.
fn by_action(action: &Action, decision: &Decision) -> Result<(ActAnswer, Action), BadReply> {
    if let Some(index) = decision.legal_actions.iter().position(|legal| means(action, legal)) {
        return by_index(index, decision);
    }
    if is_call(action) && decision.kind() != DecisionKind::Reaction {
        return Ok((ActAnswer::Action(*action), *action));
    }
    let valid = decision.legal_actions.iter().map(action_text).collect::<Vec<_>>().join(", ");
    Err(BadReply(format!("{} is not a legal action; valid are {valid}", action_text(action))))
}

/// Whether `action` is `legal`, give or take a colour or target that `legal` does not need.
fn means(action: &Action, legal: &Action) -> bool {
    action.kind == legal.kind
        && action.card == legal.card
        && (legal.color == 0 || action.color == legal.color)
        && (legal.target.is_none() || action.target == legal.target)
}

fn is_call(action: &Action) -> bool {
    matches!(action.kind(), ActionKind::Uno | ActionKind::Catch)
}

/// Seats that exist, each once.
fn checked_seats(seats: &[u32], view: &View) -> Result<Vec<u32>, BadReply> {
    let count = view.hand_counts.len();
    let mut checked = Vec::new();
    for &seat in seats {
        if seat as usize >= count {
            let last = count.saturating_sub(1);
            return Err(BadReply(format!("catch_seats names {seat}; valid are seats from 0 to {last}")));
        }
        if !checked.contains(&seat) {
            checked.push(seat);
        }
    }
    Ok(checked)
}

/// The seats to be caught along with an answer at no cost.
fn free_catches(view: &View) -> Vec<u32> {
    if !catches_are_free(view) {
        return Vec::new();
    }
    view.catchable_seats.iter().copied().filter(|&seat| view.seat != Some(seat)).collect()
}

#[cfg(test)]
mod tests;
