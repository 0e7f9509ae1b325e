#include "engine/nn/language_model.h"

#include "engine/model/model_parameters.h"

namespace trainyard {

LanguageModel::LanguageModel(const ModelSpec& model, ComputeType compute, LayerRunner& runner,
                             const Device& device)
    : m_parameters(std::make_unique<ParameterStore>(modelParameters(model), compute, Sharding(),
                                                    GradientResidence::Whole, WeightResidence::Whole,
                                                    Placement{device}))
    , m_stage(
          std::make_unique<const TransformerStage>(model, StageRange::whole(model), *m_parameters, runner))
{
}

LossSums LanguageModel::forward(const TokenBatch& batch, const std::optional<DropoutKey>& dropout) const
{
    return m_stage->forward({batch, {}, dropout}).losses;
}

Logits LanguageModel::logits(const TokenBatch& batch, const std::optional<DropoutKey>& dropout) const
{
    return m_stage->logits({batch, {}, dropout});
}

Logits LanguageModel::logits(const TokenBatch& batch, KeyValueCache& cache) const
{
    return m_stage->logits({batch, {}, {}, false, &cache});
}

} // namespace trainyard
