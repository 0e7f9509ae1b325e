#pragma once

#include <vector>

#include "engine/planner/memory_model.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Every layout of a model that uses all devices of so many equal nodes and takes the specification's global
/// batch, each as a specification with its degrees, schedule, micro-batch, accumulation and ZeRO stage set:
///   - tensor: divides heads, hidden and feed-forward width, and a node's devices, so that no group straddles
///     two nodes; sequence parallelism with it;
///   - pipeline: divides the devices that are left; every stage has a layer; one chunk per rank, or 2 to 4
///     interleaved ones;
///   - micro-batch: powers of two that divide each replica's share of the global batch;
///   - ZeRO: none and 1; 2 and 3 without a pipeline.
/// Nothing about memory yet (memoryLadder()). Tensor-parallel ranks are neighbours, then data-parallel ones.
std::vector<RunSpec> layoutCandidates(const RunSpec& spec, const SequenceShape& shape, int devices,
                                      int devicesPerNode);

/// The same layout with less and less memory, each a little slower than the one before: nothing recomputed,
/// selective, full recomputation, activations in host memory, optimizer there too.
std::vector<RunSpec> memoryLadder(const RunSpec& candidate);

} // namespace trainyard
