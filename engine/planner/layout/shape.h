#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The shape of one training row.
struct SequenceShape {
    int length = 128;        ///< tokens per sequence, padding included
    int maxPredictions = 20; ///< masked positions per sequence

    /// Positions per sequence at which the model predicts, at most.
    int targets(const ModelSpec& model) const { return model.isDecoder() ? length - 1 : maxPredictions; }
};

/// Pairs of a token and one of its experts on the busiest of the ranks that share experts, against the mean of
/// them: chosen, as what routers with a balance loss come to after their first steps. What a run's are says
/// its journal (ExpertLoad).
inline double expertImbalance(const ParallelLayout& layout)
{
    return layout.expert > 1 ? 1.1 : 1;
}

/// Whether attention runs as one kernel that keeps one number per query instead of scores (Dao et al.,
/// arXiv:2205.14135): on CUDA, where nothing is dropped in it and no ring is gone round, in the types that
/// such kernels have (engine/nn/attention.cpp, engine/device/gpu_plugin.cpp). With launch.device "auto" ranks
/// may still compute on the processor, which keeps them all; see resolvedDevice().
inline bool fusesAttention(const RunSpec& spec)
{
    return spec.launch.device == DeviceKind::Cuda && spec.model.attentionDropout == 0 &&
           spec.layout.context == 1 && spec.precision.compute != ComputeType::Float64 &&
           spec.model.scoreCap == 0;
}

/// Whether attention that drops is one kernel too, which keeps a bit instead of a score: on CUDA, of heads of
/// 64 numbers of 16 bits and sequences of whole tiles of 64 tokens (engine/device/cuda/attention_launch.h).
inline bool attendsTokens(const RunSpec& spec, std::int64_t length)
{
    const ModelSpec& m = spec.model;
    return spec.launch.device == DeviceKind::Cuda && m.attentionDropout > 0 && spec.layout.context == 1 &&
           elementSize(spec.precision.compute) == 2 && m.headSize() == 64 && m.keyHeads() == m.heads &&
           m.window == 0 && m.scoreCap == 0 && length % 64 == 0 && m.positions == PositionEncoding::Learned &&
           !spec.batch.packing;
}

/// Whether what dropout removes is drawn again in the backward pass instead of kept as a mask of a byte each:
/// by the kernels for CUDA, of hidden states in front of a norm and of attention's probabilities, whose
/// softmax then starts from the scores again as well (engine/device/cuda/cuda_compute.cpp).
inline bool redrawsDropout(const RunSpec& spec)
{
    return spec.launch.device == DeviceKind::Cuda;
}

} // namespace trainyard
