#include "engine/comm/shared_collectives.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/stream_copy.h"
#include "engine/comm/reduction.h"

namespace trainyard {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
/// Larger messages do not stay in the caches whatever a rank does.
constexpr std::size_t kStreamedBytes = std::size_t{24} << 20;
constexpr std::size_t kAlignment = 64;

std::size_t roundedUp(std::size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// [place][offers: 2 turns x ranks][sums: 2 turns]
constexpr std::size_t kOffersAt = sizeof(BarrierPlace);

std::vector<BarrierPlace*> placesIn(const std::vector<std::byte*>& segments)
{
    std::vector<BarrierPlace*> places;
    for (std::byte* segment : segments)
        places.push_back(reinterpret_cast<BarrierPlace*>(segment));
    return places;
}

} // namespace

/// Where the parts of a message lie and how they are cut into pieces.
struct SharedCollectives::Parts {
    std::span<std::byte> values;
    std::size_t partBytes; ///< from one part to the next; the last ones may be shorter or empty

    std::size_t pieces() const { return (partBytes + kPieceBytes - 1) / kPieceBytes; }
    std::span<std::byte> piece(int part, std::size_t index) const
    {
        const std::size_t begin = static_cast<std::size_t>(part) * partBytes + index * kPieceBytes;
        const std::size_t size = std::min(kPieceBytes, partBytes - index * kPieceBytes);
        const std::size_t end = std::min(begin + size, values.size());
        return begin < end ? values.subspan(begin, end - begin) : std::span<std::byte>();
    }
    bool areStreamed() const { return values.size() > kStreamedBytes; }
};

std::size_t SharedCollectives::segmentBytes(int ranks)
{
    return kOffersAt + 2 * (static_cast<std::size_t>(ranks) + 1) * kPieceBytes;
}

SharedCollectives::SharedCollectives(std::vector<std::byte*> segments, Rank rank, Patience patience)
    : m_segments(std::move(segments))
    , m_rank(rank.value)
    , m_ranks(static_cast<int>(m_segments.size()))
    , m_barrier(placesIn(m_segments), m_rank, std::move(patience))
{
}

std::byte* SharedCollectives::offerOf(int rank, int part, std::size_t piece) const
{
    const std::size_t turn = (m_offered + piece) % 2;
    const std::size_t place = turn * static_cast<std::size_t>(m_ranks) + static_cast<std::size_t>(part);
    return m_segments[static_cast<std::size_t>(rank)] + kOffersAt + place * kPieceBytes;
}

std::byte* SharedCollectives::sumOf(int rank, std::size_t piece) const
{
    const std::size_t place = 2 * static_cast<std::size_t>(m_ranks) + piece % 2;
    return m_segments[static_cast<std::size_t>(rank)] + kOffersAt + place * kPieceBytes;
}

void SharedCollectives::offer(const Parts& parts, int part, std::size_t piece)
{
    std::ranges::copy(parts.piece(part, piece), offerOf(m_rank, part, piece));
}

void SharedCollectives::offerOthers(const Parts& parts, std::size_t piece)
{
    for (int part = 0; part < m_ranks; ++part) {
        if (part != m_rank)
            offer(parts, part, piece);
    }
}

void SharedCollectives::reduce(const Parts& parts, std::size_t piece, FloatType type, ReduceOp op,
                               std::byte* forOthers)
{
    const std::span<std::byte> mine = parts.piece(m_rank, piece);
    std::vector<const void*> addends;
    for (int rank = 0; rank < m_ranks; ++rank)
        addends.push_back(rank == m_rank ? mine.data() : offerOf(rank, m_rank, piece));
    void* const results[] = {mine.data(), forOthers};
    reduceParts(addends, mine.size() / sizeOf(type), type, op, std::span(results, forOthers ? 2 : 1));
}

void SharedCollectives::take(const Parts& parts, std::size_t piece, int from, const std::byte* source)
{
    const std::span<std::byte> target = parts.piece(from, piece);
    if (parts.areStreamed())
        streamCopy(target.data(), source, target.size());
    else
        std::copy_n(source, target.size(), target.data());
}

// Nothing is written to a place that another rank may still read: an offer's place is used again two offers
// later, which is two barriers later or, across two calls, one barrier after its last reader; a sum's place
// two barriers later.
void SharedCollectives::allReduce(FloatSpan values, ReduceOp op)
{
    const std::size_t bytes = values.bytes();
    const Parts parts{values.asWritableBytes(),
                      roundedUp((bytes + m_segments.size() - 1) / m_segments.size())};
    const std::size_t pieces = parts.pieces();
    for (std::size_t turn = 0; turn < pieces + 2; ++turn) {
        if (turn < pieces)
            offerOthers(parts, turn);
        if (turn >= 1 && turn <= pieces)
            reduce(parts, turn - 1, values.type, op, sumOf(m_rank, turn - 1));
        if (turn >= 2) {
            for (int rank = 0; rank < m_ranks; ++rank) {
                if (rank != m_rank)
                    take(parts, turn - 2, rank, sumOf(rank, turn - 2));
            }
        }
        if (turn <= pieces)
            m_barrier.arriveAndWait();
    }
    m_offered += pieces;
}

void SharedCollectives::reduceScatter(FloatSpan values)
{
    const Parts parts{values.asWritableBytes(), values.bytes() / m_segments.size()};
    const std::size_t pieces = parts.pieces();
    for (std::size_t turn = 0; turn <= pieces; ++turn) {
        if (turn < pieces)
            offerOthers(parts, turn);
        if (turn >= 1)
            reduce(parts, turn - 1, values.type, ReduceOp::Sum, nullptr);
        if (turn < pieces)
            m_barrier.arriveAndWait();
    }
    m_offered += pieces;
}

void SharedCollectives::allGather(std::span<std::byte> all)
{
    const Parts parts{all, all.size() / m_segments.size()};
    const std::size_t pieces = parts.pieces();
    for (std::size_t turn = 0; turn <= pieces; ++turn) {
        if (turn < pieces)
            offer(parts, m_rank, turn);
        for (int rank = 0; turn >= 1 && rank < m_ranks; ++rank) {
            if (rank != m_rank)
                take(parts, turn - 1, rank, offerOf(rank, rank, turn - 1));
        }
        if (turn < pieces)
            m_barrier.arriveAndWait();
    }
    m_offered += pieces;
}

} // namespace trainyard
