#pragma once

#include <limits>

#include <QString>
#include <QStringList>

#include "engine/records/record.h"

namespace trainyard {

class RunSeries;
struct RunFacts;

/// Returns the last four letters of the run id, which distinguish runs of one name.
inline QString shortRunId(const QString& id)
{
    return id.right(4);
}

/// One row of the history: the facts about a run that are known without reading its journals.
struct RunEntry {
    QString id;
    QString name;
    QStringList hosts;
    QString spec; ///< spec.json as written; empty for data jobs
    bool isTraining = true;
    RunState state = RunState::Pending;
    QString reason; ///< for failed and stopped runs
    qint64 step = 0;
    qint64 steps = 0;
    double loss = std::numeric_limits<double>::quiet_NaN();               ///< of the last step
    double bestHeldOutLoss = std::numeric_limits<double>::quiet_NaN();    ///< lowest of the evaluations
    double secondsToTarget = std::numeric_limits<double>::quiet_NaN();    ///< see TimeToTarget
    double tokensToTarget = std::numeric_limits<double>::quiet_NaN();     ///< the same
    double sequencesPerSecond = std::numeric_limits<double>::quiet_NaN(); ///< median of the newest steps
    int worldSize = 0;
    int attempt = 1;
    qint64 createdMs = 0; ///< wall clock, since 1970-01-01 UTC
    qint64 updatedMs = 0; ///< last update
    QStringList tags;
    QString notes;
    bool isArchived = false; ///< hidden unless searched for
    QString importedFrom;    ///< source program, e.g. "TensorBoard"; empty = a Trainyard run

    bool isOver() const { return isFinal(state); }
    bool operator==(const RunEntry&) const;
};

/// Updates the metrics of `entry` from facts and series; tags, notes and archive state stay.
void updateEntry(RunEntry& entry, const RunFacts& facts, const RunSeries& series);

/// Returns the median throughput of the newest `window` steps; NaN without steps.
double recentSequencesPerSecond(const RunSeries& series, qsizetype window = 50);

} // namespace trainyard
