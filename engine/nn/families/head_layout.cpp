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

HeadTensors splitGroups(const at::Tensor& queryKeyValue, const HeadGroups& groups, bool isHeadByHead,
                        double scale, const Compute& compute)
{
    const auto& [sequences, heads, keyHeads, length, width] = groups;
    if (isHeadByHead) {
        const auto parts = queryKeyValue.view({sequences, length, heads, 3, width}).permute({3, 0, 2, 1, 4});
        return {parts[0] * scale, parts[1], parts[2]};
    }
    if (keyHeads == heads)
        return splitHeads(queryKeyValue, {sequences, heads, length, width}, scale, compute);
    const at::Tensor rows =
        queryKeyValue.view({sequences, length, heads + 2 * keyHeads, width}).transpose(1, 2);
    return {rows.narrow(1, 0, heads) * scale, rows.narrow(1, heads, keyHeads),
            rows.narrow(1, heads + keyHeads, keyHeads)};
}

at::Tensor forEveryQuery(const at::Tensor& values_BKSD, const HeadGroups& groups)
{
    const auto& [sequences, heads, keyHeads, length, width] = groups;
    if (keyHeads == heads)
        return values_BKSD;
    const std::int64_t tokens = values_BKSD.size(2); // with a cache more than the pass has
    return values_BKSD.unsqueeze(2)
        .expand({sequences, keyHeads, heads / keyHeads, tokens, width})
        .reshape({sequences, heads, tokens, width});
}

at::Tensor mergeHeads(const at::Tensor& context_BASD, const Compute& compute)
{
    return MergeHeads::apply(context_BASD, compute);
}

} // namespace trainyard
