#pragma once

#include <functional>

#include <QElapsedTimer>
#include <QObject>

#include "app/monitor/model/collective_trace.h"
#include "engine/base/result.h"

namespace trainyard {

/// Polls the flight rings of all ranks of an active run until it has the passes and collectives of some
/// complete steps. Read-only: training is not affected. GUI thread.
class TraceRecording : public QObject {
    Q_OBJECT

public:
    /// Requests a rank's ring; `done` is not called after `context` is destroyed.
    using ReadRing = std::function<void(int rank, const QObject* context,
                                        std::function<void(const Result<FlightSnapshot>&)> done)>;
    TraceRecording(ReadRing read, int ranks, int steps, QObject* parent = nullptr);

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
    QElapsedTimer m_sinceStep; ///< since the newest step was seen first
};

} // namespace trainyard
