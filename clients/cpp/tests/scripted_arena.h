// A `PlayService` on a real port that does exactly what a test tells it: the other end for tests of the connection.
#pragma once

#include <grpcpp/server.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lastcard/v1/play_service.grpc.pb.h"
#include "messages.h"

namespace lastcard::testing {

/// Longest that a test waits for anything; far above what is ever needed, so that it only bounds failures.
inline constexpr std::chrono::seconds BOUND{120};

/// One call of `Play` as the test sees it. What does not come within `BOUND` is an exception.
class Stream : public grpc::ServerBidiReactor<v1::PlayRequest, v1::PlayResponse> {
  public:
    explicit Stream(const grpc::CallbackServerContext& context);

    /// The bearer token that came with the call, with the word before it; empty when there was none.
    std::string authorization;
    /// The address from which the bot's connection comes.
    std::string peer;

    /// The next message of the bot; none when it has half-closed or cancelled the stream.
    std::optional<v1::ClientMessage> next();
    /// The next message of the bot, which must be of this kind.
    v1::ClientMessage expect(v1::ClientMessage::MessageCase kind);
    /// Takes the `Hello` and welcomes the bot; further messages go out in the same frame.
    v1::Hello open(const std::vector<v1::ServerMessage>& messages = {}, const v1::ServerMessage& with = welcome());
    /// The next answers: table with decision, and choice.
    std::vector<std::string> acts(int count);
    /// The number of messages in each frame of the bot so far, and the size of the largest.
    std::vector<int> frames();
    std::size_t largest_frame();

    /// Sends messages in one frame.
    void send(const std::vector<v1::ServerMessage>& messages);
    /// Ends the stream, behind everything sent before.
    void end(grpc::StatusCode code = grpc::StatusCode::OK, const std::string& text = "because",
             std::optional<v1::ErrorCause> cause = std::nullopt);
    void end_for(grpc::StatusCode code, v1::ProtocolReason reason);
    /// Waits until the call is over on the server's side, too.
    void wait_until_over();

    void OnReadDone(bool ok) override;
    void OnWriteDone(bool ok) override;
    void OnCancel() override;
    void OnDone() override;

  private:
    void advance();

    std::mutex mutex_;
    std::condition_variable changed_;
    v1::PlayRequest incoming_;
    v1::PlayResponse outgoing_;
    std::deque<std::optional<v1::ClientMessage>> received_;
    std::vector<int> frames_;
    std::size_t largest_ = 0;
    std::deque<v1::PlayResponse> to_send_;
    std::optional<grpc::Status> ending_;
    bool writing_ = false;
    bool finished_ = false;
    bool over_ = false;
};

/// The server: its address, and the streams in the order in which bots opened them.
class ScriptedArena : public v1::PlayService::CallbackService {
  public:
    ScriptedArena();
    ~ScriptedArena() override;

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    /// The next stream that a bot opens.
    Stream& stream();
    /// Whether no further stream was opened.
    bool no_stream();
    /// Ends the server with all its streams.
    void vanish();

    grpc::ServerBidiReactor<v1::PlayRequest, v1::PlayResponse>* Play(grpc::CallbackServerContext* context) override;

  private:
    int port_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Stream>> streams_;
    std::size_t taken_ = 0;
    std::unique_ptr<grpc::Server> server_;
};

}  // namespace lastcard::testing
