#include "engine/parallel/recompute/recompute_runner.h"

#include <c10/core/GradMode.h>
#include <torch/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps the function beside the input; a custom function's context holds plain values only.
struct ComputeHolder : torch::CustomClassHolder {
    explicit ComputeHolder(LayerRunner::Part function) : compute(std::move(function)) {}
    LayerRunner::Part compute;
};

struct Recomputed : torch::autograd::Function<Recomputed> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                              const LayerRunner::Part& compute)
    {
        context->save_for_backward({input});
        context->saved_data["compute"] =
            c10::IValue::make_capsule(c10::make_intrusive<ComputeHolder>(compute));
        return compute(input); // a custom function's forward records no graph
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto capsule = context->saved_data["compute"].toCapsule();
        const auto& compute = static_cast<const ComputeHolder&>(*capsule).compute;
        const at::Tensor input = context->get_saved_variables()[0].detach().requires_grad_(true);
        const at::AutoGradMode recording(true);
        torch::autograd::backward({compute(input)}, {gradients[0]});
        return {input.grad(), at::Tensor()};
    }
};

/// A custom function without an input that needs a gradient records no graph. The first layer's input needs
/// none where the embeddings are frozen, but its adapters do.
at::Tensor withGradient(const at::Tensor& input)
{
    return input.requires_grad() ? input : input.detach().requires_grad_(true);
}

} // namespace

at::Tensor RecomputeRunner::run(int part, const at::Tensor& input, const Part& compute)
{
    const bool isLayer = part >= 0 && part < m_layers;
    const bool chosen = m_memory.recompute == RecomputeKind::Full && part % m_memory.recomputeEvery == 0;
    const bool records = c10::GradMode::is_enabled();
    return isLayer && chosen && records ? Recomputed::apply(withGradient(input), compute) : compute(input);
}

at::Tensor RecomputeRunner::runAttention(int, const at::Tensor& queryKeyValue, const Part& compute)
{
    const bool chosen = m_memory.recompute == RecomputeKind::Selective;
    return chosen && queryKeyValue.requires_grad() ? Recomputed::apply(queryKeyValue, compute)
                                                   : compute(queryKeyValue);
}

} // namespace trainyard
