#include "stream.h"

#include <utility>

namespace lastcard::load {

namespace {

std::shared_ptr<grpc::Channel> connect(const std::string& server) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own, as a bot elsewhere has
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

Stream::Stream(const std::string& server, const std::string& method, grpc::CompletionQueue& queue)
    : channel_(connect(server)), stub_(channel_), call_(stub_.PrepareCall(&context_, method, &queue)) {}

void* Stream::begin(Step& step) {
    ++under_way_;
    return static_cast<Waiting*>(&step);
}

void Stream::start() { call_->StartCall(begin(calls_)); }

void Stream::send(grpc::ByteBuffer message) {
    out_.push_back(std::move(message));
    write_next();
}

void Stream::write_next() {
    if (writing_ || out_.empty() || !opened_ || finishing_) return;
    writing_ = true;
    call_->Write(out_.front(), begin(writes_));
}

void Stream::completed(Operation operation, bool ok) {
    --under_way_;
    if (operation == Operation::Finish) {
        over_ = true;
        return;
    }
    if (!ok) {
        if (!finishing_) {
            finishing_ = true;
            call_->Finish(&status_, begin(finishes_));
        }
        return;
    }
    switch (operation) {
        case Operation::Call:
            opened_ = true;
            call_->Read(&in_, begin(reads_));
            opened();
            break;
        case Operation::Read:
            heard(in_);
            in_.Clear();
            call_->Read(&in_, begin(reads_));
            break;
        case Operation::Write:
            writing_ = false;
            out_.pop_front();
            write_next();
            break;
        case Operation::Finish:
            break;
    }
}

}  // namespace lastcard::load
