// What a session asks for: messages to send, decisions to think about, hooks to call. Plain values.
// Not here: who makes them (`session.h`), who acts on them (`connection.h`, `mind.h`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lastcard/bot.h"

namespace lastcard {

/// Table id and decision id.
using Key = std::pair<std::string, std::uint32_t>;

/// Send a message, with whatever else is ready in the same frame.
struct Send {
    v1::ClientMessage message;
};

/// Wait, then call `Session::resend(table_id)` and send what it returns.
struct SendLater {
    double seconds;
    std::string table_id;
};

/// Let the bot think, and give its answer to `Session::answered`; with a refusal, correct the former answer.
struct Ask {
    Key key;
    std::shared_ptr<const Decision> decision;
    std::optional<Refusal> refusal;
    /// Indices into `legal_actions` that were refused at this decision.
    std::vector<std::uint32_t> refused;
};

/// The bot need not think about a decision any more.
struct Withdraw {
    Key key;
};

/// An event of a table, for `Bot::on_event`.
struct TableEvent {
    std::string table_id;
    Event event;
};

/// A receipt of a table, for `Bot::on_receipt`.
struct TableReceipt {
    std::string table_id;
    Receipt receipt;
};

/// Call the hook of the bot that takes this news.
struct Tell {
    std::variant<Seated, TableEvent, TableSnapshot, Notice, TableReceipt, TableClosed> news;
};

/// Something a bot author should know; `serious` when it points to a fault.
struct Note {
    std::string text;
    bool serious = false;
};

/// The stream is open; `max_frame_bytes` and `heartbeat_seconds` hold from now on (0: not stated).
struct Welcomed {
    std::string bot_name;
    std::string server_version;
    std::uint32_t max_frame_bytes;
    double heartbeat_seconds;
};

/// The server is about to end the stream; reconnect then.
struct Drain {
    double seconds_left;
};

/// Break the stream off and come back: something that should have come on it did not.
struct Resume {};

/// The server speaks a protocol that this client does not know.
struct Fail {
    std::string sentence;
};

using Output = std::variant<Send, SendLater, Ask, Withdraw, Tell, Note, Welcomed, Drain, Resume, Fail>;
using Outputs = std::vector<Output>;

/// Takes as many of the messages out of `ready`, from the front, as fit into a frame of `max_bytes` (0: no limit); a
/// larger one gets a frame of its own.
v1::PlayRequest take_frame(std::vector<v1::ClientMessage>& ready, std::size_t max_bytes);

}  // namespace lastcard
