#pragma once

#include <cstdint>

namespace trainyard {

/// How the next token is chosen.
struct Sampling {
    double temperature = 1; ///< divides the logits; 0: always the most probable token (greedy)
    int topK = 0;           ///< only among this many most probable tokens; 0: among all
    double topP = 1;        ///< only among the fewest of them that together have this probability
    std::uint64_t seed = 0; ///< the same seed draws the same tokens

    bool operator==(const Sampling&) const = default;
};

} // namespace trainyard
