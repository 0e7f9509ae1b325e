#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/certification/proxy_run.h"
#include "engine/training/whole_tensors.h"

namespace trainyard {

/// The results of one step.
struct RecordedStep {
    double loss = 0;
    double gradientNorm = 0; ///< before clipping
    WholeTensors gradients;  ///< before clipping, by parameter
    WholeTensors weights;    ///< after the update: the master weights
};

/// Trains on synthetic data with ranks as threads of this process. Refused or Failed as training is; what
/// LibTorch throws goes through. AccountingAllocator must be installed before.
Result<std::vector<RecordedStep>> recordRun(const RunSpec& spec, const SequenceShape& shape);

} // namespace trainyard
