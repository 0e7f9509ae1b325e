#pragma once

#include "engine/nn/layer_runner.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Forgets what layers computed inside and computes it again in the backward pass (Chen et al.,
/// arXiv:1604.06174); with `selective` only the core of the attention (Korthikanti et al., arXiv:2205.05198,
/// section 5). The numbers are the same: dropout masks are keyed, not drawn. Gradients of the weights arrive
/// during the second computation, so a layer's backward pass must run once, as a whole: not under the
/// zero-bubble schedule. One thread; collectives inside a layer are done again, on every rank alike.
class RecomputeRunner final : public LayerRunner {
public:
    /// `layers`: of the model; their parts are the ones that are recomputed.
    RecomputeRunner(const MemorySpec& memory, int layers) : m_memory(memory), m_layers(layers) {}

    at::Tensor run(int part, const at::Tensor& input, const Part& compute) override;
    at::Tensor runAttention(int layer, const at::Tensor& queryKeyValue, const Part& compute) override;

private:
    const MemorySpec m_memory;
    const int m_layers;
};

} // namespace trainyard
