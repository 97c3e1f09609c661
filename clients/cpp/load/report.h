// What the load found, as text or JSON.
#pragma once

#include <string>

#include "options.h"
#include "tally.h"

namespace lastcard::load {

/// CPU seconds of a process so far, from /proc. Throws `std::runtime_error` when there is none such.
double cpu_seconds(long pid);

struct Figures {
    double seconds = 0;
    /// CPU seconds of this program meanwhile.
    double load_cpu = 0;
    /// CPU seconds of the server's process meanwhile; below 0 when nobody asked.
    double server_cpu = -1;
};

/// The report; sorts the tally's times.
std::string report(const Options& options, Tally& tally, const Figures& figures);

}  // namespace lastcard::load
