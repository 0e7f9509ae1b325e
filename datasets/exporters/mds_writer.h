#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/exporters/output_file.h"
#include "datasets/shards/manifest.h"
#include "engine/base/result.h"

namespace trainyard {

/// One value of a sample, in MosaicML's encoding `bytes`: the bytes in memory.
struct MdsColumn {
    std::string name;
    std::uint32_t bytes = 0; ///< per sample, the same for all samples
};

/// Writes samples as MosaicML Streaming's MDSWriter does: shard.00000.mds, shard.00001.mds ... and, at the
/// end, index.json (version 2), with the SHA-256 of every shard. A shard, all numbers u32 little-endian:
///     n, offset of each sample and of the end (n + 1), JSON configuration, samples
/// and a sample is the size of each column, then the columns' values, columns by name. Since all samples are
/// of one size, the head of a shard is known before its first sample, and memory holds one sample.
class MdsWriter {
public:
    /// A shard is closed before it exceeds this size.
    static constexpr std::uint64_t kShardBytes = 64u << 20;

    /// `folder` must exist; `samples` is the total number of append() calls. Columns in ascending order of
    /// their names.
    MdsWriter(std::filesystem::path folder, std::vector<MdsColumn> columns, std::uint64_t samples,
              std::uint64_t shardBytes = kShardBytes);

    /// Requires values of the sizes of the columns, in their order.
    Status append(std::span<const std::string_view> values);
    /// Requires that all samples were appended. The names of the entries have no folder.
    Result<std::vector<ExportEntry>> finish();

private:
    std::uint64_t samplesOfNextShard() const;
    Status beginShard();
    Status endShard();

    struct Shard {
        std::string name;
        std::uint64_t samples;
        FileDigest digest;
    };
    std::string indexJson() const;

    std::filesystem::path m_folder;
    std::vector<MdsColumn> m_columns;
    std::uint64_t m_shardBytes;
    std::uint64_t m_remaining; ///< samples for shards that were not started
    std::string m_config;      ///< repeated in each shard
    std::string m_sampleHead;  ///< sizes of the columns
    std::uint64_t m_sampleBytes;
    std::optional<OutputFile> m_file;
    std::uint64_t m_samplesToCome = 0; ///< remaining in the open shard
    std::vector<Shard> m_shards;
};

} // namespace trainyard
