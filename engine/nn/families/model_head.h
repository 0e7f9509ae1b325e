#pragma once

#include <cstdint>
#include <memory>

#include <torch/types.h>

#include "engine/nn/forward_pass.h"

namespace trainyard {

class ParameterStore;

struct Logits {
    /// [M, vocabulary] at the batch's target positions; the columns of vocabularyOf(). Of TaskKind::Tag
    /// [M, labels]; undefined of other tasks' heads.
    at::Tensor tokens;
    /// [B, 2] of the next-sentence head, or [0, 2] where the first tokens lie on another rank; undefined
    /// without one. Of a task that judges sequences [B, outputs], of TaskKind::Answer [B, 2, S]: each
    /// position as the first and as the last one of the answer.
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

/// The head of the model's family or task. `decoder`: the weight [V, H] that turns hidden states into logits;
/// undefined where the model predicts no words.
std::unique_ptr<const ModelHead> makeHead(const ModelSpec& model, const ParameterStore& parameters,
                                          const at::Tensor& decoder);

std::unique_ptr<const ModelHead> makeEncoderHead(const ModelSpec& model, const ParameterStore& parameters,
                                                 const at::Tensor& decoder);
std::unique_ptr<const ModelHead> makeDecoderHead(const ModelSpec& model, const at::Tensor& decoder);
std::unique_ptr<const ModelHead> makeTaskHead(const ModelSpec& model, const ParameterStore& parameters);

/// cap * tanh(values / cap) (Gemma Team, arXiv:2408.00118); the values where cap is 0.
at::Tensor capped(const at::Tensor& values, double cap);

/// Sums over one micro-batch, float32 (float64) scalars inside the autograd graph. The caller divides by the
/// counts of the whole optimizer step over all ranks: then the gradient is the exact mean over all targets
/// (all sequences), whatever the micro-batches and ranks.
struct LossSums {
    /// Cross entropy summed over the batch's targets; undefined where no tokens are predicted.
    at::Tensor tokens;
    /// Cross entropy, or squared error, summed over its sequences; undefined where these are not judged.
    at::Tensor sequences;
    at::Tensor correctTokens{};    ///< targets predicted right; undefined unless counted
    at::Tensor correctSequences{}; ///< likewise; undefined of a regression as well
    at::Tensor predictions{};      ///< see taskPredictions(); undefined unless counted, and without a task
    std::int64_t targetCount = 0;
    std::int64_t sequenceCount = 0;

    /// tokens / globalTargets + sequences / globalSequences.
    at::Tensor normalised(std::int64_t globalTargets, std::int64_t globalSequences) const;
    /// The same numbers outside of the graph.
    LossSums detached() const;
    double tokenSum() const { return tokens.defined() ? tokens.item<double>() : 0.0; }
    double sequenceSum() const { return sequences.defined() ? sequences.item<double>() : 0.0; }
};

/// The words whose logits this rank computes.
IndexRange vocabularyOf(const ModelSpec& model, const TensorParallel& parallel);

/// Of a head that predicts words. `vocabulary`: see vocabularyOf(); without it the logits are those of all
/// words.
LossSums lossSums(const Logits& logits, const TokenBatch& batch, const Compute& compute,
                  IndexRange vocabulary = {}, const TensorParallel& parallel = {});

/// Sets the correct predictions of `sums`.
void countCorrect(LossSums& sums, const Logits& logits, const TokenBatch& batch, IndexRange vocabulary,
                  const TensorParallel& parallel);

// The same of a task's own head, whose outputs every rank has whole.

LossSums taskLossSums(const TaskSpec& task, const Logits& logits, const TokenBatch& batch,
                      const Compute& compute);
void countCorrect(LossSums& sums, const TaskSpec& task, const Logits& logits, const TokenBatch& batch);

/// What the head says of each sequence, filler included, [B, predictionsPerRow()] in the type of the losses:
///     classify   the class
///     regress    the number
///     tag        at each target's position in its sequence the class, 0 elsewhere
///     answer     the logits of all first positions, then those of all last ones
/// [B, 0] on a rank without the first tokens that it depends on. The predictions for a tag are zero on the
/// ranks of a context group that do not have its token: summed over the group they are whole.
at::Tensor taskPredictions(const TaskSpec& task, const Logits& logits, const ForwardPass& pass);
std::int64_t predictionsPerRow(const TaskSpec& task, std::int64_t sequenceLength);

} // namespace trainyard
