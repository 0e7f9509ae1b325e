#pragma once

#include <string>
#include <vector>

#include "engine/planner/hardware/time_coefficients.h"

namespace trainyard {

/// A span of seconds.
struct TimeBand {
    double least = 0;
    double most = 0;
};

/// The mean error of the time model on measured steps when it knows the device but not the cluster's habits
/// (engine/planner/README.md, rows of one and of many nodes). No probe can see it; measured runs can.
constexpr double kModelError = 0.1;

/// Of a node whose rates were measured on hosts of its kind: on which ones, how far predictions may be off,
/// and what the steps of finished runs correct.
struct NodeCalibration {
    std::string date; ///< of the last measurement: "2026-11-22"
    std::vector<std::string> hosts;
    double errorBand = 0; ///< a step takes from 1 / (1 + this) to 1 + this times as long as predicted
    int measuredRuns = 0; ///< whose steps the coefficients are from; 0 = of probes alone
    std::vector<std::string> runs; ///< which ones, where they have names
    TimeCoefficients coefficients{};

    TimeBand bandOf(double seconds) const { return {seconds / (1 + errorBand), seconds * (1 + errorBand)}; }
    bool operator==(const NodeCalibration&) const = default;
};

} // namespace trainyard
