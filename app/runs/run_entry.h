#pragma once

#include <cstdint>
#include <limits>

#include <QString>
#include <QStringList>

#include "engine/records/record.h"

namespace trainyard {

struct RunFacts;
class RunSeries;

/// What tells runs of one name apart, in four letters: the end of the run id.
inline QString shortRunId(const QString& id)
{
    return id.right(4);
}

/// One line of the history: what is known of a run without opening its journals.
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
    double sequencesPerSecond = std::numeric_limits<double>::quiet_NaN(); ///< median of the newest steps
    int worldSize = 0;
    int attempt = 1;
    qint64 createdMs = 0; ///< wall clock, since 1970-01-01 UTC
    qint64 updatedMs = 0; ///< last sign of life
    QStringList tags;
    QString notes;
    bool isArchived = false; ///< off the list until asked for
    QString importedFrom;    ///< what made it, as "TensorBoard"; empty = a run of our own

    bool isOver() const { return isFinal(state); }
    bool operator==(const RunEntry&) const;
};

/// Brings the figures of `entry` up to what facts and series say; what the user keeps with it stays. An empty
/// entry becomes that of a new run, with the tags of its import.
void updateEntry(RunEntry& entry, const RunFacts& facts, const RunSeries& series);

/// Median throughput of the newest `window` steps; NaN without steps.
double recentSequencesPerSecond(const RunSeries& series, qsizetype window = 50);

} // namespace trainyard
