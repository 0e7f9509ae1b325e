#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/units.h"
#include "engine/planner/layout/flat_placement.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Which of a rank's states are shared, and where they are: what training/Replica makes of a specification.
struct StateRules {
    explicit StateRules(const RunSpec& spec)
        : replicas(spec.layout.holders())
        , owners(spec.memory.zeroStage >= 1 ? spec.layout.shardRanks() : 1)
        , expertOwners(spec.layout.expert == 1      ? 0
                       : spec.memory.zeroStage >= 1 ? spec.layout.expertShardRanks()
                                                    : 1)
        , compute(static_cast<Bytes>(elementSize(spec.precision.compute)))
        , master(std::max<Bytes>(compute, 4))
        , offloadsOptimizer(spec.memory.offloadOptimizer)
        , offloadsParameters(spec.memory.offloadParameters)
        , shardsWeights(spec.memory.zeroStage >= 3 && (owners > 1 || offloadsParameters))
        , shardsGradients(spec.memory.zeroStage >= 2 && owners > 1)
        , bucketsPass(shardsGradients || offloadsOptimizer)
        , reducesOnce(!shardsGradients &&
                      (spec.layout.pipeline > 1 || (replicas > 1 && spec.batch.accumulation > 1)))
    {
    }

    bool separateMasters() const { return offloadsOptimizer || shardsWeights || compute < master; }
    MemoryCategory masters() const
    {
        return offloadsOptimizer || offloadsParameters ? MemoryCategory::Host : MemoryCategory::Weights;
    }
    MemoryCategory withOptimizer(MemoryCategory onDevice) const
    {
        return offloadsOptimizer ? MemoryCategory::Host : onDevice;
    }
    /// How a stage's flat buffers are cut.
    FlatSharing sharing(const ParallelLayout& layout) const
    {
        return {owners, expertOwners, static_cast<std::int64_t>(layout.bucketSize / master), shardsWeights};
    }

    int replicas; ///< data-parallel ranks
    int owners;
    int expertOwners; ///< of experts that ranks share; 0: all ranks have them
    Bytes compute;    ///< of an element
    Bytes master;
    bool offloadsOptimizer;
    bool offloadsParameters;
    bool shardsWeights;
    bool shardsGradients;
    bool bucketsPass; ///< buffers of gradients live until they were reduced
    bool reducesOnce; ///< after the last of several micro-batches
};

} // namespace trainyard
