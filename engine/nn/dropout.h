#pragma once

#include <cstdint>
#include <span>

#include <torch/types.h>

#include "engine/nn/dropout_mask.h"

namespace trainyard {

class Compute;

/// Names one step's set of dropout masks. With the site (which dropout of the model), the global sample index
/// and the element inside the sample it keys the counter-based generator, so every layout draws the same
/// mask.
struct DropoutKey {
    std::uint64_t seed = 0;
    std::uint64_t step = 0; ///< optimizer step; the low 32 bits count
};

/// Of a site at which elements are zeroed with the given probability: the nearest that 32 bits can say. Stops
/// the program unless site < kDropoutSites.
DropoutRates dropoutRates(double probability, const DropoutKey& key, std::uint32_t site);

/// x * mask / (1 - probability): each element is zeroed with the given probability. `input` is contiguous and
/// consists of `parts`, one behind the other, so that a slice of tokens or heads is dropped like the same
/// elements of the whole. Differentiable; keeps the mask (one byte per element) for the backward pass.
/// Returns `input` itself when probability is 0.
at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const DropoutPart> parts, const Compute& compute);

/// The same for an input with whole samples as first dimension; `sampleIndices` has one entry per sample.
at::Tensor dropout(const at::Tensor& input, double probability, const DropoutKey& key, std::uint32_t site,
                   std::span<const std::uint64_t> sampleIndices, const Compute& compute);

} // namespace trainyard
