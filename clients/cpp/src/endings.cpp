#include "endings.h"

#include "status_details.pb.h"

namespace lastcard {
namespace {

/// Whether the same `Hello` would be refused again after this code.
bool is_hopeless(grpc::StatusCode code) {
    return code == grpc::StatusCode::FAILED_PRECONDITION || code == grpc::StatusCode::INVALID_ARGUMENT ||
           code == grpc::StatusCode::PERMISSION_DENIED || code == grpc::StatusCode::UNIMPLEMENTED;
}

std::string code_name(grpc::StatusCode code) {
    static constexpr const char* kNames[] = {
        "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
        "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED"};
    const int number = code;
    return number >= 0 && number < static_cast<int>(std::size(kNames)) ? kNames[number] : std::to_string(number);
}

}  // namespace

Ending judge(grpc::StatusCode code, const std::string& text, const std::optional<v1::ErrorCause>& cause,
             const Circumstances& circumstances) {
    const auto reason = cause ? cause->protocol_reason() : v1::PROTOCOL_REASON_UNSPECIFIED;
    const bool replaced =
        (cause && cause->reason() == v1::REASON_SESSION_REPLACED) || reason == v1::PROTOCOL_REASON_SESSION_REPLACED;
    if (replaced || (code == grpc::StatusCode::ABORTED && !cause)) {
        return {Next::FAIL, "another program with the same identity took the session over: " + text};
    }
    if (code == grpc::StatusCode::OK) {
        if (circumstances.draining) return {Next::RECONNECT, "the server has shut down"};
        return {Next::FINISH, "the server ended the session"};
    }
    if (code == grpc::StatusCode::UNAUTHENTICATED || reason == v1::PROTOCOL_REASON_UNAUTHENTICATED) {
        if (circumstances.with_token && circumstances.known) {
            return {Next::FINISH, "the token is not valid any more, so the event is over: " + text};
        }
        if (circumstances.with_token) return {Next::FAIL, "the server does not accept the token: " + text};
        if (circumstances.with_secret) {
            return {Next::FORGET, "the server does not know this session any more: " + text};
        }
        return {Next::FAIL, "the server wants a token (set LASTCARD_TOKEN): " + text};
    }
    if (code == grpc::StatusCode::UNIMPLEMENTED && !circumstances.known) {
        return {Next::FAIL, "what answers at this address is no arena that this client knows: " + text};
    }
    if (is_hopeless(code)) return {Next::FAIL, "the server refused the bot: " + text};
    const std::string lost = circumstances.known ? "connection lost" : "no connection";
    return {Next::RECONNECT, lost + " (" + code_name(code) + ": " + text + ")"};
}

std::optional<v1::ErrorCause> cause_of(const grpc::Status& status) {
    client::StatusDetails details;
    if (status.error_details().empty() || !details.ParseFromString(status.error_details())) return std::nullopt;
    for (const auto& detail : details.details()) {
        v1::ErrorCause cause;
        if (detail.Is<v1::ErrorCause>()) {
            if (!detail.UnpackTo(&cause)) return std::nullopt;
            return cause;
        }
    }
    return std::nullopt;
}

}  // namespace lastcard
