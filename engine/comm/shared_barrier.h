#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace trainyard {

/// One rank's place at a barrier, in memory that all ranks of the group see. Zero at first.
struct alignas(64) BarrierPlace {
    std::atomic<std::uint32_t> arrivals; ///< of its rank, modulo 2^32
    std::atomic<std::uint32_t> sleepers; ///< ranks that let the kernel wake them when it arrives
};

/// How a rank waits at a barrier.
struct Patience {
    std::chrono::nanoseconds spin{20'000}; ///< time it spins before it sleeps
    /// Called between two sleeps, which take this long at most: work that must continue while the rank waits.
    std::function<std::chrono::nanoseconds()> meanwhile;
};

/// Lets the ranks of one host wait for each other, about 0.1 us after the last one has come where all run. A
/// rank that waits longer leaves its core to others. Earlier writes of all ranks are visible to all
/// afterwards. Ranks may be processes or threads; one thread per rank.
class SharedBarrier {
public:
    /// Places in order of rank; they outlive the barrier.
    SharedBarrier(std::vector<BarrierPlace*> places, int rank, Patience patience);

    void arriveAndWait();

private:
    void waitFor(BarrierPlace& place) const;

    std::vector<BarrierPlace*> m_places;
    BarrierPlace& m_mine;
    Patience m_patience;
    std::uint32_t m_round = 0;
};

} // namespace trainyard
