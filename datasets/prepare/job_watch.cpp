#include "datasets/prepare/job_watch.h"

#include <csignal>
#include <ctime>

namespace trainyard {

namespace {

constexpr int kTicksPerShow = 5;
constexpr long kTickNs = 100'000'000;

sigset_t stopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

bool sameFigures(const ProgressRecord& a, const ProgressRecord& b)
{
    return a.done == b.done && a.total == b.total && a.counters == b.counters;
}

EventRecord lastWord(const Status& outcome)
{
    if (outcome.ok())
        return {Severity::Info, "prepare-finished", "the data set is published", std::nullopt, 0};
    if (outcome.error().kind == ErrorKind::Cancelled)
        return {Severity::Warning, "prepare-cancelled", outcome.error().text(), std::nullopt, 0};
    return {Severity::Error, "prepare-failed", outcome.error().text(), std::nullopt, 0};
}

} // namespace

void blockStopSignals()
{
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

JobWatch::JobWatch(Progress& progress, CancelFlag& cancel, std::unique_ptr<ProgressSink> sink,
                   std::optional<std::filesystem::path> stopFile)
    : m_progress(progress)
    , m_cancel(cancel)
    , m_sink(std::move(sink))
    , m_stopFile(std::move(stopFile))
    , m_thread([this] { run(); })
{
}

JobWatch::~JobWatch()
{
    m_ended = true;
    if (m_thread.joinable())
        m_thread.join();
}

void JobWatch::end(const Status& outcome)
{
    m_ended = true;
    m_thread.join();
    showChanges();
    m_sink->finish(lastWord(outcome));
}

void JobWatch::run()
{
    for (int tick = 1; !m_ended; ++tick) {
        if (stopRequested())
            m_cancel.set();
        if (tick % kTicksPerShow == 0)
            showChanges();
    }
}

bool JobWatch::stopRequested() const
{
    const sigset_t signals = stopSignals();
    const timespec tick{0, kTickNs};
    if (sigtimedwait(&signals, nullptr, &tick) > 0)
        return true;
    std::error_code ignored;
    return m_stopFile && std::filesystem::exists(*m_stopFile, ignored);
}

void JobWatch::showChanges()
{
    for (const EventRecord& event : m_progress.takeEvents())
        m_sink->event(event);
    std::vector<ProgressRecord> changed;
    for (ProgressRecord& stage : m_progress.snapshot()) {
        ProgressRecord& shown = m_shown[stage.stage];
        if (sameFigures(shown, stage))
            continue;
        shown = stage;
        changed.push_back(std::move(stage));
    }
    if (!changed.empty())
        m_sink->show(changed);
}

} // namespace trainyard
