#include "datasets/prepare/shard_plan.h"

#include <fmt/format.h>

#include "engine/base/counted.h"

namespace trainyard {

Result<std::vector<PlannedShard>> planShards(const std::string& corpus, bool training, std::uint64_t rows,
                                             int shards)
{
    const auto count = static_cast<std::uint64_t>(shards);
    if (rows < count)
        return badInput(fmt::format("{} {} {} requested, but the text only yields {}", shards,
                                    training ? "training" : "test", nounFor(count, "shard"),
                                    counted(rows, "row")),
                        fmt::format("use a smaller {}, a larger --dupe, or a longer dump",
                                    training ? "--shards" : "--test-shards"));
    std::vector<PlannedShard> plan;
    for (std::uint64_t i = 0, first = 0; i < count; ++i) {
        const std::uint64_t share = rows / count + (i < rows % count ? 1 : 0);
        plan.push_back({fmt::format("{}_{}_{}.hdf5", corpus, training ? "training" : "test", i), training,
                        first, share});
        first += share;
    }
    return plan;
}

} // namespace trainyard
