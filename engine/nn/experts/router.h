#pragma once

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"

namespace trainyard {

// Symbols: E experts, of which each of T tokens takes K.

/// Which experts tokens take, and how much of what each gives.
struct Routing {
    at::Tensor experts_TK; ///< int64, the likeliest first
    at::Tensor weights_TK; ///< float32, or float64 with a model in float64
};

/// Of this rank's tokens: softmax(x W^T), of which the K largest count. With pass.routerLossScale the
/// gradient of the router's losses joins that of the weights (ExpertSpec::balanceLoss, zLoss): each is the
/// mean over the layers with experts of what the pass's tokens give, padding left out, and all
/// tensor-parallel ranks' tokens taken together.
Routing route(const at::Tensor& input_TH, const LinearWeights& router, const ForwardPass& pass);

} // namespace trainyard
