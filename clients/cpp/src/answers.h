// From what a bot returned to the message that answers a decision: checks, the automatic UNO call and catches,
// fallback. Not here: sending (`session.h`), calling the bot (`mind.h`). No input or output, no clock.
#pragma once

#include <stdexcept>
#include <vector>

#include "lastcard/bot.h"

namespace lastcard {

/// A bot returned something that answers nothing; the sentence says what and what would be valid.
class BadReplyError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What the SDK adds to an answer by itself.
struct Automatic {
    bool uno = true;
    bool catches = true;
};

/// The message that gives `answer` to `decision`. Throws `BadReplyError` when the answer is no index into
/// `legal_actions` and no action that may be sent, or catches a seat that does not exist.
v1::Act act_for(const Decision& decision, const Answer& answer, Automatic automatic = {});

/// Whether an answer is a call or a catch by itself, which leaves a turn open.
bool is_apart(const v1::Act& act);

/// The same decision after a call or catch by itself took effect: the view says so, the legal actions stand.
Decision after_apart(const Decision& decision, const v1::Act& act);

/// Whether a play leaves the viewer with one card, so that UNO is due.
bool leaves_one_card(const View& view, const Action& action);

/// The index of a legal action that was not refused yet: passing in a reaction, otherwise the first.
int fallback(const Decision& decision, const std::vector<std::uint32_t>& refused = {});

/// The index of the safe reaction: the own late call, else a catch that costs nothing, else passing.
int default_reaction(const View& view, const Actions& legal_actions, bool catches);

/// Whether a false catch costs nothing under the table's rules (the case in every preset).
bool catches_are_free(const View& view);

}  // namespace lastcard
