#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// Which rows of the shuffled order a shard holds.
struct PlannedShard {
    std::string file;
    bool training = true;
    std::uint64_t firstRow = 0;
    std::uint64_t rows = 0;
};

/// Deals `rows` to `shards` files so that no two differ by more than one row: unequal shards make
/// data-parallel ranks end an epoch at different steps. Names are `<corpus>_<training|test>_<i>.hdf5`.
/// BadInput when there are fewer rows than shards.
Result<std::vector<PlannedShard>> planShards(const std::string& corpus, bool training, std::uint64_t rows,
                                             int shards);

} // namespace trainyard
