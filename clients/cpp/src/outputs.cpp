#include "outputs.h"

namespace lastcard {

v1::PlayRequest take_frame(std::vector<v1::ClientMessage>& ready, std::size_t max_bytes) {
    constexpr std::size_t kTagAndLength = 6;  // of an entry of a repeated field
    v1::PlayRequest frame;
    std::size_t size = 0, taken = 0;
    for (; taken < ready.size(); ++taken) {
        size += ready[taken].ByteSizeLong() + kTagAndLength;
        if (max_bytes != 0 && taken > 0 && size > max_bytes) break;
        *frame.add_messages() = std::move(ready[taken]);
    }
    ready.erase(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(taken));
    return frame;
}

}  // namespace lastcard
