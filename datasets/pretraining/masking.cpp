#include "datasets/pretraining/masking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard {

namespace {

/// All positions but 0 ([CLS]), the [SEP] after A and the last.
std::vector<std::int32_t> candidates(const Instance& instance)
{
    std::vector<std::int32_t> positions(instance.tokens.size() - 1);
    std::iota(positions.begin(), positions.end(), 1);
    positions.pop_back();
    positions.erase(positions.begin() + static_cast<std::ptrdiff_t>(instance.firstSegment) - 2);
    return positions;
}

/// The first `count` entries become a uniform draw without replacement (Fisher and Yates).
void shuffleFront(std::vector<std::int32_t>& values, std::size_t count, CounterRandom& random)
{
    for (std::size_t i = 0; i < count; ++i)
        std::swap(values[i], values[i + random.below(static_cast<std::uint32_t>(values.size() - i))]);
}

std::int32_t shownInstead(std::int32_t original, const SpecialTokens& special, std::size_t vocabularySize,
                          CounterRandom& random)
{
    if (random.uniform() < 0.8)
        return special.mask;
    if (random.uniform() < 0.5)
        return original;
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vocabularySize)));
}

} // namespace

int predictionsFor(std::size_t length, const InstanceSettings& settings)
{
    const auto share = static_cast<int>(std::nearbyint(static_cast<double>(length) * settings.maskedShare));
    return std::min(settings.maxPredictions, std::max(1, share));
}

void maskTokens(Instance& instance, const InstanceSettings& settings, const SpecialTokens& special,
                std::size_t vocabularySize, CounterRandom random)
{
    std::vector<std::int32_t> positions = candidates(instance);
    const auto count = std::min(positions.size(),
                                static_cast<std::size_t>(predictionsFor(instance.tokens.size(), settings)));
    shuffleFront(positions, count, random);
    positions.resize(count);
    std::sort(positions.begin(), positions.end());
    instance.maskedIds.clear();
    for (const std::int32_t position : positions) {
        std::int32_t& token = instance.tokens[static_cast<std::size_t>(position)];
        instance.maskedIds.push_back(token);
        token = shownInstead(token, special, vocabularySize, random);
    }
    instance.maskedPositions = std::move(positions);
}

} // namespace trainyard
