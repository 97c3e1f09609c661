#include "bot.h"

#include <grpcpp/support/proto_buffer_reader.h>

#include <stdexcept>

#include "lastcard/v1/play_service.grpc.pb.h"

namespace lastcard::load {

namespace {

grpc::ByteBuffer bytes_of(const v1::PlayRequest& request) {
    grpc::ByteBuffer buffer;
    bool own = false;
    const grpc::Status status = grpc::SerializationTraits<v1::PlayRequest>::Serialize(request, &buffer, &own);
    if (!status.ok()) throw std::runtime_error("a frame cannot be written: " + status.error_message());
    return buffer;
}

}  // namespace

void Bot::opened() { send(bytes_of(player_.hello())); }

void Bot::heard(grpc::ByteBuffer& bytes) {
    frame_.Clear();  // keeps its memory for the next frame
    grpc::ProtoBufferReader reader(&bytes);
    if (!frame_.ParseFromZeroCopyStream(&reader)) throw std::runtime_error("the server sent what is no PlayResponse");
    const v1::PlayRequest answers = player_.hear(frame_);
    if (answers.messages_size() > 0) send(bytes_of(answers));
}

}  // namespace lastcard::load
