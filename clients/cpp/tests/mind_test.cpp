// How a bot is made to think.
#include "mind.h"

#include <gtest/gtest.h>

#include <future>

#include "messages.h"

namespace lastcard::testing {
namespace {

using namespace std::chrono_literals;
constexpr double BOUND_S = 120;

Ask ask(const Question& question = {}, std::optional<Refusal> refusal = {}, std::vector<std::uint32_t> refused = {}) {
    return {{question.table, question.number}, std::make_shared<const Decision>(decision(question)), refusal, refused};
}

struct Says : Bot {
    Answer choose(const View&, const Actions&) override { return says(); }
    std::optional<Answer> on_refused(const Decision&, const Refusal& refusal) override {
        refusals.push_back(refusal.message);
        return corrects();
    }
    std::function<Answer()> says = [] { return 0; };
    std::function<std::optional<Answer>()> corrects = [] { return std::nullopt; };
    std::vector<std::string> refusals;
};

struct Deliberate : ::testing::Test {
    std::uint32_t choice(const Ask& asked = ask()) {
        return deliberate(bot, asked, [this](const std::string& text, bool) { log += text + "\n"; }).value().choice();
    }
    Says bot;
    std::string log;
};

TEST_F(Deliberate, GivesWhatTheBotSays) {
    bot.says = [] { return 2; };
    EXPECT_EQ(choice(), 2);
    EXPECT_EQ(log, "");
}

TEST_F(Deliberate, TakesAnotherLegalActionWhenTheBotThrows) {
    bot.says = []() -> Answer { throw std::runtime_error("lost my notes"); };
    EXPECT_EQ(choice(), 0);
    EXPECT_EQ(log, "the bot threw at decision 1 of table t: lost my notes; another legal action is taken\n");
    bot.says = []() -> Answer { throw 7; };
    EXPECT_EQ(choice(), 0);
    EXPECT_NE(log.find("something that is no std::exception"), std::string::npos);
}

TEST_F(Deliberate, LetsTheBotCorrectNonsenseOnce) {
    bot.says = [] { return 9; };
    EXPECT_EQ(choice(), 0);
    bot.corrects = [] { return Answer(2); };
    EXPECT_EQ(choice(), 2);
    bot.corrects = [] { return Answer(8); };
    EXPECT_EQ(choice(), 0);
    EXPECT_EQ(bot.refusals.at(0), "choice 9 is no index into legal_actions; valid are 0 to 2");
    EXPECT_NE(log.find("could not correct its answer"), std::string::npos);
}

TEST_F(Deliberate, AsksForACorrectionElseTakesWhatWasNotRefused) {
    const Ask again = ask({}, Refusal{.message = "no"}, {0});
    EXPECT_EQ(choice(again), 1);
    bot.corrects = [] { return Answer(2); };
    EXPECT_EQ(choice(again), 2);
    bot.corrects = []() -> std::optional<Answer> { throw std::runtime_error("?"); };
    EXPECT_EQ(choice(again), 1);
}

TEST_F(Deliberate, ReactsOutOfTurn) {
    EXPECT_EQ(choice(ask({.legal = {"jump R6", "uno", "pass"}, .kind = DECISION_KIND_REACTION})), 1);
}

TEST_F(Deliberate, HeedsWhatTheBotWantsAutomatic) {
    const Ask due = ask({.legal = {"R1"}, .seen = {.hand = "R1 R2", .catchable = {1}}});
    const Log quiet = [](const std::string&, bool) {};
    const v1::Act full = deliberate(bot, due, quiet).value();
    EXPECT_TRUE(full.call_uno());
    EXPECT_EQ(full.catch_seats_size(), 1);
    bot.auto_uno = bot.auto_catch = false;
    const v1::Act bare = deliberate(bot, due, quiet).value();
    EXPECT_FALSE(bare.call_uno());
    EXPECT_EQ(bare.catch_seats_size(), 0);
}

TEST_F(Deliberate, SaysNothingWhereNothingIsLegal) {
    EXPECT_FALSE(deliberate(bot, ask({.legal = {}}), [this](const std::string& text, bool) { log += text; }));
    EXPECT_NE(log.find("without any legal action"), std::string::npos);
}

/// A bot whose thoughts end when the test says so.
struct Thinker : Bot {
    Answer decide(const Decision& asked) override {
        const std::lock_guard lock(mutex);
        began.push_back(asked.decision_id());
        changed.notify_all();
        return Answer(0);
    }
    Answer choose(const View&, const Actions&) override { return 0; }
    void on_receipt(const std::string&, const Receipt& receipt) override {
        const std::lock_guard lock(mutex);
        told.push_back(receipt.decision_id());
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::uint32_t> began, told;
};

/// A bot that thinks until it is told to go on.
struct Blocked : Thinker {
    Answer decide(const Decision& asked) override {
        Thinker::decide(asked);
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return go; });
        was_wanted.push_back(wanted());
        return 0;
    }
    void release() {
        const std::lock_guard lock(mutex);
        go = true;
        changed.notify_all();
    }
    void wait_until_began(std::size_t count) {
        std::unique_lock lock(mutex);
        ASSERT_TRUE(changed.wait_for(lock, 20s, [&] { return began.size() >= count; }));
    }
    bool go = false;
    std::vector<bool> was_wanted;
};

struct Host {
    explicit Host(Bot& bot)
        : mind(
              bot, loop, [](const std::string&, bool) {},
              [this](const Key& key, v1::Act) { answered.push_back(key.second); }) {}
    void wait_for(std::size_t count) {
        loop.run_until([&] { return answered.size() >= count; }, BOUND_S);
        ASSERT_EQ(answered.size(), count);
    }
    Loop loop;
    std::vector<std::uint32_t> answered;
    Mind mind;
};

Tell receipt(std::uint32_t number) {
    Receipt made;
    made.set_decision_id(number);
    return {TableReceipt{"t", made}};
}

TEST(Mind, WithoutThreadsAnswersAtOnce) {
    Thinker bot;
    bot.threads = 0;
    Host host(bot);
    host.mind.ask(ask());
    EXPECT_EQ(host.answered, std::vector<std::uint32_t>{1});
    host.mind.tell(receipt(1));
    EXPECT_EQ(bot.told, std::vector<std::uint32_t>{1});
}

TEST(Mind, OfOneThreadAnswersOneAfterTheOther) {
    Thinker bot;
    Host host(bot);
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 1; number <= 50; ++number) {
        host.mind.ask(ask({.number = number}));
        numbers.push_back(number);
    }
    host.wait_for(50);
    EXPECT_EQ(host.answered, numbers);
    EXPECT_EQ(bot.began, numbers);
}

