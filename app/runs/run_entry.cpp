#include "app/runs/run_entry.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <QDateTime>

#include "app/runs/recorded_run.h"
#include "app/runs/time_to_target.h"

namespace trainyard {

namespace {

bool sameNumber(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

qint64 createdFromId(const QString& id)
{
    QDateTime time = QDateTime::fromString(id.section('-', 0, 0), QStringLiteral("yyyyMMdd'T'HHmmss'Z'"));
    time.setTimeSpec(Qt::UTC);
    return time.isValid() ? time.toMSecsSinceEpoch() : 0;
}

} // namespace

bool RunEntry::operator==(const RunEntry& o) const
{
    return id == o.id && name == o.name && hosts == o.hosts && spec == o.spec && isTraining == o.isTraining &&
           state == o.state && reason == o.reason && step == o.step && steps == o.steps &&
           sameNumber(loss, o.loss) && sameNumber(bestHeldOutLoss, o.bestHeldOutLoss) &&
           sameNumber(secondsToTarget, o.secondsToTarget) && sameNumber(tokensToTarget, o.tokensToTarget) &&
           sameNumber(sequencesPerSecond, o.sequencesPerSecond) && worldSize == o.worldSize &&
           attempt == o.attempt && createdMs == o.createdMs && updatedMs == o.updatedMs && tags == o.tags &&
           notes == o.notes && isArchived == o.isArchived && importedFrom == o.importedFrom;
}

void updateEntry(RunEntry& entry, const RunFacts& facts, const RunSeries& series)
{
    const RunStatus& status = series.status();
    const StepTable& steps = series.steps();
    if (entry.id.isEmpty() && facts.import)
        entry.tags = facts.import->tags;
    entry.id = facts.id;
    entry.name = facts.name();
    entry.hosts = facts.hosts;
    entry.spec = facts.specText;
    entry.isTraining = facts.spec.has_value() || facts.import.has_value();
    entry.importedFrom = facts.import ? facts.import->format : QString();
    entry.state = status.state;
    entry.reason = status.reason;
    entry.step = steps.isEmpty() ? status.step : qint64(steps.last(StepColumn::Step));
    entry.steps = status.steps > 0 ? status.steps : facts.spec ? facts.spec->launch.steps : 0;
    entry.loss = steps.last(StepColumn::Loss);
    entry.bestHeldOutLoss = series.evaluations().atLowestLoss(EvaluationColumn::Loss);
    const auto reached = facts.spec ? timeToTarget(*facts.spec, series) : std::optional<TimeToTarget>();
    entry.secondsToTarget = reached ? reached->seconds : std::nan("");
    entry.tokensToTarget = reached ? reached->tokens : std::nan("");
    entry.sequencesPerSecond = recentSequencesPerSecond(series);
    entry.worldSize = series.ranks().empty() ? (facts.spec ? facts.specNow()->layout.worldSize() : 0)
                                             : int(series.ranks().size());
    entry.attempt = int(status.attempt);
    if (entry.createdMs == 0)
        entry.createdMs = createdFromId(facts.id);
    if (entry.createdMs == 0)
        entry.createdMs = status.firstNs / 1'000'000;
    entry.updatedMs = std::max(entry.createdMs, qint64(series.newestNs() / 1'000'000));
}

double recentSequencesPerSecond(const RunSeries& series, qsizetype window)
{
    const SeriesColumn& all = series.steps().column(StepColumn::SequencesPerSecond);
    std::vector<double> recent;
    for (qsizetype i = std::max<qsizetype>(0, all.size() - window); i < all.size(); ++i) {
        if (std::isfinite(all[i]))
            recent.push_back(all[i]);
    }
    if (recent.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const auto middle = recent.begin() + std::ptrdiff_t(recent.size() / 2);
    std::nth_element(recent.begin(), middle, recent.end());
    return *middle;
}

} // namespace trainyard
