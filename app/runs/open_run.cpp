#include "app/runs/open_run.h"

#include <algorithm>
#include <cmath>

#include "app/runs/run_database.h"
#include "app/runs/series_cache.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

namespace {

// The supervisor writes a heartbeat every 2 s; a step is late after ten times its usual duration.
constexpr qint64 kSilentSupervisorMs = 30'000;
constexpr qint64 kMinSilentStepsMs = 60'000;
constexpr double kLateSteps = 10;

double usualStepSeconds(const StepTable& steps)
{
    const SeriesColumn& seconds = steps.column(StepColumn::StepSeconds);
    std::vector<double> recent(seconds.end() - std::min<qsizetype>(50, seconds.size()), seconds.end());
    std::erase_if(recent, [](double s) { return !std::isfinite(s) || s <= 0; });
    if (recent.empty())
        return 0;
    const auto middle = recent.begin() + std::ptrdiff_t(recent.size() / 2);
    std::nth_element(recent.begin(), middle, recent.end());
    return *middle;
}

} // namespace

RunLink runLinkOf(LinkState state)
{
    switch (state) {
    case LinkState::Live:
        return RunLink::Live;
    case LinkState::Behind:
        return RunLink::CatchingUp;
    case LinkState::Lost:
        return RunLink::Lost;
    }
    return RunLink::Lost;
}

OpenRun::OpenRun(RecordedRun run, QObject* parent)
    : QObject(parent)
    , m_run(std::move(run))
    , m_cacheUpdate([this](const Status& updated) {
        if (!updated.ok())
            setProblem(
                QString::fromStdString(updated.error().in("cannot cache the metrics of the run").text()));
    })
    , m_examine([this](const Result<bool>& repaired) { onExamined(repaired); })
    , m_cachedSteps(m_run.series.restoredSteps())
{
    m_notify.setSingleShot(true);
    m_notify.setInterval(kFrameMs);
    connect(&m_notify, &QTimer::timeout, this, &OpenRun::changed);
    connect(&m_notify, &QTimer::timeout, this, &OpenRun::updateCacheWhenDue);
    // Never for an imported run, whose file is the only copy, or for a run without a folder.
    if (!m_run.facts.import && !m_run.facts.folder.isEmpty())
        m_cache = std::make_shared<SeriesCache>(m_run.facts.folder, m_cachedSteps);
    examineCache();
}

/// Verifies the series file in the background: a large file is opened without being read, so damage shows
/// later.
void OpenRun::examineCache()
{
    if (!m_cache || m_cachedSteps == 0)
        return updateCacheWhenDue();
    m_examine.start([folder = m_run.facts.folder](const auto&) { return repairSeriesCache(folder); });
}

void OpenRun::onExamined(const Result<bool>& repaired)
{
    if (!repaired.ok())
        return setProblem(
            QString::fromStdString(repaired.error().in("the cached metrics of the run are corrupt").text()));
    if (*repaired) {
        const Status read = readStepsAgain(m_run.facts.folder, m_run.series);
        m_cachedSteps = m_run.series.restoredSteps();
        m_cache = std::make_shared<SeriesCache>(m_run.facts.folder, m_cachedSteps);
        setProblem(read.ok()
                       ? tr("The cached metrics of this run were corrupt and have been rebuilt from its "
                            "journal.")
                       : QString::fromStdString(read.error().text()));
        emit changed();
    }
    updateCacheWhenDue();
}

void OpenRun::updateCacheWhenDue()
{
    const qsizetype steps = m_run.series.steps().size();
    if (!m_cache || steps - m_cachedSteps < kMinCachedSteps || m_cacheUpdate.isRunning() ||
        m_examine.isRunning())
        return;
    m_cachedSteps = steps;
    m_cacheUpdate.start(
        [cache = m_cache, stream = m_run.series.stepStream()](const auto&) { return cache->update(stream); });
}

void OpenRun::apply(const QString& stream, const std::vector<Record>& records)
{
    if (m_run.series.apply(stream, records) > 0 && !m_notify.isActive())
        m_notify.start();
}

void OpenRun::apply(const QString& stream, const std::vector<Record>& records, const JournalEnd& end)
{
    apply(stream, records);
    if (stream == QLatin1String("steps"))
        m_run.series.setStepsEnd(end);
}

void OpenRun::restartStream(const QString& stream)
{
    m_run.series.forget(stream);
    emit changed();
}

void OpenRun::readAttempt()
{
    if (const Status read = readAttemptAgain(m_run.facts); !read.ok())
        setProblem(QString::fromStdString(read.error().text()));
    emit changed();
}

void OpenRun::setLink(RunLink link)
{
    if (link == m_link)
        return;
    m_link = link;
    emit linkChanged();
}

void OpenRun::setProblem(const QString& problem)
{
    if (problem == m_problem)
        return;
    m_problem = problem;
    emit linkChanged();
}

RunDisplayState OpenRun::displayState(qint64 nowMs) const
{
    const RunState state = m_run.series.status().state;
    if (isFinal(state))
        return displayStateOf(state);
    // A recorded run that is not over was running when the link ended, and may still be.
    if (m_link == RunLink::Lost || m_link == RunLink::Recorded)
        return state == RunState::Pending ? RunDisplayState::Queued : RunDisplayState::LinkLost;
    if (m_link == RunLink::Live && state == RunState::Running && isSilent(nowMs))
        return RunDisplayState::Stalled;
    return displayStateOf(state);
}

bool OpenRun::isSilent(qint64 nowMs) const
{
    const RunSeries& series = m_run.series;
    if (nowMs - series.status().lastNs / 1'000'000 > kSilentSupervisorMs)
        return true;
    if (series.steps().isEmpty())
        return false; // start-up may be slow, and the supervisor is alive
    const auto late =
        std::max(kMinSilentStepsMs, qint64(kLateSteps * 1000 * usualStepSeconds(series.steps())));
    return nowMs - qint64(series.steps().last(StepColumn::WallSeconds) * 1000) > late;
}

qint64 OpenRun::behindMs(qint64 nowMs) const
{
    if (isFinal(m_run.series.status().state) || m_run.series.newestNs() == 0)
        return 0;
    return std::max<qint64>(0, nowMs - m_run.series.newestNs() / 1'000'000);
}

double OpenRun::secondsLeft() const
{
    const RunSeries& series = m_run.series;
    RunEntry entry;
    updateEntry(entry, m_run.facts, series);
    if (entry.isOver() || entry.steps <= 0 || series.steps().isEmpty())
        return -1;
    return double(std::max<qint64>(0, entry.steps - entry.step)) * usualStepSeconds(series.steps());
}

double OpenRun::progress() const
{
    RunEntry entry;
    updateEntry(entry, m_run.facts, m_run.series);
    return entry.steps > 0 ? std::clamp(double(entry.step) / double(entry.steps), 0.0, 1.0) : 0;
}

} // namespace trainyard
