#include "call.h"

namespace lastcard {

Call::Call(v1::PlayService::Stub& stub, const std::string& token, Loop& loop, OnFrame on_frame)
    : loop_(loop), on_frame_(std::move(on_frame)) {
    if (!token.empty()) context_.AddMetadata("authorization", "Bearer " + token);
    stub.async()->Play(&context_, this);
    AddHold();  // reads and writes begin in the loop's thread; given up when nothing more can be read
    StartRead(&incoming_);
    StartCall();
}

void Call::write(v1::PlayRequest frame) {
    writing_ = true;
    outgoing_ = std::move(frame);
    StartWrite(&outgoing_);
}

void Call::half_close() {
    half_closed_ = true;
    StartWritesDone();
}

void Call::OnReadDone(bool ok) {
    loop_.post([this, ok] {
        if (!ok) {
            read_all_ = true;
            RemoveHold();
            return;
        }
        on_frame_(incoming_);
        StartRead(&incoming_);
    });
}

void Call::OnWriteDone(bool /*ok*/) {
    // A failed write is the end of the call, which the reader reports with its cause.
    loop_.post([this] { writing_ = false; });
}

void Call::OnDone(const grpc::Status& status) {
    loop_.post([this, status] {
        status_ = status;
        done_ = true;
    });
}

}  // namespace lastcard
