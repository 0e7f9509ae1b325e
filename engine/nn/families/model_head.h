#pragma once

#include <cstdint>
#include <memory>

#include <torch/types.h>

#include "engine/nn/forward_pass.h"

namespace trainyard {

class ParameterStore;

struct Logits {
    at::Tensor tokens; ///< [M, vocabulary] at the batch's target positions; the columns of vocabularyOf()
    /// [B, 2] of the next-sentence head, or [0, 2] where the first tokens lie on another rank; undefined
    /// without one.
    at::Tensor sequences;
};

/// The output layers on top of the last layer.
class ModelHead {
public:
    virtual ~ModelHead() = default;
    /// `hidden_TH`: output of the last layer, final norm included; all tokens of the pass on every rank of a
    /// tensor-parallel group.
    virtual Logits logits(const at::Tensor& hidden_TH, const ForwardPass& pass) const = 0;
};

/// The head of the model's family. `decoder`: the weight [V, H] that turns hidden states into logits.
std::unique_ptr<const ModelHead> makeHead(const ModelSpec& model, const ParameterStore& parameters,
                                          const at::Tensor& decoder);

std::unique_ptr<const ModelHead> makeBertHead(const ModelSpec& model, const ParameterStore& parameters,
                                              const at::Tensor& decoder);
std::unique_ptr<const ModelHead> makeGptHead(const at::Tensor& decoder);

/// Sums over one micro-batch, float32 (float64) scalars inside the autograd graph. The caller divides by the
/// counts of the whole optimizer step over all ranks: then the gradient is the exact mean over all targets
/// (all sequences), whatever the micro-batches and ranks.
struct LossSums {
    at::Tensor tokens;    ///< cross entropy summed over the batch's targets
    at::Tensor sequences; ///< cross entropy summed over its sequences; undefined without next-sentence head
    at::Tensor correctTokens{};    ///< targets predicted right; undefined unless counted
    at::Tensor correctSequences{}; ///< likewise; undefined without next-sentence head as well
    std::int64_t targetCount = 0;
    std::int64_t sequenceCount = 0;

    /// tokens / globalTargets + sequences / globalSequences.
    at::Tensor normalised(std::int64_t globalTargets, std::int64_t globalSequences) const;
    /// The same numbers outside of the graph.
    LossSums detached() const;
    double tokenSum() const { return tokens.item<double>(); }
    double sequenceSum() const { return sequences.defined() ? sequences.item<double>() : 0.0; }
};

/// The words whose logits this rank computes.
IndexRange vocabularyOf(const ModelSpec& model, const TensorParallel& parallel);

/// `vocabulary`: see vocabularyOf(); without it the logits are those of all words.
LossSums lossSums(const Logits& logits, const TokenBatch& batch, IndexRange vocabulary = {},
                  const TensorParallel& parallel = {});

/// Sets the correct predictions of `sums`.
void countCorrect(LossSums& sums, const Logits& logits, const TokenBatch& batch, IndexRange vocabulary,
                  const TensorParallel& parallel);

} // namespace trainyard
