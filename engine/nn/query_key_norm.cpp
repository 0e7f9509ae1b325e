#include "engine/nn/query_key_norm.h"

#include <ATen/ops/cat.h>

namespace trainyard {

at::Tensor normQueriesAndKeys(const at::Tensor& queryKeyValue, const NormWeights& query,
                              const NormWeights& key, const ForwardPass& pass)
{
    const ModelSpec& model = pass.model;
    const std::int64_t width = model.headSize();
    const bool isWhole = model.queryKeyNorm == QueryKeyNorm::Whole;
    const auto normed = [&](const at::Tensor& part, const NormWeights& weights) {
        const at::Tensor rows = part.reshape({-1, isWhole ? part.size(1) : width});
        const TensorParallel columns = isWhole ? pass.parallel.withWholeTokens() : TensorParallel();
        return norm(rows, weights, model.layerNormEpsilon, pass.compute(), columns).view(part.sizes());
    };
    const std::int64_t keys = pass.keyHeadsHere() * width;
    const auto parts = queryKeyValue.split_with_sizes({pass.headsHere() * width, keys, keys}, 1);
    return at::cat({normed(parts[0], query), normed(parts[1], key), parts[2]}, 1);
}

} // namespace trainyard
