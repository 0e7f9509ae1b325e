#pragma once

#include <vector>

#include <QJsonArray>
#include <QList>
#include <QStringList>

#include "engine/planner/planned_reading.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a run reads of each data set of its mix, as a table and for scripts.
QList<QStringList> readingRows(const std::vector<PlannedReading>& reading);
QJsonArray toJson(const std::vector<PlannedReading>& reading);

/// "grows from 128 to 1,024 sequences within the first 345 steps".
QString rampText(const RunSpec& spec);
/// The steps by their batch: [{"global", "steps"}].
QJsonArray rampJson(const RunSpec& spec);

} // namespace trainyard
