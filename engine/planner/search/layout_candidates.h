#pragma once

#include <vector>

#include "engine/planner/memory/memory_model.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Every layout of a model that uses all devices of so many equal nodes and takes the specification's global
/// batch, each as a specification with its degrees, schedule, micro-batch, accumulation and ZeRO stage set:
///   - tensor: divides heads, hidden and feed-forward width, and a node's devices, so that no group straddles
///     two nodes; sequence parallelism with it;
///   - pipeline: divides the devices that are left; every stage has a layer; 1F1B, 2 to 4 interleaved chunks
///     per rank, zero-bubble, or GPipe where there are fewer micro-batches than stages;
///   - context: powers of two that leave each rank 4096 tokens of a sequence;
///   - micro-batch: powers of two that divide each replica's share of the global batch;
///   - ZeRO: none and 1; 2 and 3 without a pipeline.
/// Nothing about memory yet (memoryLadder()). Tensor-parallel ranks are neighbours, then data-parallel ones;
/// stages are equal in number of layers.
std::vector<RunSpec> layoutCandidates(const RunSpec& spec, const SequenceShape& shape, int devices,
                                      int devicesPerNode);

/// The same layout with what saves memory, what costs least time first: nothing recomputed, selective, full
/// recomputation, activations in host memory; the same with the optimizer there too, and with ZeRO 3 the
/// weights. A zero-bubble schedule does not recompute.
std::vector<RunSpec> memoryLadder(const RunSpec& candidate);

} // namespace trainyard
