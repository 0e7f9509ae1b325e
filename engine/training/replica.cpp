#include "engine/training/replica.h"

#include "engine/nn/parameter_store.h"
#include "engine/training/memory/accounting_allocator.h"
#include "engine/training/memory/memory_scope.h"

namespace trainyard {

namespace {

BertForPreTraining makeModel(const RunSpec& spec, AccountingAllocator& memory)
{
    const MemoryScope scope(MemoryCategory::Weights);
    BertForPreTraining model(spec.model, spec.precision.compute);
    memory.assign(model.parameters().flatGradients(), MemoryCategory::Gradients);
    model.parameters().initialize(spec.seed, spec.model.initializerRange);
    return model;
}

std::unique_ptr<Optimizer> makeCountedOptimizer(const RunSpec& spec, const ParameterStore& parameters)
{
    const MemoryScope scope(MemoryCategory::Optimizer);
    return makeOptimizer(spec.optimizer, optimizedTensors(parameters));
}

} // namespace

Replica::Replica(const RunSpec& spec, AccountingAllocator& memory)
    : m_model(makeModel(spec, memory))
    , m_optimizer(makeCountedOptimizer(spec, m_model.parameters()))
    , m_state(std::make_unique<TrainingState>(m_model.parameters(), m_optimizer.get()))
{
}

Replica::~Replica() = default;

} // namespace trainyard
