#include "engine/parallel/offload/offload_runner.h"

#include <utility>

#include <c10/core/GradMode.h>

#include "engine/nn/parameters/parameter_store.h"
#include "engine/parallel/offload/saved_tensor_scope.h"

namespace trainyard {

namespace {

/// The given layer and those before it, `count` in all.
void bringBack(OffloadedLayer* layer, int count)
{
    for (; layer && count > 0; --count) {
        layer->bringBack();
        layer = layer->before().get();
    }
}

} // namespace

OffloadRunner::OffloadRunner(const MemorySpec& memory, int layers, const ParameterStore& parameters,
                             LayerRunner& inner)
    : m_horizon(memory.offloadHorizon)
    , m_layers(layers)
    , m_inner(inner)
    , m_lastOutput(at::Tensor().getIntrusivePtr())
{
    for (const at::Tensor& leaf : parameters.leaves())
        m_weights.insert(leaf.storage().unsafeGetStorageImpl());
}

// Micro-batches of a pipeline take turns: a layer belongs to the one whose hidden states it is given.
std::shared_ptr<OffloadedLayer> OffloadRunner::layerBefore(const at::Tensor& input) const
{
    const bool follows = input.defined() && m_lastOutput.lock().get() == input.unsafeGetTensorImpl();
    return follows ? m_last : nullptr;
}

at::Tensor OffloadRunner::run(int part, const at::Tensor& input, const Part& compute)
{
    if (!c10::GradMode::is_enabled())
        return m_inner.run(part, input, compute);
    const std::shared_ptr<OffloadedLayer> before = layerBefore(input);
    const bool isLayer = part >= 0 && part < m_layers;
    const auto layer = isLayer ? std::make_shared<OffloadedLayer>(m_weights, before) : nullptr;
    at::Tensor output;
    if (isLayer) {
        const SavedTensorScope scope([&layer] { return layer->hooks(); });
        output = m_inner.run(part, input, compute);
    } else {
        output = m_inner.run(part, input, compute);
    }
    const auto nearest = isLayer ? layer : before;
    if (nearest && output.requires_grad())
        output.register_hook([nearest, count = m_horizon + (isLayer ? 1 : 0)](const at::Tensor&) {
            bringBack(nearest.get(), count);
        });
    m_last = layer;
    m_lastOutput = WeakTensor(output.getIntrusivePtr());
    return output;
}

} // namespace trainyard
