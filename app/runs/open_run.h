#pragma once

#include <memory>

#include <QObject>
#include <QTimer>

#include "app/base/pool_work.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_display_state.h"

namespace trainyard {

enum class LinkState;

class SeriesCache;

/// How current our view of a run is; independent of the state of the run.
enum class RunLink {
    Recorded, ///< read from files, no connection
    Live,
    CatchingUp, ///< connected, not all records are here yet
    Lost,       ///< the head cannot be reached
};

/// Returns how the window sees a run whose follower has this link.
RunLink runLinkOf(LinkState state);

/// An open run: facts from its folder, records so far, and their freshness. Views need not distinguish live
/// from recorded runs. GUI thread.
///
/// Keeps the series file of a long run up to date in another thread, so that the run opens quickly next time.
/// Rebuilds a damaged file from the journal at once.
class OpenRun : public QObject {
    Q_OBJECT

public:
    explicit OpenRun(RecordedRun run, QObject* parent = nullptr);

    const QString& id() const { return m_run.facts.id; }
    const RunFacts& facts() const { return m_run.facts; }
    const RunSeries& series() const { return m_run.series; }
    RunLink link() const { return m_link; }
    /// Returns why following or reading failed; empty = no problem.
    const QString& problem() const { return m_problem; }

    void apply(const QString& stream, const std::vector<Record>& records);
    /// As above; `end` is where these records end in the mirror of the stream.
    void apply(const QString& stream, const std::vector<Record>& records, const JournalEnd& end);
    void restartStream(const QString& stream);
    /// Reads the request of the newest attempt, which has arrived in the run's folder.
    void readAttempt();
    void setLink(RunLink link);
    void setProblem(const QString& problem);

    /// Combines state, link and silence.
    RunDisplayState displayState(qint64 nowMs) const;
    /// Returns the age of the newest record; 0 for a run that is over.
    qint64 behindMs(qint64 nowMs) const;
    /// Estimates the time left from the pace of the newest steps; negative = unknown or over.
    double secondsLeft() const;
    double progress() const; ///< 0..1, of all steps

signals:
    /// Records arrived. Emitted at most every kFrameMs.
    void changed();
    void linkChanged();

private:
    static constexpr int kFrameMs = 40;

    bool isSilent(qint64 nowMs) const;
    void updateCacheWhenDue();
    void examineCache();
    void onExamined(const Result<bool>& repaired);

    RecordedRun m_run;
    LatestJob<Status> m_cacheUpdate;
    LatestJob<Result<bool>> m_examine;    ///< true = the cache was damaged and has been rebuilt
    std::shared_ptr<SeriesCache> m_cache; ///< shared with the update that is running; null = nothing to cache
    qsizetype m_cachedSteps;              ///< in the cache, or meant to be when it was last updated
    RunLink m_link = RunLink::Recorded;
    QString m_problem;
    QTimer m_notify;
};

} // namespace trainyard
