#include "datasets/tokenizer_json/byte_pair_encoder.h"

#include <cstring>
#include <functional>
#include <span>

namespace trainyard {

void BytePairEncoder::finish(std::vector<std::int32_t>& ids)
{
    std::array<std::int32_t, kBatch * ChunkCache::kMaxIds> known;
    std::int32_t* out = known.data();
    for (const Waiting& piece : std::span(m_waiting).first(m_size)) {
        if (const ChunkCache::Entry* entry = piece.set->find(piece.key)) {
            std::memcpy(out, entry->ids().data(), sizeof entry->ids());
            out += entry->count();
            continue;
        }
        ids.insert(ids.end(), known.data(), out);
        out = known.data();
        appendUnknown(piece, ids);
    }
    ids.insert(ids.end(), known.data(), out);
    m_size = 0;
}

void BytePairEncoder::appendUnknown(const Waiting& piece, std::vector<std::int32_t>& ids)
{
    const std::size_t before = ids.size();
    appendLong({reinterpret_cast<const char*>(&piece.key), piece.key.length()}, ids);
    const auto added = std::span(ids).subspan(before);
    if (added.size() <= ChunkCache::kMaxIds)
        piece.set->insert({piece.key, added});
}

void BytePairEncoder::appendLong(std::string_view piece, std::vector<std::int32_t>& ids)
{
    Remembered& place = m_long[std::hash<std::string_view>()(piece) % kLongPieces];
    if (place.piece == piece) {
        ids.insert(ids.end(), place.ids.begin(), place.ids.end());
        return;
    }
    const std::size_t before = ids.size();
    m_model.encode(piece, m_merger, ids);
    const bool isShort = piece.size() <= ChunkKey::kMaxLength && ids.size() - before <= ChunkCache::kMaxIds;
    if (piece.size() <= kMaxBytes && !isShort) {
        place.piece = piece;
        place.ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
    }
}

} // namespace trainyard
