// What the end of a stream means: come back, come back as somebody new, stop, or give up.
// Not here: acting on it (`connection.h`).
#pragma once

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "lastcard/v1/reason.pb.h"

namespace lastcard {

/// What to do after a stream.
enum class Next {
    RECONNECT,
    FORGET,  ///< Reconnect without the resume secret: the server does not know it any more.
    FINISH,  ///< The server is done with this bot.
    FAIL,    ///< It would fail again, or somebody else plays in our place.
};

/// What to do next and why, in a sentence.
struct Ending {
    Next next;
    std::string sentence;
};

/// What a bot knows when a stream ends.
struct Circumstances {
    /// How the bot identified itself on the stream.
    bool with_token = false;
    bool with_secret = false;
    /// Whether the server has welcomed this bot before, on this stream or an earlier one.
    bool known = false;
    /// Whether the server said that it shuts down.
    bool draining = false;
};

/// Judges the end of a stream.
Ending judge(grpc::StatusCode code, const std::string& text, const std::optional<v1::ErrorCause>& cause,
             const Circumstances& circumstances);

/// The `ErrorCause` in the details of a status; none when there is none or it cannot be read.
std::optional<v1::ErrorCause> cause_of(const grpc::Status& status);

}  // namespace lastcard
