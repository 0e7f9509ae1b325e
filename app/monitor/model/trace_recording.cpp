#include "app/monitor/model/trace_recording.h"

#include <chrono>

#include <QTimer>

namespace trainyard {

namespace {

// A ring holds 256 collectives, which is a second or more of most runs.
constexpr std::chrono::milliseconds kLookInterval{50};
constexpr std::chrono::minutes kPatience{10}; ///< without a new step

} // namespace

TraceRecording::TraceRecording(ReadRing read, int ranks, int steps, QObject* parent)
    : QObject(parent), m_read(std::move(read)), m_ranks(ranks), m_steps(steps), m_trace(ranks, steps)
{
    m_sinceStep.start();
}

void TraceRecording::look()
{
    m_waiting = m_ranks;
    for (int rank = 0; rank < m_ranks && !m_ended; ++rank)
        m_read(rank, this, [this](const Result<FlightSnapshot>& ring) { take(ring); });
}

void TraceRecording::take(const Result<FlightSnapshot>& ring)
{
    if (m_ended)
        return;
    if (!ring.ok())
        return end(ring.error());
    m_trace.add(*ring);
    m_isOver |= ring->activity == Activity::Done || ring->activity == Activity::Failed;
    if (ring->step > m_newestStep) {
        m_newestStep = ring->step;
        m_sinceStep.restart();
    }
    if (--m_waiting == 0)
        judge();
}

void TraceRecording::judge()
{
    emit progress(m_trace.stepsDone());
    if (m_trace.isComplete())
        return end(
            m_trace.size() + m_trace.passCount() > 0
                ? Status()
                : badInput("its ranks record no passes and exchange no data, so there is nothing to trace",
                           "runs of this version record passes"));
    if (m_isOver)
        return end(refused("the run ended before " + std::to_string(m_steps) + " more steps were done",
                           "record while it is running, or record fewer steps"));
    if (m_sinceStep.hasExpired(std::chrono::milliseconds(kPatience).count()))
        return end(failed("no step was finished for 10 minutes", "check the logs of the ranks"));
    QTimer::singleShot(kLookInterval, this, &TraceRecording::look);
}

void TraceRecording::end(const Status& status)
{
    m_ended = true;
    emit finished(status);
}

} // namespace trainyard
