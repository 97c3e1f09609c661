//! What happens to a bot, in words for its log: reasons, seats, results and faults as text.

use crate::v1::{CloseCause, FaultKind, ProtocolReason, Reason, Seated, TableClosed};

/// The short name of a reason of the game; its number when this client does not know it.
pub(crate) fn reason_name(reason: i32) -> String {
    let known = Reason::try_from(reason).ok().map(|reason| reason.as_str_name());
    short(known, "REASON_").unwrap_or_else(|| format!("reason {reason}"))
}

/// The short name of a reason of the transport; its number when this client does not know it.
pub(crate) fn protocol_reason_name(reason: i32) -> String {
    let known = ProtocolReason::try_from(reason).ok().map(|reason| reason.as_str_name());
    short(known, "PROTOCOL_REASON_").unwrap_or_else(|| format!("reason {reason}"))
}

/// Where a bot sits and with whom: `table T, seat 0 of me, greedy`.
pub(crate) fn seat_text(seated: &Seated) -> String {
    let names = seated.seats.iter().map(|seat| match (seat.name.as_str(), seat.builtin.as_str()) {
        ("", "") => "nobody yet",
        ("", builtin) => builtin,
        (name, _) => name,
    });
    let names = names.collect::<Vec<_>>().join(", ");
    let of = if names.is_empty() { String::new() } else { format!(" of {names}") };
    format!("table {}, seat {}{of}", seated.table_id, seated.seat)
}

/// How a table came out for a seat: `table T is over: place 2 of 4, 30 points (all: 120 30 0 0)`.
pub(crate) fn result_text(closed: &TableClosed, seat: Option<u32>) -> String {
    let mut over = format!("table {} is over", closed.table_id);
    let Some(result) = &closed.result else { return over };
    match CloseCause::try_from(result.cause) {
        Ok(CloseCause::Unspecified | CloseCause::Finished) => {}
        Ok(cause) => {
            over += ", ";
            over += &short(Some(cause.as_str_name()), "CLOSE_CAUSE_").unwrap_or_default().to_lowercase();
        }
        Err(_) => over += ", closed",
    }
    let at = seat.map(|seat| seat as usize);
    match at.and_then(|at| Some((result.places.get(at)?, result.points.get(at)?))) {
        None => over,
        Some((place, points)) => {
            let all = result.points.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            format!("{over}: place {place} of {}, {points} points (all: {all})", result.places.len())
        }
    }
}

/// What the server holds against a seat, each with its evidence.
pub(crate) fn fault_texts(closed: &TableClosed, seat: Option<u32>) -> Vec<String> {
    let faults = closed.result.iter().flat_map(|result| &result.faults).filter(|fault| Some(fault.seat) == seat);
    faults
        .map(|fault| format!("table {}, fault {}: {}", closed.table_id, fault_name(fault.kind), fault.evidence))
        .collect()
}

fn fault_name(kind: i32) -> String {
    let known = FaultKind::try_from(kind).ok().map(|kind| kind.as_str_name());
    short(known, "FAULT_KIND_").unwrap_or_else(|| format!("kind {kind}"))
}

fn short(name: Option<&str>, prefix: &str) -> Option<String> {
    name.map(|name| name.strip_prefix(prefix).unwrap_or(name).to_owned())
}
