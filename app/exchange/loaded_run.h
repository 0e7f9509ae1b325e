#pragma once

#include <functional>
#include <vector>

#include <QStringList>

#include "app/runs/imported_run.h"

namespace trainyard {

/// A run of another tool as it was read, before it becomes a run of the history.
struct LoadedRun {
    RunImport import;                ///< without tables
    std::vector<PointSeries> series; ///< in order of their names
    QStringList warnings;            ///< what could not be read, one sentence each
};

/// Called with the completed share; returns false to stop.
using ImportGoesOn = std::function<bool(double share)>;

} // namespace trainyard
