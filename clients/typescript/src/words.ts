// What happens to a bot, in words for its log.
//
// Here: reasons, seats, results and faults as text. Not here: what is done about them (`session`).

import type { Seated, TableClosed } from "./gen/lastcard/v1/play_service.js";
import { ProtocolReason, Reason } from "./gen/lastcard/v1/reason.js";
import { CloseCause, FaultKind } from "./gen/lastcard/v1/table.js";

/** The short name of a reason of the game; its number when this client does not know it. */
export function reasonName(reason: Reason): string {
  return Reason[reason] ?? `reason ${reason}`;
}

/** The short name of a reason of the transport; its number when this client does not know it. */
export function protocolReasonName(reason: ProtocolReason): string {
  return ProtocolReason[reason] ?? `reason ${reason}`;
}

/** Where a bot sits and with whom: `table T, seat 0 of me, greedy`. */
export function seatText(seated: Seated): string {
  const names = seated.seats.map((seat) => seat.name || seat.builtin || "nobody yet").join(", ");
  return `table ${seated.tableId}, seat ${seated.seat}${names && ` of ${names}`}`;
}

/** How a table came out for a seat: `table T is over: place 2 of 4, 30 points (all: 120 30 0 0)`. */
export function resultText(closed: TableClosed, seat: number | undefined): string {
  const { cause = CloseCause.UNSPECIFIED, places = [], points = [] } = closed.result ?? {};
  const normal = cause === CloseCause.UNSPECIFIED || cause === CloseCause.FINISHED;
  const over = `table ${closed.tableId} is over${normal ? "" : `, ${(CloseCause[cause] ?? "closed").toLowerCase()}`}`;
  const place = seat === undefined ? undefined : places[seat];
  const own = seat === undefined ? undefined : points[seat];
  if (place === undefined || own === undefined) {
    return over;
  }
  return `${over}: place ${place} of ${places.length}, ${own} points (all: ${points.join(" ")})`;
}

/** What the server holds against a seat, each with its evidence. */
export function faultTexts(closed: TableClosed, seat: number | undefined): string[] {
  return (closed.result?.faults ?? [])
    .filter((fault) => fault.seat === seat)
    .map((fault) => {
      const kind = FaultKind[fault.kind] ?? `kind ${fault.kind}`;
      return `table ${closed.tableId}, fault ${kind}: ${fault.evidence}`;
    });
}
