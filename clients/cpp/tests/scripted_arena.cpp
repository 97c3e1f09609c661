#include "scripted_arena.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <stdexcept>

#include "status_details.pb.h"

namespace lastcard::testing {

Stream::Stream(const grpc::CallbackServerContext& context) : peer(context.peer()) {
    const auto& metadata = context.client_metadata();
    if (const auto found = metadata.find("authorization"); found != metadata.end()) {
        authorization = std::string(found->second.data(), found->second.size());
    }
    StartRead(&incoming_);
}

std::optional<v1::ClientMessage> Stream::next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, BOUND, [this] { return !received_.empty(); })) {
        throw std::runtime_error("the bot said nothing");
    }
    auto message = std::move(received_.front());
    received_.pop_front();
    return message;
}

v1::ClientMessage Stream::expect(v1::ClientMessage::MessageCase kind) {
    const auto message = next();
    if (!message) throw std::runtime_error("the stream was closed instead of message " + std::to_string(kind));
    if (message->message_case() != kind) {
        throw std::runtime_error("instead of message " + std::to_string(kind) + ": " + message->ShortDebugString());
    }
    return *message;
}

v1::Hello Stream::open(const std::vector<v1::ServerMessage>& messages, const v1::ServerMessage& with) {
    v1::Hello hello = expect(v1::ClientMessage::kHello).hello();
    std::vector<v1::ServerMessage> all{with};
    all.insert(all.end(), messages.begin(), messages.end());
    send(all);
    return hello;
}

std::vector<std::string> Stream::acts(int count) {
    std::vector<std::string> all;
    for (int number = 0; number < count; ++number) {
        const v1::Act act = expect(v1::ClientMessage::kAct).act();
        all.push_back(act.table_id() + std::to_string(act.decision_id()) + ":" + std::to_string(act.choice()));
    }
    return all;
}

std::vector<int> Stream::frames() {
    const std::lock_guard lock(mutex_);
    return frames_;
}

std::size_t Stream::largest_frame() {
    const std::lock_guard lock(mutex_);
    return largest_;
}

void Stream::send(const std::vector<v1::ServerMessage>& messages) {
    v1::PlayResponse frame;
    for (const auto& message : messages) *frame.add_messages() = message;
    const std::lock_guard lock(mutex_);
    to_send_.push_back(std::move(frame));
    advance();
}

void Stream::end(grpc::StatusCode code, const std::string& text, std::optional<v1::ErrorCause> cause) {
    client::StatusDetails details;
    details.set_code(code);
    details.set_message(text);
    if (cause) details.add_details()->PackFrom(*cause);
    const std::lock_guard lock(mutex_);
    ending_ = code == grpc::StatusCode::OK ? grpc::Status::OK
                                           : grpc::Status(code, text, cause ? details.SerializeAsString() : "");
    advance();
}

void Stream::end_for(grpc::StatusCode code, v1::ProtocolReason reason) {
    v1::ErrorCause cause;
    cause.set_protocol_reason(reason);
    end(code, "because", cause);
}

void Stream::wait_until_over() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, BOUND, [this] { return over_; })) throw std::runtime_error("the stream goes on");
}

/// Starts whatever comes next, under the lock.
void Stream::advance() {
    if (writing_ || finished_) return;
    if (!to_send_.empty()) {
        outgoing_ = std::move(to_send_.front());
        to_send_.pop_front();
        writing_ = true;
        StartWrite(&outgoing_);
    } else if (ending_) {
        finished_ = true;
        Finish(*ending_);
    }
}

void Stream::OnReadDone(bool ok) {
    const std::lock_guard lock(mutex_);
    if (ok) {
        frames_.push_back(incoming_.messages_size());
        largest_ = std::max(largest_, incoming_.ByteSizeLong());
        for (const auto& message : incoming_.messages()) received_.push_back(message);
        StartRead(&incoming_);
    } else {
        received_.push_back(std::nullopt);
    }
    changed_.notify_all();
}

void Stream::OnWriteDone(bool ok) {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) {
        to_send_.clear();
        if (!ending_) ending_ = grpc::Status::CANCELLED;
    }
    advance();
}

void Stream::OnCancel() {
    const std::lock_guard lock(mutex_);
    to_send_.clear();
    ending_ = grpc::Status::CANCELLED;
    advance();
}

void Stream::OnDone() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
}

ScriptedArena::ScriptedArena() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (!server_) throw std::runtime_error("the arena has no port");
}

ScriptedArena::~ScriptedArena() { vanish(); }

void ScriptedArena::vanish() {
    if (!server_) return;
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
    for (const auto& stream : streams_) stream->wait_until_over();
}

Stream& ScriptedArena::stream() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, BOUND, [this] { return streams_.size() > taken_; })) {
        throw std::runtime_error("no bot opened a stream");
    }
    return *streams_[taken_++];
}

bool ScriptedArena::no_stream() {
    const std::lock_guard lock(mutex_);
    return streams_.size() == taken_;
}

grpc::ServerBidiReactor<v1::PlayRequest, v1::PlayResponse>* ScriptedArena::Play(grpc::CallbackServerContext* context) {
    auto stream = std::make_unique<Stream>(*context);
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(stream));
    changed_.notify_all();
    return streams_.back().get();
}

}  // namespace lastcard::testing
