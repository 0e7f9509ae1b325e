#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/comm/float_span.h"
#include "engine/comm/shared_barrier.h"
#include "engine/comm/transport.h"

namespace trainyard {

class SharedArena;

/// The arenas of a group's ranks in this process.
struct ReachedArenas {
    const SharedArena* mine = nullptr; ///< null: values are never in one
    std::vector<std::byte*> starts;    ///< by rank
};

/// Collectives of n ranks on one host through memory that all of them see. Rank r adds up the r-th part of
/// the values, in order of rank, so results are bit-equal on all ranks and depend on nothing but the values.
///
/// Values that lie in the arenas of all ranks need no copy: after a barrier rank r adds up part r where the
/// values of every rank lie, and writes it there. A second barrier ends the call.
///
/// Other values go through the ranks' segments, in pieces that stay in the caches. For one piece of every
/// part:
///     offer   rank r copies its values of every other part into its segment
///     -- barrier --
///     reduce  rank r adds up part r from its own values and all segments, into its values and its segment
///     -- barrier --
///     take    rank r copies every other part's sum from the segment of the rank that added it up
/// offer of one piece, reduce of the one before and take of the one before that share a barrier.
///
/// Limit, for S bytes per rank: every rank reads and writes S in place, whatever n, so
///     T >= S / B_copy + 2 t_barrier,   B_copy = copy bandwidth of a core at that size, t_barrier about 0.1
///     us
/// What goes through segments is as much again, at the bandwidth between the cores' caches.
///
/// All ranks make the same calls in the same order; one thread per rank.
class SharedCollectives {
public:
    /// One rank's segment must have this many bytes, all zero before the first rank makes this object, at an
    /// address that is a multiple of 64.
    static std::size_t segmentBytes(int ranks);

    /// Segments in order of rank; they outlive the object.
    SharedCollectives(std::vector<std::byte*> segments, Rank rank, Patience patience,
                      ReachedArenas arenas = {});

    void allReduce(FloatSpan values, ReduceOp op);
    /// As Transport::reduceScatter().
    void reduceScatter(FloatSpan values);
    /// As Transport::allGather().
    void allGather(std::span<std::byte> all);

private:
    struct Parts;

    void offer(const Parts& parts, int part, std::size_t piece);
    void offerOthers(const Parts& parts, std::size_t piece);
    /// `forOthers` may be null.
    void reduce(const Parts& parts, std::size_t piece, FloatType type, ReduceOp op, std::byte* forOthers);
    void take(const Parts& parts, std::size_t piece, int from, const std::byte* source);
    std::byte* offerOf(int rank, int part, std::size_t piece) const;
    std::byte* sumOf(int rank, std::size_t piece) const;

    std::vector<std::byte*> reach(std::span<std::byte> values);
    void reduceInPlace(const Parts& parts, const std::vector<std::byte*>& reached, FloatType type,
                       ReduceOp op, bool forOthers);
    void gatherInPlace(const Parts& parts, const std::vector<std::byte*>& reached);

    std::vector<std::byte*> m_segments;
    const int m_rank;
    const int m_ranks;
    SharedBarrier m_barrier;
    const ReachedArenas m_arenas;
    std::size_t m_offered = 0;   ///< pieces so far; every second one uses the same place
    std::size_t m_announced = 0; ///< calls that asked where the values lie; likewise
};

} // namespace trainyard
