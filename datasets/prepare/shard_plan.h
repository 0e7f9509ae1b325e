#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// The rows of a shard in the shuffled order.
struct PlannedShard {
    std::string file;
    bool training = true;
    std::uint64_t firstRow = 0;
    std::uint64_t rows = 0;
};

/// Distributes `rows` over `shards` files that differ by at most one row: with unequal shards, data-parallel
/// ranks end an epoch at different steps. Names are `<corpus>_<training|test>_<i>.hdf5`. BadInput if there
/// are fewer rows than shards.
Result<std::vector<PlannedShard>> planShards(const std::string& corpus, bool training, std::uint64_t rows,
                                             int shards);

} // namespace trainyard
