#include "engine/nn/experts/router.h"

#include <numeric>

#include <ATen/ops/bincount.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/nn/wide_type.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The values as they are. Whatever their gradient, that of the loss is `scale`: so a loss inside the model
/// needs no way to its end.
struct AttachedLoss : torch::autograd::Function<AttachedLoss> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& values, const at::Tensor& loss,
                              double scale)
    {
        context->saved_data["scale"] = scale;
        context->save_for_backward({loss});
        return values.view_as(values);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const at::Tensor loss = context->get_saved_variables()[0];
        return {gradients[0], at::full_like(loss, context->saved_data["scale"].toDouble()), at::Tensor()};
    }
};

int expertLayers(const ModelSpec& model)
{
    return model.layers / model.experts.every;
}

/// 1 for each token, 0 for padding and filler, which have no part in the losses: [T] of all tokens.
at::Tensor countedTokens(const ForwardPass& pass, const at::TensorOptions& options)
{
    const TokenBatch& batch = pass.batch;
    if (!batch.isPacked())
        return pass.padding.defined() ? pass.padding.logical_not().flatten().to(options.dtype())
                                      : at::ones({batch.tokens()}, options);
    const std::int64_t tokens =
        std::accumulate(batch.packedLengths.begin(), batch.packedLengths.end(), std::int64_t{0});
    at::Tensor counted_T = at::zeros({batch.tokens()}, options);
    counted_T.narrow(0, 0, tokens).fill_(1);
    return counted_T;
}

/// Of the counted tokens the experts' shares: as each has K experts, they add up to K.
at::Tensor tokenShares(const at::Tensor& experts_TK, const at::Tensor& counted_T, const ForwardPass& pass)
{
    const at::Tensor weights_TK = counted_T.unsqueeze(1).expand_as(experts_TK);
    at::Tensor counts_E = at::bincount(experts_TK.flatten(), weights_TK.flatten(), pass.model.experts.count)
                              .to(counted_T.dtype());
    if (pass.parallel.slicesTokens())
        reduceInPlace(counts_E, pass.parallel);
    return counts_E;
}

/// This rank's part of it; the shares of tokens have no gradient.
at::Tensor routerLoss(const at::Tensor& logits_TE, const at::Tensor& probabilities_TE,
                      const at::Tensor& experts_TK, const ForwardPass& pass)
{
    const ExpertSpec& experts = pass.model.experts;
    const at::Tensor all_T = countedTokens(pass, logits_TE.options().requires_grad(false));
    const at::Tensor tokens = all_T.sum().clamp_min(1);
    const IndexRange here = pass.tokensHere();
    const at::Tensor counted_T = all_T.narrow(0, here.begin, here.size());
    const at::Tensor shares_E = tokenShares(experts_TK, counted_T, pass) / tokens;
    const at::Tensor balance = at::mv(probabilities_TE.t(), counted_T).dot(shares_E) * experts.count;
    const at::Tensor z = at::logsumexp(logits_TE, 1).square().dot(counted_T);
    return (balance * experts.balanceLoss + z * experts.zLoss) / tokens;
}

bool hasLosses(const ForwardPass& pass, const at::Tensor& logits)
{
    const ExpertSpec& experts = pass.model.experts;
    return pass.routerLossScale > 0 && logits.requires_grad() && logits.size(0) > 0 &&
           (experts.balanceLoss > 0 || experts.zLoss > 0);
}

} // namespace

Routing route(const at::Tensor& input_TH, const LinearWeights& router, const ForwardPass& pass)
{
    const ExpertSpec& experts = pass.model.experts;
    const at::Tensor logits_TE = inWideType(linear(input_TH, router, pass.compute()));
    const at::Tensor probabilities_TE = at::softmax(logits_TE, 1);
    auto [weights_TK, experts_TK] = at::topk(probabilities_TE, experts.perToken, 1);
    if (experts.normalized)
        weights_TK = weights_TK / weights_TK.sum(1, /*keepdim=*/true);
    if (hasLosses(pass, logits_TE))
        weights_TK =
            AttachedLoss::apply(weights_TK, routerLoss(logits_TE, probabilities_TE, experts_TK, pass),
                                pass.routerLossScale / expertLayers(pass.model));
    return {experts_TK, weights_TK};
}

} // namespace trainyard
