#include "datasets/tokenizer/wordpiece_encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace trainyard {

namespace {

constexpr std::size_t kBlock = 64;                 // bytes whose blanks are found together
constexpr std::size_t kMargin = ChunkKey::kWindow; // bytes after a block that must be readable

bool isBlank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// Bit i is set when block[i] is a blank.
std::uint64_t blanksOf(const char* block)
{
    std::uint64_t mask = 0;
#ifdef __SSE2__
    constexpr std::size_t kLane = sizeof(__m128i);
    for (std::size_t i = 0; i < kBlock; i += kLane) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
        const auto equals = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
        const __m128i blank =
            _mm_or_si128(_mm_or_si128(equals(' '), equals('\n')), _mm_or_si128(equals('\t'), equals('\r')));
        mask |= static_cast<std::uint64_t>(_mm_movemask_epi8(blank)) << i;
    }
#else
    for (std::size_t i = 0; i < kBlock; ++i)
        mask |= static_cast<std::uint64_t>(isBlank(block[i])) << i;
#endif
    return mask;
}

} // namespace

struct WordPieceEncoder::Chunk {
    ChunkKey key;         ///< of no chunk when it is too long for one
    ChunkCache::Set* set; ///< where the key is looked for
    const char* text;
    std::size_t length;
};

/// Chunks that are looked for in the cache together, so that the memory accesses overlap.
class WordPieceEncoder::Batch {
public:
    static constexpr std::size_t kMaxOfBlock = kBlock / 2 + 1;
    static constexpr std::size_t kCapacity = 64 + kMaxOfBlock;

    bool isFull() const { return m_size > kCapacity - kMaxOfBlock; }
    void add(const Chunk& chunk) { m_chunks[m_size++] = chunk; }
    std::span<const Chunk> chunks() const { return {m_chunks.data(), m_size}; }
    void clear() { m_size = 0; }

private:
    std::array<Chunk, kCapacity> m_chunks;
    std::size_t m_size = 0;
};

void WordPieceEncoder::encode(std::string_view text, std::vector<std::int32_t>& ids)
{
    const char* const rest = encodeBlocks(text, ids);
    encodeRest({rest, text.data() + text.size()}, ids);
}

/// Works in complete blocks; returns the first chunk that is not done.
const char* WordPieceEncoder::encodeBlocks(std::string_view text, std::vector<std::int32_t>& ids)
{
    Batch batch;
    const char* begin = text.data();
    while (text.size() >= kBlock + kMargin) {
        gather(text.data(), begin, batch);
        text.remove_prefix(kBlock);
        if (batch.isFull())
            append(batch, ids);
    }
    append(batch, ids);
    return begin;
}

/// A last chunk that started before the last block, then what lies in it, with blanks after.
void WordPieceEncoder::encodeRest(std::string_view text, std::vector<std::int32_t>& ids)
{
    if (text.size() >= 2 * kBlock) {
        const auto end = std::find_if(text.begin(), text.end(), isBlank);
        m_wordPiece.encode({text.begin(), end}, ids);
        text = {end, text.end()};
    }
    std::array<char, 3 * kBlock> padded;
    std::fill(std::copy(text.begin(), text.end(), padded.begin()), padded.end(), ' ');
    Batch batch;
    const char* begin = padded.data();
    for (std::size_t at = 0; at <= text.size(); at += kBlock)
        gather(&padded[at], begin, batch);
    append(batch, ids);
}

/// The chunks that end in the block. `begin` is where the first of them starts, then where the next one does.
void WordPieceEncoder::gather(const char* block, const char*& begin, Batch& batch)
{
    for (std::uint64_t blanks = blanksOf(block); blanks != 0; blanks &= blanks - 1) {
        const char* const end = block + std::countr_zero(blanks);
        const auto length = static_cast<std::size_t>(end - begin);
        if (length != 0) {
            const ChunkKey key =
                length <= ChunkKey::kMaxLength ? ChunkKey::of(begin, length) : ChunkKey::ofNone();
            batch.add({key, &m_cache.prefetch(key), begin, length});
        }
        begin = end + 1;
    }
}

void WordPieceEncoder::append(Batch& batch, std::vector<std::int32_t>& ids)
{
    std::array<std::int32_t, Batch::kCapacity * ChunkCache::kMaxIds> known;
    std::int32_t* out = known.data();
    for (const Chunk& chunk : batch.chunks()) {
        if (const ChunkCache::Entry* entry = chunk.set->find(chunk.key)) {
            std::memcpy(out, entry->ids().data(), sizeof entry->ids());
            out += entry->count();
            continue;
        }
        ids.insert(ids.end(), known.data(), out);
        out = known.data();
        appendUnknown(chunk, ids);
    }
    ids.insert(ids.end(), known.data(), out);
    batch.clear();
}

void WordPieceEncoder::appendUnknown(const Chunk& chunk, std::vector<std::int32_t>& ids)
{
    const std::size_t before = ids.size();
    m_wordPiece.encode({chunk.text, chunk.length}, ids);
    const auto added = std::span(ids).subspan(before);
    if (chunk.length <= ChunkKey::kMaxLength && added.size() <= ChunkCache::kMaxIds)
        chunk.set->insert({chunk.key, added});
}

} // namespace trainyard
