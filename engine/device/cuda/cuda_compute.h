#pragma once

#include "engine/nn/compute/device_compute.h"

namespace trainyard {

/// Our kernels (*_launch.h) on the current stream, where they do better than ATen's operators:
/// - norms with bias, dropout and residual, of widths that have a kernel (hasNormKernel),
/// - activations with bias,
/// - tokens to heads and back, of heads that are whole packs of 16 bytes,
/// - attention with dropout over heads of 64 numbers of 16 bits (attention_launch.h),
/// - softmax of attention scores with bias and dropout, of biases that are the same for all heads,
/// - cross entropy.
/// For tensors of float64, float32, bfloat16 or float16, all of one type; others are ATen's.
class CudaCompute final : public DeviceCompute {
public:
    using DeviceCompute::DeviceCompute;

    bool addsBias(NextPass next) const override { return next == NextPass::Other; }

    NormForward normForward(const NormInput& input, const at::Tensor& weight, const at::Tensor& shift,
                            double epsilon) const override;
    NormGradients normBackward(const NormBackwardInput& input) const override;
    NormForward dropNormForward(const NormInput& input, const RowDropout& dropout, const at::Tensor& weight,
                                const at::Tensor& shift, double epsilon) const override;
    NormGradients dropNormBackward(const NormBackwardInput& input, const KeptDropout& dropout) const override;

    at::Tensor activationForward(const at::Tensor& input, const at::Tensor& bias,
                                 Activation activation) const override;
    ActivationGradients activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                           const at::Tensor& bias, Activation activation) const override;

    HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                           double scale) const override;
    at::Tensor joinHeads(const HeadTensors& gradients, double scale) const override;
    at::Tensor mergeHeads(const at::Tensor& context_BASD) const override;
    at::Tensor unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const override;

    bool attends(const at::Tensor& queryKeyValue, const HeadShape& shape,
                 const ScoreInput& input) const override;
    TokenAttention attend(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale,
                          const ScoreInput& input) const override;
    at::Tensor attendGradient(const at::Tensor& gradient_TH, const at::Tensor& queryKeyValue,
                              const TokenAttention& forward, const HeadShape& shape, double scale,
                              const ScoreInput& input) const override;

    DropoutPlaces placesOf(std::span<const DropoutPart> rows, std::span<const std::uint64_t> samples,
                           const c10::Device& device) const override;
    Probabilities probabilities(const at::Tensor& scores_BAQK, const ScoreInput& input) const override;
    at::Tensor probabilitiesGradient(const at::Tensor& gradient_BAQK, const Probabilities& forward,
                                     const ScoreInput& input) const override;

    RowLosses rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const override;
    at::Tensor rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                               const at::Tensor& logSums_M, const at::Tensor& scale) const override;
};

/// The plug-in's; never destroyed.
const Compute* cudaCompute();

} // namespace trainyard
