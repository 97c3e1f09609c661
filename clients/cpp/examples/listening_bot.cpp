// A bot that listens to every event and thinks about all its decisions at once, each for a while.
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lastcard/bot.h"

using namespace lastcard;

class ListeningBot : public Bot {
  public:
    ListeningBot() {
        threads = 64;
        max_open_decisions = 0;  // no limit
    }

    Answer choose(const View& view, const Actions& legal_actions) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a model's server, another process, ...
        return view.hand_size() % legal_actions.size();
    }

    void on_event(const std::string& table_id, const Event& event) override {
        const std::lock_guard lock(mutex_);
        if (event.has_card_played()) ++played_[table_id];
    }

    void on_table_closed(const TableClosed& closed) override {
        const std::lock_guard lock(mutex_);
        std::cout << closed.table_id() << " is over; cards played: " << played_[closed.table_id()] << std::endl;
        played_.erase(closed.table_id());
    }

  private:
    std::mutex mutex_;
    std::map<std::string, int> played_;
};

int main() {
    ListeningBot bot;
    return run(bot);
}
