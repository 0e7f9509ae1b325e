#pragma once

#include <array>
#include <string>

#include "datasets/tokenizer/chunk_cache.h"
#include "datasets/tokenizer_json/byte_pair_model.h"

namespace trainyard {

/// Yields the ids of BytePairModel::encode() several times faster by caching those of short pieces. Pieces
/// are looked for in the cache many at a time, so that the memory accesses overlap. Uses ChunkCache::kBytes
/// of memory.
class BytePairEncoder : public PieceEncoder {
public:
    explicit BytePairEncoder(const BytePairModel& model) : m_model(model) {}

    void add(std::string_view piece, std::vector<std::int32_t>& ids) override
    {
        if (piece.empty() || piece.size() > ChunkKey::kMaxLength) {
            finish(ids);
            appendLong(piece, ids);
            return;
        }
        const ChunkKey key = ChunkKey::ofAlone(piece);
        m_waiting[m_size++] = {key, &m_cache.prefetch(key)};
        if (m_size == m_waiting.size())
            finish(ids);
    }
    void finish(std::vector<std::int32_t>& ids) override;

private:
    struct Waiting {
        ChunkKey key;
        ChunkCache::Set* set;
    };
    /// A piece in the place that its hash gives it.
    struct Remembered {
        std::string piece;
        std::vector<std::int32_t> ids;
    };
    static constexpr std::size_t kBatch = 64;
    static constexpr std::size_t kLongPieces = std::size_t(1) << 14;
    static constexpr std::size_t kMaxBytes = 128; ///< longer pieces hardly come back

    void appendLong(std::string_view piece, std::vector<std::int32_t>& ids);
    void appendUnknown(const Waiting& piece, std::vector<std::int32_t>& ids);

    const BytePairModel& m_model;
    PairMerger m_merger;
    ChunkCache m_cache;
    std::vector<Remembered> m_long = std::vector<Remembered>(kLongPieces);
    std::array<Waiting, kBatch> m_waiting;
    std::size_t m_size = 0;
};

} // namespace trainyard
