#include "engine/generation/sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/philox.h"

namespace trainyard {

namespace {

bool isMoreProbable(const TokenProbability& a, const TokenProbability& b)
{
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
}

void normalise(std::vector<TokenProbability>& tokens)
{
    double sum = 0;
    for (const TokenProbability& each : tokens)
        sum += each.probability;
    for (TokenProbability& each : tokens)
        each.probability /= sum;
}

/// softmax(logits / temperature), in the order of the tokens.
std::vector<TokenProbability> softmax(std::span<const double> logits, double temperature)
{
    TRAINYARD_CHECK(!logits.empty());
    const double highest = std::ranges::max(logits);
    std::vector<TokenProbability> tokens;
    tokens.reserve(logits.size());
    for (const double logit : logits)
        tokens.push_back({static_cast<TokenId>(tokens.size()), std::exp((logit - highest) / temperature)});
    normalise(tokens);
    return tokens;
}

void keepMostProbable(std::vector<TokenProbability>& tokens, std::size_t count)
{
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(std::min(count, tokens.size()));
    std::partial_sort(tokens.begin(), end, tokens.end(), isMoreProbable);
    tokens.erase(end, tokens.end());
}

/// Of tokens in the order of their probability the fewest that together have at least `share`.
void keepShare(std::vector<TokenProbability>& tokens, double share)
{
    double sum = 0;
    const auto last = std::ranges::find_if(tokens, [&](const TokenProbability& each) {
        sum += each.probability;
        return sum >= share;
    });
    if (last != tokens.end())
        tokens.erase(last + 1, tokens.end());
}

TokenId argMax(std::span<const double> logits)
{
    return std::ranges::max_element(logits) - logits.begin();
}

/// In [0, 1), with 53 random bits.
double uniform(std::uint64_t seed, std::size_t prompt, std::size_t position)
{
    const PhiloxCounter words =
        philox({static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(prompt),
                static_cast<std::uint32_t>(prompt >> 32), 0},
               philoxKey(seed));
    const std::uint64_t bits = std::uint64_t{words[0]} << 32 | words[1];
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace

std::vector<TokenProbability> mostProbable(std::span<const double> logits, std::size_t count)
{
    auto tokens = softmax(logits, 1.0);
    keepMostProbable(tokens, count);
    return tokens;
}

std::vector<TokenProbability> Sampler::candidates(std::span<const double> logits) const
{
    if (m_sampling.temperature == 0)
        return {{argMax(logits), 1.0}};
    auto tokens = softmax(logits, m_sampling.temperature);
    const bool isCut = m_sampling.topK > 0 || m_sampling.topP < 1;
    if (!isCut)
        return tokens;
    keepMostProbable(tokens, m_sampling.topK > 0 ? std::size_t(m_sampling.topK) : tokens.size());
    normalise(tokens);
    keepShare(tokens, m_sampling.topP);
    normalise(tokens);
    return tokens;
}

TokenId Sampler::choose(std::span<const double> logits, std::size_t prompt, std::size_t position) const
{
    const auto tokens = candidates(logits);
    double left = uniform(m_sampling.seed, prompt, position);
    for (const TokenProbability& each : tokens) {
        left -= each.probability;
        if (left < 0)
            return each.token;
    }
    return tokens.back().token; // the probabilities add up to 1 but for rounding
}

} // namespace trainyard
