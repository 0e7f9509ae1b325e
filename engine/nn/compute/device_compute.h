#pragma once

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// Arithmetic by ATen's operators, on whatever device it has kernels for, and dropout masks by the device's
/// own kernel. Sums that reach weights are formed in float32 (float64).
class DeviceCompute : public Compute {
public:
    struct Kernels {
        const DropoutMasks& masks;
        /// Whether ATen multiplies matrices of 16 bits there into one of float32 (CUDA). Where not, they are
        /// widened first.
        bool widensProducts = false;
    };
    explicit DeviceCompute(const Kernels& kernels) : m_kernels(kernels) {}

    bool addsBias(NextPass) const override { return true; }
    at::Tensor affine(const at::Tensor& input, const at::Tensor& weight,
                      const at::Tensor& bias) const override;
    at::Tensor asOperand(const at::Tensor& gradient) const override;
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

    bool fusesAttention() const override { return true; }
    HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                           double scale) const override;
    at::Tensor joinHeads(const HeadTensors& gradients, double scale) const override;
    at::Tensor mergeHeads(const at::Tensor& context_BASD) const override;
    at::Tensor unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const override;

    RowLosses rowLosses(const at::Tensor& logits_MC, const at::Tensor& targets_M) const override;
    at::Tensor rowLossGradient(const at::Tensor& logits_MC, const at::Tensor& targets_M,
                               const at::Tensor& logSums_M, const at::Tensor& scale) const override;

private:
    void putWhole(const GradientPlace& place, const at::Tensor& left, const at::Tensor& right) const;

    const Kernels m_kernels;
};

} // namespace trainyard
