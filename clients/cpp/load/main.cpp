// Keeps a server busy and says what it bore: the load generator, one thread on one completion queue.
//
// Here: the course of a run. Not here: a bot (`bot`, `player`), a connection (`stream`), the tables (`tables`), the
// command line
// (`options`), the figures (`report`).
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bot.h"
#include "echo.h"
#include "options.h"
#include "player.h"
#include "report.h"
#include "stream.h"
#include "tables.h"
#include "tally.h"

namespace lastcard::load {
namespace {

/// Longest that all bots may take to be welcome.
constexpr double kWelcomeSeconds = 30;

std::chrono::system_clock::time_point in_seconds(double seconds) {
    return std::chrono::system_clock::now() +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::duration<double>(seconds));
}

double own_cpu_seconds() {
    timespec spent{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

class Run {
  public:
    explicit Run(const Options& options) : options_(options), tables_(options.server, queue_) {
        const int sample_every = std::max(1, options.tables / 8);
        for (int number = 0; number < options.bots; ++number) {
            if (options.echo) {
                streams_.push_back(std::make_unique<Echo>(options.server, queue_, tally_));
                continue;
            }
            const auto seed = options.seed + static_cast<unsigned>(number);
            const auto closed = [this](const std::string& table) { tables_.closed(table); };
            Player player(name(number), seed, sample_every, tally_, closed);
            streams_.push_back(std::make_unique<Bot>(options.server, queue_, std::move(player)));
        }
    }

    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// Ends everything that is under way, so that nothing is called any more.
    ~Run() {
        tables_.stop();
        for (const auto& stream : streams_) stream->cancel();
        queue_.Shutdown();
        void* tag = nullptr;
        bool ok = false;
        while (queue_.Next(&tag, &ok)) {
            // What completes now matters to nobody; the operations only must not outlive their streams.
        }
    }

    Figures measure() {
        for (const auto& stream : streams_) stream->start();
        if (!options_.echo) welcome();
        if (!options_.echo && !options_.seated) {
            for (const auto& group : compositions(options_.bots, options_.tables, options_.seats)) {
                std::vector<std::string> names;
                for (const int number : group) names.push_back(name(number));
                tables_.open(std::move(names));
            }
        }
        spin(options_.warm_up);
        tally_.begin();
        Figures figures;
        const double server = options_.pid ? cpu_seconds(options_.pid) : 0;
        const double own = own_cpu_seconds();
        const Moment begun = Clock::now();
        spin(options_.seconds);
        figures.seconds = milliseconds_since(begun) / 1e3;
        figures.load_cpu = own_cpu_seconds() - own;
        if (options_.pid) figures.server_cpu = cpu_seconds(options_.pid) - server;
        if (tally_.answered == 0) throw std::runtime_error("the server took no answer during the measurement");
        return figures;
    }

    Tally& tally() { return tally_; }

  private:
    std::string name(int number) const { return options_.prefix + std::to_string(number); }

    void welcome() {
        const Moment begun = Clock::now();
        const auto is_welcome = [](const std::unique_ptr<Stream>& stream) {
            return static_cast<const Bot&>(*stream).is_welcome();
        };
        while (!std::all_of(streams_.begin(), streams_.end(), is_welcome)) {
            if (milliseconds_since(begun) > kWelcomeSeconds * 1e3) {
                throw std::runtime_error("no server at " + options_.server + " has welcomed all bots in 30 s");
            }
            spin(0.05);
        }
    }

    /// Handles what completes for a time.
    void spin(double seconds) {
        const auto until = in_seconds(seconds);
        void* tag = nullptr;
        bool ok = false;
        // The queue gives what has completed also when the time is over.
        while (std::chrono::system_clock::now() < until &&
               queue_.AsyncNext(&tag, &ok, until) == grpc::CompletionQueue::GOT_EVENT) {
            static_cast<Waiting*>(tag)->completed(ok);
        }
        for (const auto& stream : streams_) {
            if (stream->is_over()) {
                throw std::runtime_error("the server at " + options_.server +
                                         " ended a stream: " + stream->status().error_message());
            }
        }
    }

    const Options& options_;
    grpc::CompletionQueue queue_;
    Tally tally_;
    Tables tables_;
    std::vector<std::unique_ptr<Stream>> streams_;
};

int run(const std::vector<std::string>& arguments) {
    const Options asked = options(arguments);
    if (asked.help) {
        std::fputs(usage().c_str(), stdout);
        return 0;
    }
    Run run(asked);
    const Figures figures = run.measure();
    std::puts(report(asked, run.tally(), figures).c_str());
    return 0;
}

}  // namespace
}  // namespace lastcard::load

int main(int count, char** values) {
    try {
        return lastcard::load::run(std::vector<std::string>(values + 1, values + count));
    } catch (const lastcard::load::UsageError& error) {
        std::fprintf(stderr, "lastcard_load: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lastcard_load: %s\n", error.what());
        return 1;
    }
}
