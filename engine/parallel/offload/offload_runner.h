#pragma once

#include <memory>

#include "engine/nn/layer_runner.h"
#include "engine/parallel/offload/offloaded_layer.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ParameterStore;

/// Lets what layers keep for their backward pass wait in host memory (Ren et al., arXiv:2101.06840, do so for
/// the optimizer's state; Amazon's SageMaker model parallelism for activations). When the backward pass
/// enters a part, the layers up to MemorySpec::offloadHorizon before it come back as well, so that their
/// copies run beside the computation where the device has a stream. The numbers are the same. Embeddings and
/// head keep theirs on the device. One thread.
class OffloadRunner final : public LayerRunner {
public:
    /// `inner` computes the parts; both outlive the runner.
    OffloadRunner(const MemorySpec& memory, int layers, const ParameterStore& parameters, LayerRunner& inner);

    at::Tensor run(int part, const at::Tensor& input, const Part& compute) override;
    at::Tensor runAttention(int layer, const at::Tensor& queryKeyValue, const Part& compute) override
    {
        return m_inner.runAttention(layer, queryKeyValue, compute);
    }

private:
    using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

    std::shared_ptr<OffloadedLayer> layerBefore(const at::Tensor& input) const;

    const int m_horizon;
    const int m_layers;
    LayerRunner& m_inner;
    OffloadedLayer::Storages m_weights;
    std::shared_ptr<OffloadedLayer> m_last; // null when the last part was no layer
    WeakTensor m_lastOutput;
};

} // namespace trainyard
