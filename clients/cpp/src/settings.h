// Where a bot plays and as whom: server, token and name, from arguments or the environment.
// Not here: how a bot behaves (members of `Bot`).
#pragma once

#include <functional>
#include <string>

#include "lastcard/bot.h"

namespace lastcard {

/// Server as `host:port`, bearer token (empty: none) and name of the bot (empty: the token's); checked.
struct Settings {
    std::string server;
    std::string token;
    std::string name;
    /// Seconds without a connection after which the bot gives up.
    double give_up_s = 300.0;
};

/// Looks a variable of the environment up; empty when it is not set.
using Environment = std::function<std::string(const std::string&)>;

/// The environment of the process.
std::string process_environment(const std::string& name);

/// Settings from arguments, else from the environment, else (the name alone, without a token) `default_name`. Throws
/// `BotError` when no server is named or a value cannot be used.
Settings settings(const Where& where, const Environment& environment, const std::string& default_name);

/// A bot's own name, else the name of its class in lower case.
std::string default_name(const Bot& bot);

}  // namespace lastcard
