#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <QByteArray>
#include <QStringList>

#include "engine/records/flight_ring.h"

namespace trainyard {

/// The passes, collectives and messages of some steps, rank by rank, put together from flight rings that are
/// read again and again while the run goes on. A ring keeps a few hundred of them: what was overwritten
/// between two looks is counted, not guessed. A plain value.
class CollectiveTrace {
public:
    /// `steps` whole ones: the first begins after all ranks were seen once.
    CollectiveTrace(int ranks, int steps);

    /// A rank's ring as it is now.
    void add(const FlightSnapshot& ring);
    /// Every rank is past the last step.
    bool isComplete() const;
    std::int64_t firstStep() const { return m_firstStep; } ///< 0 = not every rank was seen yet
    std::int64_t lastStep() const { return m_firstStep + m_steps - 1; }
    /// Whole steps that every rank has done so far, of those that are wanted.
    int stepsDone() const;

    /// Collectives and messages of these steps.
    std::size_t size() const;
    /// Passes of micro-batches and what follows them, of these steps.
    std::size_t passCount() const;
    /// Collectives and passes that no look has seen, of these steps or just before them.
    std::uint64_t overwritten() const;
    /// In the format of Chrome's tracing, which Perfetto and chrome://tracing open: a process for each rank
    /// with a track of its steps and the passes in them, and a track for each of its groups. `hosts` by rank,
    /// for the names. Clocks of hosts are brought together
    /// by what all ranks leave at the same time: all-reduces among all of them.
    QByteArray toChromeTrace(const QStringList& hosts = {}) const;

private:
    struct Key {
        std::uint32_t group = 0;
        std::uint64_t sequence = 0;
        auto operator<=>(const Key&) const = default;
    };
    struct RankTrace {
        std::int64_t step = 0; ///< under way at the last look; 0 = not seen yet
        std::map<Key, FlightEntry> entries{};
        std::map<std::uint64_t, FlightPass> passes{}; ///< by number
        FlightSnapshot::Groups groups{};
    };

    /// Of these steps, and over: a collective or a pass.
    template <typename Entry>
    bool isWanted(const Entry& entry) const
    {
        return entry.step >= m_firstStep && entry.step <= lastStep() && entry.leftNs > 0;
    }
    std::int64_t offsetNs(int rank) const;

    int m_steps;
    std::int64_t m_firstStep = 0;
    std::vector<RankTrace> m_ranks;
};

} // namespace trainyard
