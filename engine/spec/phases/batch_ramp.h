#pragma once

#include <cstdint>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The global batch of every step, as Megatron-LM's --rampup-batch-size START INCREMENT SAMPLES has it. With
/// k = (global - start) / increment increments, the step that follows n sequences has
///     start + increment * floor(n k / samples)
/// of them, and batch.global from n = samples on. n counts from the first step of the run or phase. A pure
/// function of n, so that a run can stop anywhere. Without a ramp every step has batch.global.
class BatchRamp {
public:
    /// `batch`: valid, or without a ramp.
    explicit BatchRamp(const BatchSpec& batch);

    int globalAfter(std::uint64_t samples) const;
    /// Sequences of the first `steps` steps.
    std::uint64_t samplesOf(std::int64_t steps) const;
    /// The most steps that have no more than `samples` sequences.
    std::int64_t stepsWithin(std::uint64_t samples) const;

    /// Steps in a row that have the same batch.
    struct Stretch {
        int global = 0;
        std::int64_t steps = 0;

        bool operator==(const Stretch&) const = default;
    };
    /// Those of the first `steps` steps.
    std::vector<Stretch> stretches(std::int64_t steps) const;

private:
    std::uint64_t levelAfter(std::uint64_t samples) const;
    std::int64_t stepsAtLevel(std::uint64_t samples) const;

    BatchSpec m_batch;
    std::uint64_t m_levels = 0; ///< k; 0 without a ramp
};

/// Sequences of all steps of a specification without phases.
std::uint64_t samplesOf(const RunSpec& spec);

/// `spec` while its global batch is `global`: without a ramp, with as many micro-batches per step as that
/// needs.
RunSpec atGlobalBatch(RunSpec spec, int global);

} // namespace trainyard
