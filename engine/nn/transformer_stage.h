#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <torch/types.h>

#include "engine/model/stage_range.h"
#include "engine/nn/embeddings.h"
#include "engine/nn/families/model_head.h"
#include "engine/nn/layer_runner.h"
#include "engine/nn/transformer_layer.h"

namespace trainyard {

struct StageInput {
    const TokenBatch& batch; ///< whole sequences; a rank that shares them computes its slice
    at::Tensor hidden; ///< [T, H], or this rank's slice of it, from the stage before; undefined where the
                       ///< stage has the embeddings
    std::optional<DropoutKey> dropout; ///< without a key nothing is dropped (evaluation)
    bool countsCorrect = false;        ///< the losses come with the number of correct predictions
    KeyValueCache* cache = nullptr;    ///< a decoder continues the sequences in it; see beginPass()
    double routerLossScale = 0;        ///< see ForwardPass
};

/// Ranks that compute a stage together. A plain value.
struct StageSharing {
    TensorParallel tensor{};
    ExpertParallel experts{};
    const ContextParallel* context = nullptr; ///< null: sequences are not shared
};

/// Of a stage with the head the losses, of any other the hidden states.
struct StageOutput {
    at::Tensor hidden; ///< [T, H] for the next stage
    LossSums losses;
};

/// The consecutive parts of a model that one device computes: everything, or a pipeline stage. Its parameters
/// lie in a store that holds modelParameters(model, range), perhaps with those of other stages.
///
/// Of BERT (Devlin et al., arXiv:1810.04805) or GPT (Radford et al., 2019) the same layers; ModelSpec says
/// which. One thread at a time. Throws c10::Error when ATen does (out of memory, index out of range).
class TransformerStage {
public:
    /// `parameters`, `runner` and what `sharing` points to must outlive the stage.
    TransformerStage(const ModelSpec& model, const StageRange& range, const ParameterStore& parameters,
                     LayerRunner& runner = directRunner(), const StageSharing& sharing = {});
    TransformerStage(const TransformerStage&) = delete; // what runs later refers to it
    TransformerStage& operator=(const TransformerStage&) = delete;

    const ModelSpec& model() const { return m_model; }
    const StageRange& range() const { return m_range; }

    StageOutput forward(const StageInput& input) const;
    /// Room for the hidden states that the stage before sends.
    at::Tensor emptyInput(const TokenBatch& batch) const;
    /// Requires the head. Of tensor-parallel ranks each gets its words' columns.
    Logits logits(const StageInput& input) const;

private:
    at::Tensor hiddenStates(const StageInput& input, const SharedPass& pass) const;
    Logits headOf(const at::Tensor& hidden_TH, const ForwardPass& pass) const;
    LossSums lossesOf(const Logits& logits, const ForwardPass& pass, bool countsCorrect) const;
    LossSums taskLossesOf(const Logits& logits, const ForwardPass& pass, bool countsCorrect) const;
    SharedPass begin(const StageInput& input) const;

    const ModelSpec m_model;
    StageRange m_range;
    LayerRunner& m_runner;
    const PassSetting m_setting;
    std::optional<Embeddings> m_embeddings;
    std::vector<TransformerLayer> m_layers;
    NormWeights m_finalNorm; // undefined where the model has none
    std::unique_ptr<const ModelHead> m_head;
};

} // namespace trainyard
