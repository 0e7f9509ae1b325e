#include "engine/comm/shared_collectives.h"

#include <algorithm>

#include "engine/base/shared_arena.h"
#include "engine/base/stream_copy.h"
#include "engine/comm/reduction.h"

namespace trainyard {

namespace {

// The pieces of two turns of a few ranks stay in a core's L2 cache between being written and read, and a
// barrier is short against the time of one.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
/// Larger messages do not stay in the caches whatever a rank does.
constexpr std::size_t kStreamedBytes = std::size_t{24} << 20;
// A cache line: no two ranks write to the same one.
constexpr std::size_t kAlignment = 64;

std::size_t roundedUp(std::size_t bytes)
{
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Smaller messages are not worth a barrier to find out where they lie.
constexpr std::size_t kReachedBytes = std::size_t{16} << 10;

/// What a segment begins with.
struct Head {
    BarrierPlace place;
    /// Offset of this rank's values in its arena, or -1; two calls take turns.
    alignas(64) std::int64_t offsets[2];
};

// [head][offers: 2 turns x ranks][sums: 2 turns]
constexpr std::size_t kOffersAt = sizeof(Head);

Head& headOf(std::byte* segment)
{
    return *reinterpret_cast<Head*>(segment);
}

std::vector<BarrierPlace*> placesIn(const std::vector<std::byte*>& segments)
{
    std::vector<BarrierPlace*> places;
    for (std::byte* segment : segments)
        places.push_back(&headOf(segment).place);
    return places;
}

void copy(std::span<std::byte> target, const std::byte* source, bool streamed)
{
    if (streamed)
        streamCopy(target.data(), source, target.size());
    else
        std::copy_n(source, target.size(), target.data());
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
    std::span<std::byte> part(int index) const
    {
        const std::size_t begin = std::min(static_cast<std::size_t>(index) * partBytes, values.size());
        return values.subspan(begin, std::min(partBytes, values.size() - begin));
    }
    bool areStreamed() const { return values.size() > kStreamedBytes; }
};

std::size_t SharedCollectives::segmentBytes(int ranks)
{
    return kOffersAt + 2 * (static_cast<std::size_t>(ranks) + 1) * kPieceBytes;
}

SharedCollectives::SharedCollectives(std::vector<std::byte*> segments, Rank rank, Patience patience,
                                     ReachedArenas arenas)
    : m_segments(std::move(segments))
    , m_rank(rank.value)
    , m_ranks(static_cast<int>(m_segments.size()))
    , m_barrier(placesIn(m_segments), m_rank, std::move(patience))
    , m_arenas(std::move(arenas))
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
    copy(parts.piece(from, piece), source, parts.areStreamed());
}

/// Where the values of every rank lie in this process; empty unless all are in arenas.
std::vector<std::byte*> SharedCollectives::reach(std::span<std::byte> values)
{
    if (!m_arenas.mine || values.size() < kReachedBytes)
        return {};
    // Two offsets in turn: a slow rank may still read the one of this call when a fast one announces the
    // next.
    const std::size_t turn = m_announced++ % 2;
    headOf(m_segments[static_cast<std::size_t>(m_rank)]).offsets[turn] =
        m_arenas.mine->contains(values.data(), values.size())
            ? static_cast<std::int64_t>(m_arenas.mine->offsetOf(values.data()))
            : -1;
    m_barrier.arriveAndWait();
    std::vector<std::byte*> reached;
    for (std::size_t rank = 0; rank < m_segments.size(); ++rank) {
        const std::int64_t offset = headOf(m_segments[rank]).offsets[turn];
        // All ranks see the same offsets, so either all work in place or none does.
        if (offset < 0)
            return {};
        reached.push_back(m_arenas.starts[rank] + offset);
    }
    return reached;
}

void SharedCollectives::reduceInPlace(const Parts& parts, const std::vector<std::byte*>& reached,
                                      FloatType type, ReduceOp op, bool forOthers)
{
    const std::span<std::byte> mine = parts.part(m_rank);
    const std::ptrdiff_t begin = mine.data() - parts.values.data();
    std::vector<void*> all;
    for (std::byte* values : reached)
        all.push_back(values + begin);
    void* const own[] = {mine.data()};
    // Each rank sums its part alone and writes the result to every rank: the sums are the same to the bit,
    // and no number is added up twice.
    reduceParts({all.data(), all.size()}, mine.size() / sizeOf(type), type, op,
                forOthers ? std::span<void* const>(all) : own,
                parts.areStreamed() ? Store::Streamed : Store::Cached);
    m_barrier.arriveAndWait();
}

void SharedCollectives::gatherInPlace(const Parts& parts, const std::vector<std::byte*>& reached)
{
    for (int rank = 0; rank < m_ranks; ++rank) {
        const std::span<std::byte> target = parts.part(rank);
        const std::ptrdiff_t begin = target.data() - parts.values.data();
        if (rank != m_rank)
            copy(target, reached[static_cast<std::size_t>(rank)] + begin, parts.areStreamed());
    }
    m_barrier.arriveAndWait();
}

// Nothing is written to a place that another rank may still read: an offer's place is used again two offers
// later, which is two barriers later or, across two calls, one barrier after its last reader; a sum's place
// two barriers later.
void SharedCollectives::allReduce(FloatSpan values, ReduceOp op)
{
    const std::size_t bytes = values.bytes();
    const Parts parts{values.asWritableBytes(),
                      roundedUp((bytes + m_segments.size() - 1) / m_segments.size())};
    if (const auto reached = reach(parts.values); !reached.empty())
        return reduceInPlace(parts, reached, values.type, op, true);
    const std::size_t pieces = parts.pieces();
    // Three pieces are under way at once, so that one barrier a turn is enough:
    //
    //   turn        0        1        2        3
    //   offer     piece 0  piece 1  piece 2  ...
    //   reduce             piece 0  piece 1  ...
    //   take                        piece 0  ...
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
    if (const auto reached = reach(parts.values); !reached.empty())
        return reduceInPlace(parts, reached, values.type, ReduceOp::Sum, false);
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
    if (const auto reached = reach(all); !reached.empty())
        return gatherInPlace(parts, reached);
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
