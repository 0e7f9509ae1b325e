#pragma once

#include <cstdint>
#include <span>

#include <torch/types.h>

namespace trainyard {

/// Names one step's set of dropout masks. With the site (which dropout of the model), the global sample index
/// and the element inside the sample it keys the counter-based generator, so every layout draws the same
/// mask.
struct DropoutKey {
    std::uint64_t seed = 0;
    std::uint64_t step = 0; ///< optimizer step; the low 32 bits count
};

/// x_B... * mask / (1 - probability): each element of sample b is zeroed with the given probability.
/// `input` is contiguous with the samples as first dimension; `sampleIndices` has one entry per sample.
/// Differentiable; keeps the mask (one byte per element) for the backward pass. Returns `input` itself when
/// probability is 0.
at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const std::uint64_t> sampleIndices);

} // namespace trainyard
