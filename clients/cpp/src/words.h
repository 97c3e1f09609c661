// What happens to a bot, in words for its log: reasons, seats, results and faults as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lastcard/messages.h"

namespace lastcard {

/// The short name of a reason of the game; its number when this client does not know it.
std::string reason_name(v1::Reason reason);
/// The short name of a reason of the transport; its number when this client does not know it.
std::string reason_name(v1::ProtocolReason reason);
/// Where a bot sits and with whom: `table T, seat 0 of me, greedy`.
std::string seat_text(const Seated& seated);
/// How a table came out for a seat: `table T is over: place 2 of 4, 30 points (all: 120 30 0 0)`.
std::string result_text(const TableClosed& closed, std::optional<std::uint32_t> seat);
/// What the server holds against a seat, each with its evidence.
std::vector<std::string> fault_texts(const TableClosed& closed, std::optional<std::uint32_t> seat);

}  // namespace lastcard
