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
    const std::lock_guard lock(reach_);
    if (leave_) return leave_(table_id);
    if (!has_run_) throw std::logic_error("the bot is not running; leave() is for a bot that run() has started");
}

void Bot::stop() {
    const std::lock_guard lock(reach_);
    if (stop_) return stop_();
    if (!has_run_) throw std::logic_error("the bot is not running; stop() is for a bot that run() has started");
}

void Bot::attach(std::function<void(const std::string&)> leave, std::function<void()> stop) {
    const std::lock_guard lock(reach_);
    has_run_ = true;
    leave_ = std::move(leave);
    stop_ = std::move(stop);
}

}  // namespace lastcard
