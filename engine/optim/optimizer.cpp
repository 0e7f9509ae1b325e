#include "engine/optim/optimizer.h"

#include "engine/nn/parameter_store.h"
#include "engine/optim/adamw.h"
#include "engine/optim/lamb.h"

namespace trainyard {

std::vector<OptimizedTensor> optimizedTensors(const ParameterStore& parameters)
{
    std::vector<OptimizedTensor> tensors;
    for (const Parameter& parameter : parameters.parameters()) {
        const bool hasCopy = !parameter.working.is_alias_of(parameter.master);
        tensors.push_back({parameter.spec.name, parameter.master, parameter.gradient,
                           hasCopy ? parameter.working : at::Tensor(), parameter.spec.decays});
    }
    return tensors;
}

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors)
{
    switch (spec.kind) {
    case OptimizerKind::AdamW:
        return std::make_unique<AdamW>(spec, std::move(tensors));
    case OptimizerKind::Lamb:
        return std::make_unique<Lamb>(spec, std::move(tensors));
    }
    TRAINYARD_CHECK_MSG(false, "unknown optimizer");
    return nullptr;
}

} // namespace trainyard
