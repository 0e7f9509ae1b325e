#pragma once

namespace trainyard {

/// Behaviour of a training program that its specification does not set.
struct ProgramTraits {
    /// Gradients are reduced bucket by bucket while the last micro-batch's backward pass goes on.
    bool overlapsReductions = true;
    /// The same where the model is a pipeline; else reductions follow the last stage's last pass.
    bool overlapsReductionsOfStages = false;
    /// A send between stages goes on beside the next pass; else both stages wait for it.
    bool overlapsTransfers = true;
    /// Each tensor-parallel rank sends its part of what goes to the next stage, which gathers it (Narayanan
    /// et al., arXiv:2104.04473, section 4.1).
    bool scattersTransfers = false;
    /// ZeRO 3 brings a layer's weights together while the layer before it computes; else computing waits.
    bool overlapsGathers = true;
    /// Collectives for a layer's weights in ZeRO 3, and for its gradients from ZeRO 2 on.
    int gathersPerLayer = 1;
    /// Of ZeRO 3, where layers are computed again: the weights go after that, and come once more.
    bool gathersForRecompute = false;
    int gradientBytes = 4; ///< of each element that is reduced
    /// Kernels of one layer's forward pass; the backward pass has twice as many.
    int layerKernels = 40;
    /// Seconds per micro-batch in which the host feeds it in and reads its loss, and the device waits.
    double microBatchTime = 2.5e-3;
};

/// Ours.
constexpr ProgramTraits trainyardProgram()
{
    return {};
}

/// Megatron-LM as the papers of 2021 and 2022 ran it: reduction behind the last backward pass, transfers that
/// both stages wait for.
constexpr ProgramTraits megatronProgram()
{
    return {.overlapsReductions = false, .overlapsTransfers = false, .scattersTransfers = true};
}

} // namespace trainyard
