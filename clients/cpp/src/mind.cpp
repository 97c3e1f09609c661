#include "mind.h"

#include <exception>

#include "answers.h"

namespace lastcard {
namespace {

/// The decision that the present thread thinks about.
thread_local const std::atomic<bool>* present_thought = nullptr;

template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};

std::string where(const Key& key) { return "decision " + std::to_string(key.second) + " of table " + key.first; }

/// What the exception in flight says.
std::string present_fault() {
    try {
        throw;
    } catch (const std::exception& fault) {
        return fault.what();
    } catch (...) {
        return "something that is no std::exception";
    }
}

v1::Act act_of(const Bot& bot, const Ask& ask, const Answer& answer) {
    return act_for(*ask.decision, answer, {.uno = bot.auto_uno, .catches = bot.auto_catch});
}

/// What the bot says: to the decision, or to the refusal of its former answer.
Answer first_answer(Bot& bot, const Ask& ask, const Log& log) {
    try {
        if (!ask.refusal) return bot.decide(*ask.decision);
        if (auto answer = bot.on_refused(*ask.decision, *ask.refusal)) return *std::move(answer);
    } catch (...) {
        log("the bot threw at " + where(ask.key) + ": " + present_fault() + "; another legal action is taken", true);
    }
    return fallback(*ask.decision, ask.refused);
}

/// The bot's second attempt after a bad answer, or the fallback.
v1::Act corrected(Bot& bot, const Ask& ask, const Refusal& refusal, const Log& log) {
    try {
        if (const auto answer = bot.on_refused(*ask.decision, refusal)) return act_of(bot, ask, *answer);
    } catch (...) {
        log("the bot could not correct its answer at " + where(ask.key) + ": " + present_fault(), true);
    }
    return act_of(bot, ask, fallback(*ask.decision, ask.refused));
}

}  // namespace

bool Bot::wanted() { return present_thought == nullptr || present_thought->load(std::memory_order_relaxed); }

std::optional<v1::Act> deliberate(Bot& bot, const Ask& ask, const Log& log) {
    if (ask.decision->legal_actions().empty()) {
        log("the server asked " + where(ask.key) + " without any legal action; it stays unanswered", true);
        return std::nullopt;
    }
    const Answer answer = first_answer(bot, ask, log);
    try {
        return act_of(bot, ask, answer);
    } catch (const BadReplyError& error) {
        log("bad answer at " + where(ask.key) + ": " + error.what(), true);
        return corrected(bot, ask, Refusal{.message = error.what()}, log);
    }
}

void tell_bot(Bot& bot, const Tell& tell, const Log& log) {
    try {
        std::visit(Overloaded{
                       [&](const Seated& seated) { bot.on_seated(seated); },
                       [&](const TableEvent& news) { bot.on_event(news.table_id, news.event); },
                       [&](const TableSnapshot& snapshot) { bot.on_snapshot(snapshot); },
                       [&](const Notice& notice) { bot.on_notice(notice); },
                       [&](const TableReceipt& news) { bot.on_receipt(news.table_id, news.receipt); },
                       [&](const TableClosed& closed) { bot.on_table_closed(closed); },
                   },
                   tell.news);
    } catch (...) {
        log("the bot threw in a hook: " + present_fault(), true);
    }
}

Mind::Mind(Bot& bot, Loop& loop, Log log, Answered answered)
    : bot_(bot), loop_(loop), log_(std::move(log)), answered_(std::move(answered)), working_(bot.threads) {
    for (unsigned number = 0; number < bot.threads; ++number) threads_.emplace_back([this] { work(); });
}

Mind::~Mind() {
    close(0);
    for (std::thread& thread : threads_) thread.join();
}

void Mind::ask(Ask ask) {
    auto thought = std::make_shared<Thought>();
    thought->ask = std::move(ask);
    thoughts_[thought->ask.key] = thought;
    if (threads_.empty()) {
        deliver(thought, deliberate(bot_, thought->ask, log_));
    } else {
        add(std::move(thought));
    }
}

void Mind::tell(Tell tell) {
    if (threads_.empty()) {
        tell_bot(bot_, tell, log_);
    } else {
        add(std::move(tell));
    }
}

void Mind::withdraw(const Key& key) {
    const auto at = thoughts_.find(key);
    if (at == thoughts_.end()) return;
    at->second->wanted = false;
    thoughts_.erase(at);
}

bool Mind::close(double seconds) {
    for (const auto& [key, thought] : thoughts_) thought->wanted = false;
    thoughts_.clear();
    std::unique_lock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return working_ == 0; });
}

void Mind::add(Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_all();
}

/// A thread: one job after the other, until there is none and the mind closes.
void Mind::work() {
    std::optional<Job> job;
    while (next_job(job)) {
        if (const auto* tell = std::get_if<Tell>(&*job)) {
            tell_bot(bot_, *tell, log_);
            const std::lock_guard lock(mutex_);
            telling_ = false;
            changed_.notify_all();
        } else {
            think(std::get<std::shared_ptr<Thought>>(*job));
        }
    }
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_all();
}

/// Waits for a job; none is taken while a hook runs in another thread, so that things are told in order.
bool Mind::next_job(std::optional<Job>& job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !telling_ && (closing_ || !jobs_.empty()); });
    if (jobs_.empty()) return false;
    job = std::move(jobs_.front());
    jobs_.pop_front();
    telling_ = std::holds_alternative<Tell>(*job);
    return true;
}

void Mind::think(const std::shared_ptr<Thought>& thought) {
    if (!thought->wanted) return;
    present_thought = &thought->wanted;
    auto act = deliberate(bot_, thought->ask, log_);
    present_thought = nullptr;
    loop_.post([this, thought, act = std::move(act)]() mutable { deliver(thought, std::move(act)); });
}

/// Hands an answer on, unless its decision was withdrawn meanwhile.
void Mind::deliver(const std::shared_ptr<Thought>& thought, std::optional<v1::Act> act) {
    const auto at = thoughts_.find(thought->ask.key);
    if (at == thoughts_.end() || at->second != thought) return;
    thoughts_.erase(at);
    if (act) answered_(thought->ask.key, *std::move(act));
}

}  // namespace lastcard
