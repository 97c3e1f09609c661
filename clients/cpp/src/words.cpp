#include "words.h"

#include <algorithm>
#include <cctype>

namespace lastcard {
namespace {

/// A name without its prefix, or `otherwise` when there is none.
std::string short_name(const std::string& name, const std::string& prefix, const std::string& otherwise) {
    return name.empty() ? otherwise : name.substr(prefix.size());
}

}  // namespace

std::string reason_name(v1::Reason reason) {
    return short_name(v1::Reason_Name(reason), "REASON_", "reason " + std::to_string(reason));
}

std::string reason_name(v1::ProtocolReason reason) {
    return short_name(v1::ProtocolReason_Name(reason), "PROTOCOL_REASON_", "reason " + std::to_string(reason));
}

std::string seat_text(const Seated& seated) {
    std::string names;
    for (const auto& seat : seated.seats()) {
        names += names.empty() ? " of " : ", ";
        names += !seat.name().empty() ? seat.name() : !seat.builtin().empty() ? seat.builtin() : "nobody yet";
    }
    return "table " + seated.table_id() + ", seat " + std::to_string(seated.seat()) + names;
}

std::string result_text(const TableClosed& closed, std::optional<std::uint32_t> seat) {
    const auto& result = closed.result();
    std::string over = "table " + closed.table_id() + " is over";
    if (result.cause() != v1::CLOSE_CAUSE_UNSPECIFIED && result.cause() != v1::CLOSE_CAUSE_FINISHED) {
        std::string cause = short_name(v1::CloseCause_Name(result.cause()), "CLOSE_CAUSE_", "closed");
        std::transform(cause.begin(), cause.end(), cause.begin(),
                       [](unsigned char sign) { return std::tolower(sign); });
        over += ", " + cause;
    }
    if (!seat || static_cast<int>(*seat) >= std::min(result.places_size(), result.points_size())) return over;
    std::string points;
    for (const std::uint32_t one : result.points()) points += " " + std::to_string(one);
    const int at = static_cast<int>(*seat);
    return over + ": place " + std::to_string(result.places(at)) + " of " + std::to_string(result.places_size()) +
           ", " + std::to_string(result.points(at)) + " points (all:" + points + ")";
}

std::vector<std::string> fault_texts(const TableClosed& closed, std::optional<std::uint32_t> seat) {
    std::vector<std::string> texts;
    for (const auto& fault : closed.result().faults()) {
        if (seat != fault.seat()) continue;
        const std::string kind =
            short_name(v1::FaultKind_Name(fault.kind()), "FAULT_KIND_", "kind " + std::to_string(fault.kind()));
        texts.push_back("table " + closed.table_id() + ", fault " + kind + ": " + fault.evidence());
    }
    return texts;
}

}  // namespace lastcard
