#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/generation/options/sampling.h"
#include "engine/generation/prompts.h"

namespace trainyard {

struct TokenProbability {
    TokenId token = 0;
    double probability = 0;
};

/// The `count` most probable tokens by softmax(logits), most probable first; of equal ones the smaller id.
std::vector<TokenProbability> mostProbable(std::span<const double> logits, std::size_t count);

/// Draws tokens. Immutable; any thread.
class Sampler {
public:
    explicit Sampler(const Sampling& sampling) : m_sampling(sampling) {}

    /// The tokens that may be drawn and their probabilities, which add up to 1: temperature, then top k, then
    /// top p (Holtzman et al., arXiv:1904.09751) of what is left, as Hugging Face does it. `logits`: of each
    /// token of the vocabulary, all finite; requires at least one.
    std::vector<TokenProbability> candidates(std::span<const double> logits) const;

    /// The token number `position` of sequence `prompt`. The random number depends on these and the seed
    /// alone, so that a sequence continues the same way, whatever else is computed with it.
    TokenId choose(std::span<const double> logits, std::size_t prompt, std::size_t position) const;

private:
    Sampling m_sampling;
};

} // namespace trainyard
