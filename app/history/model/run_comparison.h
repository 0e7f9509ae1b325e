#pragma once

#include <QList>

#include "app/base/text_table_model.h"
#include "app/plan/scaling_table.h"

namespace trainyard {

class OpenRun;

/// How each run is called among the others: its name, and the end of its id where names are equal.
QStringList labelsOf(const QList<const OpenRun*>& runs);

/// One row per field of the specification in which the runs differ, one column per run. "–" = not there.
TextTable specificationDifferences(const QList<const OpenRun*>& runs);

/// World sizes against throughput; empty unless at least two sizes are among the runs.
QList<ScalingRow> scalingOf(const QList<const OpenRun*>& runs);
TextTable scalingText(const QList<ScalingRow>& rows);

} // namespace trainyard
