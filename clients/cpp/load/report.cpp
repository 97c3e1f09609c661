#include "report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace lastcard::load {

namespace {

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return line;
}

/// A share of sorted values lies at or below the result; below 0 when there are none.
double quantile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return -1;
    return sorted[std::min(sorted.size() - 1, static_cast<size_t>(share * static_cast<double>(sorted.size())))];
}

std::string delays(const char* what, const std::vector<double>& sorted) {
    if (sorted.empty()) return std::string(what) + ": none was timed";
    return std::string(what) + text(" p50 %.2f ms, p99 %.2f ms", quantile(sorted, 0.5), quantile(sorted, 0.99));
}

std::string json_delays(const char* name, const std::vector<double>& sorted) {
    if (sorted.empty()) return text("\"%s\":null", name);
    return text("\"%s\":{\"count\":%zu,\"p50\":%.4f,\"p99\":%.4f}", name, sorted.size(), quantile(sorted, 0.5),
                quantile(sorted, 0.99));
}

}  // namespace

double cpu_seconds(long pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    std::ifstream file(path);
    const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const size_t name_end = stat.rfind(')');  // the name of the program may hold anything
    if (name_end == std::string::npos)
        throw std::runtime_error(path + " cannot be read; is there a process " + std::to_string(pid) + "?");
    std::istringstream fields(stat.substr(name_end + 2));
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string report(const Options& options, Tally& tally, const Figures& figures) {
    std::sort(tally.verdict_ms.begin(), tally.verdict_ms.end());
    std::sort(tally.event_ms.begin(), tally.event_ms.end());
    const double moves = static_cast<double>(tally.answered) / figures.seconds;
    const double games = static_cast<double>(tally.ended) / options.seats / figures.seconds;
    const double share = figures.load_cpu / figures.seconds;
    const double cpu_us = tally.answered == 0 ? 0 : figures.server_cpu / static_cast<double>(tally.answered) * 1e6;
    if (options.json) {
        std::string line =
            text("{\"bots\":%d,\"tables\":%d,\"seats\":%d,\"seconds\":%.3f,\"answered\":%ld,\"refused\":%ld,",
                 options.bots, options.tables, options.seats, figures.seconds, tally.answered, tally.refused);
        line += text("\"moves_per_s\":%.1f,\"games_per_s\":%.3f,\"load_cpu_s\":%.3f,", moves, games, figures.load_cpu);
        if (figures.server_cpu >= 0) line += text("\"server_cpu_s\":%.3f,", figures.server_cpu);
        return line + json_delays("verdict_ms", tally.verdict_ms) + "," + json_delays("own_event_ms", tally.event_ms) +
               "}";
    }
    if (options.echo) {
        return text("%d streams: %.0f messages/s; ", options.bots, moves) +
               delays("message to echo", tally.verdict_ms) +
               (figures.server_cpu < 0 ? "" : text("; server CPU %.1f us a message", cpu_us)) +
               text("; load %.0f %% of a core", share * 100);
    }
    return text("%d bots x %d tables: %.0f moves/s, %.1f games/s, %ld refused\n", options.bots, options.tables, moves,
                games, tally.refused) +
           delays("answer to verdict", tally.verdict_ms) + "\n" + delays("answer to own event", tally.event_ms) + "\n" +
           (figures.server_cpu < 0 ? "" : text("server CPU %.1f us a move; ", cpu_us)) +
           text("load %.0f %% of a core", share * 100);
}

}  // namespace lastcard::load
