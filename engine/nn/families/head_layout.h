#pragma once

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// Queries, keys and values [T, 3 A D] by head, the queries times `scale`: one pass, and one back.
/// Differentiable.
HeadTensors splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale,
                       const Compute& compute);

/// Heads of queries that share heads of keys and values (Ainslie et al., arXiv:2305.13245): A of queries, K
/// of keys and of values, K divides A.
struct HeadGroups {
    std::int64_t sequences = 0;
    std::int64_t heads = 0;
    std::int64_t keyHeads = 0;
    std::int64_t length = 0;
    std::int64_t width = 0;
};

/// The same of [T, (A + 2 K) D]: [B, A, S, D], [B, K, S, D] twice. `isHeadByHead`: as many keys as queries,
/// and a head's query, key and value stand together.
HeadTensors splitGroups(const at::Tensor& queryKeyValue, const HeadGroups& groups, bool isHeadByHead,
                        double scale, const Compute& compute);
/// Keys or values [B, K, S, D] as every query sees its own, [B, A, S, D].
at::Tensor forEveryQuery(const at::Tensor& values_BKSD, const HeadGroups& groups);

/// [B, A, S, D] as [T, A D]. Differentiable.
at::Tensor mergeHeads(const at::Tensor& context_BASD, const Compute& compute);

} // namespace trainyard
