// One call of `Play` on gRPC's callback API: what its threads report is posted to the loop.
// Not here: what the frames mean (`connection.h`).
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <string>

#include "lastcard/v1/play_service.grpc.pb.h"
#include "loop.h"

namespace lastcard {

/// A call from its start to its end. All methods and callbacks are for the loop's thread; it must not be destroyed
/// before `done()`.
class Call : private grpc::ClientBidiReactor<v1::PlayRequest, v1::PlayResponse> {
  public:
    /// Takes a frame; the next is read when it returns.
    using OnFrame = std::function<void(v1::PlayResponse&)>;

    /// Starts the call, with a bearer token unless that is empty.
    Call(v1::PlayService::Stub& stub, const std::string& token, Loop& loop, OnFrame on_frame);

    /// Whether a frame can be written now: one at a time, and none behind the end.
    bool can_write() const { return !writing_ && !half_closed_ && !read_all_; }
    void write(v1::PlayRequest frame);
    /// Says that nothing more will be written.
    void half_close();
    void cancel() { context_.TryCancel(); }
    bool half_closed() const { return half_closed_; }
    /// Whether the call is over, and with which status.
    bool done() const { return done_; }
    const grpc::Status& status() const { return status_; }

  private:
    void OnReadDone(bool ok) override;
    void OnWriteDone(bool) override;
    void OnDone(const grpc::Status& status) override;

    Loop& loop_;
    OnFrame on_frame_;
    grpc::ClientContext context_;
    v1::PlayResponse incoming_;
    v1::PlayRequest outgoing_;
    bool writing_ = false;
    bool half_closed_ = false;
    bool read_all_ = false;
    bool done_ = false;
    grpc::Status status_;
};

}  // namespace lastcard
