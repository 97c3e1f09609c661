// The tables of the load: who sits at which, opened by `CreateTable` and again when they are over.
// Not here: playing at them (`bot`).
#pragma once

#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lastcard/v1/table_service.grpc.pb.h"
#include "stream.h"

namespace lastcard::load {

/// Who sits together: `tables` tables for each of `bots` bots, `seats` at a table, no bot twice at one.
std::vector<std::vector<int>> compositions(int bots, int tables, int seats);

class Tables {
  public:
    Tables(const std::string& server, grpc::CompletionQueue& queue);
    ~Tables();

    /// Opens a table for these bots.
    void open(std::vector<std::string> names);
    /// Somebody at a table heard that it is over; the first to do so has it opened again.
    void closed(const std::string& table);
    /// Opens no more tables.
    void stop() { stopped_ = true; }
    /// How many were opened.
    long opened() const { return opened_; }
    /// Whether no call is under way.
    bool is_idle() const { return calls_.empty(); }

  private:
    struct Call;
    void completed(Call& call);

    std::unique_ptr<v1::TableService::Stub> stub_;
    grpc::CompletionQueue& queue_;
    std::map<Call*, std::unique_ptr<Call>> calls_;
    std::map<std::string, std::vector<std::string>> names_;
    bool stopped_ = false;
    long opened_ = 0;
};

}  // namespace lastcard::load
