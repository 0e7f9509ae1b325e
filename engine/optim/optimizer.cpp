#include "engine/optim/optimizer.h"

#include "engine/nn/parameters/parameter_store.h"
#include "engine/optim/adamw.h"
#include "engine/optim/lamb.h"
#include "engine/optim/sgd.h"

namespace trainyard {

std::vector<OptimizedTensor> optimizedTensors(const ParameterStore& parameters)
{
    std::vector<OptimizedTensor> tensors;
    for (const OwnedTensor& owned : parameters.owned()) {
        if (owned.isFrozen())
            continue;
        const ParameterSpec& spec = parameters.parameters()[owned.piece.parameter].spec;
        const bool hasCopy =
            !owned.working.is_alias_of(owned.master) && !parameters.placement().offloadsOptimizer;
        tensors.push_back({spec.name, owned.updated, owned.gradient, hasCopy ? owned.working : at::Tensor(),
                           spec.decays, owned.piece.parameter});
    }
    return tensors;
}

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec& spec, std::vector<OptimizedTensor> tensors,
                                         LogicalSums sums, const UpdateKernels& kernels)
{
    switch (spec.kind) {
    case OptimizerKind::AdamW:
        return std::make_unique<AdamW>(spec, std::move(tensors), kernels);
    case OptimizerKind::Lamb:
    case OptimizerKind::LambPaper:
    case OptimizerKind::Lans:
        return std::make_unique<Lamb>(spec, std::move(tensors), std::move(sums), kernels);
    case OptimizerKind::Sgd:
        return std::make_unique<Sgd>(spec, std::move(tensors), kernels);
    }
    TRAINYARD_CHECK_MSG(false, "unknown optimizer");
    return nullptr;
}

} // namespace trainyard
