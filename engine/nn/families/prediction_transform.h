#pragma once

#include "engine/model/model_family.h"
#include "engine/nn/layers.h"

namespace trainyard {

/// Product, activation and norm of an encoder's hidden states before the last product of its head (Devlin et
/// al., arXiv:1810.04805).
class PredictionTransform {
public:
    /// `product` and `normName`: of HeadNames or TaskHeadNames.
    PredictionTransform(const ModelSpec& model, const ParameterStore& parameters, const std::string& product,
                        const std::string& normName);

    at::Tensor apply(const at::Tensor& hidden_TH, const Compute& compute) const;

private:
    Activation m_activation;
    double m_epsilon;
    LinearWeights m_product;
    NormWeights m_norm;
};

} // namespace trainyard
