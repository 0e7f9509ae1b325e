#pragma once

#include <QList>

#include "app/charts/chart_options.h"
#include "app/charts/chart_panel.h"

namespace trainyard {

class OpenRun;

/// Returns the borders between the run's phases that its steps have passed: "phase 2: wiki-512". The axis
/// must be one that steps have.
QList<ChartBorder> bordersOf(const OpenRun& run, ChartAxis axis);

/// Returns the borders of the runs that have phases, if these have the same ones; else none.
QList<ChartBorder> commonBorders(const QList<const OpenRun*>& runs, ChartAxis axis);

} // namespace trainyard
