// A player on a stream of its own.
// Not here: what it says (`player`).
#pragma once

#include <string>
#include <utility>

#include "lastcard/v1/play_service.pb.h"
#include "player.h"
#include "stream.h"

namespace lastcard::load {

class Bot : public Stream {
  public:
    Bot(const std::string& server, grpc::CompletionQueue& queue, Player player)
        : Stream(server, "/lastcard.v1.PlayService/Play", queue), player_(std::move(player)) {}

    bool is_welcome() const { return player_.is_welcome(); }

  protected:
    void opened() override;
    void heard(grpc::ByteBuffer& bytes) override;

  private:
    Player player_;
    v1::PlayResponse frame_;
};

}  // namespace lastcard::load
