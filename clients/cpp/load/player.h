// What a bot of the load says to what it hears: a random legal action for every decision.
// Not here: the stream that carries it (`bot`), the tables (`tables`).
#pragma once

#include <functional>
#include <random>
#include <string>
#include <unordered_map>

#include "lastcard/v1/play_service.pb.h"
#include "tally.h"

namespace lastcard::load {

class Player {
  public:
    /// Is told each table that is over.
    using Closed = std::function<void(const std::string& table)>;

    /// One answer in `sample_every` is timed.
    Player(std::string name, unsigned seed, int sample_every, Tally& tally, Closed closed);

    /// The first frame of a stream.
    v1::PlayRequest hello() const;
    /// What is to be said to a frame, all in one; it has no messages when there is nothing to say.
    v1::PlayRequest hear(const v1::PlayResponse& frame);

    bool is_welcome() const { return welcome_; }

  private:
    struct Asked {
        uint32_t decision = 0;
        uint32_t sequence = 0;
        Moment sent;
        bool awaits_verdict = false;
        bool awaits_event = false;
    };

    void answer(const v1::Decision& decision, v1::PlayRequest& answers);
    void judge(const v1::ActResult& result);
    void see(const v1::TableEvents& events);

    std::string name_;
    std::minstd_rand random_;
    int sample_every_;
    Tally& tally_;
    Closed closed_;
    bool welcome_ = false;
    long answers_ = 0;
    std::unordered_map<std::string, Asked> asked_;
};

}  // namespace lastcard::load
