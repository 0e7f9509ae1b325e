#pragma once

#include <memory>
#include <optional>

#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/transformer_stage.h"

namespace trainyard {

/// A whole model on one device: its parameters, and the stage that computes with all of them.
/// One thread at a time. Throws c10::Error when ATen does.
class LanguageModel {
public:
    /// Weights are zero until parameters().initialize() or a checkpoint fills them.
    LanguageModel(const ModelSpec& model, ComputeType compute, LayerRunner& runner = directRunner(),
                  const Device& device = {});

    const ModelSpec& spec() const { return m_stage->model(); }
    ParameterStore& parameters() { return *m_parameters; }
    const ParameterStore& parameters() const { return *m_parameters; }

    /// Without a key nothing is dropped (evaluation).
    LossSums forward(const TokenBatch& batch, const std::optional<DropoutKey>& dropout) const;
    Logits logits(const TokenBatch& batch, const std::optional<DropoutKey>& dropout) const;
    /// Of a decoder's tokens that follow those in `cache`, which gets theirs; `batch`: see beginPass().
    Logits logits(const TokenBatch& batch, KeyValueCache& cache) const;

private:
    std::unique_ptr<ParameterStore> m_parameters;
    std::unique_ptr<const TransformerStage> m_stage;
};

} // namespace trainyard
