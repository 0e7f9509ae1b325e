#pragma once

#include <QList>

#include "app/charts/chart_options.h"
#include "app/charts/chart_panel.h"

namespace trainyard {

class OpenRun;

/// Returns the borders between the run's phases that its steps have passed: "phase 2: wiki-512".
QList<ChartBorder> bordersOf(const OpenRun& run, ChartAxis axis);

} // namespace trainyard
