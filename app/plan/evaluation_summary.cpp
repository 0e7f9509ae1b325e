#include "app/plan/evaluation_summary.h"

#include <algorithm>

#include <QObject>

#include "app/base/display_text.h"
#include "engine/planner/evaluation_schedule.h"

namespace trainyard {

namespace {

QString intervalText(const EvaluationSchedule& schedule)
{
    if (schedule.evaluations() == 1)
        return QObject::tr("once, after step %1")
            .arg(displayCount(std::min(schedule.everySteps, schedule.steps)));
    const QString interval = schedule.everySteps == 1
                                 ? QObject::tr("every step")
                                 : QObject::tr("every %1 steps").arg(displayCount(schedule.everySteps));
    return QObject::tr("%1, %2 times in all").arg(interval, displayCount(schedule.evaluations()));
}

} // namespace

QString evaluationSummary(const RunSpec& spec, std::optional<std::uint64_t> testRows)
{
    if (!spec.phases.empty())
        return {};
    if (!spec.evaluation.isOn())
        return QObject::tr("The run does not evaluate.");
    if (!testRows)
        return QObject::tr("The data set is not known here, so its number of test rows is unknown.");
    if (*testRows == 0)
        return QObject::tr("The data set has no test rows, so the run does not evaluate.");
    const EvaluationSchedule schedule = evaluationSchedule(spec, *testRows);
    if (!schedule.isOn()) // the specification is invalid
        return {};
    return QObject::tr("Evaluates on %1 test rows %2; takes about %3 of the time.")
        .arg(displayCount(qint64(schedule.rows)), intervalText(schedule),
             displayPercent(schedule.costShare()));
}

} // namespace trainyard
