#include "tables.h"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace lastcard::load {

std::vector<std::vector<int>> compositions(int bots, int tables, int seats) {
    std::vector<std::vector<int>> made;
    // Seats are filled in rounds over all bots. Where rounds end with a table, each steps by another number, so that
    // bots meet others; a number with no common divisor reaches every bot once.
    const bool rounds_end_with_tables = bots % seats == 0;
    for (long place = 0; place + seats <= static_cast<long>(bots) * tables; place += seats) {
        long step = rounds_end_with_tables ? 1 + place / bots : 1;
        while (std::gcd(step, static_cast<long>(bots)) != 1) ++step;
        std::vector<int> group;
        for (long seat = place; seat < place + seats; ++seat) {
            group.push_back(static_cast<int>(seat % bots * step % bots));
        }
        made.push_back(std::move(group));
    }
    return made;
}

struct Tables::Call : Waiting {
    Call(Tables& owner, std::vector<std::string> who) : tables(owner), names(std::move(who)) {}
    void completed(bool) override { tables.completed(*this); }

    Tables& tables;
    std::vector<std::string> names;
    grpc::ClientContext context;
    grpc::Status status;
    v1::CreateTableResponse response;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::CreateTableResponse>> reader;
};

Tables::Tables(const std::string& server, grpc::CompletionQueue& queue)
    : stub_(v1::TableService::NewStub(grpc::CreateChannel(server, grpc::InsecureChannelCredentials()))),
      queue_(queue) {}

Tables::~Tables() = default;

void Tables::open(std::vector<std::string> names) {
    v1::CreateTableRequest request;
    request.mutable_clock()->mutable_limit()->set_seconds(60);
    for (const std::string& name : names) request.add_seats()->set_bot_name(name);
    auto call = std::make_unique<Call>(*this, std::move(names));
    call->reader = stub_->AsyncCreateTable(&call->context, request, &queue_);
    call->reader->Finish(&call->response, &call->status, static_cast<Waiting*>(call.get()));
    calls_[call.get()] = std::move(call);
}

void Tables::completed(Call& call) {
    const std::unique_ptr<Call> done = std::move(calls_.at(&call));
    calls_.erase(&call);
    if (stopped_) return;
    if (!done->status.ok()) throw std::runtime_error("CreateTable: " + done->status.error_message());
    ++opened_;
    names_[done->response.table().table_id()] = std::move(done->names);
}

void Tables::closed(const std::string& table) {
    const auto found = names_.find(table);
    if (stopped_ || found == names_.end()) return;
    std::vector<std::string> names = std::move(found->second);
    names_.erase(found);
    open(std::move(names));
}

}  // namespace lastcard::load
