#include "engine/training/replica.h"

#include "engine/comm/process_groups.h"
#include "engine/nn/parameter_store.h"
#include "engine/training/memory/accounting_allocator.h"
#include "engine/training/memory/memory_scope.h"

namespace trainyard {

namespace {

Sharding shardingOf(const RunSpec& spec, const ProcessGroups& groups)
{
    const auto elementBytes = static_cast<Bytes>(at::elementSize(masterScalarType(spec.precision.compute)));
    Sharding sharding{.tensorRank = groups.tensor->rank().value,
                      .tensorRanks = groups.tensor->size().value,
                      .bucketElements = static_cast<std::int64_t>(spec.layout.bucketSize / elementBytes)};
    if (spec.memory.zeroStage > 0) {
        sharding.ownerRank = groups.data->rank().value;
        sharding.ownerRanks = groups.data->size().value;
    }
    return sharding;
}

LanguageModel makeModel(const RunSpec& spec, const ProcessGroups& groups, AccountingAllocator& memory)
{
    const MemoryScope scope(MemoryCategory::Weights);
    const bool sharded = spec.memory.zeroStage > 1 && groups.data->size().value > 1;
    LanguageModel model(spec.model, spec.precision.compute, shardingOf(spec, groups),
                        sharded ? GradientResidence::Sharded : GradientResidence::Whole);
    memory.assign(model.parameters().flatGradients(), MemoryCategory::Gradients);
    model.parameters().initialize(spec.seed, spec.model.initializerRange);
    return model;
}

std::unique_ptr<Optimizer> makeCountedOptimizer(const RunSpec& spec, const ParameterStore& parameters,
                                                const LogicalSums& sums)
{
    const MemoryScope scope(MemoryCategory::Optimizer);
    return makeOptimizer(spec.optimizer, optimizedTensors(parameters), sums);
}

} // namespace

Replica::Replica(const RunSpec& spec, const ProcessGroups& groups, AccountingAllocator& memory)
    : m_model(makeModel(spec, groups, memory))
    , m_sums(m_model.parameters(), groups)
    , m_optimizer(makeCountedOptimizer(spec, m_model.parameters(), m_sums))
    , m_state(std::make_unique<TrainingState>(m_model.parameters(), m_optimizer.get()))
{
}

Replica::~Replica() = default;

} // namespace trainyard
