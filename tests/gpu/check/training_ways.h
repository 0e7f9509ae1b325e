#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// A run of ten steps of a small model, and how far it may be from the same in float64 on one processor.
struct TrainingWay {
    std::string name;
    RunSpec spec;
    double lossBound = 0; ///< relative, of every step
    double normBound = 0; ///< the same of the gradient's norm
};

/// What one rank can do: types, optimizers, families, attention in one kernel, recomputation, offload.
std::vector<TrainingWay> trainingWays(const std::filesystem::path& dataset);
/// How ranks share the work, in float64, two to four of them.
std::vector<TrainingWay> trainingLayouts(const std::filesystem::path& dataset);
/// The same run on one processor in float64, with nothing offloaded, sharded or computed again.
RunSpec referenceOf(const RunSpec& spec);

} // namespace trainyard
