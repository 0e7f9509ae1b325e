#include "engine/training/data/shard_readers.h"

#include <system_error>

#include <fmt/format.h>

#include "engine/base/check.h"

namespace trainyard {

ShardReaders::ShardReaders(const std::filesystem::path& folder, const Manifest& manifest, bool training,
                           std::size_t maxOpen)
    : m_sequenceLength(manifest.sequenceLength)
    , m_maxPredictions(manifest.maxPredictions)
    , m_task(manifest.taskKind())
    , m_mostOpen(maxOpen)
{
    TRAINYARD_CHECK(maxOpen > 0);
    for (const ShardEntry& entry : manifest.shards) {
        if (entry.training == training)
            m_shards.push_back({folder / entry.file, entry.rows});
    }
}

Result<ShardReader> ShardReaders::open(const Shard& shard) const
{
    TRAINYARD_TRY(ShardReader reader, m_task == TaskKind::None
                                          ? ShardReader::open(shard.file, m_sequenceLength, m_maxPredictions)
                                          : ShardReader::openTask(shard.file, m_sequenceLength, m_task));
    if (reader.rows() != shard.rows)
        return badInput(fmt::format("{} has {} rows, but its manifest says {}", shard.file.string(),
                                    reader.rows(), shard.rows),
                        "the file is not the one that was prepared; copy the data set again");
    return reader;
}

Status ShardReaders::check()
{
    for (std::size_t number = 0; number < m_shards.size(); ++number) {
        std::error_code ignored;
        if (number < m_mostOpen || !std::filesystem::is_regular_file(m_shards[number].file, ignored)) {
            TRAINYARD_TRY([[maybe_unused]] const ShardReader* const opened, reader(number));
        }
    }
    return {};
}

Result<ShardReader*> ShardReaders::reader(std::size_t shard)
{
    if (const auto place = m_placeOf.find(shard); place != m_placeOf.end()) {
        m_open.splice(m_open.begin(), m_open, place->second);
        return &m_open.front().reader;
    }
    TRAINYARD_TRY(ShardReader opened, open(m_shards[shard]));
    if (m_open.size() == m_mostOpen) {
        m_placeOf.erase(m_open.back().number);
        m_open.pop_back();
    }
    m_open.push_front({shard, std::move(opened)});
    m_placeOf[shard] = m_open.begin();
    return &m_open.front().reader;
}

} // namespace trainyard
