//! README.md, Records, rules 1 and 2: the order of a record's lines, and the chain that binds them.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::chance::hexadecimal;
use super::{from_json, vectors};
use crate::stubs::RecordVectors;

/// The number of the first wrong line, from 1, as far as order and chain tell; `None` when they hold.
fn first_wrong(lines: &[String]) -> Option<usize> {
    misplaced(lines).or_else(|| broken(lines))
}

/// Rule 1, but for the way in which a line is written.
fn misplaced(lines: &[String]) -> Option<usize> {
    let mut events = 0;
    let mut closed = false;
    let mut revealed = false;
    for (number, line) in (1..).zip(lines) {
        let Ok(content) = serde_json::from_str::<Value>(line) else { return Some(number) };
        let stands = if number == 1 {
            content["header"].is_object()
        } else if content["event"].is_object() {
            events += 1;
            !closed && is_event(&content["event"], events)
        } else if content["closing"].is_object() {
            !std::mem::replace(&mut closed, true) && content["closing"]["events"] == events
        } else {
            closed && content["reveal"].is_object() && !std::mem::replace(&mut revealed, true)
        };
        if !stands {
            return Some(number);
        }
    }
    (!closed).then_some(lines.len() + 1)
}

/// Whether the stubs read an event, and it has this number.
fn is_event(event: &Value, number: u32) -> bool {
    let read = from_json::<lastcard_bot::v1::Event>("lastcard.v1.Event", &event.to_string());
    read.is_ok_and(|event| event.sequence == number && event.event.is_some())
}

/// Rule 2.
fn broken(lines: &[String]) -> Option<usize> {
    let breaks: Vec<usize> =
        (2..=lines.len()).filter(|&number| !follows(&lines[number - 2], &lines[number - 1])).collect();
    let &first = breaks.first()?;
    let itself = first == lines.len() || breaks.contains(&(first + 1));
    Some(if itself { first } else { first - 1 })
}

/// Whether a line carries the hash of the line before.
fn follows(before: &str, line: &str) -> bool {
    let content: Value = serde_json::from_str(line).expect("a line that was read before");
    content["previous"] == hexadecimal(&Sha256::digest(before.as_bytes()))
}

#[test]
fn the_first_line_out_of_order_or_chain_is_found() {
    let records = vectors::<RecordVectors>("records.json").records;
    for record in &records {
        let expected = if record.name.starts_with("forged") { None } else { record.line };
        assert_eq!(first_wrong(&record.lines), expected.map(|line| line as usize), "{}", record.name);
    }
    assert!(records.iter().any(|record| record.line.is_none()) && records.iter().any(|record| record.line.is_some()));
}