TEST(Mind, DoesNotTakeTheAnswerToAWithdrawnDecisionNorBeginOne) {
    Blocked bot;
    Host host(bot);
    host.mind.ask(ask({.number = 1}));
    bot.wait_until_began(1);
    host.mind.ask(ask({.number = 2}));
    host.mind.withdraw({"t", 1});
    host.mind.withdraw({"t", 2});
    host.mind.ask(ask({.number = 3}));
    bot.release();
    host.wait_for(1);
    EXPECT_EQ(host.answered, std::vector<std::uint32_t>{3});
    EXPECT_EQ(bot.began, (std::vector<std::uint32_t>{1, 3}));
}

TEST(Mind, DoesNotTakeTheAnswerToAWithdrawnDecisionForOneToTheSameAskedAnew) {
    struct Counts : Blocked {
        Answer decide(const Decision& asked) override {
            Blocked::decide(asked);
            return thoughts++;
        }
        int thoughts = 0;
    } bot;
    Loop loop;
    std::vector<std::uint32_t> choices;
    Mind mind(
        bot, loop, [](const std::string&, bool) {},
        [&](const Key&, const v1::Act& act) { choices.push_back(act.choice()); });
    mind.ask(ask());
    bot.wait_until_began(1);
    mind.withdraw({"t", 1});
    mind.ask(ask());
    bot.release();
    loop.run_until([&] { return !choices.empty(); }, BOUND_S);
    EXPECT_EQ(choices, std::vector<std::uint32_t>{1});
}

