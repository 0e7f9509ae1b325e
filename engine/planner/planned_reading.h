#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a run reads of one of its data sets.
struct PlannedReading {
    std::string path;
    double share = 1;               ///< of all sequences, by weight
    std::uint64_t sequences = 0;    ///< of all steps
    double tokens = 0;              ///< padding counts
    std::optional<double> epochs{}; ///< times that it reads its training rows; nullopt: they are unknown
};

/// Of each of spec.dataset.sets(). `spec`: without phases. `length`: tokens of a sequence. `trainingRows`: of
/// each data set; empty: unknown.
std::vector<PlannedReading> plannedReading(const RunSpec& spec, int length,
                                           const std::vector<std::uint64_t>& trainingRows);

} // namespace trainyard
