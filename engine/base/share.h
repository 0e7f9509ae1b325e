#pragma once

namespace trainyard {

/// Which of the ranks that share something evenly, e.g. the slices of every tensor.
struct Share {
    int rank = 0;
    int ranks = 1;

    bool operator==(const Share&) const = default;
};

} // namespace trainyard