TEST(Mind, OfSeveralThreadsTellsOneThingAtATime) {
    struct Slow : Thinker {
        void on_receipt(const std::string& table_id, const Receipt& receipt) override {
            if (receipt.decision_id() == 1) {
                std::unique_lock lock(mutex);
                changed.wait_for(lock, 50ms, [this] { return !told.empty(); });  // gives the next a chance to be first
            }
            Thinker::on_receipt(table_id, receipt);
            changed.notify_all();
        }
    } bot;
    bot.threads = 2;
    Host host(bot);
    host.mind.tell(receipt(1));
    host.mind.tell(receipt(2));
    ASSERT_TRUE(host.mind.close(BOUND_S));
    EXPECT_EQ(bot.told, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Mind, TellsAThoughtThatItIsNotWantedAnyMore) {
    for (const bool withdrawn : {false, true}) {
        Blocked bot;
        Host host(bot);
        host.mind.ask(ask());
        bot.wait_until_began(1);
        if (withdrawn) host.mind.withdraw({"t", 1});
        bot.release();
        host.mind.ask(ask({.number = 2}));
        host.wait_for(withdrawn ? 1 : 2);
        EXPECT_EQ(bot.was_wanted.at(0), !withdrawn);
    }
    EXPECT_TRUE(Bot::wanted()) << "outside of thoughts there is nothing to be withdrawn";
}

TEST(Mind, OfSeveralThreadsThinksAboutDecisionsAtOnceAndTellsInOrder) {
    Blocked bot;
    bot.threads = 3;
    Host host(bot);
    for (std::uint32_t number = 1; number <= 2; ++number) host.mind.ask(ask({.number = number}));
    bot.wait_until_began(2);
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 1; number <= 100; ++number) {
        host.mind.tell(receipt(number));
        numbers.push_back(number);
    }
    bot.release();
    host.wait_for(2);
    ASSERT_TRUE(host.mind.close(BOUND_S));
    EXPECT_EQ(bot.told, numbers);
}

TEST(Mind, HearsWhatItWasToldBeforeItEndsAndSaysWhenItDoesNotEnd) {
    Blocked bot;
    Host host(bot);
    host.mind.ask(ask());
    bot.wait_until_began(1);
    host.mind.tell(receipt(1));
    EXPECT_FALSE(host.mind.close(0));
    bot.release();
    EXPECT_TRUE(host.mind.close(BOUND_S));
    EXPECT_EQ(bot.told, std::vector<std::uint32_t>{1});
    host.loop.run_until([] { return true; });
    EXPECT_TRUE(host.answered.empty()) << "answers are not wanted any more";
}

TEST(Mind, BearsAFaultInAHook) {
    struct Throws : Thinker {
        void on_receipt(const std::string&, const Receipt&) override { throw std::runtime_error("?"); }
    } bot;
    Host host(bot);
    host.mind.tell(receipt(1));
    host.mind.ask(ask());
    host.wait_for(1);
}

TEST(HearsEvents, ExactlyWhenAHookForThemIsOverridden) {
    struct OnEvent : Says {
        void on_event(const std::string&, const Event&) override {}
    };
    struct Hidden : Says {
      private:
        void on_notice(const Notice&) override {}
    };
    struct Derived : OnEvent {};
    EXPECT_FALSE(hears_events<Says>());
    EXPECT_FALSE(hears_events<Thinker>()) << "a receipt is no event";
    EXPECT_TRUE(hears_events<OnEvent>());
    EXPECT_TRUE(hears_events<Hidden>());
    EXPECT_TRUE(hears_events<Derived>());
}

TEST(Loop, WorksInOrderAndWhenTimersAreDue) {
    Loop loop;
    std::string done;
    const Loop::Timer never = loop.later(0.002, [&] { done += "n"; });
    loop.later(0.02, [&] { done += "c"; });
    loop.later(0.01, [&] { done += "b"; });
    loop.cancel(never);
    loop.post([&] { done += "a"; });
    loop.run_until([&] { return done.size() == 3; }, BOUND_S);
    EXPECT_EQ(done, "abc");
    loop.run_until([] { return false; }, 0.001);  // ends by its time
    std::thread other([&] { loop.post([&] { done += "d"; }); });
    loop.run_until([&] { return done.size() == 4; }, BOUND_S);
    other.join();
    EXPECT_EQ(done, "abcd");
}

}  // namespace
}  // namespace lastcard::testing
