#pragma once

#include <string>
#include <vector>

#include "engine/base/processor.h"
#include "engine/planner/layout/shape.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

struct MemoryEstimate {
    MemoryByCategory bytes{};    ///< per rank, at the peak of a step
    MemoryByCategory resident{}; ///< of them what is there from step to step; the rest is transient
    std::vector<std::string> assumptions{}; ///< what is counted and what is not, one sentence each

    Bytes total() const;
    Bytes residentTotal() const;
    Bytes onDevice() const; ///< what is not in host memory, where the two differ
    RankNeed need() const { return needOf(bytes); }
};

/// Memory of one rank.
struct RankMemory {
    MemoryByCategory resident{}; ///< what is there from step to step
    MemoryByCategory peak{};     ///< with what comes and goes, at the moment at which most is held
};

/// Memory of one rank of each pipeline rank, first to last, at the moment of a step at which it is largest
/// (StepMoment): ranks that hold the same layers hold alike. Weights, gradients and optimizer state are
/// exact (rank_states.h). Activations are the tensors that our engine keeps and makes (layer_activations.h,
/// backward_tensors.h): those of Korthikanti et al. (arXiv:2205.05198), table 2,
///     per layer  s b h (16 e + 2) + a s^2 b (2 e + 1)   bytes, e = bytes of an element of the compute type
/// of which a tensor-parallel rank has its heads and columns, and with sequence parallelism its tokens of
/// much of the rest; times the micro-batches that the schedule holds at once, which with offload wait in host
/// memory; on the last stage the head on the predicted positions; and what the backward pass makes. A
/// context-parallel rank has its tokens: s / c for s, and no term in s^2, for ring attention keeps no scores
/// (Liu et al., arXiv:2310.01889).
///
/// Where the device's memory is not the host's (launch.device other than "cpu") the moment is that at which
/// the device holds most, and host memory counts as at its own peak.
///
/// Where the ranks' processors multiply in `products` other than Native (productsOn()), Widened adds a
/// float32 copy of the result of the product that is under way: of every matrix product, but not of
/// attention's, which are one small matrix at a time (tests/bench/README.md).
///
/// An approximation for an invalid specification: never slow, and never an error.
std::vector<RankMemory> memoryOfRanks(const RunSpec& spec, const SequenceShape& shape,
                                      NarrowProducts products = NarrowProducts::Native);

/// Their peaks.
std::vector<MemoryByCategory> memoryOfPipelineRanks(const RunSpec& spec, const SequenceShape& shape,
                                                    NarrowProducts products = NarrowProducts::Native);

/// For the rank with the highest peak.
MemoryEstimate estimateMemory(const RunSpec& spec, const SequenceShape& shape,
                              NarrowProducts products = NarrowProducts::Native);

} // namespace trainyard
