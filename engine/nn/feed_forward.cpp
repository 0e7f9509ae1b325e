#include "engine/nn/feed_forward.h"

#include "engine/model/model_family.h"
#include "engine/nn/activation.h"

namespace trainyard {

namespace {

NextPass behindFeedForwardIn(const ModelSpec& model)
{
    return model.isGated() ? NextPass::Other : NextPass::Activation;
}

/// Products whose rows lie behind each other, of which one without a name of its own is part of the next.
std::vector<std::string> feedForwardInputs(const LayerNames& names, const ModelSpec& model)
{
    if (model.isGated() && !names.feedForwardGate.empty())
        return {names.feedForwardGate, names.feedForwardIn};
    return {names.feedForwardIn};
}

} // namespace

FeedForward::FeedForward(const ModelSpec& model, int layer, const LayerNames& names,
                         const ParameterStore& parameters)
    : m_in(linearWeights(parameters, feedForwardInputs(names, model).front()))
    , m_out(linearWeights(parameters, names.feedForwardOut))
    , m_inAdapters(model, layer, feedForwardInputs(names, model), parameters)
    , m_outAdapters(model, layer, {names.feedForwardOut}, parameters)
{
}

Product FeedForward::forward(const at::Tensor& input_TH, NextPass next, const ForwardPass& pass) const
{
    Product product_TI =
        columnProduct(input_TH, m_in, behindFeedForwardIn(pass.model), pass.parallel, pass.compute());
    product_TI.values = m_inAdapters.addToColumns(product_TI.values, input_TH, pass);
    const at::Tensor inner_TI = activate(product_TI, pass.model.activation, pass.compute());
    Product output_TH = rowProduct(inner_TI, m_out, next, pass.parallel, pass.compute());
    output_TH.values = m_outAdapters.addToRows(output_TH.values, inner_TI, pass);
    return output_TH;
}

} // namespace trainyard
