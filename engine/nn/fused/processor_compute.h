#pragma once

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// Kernels of this folder: one pass over memory where ATen has several, on all of ATen's threads, with sums
/// that do not depend on their number. Products are ATen's.
class ProcessorCompute final : public Compute {
public:
    bool addsBias(NextPass) const override { return false; }
    at::Tensor product(const at::Tensor& left, const at::Tensor& right) const override;
    void putProduct(const GradientPlace& place, const at::Tensor& left,
                    const at::Tensor& right) const override;
    void putRows(const GradientPlace& place, const at::Tensor& rows_TH, const at::Tensor& ids_T,
                 std::int64_t padding) const override;
    at::Tensor columnSums(const at::Tensor& values) const override;

    NormForward normForward(const NormInput& input, const at::Tensor& weight, const at::Tensor& shift,
                            double epsilon) const override;
    NormGradients normBackward(const NormBackwardInput& input) const override;

    at::Tensor activationForward(const at::Tensor& input, const at::Tensor& bias,
                                 Activation activation) const override;
    ActivationGradients activationBackward(const at::Tensor& gradient, const at::Tensor& input,
                                           const at::Tensor& bias, Activation activation) const override;

    Dropped drop(const at::Tensor& input, const DropoutDraw& draw) const override;
    at::Tensor dropAgain(const at::Tensor& gradient, const at::Tensor& mask, double scale) const override;

    /// Matrix products and a plain softmax: at these lengths several times faster than ATen's
    /// scaled_dot_product_attention.
    bool fusesAttention() const override { return false; }
    HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                           double scale) const override;
    at::Tensor joinHeads(const HeadTensors& gradients, double scale) const override;
    at::Tensor mergeHeads(const at::Tensor& context_BASD) const override;
    at::Tensor unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const override;

    RowLosses rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const override;
    at::Tensor rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                               const at::Tensor& logSums_M, const at::Tensor& scale) const override;
};

} // namespace trainyard
