#include "engine/nn/experts/experts.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/bincount.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/model/model_family.h"
#include "engine/nn/activation.h"
#include "engine/nn/experts/expert_exchange.h"
#include "engine/nn/experts/expert_product.h"
#include "engine/nn/experts/router.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The T K pairs of a token and one of its experts in the order of the experts, and in that of the tokens
/// within each.
struct Dispatch {
    at::Tensor order;                 ///< [T K]: numbers t K + k
    at::Tensor inverse;               ///< of the permutation `order`
    std::vector<std::int64_t> counts; ///< pairs of each expert

    Dispatch(const at::Tensor& experts_TK, std::int64_t experts)
        : order(at::argsort(experts_TK.flatten(), /*stable=*/true)), inverse(at::argsort(order))
    {
        const at::Tensor perExpert = at::bincount(experts_TK.flatten(), {}, experts).cpu();
        const auto* first = perExpert.const_data_ptr<std::int64_t>();
        counts.assign(first, first + experts);
    }
};

/// Row i of the result is the token of pair order[i]. The gradients of a token's K copies are added in their
/// order, as a scattered sum would not on every device.
struct SpreadTokens : torch::autograd::Function<SpreadTokens> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& tokens_TH, const at::Tensor& order,
                              const at::Tensor& inverse, std::int64_t copies)
    {
        context->save_for_backward({inverse});
        context->saved_data["copies"] = copies;
        return tokens_TH.index_select(0, order.floor_divide(copies));
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const at::Tensor inverse = context->get_saved_variables()[0];
        const std::int64_t copies = context->saved_data["copies"].toInt();
        const at::Tensor pairs = gradients[0].index_select(0, inverse);
        variable_list result(4);
        result[0] = pairs.view({pairs.size(0) / copies, copies, pairs.size(1)}).sum(1);
        return result;
    }
};

/// Of the outputs of pairs, in the order of the experts, each token's sum by its weights.
at::Tensor weightedSums(const at::Tensor& outputs, const Dispatch& dispatch, const at::Tensor& weights_TK)
{
    const at::Tensor pairs = outputs.index_select(0, dispatch.inverse).to(weights_TK.scalar_type());
    const at::Tensor pairs_TKH = pairs.view({weights_TK.size(0), weights_TK.size(1), pairs.size(1)});
    return (pairs_TKH * weights_TK.unsqueeze(2)).sum(1).to(outputs.scalar_type());
}

/// Once for each training pass: not in evaluations, which have no key, nor where a pass is computed again for
/// its gradients, whose first time has none.
bool isCounted(const ForwardPass& pass)
{
    return pass.experts.tally && pass.dropoutKey && at::GradMode::is_enabled();
}

} // namespace

Experts::Experts(int layer, const LayerNames& names, const ParameterStore& parameters)
    : m_layer(layer)
    , m_router(linearWeights(parameters, names.router))
    , m_in(parameters.leaf(names.expertsIn))
    , m_out(parameters.leaf(names.expertsOut))
{
}

at::Tensor Experts::compute(const at::Tensor& inputs, std::span<const std::int64_t> counts,
                            const ForwardPass& pass) const
{
    const at::Tensor products = expertProduct(inputs, m_in, counts, pass.compute());
    const at::Tensor inner = activate({products, {}}, pass.model.activation, pass.compute());
    return expertProduct(inner, m_out, counts, pass.compute());
}

at::Tensor Experts::forward(const at::Tensor& input_TH, const ForwardPass& pass) const
{
    const Routing here = route(input_TH, m_router, pass);
    // Each rank adds its part of what an expert gives, and so of the gradient of its weight.
    const at::Tensor tokens_TH = enterCut(input_TH, pass.parallel);
    const at::Tensor weights_TK = enterCut(here.weights_TK, pass.parallel);
    const Dispatch dispatch(enterCut(here.experts_TK, pass.parallel), pass.model.experts.count);
    if (isCounted(pass))
        pass.experts.tally->add(m_layer, dispatch.counts);
    const at::Tensor inputs = SpreadTokens::apply(tokens_TH, dispatch.order, dispatch.inverse,
                                                  std::int64_t{pass.model.experts.perToken});
    if (!pass.experts.isOn())
        return leaveCut(weightedSums(compute(inputs, dispatch.counts, pass), dispatch, weights_TK),
                        pass.parallel);
    const ExpertExchange exchange(*pass.experts.group, dispatch.counts);
    const at::Tensor outputs = compute(exchange.toExperts(inputs), exchange.countsHere(), pass);
    return leaveCut(weightedSums(exchange.back(outputs), dispatch, weights_TK), pass.parallel);
}

} // namespace trainyard
