#pragma once

#include <string>

#include "tests/bench/training/bench_run.h"

namespace trainyard {

/// What a measurement says of one step; seconds are medians unless they say otherwise.
struct SpeedReport {
    SpeedReport(const BenchRun& run, const BenchOptions& options, const Measurement& measured);

    /// Some lines for a terminal.
    std::string text() const;
    /// One JSON object; README.md of this folder's parent names its members.
    std::string json() const;

    const BenchRun& run;
    const BenchOptions& options;
    const Measurement& measured;
    double median = 0;
    double fastest = 0;
    double mean = 0;        ///< of the wall clock, with what lies between the steps
    double processor = 0;   ///< of all threads of rank 0
    double operations = 0;  ///< the model's, of a step of all ranks: stepOperations() of the planner
    double utilisation = 0; ///< MFU; 0: the peak is not known
    SecondsByPhase phases{};
};

} // namespace trainyard
