#pragma once

#include <cstdint>
#include <optional>

namespace trainyard {

class RunSeries;
struct RunFacts;

/// The checkpoint that the specification asks for next.
struct NextCheckpoint {
    std::int64_t step = 0;
    double seconds = 0; ///< until its step is done, at the pace of the newest steps
};

/// Nothing for a run that is over, that keeps none on the way, or whose pace is not known yet.
std::optional<NextCheckpoint> nextCheckpoint(const RunFacts& facts, const RunSeries& series);

/// Step of the newest checkpoint that the run has told of; 0 = none yet.
std::int64_t newestCheckpoint(const RunSeries& series);

/// The peak of the learning rate's schedule that the newest steps were taken with: an attempt may have
/// another one than the specification says. 0 when the specification is not known.
double peakLearningRate(const RunFacts& facts, const RunSeries& series);

} // namespace trainyard
