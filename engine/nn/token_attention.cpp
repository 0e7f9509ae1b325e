#include "engine/nn/token_attention.h"

#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/compute/kept_dropout.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::vector<std::int64_t> extentsOf(const HeadShape& shape)
{
    return {shape.sequences, shape.heads, shape.length, shape.width};
}

struct TokenAttentionFunction : torch::autograd::Function<TokenAttentionFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& queryKeyValue_T3H,
                              const HeadShape& shape, double scale, const ScoreInput& input,
                              const Compute& compute)
    {
        const TokenAttention result = compute.attend(queryKeyValue_T3H, shape, scale, input);
        keepCompute(context, compute);
        keepRates(context, input.dropout.rates);
        context->save_for_backward({queryKeyValue_T3H, result.context_TH, result.logSums, result.kept,
                                    input.bias, input.dropout.places});
        context->saved_data["extents"] = extentsOf(shape);
        context->saved_data["factor"] = scale;
        context->saved_data["isCausal"] = input.isCausal;
        context->saved_data["firstHead"] = input.dropout.firstHead;
        return result.context_TH;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const std::vector<std::int64_t> extents = context->saved_data["extents"].toIntVector();
        const HeadShape shape{extents[0], extents[1], extents[2], extents[3]};
        const ScoreInput input{
            saved[4],
            context->saved_data["isCausal"].toBool(),
            {{}, saved[5], shape.length, context->saved_data["firstHead"].toInt(), keptRates(context)}};
        return {keptCompute(context).attendGradient(gradients[0].contiguous(), saved[0],
                                                    {saved[1], saved[2], saved[3]}, shape,
                                                    context->saved_data["factor"].toDouble(), input),
                at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor attendTokens(const at::Tensor& queryKeyValue_T3H, const HeadShape& shape, double scale,
                        const ScoreInput& input, const Compute& compute)
{
    return TokenAttentionFunction::apply(queryKeyValue_T3H.contiguous(), shape, scale, input, compute);
}

} // namespace trainyard
