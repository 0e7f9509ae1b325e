#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <torch/types.h>

#include "engine/nn/bert_batch.h"
#include "engine/nn/dropout.h"
#include "engine/nn/parameter_store.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Sums over this micro-batch, float32 (float64) scalars inside the autograd graph. The caller divides by the
/// counts of the whole optimizer step over all ranks: then the gradient is the exact mean over all masked
/// tokens (all sequences), whatever the micro-batches and ranks.
struct BertLosses {
    at::Tensor mlmLossSum; ///< cross entropy summed over maskedTokens
    at::Tensor nspLossSum; ///< cross entropy summed over sequences
    std::int64_t maskedTokens = 0;
    std::int64_t sequences = 0;

    /// mlmLossSum / maskedTokens + nspLossSum / sequences, with the given global counts.
    at::Tensor normalised(std::int64_t globalMaskedTokens, std::int64_t globalSequences) const;
};

struct BertLogits {
    at::Tensor mlm; ///< [M, vocabulary], at the masked positions only
    at::Tensor nsp; ///< [B, 2]
};

/// Every tensor of BERT with both pre-training heads, in the order of the forward pass. The decoder is tied
/// to the word embeddings and therefore not listed; its bias is.
std::vector<ParameterSpec> bertParameters(const ModelSpec& model);

/// BERT for pre-training (Devlin et al., arXiv:1810.04805): post layer norm, exact gelu, pooler,
/// next-sentence head, and a masked-language-model head computed at the masked positions only.
///
/// One thread at a time. Throws c10::Error when ATen does (out of memory, index out of range).
class BertForPreTraining {
public:
    /// Weights are undefined until parameters().initialize() or a checkpoint fills them.
    BertForPreTraining(const ModelSpec& model, ComputeType compute, const Sharding& sharding = {},
                       GradientResidence residence = GradientResidence::Whole);
    ~BertForPreTraining();
    BertForPreTraining(BertForPreTraining&&) noexcept;

    const ModelSpec& spec() const { return m_spec; }
    ParameterStore& parameters() { return *m_parameters; }
    const ParameterStore& parameters() const { return *m_parameters; }

    /// Without a key nothing is dropped (evaluation).
    BertLosses forward(const BertBatch& batch, const std::optional<DropoutKey>& dropout) const;
    BertLogits logits(const BertBatch& batch, const std::optional<DropoutKey>& dropout) const;
    static BertLosses losses(const BertLogits& logits, const BertBatch& batch);

private:
    struct Weights;

    ModelSpec m_spec;
    std::unique_ptr<ParameterStore> m_parameters;
    std::unique_ptr<const Weights> m_weights; // views of m_parameters
};

} // namespace trainyard
