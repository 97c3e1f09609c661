// Messages of a server as a bot gets them, in few words: cards and actions by notation, one seat 0 at a table `t`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lastcard/messages.h"

namespace lastcard::testing {

/// `R5`, `YS`, `W4`.
int card(const std::string& text);
/// `R5`, `W/G`, `R7>2`, `draw`, `color B`, `jump R6`, `catch 2`, `pass` and so on.
Action action(const std::string& text);

/// What a view holds beside the hand; what seat 0 of two sees, unless told otherwise.
struct Seen {
    std::string hand = "R1 R2 Y1";
    std::vector<std::uint32_t> counts = {};
    std::map<std::string, std::string> options = {};
    std::vector<std::uint32_t> active = {0, 1};
    std::vector<std::uint32_t> called = {};
    std::vector<std::uint32_t> catchable = {};
    int direction = 1;
};
View view(const Seen& seen = {});

/// A question: two plays and a draw to choose from, unless told otherwise.
struct Question {
    std::uint32_t number = 1;
    std::vector<std::string> legal = {"R1", "R2", "draw"};
    std::string table = "t";
    v1::DecisionKind kind = DECISION_KIND_TURN;
    Seen seen = {};
    std::optional<std::uint32_t> receipt = std::nullopt;
};
Decision decision(const Question& question = {});
v1::ServerMessage asked(const Question& question = {});
inline v1::ServerMessage asked(std::uint32_t number) { return asked(Question{.number = number}); }

v1::ServerMessage welcome();
v1::ServerMessage seated(const std::string& table = "t");
/// The answer took effect; without a receipt the decision stays open.
v1::ServerMessage accepted(std::uint32_t number = 1, bool receipt = true, const std::string& table = "t");
/// The answer was refused for a reason of the game or of the transport.
v1::ServerMessage refused(std::uint32_t number = 1, const std::string& reason = "CARD_NOT_PLAYABLE",
                          std::uint32_t left = 2);
v1::ServerMessage decision_closed(std::uint32_t number = 1, const std::string& reason = "TURN_EXPIRED",
                                  bool receipt = true);
/// Events of a table, all of them turns that began.
v1::ServerMessage events(const std::vector<std::uint32_t>& sequences, const std::string& table = "t");
v1::ServerMessage snapshot(std::uint32_t sequence, const std::string& table = "t");
v1::ServerMessage table_closed(const std::string& table = "t", std::optional<std::uint32_t> receipt = std::nullopt);
v1::ServerMessage message_refused(const std::string& reason, const std::string& table = "");
v1::ServerMessage heartbeat(std::uint32_t number);
v1::ServerMessage draining();
v1::ServerMessage notice(v1::NoticeKind kind);

}  // namespace lastcard::testing
