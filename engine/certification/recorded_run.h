#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/certification/proxy_run.h"

namespace trainyard {

/// A logical tensor's values in row-major order, whatever ranks held them.
using WholeTensors = std::map<std::string, std::vector<double>>;

/// What a step computed.
struct RecordedStep {
    double loss = 0;
    double gradientNorm = 0; ///< before clipping
    WholeTensors gradients;  ///< before clipping, by parameter
    WholeTensors weights;    ///< after the update: the master weights
};

/// Trains on made-up data with ranks as threads of this process. Refused or Failed as training is; what
/// LibTorch throws goes through. AccountingAllocator must be installed before.
Result<std::vector<RecordedStep>> recordRun(const RunSpec& spec, const SequenceShape& shape);

} // namespace trainyard
