#pragma once

#include <functional>

#include <QElapsedTimer>
#include <QObject>

#include "app/monitor/model/collective_trace.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads the flight rings of all ranks of a run at work, again and again, until their passes and collectives
/// of some whole steps are here. It only reads: the run goes on as it would. GUI thread.
class TraceRecording : public QObject {
    Q_OBJECT

public:
    /// Asks for a rank's ring; `done` is not called any more when `context` is gone.
    using ReadRing = std::function<void(int rank, const QObject* context,
                                        std::function<void(const Result<FlightSnapshot>&)> done)>;
    TraceRecording(ReadRing read, int ranks, int steps, QObject* parent = nullptr);

    void start() { look(); }
    const CollectiveTrace& trace() const { return m_trace; }

signals:
    void progress(int stepsDone);
    /// Once, with the reason where there is no trace: a ring cannot be read, the run is over, no step comes.
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
