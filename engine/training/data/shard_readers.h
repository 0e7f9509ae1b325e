#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <unordered_map>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/shards/shard_reader.h"
#include "engine/base/result.h"

namespace trainyard {

/// The shards of a split of a data set, of which a few are open: those used last. A reader has several files
/// of the process's limit and a cache. One thread.
class ShardReaders {
public:
    static constexpr std::size_t kMaxOpen = 64;

    ShardReaders(const std::filesystem::path& folder, const Manifest& manifest, bool training,
                 std::size_t maxOpen = kMaxOpen);

    std::size_t count() const { return m_shards.size(); }
    std::uint64_t rowsOf(std::size_t shard) const { return m_shards[shard].rows; }
    const std::filesystem::path& fileOf(std::size_t shard) const { return m_shards[shard].file; }

    /// Opens as many as stay open, and looks whether the others are there. BadInput as of reader().
    Status check();
    /// Opens the shard if it is not, and closes the one used longest ago where there are too many. Valid
    /// until the next call. BadInput names the file that is missing, is no such shard, or has other rows than
    /// its manifest says.
    Result<ShardReader*> reader(std::size_t shard);
    std::size_t openCount() const { return m_open.size(); }

private:
    struct Shard {
        std::filesystem::path file;
        std::uint64_t rows = 0;
    };
    struct OpenShard {
        std::size_t number;
        ShardReader reader;
    };
    using OpenShards = std::list<OpenShard>; // most recently used first

    Result<ShardReader> open(const Shard& shard) const;

    std::vector<Shard> m_shards;
    int m_sequenceLength;
    int m_maxPredictions;
    TaskKind m_task;
    std::size_t m_mostOpen;
    OpenShards m_open;
    std::unordered_map<std::size_t, OpenShards::iterator> m_placeOf;
};

} // namespace trainyard
