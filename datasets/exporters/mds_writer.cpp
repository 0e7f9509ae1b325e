#include "datasets/exporters/mds_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::json; // keys in alphabetic order, as MDSWriter sorts them

namespace {

constexpr const char* kHash = "sha256";
constexpr const char* kIndexFile = "index.json";

/// The configuration in each shard, repeated in the index.
Json configOf(const std::vector<MdsColumn>& columns, std::uint64_t shardBytes)
{
    Json config{{"version", 2},
                {"format", "mds"},
                {"compression", nullptr},
                {"hashes", Json::array({kHash})},
                {"size_limit", shardBytes}};
    for (const MdsColumn& column : columns) {
        config["column_names"].push_back(column.name);
        config["column_encodings"].push_back("bytes");
        config["column_sizes"].push_back(nullptr); // sizes are stored with each sample
    }
    return config;
}

std::uint64_t valueBytes(const std::vector<MdsColumn>& columns)
{
    std::uint64_t bytes = 0;
    for (const MdsColumn& column : columns)
        bytes += column.bytes;
    return bytes;
}

std::string sizesOf(const std::vector<MdsColumn>& columns)
{
    std::string sizes;
    for (const MdsColumn& column : columns)
        sizes.append(reinterpret_cast<const char*>(&column.bytes), sizeof column.bytes);
    return sizes;
}

} // namespace

MdsWriter::MdsWriter(fs::path folder, std::vector<MdsColumn> columns, std::uint64_t samples,
                     std::uint64_t shardBytes)
    : m_folder(std::move(folder))
    , m_columns(std::move(columns))
    , m_shardBytes(shardBytes)
    , m_remaining(samples)
    , m_config(configOf(m_columns, shardBytes).dump())
    , m_sampleHead(sizesOf(m_columns))
    , m_sampleBytes(m_sampleHead.size() + valueBytes(m_columns))
{
    TRAINYARD_CHECK(std::is_sorted(m_columns.begin(), m_columns.end(),
                                   [](const auto& a, const auto& b) { return a.name < b.name; }));
}

/// At least one; else as many as fit with their offsets.
std::uint64_t MdsWriter::samplesOfNextShard() const
{
    const std::uint64_t head = 2 * sizeof(std::uint32_t) + m_config.size();
    const std::uint64_t room = m_shardBytes > head ? m_shardBytes - head : 0;
    const std::uint64_t fitting = room / (m_sampleBytes + sizeof(std::uint32_t));
    return std::min(m_remaining, std::max<std::uint64_t>(1, fitting));
}

Status MdsWriter::beginShard()
{
    const std::uint64_t samples = samplesOfNextShard();
    TRAINYARD_CHECK(samples > 0);
    m_remaining -= samples;
    m_samplesToCome = samples;
    m_shards.push_back({fmt::format("shard.{:05}.mds", m_shards.size()), samples, {}});
    TRAINYARD_TRY(OutputFile file, OutputFile::create(m_folder / m_shards.back().name));
    m_file.emplace(std::move(file));
    TRAINYARD_TRY_STATUS(m_file->appendNumber(static_cast<std::uint32_t>(samples)));
    std::uint64_t offset = sizeof(std::uint32_t) * (samples + 2) + m_config.size();
    for (std::uint64_t i = 0; i <= samples; ++i, offset += m_sampleBytes)
        TRAINYARD_TRY_STATUS(m_file->appendNumber(static_cast<std::uint32_t>(offset)));
    return m_file->append(m_config);
}

Status MdsWriter::append(std::span<const std::string_view> values)
{
    if (!m_file)
        TRAINYARD_TRY_STATUS(beginShard());
    TRAINYARD_TRY_STATUS(m_file->append(m_sampleHead));
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        TRAINYARD_CHECK(values[i].size() == m_columns[i].bytes);
        TRAINYARD_TRY_STATUS(m_file->append(values[i]));
    }
    return --m_samplesToCome == 0 ? endShard() : Status();
}

Status MdsWriter::endShard()
{
    TRAINYARD_TRY(m_shards.back().digest, m_file->close());
    m_file.reset();
    return {};
}

std::string MdsWriter::indexJson() const
{
    Json shards = Json::array();
    for (const Shard& shard : m_shards) {
        Json entry = configOf(m_columns, m_shardBytes);
        entry["samples"] = shard.samples;
        entry["raw_data"] = {{"basename", shard.name},
                             {"bytes", shard.digest.bytes},
                             {"hashes", {{kHash, shard.digest.sha256}}}};
        entry["zip_data"] = nullptr;
        shards.push_back(std::move(entry));
    }
    return Json{{"version", 2}, {"shards", std::move(shards)}}.dump() + "\n";
}

Result<std::vector<ExportEntry>> MdsWriter::finish()
{
    TRAINYARD_CHECK(m_remaining == 0 && m_samplesToCome == 0);
    std::vector<ExportEntry> entries;
    for (const Shard& shard : m_shards)
        entries.push_back({shard.name, shard.digest.bytes, shard.digest.sha256});
    TRAINYARD_TRY(OutputFile index, OutputFile::create(m_folder / kIndexFile));
    TRAINYARD_TRY_STATUS(index.append(indexJson()));
    TRAINYARD_TRY(const FileDigest digest, index.close());
    entries.push_back({kIndexFile, digest.bytes, digest.sha256});
    return entries;
}

} // namespace trainyard
