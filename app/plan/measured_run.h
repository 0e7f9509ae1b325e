#pragma once

#include <QString>

#include "engine/base/result.h"
#include "engine/planner/calibration/measured_rows.h"

namespace trainyard {

/// What a step of a run took, in the median, by this desk's mirror of its journal: of the newest attempt, the
/// first kWarmUpSteps left out. BadInput when this desk does not know the run or its data set, when fewer
/// than kMinSteps are left, or when they ran on other ranks than the specification says.
Result<MeasuredRow> measuredRun(const QString& runId);

constexpr std::size_t kWarmUpSteps = 3; ///< in them memory is touched first and libraries choose kernels
constexpr std::size_t kMinSteps = 5;

} // namespace trainyard
