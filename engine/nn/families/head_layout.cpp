#include "engine/nn/families/head_layout.h"

#include "engine/nn/compute/kept_compute.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct SplitHeads : torch::autograd::Function<SplitHeads> {
    static variable_list forward(AutogradContext* context, const at::Tensor& queryKeyValue,
                                 const HeadShape& shape, double scale, const Compute& compute)
    {
        keepCompute(context, compute);
        context->saved_data["scale"] = scale;
        const HeadTensors parts = compute.splitHeads(queryKeyValue.contiguous(), shape, scale);
        return {parts[0], parts[1], parts[2]};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        return {keptCompute(context).joinHeads({gradients[0], gradients[1], gradients[2]},
                                               context->saved_data["scale"].toDouble()),
                at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

struct MergeHeads : torch::autograd::Function<MergeHeads> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& context_BASD,
                              const Compute& compute)
    {
        keepCompute(context, compute);
        const HeadShape shape = HeadShape::of(context_BASD);
        context->saved_data["length"] = shape.length;
        context->saved_data["heads"] = shape.heads;
        return compute.mergeHeads(context_BASD);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const std::int64_t length = context->saved_data["length"].toInt();
        const std::int64_t heads = context->saved_data["heads"].toInt();
        const at::Tensor tokens = gradients[0].contiguous();
        return {keptCompute(context).unmergeHeads(
                    tokens, {tokens.size(0) / length, heads, length, tokens.size(1) / heads}),
                at::Tensor()};
    }
};

} // namespace

HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale,
                       const Compute& compute)
{
    const variable_list parts = SplitHeads::apply(queryKeyValue, shape, scale, compute);
    return {parts[0], parts[1], parts[2]};
}

at::Tensor mergeHeads(const at::Tensor& context_BASD, const Compute& compute)
{
    return MergeHeads::apply(context_BASD, compute);
}

} // namespace trainyard
