// What the load generator is asked to do, from its command line.
// Not here: doing it (`run`).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lastcard::load {

/// The command line cannot be used; the sentence says what was wrong and what would be valid.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Options {
    /// `host:port` of the server.
    std::string server = "127.0.0.1:7600";
    /// How many bots, each with a connection and a stream of its own.
    int bots = 64;
    /// How many tables each bot sits at.
    int tables = 1;
    /// Seats of a table, 2 to 10.
    int seats = 4;
    /// Seconds that are measured, and seconds before.
    double seconds = 5;
    double warm_up = 2;
    /// What the bots' choices follow from.
    unsigned seed = 1;
    /// Process of the server, whose CPU time is reported; 0 for none.
    long pid = 0;
    /// Begin of the bots' names, which a number follows.
    std::string prefix = "load-";
    /// Whether the server opens the tables by itself.
    bool seated = false;
    /// Whether messages are sent to a server that sends them back, instead of games being played.
    bool echo = false;
    /// Whether the report is one JSON object.
    bool json = false;
    bool help = false;
};

/// Reads the arguments behind the program's name. Throws `UsageError`.
Options options(const std::vector<std::string>& arguments);

/// The text of `--help`.
std::string usage();

}  // namespace lastcard::load
