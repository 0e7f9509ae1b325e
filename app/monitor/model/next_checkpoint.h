#pragma once

#include <cstdint>
#include <optional>

namespace trainyard {

class RunSeries;
struct RunFacts;

/// The next checkpoint due by the specification.
struct NextCheckpoint {
    std::int64_t step = 0;
    double seconds = 0; ///< until its step is done, at the pace of the newest steps
};

/// Returns nullopt for a run that is over, writes no periodic checkpoints, or whose pace is still unknown.
std::optional<NextCheckpoint> nextCheckpoint(const RunFacts& facts, const RunSeries& series);

/// Returns the step of the newest checkpoint reported by the run; 0 = none yet.
std::int64_t newestCheckpoint(const RunSeries& series);

/// Returns the peak learning rate of the newest steps' schedule, which an attempt may have changed from the
/// specification. 0 when the specification is unknown.
double peakLearningRate(const RunFacts& facts, const RunSeries& series);

} // namespace trainyard
