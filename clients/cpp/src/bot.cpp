#include "lastcard/bot.h"

#include "answers.h"

namespace lastcard {

Answer Bot::react(const View& view, const Actions& legal_actions) {
    return default_reaction(view, legal_actions, auto_catch);
}

Answer Bot::decide(const Decision& decision) {
    if (decision.kind() == DECISION_KIND_REACTION) return react(decision.view(), decision.legal_actions());
    return choose(decision.view(), decision.legal_actions());
}

void Bot::leave(const std::string& table_id) {
    if (!leave_) throw std::logic_error("the bot is not running; leave() is for a bot that run() has started");
    leave_(table_id);
}

void Bot::stop() {
    if (!stop_) throw std::logic_error("the bot is not running; stop() is for a bot that run() has started");
    stop_();
}

void Bot::attach(std::function<void(const std::string&)> leave, std::function<void()> stop) {
    leave_ = std::move(leave);
    stop_ = std::move(stop);
}

}  // namespace lastcard
