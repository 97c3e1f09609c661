#include "options.h"

#include <cmath>
#include <functional>
#include <map>

namespace lastcard::load {

namespace {

template <typename Number>
Number number(const std::string& name, const std::string& text, double least, double most) {
    size_t end = 0;
    double value = std::nan("");
    try {
        value = std::stod(text, &end);
    } catch (const std::logic_error&) {
        end = 0;
    }
    const bool whole = !std::is_integral_v<Number> || value == std::floor(value);
    // Only what is written as a number is: the library takes blanks and hexadecimal ones, too.
    const bool plain = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    if (!plain || end != text.size() || !whole || !(value >= least && value <= most)) {
        const auto shown = [](double limit) { return std::to_string(static_cast<long>(limit)); };
        throw UsageError(name + " " + (text.empty() ? "''" : text) + " is no " +
                         (std::is_integral_v<Number> ? "whole number" : "number") + " from " + shown(least) + " to " +
                         shown(most));
    }
    return static_cast<Number>(value);
}

/// gRPC would take a port modulo 65536, and look for anything else in the name service.
std::string address(const std::string& text) {
    const size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
    const bool digits = !port.empty() && port.size() < 6 && port.find_first_not_of("0123456789") == std::string::npos;
    if (colon == 0 || !digits || std::stoi(port) < 1 || std::stoi(port) > 65'535) {
        throw UsageError("--server " + (text.empty() ? "''" : text) + " is no address; give host:port, for example " +
                         Options().server);
    }
    return text;
}

}  // namespace

Options options(const std::vector<std::string>& arguments) {
    Options made;
    const std::map<std::string, std::function<void(const std::string&)>> with_value = {
        {"--server", [&](const std::string& text) { made.server = address(text); }},
        {"--bots", [&](const std::string& text) { made.bots = number<int>("--bots", text, 1, 10'000); }},
        {"--tables", [&](const std::string& text) { made.tables = number<int>("--tables", text, 1, 10'000); }},
        {"--seats", [&](const std::string& text) { made.seats = number<int>("--seats", text, 2, 10); }},
        {"--seconds", [&](const std::string& text) { made.seconds = number<double>("--seconds", text, 0, 3'600); }},
        {"--warm-up", [&](const std::string& text) { made.warm_up = number<double>("--warm-up", text, 0, 3'600); }},
        {"--seed", [&](const std::string& text) { made.seed = number<unsigned>("--seed", text, 0, 4'294'967'295.0); }},
        {"--pid", [&](const std::string& text) { made.pid = number<long>("--pid", text, 1, 4'194'304); }},
        {"--prefix", [&](const std::string& text) { made.prefix = text; }},
    };
    const std::map<std::string, bool*> flags = {
        {"--seated", &made.seated}, {"--echo", &made.echo}, {"--json", &made.json}, {"--help", &made.help}};
    for (size_t at = 0; at < arguments.size(); ++at) {
        const std::string& name = arguments[at];
        if (const auto flag = flags.find(name); flag != flags.end()) {
            *flag->second = true;
        } else if (const auto option = with_value.find(name); option == with_value.end()) {
            throw UsageError(name + " is no option; --help lists them");
        } else if (at + 1 == arguments.size()) {
            throw UsageError(name + " needs a value; --help says which");
        } else {
            option->second(arguments[++at]);
        }
    }
    if (made.seconds <= 0) throw UsageError("--seconds 0 measures nothing; give a number above 0");
    if (!made.echo && !made.help && made.bots < made.seats) {
        throw UsageError("--bots " + std::to_string(made.bots) + " is too few for tables of " +
                         std::to_string(made.seats) + "; a bot has one seat at a table");
    }
    if (!made.echo && static_cast<long>(made.bots) * made.tables % made.seats != 0) {
        throw UsageError("--bots " + std::to_string(made.bots) + " x --tables " + std::to_string(made.tables) +
                         " seats do not fill tables of " + std::to_string(made.seats) +
                         "; their product must be a multiple of it");
    }
    return made;
}

std::string usage() {
    return R"(usage: lastcard_load [OPTION VALUE ...]

Keep a Lastcard server busy: bots that play random legal answers, as many as you like, from one thread.

  --server HOST:PORT  where to play (default 127.0.0.1:7600)
  --bots N            bots, each on a stream of its own (default 64)
  --tables N          tables of each bot (default 1)
  --seats N           seats of a table, 2 to 10 (default 4)
  --seconds S         how long to measure (default 5)
  --warm-up S         how long to play before (default 2)
  --seed N            what the answers follow from (default 1)
  --pid N             process of the server on this machine: report its CPU time a move
  --prefix TEXT       the bots are called TEXT0, TEXT1, ... (default load-)
  --seated            the server opens the tables itself; otherwise they are created, and again when they end
  --echo              send messages to a server that sends them back (bench.Echo/Echo), as a control
  --json              print one JSON object

It plays without tokens, so the server must be on this machine: `lastcard serve --port 7600` in another terminal.
exit status: 0 measured, 1 the server ended a stream or refused a call, 2 the options cannot be used
)";
}

}  // namespace lastcard::load
