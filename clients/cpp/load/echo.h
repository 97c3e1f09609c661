// A stream whose messages come back: what a message of the transport alone costs.
#pragma once

#include <string>

#include "stream.h"
#include "tally.h"

namespace lastcard::load {

class Echo : public Stream {
  public:
    Echo(const std::string& server, grpc::CompletionQueue& queue, Tally& tally)
        : Stream(server, "/bench.Echo/Echo", queue), tally_(tally) {}

  protected:
    void opened() override { send_one(); }

    void heard(grpc::ByteBuffer&) override {
        ++tally_.answered;
        tally_.verdict_ms.push_back(milliseconds_since(sent_));
        send_one();
    }

  private:
    /// About an answer to a decision.
    static constexpr size_t kBytes = 40;

    void send_one() {
        const grpc::Slice bytes(std::string(kBytes, '\0'));
        sent_ = Clock::now();
        send(grpc::ByteBuffer(&bytes, 1));
    }

    Tally& tally_;
    Moment sent_;
};

}  // namespace lastcard::load
