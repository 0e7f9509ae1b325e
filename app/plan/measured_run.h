#pragma once

#include <QString>

#include "engine/base/result.h"
#include "engine/planner/calibration/measured_rows.h"

namespace trainyard {

/// Median step time of a run's newest attempt without its first kWarmUpSteps, from the mirror of its journal
/// on this computer. Of a run with phases that of the last phase with enough steps, as a run of its own; of a
/// batch that grows only steps of the full batch. BadInput if the run or its data set is unknown here, if
/// fewer than kMinSteps remain, or if they ran on other ranks than specified.
Result<MeasuredRow> measuredRun(const QString& runId);

constexpr std::size_t kWarmUpSteps = 3; ///< in them memory is touched first and libraries choose kernels
constexpr std::size_t kMinSteps = 5;

} // namespace trainyard
