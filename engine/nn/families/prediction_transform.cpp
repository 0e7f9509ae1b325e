#include "engine/nn/families/prediction_transform.h"

#include "engine/nn/activation.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

PredictionTransform::PredictionTransform(const ModelSpec& model, const ParameterStore& parameters,
                                         const std::string& product, const std::string& normName)
    : m_activation(model.activation)
    , m_epsilon(model.layerNormEpsilon)
    , m_product(linearWeights(parameters, product))
    , m_norm(normWeights(parameters, normName, model))
{
}

at::Tensor PredictionTransform::apply(const at::Tensor& hidden_TH, const Compute& compute) const
{
    const Product product_TH = productOf(hidden_TH, m_product, NextPass::Activation, compute);
    return norm(activateUngated(product_TH.values, product_TH.bias, m_activation, compute), m_norm, m_epsilon,
                compute);
}

} // namespace trainyard
