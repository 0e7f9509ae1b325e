#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include "engine/base/result.h"
#include "engine/records/flight_ring.h"

namespace trainyard {

/// Assembles the passes, collectives and messages of some steps, rank by rank, from repeated snapshots of the
/// flight rings. A ring keeps a few hundred entries: those overwritten between two snapshots are counted. A
/// plain value.
class CollectiveTrace {
public:
    /// Collects `steps` complete steps; the first begins after every rank was seen once.
    CollectiveTrace(int ranks, int steps);

    /// Adds the current ring of a rank.
    void add(const FlightSnapshot& ring);
    /// True when every rank is past the last step.
    bool isComplete() const;
    std::int64_t firstStep() const { return m_firstStep; } ///< 0 = not every rank was seen yet
    std::int64_t lastStep() const { return m_firstStep + m_steps - 1; }
    /// Counts the wanted steps that every rank has completed.
    int stepsDone() const;

    /// Counts the collectives and messages of these steps.
    std::size_t size() const;
    /// Counts the passes of micro-batches, and the work after them, of these steps.
    std::size_t passCount() const;
    /// Counts the collectives and passes lost between snapshots, in these steps or just before them.
    std::uint64_t overwritten() const;
    /// Returns the trace in Chrome's format, for Perfetto and chrome://tracing: a process for each rank with
    /// a track of its steps and passes, and a track for each of its groups. `hosts` by rank, for the names.
    /// Aligns the clocks of hosts at all-reduces among all ranks, which all ranks leave at the same time.
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

    /// True for a finished collective or pass of these steps.
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

/// Polls the flight rings of all ranks of an active run until it has the passes and collectives of some
/// complete steps. Read-only: training is not affected. GUI thread.
class TraceRecorder : public QObject {
    Q_OBJECT

public:
    /// Requests a rank's ring; `done` is not called after `context` is destroyed.
    using ReadRing = std::function<void(int rank, const QObject* context,
                                        std::function<void(const Result<FlightSnapshot>&)> done)>;
    TraceRecorder(ReadRing read, int ranks, int steps, QObject* parent = nullptr);

    void start() { look(); }
    const CollectiveTrace& trace() const { return m_trace; }

signals:
    void progress(int stepsDone);
    /// Emitted once; an error when a ring cannot be read, the run ends, or no step is finished.
    void finished(const trainyard::Status& status);

private:
    void look();
    void take(const Result<FlightSnapshot>& ring);
    void judge();
    void end(const Status& status);

    ReadRing m_read;
    int m_ranks;
    int m_steps;
    CollectiveTrace m_trace;
    int m_waiting = 0; ///< ranks that have not answered
    bool m_isOver = false;
    bool m_ended = false;
    std::int64_t m_newestStep = 0;
    QElapsedTimer m_sinceStep; ///< since the newest step was first seen
};

} // namespace trainyard
